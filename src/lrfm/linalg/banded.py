# SPDX-License-Identifier: MIT
"""Direct solution of A x = b where A has a fixed pattern: LAPACK's band LU (gbtrf, gbtrs), or SuperLU where a border makes the band wide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from lrfm.linalg.lapack import dgbmv, dgbtrf, dgbtrs, zgbtrf, zgbtrs
from lrfm.linalg.room import reserve

Solve = Callable[[np.ndarray], np.ndarray]


class SingularError(ArithmeticError):
    """A pivot of the factorization is zero."""


class PatternSolver(Protocol):
    """Factors matrices that share the places of their entries."""

    def factor(self, values: np.ndarray) -> Solve:
        """The solution of A x = b as a function of b (n,) or (n, k); `values` are the entries of A, real or complex."""
        ...


class Banded:
    """A band matrix with entries at (rows, columns), each place once."""

    def __init__(self, rows: np.ndarray, columns: np.ndarray, size: int):
        self.lower, self.upper = int(max(0, np.max(rows - columns))), int(max(0, np.max(columns - rows)))
        self.size, self.depth = size, 2 * self.lower + self.upper + 1
        self.fill = self.size * self.depth  # numbers that factors hold
        self._rows, self._columns = rows, columns
        # The first `lower` rows of the band are LAPACK's, for what row exchanges fill in.
        self._places = columns * self.depth + (self.lower + self.upper + rows - columns)

    def product(self, values: np.ndarray) -> Solve:
        """A v as a function of v, for real entries."""
        if self.size <= self.lower + self.upper:  # the band is all of the matrix
            whole = np.zeros((self.size, self.size))
            whole[self._rows, self._columns] = values
            return lambda v: whole @ v
        band = np.zeros(self.size * self.depth)
        band[self._places] = values
        stored = np.asfortranarray(band.reshape(self.size, self.depth).T[self.lower :])
        return lambda v: dgbmv(self.size, self.size, self.lower, self.upper, 1.0, stored, v)

    def factor(self, values: np.ndarray) -> Solve:
        parts = 2 if values.dtype.kind == "c" else 1
        reserve(self.fill * parts)
        band = np.zeros(self.size * self.depth, dtype=values.dtype)
        band[self._places] = values
        factorize, solve = (zgbtrf, zgbtrs) if parts == 2 else (dgbtrf, dgbtrs)
        factors, pivots, info = factorize(
            band.reshape(self.size, self.depth).T, self.lower, self.upper, overwrite_ab=1
        )
        if info != 0:
            raise SingularError("The band matrix is singular.")
        return lambda b: solve(factors, self.lower, self.upper, b, pivots)[0]


class Bordered:
    """A sparse matrix with some full rows or columns: SuperLU with its own ordering."""

    def __init__(self, rows: np.ndarray, columns: np.ndarray, size: int):
        from scipy.sparse import csc_matrix
        from scipy.sparse.linalg import splu

        self._splu, self._matrix = splu, csc_matrix
        self.rows, self.columns, self.size = rows, columns, size
        self.fill = 2 * len(rows)  # what factors hold: known after the first

    def product(self, values: np.ndarray) -> Solve:
        """A v as a function of v."""
        matrix = self._matrix((values, (self.rows, self.columns)), shape=(self.size, self.size))
        return lambda v: matrix @ v

    def factor(self, values: np.ndarray) -> Solve:
        reserve(self.fill * (2 if np.iscomplexobj(values) else 1))
        matrix = self._matrix((values, (self.rows, self.columns)), shape=(self.size, self.size))
        try:
            found = self._splu(matrix)
        except RuntimeError as error:
            raise SingularError("The sparse matrix is singular.") from error
        self.fill = found.nnz
        return found.solve


def with_sign(rows: np.ndarray, columns: np.ndarray, values: np.ndarray, size: int) -> tuple[Solve, float]:
    """The solution of A x = b as a function of b, and the sign of det A, from SuperLU's factors; SingularError where there are none."""
    from scipy.sparse import csc_matrix
    from scipy.sparse.linalg import splu

    try:
        factors = splu(csc_matrix((values, (rows, columns)), shape=(size, size)))
    except RuntimeError as error:
        raise SingularError("The sparse matrix is singular.") from error
    sign = np.prod(np.sign(factors.U.diagonal())) * _parity(factors.perm_r) * _parity(factors.perm_c)
    return factors.solve, float(sign)


def _parity(permutation: np.ndarray) -> float:
    """The sign of a permutation, by its cycles."""
    seen, sign = np.zeros(len(permutation), dtype=bool), 1.0
    for start in range(len(permutation)):
        length, here = 0, start
        while not seen[here]:
            seen[here], here, length = True, permutation[here], length + 1
        if length and length % 2 == 0:
            sign = -sign
    return sign


def tridiagonal(band: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The solution of A x = b for the three diagonals of A, upper one first, each entry in its column."""
    from scipy.linalg import solve_banded  # takes 0.2 s to load

    return solve_banded((1, 1), band, right, check_finite=False)
