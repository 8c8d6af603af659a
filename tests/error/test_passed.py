# SPDX-License-Identifier: MIT
"""Rates that are large only while the solution passes a value: no step sees them, and nothing is claimed without them."""

import numpy as np
import pytest

import lrfm

ROD = lrfm.Box(x=(0, 1))


def solved(problem, tol=1e-3):
    return lrfm.solve(problem, tol=tol, max_seconds=5, strict=False)


@pytest.mark.parametrize("width", [1e-5])
@pytest.mark.parametrize(
    "pulse",
    [
        "exp(-((v - 3.14237)/w)**2)",
        "sech((v - 3.14237)/w)**2",
        "1/(1 + ((v - 3.14237)/w)**2)",
        "where(v > 3.14237, 1, 0)*where(v < 3.14237 + w, 1, 0)",
    ],
)
def test_a_resonance_that_is_passed_between_two_steps_is_not_left_out(pulse, width):
    problem = lrfm.Problem(
        ["v_t = 1", f"u_t = {pulse}/w"],
        time=(0, 6),
        initial={"u": 0.1, "v": 0},
        parameters={"w": width},
    )
    solution = solved(problem)
    missed = float(solution["u"](t=6.0)) < 0.6  # u moves by one or more
    assert not (missed and solution.report.error_estimate <= 1e-3)
    if missed:
        assert any("t = 3.142" in text for text in solution.report.warnings)


def test_a_value_at_which_the_solution_would_stay_is_not_left_out():
    """u_t = 1 but for u near 0.7313, where it is 0.002: how long that takes no solution says that has not seen it."""
    problem = lrfm.Problem(
        "u_t = u_xx + 1 - 0.998*exp(-((u - 0.7313)/1e-3)**2)",
        domain=ROD,
        time=(0, 2.5),
        initial="0",
        boundary="u_n = 0",
    )
    solution = solved(problem)
    assert not solution.report.error_estimate <= 1e-3
    assert solution.report.indicators["passed"] == np.inf


@pytest.mark.parametrize(
    "equation",
    [
        "u_t = 0.1*u_xx - u/(0.1 + abs(u))",
        "u_t = 0.1*u_xx - 0.1*sign(u)",
        "u_t = 0.1*u_xx + exp(-((u - 0.4)/0.05)**2)",
        "u_t = diff(exp(-u**2)*u_x, x) + tanh(u/0.1)",
    ],
)
def test_what_steps_have_seen_costs_no_claim(equation):
    problem = lrfm.Problem(equation, domain=ROD, time=(0, 1), initial="sin(pi*x)", boundary="u = 0")
    solution = solved(problem)
    assert solution.report.error_estimate <= 1e-3
    assert solution.report.indicators.get("passed", 0.0) <= 1e-4
