# SPDX-License-Identifier: MIT
"""(A + sB) x = r for many s: A⁻¹B = Q H Qᵀ once, H of Hessenberg's form, then (1 + sH) Qᵀx = Qᵀ A⁻¹r.

Q and H take about as long as the factors of three complex A + sB; after that 1 + sH is factorized in O(n²) operations for each s. Q is
orthogonal, so that nothing is lost beside what the condition of A costs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.linalg import lapack
from lrfm.linalg.clock import LU, look, look_before
from lrfm.linalg.pivoted import product
from lrfm.linalg.room import reserve

HESSENBERG = 14.0  # work of Q and H, as that of LU in `clock`
WORST = 1e-6  # reciprocal condition of A, rows scaled, from which on it is solved with


class First:
    """Factors of A, and whether it may be solved with."""

    def __init__(self, matrix: np.ndarray):
        look_before(LU * len(matrix) ** 3)
        reserve(2.0 * matrix.size)
        self._scale = 1.0 / np.maximum(np.abs(matrix).max(axis=1, initial=0.0), 1e-300)
        scaled = matrix * self._scale[:, None]
        size = float(np.abs(scaled).sum(axis=0).max(initial=0.0))
        self._factors = lapack.lu_factor(scaled)
        self.regular = lapack.reciprocal_condition(self._factors, size) > WORST

    def solve(self, right: np.ndarray) -> np.ndarray:
        """A⁻¹ r, for real or complex r (n, columns)."""
        parts = np.ascontiguousarray(right * self._scale[:, None])
        return np.ascontiguousarray(lapack.lu_solve(self._factors, parts.view(float))).view(right.dtype)


class Pencil:
    """A and B, ready for any s."""

    def __init__(self, first: First, second: np.ndarray):
        look_before(HESSENBERG * len(second) ** 3)
        reserve(5.0 * second.size)
        self.first, self.size = first, len(second)
        self.q, h = lapack.hessenberg(first.solve(second))
        # As LAPACK keeps matrices with one diagonal below and all above the main one, a row for the fill of pivots at the top.
        self._band = np.zeros((self.size + 2, self.size), order="F")
        for j in range(self.size):
            self._band[self.size - j : self.size + min(j + 2, self.size) - j, j] = h[
                : min(j + 2, self.size), j
            ]

    def factor(self, s: complex) -> Shifted:
        return Shifted(self, s)


class Shifted:
    """A + sB for one s."""

    def __init__(self, pencil: Pencil, s: complex):
        look()
        self.pencil, self.real = pencil, s.imag == 0
        band = (s.real if self.real else s) * pencil._band
        band[pencil.size] += 1.0
        self._factors = lapack.band_factor(band, 1, pencil.size - 1)

    def solve(self, right: np.ndarray) -> np.ndarray:
        """x with (A + sB) x = right, (n,) or (n, columns)."""
        columns = right.reshape(len(right), -1)
        return solve_each([self] * columns.shape[1], columns).reshape(right.shape)

    def turned(self, right: np.ndarray) -> np.ndarray:
        """(1 + sH)⁻¹ r for r (n,)."""
        return lapack.band_solve(self._factors, right[:, None], 1, self.pencil.size - 1)[:, 0]


def solve_each(factors: Sequence[Shifted], right: np.ndarray) -> np.ndarray:
    """x (n, columns), each column with an s of its own: A and Q are read once for all of them."""
    pencil = factors[0].pencil
    turned = product(pencil.q.T, pencil.first.solve(right))
    found = np.column_stack([f.turned(c) for f, c in zip(factors, turned.T, strict=True)])
    return product(pencil.q, found)
