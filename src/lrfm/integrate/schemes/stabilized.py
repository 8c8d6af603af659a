# SPDX-License-Identifier: MIT
"""Explicit steps of many stages for diffusion: Runge-Kutta-Legendre schemes of order two (Meyer, Balsara, Aslam, J. Comput. Phys. 257, 2014).

Of s stages they are stable for (s² + s − 2)/4 Euler steps; no matrix, no Newton's method, whatever vanishes.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

Rates = Callable[[float, np.ndarray], np.ndarray]


def stages_for(ratio: float) -> int:
    """The fewest stages, an odd number, that are stable for so many Euler steps."""
    needed = math.ceil(0.5 * (math.sqrt(9 + 16 * ratio) - 1))
    return max(3, needed + 1 - needed % 2)


def euler_steps(stages: int) -> float:
    """(s² + s − 2)/4."""
    return (stages**2 + stages - 2) / 4


def step(
    rates: Rates, time: float, y: np.ndarray, length: float, first: np.ndarray, stages: int
) -> np.ndarray:
    """y after one step, from y′ at the start."""
    j = np.arange(stages + 1)
    b = np.ones(stages + 1) / 3
    b[2:] = (j[2:] ** 2 + j[2:] - 2) / (2 * j[2:] * (j[2:] + 1))
    part = 1 / euler_steps(stages)
    before, here = y, y + b[1] * part * length * first
    for k in range(2, stages + 1):
        mu = (2 * k - 1) / k * b[k] / b[k - 1]
        nu = -(k - 1) / k * b[k] / b[k - 2]
        at = time + length * part * (((k - 1) ** 2 + (k - 1) - 2) / 4 if k > 2 else b[1])
        moved = mu * part * length * (rates(at, here) - (1 - b[k - 1]) * first)
        before, here = here, mu * here + nu * before + (1 - mu - nu) * y + moved
    return here
