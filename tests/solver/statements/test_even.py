# SPDX-License-Identifier: MIT
"""Leaps on evenly spread functions: kinks that travel undamped."""

import numpy as np
import pytest

import lrfm
from lrfm.problem import Box, Jet, Problem

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
