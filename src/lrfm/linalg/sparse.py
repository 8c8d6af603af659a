# SPDX-License-Identifier: MIT
"""Direct solution of A x = b where A is made of dense blocks between neighbors: SuperLU, ordered by blocks (Li, ACM Trans. Math. Softw. 31, 2005)."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from lrfm.linalg.banded import PatternSolver, SingularError, Solve
from lrfm.linalg.deadline import NOTICED, check_deadline, gemm_rate
from lrfm.linalg.processes import group
from lrfm.linalg.room import reserve

_measured: list[float] = []  # operations per second of the last factorization, whatever its matrix
PIVOT = 0.01  # a diagonal entry is a pivot unless it is that much smaller than the largest of its column


def elimination_order(rows: np.ndarray, columns: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """An order of nodes of a graph in which elimination fills in little, minimum degree, and how many entries each column of a triangle has then."""
    from scipy.sparse import csc_matrix, identity
    from scipy.sparse.linalg import splu

    graph = csc_matrix((np.full(len(rows), -1.0), (rows, columns)), shape=(size, size))
    graph = graph + 2.0 * (len(rows) + 1) * identity(size, format="csc")
    found = splu(graph, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    order = np.empty(size, dtype=int)
    order[found.perm_c] = np.arange(size)
    return order, np.diff(found.L.indptr)


def by_columns(
    rows: np.ndarray, columns: np.ndarray, size: int
) -> tuple[np.ndarray | slice, np.ndarray, np.ndarray]:
    """The order of entries by columns and rows, the row of each in that order, and where columns begin: SciPy's counting sort, linear in the entries. Those that are in order already are left there."""
    from scipy.sparse import coo_matrix

    on = np.diff(columns)
    if np.all((on > 0) | ((on == 0) & (np.diff(rows) > 0))):
        return slice(None), rows, np.searchsorted(columns, np.arange(size + 1)).astype(rows.dtype)
    found = coo_matrix((np.arange(len(rows)), (rows, columns)), shape=(size, size)).tocsc()
    check_deadline()
    found.sort_indices()
    return found.data, found.indices, found.indptr


def factored(matrix: Any) -> Solve:
    """The solution of A x = b as a function of b, for a matrix of SciPy's in columns; SingularError where it has none."""
    from scipy.sparse.linalg import splu

    try:
        return splu(matrix).solve
    except RuntimeError as error:
        raise SingularError("The sparse matrix is singular.") from error


class Sparse:
    """A sparse matrix with entries at (rows, columns), each place once, whose pattern is symmetric; unknowns are numbered in the order of elimination.

    Without `pivots` the diagonal is taken as it comes: for [A G; −Gᵀ 0] with a positive A, and each pressure after the velocities that feel it, no pivot is small, and
    exchanges fill the factors (6266 unknowns: 0.12 s instead of 2.2 s, and a digit more). Entries in single precision are factored in it (29,360 unknowns: 0.59 s instead of 0.96 s, and five digits of a solution).
    `fill` is how many entries each column of L has, where the order of elimination tells: the first factors are foreseen by it, n_k entries are 2 n_k² operations.
    """

    def __init__(
        self,
        rows: np.ndarray,
        columns: np.ndarray,
        size: int,
        pivots: bool = True,
        fill: np.ndarray | None = None,
    ):
        from scipy.sparse import csc_matrix
        from scipy.sparse.linalg import splu

        self._splu, self._matrix, self.size = splu, csc_matrix, size
        self._threshold = PIVOT if pivots else 0.0
        self._order, self._indices, self._starts = by_columns(rows, columns, size)
        # What factors hold, and the operations that they take, complex ones four times as many.
        self._fill = 2 * (len(rows) if fill is None else float(np.sum(fill)))
        self._work = 0.0 if fill is None else 2 * float(np.sum(np.square(fill, dtype=float)))
        self._took = 0.0  # how long the last ones took

    def _foreseen(self, times: int) -> float:
        """Seconds of a factorization: its operations at the rate of the last one, of any matrix; none is faster than a product of matrices."""
        if self._work < NOTICED:
            return self._took
        return times * self._work / (_measured[0] if _measured else gemm_rate())

    def factor(self, values: np.ndarray) -> Solve:
        mixed = np.iscomplexobj(values)
        reserve(self._fill * (2 if mixed else 1))
        check_deadline(self._foreseen(4 if mixed else 1))
        began, shape = time.perf_counter(), (self.size, self.size)
        matrix = self._matrix((values[self._order], self._indices, self._starts), shape=shape)
        try:
            found = self._splu(
                matrix,
                permc_spec="NATURAL",
                diag_pivot_thresh=self._threshold,
                options={"SymmetricMode": True},
            )
        except RuntimeError as error:
            raise SingularError("The sparse matrix is singular.") from error
        self._fill, self._took = found.nnz, time.perf_counter() - began
        if self._work > NOTICED:
            _measured[:] = [(4 if mixed else 1) * self._work / self._took]
        if values.dtype != np.float32:
            return lambda b: found.solve(np.ascontiguousarray(b))
        return lambda b: found.solve(np.ascontiguousarray(b, dtype=np.float32)).astype(float)


def sparse_solver(
    rows: np.ndarray, columns: np.ndarray, size: int, pivots: bool = True, fill: np.ndarray | None = None
) -> PatternSolver:
    """What factors sparse matrices: `Sparse`, or the processes that share them."""
    shared = group()
    if shared is None:
        return Sparse(rows, columns, size, pivots, fill)
    return shared.sparse(rows, columns, size, pivots)


class Pinned:
    """Matrices to which a number is added at some entries: a singular one whose null vector has something there becomes regular.

    With ℓ A = 0 and A r = 0 the solution of (A + α e eᵀ) x = b has eᵀx = 0 where ℓ b = 0, and so A x = b.
    """

    def __init__(self, solver: PatternSolver, entries: np.ndarray, size: float):
        self._solver, self._entries, self._size = solver, entries, size

    def factor(self, values: np.ndarray) -> Solve:
        """The factors of the matrix with its pins."""
        values = values.copy()
        values[self._entries] += self._size
        return self._solver.factor(values)
