# SPDX-License-Identifier: MIT
"""Steady flows and elastic bodies in the plane: exact solutions, claims that hold, forces with their errors."""

import numpy as np
import pytest

import lrfm

FLOW = ["u*u_x + v*u_y = -p_x + nu*lap(u)", "u*v_x + v*v_y = -p_y + nu*lap(v)", "u_x + v_y = 0"]
ELASTIC = ["(lam + mu)*(u_xx + v_xy) + mu*lap(u) = 0", "(lam + mu)*(u_xy + v_yy) + mu*lap(v) = 0"]
SXX, SYY, SXY = "((lam + 2*mu)*u_x + lam*v_y)", "((lam + 2*mu)*v_y + lam*u_x)", "mu*(u_y + v_x)"
WALL = ["u = 0", "v = 0"]


def gaps(solution, exact):
    """Relative L² errors, without the mean of what is known up to a constant."""
    (points, w), found = solution.problem.domain.quadrature(500), {}
    for name, f in exact.items():
        values = [f(*points.T) + 0 * points[:, 0], solution[name](x=points[:, 0], y=points[:, 1])]
        if name in solution.report.undetermined:
            values = [v - w @ v / w.sum() for v in values]
        found[name] = np.sqrt(w @ (values[0] - values[1]) ** 2 / (w @ values[0] ** 2))
    return found


def test_a_flow_between_two_turning_cylinders():
    """Couette's flow, ω = A + B/r², with inertia: p′ = r ω². The torque is −4πνB on the outer wall, and told with an error."""
    a, b = 4 / 3, -1 / 3  # ω = 1 at r = 1, zero at r = 1/2
    domain = lrfm.Disk(radius=1, name="outer") - lrfm.Disk(radius=0.5, name="inner")
    flow = lrfm.Problem(
        FLOW, domain=domain, boundary={"outer": ["u = -y", "v = x"], "inner": WALL}, parameters={"nu": 0.1}
    )
    solution = lrfm.steady(flow, tol=0.1)

    def pressure(x, y):
        r = np.hypot(x, y)
        return a**2 * r**2 / 2 + 2 * a * b * np.log(r) - b**2 / (2 * r**2)

    exact = {"u": lambda x, y: -y * (a + b / (x**2 + y**2)), "p": pressure}
    assert max(gaps(solution, exact).values()) <= solution.report.error_estimate <= 0.1
    assert solution.report.undetermined == ("p",)
    torque = solution.flux("outer", "nu*(x*v_n - y*u_n) - nu*(x*v - y*u)")
    wrong = torque() + 4 * np.pi * 0.1 * b
    assert abs(wrong) < 0.01
    assert abs(wrong + torque.error) < abs(wrong)  # what the comparison says is nearer to the truth
    momentum = solution.integral("x*v - y*u")
    assert np.isclose(
        momentum + momentum.error, 2 * np.pi * (a * (1 - 1 / 16) / 4 + b * (1 - 1 / 4) / 2), rtol=1e-4
    )


def test_a_hole_in_a_plate_that_is_pulled():
    """Kirsch's plate under a stress of one from all sides: σ = 2 around the hole; displacements (1/(2μ)) ((1 − 2ν) r + 1/r) along r."""
    ratio = 0.3
    lame = {"mu": 0.5 / (1 + ratio), "lam": ratio / ((1 + ratio) * (1 - 2 * ratio))}
    ring = (
        "(1 + (y**2 - x**2)/(x**2 + y**2)**2)",
        "(1 + (x**2 - y**2)/(x**2 + y**2)**2)",
        "(-2*x*y/(x**2 + y**2)**2)",
    )
    plate = lrfm.Problem(
        ELASTIC,
        domain=lrfm.Box(x=(0, 3), y=(0, 3), name="plate") - lrfm.Disk(radius=1, name="hole"),
        boundary={
            "plate.x-": ["u = 0", f"{SXY} = 0"],
            "plate.y-": ["v = 0", f"{SXY} = 0"],
            "plate.x+": [f"{SXX} = {ring[0]}", f"{SXY} = {ring[2]}"],
            "plate.y+": [f"{SXY} = {ring[2]}", f"{SYY} = {ring[1]}"],
            "hole": [f"n_x*{SXX} + n_y*{SXY} = 0", f"n_x*{SXY} + n_y*{SYY} = 0"],
        },
        parameters=lame,
    )
    solution = lrfm.steady(plate, tol=1e-4)
    unit = 1 / (2 * lame["mu"])
    exact = {"u": lambda x, y: unit * x * (1 - 2 * ratio + 1 / (x**2 + y**2))}
    assert gaps(solution, exact)["u"] <= solution.report.error_estimate <= 1e-4
    assert np.isclose(solution[SXX](x=0.0, y=1.0), 2, rtol=0.005)
    # On the right end of the quarter it is pulled by 3 - 3/(3² + 3²): ∫ σ_xx dy of the ring.
    assert np.isclose(solution.flux("plate.x+", f"n_x*{SXX} + n_y*{SXY}")(), 3 - 3 / 18, rtol=1e-3)
    alone = lrfm.Solution(solution.problem, solution.pieces, solution.report)
    with pytest.raises(ValueError, match="compared with no other"):
        _ = alone.integral("u").error


def test_a_body_that_nothing_holds_is_refused():
    free = lrfm.Problem(
        ELASTIC,
        domain=lrfm.Box(x=(0, 1), y=(0, 1)),
        boundary={"x": [f"{SXX} = 1", f"{SXY} = 0"], "y": [f"{SXY} = 0", f"{SYY} = 0"]},
        parameters={"lam": 1.0, "mu": 1.0},
    )
    with pytest.raises(lrfm.ProblemError, match="3 free constants"):
        lrfm.steady(free, tol=1e-3)


def test_more_in_than_out_is_refused():
    box = lrfm.Box(x=(0, 1), y=(0, 1))
    leaking = lrfm.Problem(
        FLOW, domain=box, boundary={"x-": ["u = 1", "v = 0"], "*": WALL}, parameters={"nu": 1.0}
    )
    with pytest.raises(lrfm.ProblemError, match="has to balance"):
        lrfm.steady(leaking, tol=1e-2)


@pytest.mark.thorough
def test_a_lid_is_told():
    cavity = lrfm.Problem(
        ["p_x = lap(u)", "p_y = lap(v)", "u_x + v_y = 0"],
        domain=lrfm.Box(x=(0, 1), y=(0, 1)),
        boundary={"y+": ["u = 1", "v = 0"], "*": WALL},
    )
    solution = lrfm.steady(cavity, tol=0.1)
    assert any("not square integrable" in said for said in solution.report.warnings)
    # Symmetric about x = 1/2 at no inertia; the stream through the middle is −0.1 (Shankar, Deshpande, Annu. Rev. Fluid Mech. 32, 2000: −0.10008).
    y = np.linspace(0, 1, 4001)
    stream = np.cumsum(solution["u"](x=0.5, y=y)) / 4000
    assert np.isclose(stream.min(), -0.10008, rtol=2e-3)
