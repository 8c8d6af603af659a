# SPDX-License-Identifier: MIT
"""What nothing diffuses on regions that are no boxes: a slope is held by nothing, and a jump is followed in boxes alone; a value where something comes in is a condition."""

import math

import pytest

import lrfm

CARRIED = {"domain": lrfm.Disk(name="rim"), "time": (0, 0.5)}


def test_a_slope_of_what_is_carried_is_refused():
    """u_t + u_x = 0 has no flux through the boundary but u itself: with u_n = 0 at the inflow it was claimed as if nothing were given there."""
    problem = lrfm.Problem("u_t + u_x = 0", initial="sin(3*x)", boundary="u_n = 0", **CARRIED)
    with pytest.raises(lrfm.ProblemError, match=r"holds slopes of `u`.*`rim`.*Give a value"):
        lrfm.solve(problem, tol=1e-2)


def test_a_shock_on_a_disc_is_refused_at_once():
    problem = lrfm.Problem("u_t + u*u_x = 0", initial="where(x < 0, 1, 0)", boundary="u = 0", **CARRIED)
    with pytest.raises(lrfm.ProblemError, match=r"no box.*add what smooths"):
        lrfm.solve(problem, tol=1e-2)


def test_a_value_where_something_comes_in_is_a_condition():
    given = "sin(3*(x - t))"
    problem = lrfm.Problem("u_t + u_x = 0", initial="sin(3*x)", boundary=f"u = {given}", **CARRIED)
    solution = lrfm.solve(problem, tol=1e-2)
    error = abs(solution(x=-0.6, y=0.1, t=0.5) - math.sin(3 * (-0.6 - 0.5)))
    assert solution.report.solved
    assert error < 1e-2
