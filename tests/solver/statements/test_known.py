# SPDX-License-Identifier: MIT
"""What a nearby solve has chosen is taken over: the answer is as good, nothing is believed, and what does not fit is said."""

import numpy as np
import pytest

import lrfm
from lrfm.problem import Box, Problem

# u = sin(3x + p) e^{-t} + q x: with p and q any numbers
EXACT = "sin(3*x + p)*exp(-t) + q*x"
FORCED = f"u_t + u*u_x = 0.1*u_xx - sin(3*x + p)*exp(-t) + ({EXACT})*(3*cos(3*x + p)*exp(-t) + q) + 0.9*sin(3*x + p)*exp(-t)"


def stated(p, q):
    return Problem(
        FORCED,
        domain=Box(x=(-1, 1)),
        time=(0, 1),
        initial="sin(3*x + p) + q*x",
        boundary={"x-": "u = sin(p - 3)*exp(-t) - q", "x+": "u = sin(p + 3)*exp(-t) + q"},
        parameters={"p": p, "q": q},
        reference=EXACT,
    )


def true_error(solution):
    at = {"x": np.linspace(-1, 1, 83)[:, None], "t": np.linspace(0, 1, 17)}
    exact = solution.problem.reference(**at)
    return np.linalg.norm(solution(**at) - exact) / np.linalg.norm(exact)


def test_a_solution_from_a_file_is_a_start(tmp_path):
    path = tmp_path / "near.lrfm"
    lrfm.solve(stated(0.1, 0.2), tol=1e-6).save(path)
    found = lrfm.solve(stated(0.15, 0.2), tol=1e-6, start=lrfm.load(path))
    assert found.report.solved
    assert true_error(found) < 1e-6


def test_what_does_not_fit_is_said():
    problem = lrfm.catalog.heat_1d()
    space_time = lrfm.solve(
        problem, method=lrfm.SpaceTime(space=lrfm.Liquid(features=40)), estimate=False, strict=False
    )
    with pytest.raises(ValueError, match="`start` was solved in space and time"):
        lrfm.solve(problem, method="lines", start=space_time)
    around = Problem(
        "u_t = u_xx", domain=Box(x=(0, 1)), time=(0, 0.1), initial="sin(2*pi*x)", boundary="periodic"
    )
    between = Problem(
        "u_t = u_xx", domain=Box(x=(0, 1)), time=(0, 0.1), initial="sin(2*pi*x)", boundary={"*": "u = 0"}
    )
    with pytest.raises(ValueError, match="on another domain"):
        lrfm.solve(between, start=lrfm.solve(around, tol=1e-3))


def test_without_an_estimate_the_second_draw_has_the_first_ones_charts():
    near = lrfm.solve(stated(0.1, 0.2), tol=None, method="lines", estimate=False)
    found = lrfm.solve(stated(0.1, 0.3), tol=1e-6, start=near)
    assert found.report.solved
    assert true_error(found) < 1e-6
