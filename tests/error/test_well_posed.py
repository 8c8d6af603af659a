# SPDX-License-Identifier: MIT
"""Ill-posed statements are refused, well-posed ones are not, and nothing is claimed where a face lacks a condition."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lrfm
from lrfm.error.well_posed import doubts, ill_posed, missing_conditions
from lrfm.problem import Box, Problem, ProblemError

LINE, SQUARE = Box(x=(0, 1)), Box(x=(0, 1), y=(0, 1))
STILL = {"u": 0, "u_t": 0}


def stated(equation, **more) -> Problem:
    return Problem(equation, **{"domain": LINE, "time": (0, 1), "initial": 0, "boundary": "periodic", **more})


def flow(carried: str, viscosity: str) -> list[str]:
    """Velocity and pressure; the same terms carry both components."""
    other = carried.replace("u_x", "v_x").replace("u_y", "v_y")
    return [
        f"u_t + {carried} = -p_x + {viscosity}*lap(u)",
        f"v_t + {other} = -p_y + {viscosity}*lap(v)",
        "u_x + v_y = 0",
    ]


COMPLEX, REST = {"unknowns": {"psi": complex}}, {"u": 0, "v": 0}
ILL = {
    "backward heat": stated("u_t = -u_xx", boundary="u = 0"),
    "elliptic in time": stated("u_tt = -u_xx", initial=STILL),
    "elliptic system": stated(["u_t = v", "v_t = -u_xx"], initial={"u": 0, "v": 0}),
    "Cauchy-Riemann": stated(["u_t = v_x", "v_t = -u_x"], initial={"u": 0, "v": 0}),
    "mixed derivative": stated("u_t = 0.05*(u_xx + 4*u_xy + u_yy)", domain=SQUARE),
    "narrow cone": stated("u_t = u_xx + 2.02*u_xy + u_yy", domain=SQUARE),
    "wave with a mixed derivative": stated("u_tt = u_xx + 3*u_xy + u_yy", domain=SQUARE, initial=STILL),
    "a spot of the wrong sign": stated(
        "u_t = diff((1 - 1.5*exp(-((x - 0.3)/1e-3)**2))*u_x, x)", boundary="u_n = 0"
    ),
    "the wrong sign beside a wall": stated("u_t = (x - 0.01)*u_xx", boundary="u_n = 0"),
    "backward in one place": stated("u_t = (x - 0.3)*u_xx", boundary="u = 0"),
    "dispersion against diffusion": stated("u_t = -u_xxx - 0.1*u_xx"),
    "a loop with gain": stated("1j*psi_t = -psi_xx + psi_x", **COMPLEX),
    "a front that sharpens": stated("u_t + u*u_x = -0.01*u_xx", boundary="u = 0"),
    "Stokes, a viscosity below zero": stated(flow("0", "-0.1"), domain=SQUARE, initial=REST),
    "a flow with a viscosity below zero": stated(flow("u*u_x + v*u_y", "-0.1"), domain=SQUARE, initial=REST),
    "air with a conductivity below zero": stated(
        [*flow("u*u_x + v*u_y", "0.1"), "T_t + u*T_x + v*T_y = -0.1*lap(T)"],
        domain=SQUARE,
        initial={**REST, "T": 0},
    ),
}
WELL = {
    "beam": stated("u_tt + diff(diff((1 + 0.5*sin(2*pi*x))*u, x, x), x, x) = 0", initial=STILL),
    "supported beam": stated(
        "u_tt + diff((1 + 0.5*x)*u_xx, x, x) = 0", initial=STILL, boundary=["u = 0", "u_xx = 0"]
    ),
    "plate": stated(
        "u_tt + lap((1 + 0.5*x*y)*lap(u)) = 0", domain=SQUARE, initial=STILL, boundary=["u = 0", "lap(u) = 0"]
    ),
    "mass": stated("1j*psi_t = -diff((1 + 0.5*x)*psi_x, x)", boundary="psi = 0", **COMPLEX),
    "mass around": stated("1j*psi_t = -diff((1 + 0.5*sin(2*pi*x))*psi_x, x)", **COMPLEX),
    "dispersion": stated("u_t = -diff((1 + 0.5*sin(2*pi*x))*u_xx, x)"),
    "mixed derivative": stated("u_t = u_xx + 1.9*u_xy + u_yy", domain=SQUARE),
    "acoustics": stated(
        ["p_t = -u_x - v_y", "u_t = -p_x", "v_t = -p_y"], domain=SQUARE, initial={"p": 0, "u": 0, "v": 0}
    ),
    "fourth against second": stated("u_t = -u_xx - u_xxxx"),
    "a flow": stated(flow("u*u_x + v*u_y", "0.1"), domain=SQUARE, initial=REST),
    "a flow without friction": stated(flow("u*u_x + v*u_y", "0"), domain=SQUARE, initial=REST),
    "fourth against second, not linear": stated("u_t + u*u_x = -u_xx - u_xxxx"),
    "growth at every length": stated("u_t = 300*u"),
    "kinetics beside diffusion": stated(["u_t = u_xx + v", "v_t = 300*v"], initial={"u": 0, "v": 0}),
    "ordinary": Problem(["x_t = 300*x + y", "y_t = x"], time=(0, 1), initial={"x": 1, "y": 0}),
}


@pytest.mark.parametrize("name", ILL)
def test_ill_posed_statements_are_refused_with_a_way_around(name):
    with pytest.raises(ProblemError, match="accept_ill_posed"):
        lrfm.solve(ILL[name])


@pytest.mark.parametrize("name", WELL)
def test_well_posed_statements_are_not(name):
    assert ill_posed(WELL[name]) == ""


@pytest.mark.parametrize("seed", range(6))
def test_a_quadratic_form_is_judged_by_its_eigenvalues(seed):
    a, b, c = np.random.default_rng(seed).normal(size=3)
    problem = stated(f"u_t = {a}*u_xx + {b}*u_xy + {c}*u_yy", domain=SQUARE)
    assert bool(ill_posed(problem)) == (np.linalg.eigvalsh([[a, b / 2], [b / 2, c]])[0] < 0)


def test_who_knows_better_is_solved_and_warned():
    exact = lambda x, t: np.exp(0.01 * np.pi**2 * t) * np.sin(np.pi * x)  # noqa: E731
    problem = stated(
        "u_t = -0.01*u_xx", initial="sin(pi*x)", boundary="u = 0", reference=exact, time=(0, 0.1)
    )
    solution = lrfm.solve(problem, tol=1e-3, accept_ill_posed=True, strict=False)
    assert any("accept_ill_posed" in text for text in solution.report.warnings)
    assert solution.report.status != "ill-posed"


FACES = {
    "inflow": ("u_t + u_x = 0", {"x-": "u = 0", "x+": None}, None),
    "inflow missing": ("u_t + u_x = 0", {"x-": None, "x+": None}, ("x-", 0, 1)),
    "condition at the outflow": ("u_t + u_x = 0", {"x-": None, "x+": "u = 0"}, ("x-", 0, 1)),
    "flow that turns": ("u_t + cos(4*t)*u_x = 0", {"x-": "u = 0", "x+": None}, ("x+", 0, 1)),
    "heat": ("u_t = u_xx", {"x-": "u = 0", "x+": None}, ("x+", 0, 1)),
    "KdV": ("u_t + u_xxx = 0", {"x-": "u = 0", "x+": ["u = 0", "u_x = 0"]}, None),
    "KdV from the wrong side": ("u_t + u_xxx = 0", {"x-": ["u = 0", "u_x = 0"], "x+": "u = 0"}, ("x+", 1, 2)),
    "degenerate end": ("u_t = diff(x*u_x, x)", {"x-": None, "x+": "u = 0"}, None),
}


@pytest.mark.parametrize("name", FACES)
def test_conditions_are_counted_by_what_enters(name):
    equation, boundary, expected = FACES[name]
    found = missing_conditions(stated(equation, boundary=boundary), None)
    assert (found and tuple(found)) == expected


STOKES = ["u_t + p_x = lap(u)", "v_t + p_y = lap(v)", "u_x + v_y = 0"]
SOUND = ["u_t + p_x = 0", "v_t + p_y = 0", "p_t + u_x + v_y = 0"]
WALLS = {"*": ["u = 0", "v = 0"]}
PARTS = {
    "inflow": ("u_t + u_x = 0", {"*": "u = 0"}, None),
    "inflow missing": ("u_t + u_x = 0", {"rim": "u = 0", "hole": None}, ("hole", 0, 1)),
    "all flows along": ("u_t - y*u_x + x*u_y = 0", {"rim": None, "hole": None}, None),
    "all flows out": (
        "u_t + (1 - 2*exp(-4*r2))*(x*u_x + y*u_y) = 0".replace("r2", "(x**2 + y**2)"),
        {"*": None},
        None,
    ),
    "heat": ("u_t = lap(u)", {"rim": "u_n = 0", "hole": None}, ("hole", 0, 1)),
    "a plate": ("u_tt + lap(lap(u)) = 0", {"rim": ["u = 0", "u_n = 0"], "hole": "u = 0"}, ("hole", 1, 2)),
    "sound": (SOUND, {"rim": "p = 0", "hole": None}, ("hole", 0, 1)),
    "a flow without an inlet": (STOKES, {"hole": None, **WALLS}, ("hole", 0, 1)),
    "a flow with an open end": (STOKES, {"hole": "outflow", **WALLS}, None),
}


@pytest.mark.parametrize("name", PARTS)
def test_on_other_shapes_they_are_counted_along_normals(name):
    """What flows along a part of the boundary, or out of it, needs nothing there."""
    equation, boundary, expected = PARTS[name]
    found = missing_conditions(
        lrfm.Problem(
            equation,
            domain=lrfm.Disk(name="rim") - lrfm.Disk(radius=0.3, name="hole"),
            time=(0, 1),
            initial={"u": "0", "u_t": "0"}
            if "_tt" in equation
            else dict.fromkeys("uvp", "0")
            if equation is SOUND
            else dict.fromkeys("uv", "0")
            if equation is STOKES
            else "0",
            boundary=boundary,
        ),
        None,
    )
    assert (found and tuple(found)) == expected


@pytest.mark.parametrize(
    "method", ["lines", lrfm.SpaceTime(max_features=60, blocks=1)], ids=["lines", "space-time"]
)
def test_nothing_is_claimed_beside_too_few_conditions(method):
    problem = stated("u_t + u_x = 0", initial="sin(pi*x)", boundary={"x-": None, "x+": None}, time=(0, 0.3))
    report = lrfm.solve(problem, tol=1e-2, method=method, strict=False).report
    assert report.status == "not unique"
    assert math.isinf(report.error_estimate)
    assert "x-" in report.advice
    assert not report.solved


def test_a_nonlinear_flow_is_counted_at_its_solution():
    rightward = stated(
        "u_t + u*u_x = 0", initial="1 + 0.1*sin(pi*x)", boundary={"x-": "u = 1", "x+": None}, time=(0, 0.2)
    )
    assert lrfm.solve(rightward, tol=1e-2, strict=False).report.status != "not unique"
    viscous = rightward.replace(equation="u_t + u*u_x = 0.05*u_xx")
    assert lrfm.solve(viscous, tol=1e-2, strict=False).report.status == "not unique"


def test_check_tells_it_before_anything_is_solved():
    assert "accept-ill-posed" in doubts(ILL["backward heat"])[0]
    assert doubts(WELL["beam"]) == []


@pytest.mark.parametrize("equation", ["u_t = u_xx", "u_tt = u_xx"])
def test_one_condition_too_many_is_not_claimed(equation):
    """Series met u = 0 and u_x = 1 at one end by a layer of their last modes, and claimed 6.8e-4 and 9.0e-4 of statements without a solution."""
    statement = Problem(
        equation, domain=Box(x=(0, 1)), time=(0, 0.1), boundary={"x-": ["u = 0", "u_x = 1"], "x+": "u = 0"},
        initial={"u": "x*(1 - x)"} | ({"u_t": "0"} if "tt" in equation else {}),
    )  # fmt: skip
    assert any("may not exist" in warning for warning in statement.warnings)
    for space in ("series", "cells"):
        with pytest.raises(ValueError, match="ask for 2 conditions"):
            lrfm.solve(statement, tol=1e-3, method=lrfm.Lines(space=space))
    solution = lrfm.solve(statement, tol=1e-3, max_seconds=2, strict=False)
    assert solution.report.status is not lrfm.Status.TOLERANCE_MET


def test_ordinary_equations_with_coefficients_in_time_are_looked_at_without_space():
    """x' = −t x: a statement without axes has no faces at which its coefficients could be thin; it ended in a ValueError of NumPy."""
    solution = lrfm.solve(lrfm.Problem("x_t = -t*x", time=(0, 1), initial=1), tol=1e-8)
    assert abs(solution(t=1.0) - np.exp(-0.5)) < 1e-8
