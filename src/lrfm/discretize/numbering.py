# SPDX-License-Identifier: MIT
"""Numbers of rows and columns: the same for all meshes of so many cells, whatever their widths.

Cell by cell: conditions of the lower end, then for each cell its points and the joint to the next one, conditions of the upper end; a band matrix. Around a circle
cells stand in the order 0, K − 1, 1, K − 2, …, and unknowns of time alone are a border.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lrfm.discretize.layout import Layout
from lrfm.linalg.banded import Banded, Bordered
from lrfm.problem import Row


class Numbering:
    """Rows and columns of a layout on `cells` cells; `located` are the cells of the places at which fields of time alone are values."""

    def __init__(self, layout: Layout, cells: int, located: tuple[int, ...] = ()):
        self.layout, self.cells, self.located = layout, cells, located
        k, conditions = layout.count, layout.system.conditions
        periodic = bool(layout.system.problem.periodic)
        self.width = sum(layout.sizes[i] for i in layout.spatial)
        edges = sum(layout.orders)
        first = 0 if periodic else sum(not c.upper for c in conditions)
        self.size = cells * self.width + len(layout.lumped)
        slot = (_folded(cells) if periodic else np.arange(cells)) * self.width
        self.columns_of, offset = {}, 0
        for i in layout.spatial:
            self.columns_of[i] = slot[:, None] + offset + np.arange(layout.sizes[i])
            offset += layout.sizes[i]
        for n, i in enumerate(layout.lumped):
            self.columns_of[i] = np.full((cells, 1), cells * self.width + n)
        self.rows_of = {
            i: first + slot[:, None] + n * k + np.arange(k) for n, i in enumerate(layout.spatial)
        } | {i: np.array([[cells * self.width + n]]) for n, i in enumerate(layout.lumped)}
        self.joints = cells if periodic else cells - 1
        self.after = (np.arange(self.joints) + 1) % cells
        at = first + slot[: self.joints] + k * len(layout.spatial)
        self.rows_of_joints = at[:, None] + np.arange(edges)
        ends = [0, cells * self.width - (edges - first)]
        self.rows_of_conditions = []
        for c in conditions:
            self.rows_of_conditions.append(ends[c.upper])
            ends[c.upper] += 1

    @cached_property
    def lowest(self) -> np.ndarray:
        """The lowest power of s in each row."""
        system, powers = self.layout.system, self.layout.powers
        result = np.ones(self.size, dtype=int)
        rows = [(self.rows_of[i].ravel(), row) for i, row in enumerate(system.equations)]
        rows += [
            (np.array([at]), c.row) for at, c in zip(self.rows_of_conditions, system.conditions, strict=True)
        ]
        for at, row in rows:
            result[at] = min(powers[jet][3] for jet in row.jets)
        return result

    @cached_property
    def columns(self) -> tuple[np.ndarray, np.ndarray]:
        """The column of each coefficient (fields, cells, size), and whether it has one."""
        shape = (len(self.layout.sizes), self.cells, self.layout.size)
        at, there = np.zeros(shape, dtype=int), np.zeros(shape, dtype=bool)
        for i, size in enumerate(self.layout.sizes):
            at[i, :, :size], there[i, :, :size] = self.columns_of[i], True
        return at, there

    @cached_property
    def full(self) -> bool:
        """Whether every coefficient has a column."""
        return bool(self.columns[1].all())

    @cached_property
    def places(self) -> np.ndarray:
        """Where the coefficient of each column is among all (fields, cells, size)."""
        at, there = self.columns
        result = np.zeros(self.size, dtype=int)
        result[at[there]] = np.flatnonzero(there.ravel())
        return result

    @cached_property
    def order(self) -> np.ndarray:
        """Which of the rows in the order in which residuals are made (equations, joints, conditions) stands at each place."""
        made = [self.rows_of[i].ravel() for i in range(len(self.layout.system.equations))]
        offset = 0
        for i in self.layout.spatial:
            m = self.layout.orders[i]
            made.append(self.rows_of_joints[:, offset : offset + m].ravel())
            offset += m
        made.append(np.array(self.rows_of_conditions, dtype=int))
        return np.argsort(np.concatenate(made))

    @cached_property
    def pattern(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of all entries, in the order in which `linearize` makes them."""
        layout, rows, columns = self.layout, [], []

        def enter(at: np.ndarray, among: np.ndarray) -> None:
            at, among = np.broadcast_arrays(at, among)
            rows.append(at.ravel())
            columns.append(among.ravel())

        for i, row in enumerate(layout.system.equations):
            for j in self.fields_in(row):
                self._enter_equation(enter, i, j)
        offset = 0
        for i in layout.spatial:
            m = layout.orders[i]
            at = self.rows_of_joints[:, offset : offset + m, None]
            enter(at, self.columns_of[i][: self.joints, None, :])
            enter(at, self.columns_of[i][self.after, None, :])
            offset += m
        for at, c in zip(self.rows_of_conditions, layout.system.conditions, strict=True):
            for j in self.fields_in(c.row):
                enter(np.array(at), self.columns_of[j][-1 if c.upper else 0])
        return np.concatenate(rows), np.concatenate(columns)

    def _enter_equation(self, enter, i: int, j: int) -> None:
        lumped = self.layout.lumped
        if i not in lumped:
            enter(self.rows_of[i][:, :, None], self.columns_of[j][:, None, :])
        elif j in lumped:
            enter(self.rows_of[i][0], self.columns_of[j][0])
        elif i not in self.layout.placed:
            enter(self.rows_of[i][0, 0], self.columns_of[j])
        else:
            cell = self.located[self.layout.placed.index(i)]
            enter(self.rows_of[i][0, 0], self.columns_of[j][cell])

    def fields_in(self, row: Row) -> list[int]:
        """Fields of which a row holds something."""
        return sorted({self.layout.powers[jet][0] for jet in row.jets})

    @cached_property
    def solver(self) -> Banded | Bordered:
        """Band LU; with a border a sparse one."""
        kind = Bordered if self.layout.lumped else Banded
        return kind(*self.pattern, self.size)


def _folded(cells: int) -> np.ndarray:
    """Positions of the cells of a circle in the order 0, K − 1, 1, K − 2, …: neighbors are at most two apart, and the matrix is a band."""
    k = np.arange(cells)
    return np.where(k < (cells + 1) // 2, 2 * k, 2 * (cells - 1 - k) + 1)
