# SPDX-License-Identifier: MIT
"""Time constants of functions whose rates are known, and of solutions of equations whose rates are known."""

import itertools
import math

import numpy as np
import pytest
from helpers import examples
from hypothesis import assume, given
from hypothesis import strategies as st

import lrfm
from lrfm.solution.time_constants import time_constants


def constants(function, duration, start=0.0, rest=1e-4):
    """Of a function of (x, t) on the unit interval."""
    field = lambda points: np.asarray(function(points[:, 0], points[:, -1])).reshape(len(points), -1)  # noqa: E731
    return time_constants(field, np.zeros(1), np.ones(1), (start, start + duration), rest)


def test_modes_of_the_heat_equation():
    """Σ e^(−k²π²t) sin(kπx)/k²: time constants 1/(k²π²), although five profiles overlap in time."""
    modes = range(1, 6)
    u = lambda x, t: sum(np.exp(-((k * np.pi) ** 2) * t) * np.sin(k * np.pi * x) / k**2 for k in modes)  # noqa: E731
    found = sorted(c.tau for c in constants(u, 0.25))[::-1]
    assert np.allclose(found, [1 / (k * np.pi) ** 2 for k in modes], rtol=1e-3)


def test_three_decades_in_one_profile():
    """One profile with three relaxation times: shares are the amplitudes."""
    q = lambda t: 0.5 * np.exp(-t) + 0.3 * np.exp(-100 * t) + 0.2 * np.exp(-1e4 * t)  # noqa: E731
    found = constants(lambda x, t: np.sin(np.pi * x) * q(t), 0.1)
    assert [c.tau for c in found] == pytest.approx([1.0, 1e-2, 1e-4], rel=1e-3)
    assert [c.share for c in found] == pytest.approx([0.5, 0.3, 0.2], abs=1e-3)
    assert not any(math.isfinite(c.period) for c in found)


def test_a_standing_wave_has_periods_and_does_not_decay():
    found = constants(
        lambda x, t: np.cos(np.pi * t) * np.sin(np.pi * x) + 0.2 * np.cos(3 * np.pi * t) * np.sin(3 * np.pi * x), 4.0
    )  # fmt: skip
    assert [c.period for c in found] == pytest.approx([2.0, 2 / 3], rel=1e-6)
    assert all(math.isinf(c.tau) for c in found)


def test_damping_and_growth_are_told_apart():
    (damped,) = constants(lambda x, t: np.exp(-t) * np.cos(10 * t + x), 2.0)
    assert (damped.tau, damped.period) == pytest.approx((1.0, 2 * np.pi / 10), rel=1e-6)
    growing, steady = constants(lambda x, t: 1 + np.exp(4 * (t - 5)) * np.sin(np.pi * x), 1.0, start=5.0)
    assert growing.tau == pytest.approx(-0.25, rel=1e-3)
    assert math.isinf(steady.tau)
    assert "growth 0.25" in str(growing)
    assert str(steady).startswith("steady (")


def test_a_small_unknown_counts_like_a_large_one_and_zero_not_at_all():
    fields = lambda x, t: np.column_stack([1e3 * np.exp(-t), 1e-3 * np.exp(-30 * t), 0 * t])  # noqa: E731
    found = constants(fields, 1.0)
    assert sorted(c.tau for c in found) == pytest.approx([1 / 30, 1.0], rel=1e-3)
    assert constants(lambda x, t: 0 * t, 1.0) == ()
    assert constants(lambda x, t: np.where(t > 0.5, np.nan, 1.0), 1.0) == ()


@examples(25)
@given(
    st.lists(st.floats(0.5, 4.0), min_size=1, max_size=3),
    st.integers(0, 1000),
)
def test_random_sums_of_decaying_modes_are_found(exponents, seed):
    """Rates at least a factor of two apart, orthogonal profiles of random size, duration 1."""
    rates = sorted(10.0**e for e in exponents)
    assume(all(b / a > 2.0 for a, b in itertools.pairwise(rates)))
    sizes = np.random.default_rng(seed).uniform(0.3, 1.0, len(rates))
    u = lambda x, t: sum(  # noqa: E731
        a * np.exp(-r * t) * np.sin((k + 1) * np.pi * x)
        for k, (r, a) in enumerate(zip(rates, sizes, strict=True))
    )
    found = sorted(1 / c.tau for c in constants(u, 1.0))
    assert found == pytest.approx(rates, rel=1e-2)


def test_a_moving_pulse_gets_few_terms_and_shares_add_up():
    found = constants(lambda x, t: np.exp(-50 * (x - 0.2 - 0.6 * t) ** 2), 1.0, rest=1e-2)
    assert 1 <= len(found) <= 6
    assert sum(c.share for c in found) == pytest.approx(1.0)


def test_a_solution_has_the_rates_of_its_equation(tmp_path):
    """u_t = u_xx from two modes, and the three relaxation times of the catalog's multiscale problem; also after a file."""
    problem = lrfm.Problem(
        "u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x) + 0.3*sin(3*pi*x)", boundary="u = 0"
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-5)
    found = solution.time_constants()
    assert [c.tau for c in found] == pytest.approx([1 / np.pi**2, 1 / (9 * np.pi**2)], rel=1e-2)
    assert lrfm.load(solution.save(tmp_path / "run.lrfm")).time_constants() == found
    found = lrfm.solve(lrfm.catalog.multiscale_1d(), tol=1e-3, strict=False).time_constants()
    assert sorted(c.tau for c in found) == pytest.approx([1e-4, 1e-2, 1.0], rel=0.1)
    assert [c.share for c in found] == pytest.approx([1 / 3] * 3, abs=0.02)


def test_what_is_not_resolved_has_no_time_constants():
    problem = lrfm.catalog.burgers()
    assert (
        lrfm.solve(problem, method=lrfm.SpaceTime(features=8, blocks=1), strict=False).time_constants() == ()
    )
