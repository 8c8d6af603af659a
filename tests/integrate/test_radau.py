# SPDX-License-Identifier: MIT
"""One step of Radau IIA: its order at the end, its embedded error, what the filter leaves of a stiff mode, chains."""

from dataclasses import replace

import numpy as np
import pytest
from on_cells import discretized, line

from lrfm.integrate.schemes.radau import Iteration, Radau, complete, embedded
from lrfm.integrate.schemes.tableaus import radau
from lrfm.integrate.start import consistent_start
from lrfm.integrate.state import IntegratorState


def started(problem, count=4, cells=2):
    made = discretized(problem, count, np.linspace(0, 1, cells + 1))
    y = np.zeros((len(made.system.components), cells, made.layout.size))
    return made, y


def state_of(made, y, z, time=0.0):
    nothing = np.zeros(len(y))
    return IntegratorState(time, made.mesh, y, z, 1.0, 0.0, nothing, nothing)


def stepped(made, y, length, stages, time=0.0):
    y, z = consistent_start(made, time, y, 1.0)
    state = state_of(made, y, z, time)
    pencil = made.linearize(time, y, z)
    result = Radau(stages).step(made, pencil, state, length, Iteration(lambda c: np.abs(c).max(), 1e-15, 30))
    assert result.converged
    return result


RICCATI = line("u_t = u**2 + 0*u_xx", "1/2", "periodic")  # the same at all places: u = 1/(2 − t)


def smooth(length, stages):
    made, y = started(RICCATI)
    y[0, :, 0] = 0.5
    return stepped(made, y, length, stages)


@pytest.mark.parametrize("stages", [2, 3, 4])
def test_the_end_has_order_2k_minus_1(stages):
    """The error of one step is of order 2K."""
    errors = [abs(smooth(h, stages).end[0, 0, 0] - 1 / (2 - h)) for h in (0.4, 0.2)]
    assert np.log2(errors[0] / errors[1]) > 2 * stages - 0.5


@pytest.mark.parametrize("stages", [3, 5])
def test_the_embedded_error_has_order_k_plus_1(stages):
    """ŷ − y₁ = O(h^(K + 1)), larger than the error of y₁ itself."""
    found = [smooth(h, stages) for h in (0.1, 0.05)]
    for kind in ("error", "inside"):
        sizes = [np.abs(getattr(r, kind)[0, :, 0]).max() for r in found]
        assert abs(np.log2(sizes[0] / sizes[1]) - (stages + 1)) < 0.4, kind
    assert np.abs(found[1].error).max() > abs(found[1].end[0, 0, 0] - 1 / 1.95)


@pytest.mark.parametrize("stages", [3, 5, 7])
def test_the_embedded_formula_integrates_polynomials(stages):
    """γ₀ y′(0) + Σ (bᵢ + dᵢ) y′(cᵢ) is exact for y′ of degree below K."""
    gamma, d = embedded(stages)
    scheme = radau(stages)
    for degree in range(stages):
        value = gamma * (degree == 0) + (scheme.weights + d) @ scheme.nodes**degree
        assert abs(value - 1 / (degree + 1)) < 1e-12
    assert np.any(np.abs(d) > 1e-3)
    assert np.isclose(gamma, scheme.eigenvalues[np.imag(scheme.eigenvalues) == 0].real).any()


@pytest.mark.parametrize("stages", [2, 3, 5, 7])
def test_the_error_is_that_of_the_polynomial_within_the_step(stages):
    """u_t = t^K: the root mean square over the step of the polynomial of collocation less u."""
    made, y = started(line(f"u_t = t**{stages} + u_xx", "0", "periodic"))
    result, length = stepped(made, y, 0.7, stages), 0.7
    scheme, (tau, weights) = radau(stages), np.polynomial.legendre.leggauss(stages + 2)
    tau, weights = 0.5 + 0.5 * tau, 0.5 * weights
    powers = tau[:, None] ** np.arange(1, stages + 1) / np.arange(1, stages + 1)
    rates = np.linalg.solve(scheme.nodes[:, None] ** np.arange(stages), result.rates[:, 0, 0, 0])
    gap = length * powers @ rates - (tau * length) ** (stages + 1) / (stages + 1)
    found = result.part * np.abs(result.inside[0, :, 0]).max()
    assert found == pytest.approx(np.sqrt(weights @ gap**2), rel=1e-6)


@pytest.mark.parametrize("stages", [3, 5])
def test_a_stiff_mode_does_not_count(stages):
    """u_t = −λ(u − 1) with λh = 10⁶: what the step damps anyway is small after the filter, as long as it was before."""
    made, y = started(line("u_t = -1e6*(u - 1) + 0*u_xx", "0", "periodic"))
    result = stepped(made, y, 1.0, stages)
    assert abs(result.end[0, 0, 0] - 1) < 1e-5
    assert np.abs(result.inside).max() > 1e4
    assert np.abs(result.error).max() < 1.0
    soft = stepped(*started(line("u_t = -1e-3*(u - 1) + 0*u_xx", "0", "periodic")), 1.0, stages)
    np.testing.assert_allclose(soft.error, soft.inside, rtol=2e-3)  # nothing is damped, nothing is filtered


def test_polynomials_in_time_are_exact():
    """y of degree K, source of degree K − 1; no error is seen, either."""
    made, y = started(line("u_t = 3*t**2 + 0*u_xx", "1", "periodic"))
    y[0, :, 0] = 1.0
    result = stepped(made, y, 2.0, 3)
    np.testing.assert_allclose(result.end[0, :, 0], 9.0, rtol=1e-12)
    assert np.abs(result.error).max() < 1e-10


def test_newton_says_how_it_went():
    made, y = started(line("u_t = u**3 + 0*u_xx", "1", "periodic"))
    y[0, :, 0] = 1.0
    y, z = consistent_start(made, 0.0, y, 1.0)
    pencil = made.linearize(0.0, y, z)

    def attempt(length, most):
        norm = lambda c: float(np.abs(c).max())  # noqa: E731
        return Radau(3).step(made, pencil, state_of(made, y, z), length, Iteration(norm, 1e-13, most))

    good = attempt(0.1, 30)
    assert good.converged
    assert 0 < good.rate < 1
    assert np.isclose(good.end[0, 0, 0], 1 / np.sqrt(0.8), rtol=1e-5)
    assert not attempt(0.1, 2).converged  # too few iterations
    assert not attempt(3.0, 30).converged  # no solution lasts that long: it ends at t = 1/2


def test_one_iteration_shows_no_rate():
    """A step that needs one change says nothing about the next one; of rows that stay the same what was known is still known."""
    for power, left in ((3, 1.0), (1, 0.03)):
        made, y = started(line(f"u_t = u**{power} + 0*u_xx", "1", "periodic"))
        y[0, :, 0] = 1.0
        y, z = consistent_start(made, 0.0, y, 1.0)
        pencil, norm = made.linearize(0.0, y, z), lambda c: float(np.abs(c).max())
        result = Radau(3).step(made, pencil, state_of(made, y, z), 1e-3, Iteration(norm, 0.1, 8, 0.03))
        assert result.iterations == 1
        assert result.rate == left


def test_a_longer_step_is_expected_to_converge_more_slowly():
    """A step five times as long as the one that showed a rate iterates once more."""
    made, y = started(line("u_t = u**3 + 0*u_xx", "1", "periodic"))
    y[0, :, 0] = 1.0
    y, z = consistent_start(made, 0.0, y, 1.0)
    pencil, norm = made.linearize(0.0, y, z), lambda c: float(np.abs(c).max())
    state, counts = state_of(made, y, z), []
    for before in (0.1, 0.02):
        known = replace(state, before=(before, np.repeat(z[None], 3, axis=0)))
        size = []
        measured = lambda c: size.append(norm(c)) or size[-1]  # noqa: B023, E731
        Radau(3).step(made, pencil, known, 0.1, Iteration(measured, 1e-13, 30))
        goal = 2 * size[0] * 0.03
        counts.append(Radau(3).step(made, pencil, known, 0.1, Iteration(norm, goal, 8, 0.03)).iterations)
    assert counts == [1, 2]


class Rounded:
    """A discretization whose residuals have rounding; it counts its matrices."""

    def __init__(self, made, size):
        self.made, self.size, self.count, self.rng = made, size, 0, np.random.default_rng(0)

    def __getattr__(self, name):
        return getattr(self.made, name)

    def residual(self, *where):
        found = self.made.residual(*where)
        return found + self.size * self.rng.standard_normal(found.shape)

    def linearize(self, *where):
        self.count += 1
        return self.made.linearize(*where)


def test_a_consistent_start_ends_at_the_rounding_of_its_equations():
    """m = mean(u) is found to the rounding of its row, and not looked for below it."""
    made, y = started(line("u_t = -u*mean(u) + 0*u_xx", "1", "periodic"))
    y[0, :, 0] = 1.0
    for rounding, most in ((0.0, 3), (1e-9, 4)):
        rounded = Rounded(made, rounding)
        start, rates = consistent_start(rounded, 0.0, y, 1.0)
        assert rounded.count <= most
        np.testing.assert_allclose(start[1][..., 0], 1.0, atol=2e-6)  # an instant of 1e-6 after it
        np.testing.assert_allclose(rates[0, :, 0], -1.0, atol=1e-2)


def test_means_in_formulas_are_waited_for():
    """m = mean(u) is in no norm; a change of it shows in u one iteration later, whatever the rate was before."""
    made, y = started(line("u_t = -u*mean(u) + 0*u_xx", "1", "periodic"))
    y[0, :, 0] = 1.0
    y, z = consistent_start(made, 0.0, y, 1.0)
    y[1] *= 1 + 1e-3  # m, which no norm sees
    pencil = made.linearize(0.0, y, z)
    norm = lambda c: float(np.abs(c[..., 0, :, :]).max())  # noqa: E731
    result = Radau(3).step(made, pencil, state_of(made, y, z), 0.1, Iteration(norm, 1e-6, 8, 1e-6))
    assert result.iterations > 1
    assert np.isclose(result.end[0, 0, 0], 1 / 1.1, rtol=1e-6)


def test_a_linear_statement_takes_two_iterations():
    """One that solves it, and one that sees that nothing is left."""
    made, y = started(line("u_t = u_xx - u", "1", "periodic"))
    y[0, :, 0] = 1.0
    result = stepped(made, y, 0.5, 5)
    assert result.iterations <= 2
    assert np.isclose(result.end[0, 0, 0], np.exp(-0.5), rtol=1e-9)


# Chains -----------------------------------------------------------------------------------------------------


def test_chains_are_completed_by_integration():
    """u_tt = a: with y″ given at the stages, y′ and y are its integrals, exact for polynomials."""
    made, y = started(line("u_tt = u_xx", {"u": "1", "u_t": "0"}, "periodic"))
    scheme, h = radau(3), 0.7
    y[0], y[1] = 2.0, -1.0
    times = h * scheme.nodes
    rates = np.ones((3, 1, *y.shape[1:])) * (6 * times)[:, None, None, None]  # u_tt = 6t
    u, z = complete(made, y, rates, h * scheme.matrix)
    shape = times[:, None, None]
    np.testing.assert_allclose(z[:, 1], 6 * shape + 0 * z[:, 1], atol=1e-12)
    np.testing.assert_allclose(u[:, 1], -1 + 3 * shape**2 + 0 * z[:, 1], atol=1e-12)
    np.testing.assert_allclose(z[:, 0], u[:, 1], atol=1e-12)
    np.testing.assert_allclose(u[:, 0], 2 - shape + shape**3 + 0 * z[:, 1], atol=1e-12)


@pytest.mark.parametrize("stages", [3, 5])
def test_a_chain_has_the_same_orders(stages):
    """u_tt = u: u = u_t = exp t at the end of order 2K − 1, embedded errors of both of order K + 1."""
    problem = line("u_tt = u + 0*u_xx", {"u": "1", "u_t": "1"}, "periodic")
    gaps, seen = [], []
    for h in (0.8, 0.4):
        made, y = started(problem)
        y[:, :, 0] = 1.0
        result = stepped(made, y, h, stages)
        gaps.append(np.abs(result.end[:, 0, 0] - np.exp(h)))
        seen.append(np.abs(result.error[:, 0, 0]))
    orders = np.log2(gaps[0] / gaps[1])
    assert np.all(orders > 2 * stages - 0.6), orders
    assert np.all(np.log2(seen[0] / seen[1]) > stages + 0.5)


def test_a_step_is_predicted_by_the_one_before():
    """Rates that are a polynomial of degree K − 1 are met before Newton's method does anything."""
    made, y = started(line("u_t = 3*t**2 + 0*u_xx", "0", "periodic"))
    first = stepped(made, y, 0.5, 3)
    state = state_of(made, first.end, first.rates[-1], 0.5).with_(before=(0.5, first.rates))
    pencil = made.linearize(0.5, state.y, state.z)
    sizes = []
    norm = lambda c: sizes.append(np.abs(c).max()) or sizes[-1]  # noqa: E731
    Radau(3).step(made, pencil, state, 0.8, Iteration(norm, 1e-9, 9))
    assert sizes[0] < 1e-12


@pytest.mark.parametrize("stages", [3, 5, 7])
def test_rates_are_extended_exactly_as_polynomials(stages):
    """(τ − c)^k by its Taylor series at the end of the step, and at other places of it, for k < K."""
    scheme, orders = radau(stages), np.arange(stages)
    for k in range(stages):
        rates = (scheme.nodes + 9.0) ** k  # no term of it is larger than the one before
        found = scheme.beyond(rates[:, None], 1.3)[:, 0]
        for part in (0.3, 1.3):
            assert np.isclose(found @ part**orders, (10 + part) ** k, rtol=1e-9)
        places = np.array([0.0, 0.4, 2.0])
        assert np.allclose(scheme.extended(scheme.nodes**k, places), places**k)


def test_a_transient_is_not_extended():
    """exp(−50 τ) within a step is over at its end: the polynomial through it is more than ten at τ = 7, and is not followed."""
    scheme = radau(5)
    rates = np.exp(-50 * scheme.nodes)[:, None]
    wild = scheme.extended(rates, np.array([7.0]))
    kept = scheme.beyond(rates, 6.0)[:, 0] @ 6.0 ** np.arange(5)
    assert abs(wild[0, 0]) > 10
    assert abs(kept) < 1e-2


def test_components_are_extended_as_far_as_each_of_them_can_be():
    """A line beside a transient: all of the one, the value of the other."""
    scheme = radau(5)
    rates = np.stack([1 + scheme.nodes / 9, np.exp(-50 * scheme.nodes)], axis=1)
    line, over = (scheme.beyond(rates, 2.0).T @ 2.0 ** np.arange(5)).tolist()
    assert np.isclose(line, 1 + 3 / 9)
    assert np.isclose(over, rates[-1, 1])
