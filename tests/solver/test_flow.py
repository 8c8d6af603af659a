# SPDX-License-Identifier: MIT
"""`lrfm.solve` of velocity and pressure on regions of the plane: exact flows, open ends, forces, claims, refusals."""

import numpy as np
import pytest

import lrfm
from lrfm.problem import ProblemError
from lrfm.rows.plane_steps import PlaneSteps

STOKES = ["u_t + p_x = lap(u)", "v_t + p_y = lap(v)", "u_x + v_y = 0"]
NAVIER = ["u_t + u*u_x + v*u_y = -p_x + nu*lap(u)", "v_t + u*v_x + v*v_y = -p_y + nu*lap(v)", "u_x + v_y = 0"]


def errors(solution, exact):
    """Relative L² errors over space and time by unknown, of a pressure without its mean."""
    points, weights = solution.problem.domain.quadrature(400)
    start, end = solution.problem.time
    nodes, parts = np.polynomial.legendre.leggauss(12)
    found = {}
    for name, function in exact.items():
        gaps, size = 0.0, 0.0
        for t, part in zip(start + 0.5 * (end - start) * (1 + nodes), parts, strict=True):
            wanted = function(*points.T, t) + np.zeros(len(points))
            values = solution[name](x=points[:, 0], y=points[:, 1], t=t)
            if name in solution.report.undetermined:
                wanted, values = (v - weights @ v / weights.sum() for v in (wanted, values))
            gaps, size = gaps + part * (weights @ (values - wanted) ** 2), size + part * (weights @ wanted**2)
        found[name] = float(np.sqrt(gaps / size))
    return found


def test_stokes_flow_on_a_disc():
    """By default on cells, to the tolerance; the force on the rim is that on the fluid, ∮ (∂u/∂n − p n) = −∫ f."""
    u, v, p = "sin(2*x)*cos(2*y)", "-cos(2*x)*sin(2*y)", "exp(x)*(1 + sin(2*y))"
    exact = {
        "u": lambda x, y, t: np.sin(2 * x) * np.cos(2 * y),
        "v": lambda x, y, t: -np.cos(2 * x) * np.sin(2 * y),
        "p": lambda x, y, t: np.exp(x) * (1 + np.sin(2 * y)),
    }
    problem = lrfm.Problem(
        [
            f"u_t + p_x = lap(u) + 8*{u} + {p}",
            f"v_t + p_y = lap(v) + 8*({v}) + 2*exp(x)*cos(2*y)",
            "u_x + v_y = 0",
        ],
        domain=lrfm.Disk(),
        time=(0, 1),
        initial={"u": u, "v": v},
        boundary=[f"u = {u}", f"v = {v}"],
    )
    solution = lrfm.solve(problem, tol=1e-3)
    report = solution.report
    assert isinstance(solution.pieces[0], PlaneSteps)
    assert report.undetermined == ("p",)
    found = errors(solution, exact)
    assert max(found.values()) <= report.error_estimate <= 1e-3
    points, weights = problem.domain.quadrature(400)
    force = weights @ (8 * exact["u"](*points.T, 0) + exact["p"](*points.T, 0))
    assert solution.flux("disk", "u_n - p*x")(t=0.8) == pytest.approx(-force, rel=1e-3)


def test_an_open_end_of_a_channel():
    """Poiseuille's flow: u = 4y(1 − y), p = 8ν(2 − x) satisfies ν ∂u/∂n = p n at the end, and the pressure is known with its constant.

    The box has a name, which is not in those of its faces as long as it is alone: its conditions were lost on cells. At the end p is zero, and the rounding of that contradicts nothing.
    """
    problem = lrfm.Problem(
        NAVIER,
        domain=lrfm.Box(x=(0, 2), y=(0, 1), name="channel"),
        time=(0, 0.1),
        initial={"u": "4*y*(1 - y)", "v": "0"},
        boundary={"x-": ["u = 4*y*(1 - y)", "v = 0"], "x+": "outflow", "*": ["u = 0", "v = 0"]},
        parameters={"nu": 0.1},
    )
    solution = lrfm.solve(problem, tol=1e-2, method=lrfm.Lines(space="cells"))
    assert solution.report.undetermined == () == solution.report.warnings
    x, y = np.meshgrid(np.linspace(0.1, 1.9, 7), np.linspace(0.1, 0.9, 5))
    assert np.abs(solution["u"](x=x, y=y, t=0.07) - 4 * y * (1 - y)).max() < 1e-6
    assert np.abs(solution["p"](x=x, y=y, t=0.07) - 0.8 * (2 - x)).max() < 1e-5
    assert solution.flux("x+", "u")(t=0.05) == pytest.approx(2 / 3, abs=1e-6)


@pytest.mark.thorough  # cells that a rim cuts: Stokes' flow on a disc; the terms that are not linear: the open end
def test_taylor_and_green_around_a_hole():
    nu, k = 0.05, np.pi
    decay = lambda t: np.exp(-2 * nu * k * k * t)  # noqa: E731
    exact = {
        "u": lambda x, y, t: -np.cos(k * x) * np.sin(k * y) * decay(t),
        "v": lambda x, y, t: np.sin(k * x) * np.cos(k * y) * decay(t),
        "p": lambda x, y, t: -0.25 * (np.cos(2 * k * x) + np.cos(2 * k * y)) * decay(t) ** 2,
    }
    rim = ["u = -cos(pi*x)*sin(pi*y)*exp(-2*nu*pi**2*t)", "v = sin(pi*x)*cos(pi*y)*exp(-2*nu*pi**2*t)"]
    problem = lrfm.Problem(
        NAVIER,
        domain=lrfm.Box(x=(0, 1), y=(0, 1)) - lrfm.Disk(center=(0.45, 0.55), radius=0.2, name="hole"),
        time=(0, 0.2),
        initial={n: lambda x, y, f=exact[n]: f(x, y, 0.0) for n in "uv"},
        boundary={"*": rim},
        parameters={"nu": nu},
        check_corners=False,
    )
    solution = lrfm.solve(problem, tol=1e-2)
    found = errors(solution, exact)
    assert max(found.values()) <= solution.report.error_estimate <= 1e-2


def test_inflow_and_outflow_have_to_balance_on_any_domain():
    problem = lrfm.Problem(
        STOKES,
        domain=lrfm.Annulus(radii=(0.5, 1)),
        time=(0, 0.1),
        initial={"u": "x", "v": "y"},
        boundary={"inner": ["u = x", "v = y"], "outer": ["u = x", "v = y"]},
    )
    with pytest.raises(ProblemError, match=r"is 4\.71 at t = 0.*There is no solution"):  # 2π − π/2
        lrfm.solve(problem, tol=1e-3)
