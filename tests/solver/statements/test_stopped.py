# SPDX-License-Identifier: MIT
"""Which limit ended the attempts by lines: the clock only where one more pair of draws could have helped."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import lrfm
from lrfm.solution.status import Status
from lrfm.solver.budget import Budget, OutOfTime


def test_the_advice_names_one_thing():
    report = lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-4).report
    missed = replace(report, status=Status.TOLERANCE_NOT_MET, error_estimate=1e-3)
    # What is there, and how long more takes; seconds that were not measured say nothing.
    slow = replace(missed, stopped="max_seconds=3", seconds=3.0)
    assert slow.advice.endswith(
        "meets `tol=1e-03`. Allow about 12 s (`max_seconds`) for a stricter one, or ask for less (`tol`)."
    )
    assert replace(slow, seconds=0.0).advice.endswith("Allow more seconds (`max_seconds`).")
    pole = "The equation: a coefficient or source in it grows without bound at x=0.8, inside the domain."
    assert "More seconds will not help" in replace(slow, warnings=(pole,)).advice
    assert "This solution meets `tol=1e-03`." in missed.advice
    assert (
        "Two solves differ by as much as the solution itself"
        in replace(missed, error_estimate=2.0, early=()).advice
    )
    other = replace(missed, method="space-time", stopped="max_features=100")
    assert other.advice.endswith("Allow more features (`max_features`).")


def test_an_estimate_that_the_clock_breaks_off_is_no_claim(monkeypatch):
    def out(budget):
        raise OutOfTime

    monkeypatch.setattr(Budget, "end", out)
    solution = lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-3, method="lines", strict=False)
    assert math.isnan(solution.report.error_estimate)
    assert solution.report.status != "tolerance met"
    assert solution(x=0.0, t=0.0) == pytest.approx(0, abs=1e-3)


def test_a_solution_that_ends_is_said_to_end_there():
    # u = u₀/(1 - u₀ t) grows without bound at t = 1/u₀; with u₀ = 1 + 0.1 cos πx and little diffusion a little later than 1/1.1.
    problem = lrfm.Problem(
        "u_t = 0.01*u_xx + u**2",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 2),
        initial="1 + 0.1*cos(pi*x)",
        boundary="u_n = 0",
    )
    report = lrfm.solve(problem, tol=1e-3, strict=False).report
    assert report.status is Status.STEPS_VANISHED
    assert 1 / 1.1 < report.block_reports[-1].window[1] < 1
    assert report.reason.endswith(f"at t = {report.block_reports[-1].window[1]:.6g}")
    assert report.advice.count("shrank") == 1
    assert "blow-up" in report.advice
    assert "max_seconds" not in report.advice


def test_the_limit_is_the_one_that_was_given(monkeypatch):
    """The method in space and time has what is left of `max_seconds`, a number that nobody gave."""
    monkeypatch.setattr(Budget, "spent", property(lambda budget: 3.411))
    whole = Budget(100, 20.0)
    rest = whole.rest()
    assert rest.seconds == pytest.approx(16.589)
    assert rest.rest().spell("max_seconds") == rest.spell("max_seconds") == "max_seconds=20"
    assert rest.spell("max_features") == "max_features=100"
    assert Budget(100, 2.0).rest().seconds == 1.0
    assert Budget(100).rest().seconds == math.inf
