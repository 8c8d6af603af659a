# SPDX-License-Identifier: MIT
"""Numbers of rows and columns: the same for all meshes of so many cells, whatever their widths.

Cell by cell: conditions of the lower end, then for each cell its points and the joint to the next one, conditions of the upper end; a band matrix. At an interface
its conditions stand in the place of a joint. Around a circle cells stand in the order 0, K − 1, 1, K − 2, …, and unknowns of time alone are a border.
"""

from __future__ import annotations

import itertools
from functools import cached_property

import numpy as np

from lrfm.discretize.line.layout import Layout
from lrfm.linalg.banded import Banded, Bordered
from lrfm.problem import Jet, Row


class Numbering:
    """Rows and columns of a layout on `cells` cells.

    `located` are the cells of the places at which fields of time alone are values, `edges` the numbers of the edges at which conditions hold.
    """

    def __init__(
        self, layout: Layout, cells: int, located: tuple[int, ...] = (), edges: tuple[int, ...] = ()
    ):
        self.layout, self.cells, self.located, self.edges = layout, cells, located, edges
        k = layout.count
        periodic = bool(layout.system.problem.periodic)
        self.width = sum(layout.sizes[i] for i in layout.spatial)
        joined = sum(layout.orders)
        first = 0 if periodic else edges.count(0)
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
        # Edges between two cells, each by the cell before it; those with conditions of their own are no joints.
        between = np.arange(cells if periodic else cells - 1)
        self.before = np.array([k for k in between if k + 1 not in edges], dtype=int)
        self.after = (self.before + 1) % cells
        at = first + slot[between] + k * len(layout.spatial)
        self.rows_of_joints = at[self.before][:, None] + np.arange(joined)
        following = {0: 0, cells: cells * self.width - (joined - first)}
        following |= {k + 1: int(at[k]) for k in between if k + 1 in edges}
        self.rows_of_conditions = []
        for edge in edges:
            self.rows_of_conditions.append(following[edge])
            following[edge] += 1

    @property
    def numbers(self) -> int:
        """How many it holds, about: row, column and place in the band of each entry, and the first two once more by part."""
        return 5 * self.size * (self.width + sum(self.layout.orders))

    @cached_property
    def seen(self) -> list[dict[Jet, tuple[int, int]]]:
        """Of each condition: the cells of its jets, and which of their two ends."""
        found = []
        for c, edge in zip(self.layout.system.conditions, self.edges, strict=True):
            upper = {jet: c.upper == (jet.side in ("", c.inner)) for jet in c.row.jets}
            found.append({jet: (edge - end, int(end)) for jet, end in upper.items()})
        return found

    @cached_property
    def ends(self) -> list[list[tuple[bool, tuple[slice, int, int, int]]]]:
        """Of each jet of each condition: whether it is a rate, and where it is among derivatives (times, components, cells, (orders)·(k + 2))."""
        k, found = self.layout.count, []
        for seen in self.seen:
            own = []
            for jet, (cell, end) in seen.items():
                _, component, order, power = self.layout.powers[jet]
                own.append((power == 0, (slice(None), component, cell, order * (k + 2) + k + end)))
            found.append(own)
        return found

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
    def natural(self) -> bool:
        """Whether the column of a coefficient is its place among all of them: one field between two ends."""
        at = self.columns[0]
        return self.full and at.size == self.size and bool(np.all(at.ravel() == np.arange(self.size)))

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
    def _entries(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Rows and columns of the entries of each row and field, in the order in which `linearize` makes them."""
        layout, found = self.layout, []

        def enter(at: np.ndarray, among: np.ndarray) -> None:
            found.append(((at + 0 * among).ravel(), (among + 0 * at).ravel()))

        for i, row in enumerate(layout.system.equations):
            for j in self.fields_in(row):
                self._enter_equation(enter, i, j)
        offset = 0
        for i in layout.spatial:
            m = layout.orders[i]
            at = self.rows_of_joints[:, offset : offset + m, None]
            enter(at, self.columns_of[i][self.before, None, :])
            enter(at, self.columns_of[i][self.after, None, :])
            offset += m
        for n, at in enumerate(self.rows_of_conditions):
            for j, cell, _ in self.columns_in(n):
                enter(np.array(at), self.columns_of[j][cell])
        return found

    @cached_property
    def pattern(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of all entries."""
        rows, columns = zip(*self._entries, strict=True)
        return np.concatenate(rows), np.concatenate(columns)

    @cached_property
    def _parts(self) -> tuple[list, list, list]:
        """Which of all entries are those of each equation and field, of both sides of the joints of each field, and of each condition."""
        ends = np.cumsum([0, *(len(rows) for rows, _ in self._entries)]).tolist()
        parts = iter([slice(start, end) for start, end in itertools.pairwise(ends)])
        system = self.layout.system
        equations = [[(next(parts), j) for j in self.fields_in(row)] for row in system.equations]
        joints = [(next(parts), next(parts)) for _ in self.layout.spatial]
        conditions = [[(next(parts), *at) for at in self.columns_in(n)] for n in range(len(self.edges))]
        return equations, joints, conditions

    @property
    def of_equations(self) -> list[list[tuple[slice, int]]]:
        """Of each equation: its entries in the columns of a field, and this field."""
        return self._parts[0]

    @property
    def of_joints(self) -> list[tuple[slice, slice]]:
        """Of each field: entries of the cells before and after all joints."""
        return self._parts[1]

    @property
    def of_conditions(self) -> list[list[tuple[slice, int, int, int]]]:
        """Of each condition: its entries in the columns of a field, this field, the cell and its end."""
        return self._parts[2]

    @cached_property
    def sides(self) -> tuple[slice | np.ndarray, slice | np.ndarray]:
        """The cells before and after each joint; slices where no joint is left out."""
        if self.after.size and np.all(np.diff(self.before) == 1) and self.after[-1] == self.before[-1] + 1:
            return slice(self.before[0], self.before[-1] + 1), slice(self.after[0], self.after[-1] + 1)
        return self.before, self.after

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

    def columns_in(self, number: int) -> list[tuple[int, int, int]]:
        """Fields, cells and ends of which a condition holds something."""
        return sorted({(self.layout.powers[jet][0], *at) for jet, at in self.seen[number].items()})

    @cached_property
    def solver(self) -> Banded | Bordered:
        """Band LU; with a border a sparse one."""
        kind = Bordered if self.layout.lumped else Banded
        return kind(*self.pattern, self.size)


def _folded(cells: int) -> np.ndarray:
    """Positions of the cells of a circle in the order 0, K − 1, 1, K − 2, …: neighbors are at most two apart, and the matrix is a band."""
    k = np.arange(cells)
    return np.where(k < (cells + 1) // 2, 2 * k, 2 * (cells - 1 - k) + 1)
