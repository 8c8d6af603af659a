# SPDX-License-Identifier: MIT
"""`lrfm.solve` on boxes that no series splits by modes: plates, coefficients of both coordinates, flows, circles."""

import numpy as np
import pytest
from on_series import PI, relative
from scipy.linalg import expm

import lrfm
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.options import Options
from lrfm.integrate.schemes.oscillations import Oscillations
from lrfm.rows.series_steps import SeriesSteps
from lrfm.solver.formulations.boxes import BoxFormulation, box_form

SQUARE = lrfm.Box(x=(0, 1), y=(0, 1))
TRANSPORT = [
    ("u_t + sin(pi*x)*cos(pi*y)*u_x - cos(pi*x)*sin(pi*y)*u_y = 0", True),
    ("u_t + x*(1 - x)*u_x + y*(1 - y)*(1 + x*y)*u_y = 0.3*x*u", True),
    ("u_t + x*(1 - x)*u_x + y*(1 - y)*x*u_y = -30*u", False),
]


def checked(problem, exact, tol):
    """The solution, whose error is at most its estimate, and that at most the tolerance."""
    solution = lrfm.solve(problem, tol=tol)
    assert all(isinstance(piece, SeriesSteps) for piece in solution.pieces)
    assert relative(solution, exact) <= solution.report.error_estimate <= tol
    return solution


def test_a_plate_that_is_clamped():
    """u_tt + Δ²u = f with u = u_n = 0: w = (x(1 − x)y(1 − y))² cos t, Δ²w by hand."""
    a, b = "(x*(1 - x))**2", "(y*(1 - y))**2"
    bent = f"(24*{b} + 2*(2 - 12*x + 12*x**2)*(2 - 12*y + 12*y**2) + 24*{a})"
    problem = lrfm.Problem(
        f"u_tt + lap(lap(u)) = cos(t)*({bent} - {a}*{b})",
        domain=SQUARE,
        time=(0, 1),
        initial={"u": f"{a}*{b}", "u_t": "0"},
        boundary={"*": ["u = 0", "u_n = 0"]},
    )
    checked(problem, lambda x, y, t: (x * (1 - x) * y * (1 - y)) ** 2 * np.cos(t), 1e-4)


def test_walls_that_radiate_and_a_conductivity_of_both_coordinates_and_of_u():
    """u = e^{−t}(1 + x y): u_t = ∇·((1 + u²)∇u) + f, u_n + u³ = g."""
    u = "exp(-t)*(1 + x*y)"
    source = f"-{u} - 2*({u})*exp(-2*t)*(x**2 + y**2)"
    problem = lrfm.Problem(
        f"u_t = diff((1 + u**2)*u_x, x) + diff((1 + u**2)*u_y, y) + {source}",
        domain=SQUARE,
        time=(0, 0.5),
        initial="1 + x*y",
        boundary={"x+": f"u_n + u**3 = exp(-t)*y + ({u})**3", "*": f"u = {u}"},
    )
    checked(problem, lambda x, y, t: np.exp(-t) * (1 + x * y), 1e-4)


def test_a_torus_with_a_coefficient_of_both_coordinates_and_a_mean():
    u = "exp(-t)*sin(x + y)"
    k = "(2 + sin(x)*cos(y))"
    problem = lrfm.Problem(
        f"u_t = {k}*lap(u) - mean(u**2) - {u} + 2*{k}*{u} + 0.5*exp(-2*t)",
        domain=lrfm.Box(x=(0, 2 * PI), y=(0, 2 * PI)),
        time=(0, 0.5),
        initial="sin(x + y)",
        boundary="periodic",
    )
    checked(problem, lambda x, y, t: np.exp(-t) * np.sin(x + y), 1e-3)


@pytest.mark.thorough
@pytest.mark.slow
def test_a_cavity_under_a_smooth_lid():
    """Re = 100, from rest to a steady vortex: it is claimed, its pressure is known up to a constant, and nothing flows through the walls."""
    walls = {face: ["u = 0", "v = 0"] for face in ("x-", "x+", "y-")}
    problem = lrfm.Problem(
        [
            "u_t + u*u_x + v*u_y + p_x = nu*lap(u)",
            "v_t + u*v_x + v*v_y + p_y = nu*lap(v)",
            "u_x + v_y = 0",
        ],
        unknowns={name: float for name in "uvp"},
        domain=SQUARE,
        time=(0, 20),
        initial={"u": "0", "v": "0"},
        boundary={**walls, "y+": ["u = 16*x**2*(1 - x)**2*(1 - exp(-4*t))", "v = 0"]},
        parameters={"nu": 0.01},
    )
    solution = lrfm.solve(problem, tol=1e-2)
    assert solution.report.undetermined == ("p",)
    assert solution.report.error_estimate <= 1e-2
    y = np.linspace(0, 1, 21)
    assert np.max(np.abs(solution["u"](x=0.0, y=y, t=20.0))) < 1e-2
    assert solution["u"](x=0.5, y=0.5, t=20.0) < -0.1  # it flows back below the lid


def test_a_coherent_state_in_a_trap_stays_one():
    """ψ = exp(−|x − (cos t, sin t)|²/2 + i …): its density goes around; sines do not hold the potential, and products of polynomials take the terms of both axes apart."""
    problem = lrfm.Problem(
        "1j*psi_t = -0.5*lap(psi) + 0.5*(x**2 + y**2)*psi",
        unknowns={"psi": complex},
        domain=lrfm.Box(x=(-6, 6), y=(-6, 6)),
        time=(0, 1),
        initial="exp(-((x - 1)**2 + y**2)/2 + 1j*y)",
        boundary="psi = 0",
    )
    solution = lrfm.solve(problem, tol=1e-3, max_seconds=60)
    assert "x" in solution.report.engine.modes
    assert solution.report.error_estimate < 1e-3
    x, y = np.random.default_rng(0).uniform(-3, 3, (2, 500))
    found = np.abs(solution["psi"](x=x, y=y, t=1.0)) ** 2
    exact = np.exp(-((x - np.cos(1)) ** 2) - (y - np.sin(1)) ** 2)
    assert np.linalg.norm(found - exact) < 1e-3 * np.linalg.norm(exact)


def integrated(problem, tol):
    """The last state of one solve with products of polynomials, its space, and how many steps it took."""
    form = BoxFormulation(box_form(EvolutionSystem(problem)))
    made = form.integrator(Options(tol=tol), None)
    *_, (state, _) = made.run(made.begin())
    return made, state


def test_elastic_waves_are_exact_in_time():
    """u = sin πx cos √2πt, v = sin πy cos √2πt: each has walls of its own, and mixed derivatives of the other one that vanish. Steps are as long as a polynomial of degree ten follows."""
    rest = {"u_t": "0*x", "v_t": "0*x"}
    problem = lrfm.Problem(
        ["u_tt = 2*u_xx + u_yy + v_xy", "v_tt = 2*v_yy + v_xx + u_xy"],
        domain=SQUARE,
        time=(0, 1),
        initial={"u": "sin(pi*x)", "v": "sin(pi*y)", **rest},
        boundary={"x": ["u = 0", "v_n = 0"], "y": ["u_n = 0", "v = 0"]},
    )
    made, state = integrated(problem, 1e-8)
    assert isinstance(made.scheme, Oscillations)
    assert state.steps < 12
    x, y = state.mesh.points().T
    for c, place in ((0, x), (2, y)):
        values = (np.sin(PI * place) * np.cos(np.sqrt(2) * PI)).reshape(state.mesh.grid)
        exact = state.mesh.flat(state.mesh.coefficients(values, (2, 2)))
        assert np.linalg.norm(state.y[c, 0] - exact) < 1e-8 * np.linalg.norm(exact)


def test_a_cloud_in_phase_space_is_turned_exactly_in_time():
    """f_t + p f_x − x f_p = 0: f₀ turned by t, in six steps of any length."""
    problem = lrfm.Problem(
        "f_t + p*f_x - x*f_p = 0",
        domain=lrfm.Box(x=(-4, 4), p=(-4, 4)),
        time=(0, PI / 2),
        initial="exp(-(x - 1)**2 - 1.5*p**2)",
        boundary="f = 0",
    )
    exact = lambda x, p, t: np.exp(  # noqa: E731
        -((x * np.cos(t) - p * np.sin(t) - 1) ** 2) - 1.5 * (x * np.sin(t) + p * np.cos(t)) ** 2
    )
    assert len(checked(problem, exact, 1e-3).pieces[0].edges) < 10


@pytest.mark.parametrize(("equation", "exactly"), TRANSPORT)
def test_what_is_carried_is_integrated_exactly_where_nothing_is_stiff(equation, exactly):
    """A step is e^{−hD} y, of the dense matrix D of all unknowns; what decays, or has derivatives of higher order in space, is left to Radau's steps."""
    problem = lrfm.Problem(equation, domain=SQUARE, time=(0, 1), initial="sin(x + 2*y)", boundary={"*": None})
    made = BoxFormulation(box_form(EvolutionSystem(problem))).integrator(Options(tol=1e-3), None)
    assert isinstance(made.scheme, Oscillations) == exactly
    state = made.begin()
    _, step = next(made.run(state))
    on = made.adapter.discretize(step.mesh)
    mass, stiff = on.fixed.matrices[:2]
    start, end = (
        on.gather(step.start),
        on.gather(step.start + step.length * np.tensordot(made.scheme.scheme.weights, step.rates, 1)),
    )
    found = expm(-step.length * np.linalg.solve(mass, stiff)) @ start
    assert np.max(np.abs(end - found)) < (1e-10 if exactly else 1e-3) * np.max(np.abs(found))


def test_the_size_of_a_flow_that_starts_from_rest_is_foreseen():
    """A lid sets in motion what is at rest: with T‖u_t‖ in the place of its size, 30 times as much, the first step was a hundredth of the time span, on 12 x 12 polynomials, and two solves differed by 2e-3 at 1e-3."""
    walls = {face: ["u = 0", "v = 0"] for face in ("x-", "x+", "y-")}
    problem = lrfm.Problem(
        [
            "u_t + u*u_x + v*u_y + p_x = 0.01*lap(u)",
            "v_t + u*v_x + v*v_y + p_y = 0.01*lap(v)",
            "u_x + v_y = 0",
        ],
        unknowns={name: float for name in "uvp"},
        domain=SQUARE,
        time=(0, 20),
        initial={"u": "0", "v": "0"},
        boundary={**walls, "y+": ["u = 16*x**2*(1 - x)**2*(1 - exp(-4*t))", "v = 0"]},
    )
    form = BoxFormulation(box_form(EvolutionSystem(problem)))
    made = form.integrator(Options(tol=1e-2), None)
    found = made.estimator.foreseen
    assert found is not None
    assert np.all(found[:2] > [0.1, 0.06])
    assert np.all(found[:2] < [0.2, 0.15])
