# SPDX-License-Identifier: MIT
"""Implicit-explicit Runge-Kutta between walls: conditions of order, convergence, constraints at the ends of steps."""

import itertools

import numpy as np
import pytest
from on_series import strip, walled

from lrfm.discretize.options import SERIES
from lrfm.integrate.schemes.additive import AdditiveRungeKutta, imaginary_limit, tableau
from lrfm.integrate.schemes.radau import Iteration
from lrfm.integrate.start import wall_start
from lrfm.integrate.state import IntegratorState

REACTION = strip(
    "u_t = 0.1*lap(u) + u - u**3", "sin(x)*y*(1 - y)", {"x": "periodic", "y-": "u = 0", "y+": "u_n = -u"}
)
FLOW = strip(
    ["u_t + u*u_x + v*u_y = -p_x + 0.1*lap(u)", "v_t + u*v_x + v*v_y = -p_y + 0.1*lap(v)", "u_x + v_y = 0"],
    {"u": "0", "v": "0"},
    {"x": "periodic", "y": ["u = 0", "v = 0"]},
)


def test_conditions_of_order():
    """All of order four, with any of both matrices in every place; those of order three for the embedded weights."""
    c, implicit, explicit, b, lower = tableau()
    both = (implicit, explicit)
    for a in both:
        assert np.allclose(a.sum(axis=1), c, atol=1e-14)
    for weights in (b, lower):
        for power in (0, 1, 2):
            assert np.isclose(weights @ c**power, 1 / (power + 1), atol=1e-14)
        for a in both:
            assert np.isclose(weights @ a @ c, 1 / 6, atol=1e-14)
    assert np.isclose(b @ c**3, 1 / 4, atol=1e-14)
    for a in both:
        assert np.isclose((b * c) @ a @ c, 1 / 8, atol=1e-14)
        assert np.isclose(b @ a @ c**2, 1 / 12, atol=1e-14)
    for a, other in itertools.product(both, repeat=2):
        assert np.isclose(b @ a @ other @ c, 1 / 24, atol=1e-14)
    assert abs(lower @ c**3 - 1 / 4) > 1e-3
    assert np.array_equal(implicit[-1], b)  # stiffly accurate


def begun(problem, functions):
    """A consistent state that has been smoothed by the equation itself: data that meet no further conditions have layers."""
    made = walled(problem, 6)
    x, y = made.mesh.points().T
    values = np.zeros((len(made.system.components), 1, made.mesh.reals))
    for name, f in functions.items():
        c = made.system.first[name]
        own = made.mesh.coefficients(f(x, y).reshape(made.mesh.grid), made.form.parities[c])
        values[c, 0] = made.mesh.flat(own)
    v, z = wall_start(made, 0.0, values, 1.0)
    state = IntegratorState(0.0, made.mesh, v, z, 0.1, 0.0, np.zeros(len(v)), np.zeros(len(v)))
    for _ in range(10):
        state, _ = stepped(made, state, 0.05)
    return made, state


def stepped(made, state, length):
    scheme = AdditiveRungeKutta(1.0, SERIES.lengths)
    result = scheme.step(made, None, state, length, Iteration(lambda v: 0.0, 0.0, 1))
    assert result.converged
    return state.with_(time=state.time + length, y=result.end, z=result.rates[-1], steps=1), result


def over(made, state, span, steps):
    for _ in range(steps):
        state, result = stepped(made, state, span / steps)
    return state, result


def test_steps_are_of_order_four():
    made, state = begun(REACTION, {"u": lambda x, y: 3 * np.sin(x) * y * (1 - y)})
    exact, _ = over(made, state, 0.8, 32)
    errors = [np.max(made.norms(over(made, state, 0.8, n)[0].y - exact.y)) for n in (2, 4)]
    assert errors[0] / errors[1] > 2**3.5


def test_the_error_is_not_below_the_true_one():
    made, state = begun(REACTION, {"u": lambda x, y: 3 * np.sin(x) * y * (1 - y)})
    exact, _ = over(made, state, 0.2, 16)
    end, result = stepped(made, state, 0.2)
    # Errors are measured as √(T/h) times what they are.
    found = made.norms(result.error) * np.sqrt(0.2)
    assert made.norms(end.y - exact.y)[0] <= found[0]


def test_divergence_and_walls_hold_at_the_end_of_a_step():
    made, state = begun(
        FLOW,
        {
            "u": lambda x, y: np.cos(x) * (2 * y - 6 * y**2 + 4 * y**3),
            "v": lambda x, y: np.sin(x) * (y * (1 - y)) ** 2,
        },
    )
    end, _ = stepped(made, state, 0.3)
    y = end.y.copy()
    y[made.system.first["p"]] = 0.0
    rows = made.scatter(made.residual(np.array([end.time]), y[None], 0 * y[None]))[0, :, 0]
    rows = dict(zip(made.system.fields, made.mesh.complexes(rows), strict=True))
    assert np.max(np.abs(rows["p"])) < 1e-12
    assert max(np.max(np.abs(rows[name][:, -2:])) for name in "uv") < 1e-12


@pytest.mark.parametrize("problem", [REACTION, FLOW])
def test_what_is_between_the_ends_meets_them(problem):
    made, state = begun(problem, {"u": lambda x, y: np.cos(x) * (2 * y - 6 * y**2 + 4 * y**3)})
    end, result = stepped(made, state, 0.1)
    from lrfm.integrate.schemes.tableaus import radau

    scheme = radau(3)
    moved = 0.1 * np.tensordot(scheme.weights, result.rates, axes=1)
    assert np.allclose(state.y + moved, end.y, rtol=0, atol=1e-13)


@pytest.mark.parametrize("nu", [1e-3, 0.02])
def test_steps_are_as_long_as_explicit_stages_carry_the_shortest_waves(nu):
    """Beyond that they grow from nothing, faster with more of them."""
    problem = strip(f"2*u_t + 2*u*u_x = {2 * nu}*lap(u)", "5", {"x": "periodic", "y": "u_n = 0"})
    made = walled(problem, 16)
    x, _ = made.mesh.points().T
    waves = 5 + 1e-9 * sum(np.cos(k * x) for k in range(12, 17))
    parity = made.form.parities[0]
    y = made.mesh.flat(made.mesh.coefficients(waves.reshape(1, *made.mesh.grid), parity))[:, None]
    state = IntegratorState(0.0, made.mesh, y, 0 * y, 0.1, 0.0, np.zeros(1), np.zeros(1))
    longest = AdditiveRungeKutta(1.0, SERIES.lengths).longest(made, state)
    k = np.arange(1, 17)
    stable = 1 / np.max(5 * k / imaginary_limit() - nu * k**2 / 4)
    np.testing.assert_allclose(longest, stable, rtol=0.01)

    def grown(length, steps=4):
        end, _ = over(made, state, steps * length, steps)
        left = end.y - np.mean(y[0, 0, :1]) * (np.arange(y.shape[2]) == 0)
        return float(made.norms(left)[0] / made.norms(y - 5.0 * (np.arange(y.shape[2]) == 0))[0])

    assert grown(longest) <= 1.001
    assert grown(2 * longest) > 10
