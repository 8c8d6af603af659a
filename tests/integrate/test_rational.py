# SPDX-License-Identifier: MIT
"""Exponentials by rational Krylov spaces: against dense exponentials, and one long step against short ones."""

import numpy as np
import pytest
from scipy.linalg import expm

import lrfm
from lrfm.adapt.plane import PlaneAdapter
from lrfm.adapt.plane_given import PlaneGiven
from lrfm.discretize.options import Options
from lrfm.discretize.plane.constraint import PlaneSystem
from lrfm.discretize.plane.galerkin import PlaneGalerkin
from lrfm.integrate.schemes.radau import Iteration
from lrfm.integrate.schemes.rational import RationalKrylov, _integrated
from lrfm.integrate.state import IntegratorState
from lrfm.rows.in_time import integrals
from lrfm.solver.formulations.plane import PlaneFormulation

GOAL = 1e-8


def discretized(equation):
    problem = lrfm.Problem(
        equation, domain=lrfm.Disk(), time=(0, 1), initial="1 - x**2 - y**2", boundary="u_n = 1 - u"
    )
    form, options = PlaneFormulation(PlaneSystem(problem)), Options(tol=1e-2)
    layout = form.layout(options)
    adapter = PlaneAdapter(layout, PlaneGiven(form.system), options)
    space, y = adapter.initial()
    return PlaneGalerkin(layout, space), y


def stepped(made, y, lengths):
    """y after some steps, and the last step."""
    pencil = made.linearize(0.0, y, np.zeros_like(y))
    scheme, found = RationalKrylov(10), None
    norm = lambda change: float(np.max(made.norms(change)))  # noqa: E731
    state = IntegratorState(0.0, made.mesh, y, np.zeros_like(y), 0.0, 0.0, np.zeros(1), np.zeros(1))
    for length in lengths:
        found = scheme.step(made, pencil, state, length, Iteration(norm, GOAL, 8))
        assert found.converged
        assert found.exact
        state = state.with_(time=state.time + length, y=found.end)
    return state.y, found


@pytest.mark.parametrize("equation", ["u_t = lap(u) + 30*u + 1", "u_t = lap(u) - 3*u_x + 1"])
def test_steps_are_the_exponential_whatever_their_length(equation):
    made, y = discretized(equation)
    pencil = made.linearize(0.0, y, np.zeros_like(y))
    mass, stiff = (pencil.matrices[p].toarray() for p in range(2))
    load = made.steady_load[0]
    n = made.size
    slope = np.zeros((n + 1, n + 1))
    slope[:n, :n], slope[:n, n] = -np.linalg.solve(mass, stiff), -np.linalg.solve(mass, load)
    for length in (1e-3, 0.3):
        end, _ = stepped(made, y, [length])
        exact = (expm(length * slope) @ np.append(made.gather(y), 1.0))[:n]
        assert made.norms(end - made.scatter(exact))[0] < 10 * GOAL * max(1.0, made.norms(end)[0])
    short, _ = stepped(made, y, [0.1, 0.15, 0.05])
    assert made.norms(end - short)[0] < 10 * GOAL * max(1.0, made.norms(end)[0])


def test_what_a_polynomial_misses_within_a_step_is_told():
    made, y = discretized("u_t = lap(u) + 1")
    sizes = [made.norms(stepped(made, y, [h])[1].inside)[0] for h in (0.4, 0.1)]
    _, found = stepped(made, y, [0.4])
    _, half = stepped(made, y, [0.17])
    # The polynomial of the step at 0.17, from its rates.
    scheme = RationalKrylov(10).scheme
    table = 0.4 * integrals(10, np.array([0.17 / 0.4]))[0] @ scheme.to_legendre
    at = y + np.tensordot(table, found.rates, axes=1)
    missed = made.norms(at - half.end)[0]
    assert sizes[1] < sizes[0]
    assert missed < 20 * sizes[0] + 10 * GOAL


def test_integrals_of_exponentials_of_a_small_matrix():
    rng = np.random.default_rng(0)
    root = rng.standard_normal((5, 5))
    rates = root @ root.T + 0.1 * rng.standard_normal((5, 5))
    shift, tau = 0.2, 0.7
    small = np.linalg.inv(np.eye(5) + shift * rates)
    e1 = np.eye(5)[0]
    exact = np.linalg.solve(small, np.linalg.solve(rates, (np.eye(5) - expm(-tau * rates)) @ e1))
    assert np.allclose(_integrated(small, shift, np.array([tau]))[:, 0], exact, rtol=1e-9)
