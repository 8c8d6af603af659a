# SPDX-License-Identifier: MIT
"""What a report says: made from facts about windows, with a status, advice and a table."""

import math
from dataclasses import replace

import pytest

import lrfm
from lrfm.solution.report import Report, WindowReport
from lrfm.solution.status import Status

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
        (
            [{}],
            {},
            "not estimated",
            "the comparison solve, whose difference is the estimate, did not reach the end",
        ),
        ([{}], {"l2": 1e-3}, "estimate only", ""),
        ([{}], {"l2": math.inf, "decided_by": "residual"}, "no claim", "residual"),
        ([{}], {"tolerance": 1e-6, "l2": 1e-7}, "tolerance met", ""),
        ([{}], {"tolerance": 1e-6, "l2": 1e-5}, "tolerance not met", "1.0e-05 is above tol=1.0e-06"),
        (
            [{}],
            {"tolerance": 1e-6, "l2": 1.0, "method": "space-time"},
            "tolerance not met",
            "Two solves differ by as much as the solution itself",  # shorter blocks help nobody who gave none
        ),
        ([{}], {"tolerance": 1e-6}, "tolerance not met", "No error was estimated"),
        ([{"residual": 0.2}, {}], {}, "not resolved", "residual 2.0e-01"),
        (
            [{}, {"residual": math.nan}],
            {"tolerance": 1e-6, "l2": 0.0},
            "not resolved",
            "Check the statement first",
        ),
        ([{"residual": math.nan}], {"held": 1e-3, "l2": 1e-3}, "estimate only", ""),
        ([{}], {"held": 0.5}, "not resolved", "Where `features` or `space` was given, give more."),
        (
            [{}, {"converged": False, "reason": "no luck"}],
            {},
            "not converged",
            "Not converged: block 2, no luck. Use shorter blocks",
        ),
        ([{}], {"asked": 3}, "not finished", "Not finished: the solution ends at t = 1. Use shorter blocks"),
        (
            [{"converged": False, "reason": "it ends at t = 1", "status": Status.OUT_OF_TIME}],
            {"method": "lines"},
            "out of time",
            "Out of time: it ends at t = 1. Allow more seconds",  # of what was not timed
        ),
        (
            [{"converged": False, "reason": "to 1e-9 at t = 1", "status": Status.STEPS_VANISHED}],
            {"method": "lines"},
            "steps vanished",
            "Steps vanished: to 1e-9 at t = 1. The solution seems to end",
        ),
        ([{"residual": 0.2}], {"ill_posed": True, "l2": math.inf}, "ill-posed", "Check the signs"),
    ],
)
def test_status_and_advice(windows, facts, status, advice):
    report = told(*windows, **facts)
    assert report.status is Status(status)
    assert report.status.meaning.endswith(".")
    assert report.solved == (advice == "") == (report.advice == "")
    assert advice in report.advice
    assert "max_features" not in report.advice or status == "tolerance not met"  # more features cure no sign


def test_the_limit_that_stopped_a_search_is_named():
    report = replace(told(tolerance=1e-6, l2=1e-3), stopped="max_seconds=60", seconds=61.0)
    assert "stopped by `max_seconds=60`" in report.advice
    assert dict(report.lines())["status"] == "tolerance not met (tol=1e-06, stopped by max_seconds=60)"


def test_a_search_that_ended_early_says_why():
    """`max_seconds` stops what would not fit into it, too: a stricter pair of solves, a quarter of the time before its end."""
    report = replace(told(tolerance=1e-6, l2=1e-3), stopped="max_seconds=60", seconds=20.0)
    assert "The search ended after 20 s of `max_seconds=60`: a stricter attempt is expected" in report.advice
    assert "expected" not in replace(report, seconds=61.0).advice


def stopped(reached, steps, seconds, **facts):
    """A march by lines to t = 10 that was out of time."""
    window = {
        "window": (0.0, reached),
        "updates": (0.0,) * steps,
        "converged": False,
        "status": Status.OUT_OF_TIME,
    }
    report = told(
        {**window, "reason": f"the solution ends at t = {reached:g}"}, method="lines", time=(0.0, 10.0)
    )
    return replace(report, seconds=seconds, stopped="max_seconds=60", **facts)


def test_who_is_out_of_time_is_told_how_far_it_came_and_what_is_left():
    """Half of the way in 60 s leaves about 60 s; a thousandth of it leaves 17 h, for which nobody waits."""
    near, far = stopped(5.0, 100, 60.0).advice, stopped(0.01, 100, 60.0).advice
    assert "50 % of the way took 60 s" in near
    assert "the rest takes about 60 s" in near
    assert near.endswith("Allow more seconds (`max_seconds`).")
    assert "0.1 % of the way took 60 s" in far
    assert "the rest takes 17 h: more seconds will not help." in far
    assert "Allow more" not in far


def test_a_comparison_that_the_clock_cut_off_says_how_many_seconds_it_needs():
    """The end was reached, the second solve was not: four times the seconds are enough as a rule."""
    report = replace(
        told(tolerance=1e-6, method="lines", time=(0.0, 1.0)), stopped="max_seconds=60", seconds=60.0
    )
    said = replace(report, status=Status.NOT_ESTIMATED, error_estimate=float("nan"), compared=True).advice
    assert "have taken 60 s so far" in said
    assert "Allow about 4 min (`max_seconds`), or ask for less (`tol`)." in said


def test_an_estimate_that_was_wanted_is_not_said_to_be_left_out():
    report = replace(told(tolerance=1e-6), stopped="max_seconds=60", seconds=61.0, method="lines")
    assert "estimate=False" not in report.advice
    assert "the comparison solve, whose difference is the estimate, did not reach the end" in report.advice
    assert replace(report, stopped="", compared=False).advice.endswith("Leave out `estimate=False`.")
    assert replace(told(), compared=False).advice.endswith("Leave out `estimate=False`.")


@pytest.mark.parametrize(
    ("warning", "remedy"),
    [
        (
            "`boundary` and `initial` contradict each other at x=0, t=0, by 0.5 times their size",
            "make them agree",
        ),
        ("`initial` of `u` jumps (`where`, `heaviside` or `sign`).", "give `tanh((x - a)/w)` in its place"),
    ],
)
def test_what_a_warning_names_is_the_first_thing_to_mend(warning, remedy):
    """Not shocks, blow-up or more seconds where data that jump or contradict each other are known."""
    vanished = {"converged": False, "reason": "at t = 0", "status": Status.STEPS_VANISHED}
    reports = [
        told(vanished, method="lines"),
        told({"residual": 0.2}, method="lines"),
        stopped(0.01, 100, 60.0),
        replace(told(tolerance=1e-6, l2=2.0), stopped="max_seconds=60", seconds=9.0),
    ]
    for report in reports:
        assert remedy not in report.advice
        assert remedy in replace(report, warnings=(warning,)).advice
        assert "blow-up" not in replace(report, warnings=(warning,)).advice


def test_where_errors_grow_more_seconds_are_no_advice():
    """Chaos: two solves that have nothing in common at the end agree for long, and that is what is told."""
    report = replace(told(tolerance=1e-6, l2=2.0, method="lines"), stopped="max_seconds=60", seconds=61.0)
    known = replace(report, early=((1.0, 1e-9), (3.0, 1e-7), (10.0, 2.0)))
    assert "up to t = 3 the tolerance is met" in known.advice
    assert "Allow more" not in known.advice + report.advice


def test_linear_equations_are_not_said_to_blow_up():
    window = {"converged": False, "reason": "they shrank", "status": Status.STEPS_VANISHED}
    beam, burgers = (replace(told(window, method="lines"), linear=linear) for linear in (True, False))
    assert "blow-up" in burgers.advice
    assert "neither blow up nor make shocks" in beam.advice


def test_features_are_not_asked_for_where_the_method_was_chosen():
    assert "features" not in replace(told({"residual": 0.2}), method="lines").advice


def test_what_does_not_balance_is_said_to_be_balanced():
    window = {"converged": False, "reason": "`p`", "status": Status.NO_SOLUTION}
    assert told(window, method="lines").advice.endswith("or give the unknown on a face.")


@pytest.mark.parametrize(("estimate", "tol"), [(1.3e-5, "2e-05"), (9.6e-4, "1e-03"), (2e-3, "2e-03")])
def test_what_was_reached_is_named(estimate, tol):
    report = replace(told(tolerance=1e-6, l2=estimate), method="lines")
    assert f"This solution meets `tol={tol}`." in report.advice


def test_a_face_without_its_condition_comes_before_other_guesses():
    missing = "The face `x+` has one condition, and the equations need 2 there: the solution is not unique."
    report = told({"converged": False, "reason": "steps"}, warnings=("Something else.", missing))
    assert report.advice == f"Not converged: block 1, steps. {missing}"


FACTS = {
    "l2": 1e-5, "linf": 3e-5, "indicators": {"draws": 1e-5, "residual": 1e-7}, "decided_by": "draws", "worst": "v",
    "invariants": {"∫ u": 1e-9}, "warnings": ("beware",), "time": (0.0, 2.0),
}  # fmt: skip


def test_five_lines_say_what_a_user_asks():
    report = told(**FACTS, tolerance=1e-4, parts={"space": "Liquid(features=10)"}, seconds=1.234)
    assert report.lines() == [
        ("status", "tolerance met (tol=0.0001)"),
        ("error", "1.0e-05 of ‖v‖ in L² over space and time, 3.0e-05 of max |v| anywhere (estimates)"),
        ("time", "t = 0 to 1, 50 % of the way to 2"),
        ("seconds", "1.23"),
        ("chosen", "method in space and time: 10 features, fitted to 40 rows, seed 3"),
        ("warning", "beware"),
    ]
    text = str(report).splitlines()
    assert len({line.index(v) for line, (_, v) in zip(text, report.lines(), strict=True)}) == 1
    assert dict(replace(report, time=(0.0, 1.0)).lines())["time"] == "t = 0 to 1, to the end"
    assert "advice" in str(told())
    assert (
        dict(told(l2=math.inf, decided_by="residual").lines())["error"] == "no claim (residual allows none)"
    )


def test_the_details_name_what_decided():
    details = told(**FACTS, parts={"space": "Liquid(features=10)"}).details
    assert details["indicators"] == "draws 1.0e-05, residual 1.0e-07; decided by draws"
    assert details["invariants"] == "∫ u to 1.0e-09"
    assert (details["space"], details["rank"], details["condition"]) == (
        "Liquid(features=10)",
        "9 of 10",
        "1.0e+05",
    )
    assert "growth" not in details
    assert "data seen" in details
    with pytest.raises(KeyError, match="not among the details: method, indicators"):
        details["colour"]


def test_a_report_by_lines_has_nothing_of_the_other_engine():
    """A rank of 156 for 135 features, steps that are called nonlinear, a condition that nobody computes."""
    window = {"columns": 135, "rank": 156, "condition": None}
    report = told(
        window,
        {**window, "updates": (0.0,) * 8},
        **FACTS,
        method="lines",
        parts={"scheme": "Radau, 7 stages"},
    )
    assert (
        dict(report.lines())["chosen"]
        == "method of lines: 156 functions of space, 9 steps in time (Radau, 7 stages), seed 3"
    )
    assert (report.engine.functions, report.engine.features, report.engine.steps) == (156, 135, 9)
    whole = f"{report}\n{report.details}\n{report._repr_html_()}\n{report._repr_latex_()}"
    for word in ("rank", "condition", "nonlinear", "block", "data seen", "rows"):
        assert word not in whole, word


def test_a_degree_that_has_risen_is_told():
    """Waves in the plane get a higher degree where splits of cells would spread: "8 to 9" is no number."""
    parts = {"scheme": "exponentials, 10 nodes", "cells": "60 to 428", "degree": "8 to 9", "changes of cells": "5"}  # fmt: skip
    report = told(**FACTS, method="lines", parts=parts)
    assert (
        dict(report.lines())["chosen"]
        == "method of lines on 60 to 428 cells: polynomials of degree 8 to 9, 1 step in time (exponentials, 10 nodes), seed 3"
    )
    assert "8 to 9" in f"{report.details}"


def test_a_page_shows_the_error_and_folds_the_details():
    page = told(**FACTS, tolerance=1e-6)._repr_html_()
    assert (
        page.index("1.0e-05")
        < page.index("tolerance not met (tol=1e-06)")
        < page.index("is above tol=1.0e-06")
    )
    assert page.index("<details>") < page.index("indicators")
    assert Status.TOLERANCE_NOT_MET.meaning in page
    assert page.count("<div") == page.count("</div>")


def test_a_space_that_could_not_be_finer_is_told_without_a_residual():
    """An infinite residual is a sign and no number; too many conditions are what to look at first."""
    solved = lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-4).report
    coarse = replace(solved, status=Status.NOT_RESOLVED, residual=math.inf, error_estimate=math.inf)
    assert "they could not be made as fine as it asks for. Check the statement first" in coarse.advice
    many = "The two faces of the axis `x` have 2 boundary conditions together; the order of the equations suggests 1. The solution may not exist."
    assert "where more is given than enters, there is no solution" in replace(coarse, warnings=(many,)).advice
    assert "inf" not in coarse.advice


def test_what_grows_is_claimed_up_to_a_time():
    early = ((0.25, 1e-5), (0.5, 4e-4), (0.75, 2e-2), (1.0, 0.8))
    report = told(tolerance=1e-3, l2=0.8, early=early, method="lines")
    assert report.status is Status.TOLERANCE_NOT_MET
    assert (report.met_until, report.error_before(0.3), report.error_before(1.0)) == (0.5, 4e-4, 0.8)
    assert "met from the start up to t = 0.5" in str(report)
    assert "up to t = 0.5" in report.advice
    assert told(tolerance=1e-3, l2=1e-4, early=((1.0, 1e-4),)).met_until == 1.0
    assert math.isnan(told(tolerance=1e-6, l2=0.8, early=early).met_until)
