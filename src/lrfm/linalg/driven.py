# SPDX-License-Identifier: MIT
"""What drives y′ = −λ y + P_j(2s/h − 1), a Legendre polynomial of time, makes of it until τ ≤ h:

    ψ_j(τ, λ) = ∫₀^τ e^{−(τ−s)λ} P_j(2s/h − 1) ds,

by Gauss' rule where |λτ| is small, and by parts elsewhere, Σ_k (−1)^k λ^{−k−1} [P_j^{(k)}]: both to rounding for the degrees below ten that steps have.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.polynomial import legendre

POINTS, FAST = (
    32,
    40.0,
)  # of Gauss' rule, which leaves (z/4)^64/64! of e^z up to this z; beyond, terms by parts are below three and fall


@lru_cache(maxsize=4)
def _rule() -> tuple[np.ndarray, np.ndarray]:
    nodes, weights = legendre.leggauss(POINTS)
    return 0.5 * (1 + nodes), 0.5 * weights


def driven(rates: np.ndarray, times: np.ndarray, length: float, degrees: int) -> np.ndarray:
    """ψ_j for j < `degrees`: (rates, times, degrees). Rates may be complex."""
    z = np.multiply.outer(rates, times)
    if degrees == 1:  # the polynomial is one
        safe = np.where(rates == 0, 1.0, rates)[:, None]
        small = np.abs(z) < np.finfo(float).eps
        return np.where(small, times, -np.expm1(-z) / safe)[..., None]
    fast = np.abs(z) > FAST
    result = np.zeros((*z.shape, degrees), dtype=z.dtype)
    nodes, weights = _rule()
    places = legendre.legvander(2 * np.multiply.outer(times / length, nodes) - 1, degrees - 1)
    near = np.exp(-np.where(fast, 0.0, z)[..., None] * (1 - nodes)) * weights
    result += times[:, None] * np.einsum("rtn,tnj->rtj", near, places)
    if fast.any():
        rate, time = (a[fast] for a in np.broadcast_arrays(rates[:, None], times))
        result[fast] = _by_parts(rate, time, length, degrees)
    return result


def _by_parts(rates: np.ndarray, times: np.ndarray, length: float, degrees: int) -> np.ndarray:
    """The same for pairs of fast rates and times: (pairs, degrees)."""
    table, gone = np.eye(degrees), np.exp(-rates * times)
    result = np.zeros((len(rates), degrees), dtype=rates.dtype)
    for k in range(degrees):
        late = legendre.legval(2 * times / length - 1, table).T
        early = legendre.legval(-1.0, table)
        result += ((-1.0) ** k * rates ** -(k + 1.0))[:, None] * (late - gone[:, None] * early)
        table = 2 / length * legendre.legder(table, axis=0)
    return result
