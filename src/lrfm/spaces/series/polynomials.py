# SPDX-License-Identifier: MIT
"""Legendre series along an axis between walls:  u = Σ_j c_j b_j(ξ),   b_j = √(2j + 1) P_j,   −1 ≤ ξ ≤ 1,   mean of b_i b_j = δ_ij.

Values belong to the zeros of P_M, with which products of three polynomials of degree K are integrated exactly for M > 3K/2.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.polynomial import legendre


@lru_cache(maxsize=64)
def nodes(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss points of (−1, 1), and weights of means."""
    places, weights = legendre.leggauss(count)
    return places, weights / 2


@lru_cache(maxsize=64)
def to_values(highest: int, count: int) -> np.ndarray:
    """b_j at so many Gauss points: (count, highest + 1)."""
    return polynomials(nodes(count)[0], highest, 0)


@lru_cache(maxsize=64)
def to_coefficients(highest: int, count: int) -> np.ndarray:
    """Means of b_j times values at Gauss points: (highest + 1, count)."""
    return to_values(highest, count).T * nodes(count)[1]


@lru_cache(maxsize=64)
def derivative(highest: int, order: int) -> np.ndarray:
    """d^order/dξ^order on coefficients."""
    if order == 0:
        return np.eye(highest + 1)
    scale = np.sqrt(2 * np.arange(highest + 1) + 1.0)
    one = np.zeros((highest + 1, highest + 1))
    if highest:
        one[:-1] = legendre.legder(np.eye(highest + 1), axis=0)
    return np.linalg.matrix_power(one * scale / scale[:, None], order)


def polynomials(places: np.ndarray, highest: int, order: int) -> np.ndarray:
    """d^order b_j/dξ^order at places: (places, highest + 1)."""
    table = legendre.legvander(np.asarray(places, dtype=float), highest)
    table = table * np.sqrt(2 * np.arange(highest + 1) + 1.0)
    return table @ derivative(highest, order) if order else table


def along(table: np.ndarray, array: np.ndarray, axis: int) -> np.ndarray:
    """Σ_j T_ij a_j along one axis of an array; real and imaginary parts one by one, so that T stays real."""
    if np.iscomplexobj(array) and not np.iscomplexobj(table):
        parts = np.ascontiguousarray(array).view(float).reshape(*array.shape, 2)
        return np.ascontiguousarray(along(table, parts, axis)).view(complex)[..., 0]
    before, after = array.shape[:axis], array.shape[axis + 1 :]
    count, behind = array.shape[axis], math.prod(after)
    if behind == 1:
        found = array.reshape(-1, count) @ table.T
    elif not axis:
        found = table @ array.reshape(count, behind)
    else:
        found = np.matmul(table, array.reshape(-1, count, behind))
    return found.reshape(*before, len(table), *after)
