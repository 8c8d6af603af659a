# SPDX-License-Identifier: MIT
"""The terms of linearized rows, each in the rows of one place and the columns of one field: c A₁ ⊗ … ⊗ A_d, or T diag(c) D where c varies.

A sum of products is never formed where columns are few or many: (A₁ ⊗ A₂) X costs R Σ r_k for each column of X, the matrix itself R².
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import prod

import numpy as np

from lrfm.solver.lines.projected import Place
from lrfm.spaces.axes.product import Grid, apply

Index = tuple[int, ...]


@dataclass(frozen=True)
class Product:
    """c A₁ ⊗ … ⊗ A_d, a derivative with a constant coefficient."""

    power: int  # of hλ
    place: int
    field: int
    index: Index
    coefficient: float
    factors: tuple[np.ndarray, ...]

    @property
    def matrix(self) -> np.ndarray:
        return self.coefficient * reduce(np.kron, self.factors)

    def times(self, columns: np.ndarray) -> np.ndarray:
        """The term applied to columns (R, many): (tests, many)."""
        work, many = columns, columns.shape[1]
        shape = [m.shape[1] for m in self.factors]
        for k, factor in enumerate(self.factors):
            work = factor @ work.reshape(-1, shape[k], prod(shape[k + 1 :]) * many)
            shape[k] = len(factor)
        return self.coefficient * work.reshape(prod(shape), many)

    def on(self, held: Sequence[np.ndarray]) -> np.ndarray:
        """The matrix on some functions of each axis, the columns of `held`."""
        factors = [m @ q for m, q in zip(self.factors, held, strict=True)]
        return self.coefficient * reduce(np.kron, factors)

    def same(self, other: Product | Varying) -> bool:
        return (
            isinstance(other, Product)
            and (self.power, self.place, self.field) == (other.power, other.place, other.field)
            and self.coefficient == other.coefficient
            and all(np.array_equal(a, b) for a, b in zip(self.factors, other.factors, strict=True))
        )


@dataclass(frozen=True)
class Varying:
    """What is no product, such as derivatives whose coefficients vary on the grid; its matrix is made when it is asked for."""

    power: int
    place: int
    field: int
    made: Callable[[], np.ndarray]

    @cached_property
    def matrix(self) -> np.ndarray:
        return self.made()

    def times(self, columns: np.ndarray) -> np.ndarray:
        """The term applied to columns (R, many): (tests, many)."""
        return self.matrix @ columns

    def on(self, held: Sequence[np.ndarray]) -> np.ndarray:
        """The matrix on some functions of each axis, the columns of `held`."""
        return apply([q.T for q in held], self.matrix)

    def same(self, other: Product | Varying) -> bool:
        return (
            isinstance(other, Varying)
            and (self.power, self.place, self.field) == (other.power, other.place, other.field)
            and np.array_equal(self.matrix, other.matrix)
        )


Term = Product | Varying


def alike(some: Sequence[Term], others: Sequence[Term]) -> bool:
    """Whether two sums have the same terms in the same order."""
    return len(some) == len(others) and all(a.same(b) for a, b in zip(some, others, strict=True))


def weighted(place: Place[Grid], terms: Sequence[tuple[Index, np.ndarray]]) -> np.ndarray:
    """Σ_a T diag(c_a) D^a, the matrix (tests, R) of a sum of derivatives with coefficients that vary on the grid.

    All axes but the last are contracted pair by pair, the last by one product of matrices for the whole sum.
    """
    *leading, last = range(len(place.tests))
    total: np.ndarray | float = 0.0
    for index, values in terms:
        work = values.reshape([len(x) for x in place.grid.places])
        for k in leading:
            test, table = place.tests[k], place.grid.tables[k][index[k]]
            pairs = (test[:, None, :] * table.T[None, :, :]).reshape(-1, test.shape[1])
            work = np.tensordot(work, pairs, axes=(0, 1))  # the next axis comes first, pairs of this one last
        work = np.moveaxis(work, 0, -1)[..., None] * place.grid.tables[last][index[last]]
        total = total + work
    blocks = place.tests[last] @ np.asarray(total)  # (pairs of axis 1, …, tests, functions of the last axis)
    shape = [n for k in leading for n in (len(place.tests[k]), place.grid.tables[k][0].shape[1])]
    blocks = blocks.reshape(*shape, *blocks.shape[-2:])
    order = [*range(0, blocks.ndim, 2), *range(1, blocks.ndim, 2)]
    return blocks.transpose(order).reshape(place.size, -1)
