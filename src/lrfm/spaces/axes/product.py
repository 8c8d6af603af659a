# SPDX-License-Identifier: MIT
"""Products of one-dimensional bases: ψ_m(x) = Π_k ψ_{m_k}(x_k); one dimension is a product of one.

Coefficients of one field are an array (…, R), R = Π r_k, the last axis of space running fastest. On a tensor grid a sum over
all functions is done axis by axis, R · Σ n_k operations instead of R · Π n_k.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from lrfm.problem.frame import MovingFrame
from lrfm.spaces.axes.axis import AxisBasis
from lrfm.spaces.bases import Basis, BasisGrid

Index = tuple[int, ...]
LARGEST = 20_000_000  # numbers held at once by an evaluation at scattered points


def apply(matrices: Sequence[np.ndarray], values: np.ndarray) -> np.ndarray:
    """(A₁ ⊗ … ⊗ A_d) v for each row of an array (…, Π columns of A_k)."""
    lead = values.shape[:-1]
    if len(matrices) == 1:
        return values @ matrices[0].T
    if np.iscomplexobj(values) and not any(np.iscomplexobj(m) for m in matrices):
        # NumPy would make real matrices complex: four products of numbers instead of two.
        parts = apply(matrices, np.stack([np.real(values), np.imag(values)]))
        return parts[0] + 1j * parts[1]
    shape = [m.shape[1] for m in matrices]
    # What makes the array smaller comes first.
    for k in sorted(range(len(shape)), key=lambda k: len(matrices[k]) / max(shape[k], 1)):
        after = prod(shape[k + 1 :])
        work = values.reshape(-1, shape[k], after)
        values = work[..., 0] @ matrices[k].T if after == 1 else matrices[k] @ work
        shape[k] = len(matrices[k])
    return values.reshape(*lead, -1)


def along(axis: int, matrix: np.ndarray, values: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """(I ⊗ … A … ⊗ I) v for each row of an array (…, Π shape), A square on one axis."""
    before, after = prod(shape[:axis]), prod(shape[axis + 1 :])
    work = values.reshape(-1, before, shape[axis], after)
    work = work[..., 0] @ matrix.T if after == 1 else matrix @ work
    return work.reshape(values.shape)


def tensor_points(places: Sequence[np.ndarray]) -> np.ndarray:
    """All points of a tensor grid, (Π n_k, d), the last axis running fastest."""
    return np.column_stack([g.ravel() for g in np.meshgrid(*places, indexing="ij")])


@dataclass(frozen=True)
class Grid(BasisGrid):
    """A tensor grid with the derivatives of all functions on it: tables[axis][order] is (places, rank)."""

    places: tuple[np.ndarray, ...]
    tables: tuple[list[np.ndarray], ...]

    @cached_property
    def points(self) -> np.ndarray:
        return tensor_points(self.places)

    @property
    def size(self) -> int:
        return prod(len(x) for x in self.places)

    def profiles(self, values: np.ndarray) -> tuple[np.ndarray, ...]:
        """The mean of some values over all axes but one, for each of them: of what lies along a wall, the others see little."""
        table = values.reshape([len(x) for x in self.places])
        return tuple(
            table.mean(axis=tuple(j for j in range(table.ndim) if j != k)) for k in range(table.ndim)
        )

    def evaluate(self, coefficients: np.ndarray, index: Index) -> np.ndarray:
        """D^a of Σ c ψ for each row of coefficients (…, R): values (…, points)."""
        return apply([table[n] for table, n in zip(self.tables, index, strict=True)], coefficients)


@dataclass(frozen=True)
class ProductBasis(Basis):
    """ψ_m(x) = Π_k ψ_{m_k}(x_k), with its quadrature; `tops` are the highest derivatives needed along each axis.

    In a `frame` they are functions of coordinates that move.
    """

    axes: tuple[AxisBasis, ...]
    tops: tuple[int, ...]
    frame: MovingFrame | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(axis.rank for axis in self.axes)

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def separable(self) -> bool:
        """Whether sums over functions can be done axis by axis."""
        return len(self.axes) > 1

    @property
    def features(self) -> int:
        """The largest number of features drawn along an axis."""
        return max(axis.features for axis in self.axes)

    def full(self, most: int) -> bool:
        """Whether no axis can take more features."""
        return all(axis.features >= most for axis in self.axes)

    @cached_property
    def grid(self) -> Grid:
        """The points of the quadrature."""
        tables = tuple(axis.on_points(top) for axis, top in zip(self.axes, self.tops, strict=True))
        return Grid(tuple(axis.points for axis in self.axes), tables)

    @cached_property
    def fresh(self) -> tuple[Grid, np.ndarray]:
        """Points between those of the quadrature, and their weights."""
        rules = [axis.fresh for axis in self.axes]
        tables = tuple(axis.on_fresh(top) for axis, top in zip(self.axes, self.tops, strict=True))
        weights = np.prod(tensor_points([w for _, w in rules]), axis=1)
        return Grid(tuple(x for x, _ in rules), tables), weights

    @cached_property
    def _ends(self) -> dict[tuple[int, bool], list[np.ndarray]]:
        ends = {}
        for k, (basis, top) in enumerate(zip(self.axes, self.tops, strict=True)):
            tables = basis.at(np.array([basis.axis.lower, basis.axis.upper]), top)
            ends[k, False], ends[k, True] = [t[:1] for t in tables], [t[1:] for t in tables]
        return ends

    @cached_property
    def matrices(self) -> tuple[list[np.ndarray], ...]:
        """P D^n for each axis and order: derivatives as matrices on coefficients; the identity for n = 0."""
        found = []
        for axis, tables in zip(self.axes, self.grid.tables, strict=True):
            found.append([np.eye(axis.rank), *(axis.projection @ table for table in tables[1:])])
        return tuple(found)

    def face(self, axis: int, upper: bool) -> Grid:
        """One side of the box: a single place along `axis`, the quadrature along the others."""
        end = self.axes[axis].axis.upper if upper else self.axes[axis].axis.lower
        places, tables = list(self.grid.places), list(self.grid.tables)
        places[axis], tables[axis] = np.array([end]), self._ends[axis, upper]
        return Grid(tuple(places), tuple(tables))

    def slice(self, axis: int, place: float) -> Grid:
        """One place along an axis, the quadrature along the others."""
        places, tables = list(self.grid.places), list(self.grid.tables)
        places[axis] = np.array([place])
        tables[axis] = self.axes[axis].at(places[axis], self.tops[axis])
        return Grid(tuple(places), tuple(tables))

    def project(self, values: np.ndarray) -> np.ndarray:
        """Coefficients of functions known on the grid, one function per row."""
        return apply([axis.projection for axis in self.axes], values)

    def on_grid(self, coefficients: np.ndarray, places: Sequence[np.ndarray], index: Index) -> np.ndarray:
        """D^a of Σ c ψ on the grid of places along each axis, for rows (rows, R): (rows, n₁, …, n_d), axis by axis."""
        work = coefficients.reshape(len(coefficients), *self.shape)
        # An axis with few places first: what it leaves is small.
        for k in sorted(range(len(self.axes)), key=lambda k: len(places[k])):
            turned = work.swapaxes(k + 1, -1)
            sums = self.axes[k].sums(places[k], [index[k]], turned.reshape(-1, self.shape[k]))[index[k]]
            work = sums.reshape(*turned.shape[:-1], len(places[k])).swapaxes(k + 1, -1)
        return work

    def one(self, coefficients: np.ndarray, place: Sequence[float], index: Index) -> float:
        """D^a of Σ c ψ at one place, for coefficients (R,)."""
        work = coefficients
        for axis, x, order in zip(self.axes[::-1], place[::-1], index[::-1], strict=True):
            work = work.reshape(-1, axis.rank) @ axis.one(x, order)
        return work.item()

    def sums(self, points: np.ndarray, indices: Iterable[Index], rows: np.ndarray) -> dict[Index, np.ndarray]:
        """D^a of Σ c ψ at scattered points (n, d), by multi-index, for rows of coefficients (rows, R): each (rows, n)."""
        first, *others = self.axes
        wanted = list(dict.fromkeys(indices))
        if not others:
            found = first.sums(points[:, 0], sorted({index[0] for index in wanted}), rows)
            return {index: found[index[0]] for index in wanted}
        rest = prod(self.shape[1:])
        turned = np.ascontiguousarray(np.moveaxis(rows.reshape(len(rows), self.shape[0], rest), 1, 2))
        result = {index: np.empty((len(rows), len(points))) for index in wanted}
        most = max(64, LARGEST // 40 // (len(rows) * rest))
        for start in range(0, len(points), most):
            here = slice(start, start + most)
            part = points[here]
            along_first = first.sums(
                part[:, 0], sorted({index[0] for index in wanted}), turned.reshape(-1, self.shape[0])
            )
            for index in wanted:
                work = along_first[index[0]].reshape(len(rows), *self.shape[1:], len(part))
                for k, axis in enumerate(others, start=1):
                    work = np.einsum("ar...n,rn->a...n", work, axis.columns(part[:, k], index[k]))
                result[index][:, here] = work
        return result
