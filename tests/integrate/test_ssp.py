# SPDX-License-Identifier: MIT
"""The explicit scheme has its order, its embedded formula one less, and keeps what Euler steps keep."""

import numpy as np
import pytest

from lrfm.integrate.schemes import ssp


def test_order_conditions():
    """Order four of the formula, three of the embedded one, which misses one condition of order four."""
    a, b = ssp.butcher()
    c, d = a.sum(axis=1), ssp.embedded()
    conditions = [(np.ones(10), 1), (c, 1 / 2), (c**2, 1 / 3), (a @ c, 1 / 6)]
    fourth = [(c**3, 1 / 4), (c * (a @ c), 1 / 8), (a @ c**2, 1 / 12), (a @ a @ c, 1 / 24)]
    for row, value in [*conditions, *fourth]:
        assert b @ row == pytest.approx(value, abs=1e-14)
    for row, _ in conditions:
        assert d @ row == pytest.approx(0, abs=1e-14)
    assert d @ c**3 == pytest.approx(1 / 24)


def test_stages_are_those_of_the_tableau():
    """The scheme in its low-storage form against A and b, on a nonlinear system with time in it."""
    a, b = ssp.butcher()

    def rates(t, y):
        return np.array([np.sin(t) * y[1], -(y[0] ** 2) + t])

    y, h, t = np.array([0.7, -0.4]), 0.3, 0.2
    stages = []
    for i in range(10):
        at = y + h * sum((a[i, j] * stages[j] for j in range(i)), np.zeros(2))
        stages.append(rates(t + h * a[i].sum(), at))
    found, error, first = ssp.step(rates, t, y, h)
    assert found == pytest.approx(y + h * b @ np.array(stages), rel=1e-14)
    assert error == pytest.approx(h * ssp.embedded() @ np.array(stages), rel=1e-12)
    assert first == pytest.approx(rates(t, y))


def test_what_euler_steps_keep_is_kept():
    """Upwind differences of a step function stay monotone at six times the step of Euler's method, and not at eight."""

    def variation(length):
        v = np.where(np.arange(120) < 30, 1.0, 0.0)
        for _ in range(3):
            v, _, _ = ssp.step(lambda t, u: -(u - np.concatenate([[1.0], u[:-1]])), 0.0, v, length)
        return np.abs(np.diff(np.concatenate([[1.0], v]))).sum()

    assert variation(6.0) == pytest.approx(1.0, abs=1e-12)
    assert variation(8.0) > 1 + 1e-3
