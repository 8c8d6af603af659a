# SPDX-License-Identifier: MIT
"""Values at the Gauss-Lobatto points of a cell: a polynomial is its values V_i = u(ξ_i), and its mean over the cell ½ Σ ω_i V_i."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.polynomial import legendre

from lrfm.spaces.cells.reference import table


@dataclass(frozen=True)
class Lobatto:
    """Points ξ, weights ω, values from coefficients and back, and the weak derivative Σ_j ω_j D_ji F_j/ω_i as F @ weak."""

    points: np.ndarray
    weights: np.ndarray
    values: np.ndarray
    coefficients: np.ndarray
    weak: np.ndarray


@lru_cache(maxsize=32)
def lobatto(count: int) -> Lobatto:
    """The points ±1 and the zeros of P′_(count−1)."""
    top = np.zeros(count)
    top[-1] = 1.0
    inner = np.sort(legendre.legroots(legendre.legder(top)).real) if count > 2 else np.zeros(0)
    points = np.concatenate([[-1.0], 0.5 * (inner - inner[::-1]), [1.0]])
    weights = 2.0 / (count * (count - 1) * legendre.legval(points, top) ** 2)
    values = table(points, count)
    coefficients = np.linalg.inv(values)
    slopes = table(points, count, 1) @ coefficients
    weak = weights[:, None] * slopes / weights[None, :]
    return Lobatto(points, weights, values, coefficients, weak)
