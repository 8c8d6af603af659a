# SPDX-License-Identifier: MIT
"""A matrix whose columns come in blocks, each with the rows in which it is not zero.

    A c = Σ_k scatter_k(A_k c_k),   A_k dense, (rows of block k) × (columns of block k)

A trial function of a patch is zero outside of it (Paper, eq:pou-bump), so a local space gives such a matrix: one block per
patch. A global space gives one block with all rows, and that is a plain array.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Index = np.ndarray | slice


@dataclass(frozen=True)
class ColumnBlock:
    """Values (rows × columns) with their row numbers, increasing, and column numbers in the whole matrix."""

    rows: np.ndarray
    columns: Index
    values: np.ndarray


class ColumnBlocks:
    """A of shape (m, n) as blocks of columns; `places` are points, one per block, near for blocks that share rows."""

    def __init__(self, shape: tuple[int, int], blocks: Sequence[ColumnBlock], places: np.ndarray):
        self.shape, self.blocks, self.places = shape, tuple(blocks), np.asarray(places, dtype=float)

    @property
    def nbytes(self) -> int:
        """Memory of the values."""
        return sum(block.values.nbytes for block in self.blocks)

    def __matmul__(self, c: np.ndarray) -> np.ndarray:
        """A c for a vector or several columns."""
        c = np.asarray(c)
        result = np.zeros((self.shape[0], *c.shape[1:]))
        for block in self.blocks:
            result[block.rows] += block.values @ c[block.columns]
        return result

    def transposed_times(self, r: np.ndarray) -> np.ndarray:
        """Aᵀ r."""
        result = np.zeros((self.shape[1], *np.shape(r)[1:]))
        for block in self.blocks:
            result[block.columns] = block.values.T @ r[block.rows]
        return result

    def toarray(self) -> np.ndarray:
        """The dense matrix, column-major."""
        dense = np.zeros(self.shape, order="F")
        for block in self.blocks:
            dense[np.ix_(block.rows, _numbers(block.columns, self.shape[1]))] = block.values
        return dense

    def nonfinite_rows(self) -> np.ndarray:
        """Which rows hold NaN or infinity, (m,) of bool."""
        bad = np.zeros(self.shape[0], dtype=bool)
        for block in self.blocks:
            # One pass that makes no temporary: a finite sum has finite terms.
            with np.errstate(all="ignore"):
                if not np.isfinite(block.values.sum()):
                    bad[block.rows[~np.isfinite(block.values).all(axis=1)]] = True
        return bad


def _numbers(columns: Index, count: int) -> np.ndarray:
    return np.arange(count)[columns]


def dense(A: np.ndarray | ColumnBlocks) -> np.ndarray:
    """The matrix as a plain array, whatever it was."""
    return A.toarray() if isinstance(A, ColumnBlocks) else A
