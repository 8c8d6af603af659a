# SPDX-License-Identifier: MIT
"""Strong-stability-preserving Runge-Kutta schemes: ten stages of order four (Ketcheson, SIAM J. Sci. Comput. 30, 2008), three of order three (Shu, Osher, J. Comput. Phys. 77, 1988).

The first is a convex combination of Euler steps of a sixth of its own length: what one Euler step does not let grow, it does not either. An error in time follows
from a formula of order three with the same stages. The second is one of Euler steps of its own length; at the same cost there are three times as many steps to keep.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

STAGES, EULER = 10, 6  # stages, and Euler steps in the length of one step that keep what these keep

Rates = Callable[[float, np.ndarray], np.ndarray]


def butcher() -> tuple[np.ndarray, np.ndarray]:
    """A and b."""
    a = np.tril(np.full((STAGES, STAGES), 1 / EULER), -1)
    a[5:, :5] = 1 / 15
    return a, np.full(STAGES, 1 / STAGES)


@lru_cache(maxsize=1)
def embedded() -> np.ndarray:
    """d = b − b̂ for a formula b̂ of order three: orthogonal to the conditions up to that order, and to none of order four by more than needed."""
    a, _ = butcher()
    c = a @ np.ones(STAGES)
    lower = np.stack([np.ones(STAGES), c, c**2, a @ c])
    basis = np.linalg.svd(lower)[2][len(lower) :]
    fourth = c**3
    d = (basis @ fourth) @ basis
    # An error constant such as formulas of order three have: 1/4! of the fourth derivative.
    return d / (d @ fourth) / 24


def step(
    rates: Rates, time: float, y: np.ndarray, length: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """y after one step, its error in time, and y′ at the start."""
    d, sixth = embedded() * length, length / EULER
    first = rates(time, y)
    error, one, two = d[0] * first, y + sixth * first, y
    for i in range(1, 5):
        k = rates(time + i * sixth, one)
        error += d[i] * k
        one = one + sixth * k
    two = two / 25 + (9 / 25) * one
    one = 15 * two - 5 * one
    for i in range(5, 9):
        k = rates(time + (i - 3) * sixth, one)
        error += d[i] * k
        one = one + sixth * k
    k = rates(time + length, one)
    error += d[9] * k
    return two + (3 / 5) * one + length / STAGES * k, error, first


def third(rates: Rates, time: float, y: np.ndarray, length: float, first: np.ndarray) -> np.ndarray:
    """y after one step of order three, from y′ at the start."""
    one = y + length * first
    two = (3 * y + one + length * rates(time + length, one)) / 4
    return (y + 2 * (two + length * rates(time + 0.5 * length, two))) / 3
