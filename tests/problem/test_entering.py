# SPDX-License-Identifier: MIT
"""Conditions are counted by what enters through a face; a warning is given where they are too few or too many."""

import pytest

import lrfm
from lrfm.problem import Box, Problem
from lrfm.problem.checks import Contradiction

BASIN = Box(x=(0, 1), y=(0, 1))
SHALLOW = [
    "h_t + diff(h*u, x) + diff(h*v, y) = 0",
    "u_t + u*u_x + v*u_y + 9.81*h_x = 0",
    "v_t + u*v_x + v*v_y + 9.81*h_y = 0",
]
WALLS = {"x-": "u = 0", "x+": "u = 0", "y-": "v = 0", "y+": "v = 0"}


def basin(**boundary):
    return Problem(
        SHALLOW,
        domain=BASIN,
        time=(0, 0.05),
        initial={"h": "1 + 0.1*cos(pi*x)*cos(pi*y)", "u": "0", "v": "0"},
        boundary={**WALLS, **boundary},
    )


def counted(problem):
    """Warnings on the number of conditions."""
    return [text for text in problem.warnings if "suggests" in text]


def test_shallow_water_between_walls_has_all_it_needs():
    """Three waves inside along x, and one of them stands still at a wall: one condition on each, not three on both."""
    assert basin().warnings == ()


def test_shallow_water_in_a_basin_with_conserved_momenta_has_all_it_needs():
    water = [
        "h_t + diff(h*u, x) + diff(h*v, y) = 0",
        "diff(h*u, t) + diff(h*u**2 + h**2/2, x) + diff(h*u*v, y) = 0",
        "diff(h*v, t) + diff(h*u*v, x) + diff(h*v**2 + h**2/2, y) = 0",
    ]
    basin = Problem(
        water,
        domain=Box(x=(-1, 1), y=(-1, 1)),
        time=(0, 1),
        initial={"h": "where(x**2 + y**2 < 0.2, 2, 1)", "u": "0", "v": "0"},
        boundary={"x": "u = 0", "y": "v = 0"},
    )
    assert not [text for text in basin.warnings if "suggests" in text]


@pytest.mark.parametrize("inflow", ["u = 0.3", "u = 0.3*sin(100*t)"])
def test_an_inflow_without_what_it_carries_is_noticed(inflow):
    """v enters with the water, from the start or later, and nothing says what it is."""
    (warning,) = counted(basin(**{"x-": inflow}))
    assert "`x` have 2 boundary conditions together; the order of the equations suggests 3" in warning


def test_an_inflow_with_what_it_carries_is_not():
    assert counted(basin(**{"x-": ["u = 0.3", "v = 0"]})) == []


def test_a_wall_with_one_condition_too_many_is_noticed():
    (warning,) = counted(basin(**{"x-": ["u = 0", "v = 0"], "x+": ["u = 0", "v = 0"]}))
    assert "may not exist" in warning


def gaussian(width):
    return Problem(
        "u_t = u_xx",
        domain=Box(x=(0, 1)),
        time=(0, 0.1),
        initial=f"exp(-((x - 0.5)/{width})**2)",
        boundary="u = 0",
    )


def test_a_contradiction_far_below_the_tolerance_is_no_warning_of_a_solution():
    """e^{−(0.5/0.118)²} = 1.6e-8 at both walls, which is said once."""
    problem = gaussian(0.118)
    assert [type(text) for text in problem.warnings] == [Contradiction]
    assert problem.warnings[0].size == pytest.approx(1.6e-8, rel=0.1)
    assert lrfm.solve(problem, tol=1e-3).report.warnings == ()
    assert len(lrfm.solve(problem, tol=1e-7).report.warnings) == 1


def test_no_sentence_is_said_twice():
    problem = Problem(
        "u_t = u_xx",
        domain=Box(x=(0, 1)),
        time=(0, 0.1),
        initial="1",
        boundary={"x-": "u = 0", "x+": "u = 1"},
    )
    report = lrfm.solve(problem, tol=1e-2).report
    assert len(report.warnings) == len(set(report.warnings)) == 1
