# SPDX-License-Identifier: MIT
"""Formulas of data that are 0/0 at a place: their limits where there are some, a sentence where there are none."""

import numpy as np
import pytest

import lrfm


@pytest.mark.parametrize(
    ("formula", "limit"),
    [("sin(pi*x)/x", np.pi), ("(1 - cos(x))/x**2", 0.5), ("x*log(x)", 0.0), ("(exp(2*x) - 1)/x", 2.0)],
)
def test_what_is_zero_over_zero_has_its_limit(formula, limit):
    problem = lrfm.Problem(
        "u_t = u_xx",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 1),
        initial=formula,
        boundary={"*": None},
        verify=False,
    )
    (found, _) = problem.initial_data["u", 0](np.array([[0.0, 0.0], [0.5, 0.0]]))
    assert abs(found - limit) < 1e-5


@pytest.mark.parametrize("formula", ["sin(x)/x**2", "1/x", "log(x)", "abs(x - 0.5)/(x - 0.5)"])
def test_what_has_no_limit_is_refused(formula):
    with pytest.raises(lrfm.ProblemError, match="is not finite at"):
        lrfm.Problem(
            "u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 1), initial=formula, boundary={"*": "u_n = 0"}
        )


def test_a_ball_from_a_formula_with_a_limit_at_its_center():
    """u = exp(−π² t) sin(πr)/r."""
    problem = lrfm.Problem(
        "u_t = u_rr + 2*u_r/r",
        domain=lrfm.Box(r=(0, 1)),
        time=(0, 0.2),
        initial="sin(pi*r)/r",
        boundary={"r-": "u_n = 0", "r+": "u = 0"},
    )
    solution, r = lrfm.solve(problem, tol=1e-6), np.linspace(0.01, 1, 40)
    exact = np.exp(-(np.pi**2) * 0.2) * np.sin(np.pi * r) / r
    assert np.max(np.abs(solution(r=r, t=0.2) - exact)) < 1e-6
