# SPDX-License-Identifier: MIT
"""Waves by Chebyshev polynomials: against dense exponentials, long steps against short ones, and which statements take them."""

import numpy as np
import pytest
from numpy.polynomial.chebyshev import chebval
from scipy.linalg import expm

import lrfm
from lrfm.adapt.plane import PlaneAdapter
from lrfm.adapt.plane_given import PlaneGiven
from lrfm.discretize.options import Options
from lrfm.discretize.plane.constraint import PlaneSystem
from lrfm.discretize.plane.galerkin import PlaneGalerkin
from lrfm.integrate.schemes.oscillations import Oscillations, _waves
from lrfm.integrate.schemes.radau import Iteration
from lrfm.integrate.state import IntegratorState
from lrfm.linalg.chebyshev import coefficients
from lrfm.linalg.deadline import deadline
from lrfm.rows.in_time import integrals
from lrfm.solver.formulations.plane import PlaneFormulation

CLOSE = 1e-10


def formulated(equation, boundary="u_n = 1 - u"):
    start = {"u": "1 - x**2 - y**2", "u_t": "x"}
    problem = lrfm.Problem(equation, domain=lrfm.Disk(), time=(0, 1), initial=start, boundary=boundary)
    return PlaneFormulation(PlaneSystem(problem))


def discretized(equation):
    form, options = formulated(equation), Options(tol=1e-2)
    layout = form.layout(options)
    adapter = PlaneAdapter(layout, PlaneGiven(form.system), options)
    space, y = adapter.initial()
    return PlaneGalerkin(layout, space), y


def stepped(made, y, lengths):
    """y after some steps, and the last step."""
    pencil = made.linearize(0.0, y, np.zeros_like(y))
    scheme, found = Oscillations(10), None
    norm = lambda change: float(np.max(made.norms(change)))  # noqa: E731
    state = IntegratorState(0.0, made.mesh, y, np.zeros_like(y), 0.0, 0.0, np.zeros(2), np.zeros(2))
    for length in lengths:
        found = scheme.step(made, pencil, state, length, Iteration(norm, 1e-12, 8))
        assert found.converged
        state = state.with_(time=state.time + length, y=found.end)
    return state.y, found


@pytest.mark.slow
@pytest.mark.parametrize(
    "equation", ["u_tt = lap(u) + 30*u + 1", "(2 + x*y)*u_tt = (1 + 0.3*sin(3*x))*lap(u) - x"]
)
def test_steps_are_the_exponential_whatever_their_length(equation):
    made, y = discretized(equation)
    pencil = made.linearize(0.0, y, np.zeros_like(y))
    mass, stiff = (pencil.matrices[p].toarray() for p in (0, 2))
    n, load = made.size, made.steady_load[0]
    slope = np.zeros((2 * n + 1, 2 * n + 1))
    slope[:n, n : 2 * n] = np.eye(n)
    slope[n : 2 * n, :n], slope[n : 2 * n, -1] = -np.linalg.solve(mass, stiff), -np.linalg.solve(mass, load)
    start = np.concatenate([made.gather(y[:1]), made.gather(y[1:]), [1.0]])
    for length in (1e-3, 0.1):
        end, step = stepped(made, y, [length])
        assert step.exact
        exact = (expm(length * slope) @ start)[:-1].reshape(2, n)
        exact = np.concatenate([made.scatter(part) for part in exact])
        assert np.max(made.norms(end - exact)) < CLOSE * np.max(made.norms(end))
    short, _ = stepped(made, y, [0.03, 0.05, 0.02])
    assert np.max(made.norms(end - short)) < CLOSE * np.max(made.norms(end))


def test_what_a_step_misses_inside_is_its_distance_from_short_steps():
    made, y = discretized("u_tt = lap(u)")
    y[:] = made.mesh.project(lambda x: np.array([(1 - np.sum(x**2, axis=1)) ** 4, 0 * x[:, 0]]))
    _, long = stepped(made, y, [0.05])
    assert not np.any(long.error)
    scheme, missed = Oscillations(10).scheme, []
    for part in (0.1, 0.37, 0.66, 0.93):
        exact, _ = stepped(made, y, [0.05 * part])
        kept = 0.05 * (integrals(10, np.array([part])) @ scheme.to_legendre)[0]
        missed.append(made.norms(y + np.tensordot(kept, long.rates, axes=1) - exact))
    assert made.norms(long.inside)[1] == 0  # of u_t nothing is kept
    ratio = np.sqrt(np.mean(np.square(missed), axis=0))[0] / made.norms(long.inside)[0]
    assert 0.3 < ratio < 3


def test_damped_waves_are_left_to_radau():
    assert formulated("u_tt = lap(u)").system.oscillates
    assert not formulated("u_tt + 0.1*u_t = lap(u)").system.oscillates
    assert not formulated("u_tt = lap(u)", boundary="u_n = -u_t").system.oscillates


def test_long_steps_lose_no_digits():
    made, y = discretized("u_tt = lap(u)")
    pencil = made.linearize(0.0, y, np.zeros_like(y))
    low, high, _ = pencil.oscillations
    places, values = np.array([1.0]), np.linspace(0, high, 50)
    table = coefficients(lambda x: _waves(places, x), low, high, 2)
    found = chebval(2 * (values - low) / (high - low) - 1, np.moveaxis(table, -1, 0))
    assert np.max(np.abs(found - _waves(places, values))) < 1e-11


def test_each_product_looks_at_the_clock():
    """The spectrum of a stadium and what its waves need took 3.4 of 20 seconds between two looks."""
    made, y = discretized("u_tt = lap(u)")
    pencil, seen = made.linearize(0.0, y, np.zeros_like(y)), []
    with deadline(lambda ahead=0.0: seen.append(ahead)):
        pencil.acceleration(np.ones((made.size, 2)))
        first = len(seen)
        pencil.acceleration(np.ones((made.size, 2)))
    assert len(seen) == first + 1
