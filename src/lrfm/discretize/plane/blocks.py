# SPDX-License-Identifier: MIT
"""Entries of matrices on cells of the plane: dense blocks, one per cell and two per pair of neighbors, in the order in which a solver takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lrfm.discretize.options import COSTS
from lrfm.linalg.deadline import check_deadline
from lrfm.linalg.sparse import by_columns

if TYPE_CHECKING:
    from lrfm.discretize.plane.galerkin import PlaneGalerkin


def pattern(made: PlaneGalerkin) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows and columns of all entries by columns, and which of the numbers in blocks these are; by rows of blocks where these are iterated with."""
    rows, columns = [], []
    shape = (len(made.block_rows), made.functions, made.functions)
    places = made.places.astype(np.int32)
    if made.iterative:
        between, order = made.blocks
        inside = np.arange(made.fields * made.functions, dtype=np.int32)
        at, to = (len(inside) * k[:, None] + inside for k in (between.rows, between.indices))
        shape = (len(order), len(inside), len(inside))
        row, column = np.broadcast_to(at[:, :, None], shape), np.broadcast_to(to[:, None, :], shape)
        return row.ravel(), column.ravel(), np.arange(row.size)
    for i, j in made.coupled:
        rows.append(np.broadcast_to(places[made.block_rows, i][:, :, None], shape).ravel())
        columns.append(np.broadcast_to(places[made.block_columns, j][:, None, :], shape).ravel())
    row, column = np.concatenate(rows), np.concatenate(columns)
    there = np.flatnonzero((row < made.size) & (column < made.size))
    order, row, starts = by_columns(row[there], column[there], made.size)
    return row, np.repeat(np.arange(made.size, dtype=np.int32), np.diff(starts)), there[order]


def in_blocks(made: PlaneGalerkin, values: np.ndarray) -> np.ndarray:
    """Entries of a matrix as dense blocks between cells, (blocks, m, m), in the order of `made.blocks`."""
    n, m, order = made.functions, made.fields * made.functions, made.blocks[1]
    if made.iterative:
        return values.reshape(len(order), m, m)
    raw = np.zeros((len(made.coupled), len(order), n, n))
    raw.reshape(-1)[made.entries] = values
    if made.fields == 1:
        return raw[0, order]
    result = np.zeros((len(order), m, m))
    for (i, j), own in zip(made.coupled, raw, strict=True):
        result[:, i * n : (i + 1) * n, j * n : (j + 1) * n] = own[order]
    return result


def too_many(made: PlaneGalerkin, filled: np.ndarray, served: float, solutions: float, cycles: float) -> bool:
    """Whether factors cost more than cycles do, in operations, with `filled` blocks in each column of a triangle of the factors.

    A factorization takes 2 m³ Σ c² of them and serves some solutions of a step, each `solutions` with the factors, or `cycles` with about four products with the matrix. Numbers that are used once, as in these, cost twice as much as in products of blocks, and calls have a price, too.
    """
    m, blocks = made.fields * made.functions, len(made.block_rows)
    filled = filled.astype(float)
    direct = 2 * m**3 * np.sum(filled**2) + served * solutions * 8 * m**2 * np.sum(filled)
    return direct > served * cycles * (16 * m**2 * blocks + COSTS.called)


class Blocks:
    """Entries of all powers, summed up block by block."""

    def __init__(self, made: PlaneGalerkin):
        self.made = made
        self.top = made.system.top_power
        shape = (len(made.block_rows), made.functions, made.functions)
        self._found = {pair: np.zeros((self.top + 1, *shape)) for pair in made.coupled}
        self.lowest = made.layout.lowest

    def add(self, i: int, j: int, power: int, number: np.ndarray, found: np.ndarray) -> None:
        """Blocks of an equation in a field, at numbers that differ from each other."""
        check_deadline()
        self._found[i, j][power - self.lowest[i], number] += found

    def sum(self, i: int, j: int, power: int, number: np.ndarray, found: np.ndarray) -> None:
        """The same at numbers that may repeat."""
        from scipy.sparse import csr_matrix

        kinds, inverse = np.unique(number, return_inverse=True)
        gather = csr_matrix((np.ones(len(number)), (inverse, np.arange(len(number)))))
        total = (gather @ found.reshape(len(found), -1)).reshape(len(kinds), *found.shape[1:])
        self.add(i, j, power, kinds, total)

    def values(self) -> np.ndarray:
        """(powers, entries) in the order of the pattern."""
        pairs = self.made.coupled
        if self.made.iterative:
            return self._by_rows()
        found = np.concatenate([self._found[pair].reshape(self.top + 1, -1) for pair in pairs], axis=1)
        return found[:, self.made.entries]

    def _by_rows(self) -> np.ndarray:
        """The same where entries are all numbers of all blocks between cells, one block after the other."""
        n, fields, order = self.made.functions, self.made.fields, self.made.blocks[1]
        result = np.zeros((self.top + 1, len(order), fields * n, fields * n))
        for i, j in list(self._found):
            check_deadline()
            result[..., i * n : (i + 1) * n, j * n : (j + 1) * n] = self._found.pop((i, j))[:, order]
        return result.reshape(self.top + 1, -1)
