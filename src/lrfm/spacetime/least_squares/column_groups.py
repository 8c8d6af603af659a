# SPDX-License-Identifier: MIT
"""A matrix whose columns come in groups, each with the rows in which it is not zero.

    A c = Σ_k scatter_k(A_k c_k),   A_k dense, (rows of group k) × (columns of group k)

A trial function of a patch is zero outside of it (Paper, eq:pou-bump), so a local space gives such a matrix: one column group
per patch. A global space gives one group with all rows, and that is a plain array.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.spacetime.least_squares.backends import Array, backend_of

Index = np.ndarray | slice


@dataclass(frozen=True)
class ColumnGroup:
    """Values (rows × columns) with their row numbers, increasing, and column numbers in the whole matrix."""

    rows: Index
    columns: Index
    values: np.ndarray


class GroupedMatrix:
    """A of shape (m, n) in column groups; `places` are points, one per group, near for groups that share rows.

    With `matvec` and `rmatvec` it is a linear operator for SciPy.
    """

    dtype = np.dtype(float)

    def __init__(self, shape: tuple[int, int], groups: Sequence[ColumnGroup], places: np.ndarray):
        self.shape, self.groups, self.places = shape, tuple(groups), np.asarray(places, dtype=float)

    @property
    def nbytes(self) -> int:
        """Memory of the values."""
        return sum(group.values.nbytes for group in self.groups)

    def __matmul__(self, c: np.ndarray) -> np.ndarray:
        """A c for a vector or several columns."""
        c = np.asarray(c)
        result = np.zeros((self.shape[0], *c.shape[1:]))
        for group in self.groups:
            result[group.rows] += group.values @ c[group.columns]
        return result

    matvec = __matmul__

    def rmatvec(self, r: np.ndarray) -> np.ndarray:
        """Aᵀ r."""
        result = np.zeros((self.shape[1], *np.shape(r)[1:]))
        for group in self.groups:
            result[group.columns] = group.values.T @ r[group.rows]
        return result

    def toarray(self) -> np.ndarray:
        """The dense matrix, column-major."""
        dense = np.zeros(self.shape, order="F")
        rows, columns = (np.arange(count) for count in self.shape)
        for group in self.groups:
            dense[np.ix_(rows[group.rows], columns[group.columns])] = group.values
        return dense


Matrix = Array | GroupedMatrix
"""What a least-squares solver is given: a plain array of some backend, or column groups of NumPy's."""


def dense(A: Matrix) -> Array:
    """The matrix as a plain array, whatever it was."""
    return A.toarray() if isinstance(A, GroupedMatrix) else A


def groups_of(A: Matrix) -> tuple[ColumnGroup, ...]:
    """The column groups, in NumPy; a plain array is one."""
    if isinstance(A, GroupedMatrix):
        return A.groups
    return (ColumnGroup(slice(None), slice(None), backend_of(A).to_numpy(A)),)


def nonfinite_rows(A: Matrix) -> np.ndarray:
    """Which rows hold NaN or infinity, (m,) of bool."""
    bad = np.zeros(A.shape[0], dtype=bool)
    if isinstance(A, GroupedMatrix):
        for group in A.groups:
            bad[group.rows] |= nonfinite_rows(group.values)
        return bad
    # One pass that makes no temporary: a finite sum has finite terms.
    with np.errstate(all="ignore"):
        if np.isfinite(float(A.sum())):
            return bad
    return np.logical_not(np.isfinite(backend_of(A).to_numpy(A)).all(axis=1))
