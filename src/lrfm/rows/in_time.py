# SPDX-License-Identifier: MIT
"""Polynomials in time of a step: a(t₀ + τh) = a₀ + h Σ_k c_k ∫₀^τ P_k(2s − 1) ds, c_k the Legendre coefficients of a′."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.polynomial import chebyshev as cheb
from numpy.polynomial import legendre


@lru_cache(maxsize=64)
def polynomials(stages: int, order: int) -> np.ndarray:
    """Chebyshev coefficients in 2τ − 1 of d^order/dτ^order of 1 and of ∫₀^τ P_k(2s − 1) ds: (1 + K, 1 + K)."""
    table = np.zeros((stages + 1, stages + 1))
    for row, polynomial in zip(table, [[1.0], *_integral_coefficients(stages).T], strict=True):
        derived = legendre.legder(polynomial, order) * 2.0**order
        row[: len(derived)] = _chebyshev_coefficients(derived)
    return table


def _chebyshev_coefficients(polynomial: np.ndarray) -> np.ndarray:
    """Of a polynomial given by its Legendre coefficients, from its values at Chebyshev's points."""
    at = cheb.chebpts1(len(polynomial))
    return np.linalg.solve(cheb.chebvander(at, len(polynomial) - 1), legendre.legval(at, polynomial))


@lru_cache(maxsize=64)
def _integral_coefficients(stages: int) -> np.ndarray:
    return np.column_stack([legendre.legint(np.eye(stages)[k], lbnd=-1) for k in range(stages)]) / 2


def integrals(stages: int, at: np.ndarray) -> np.ndarray:
    """∫₀^τ P_k(2s − 1) ds for k < K at places τ: (places, K)."""
    return legendre.legvander(2 * at - 1, stages) @ _integral_coefficients(stages)
