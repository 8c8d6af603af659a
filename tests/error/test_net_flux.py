# SPDX-License-Identifier: MIT
"""What flows into an enclosed, incompressible flow flows out of it again, or there is no solution."""

from functools import partial

import pytest

import lrfm
from lrfm.error.balance import net_flux
from lrfm.problem import Box, Problem, ProblemError

PLANE = Box(x=(0, 2), y=(0, 1))
STOKES = ["u_t + p_x = lap(u)", "v_t + p_y = lap(v)"]


def flow(inlet, outlet, wall="0", divergence="u_x + v_y = 0", initial="0"):
    """Stokes' equations in a channel: a profile at each end, walls that may blow."""
    boundary = {
        "x-": [f"u = {inlet}", "v = 0"],
        "x+": [f"u = {outlet}", "v = 0"],
        "y-": ["u = 0", f"v = {wall}"],
        "y+": ["u = 0", "v = 0"],
    }
    return Problem(
        [*STOKES, divergence],
        domain=PLANE,
        time=(0, 0.1),
        initial={"u": initial, "v": "0"},
        boundary=boundary,
        check_corners=False,
    )


@pytest.mark.parametrize(
    ("problem", "net"),
    [
        (partial(flow, "y*(1 - y)*t", "0"), -1 / 60),  # ∫ y(1 − y) dy = 1/6, largest at t = 0.1
        (partial(flow, "y*(1 - y)", "y*(1 - y)", wall="0.1*x*(2 - x)"), -0.1 * 4 / 3),
        (partial(flow, "0", "0", divergence="u_x + v_y = x*y"), -1.0),  # ∫∫ xy = 1
        (partial(flow, "0", "y*(1 - y)", divergence="2*u_x + v_y = 0"), 1 / 3),
    ],
    ids=["inlet", "wall", "source", "factor"],
)
def test_the_integral_is_that_of_the_data(problem, net):
    problem = problem()  # made when it is tried
    found = net_flux(problem, 1e-6)
    assert found is not None
    if problem.boundary["x-"][0].endswith("*t"):
        assert found.time == pytest.approx(0.0125)  # the first of the times that are looked at with a flow
        net *= found.time / 0.1
    assert found.net == pytest.approx(net, rel=1e-9)


def test_a_solve_is_refused_with_the_integral():
    with pytest.raises(
        ProblemError, match=r"is -0\.167 at t = 0, where 0\.167 flow in all\. There is no solution"
    ):
        lrfm.solve(flow("y*(1 - y)", "0"), tol=1e-3)


@pytest.mark.parametrize(
    "problem",
    [
        partial(flow, "y*(1 - y)", "y*(1 - y)"),
        partial(flow, "y*(1 - y)", "y*(1 - y) + 0.5", divergence="u_x + v_y = 0.25"),
        partial(flow, "where(abs(y - 0.5) < 0.25, 1, 0)", "0.5"),  # a jump, known to an error of the rule
        partial(flow, "y*(1 - y)", "y*(1 - y) + 1e-5"),  # within ten tolerances
    ],
    ids=["through", "source", "jump", "nearly"],
)
def test_what_balances_is_not_refused(problem):
    assert net_flux(problem(), 1e-4) is None


def test_an_open_face_takes_what_comes():
    """Where the pressure is given instead of the velocity along the normal, anything flows out."""
    problem = flow("y*(1 - y)", "0")
    faces = {**problem.boundary, "x+": ["p = 0", "v = 0"]}
    assert net_flux(problem.replace(boundary=faces), 1e-6) is None


def test_other_rows_are_not_looked_at():
    """u_x = w is no balance of what is given, and neither is an equation that contains a rate."""
    problem = Problem(
        ["u_t = u_xx", "w_x = u"],
        domain=Box(x=(0, 1)),
        time=(0, 0.1),
        initial={"u": "sin(pi*x)"},
        boundary={"x-": ["u = 0", "w = 0"], "x+": "u = 0"},
    )
    assert net_flux(problem, 1e-6) is None
