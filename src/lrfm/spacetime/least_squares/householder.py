# SPDX-License-Identifier: MIT
"""Householder QR of a triangle stacked on a matrix, [R; A] = Q [R⁺; 0], by products of matrices.

A reflector that annihilates a column of A touches one row of R, so that w of them together are

    H = I − [I; V] T [I; V]ᵀ,   T upper triangular,   Hᵀ[S; C] = [S − W; C − V W],   W = Tᵀ(S + VᵀC),

with V in the place of the columns of A. Neighbors join by T₁₂ = −T₁(V₁ᵀV₂)T₂ (Elmroth and Gustavson 2000). All V have the height of
A, so that columns of a column-major matrix go to BLAS where they lie; LAPACK factors the narrow panels. R is kept as its transpose,
whose columns fit those of Wᵀ = (Sᵀ + CᵀV)T, the order in which BLAS is faster.

A ridge is the triangle R = ρI to begin with, and costs nothing: 2mn² flops in all, of which 2mn² − ⅔n³ are those without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lrfm.linalg.deadline import check_deadline
from lrfm.linalg.lapack import dgemm, dgeqrt, dtrmm

NARROW = 64  # columns of a panel that LAPACK factors
WIDE = 128  # columns of a panel whose T is joined, where there are many
MANY = 700  # columns from which that pays

Panel = tuple[slice, np.ndarray]  # columns, T


@dataclass(frozen=True)
class Reflections:
    """Q; V lies in the place of the matrix."""

    V: np.ndarray
    panels: tuple[Panel, ...]

    def transposed(self, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Qᵀ[0; b], upper and lower part, for b of shape (m,) or (m, k)."""
        top, low = np.zeros((self.V.shape[1], *b.shape[1:]), order="F"), np.array(b, dtype=float, order="F")
        for columns, T in self.panels:
            V = self.V[:, columns]
            W = T.T @ (top[columns] + V.T @ low)
            top[columns] -= W
            low -= V @ W
        return top, low


def factor(A: np.ndarray, L: np.ndarray) -> Reflections:
    """QR of [Lᵀ; A], both column-major: L is overwritten by the transpose of the new triangle, A by V."""
    return Reflections(A, tuple(_Factorization(A, L).panels()))


class _Factorization:
    def __init__(self, A: np.ndarray, L: np.ndarray):
        self.A, self.L = A, L
        self._work = np.empty((NARROW + len(A)) * NARROW)

    def panels(self) -> Iterator[Panel]:
        n = self.A.shape[1]
        width = WIDE if n >= MANY else NARROW
        for first in range(0, n, width):
            check_deadline()
            last = min(first + width, n)
            T = self._panel(first, last)
            self._update(first, last, n, T)
            yield slice(first, last), T

    def _panel(self, first: int, last: int) -> np.ndarray:
        """Factor columns first … last; T of their reflectors."""
        w = last - first
        if w <= NARROW:
            return self._narrow(first, last)
        half = w // 2
        middle = first + half
        T = np.zeros((w, w), order="F")
        T[:half, :half] = left = self._panel(first, middle)
        self._update(first, middle, last, left)
        T[half:, half:] = right = self._panel(middle, last)
        joint = dgemm(-1.0, self.A[:, first:middle], self.A[:, middle:last], trans_a=1)
        joint = dtrmm(1.0, left, joint, overwrite_b=1)
        T[:half, half:] = dtrmm(1.0, right, joint, side=1, overwrite_b=1)
        return T

    def _narrow(self, first: int, last: int) -> np.ndarray:
        """By LAPACK, on a copy with the triangle on top: its zeros stay zeros, and V is the identity there."""
        w, A, corner = last - first, self.A[:, first:last], self.L[first:last, first:last]
        stacked = self._work[: (w + len(A)) * w].reshape((w + len(A), w), order="F")
        stacked[:w], stacked[w:] = corner.T, A
        stacked, T, _ = dgeqrt(w, stacked, overwrite_a=1)
        corner[:], A[:] = np.triu(stacked[:w]).T, stacked[w:]
        return np.triu(T)

    def _update(self, first: int, middle: int, last: int, T: np.ndarray) -> None:
        """Apply the reflectors of columns first … middle to columns middle … last."""
        if middle == last:
            return
        V, C, S = self.A[:, first:middle], self.A[:, middle:last], self.L[middle:last, first:middle]
        W = dgemm(1.0, C, V, trans_a=1)
        W += S
        W = dtrmm(1.0, T, W, side=1, overwrite_b=1)
        S -= W
        dgemm(-1.0, V, W, 1.0, C, trans_b=1, overwrite_c=1)
