# SPDX-License-Identifier: MIT
"""What a report says: made from facts about windows, with a status, advice and a table."""

import math
from dataclasses import replace

import pytest

from lrfm.solution.report import Report, WindowReport

WINDOW = WindowReport(
    window=(0.0, 1.0), rows=40, columns=10, rank=9, condition=1e5, fit_residual=1e-8, residual=1e-7
)


def told(*changes, **facts):
    return Report.of([replace(WINDOW, **c) for c in changes or ({},)], seed=3, **facts)


def test_the_worst_window_counts():
    report = told(
        {"residual": 1e-5, "rank": 7, "growth": 1.5, "seconds": 2.0},
        {"columns": 12, "condition": None, "updates": (1.0, 1e-9), "growth": 0.9, "seconds": 1.0},
    )
    assert (report.features, report.rows, report.rank, report.condition) == (12, 40, 7, 1e5)
    assert (report.residual, report.steps, report.blocks, report.growth) == (1e-5, 2, 2, 1.5)
    assert (report.seconds, report.seed, report.block_reports[0].steps) == (3.0, 3, 1)
    assert math.isnan(report.error_estimate)
    assert math.isnan(told({"condition": None}).condition)


@pytest.mark.parametrize(
    ("windows", "facts", "status", "advice"),
    [
        ([{}], {}, "not estimated", "Leave out `estimate=False`."),
        ([{}], {"l2": 1e-3}, "estimate only", ""),
        ([{}], {"l2": math.inf, "decided_by": "residual"}, "no claim", "residual"),
        ([{}], {"tolerance": 1e-6, "l2": 1e-7}, "tolerance met", ""),
        ([{}], {"tolerance": 1e-6, "l2": 1e-5}, "tolerance not met", "1.0e-05 is above tol=1.0e-06"),
        ([{}], {"tolerance": 1e-6}, "tolerance not met", "No error was estimated"),
        ([{"residual": 0.2}, {}], {}, "not resolved", "residual 2.0e-01"),
        ([{}, {"residual": math.nan}], {"tolerance": 1e-6, "l2": 0.0}, "not resolved", "more features"),
        ([{"residual": math.nan}], {"held": 1e-3, "l2": 1e-3}, "estimate only", ""),
        ([{}], {"held": 0.5}, "not resolved", "more features"),
        (
            [{}, {"converged": False, "reason": "no luck"}],
            {},
            "not converged: block 2, no luck",
            "shorter blocks",
        ),
        ([{}], {"asked": 3}, "not finished: the solution ends at t = 1", "shorter blocks"),
        ([{"residual": 0.2}], {"ill_posed": True, "l2": math.inf}, "ill-posed", "Check the signs"),
    ],
)
def test_status_and_advice(windows, facts, status, advice):
    report = told(*windows, **facts)
    assert report.status == status
    assert report.solved == (advice == "") == (report.advice == "")
    assert advice in report.advice
    assert "max_features" not in report.advice or status == "tolerance not met"  # more features cure no sign


def test_the_limit_that_stopped_a_search_is_named():
    report = replace(told(tolerance=1e-6, l2=1e-3), stopped="max_seconds=60")
    assert "stopped by `max_seconds=60`" in report.advice
    assert dict(report.lines())["stopped by"] == "max_seconds=60"


def test_a_search_that_ended_early_says_why():
    """`max_seconds` stops what would not fit into it, too."""
    report = replace(told(tolerance=1e-6, l2=1e-3), stopped="max_seconds=60", seconds=20.0)
    assert (
        "`max_seconds=60`: a further attempt would not have fitted into the 40 s that were left."
        in report.advice
    )
    assert "fitted" not in replace(report, seconds=61.0).advice


@pytest.mark.parametrize(("estimate", "tol"), [(1.3e-5, "2e-05"), (9.6e-4, "1e-03"), (2e-3, "2e-03")])
def test_what_was_reached_is_named(estimate, tol):
    report = replace(told(tolerance=1e-6, l2=estimate), method="lines")
    assert f"This solution meets `tol={tol}`." in report.advice


def test_a_face_without_its_condition_comes_before_other_guesses():
    missing = "The face `x+` has one condition, and the equations need 2 there: the solution is not unique."
    report = told({"converged": False, "reason": "steps"}, warnings=("Something else.", missing))
    assert report.advice == f"Not converged: block 1, steps. {missing}"


def test_the_table_names_what_decided():
    report = told(
        l2=1e-5, linf=math.inf, indicators={"draws": 1e-5, "residual": 1e-7}, decided_by="draws",
        invariants={"∫ u": 1e-9}, warnings=("beware",), parts={"space": "Liquid(features=10)"},
    )  # fmt: skip
    table = dict(report.lines())
    assert table["indicators"] == "draws 1.0e-05, residual 1.0e-07; decided by draws"
    assert table["invariants"] == "∫ u to 1.0e-09"
    assert table["largest error"].startswith("no claim")
    assert (table["space"], table["warning"]) == ("Liquid(features=10)", "beware")
    assert "tolerance" not in table
    assert "growth" not in table
    assert (
        len({line.index(value) for line, value in zip(str(report).splitlines(), table.values(), strict=True)})
        == 1
    )
