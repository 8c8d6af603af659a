# SPDX-License-Identifier: MIT
"""Velocity and pressure, and other statements with algebraic unknowns: what is undetermined is found, fixed, said, left out."""

import numpy as np
import pytest
import sympy as sp
from helpers import random_error

import lrfm
from lrfm.discretize.plane.constraint import PlaneSystem
from lrfm.error.sizes import measured

x, y, t = sp.symbols("x y t", real=True)
FLOW = ["u_t + c*(u*u_x + v*u_y) + p_x = nu*lap(u) + f", "v_t + c*(u*v_x + v*v_y) + p_y = nu*lap(v) + g"]


def number(expression):
    return sp.lambdify((x, y, t), expression, "numpy")


def flow(rng, boundary, period, inertia=1.0, nu=0.05):
    """u = ψ_y, v = −ψ_x with random ψ and p, and the forces that make them a solution."""
    kx, ky = period
    modes = [(sp.cos, sp.sin)[rng.integers(2)](n * kx * x + m * ky * y) for n, m in ((1, 1), (1, 2), (2, 1))]
    psi = sum(
        float(a) * sp.cos(float(w) * t) * f
        for a, w, f in zip(rng.normal(size=3), rng.normal(size=3), modes, strict=True)
    )
    psi = psi * 2 / (kx**2 + ky**2)  # shear of order one: a flow that is computed is to be stable
    u, v = sp.diff(psi, y), -sp.diff(psi, x)
    p = float(rng.normal()) * sp.sin(kx * x + t) * sp.cos(ky * y) + float(rng.normal()) * sp.cos(2 * kx * x)
    lap = lambda w: sp.diff(w, x, 2) + sp.diff(w, y, 2)  # noqa: E731
    carried = lambda w: sp.diff(w, t) + inertia * (u * sp.diff(w, x) + v * sp.diff(w, y)) - nu * lap(w)  # noqa: E731
    exact = {"u": number(u), "v": number(v), "p": number(p + sp.sin(3 * t))}
    return lrfm.Problem(
        [*FLOW, "u_x + v_y = 0"],
        unknowns={"u": float, "v": float, "p": float},
        domain=lrfm.Box(x=(0, 1), y=(0, 2)),
        time=(0, 0.5),
        initial={name: lambda x, y, f=exact[name]: f(x, y, 0.0) for name in "uv"},
        boundary=boundary,
        parameters={
            "c": inertia,
            "nu": nu,
            "f": number(carried(u) + sp.diff(p, x)),
            "g": number(carried(v) + sp.diff(p, y)),
            "U": exact["u"],
            "V": exact["v"],
        },
        reference=exact,
    )


PERIODIC = (2 * sp.pi, sp.pi)  # wave numbers that fit the box


@pytest.mark.parametrize(
    ("boundary", "period", "inertia"),
    [
        pytest.param("periodic", PERIODIC, 1.0, marks=pytest.mark.thorough),
        ({"*": ["u = U", "v = V"]}, (1.3, 0.9), 1.0),
        pytest.param({"*": ["u = U", "v = V"]}, (1.3, 0.9), 0.0, marks=pytest.mark.thorough),
    ],
    ids=["periodic", "walls", "Stokes"],
)
def test_manufactured_flows_have_velocity_and_pressure(boundary, period, inertia):
    problem = flow(np.random.default_rng(5), boundary, period, inertia)
    solution = lrfm.solve(problem, tol=1e-3, method="lines")
    report = solution.report
    assert report.undetermined == ("p",)
    assert any("up to a constant" in text for text in report.warnings)
    # Newton's iteration ends far below the tolerance, in both draws alike.
    assert random_error(solution, 300) <= report.error_estimate
    assert report.error_estimate <= 1e-3
    where = np.random.default_rng(0).random((2, 400))
    divergence = solution.derivative("u_x")(x=where[0], y=2 * where[1], t=0.3) + solution.derivative("v_y")(
        x=where[0], y=2 * where[1], t=0.3
    )
    assert (
        np.abs(divergence).max()
        < 1e-2 * np.abs(solution.derivative("u_x")(x=where[0], y=2 * where[1], t=0.3)).max()
    )


@pytest.mark.slow
def test_pressure_given_on_a_face_is_determined():
    """A channel that a drop of pressure drives: what there is beside Poiseuille's flow decays, u = 4y(1 − y) + sin πy e^{−π²t}, and nothing is left undetermined."""
    problem = lrfm.Problem(
        ["u_t + u*u_x + v*u_y + p_x = lap(u)", "v_t + u*v_x + v*v_y + p_y = lap(v)", "u_x + v_y = 0"],
        unknowns={"u": float, "v": float, "p": float},
        domain=lrfm.Box(x=(0, 2), y=(0, 1)),
        time=(0, 0.15),
        initial={"u": "4*y*(1 - y) + sin(pi*y)", "v": "0", "p": "16 - 8*x"},
        boundary={"x-": ["p = 16", "v = 0"], "x+": ["p = 0", "v = 0"], "*": ["u = 0", "v = 0"]},
    )
    solution = lrfm.solve(problem, tol=1e-3, method="lines")
    assert solution.report.undetermined == ()
    assert solution.report.error_estimate <= 1e-3
    s = np.linspace(0.1, 0.9, 9)
    for time in (0.03, 0.15):
        exact = 4 * s * (1 - s) + np.sin(np.pi * s) * np.exp(-(np.pi**2) * time)
        assert np.allclose(solution["u"](x=np.full(9, 1.3), y=s, t=time), exact, atol=1e-3)
    assert np.allclose(solution["p"](x=s, y=s, t=0.15), 16 - 8 * s, atol=1e-2)


@pytest.mark.slow
def test_a_channel_that_a_pressure_drives_from_rest():
    """u = 4y(1 − y) − Σ 32/(nπ)³ sin nπy e^{−n²π²t}, n odd: u_t = 8 at walls where u = 0. A velocity is one quantity: v = 0 but for rounding, and has no error of its own size."""
    problem = lrfm.Problem(
        ["u_t + u*u_x + v*u_y + p_x = lap(u)", "v_t + u*v_x + v*v_y + p_y = lap(v)", "u_x + v_y = 0"],
        unknowns={"u": float, "v": float, "p": float},
        domain=lrfm.Box(x=(0, 2), y=(0, 1)),
        time=(0, 0.15),
        initial={"u": "0", "v": "0"},
        boundary={"x-": ["p = 16", "v = 0"], "x+": ["p = 0", "v = 0"], "*": ["u = 0", "v = 0"]},
    )
    solution = lrfm.solve(problem, tol=1e-3, method="lines", max_seconds=60)
    assert solution.report.error_estimate <= 1e-3
    s, n = np.linspace(0.1, 0.9, 9), np.arange(1, 40, 2)[:, None]
    for time in (0.03, 0.15):
        left = 32 / (n * np.pi) ** 3 * np.sin(n * np.pi * s) * np.exp(-((n * np.pi) ** 2) * time)
        exact = 4 * s * (1 - s) - left.sum(axis=0)
        assert np.allclose(solution["u"](x=np.full(9, 1.3), y=s, t=time), exact, atol=1e-3)
    assert np.abs(solution["v"](x=2 * s, y=s, t=0.1)).max() < 1e-4


def test_a_velocity_is_one_vector():
    """Components of which a divergence is given are measured together, others each by its own size."""
    stokes = ["u_t + p_x = lap(u)", "v_t + p_y = lap(v)", "T_t = lap(T)"]
    rest = {
        "domain": lrfm.Box(x=(0, 1), y=(0, 1)),
        "time": (0, 1),
        "initial": {"u": "0", "v": "0", "T": "1"},
        "boundary": {"*": ["u = 0", "v = 0", "T = 1"]},
    }
    problem = lrfm.Problem([*stokes, "2*u_x + 2*v_y = 0"], **rest)
    assert problem.vectors == {"u": ("u", "v"), "v": ("u", "v")}
    squares = {"u": 1.0, "v": 1e-6, "T": 4.0, "p": 9.0}
    found = measured(problem, squares, dict.fromkeys(squares, 0.0))
    assert found == {"u": 1.000001, "v": 1.000001, "T": 4.0, "p": 9.0}
    assert problem.measure_of("v") == "(u, v)"
    assert problem.measure_of("p") == "p"
    system = PlaneSystem(problem)
    own = np.array([{"u": 3.0, "v": 4.0, "T": 1.0, "p": 2.0}[name] for name in system.fields])
    sizes = dict(zip(system.fields, system.counted(own, 0.0), strict=True))
    assert sizes == {"u": 5.0, "v": 5.0, "T": 1.0, "p": 2.0}
    # In other units along y, or where it is no constraint, nothing says that they are one.
    assert not lrfm.Problem([*stokes, "u_x + 3*v_y = 0"], **rest).vectors
    waves = ["u_t + p_x = 0", "v_t + p_y = 0", "p_t + u_x + v_y = 0"]
    free = {"boundary": {"*": "p = 0"}, "initial": {"u": "0", "v": "0", "p": "sin(pi*x)*sin(pi*y)"}}
    assert not lrfm.Problem(waves, domain=rest["domain"], time=(0, 1), **free).vectors


def test_a_potential_in_a_periodic_box_has_mean_zero():
    problem = lrfm.Problem(
        ["rho_t + 0.3*(phi_x*rho_x + phi_xx*rho) = 0.1*rho_xx + f", "phi_xx = -rho"],
        unknowns={"rho": float, "phi": float},
        domain=lrfm.Box(x=(0, 2 * np.pi)),
        time=(0, 1),
        initial={"rho": "sin(x)"},
        boundary="periodic",
        parameters={"f": lambda x, t: np.exp(-t) * (-0.9 * np.sin(x)) + 0.3 * np.exp(-2 * t) * np.cos(2 * x)},
        reference={
            "rho": lambda x, t: np.exp(-t) * np.sin(x),
            "phi": lambda x, t: np.exp(-t) * np.sin(x) + 7 * t,
        },
    )
    solution = lrfm.solve(problem, tol=1e-6, method="lines")
    assert solution.report.undetermined == ("phi",)
    assert random_error(solution, 200) <= solution.report.error_estimate <= 1e-6
    assert not any("reference" in text for text in solution.report.warnings)
    circle = 2 * np.pi * np.arange(64) / 64
    assert abs(np.mean(solution["phi"](x=circle, t=np.full(64, 0.7)))) < 1e-7


CHANNEL = {"x-": ["p = P", "v = V"], "x+": ["p = P", "v = V"], "*": ["u = U", "v = V"]}
CORNER = {"x+": ["p = P", "v = V"], "y+": ["p = P", "u = U"], "*": ["u = U", "v = V"]}
ROUND = {
    "x-": ["p = P", "v = V"],
    "x+": ["p = P", "v = V"],
    "y-": ["p = P", "u = U"],
    "y+": ["p = P", "u = U"],
}


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("boundary", [CHANNEL, CORNER, ROUND], ids=["channel", "corner", "round"])
def test_a_pressure_may_be_given_on_any_faces(boundary):
    made = flow(np.random.default_rng(1), {"*": ["u = U", "v = V"]}, (1.3, 0.9))
    exact = made.reference
    problem = lrfm.Problem(
        [*FLOW, "u_x + v_y = 0"],
        unknowns={"u": float, "v": float, "p": float},
        domain=made.domain,
        time=made.time,
        initial={name: lambda x, y, f=exact[name]: f(x, y, 0.0) for name in "uv"},
        boundary=boundary,
        parameters={**made.parameters, "P": exact["p"]},
        reference=exact,
    )
    solution = lrfm.solve(problem, tol=1e-5, method="lines")
    assert solution.report.undetermined == ()
    assert random_error(solution, 300) <= solution.report.error_estimate <= 1e-5
