# SPDX-License-Identifier: MIT
"""Runge-Kutta-Legendre schemes: order two, and stable for as many Euler steps as they say."""

import numpy as np
import pytest

from lrfm.integrate.schemes import ssp, stabilized


@pytest.mark.parametrize("stages", [3, 7, 15])
def test_order_two_where_rates_depend_on_time(stages):
    """y′ = −y² + cos t, against a thousand steps of order three."""

    def rates(t, y):
        return -(y**2) + np.cos(t)

    def ended(count, step):
        y, h = np.array([0.5]), 1 / count
        for i in range(count):
            y = step(rates, i * h, y, h, rates(i * h, y))
        return y[0]

    exact = ended(1000, ssp.third)
    errors = [abs(ended(n, lambda *a: stabilized.step(*a, stages)) - exact) for n in (10, 20)]
    assert 1.8 < np.log2(errors[0] / errors[1]) < 2.3


@pytest.mark.parametrize("stages", [3, 9, 39])
def test_all_decay_up_to_the_longest_step(stages):
    """y′ = −λy with λh from zero to twice as many Euler steps (each of λh = 2 at the most)."""
    z = np.linspace(0, 2 * stabilized.euler_steps(stages), 4001)
    found = stabilized.step(lambda t, y: -z * y, 0.0, np.ones_like(z), 1.0, -z, stages)
    assert np.max(np.abs(found)) <= 1 + 1e-12
    assert stabilized.stages_for(stabilized.euler_steps(stages)) == stages


def test_three_stages_of_order_three():
    def rates(t, y):
        return -y + np.sin(3 * t)

    def ended(count):
        y, h = np.ones(1), 1 / count
        for i in range(count):
            y = ssp.third(rates, i * h, y, h, rates(i * h, y))
        return y[0]

    exact = 1.3 * np.exp(-1) + (np.sin(3) - 3 * np.cos(3)) / 10
    errors = [abs(ended(n) - exact) for n in (20, 40)]
    assert 2.8 < np.log2(errors[0] / errors[1]) < 3.2
