# SPDX-License-Identifier: MIT
"""Leaps on evenly spread functions: kinks that travel undamped."""

import numpy as np
import pytest

import lrfm
from lrfm.problem import Box, Jet, Problem
from lrfm.rows.exponentials import Exponentials
from lrfm.solver.lines.even import _on, even_leap
from lrfm.solver.lines.form import form_of
from lrfm.solver.lines.front import begin
from lrfm.solver.lines.ringing import LOWERED, RINGING, Ringing
from lrfm.solver.lines.state import Residual

U = Jet("u", (0, 0))


def plucked(seed):
    """A string pulled at a random point, with a random speed, and its exact solution."""
    rng = np.random.default_rng(seed)
    p, c = rng.uniform(0.2, 0.8), rng.uniform(0.5, 1.5)

    def shape(x):
        return np.minimum(x / p, (1 - x) / (1 - p))

    def exact(x, t):
        waves = [np.mod(x + sign * c * t + 1, 2) - 1 for sign in (1, -1)]
        return 0.5 * sum(np.sign(y) * shape(np.abs(y)) for y in waves)

    problem = Problem(
        f"u_tt = {c**2}*u_xx",
        domain=Box(x=(0, 1)),
        time=(0, 1.5),
        initial={"u": shape, "u_t": "0"},
        boundary="u = 0",
    )
    return problem, exact


def error_of(values, exact, x, times):
    true = np.array([exact(x, t) for t in times])
    return np.sqrt(np.sum((values - true) ** 2) / np.sum(true**2))


@pytest.mark.parametrize("seed", range(2))
def test_a_string_is_met_and_its_estimate_is_no_smaller_than_the_error(seed):
    problem, exact = plucked(seed)
    solution = lrfm.solve(problem, tol=3e-3, seed=seed)
    x, times = (np.arange(1500) + 0.5) / 1500, 1.5 * (np.arange(30) + 0.5) / 30
    values = np.array([solution["u"](x=x, t=np.full(len(x), t)) for t in times])
    assert solution.report.status == "tolerance met"
    assert error_of(values, exact, x, times) <= solution.report.error_estimate


@pytest.mark.parametrize(
    ("power", "tol"), [pytest.param(1, 1e-4, marks=pytest.mark.slow), (2, 1e-6)], ids=["string", "beam"]
)
def test_a_load_that_sets_in_suddenly_on_what_rests(power, tol):
    """∂ₜ²u = −(−∂ₓ²)ᵖu + q from rest: u_k = 4q (1 − cos ωt)/(kω²), ω = cᵖ kᵖ, k odd multiples of π; its energy is zero at all times."""
    rng = np.random.default_rng(power)
    q, c = rng.uniform(1, 9), rng.uniform(0.5, 1)
    text, ends = (f"{c**2}*u_xx", ["u = 0"]) if power == 1 else (f"-{c**2}*u_xxxx", ["u = 0", "u_xx = 0"])
    problem = Problem(
        f"u_tt = {text} + {q}",
        domain=Box(x=(0, 1)),
        time=(0, 1),
        initial={"u": "0", "u_t": "0"},
        boundary={"*": ends},
    )
    solution = lrfm.solve(problem, tol=tol)
    k = np.pi * np.arange(1, 2000, 2)[:, None]
    w = c * k**power

    def exact(x, t):
        return np.sum(4 * q / (k * w**2) * np.sin(k * x) * (1 - np.cos(w * t)), axis=0)

    x, times = (np.arange(200) + 0.5) / 200, (np.arange(20) + 0.5) / 20
    values = np.array([solution["u"](x=x, t=np.full(len(x), t)) for t in times])
    assert error_of(values, exact, x, times) <= solution.report.error_estimate <= tol


def test_kinks_converge_in_l2_as_evenly_spread_functions_hold_them():
    problem, exact = plucked(5)
    march = begin(form_of(problem), 1e-3, [0])
    state, rng = march.begin(), np.random.default_rng(1)
    x, times = (np.arange(3000) + 0.5) / 3000, 1.5 * (np.arange(20) + 0.5) / 20
    errors, sizes = [], []
    for modes in (40, 120):
        found = _on(march, state, modes, rng)
        assert found is not None
        assert isinstance(found.leap.piece, Exponentials)
        values = found.leap.piece.on_grid([U], [x], times)[U]
        errors.append(error_of(values, exact, x, times))
        sizes.append(found.leap.start.basis.size)
    rate = np.log(errors[0] / errors[1]) / np.log(sizes[1] / sizes[0])
    assert 1.1 < rate < 2.2


def test_kinks_that_fade_are_left_to_charts_and_steps():
    tent = Problem(
        "u_t = 0.1*u_xx", domain=Box(x=(0, 1)), time=(0, 1), initial="0.5 - abs(x - 0.5)", boundary="u = 0"
    )
    march = begin(form_of(tent), 1e-3, [0])
    assert even_leap(march, march.begin()) is None


def test_a_residual_that_shortening_does_not_lower_is_not_shortened_for_again():
    ringing, high = Ringing(), Residual(3 * RINGING, 1.0)
    assert ringing.shortens(high, 100.0, 0.1)
    assert not ringing.shortens(high, 100.0, 0.02)
    ringing.kept()
    assert not ringing.shortens(high, 100.0, 0.1)
    assert ringing.shortens(Residual(7 * RINGING, 1.0), 100.0, 0.1)
    ringing.kept()
    ringing.held()
    assert ringing.shortens(high, 100.0, 0.1)


def test_steps_are_shortened_as_long_as_that_lowers_the_residual():
    ringing, found = Ringing(), 20 * RINGING
    for _ in range(3):
        assert ringing.shortens(Residual(found, 1.0), 100.0, 0.1)
        found *= 0.9 * LOWERED
