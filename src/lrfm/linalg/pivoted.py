# SPDX-License-Identifier: MIT
"""A P = Q R with pivots: the rank of a matrix, its range, its null space, and smallest solutions.

Rows and columns that depend on others are found by pivots far below the largest; they are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from lrfm.linalg.clock import PIVOTED_QR, look_before
from lrfm.linalg.room import reserve

RANK = 1e-6  # pivots, relative to the largest, below which rows or columns depend on others


def product(matrix: np.ndarray, values: np.ndarray) -> np.ndarray:
    """A v for a real A and a real or complex v, without a complex copy of A."""
    if not np.iscomplexobj(values):
        return matrix @ values
    columns = prod(values.shape[1:])
    parts = np.ascontiguousarray(values).reshape(len(values), columns).view(float)
    return np.ascontiguousarray(matrix @ parts).view(complex).reshape(len(matrix), *values.shape[1:])


def _rank(triangle: np.ndarray) -> int:
    sizes = np.abs(np.diag(triangle))
    return int(np.sum(sizes > RANK * sizes[0])) if len(sizes) and sizes[0] > 0 else 0


@dataclass(frozen=True)
class Pivoted:
    """A P = Q R with pivots, and the rank: Q = 1 − V T Vᵀ, T⁻¹ the upper triangle of VᵀV with 1/τ for its diagonal.

    Q is never formed: its columns in the range of A are only applied, and those of `rest` are two large products where LAPACK makes
    all of Q reflection by reflection, in four times the time.
    """

    reflectors: np.ndarray  # V (rows, rank)
    inverse: np.ndarray  # T⁻¹
    triangle: np.ndarray  # (rank, columns)
    order: np.ndarray

    @staticmethod
    def of(matrix: np.ndarray) -> Pivoted:
        from scipy.linalg import qr  # takes 0.2 s, and few solves need it

        look_before(PIVOTED_QR * len(matrix) * matrix.shape[1] * min(matrix.shape))
        reserve(3.0 * matrix.size)
        found: Any = qr(matrix, mode="raw", pivoting=True, check_finite=False)  # its type depends on `mode`
        (packed, tau), r, order = found
        rank = _rank(r)
        used = tau[:rank] != 0  # a reflection that leaves all as it is has no part in Q
        v = np.tril(packed[:, :rank], -1)
        v[np.arange(rank), np.arange(rank)] = 1.0
        v = np.ascontiguousarray(v[:, used])
        return Pivoted(v, np.triu(v.T @ v, 1) + np.diag(1 / tau[:rank][used]), r[:rank], order)

    @staticmethod
    def null_of(matrix: np.ndarray) -> np.ndarray:
        """An orthonormal basis of the null space of A, without Q."""
        from scipy.linalg import qr

        look_before(PIVOTED_QR * len(matrix) * matrix.shape[1] * min(matrix.shape))
        reserve(2.0 * matrix.size)
        r, order = map(np.asarray, qr(matrix, mode="r", pivoting=True, check_finite=False))
        return Pivoted(np.zeros((len(matrix), 0)), np.zeros((0, 0)), r[: _rank(r)], order).null()

    @property
    def rank(self) -> int:
        return len(self.triangle)

    @cached_property
    def rest(self) -> np.ndarray:
        """The columns of Q beyond the range of A."""
        from scipy.linalg import solve_triangular

        right = self.reflectors[self.rank :].T
        found = -self.reflectors @ solve_triangular(self.inverse, right, check_finite=False)
        found[np.arange(self.rank, len(found)), np.arange(found.shape[1])] += 1.0
        return found

    def null(self) -> np.ndarray:
        """An orthonormal basis of the null space of A."""
        count = self.triangle.shape[1]
        if self.rank == count:
            return np.zeros((count, 0))
        from scipy.linalg import solve_triangular

        found = np.empty((count, count - self.rank))
        square, others = self.triangle[:, : self.rank], self.triangle[:, self.rank :]
        found[self.order] = np.vstack([-solve_triangular(square, others), np.eye(count - self.rank)])
        return np.linalg.qr(found)[0]

    def solve(self, right: np.ndarray) -> np.ndarray:
        """A solution of A x = right in the sense of least squares; zero where columns depend on others."""
        found = np.zeros((self.triangle.shape[1], *right.shape[1:]), right.dtype)
        # Qᵀ = 1 − V Tᵀ Vᵀ
        turned = _solved(self.inverse, product(self.reflectors.T, right), 1)
        part = right[: self.rank] - product(self.reflectors[: self.rank], turned)
        found[self.order[: self.rank]] = _solved(self.triangle[:, : self.rank], part, 0)
        return found

    def solve_transposed(self, right: np.ndarray) -> np.ndarray:
        """The smallest solution of Aᵀ x = right; rows that depend on others are left out."""
        part = _solved(self.triangle[:, : self.rank], right[self.order[: self.rank]], 1)
        turned = _solved(self.inverse, product(self.reflectors[: self.rank].T, part), 0)
        found = -product(self.reflectors, turned)
        found[: self.rank] += part
        return found


def _solved(triangle: np.ndarray, right: np.ndarray, trans: int) -> np.ndarray:
    """R⁻¹ or R⁻ᵀ of real or complex right-hand sides."""
    from scipy.linalg import solve_triangular

    shape, kind = right.shape, complex if np.iscomplexobj(right) else float
    parts = np.ascontiguousarray(right, kind).reshape(len(right), prod(shape[1:])).view(float)
    found = solve_triangular(triangle, parts, trans=trans, check_finite=False)
    return np.ascontiguousarray(found).view(kind).reshape(shape)
