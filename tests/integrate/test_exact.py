# SPDX-License-Identifier: MIT
"""Exponentials on cells: exact solutions over long times, what drifts, what is damped, and when steps are taken instead."""

import numpy as np
import pytest
from on_cells import Run, discretized, line

import lrfm
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.options import EXACT, Options
from lrfm.integrate.exact import Exact, modes_of, plain
from lrfm.integrate.prepare import integrator_for, refuse_rough
from lrfm.integrate.radau import Radau


def run(problem, tol=1e-7):
    found = Run(problem, tol, integrator_for(EvolutionSystem(problem), Options(tol=tol)))
    assert isinstance(found.integrator.scheme, Exact)
    return found


def worst(found, exact, duration, field="u"):
    x, t = np.linspace(0, 1, 41)[:, None], np.linspace(0, duration, 57)
    return np.max(np.abs(found.values(x, t, field) - exact(x, t)))


def test_a_hundred_periods():
    problem = line("u_tt = u_xx", {"u": "sin(pi*x)", "u_t": "3*pi*sin(3*pi*x)"}, "u = 0", time=(0, 200))
    found = run(problem)
    exact = lambda x, t: np.sin(np.pi * x) * np.cos(np.pi * t) + np.sin(3 * np.pi * x) * np.sin(3 * np.pi * t)  # noqa: E731
    assert worst(found, exact, 200) < 1e-6
    assert len(found.steps) < 80  # 1900 radians
    widths = np.concatenate([step.mesh.widths for step in found.steps])
    assert np.ptp(widths) < 1e-12


def test_what_drifts_has_no_eigenvectors_of_its_own():
    """Between walls with u_n = 0 the mean is a + bt: a Jordan block of the first-order system."""
    problem = line("u_tt = u_xx", {"u": "1 + cos(pi*x)", "u_t": "0.5"}, "u_n = 0", time=(0, 20))
    assert worst(run(problem), lambda x, t: 1 + 0.5 * t + np.cos(np.pi * x) * np.cos(np.pi * t), 20) < 1e-6


def test_a_wave_that_is_damped_and_driven():
    """u_tt + u_t = u_xx + π² sin πx: u → sin πx, with e^(−t/2) cos ωt around it."""
    problem = line(
        "u_tt + u_t = u_xx + pi**2*sin(pi*x)", {"u": "2*sin(pi*x)", "u_t": "-0.5*sin(pi*x)"}, "u = 0", time=(0, 30)
    )  # fmt: skip
    omega = np.sqrt(np.pi**2 - 0.25)
    exact = lambda x, t: np.sin(np.pi * x) * (1 + np.exp(-t / 2) * np.cos(omega * t))  # noqa: E731
    assert worst(run(problem), exact, 30) < 1e-6


def test_a_particle_in_a_box():
    problem = line(
        "1j*u_t + u_xx = 0", "sin(pi*x) + sin(2*pi*x)", "u = 0", time=(0, 5), unknowns={"u": complex}
    )  # fmt: skip
    exact = lambda x, t: sum(np.cos((k * np.pi) ** 2 * t) * np.sin(k * np.pi * x) for k in (1, 2))  # noqa: E731
    assert worst(run(problem), exact, 5, "u.re") < 1e-5


def test_modes_solve_their_equations():
    """q′ = G q by differences, for both kinds of chains."""
    for equation in ("u_tt = u_xx - u", "u_tt + 0.3*u_t = u_xx"):
        made = discretized(line(equation, {"u": "sin(pi*x)", "u_t": "0"}, "u = 0"), 6)
        zero = np.zeros((2, made.mesh.size, made.layout.size))
        found = modes_of(made, made.linearize(0.0, zero, zero))
        assert found.turning == ("0.3" not in equation)
        q = np.random.default_rng(0).normal(size=2 * found.size)
        h = 1e-4
        before, here, after = found.at(np.array([0.01 - h, 0.01, 0.01 + h]), q)
        slow = np.linalg.norm((after - before)[: found.size] / (2 * h) - here[found.size :])
        assert slow < 1e-2 * np.linalg.norm(here[found.size :])
        np.testing.assert_allclose(found.at(np.zeros(1), q)[0], q, rtol=0, atol=1e-9)


def test_steps_are_taken_where_they_cost_less():
    pulse = line("u_tt = u_xx", {"u": "exp(-2000*(x - 0.5)**2)", "u_t": "0"}, "u = 0", time=(0, 0.05))
    assert isinstance(integrator_for(EvolutionSystem(pulse), Options(tol=1e-6)).scheme, Radau)


@pytest.mark.parametrize(
    ("equation", "boundary", "answer"),
    [
        ("u_tt = u_xx", "u = 0", True),
        ("u_tt = (1 + t)*u_xx", "u = 0", False),
        ("u_tt = u_xx - u**3", "u = 0", False),
        ("u_tt = u_xx + mean(u)", "u = 0", False),
        ("u_tt = u_xx", {"x-": "u = 0", "x+": "u_t + u_x = 0"}, True),
    ],
)
def test_which_statements_these_are_for(equation, boundary, answer):
    system = EvolutionSystem(line(equation, {"u": "sin(pi*x)", "u_t": "0"}, boundary))
    assert plain(system) is answer


def test_an_end_that_absorbs_is_stepped():
    """Its condition holds u_x beside u_t: y′ is in no fixed null space."""
    problem = line(
        "u_tt = u_xx", {"u": "sin(pi*x)**4", "u_t": "0"}, {"x-": "u = 0", "x+": "u_t + u_x = 0"}, time=(0, 20)
    )  # fmt: skip
    assert isinstance(integrator_for(EvolutionSystem(problem), Options(tol=1e-4)).scheme, Radau)


@pytest.mark.parametrize("shape", ["where(x < 0.3, x/0.3, (1 - x)/0.7)", "x*(1 - x)"])
def test_kinks_that_nothing_damps_are_refused(shape):
    """A plucked string, and a parabola, whose second derivative contradicts the walls."""
    string = line("u_tt = u_xx", {"u": shape, "u_t": "0"}, "u = 0")
    with pytest.raises(Unsuited, match="kinks"):
        refuse_rough(integrator_for(EvolutionSystem(string), Options(tol=1e-4)))


def test_rounding_of_fourth_derivatives_is_refused_and_solved_elsewhere():
    problem = lrfm.catalog.beam()
    refuse_rough(integrator_for(EvolutionSystem(problem), Options(tol=1e-6)))
    with pytest.raises(Unsuited, match="Rounding"):
        refuse_rough(integrator_for(EvolutionSystem(problem), Options(tol=1e-11)))


def test_a_report_and_derivatives_of_exponentials():
    """The scheme has its name, and ∂u/∂c and the error as a function are integrated along its long steps."""
    problem = lrfm.Problem(
        "u_tt = c**2*u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 2), initial={"u": "sin(pi*x)", "u_t": "0"},
        boundary="u = 0", parameters={"c": 1.0},
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-6)
    assert solution.report.parts["scheme"] == EXACT.words
    x, t = np.linspace(0, 1, 11)[:, None], np.linspace(0, 2, 9)
    slope = -np.pi * t * np.sin(np.pi * t) * np.sin(np.pi * x)
    np.testing.assert_allclose(solution.sensitivity("c")(x=x, t=t), slope, rtol=0, atol=1e-4)
    exact = np.cos(np.pi * t) * np.sin(np.pi * x)
    gap = exact - solution(x=x, t=t)
    assert np.max(np.abs(solution.error(x=x, t=t) - gap)) < 0.2 * np.max(np.abs(gap)) + 1e-11
