# SPDX-License-Identifier: MIT
"""Entries of matrices on cells of the plane: dense blocks, one per cell and two per pair of neighbors, in the order in which a solver takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lrfm.discretize.options import COSTS
from lrfm.linalg.deadline import check_deadline

if TYPE_CHECKING:
    from lrfm.discretize.plane.galerkin import PlaneGalerkin


def pattern(made: PlaneGalerkin) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows and columns of all entries by columns, and which of the numbers in blocks these are; by rows of blocks where these are iterated with."""
    if made.iterative:
        between, order = made.blocks
        inside = np.arange(made.fields * made.functions, dtype=np.int32)
        at, to = (len(inside) * k[:, None] + inside for k in (between.rows, between.indices))
        shape = (len(order), len(inside), len(inside))
        row, column = np.broadcast_to(at[:, :, None], shape), np.broadcast_to(to[:, None, :], shape)
        return row.ravel(), column.ravel(), np.arange(row.size)
    return by_blocks(made)


def by_blocks(made: PlaneGalerkin) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same of blocks: a column goes through all blocks above each other that have it, so that blocks are sorted and not their entries."""
    n, count, sizes = made.functions, len(made.block_rows), np.array(made.layout.sizes)
    fields = np.repeat(np.array(made.coupled), count, axis=0)
    at = np.tile(np.arange(count), len(made.coupled))
    upper = made.places[made.block_rows[at], fields[:, 0], 0]
    first = made.places[made.block_columns[at], fields[:, 1], 0]
    order = np.lexsort([upper, first])
    upper, first, (high, wide) = upper[order], first[order], sizes[fields[order]].T
    # Blocks of one column: how many entries are above each, and in all of it.
    starts = np.flatnonzero(np.append(True, np.diff(first) > 0))
    above = np.cumsum(high) - high
    column = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(first))))
    tall = np.add.reduceat(high, starts)
    above -= above[starts][column]
    before = np.cumsum(tall * wide[starts]) - tall * wide[starts]
    check_deadline()
    # Numbers in blocks have room in memory, and so their numbers have in 32 bits.
    total, k = int(np.sum(high * wide)), np.arange(n, dtype=np.int32)
    upper, above, before, tall, order = (v.astype(np.int32) for v in (upper, above, before, tall, order))
    place = ((before[column] + above)[:, None] + tall[column][:, None] * k)[:, None, :] + k[:, None]
    row = np.broadcast_to(upper[:, None, None] + k[:, None], place.shape)
    entry = (n * n * order)[:, None, None] + np.arange(n * n, dtype=np.int32).reshape(n, n)
    if np.all(sizes == n):
        place, row, entry = place.ravel(), row.ravel(), entry.ravel()
    else:
        there = (k[:, None] < high[:, None, None]) & (k < wide[:, None, None])
        place, row, entry = place[there], row[there], entry[there]
    check_deadline()
    rows, entries = np.empty(total, dtype=np.int32), np.empty(total, dtype=np.intp)
    rows[place], entries[place] = row, entry
    columns = np.repeat(
        np.repeat(first[starts], wide[starts]) + _within(wide[starts]), np.repeat(tall, wide[starts])
    )
    return rows, columns.astype(np.int32), entries


def _within(counts: np.ndarray) -> np.ndarray:
    """0, 1, …, n − 1 for each n of some counts, one after the other."""
    return np.arange(int(np.sum(counts))) - np.repeat(np.cumsum(counts) - counts, counts)


def in_blocks(made: PlaneGalerkin, values: np.ndarray) -> np.ndarray:
    """Entries of a matrix as dense blocks between cells, (blocks, m, m), in the order of `made.blocks`."""
    n, m, order = made.functions, made.fields * made.functions, made.blocks[1]
    if made.iterative:
        return values.reshape(len(order), m, m)
    check_deadline()
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
        pairs, size = made.coupled, made.functions
        self._all = np.zeros((self.top + 1, len(pairs), len(made.block_rows), size, size))
        self._found = {pair: self._all[:, k] for k, pair in enumerate(pairs)}
        self.lowest = made.layout.lowest

    def add(self, i: int, j: int, power: int, number: np.ndarray, found: np.ndarray) -> None:
        """Blocks of an equation in a field, at numbers that differ from each other."""
        check_deadline()
        self._found[i, j][power - self.lowest[i], number] += found

    def sum(self, i: int, j: int, power: int, number: np.ndarray, found: np.ndarray) -> None:
        """The same at numbers that may repeat."""
        from scipy.sparse import csr_matrix

        if not len(number):  # one cell has no neighbors
            return
        kinds, inverse = np.unique(number, return_inverse=True)
        gather = csr_matrix((np.ones(len(number)), (inverse, np.arange(len(number)))))
        total = (gather @ found.reshape(len(found), -1)).reshape(len(kinds), *found.shape[1:])
        self.add(i, j, power, kinds, total)

    def values(self) -> Sequence[np.ndarray]:
        """Entries of each power, in the order of the pattern."""
        if self.made.iterative:
            return list(self._by_rows())
        entries = self.made.entries
        check_deadline()  # the pattern alone may take what is left
        first, *others = self._all
        found = self.made.inert_once("entries", lambda: np.take(first.reshape(-1), entries))
        return [found, *(np.take(other.reshape(-1), entries) for other in others)]

    def _by_rows(self) -> np.ndarray:
        """The same where entries are all numbers of all blocks between cells, one block after the other."""
        n, fields, order = self.made.functions, self.made.fields, self.made.blocks[1]
        result = np.zeros((self.top + 1, len(order), fields * n, fields * n))
        parts = np.array_split(np.arange(len(order)), 64)  # between which the clock is looked at
        for (i, j), found in self._found.items():
            for part in parts:
                check_deadline()
                result[:, part, i * n : (i + 1) * n, j * n : (j + 1) * n] = found[:, order[part]]
        return result.reshape(self.top + 1, -1)
