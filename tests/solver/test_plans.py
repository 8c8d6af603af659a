# SPDX-License-Identifier: MIT
"""What a solve will take, foretold by a trial of it."""

import pytest

import lrfm

PLANNED = lrfm.Problem(
    "u_t = lap(u) + 1",
    domain=lrfm.Disk(name="rim"),
    time=(0, 0.1),
    initial="x**2 + y",
    boundary={"rim": "u = x**2 + y + 3*t"},
)


def test_a_region_is_planned_from_its_steps():
    plan, report = lrfm.plan(PLANNED, tol=1e-4), lrfm.solve(PLANNED, tol=1e-4).report
    assert plan.method == report.method == "lines"
    assert report.features / 3 <= plan.columns <= 3 * report.features
    assert plan.seconds > 0


def test_a_plan_without_a_step_says_so(monkeypatch):
    monkeypatch.setattr("lrfm.solver.api.BEGINNING", 0.0)
    monkeypatch.setattr("lrfm.solver.budget.SHORTEST", 0.0)
    with pytest.raises(ValueError, match="nothing can be told"):
        lrfm.plan(PLANNED)
