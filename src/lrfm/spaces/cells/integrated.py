# SPDX-License-Identifier: MIT
"""Polynomials of one cell by their m-th derivative:  ψ_j = φ_j for j < m,  ψ_j = Iᵐ φ_{j−m} above,  I P_k = (P_{k+1} − P_{k−1})/(2k + 1).

They span the same functions as φ_j. A derivative of order d is I^(m−d) of a Legendre polynomial, which nothing has been subtracted for, where d^m φ_j/dξ^m grows
like j^(2m) and has lost as many digits (Greengard, SIAM J. Numer. Anal. 28, 1991).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.polynomial import legendre

from lrfm.spaces.cells.reference import Reference


@lru_cache(maxsize=32)
def derivatives(size: int, order: int) -> tuple[np.ndarray, ...]:
    """Legendre coefficients of d^d ψ_j/dξ^d, d = 0 … m: (size, size) each, one column per function."""
    scale = np.diag(np.sqrt(2 * np.arange(size) + 1.0))
    numbers = np.arange(size)
    integral = np.zeros((size, size))
    integral[numbers[1:], numbers[:-1]] = 1 / (2 * numbers[:-1] + 1.0)
    integral[numbers[:-1], numbers[1:]] = -1 / (2 * numbers[1:] + 1.0)
    top = np.zeros((size, size))
    top[:, order:] = scale[:, : size - order]
    found = []
    for d in range(order, -1, -1):
        low = legendre.legder(scale[:, :order], d, axis=0) if order else np.zeros((size, 0))
        whole = top.copy()
        whole[: len(low), :order] = low
        found.append(whole)
        top = integral @ top
    return tuple(reversed(found))


def to_plain(size: int, order: int) -> np.ndarray:
    """Coefficients of φ from those of ψ: (size, size)."""
    return derivatives(size, order)[0] / np.sqrt(2 * np.arange(size) + 1.0)[:, None]


class IntegratedReference(Reference):
    """The tables of a cell for these functions."""

    def __init__(self, size: int, count: int, order: int):
        super().__init__(size, count, 0, 0)
        at = np.concatenate([self.points, [-1.0, 1.0]])
        found = np.stack([legendre.legvander(at, size - 1) @ own for own in derivatives(size, order)])
        self.at_points = np.ascontiguousarray(found[:, :count])
        self.at_ends = np.ascontiguousarray(found[:, count:].swapaxes(0, 1))
        self.to_plain = to_plain(size, order)
