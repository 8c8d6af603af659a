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
from lrfm.integrate.schemes.radau import Iteration, Radau
from lrfm.integrate.schemes.rational import RationalKrylov, _integrated
from lrfm.integrate.state import IntegratorState
from lrfm.linalg.driven import driven
from lrfm.rows.in_time import integrals
from lrfm.solver.formulations.plane import PlaneFormulation

GOAL = 1e-8


def discretized(equation, boundary="u_n = 1 - u"):
    problem = lrfm.Problem(
        equation, domain=lrfm.Disk(), time=(0, 1), initial="1 - x**2 - y**2", boundary=boundary
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
    assert np.allclose(
        _integrated(small, np.ones((1, 1)), shift, 1.0, np.array([tau]))[:, 0], exact, rtol=1e-9
    )


@pytest.mark.parametrize("rate", [0.0, 1e-9, 3.0, 39.0 + 5.0j, 50.0, 2e3 + 1e3j, 1e9, -8.0])
def test_integrals_of_exponentials_times_polynomials(rate):
    """By nodes that crowd at the end, where the integrand is."""
    length, times = 0.7, np.array([0.004, 0.3, 0.7])
    found = driven(np.array([rate]), times, length, 10)[0]
    x, w = np.polynomial.legendre.leggauss(60)
    for tau, own in zip(times, found, strict=True):
        edges = np.concatenate([[0.0], tau * 0.5 ** np.arange(45)[::-1]])
        ago = 0.5 * (edges[1:] + edges[:-1])[:, None] + 0.5 * np.diff(edges)[:, None] * x
        values = np.polynomial.legendre.legvander(2 * (tau - ago) / length - 1, 9)
        parts = 0.5 * np.diff(edges)[:, None] * w * np.exp(-ago * rate)
        assert np.allclose(
            own, np.einsum("en,enj->j", parts, values), rtol=1e-10, atol=1e-13 * np.max(np.abs(own))
        )
    assert np.allclose(driven(np.array([rate]), times, length, 1)[0, :, 0], found[:, 0], rtol=1e-12)


def test_steps_follow_what_depends_on_time():
    """A load of time of degree two is in the polynomials of a step: one long step is as good as short ones, and what a fast one misses is told."""
    made, y = discretized("u_t = lap(u) + 30*t**2*x + (1 - t)*y**2", "u_n = t - u")
    end, found = stepped(made, y, [0.3])
    short, _ = stepped(made, y, [0.1, 0.15, 0.05])
    assert made.norms(end - short)[0] < 10 * GOAL
    assert made.norms(found.error)[0] < 10 * GOAL
    made, y = discretized("u_t = lap(u) + 10*sin(40*t)", "u_n = t - u")
    end, found = stepped(made, y, [0.3])
    short, _ = stepped(made, y, [0.05] * 6)
    assert 1e-6 < made.norms(end - short)[0] < made.norms(found.error)[0]


@pytest.mark.parametrize("scheme", [RationalKrylov(10), Radau(5, settles=True)])
def test_what_other_cells_left_out_is_no_error_in_time(scheme):
    """The last coefficients, moved to new cells, are damped in the first step there: as an error they count less than without a change of cells."""
    made, y = discretized("u_t = lap(u) + 1")
    pencil = made.linearize(0.0, y, np.zeros_like(y))
    norm = lambda change: float(np.max(made.norms(change)))  # noqa: E731
    rough = y + 1e-3 * (made.mesh.degrees == made.mesh.degree)

    def missed(y, regridded):
        z = made.scatter(pencil.rates(-made.residual(np.zeros(1), y[None], np.zeros_like(y)[None])[0]))
        state = IntegratorState(
            0.0, made.mesh, y, z, 0.0, 0.0, np.zeros(1), np.zeros(1), regridded=regridded, steps=1
        )
        found = scheme.step(made, pencil, state, 0.3, Iteration(norm, GOAL, 8))
        return norm(found.inside if found.exact else found.error)

    assert missed(rough, 0.0) < 0.2 * missed(rough, -1.0)
