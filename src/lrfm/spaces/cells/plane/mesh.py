# SPDX-License-Identifier: MIT
"""Boxes of a quadtree or an octree:  Π_k [i_k/2^l, (i_k + 1)/2^l] in units of n₁ × n₂ (× n₃) equal root boxes;  each is split into 2^d."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np


@dataclass(frozen=True, eq=False)
class PlaneMesh:
    """The leaves of a quadtree, or in space of an octree, over a grid of root boxes.

    Parameters
    ----------
    low, high
        Corners of the grid.
    grid
        How many root boxes there are along each axis.
    level, index
        Of each leaf: its depth (n,), and its numbers along the axes at that depth (n, d).
    """

    low: np.ndarray
    high: np.ndarray
    grid: tuple[int, ...]
    level: np.ndarray
    index: np.ndarray

    @staticmethod
    def of(low: np.ndarray, high: np.ndarray, grid: tuple[int, ...]) -> PlaneMesh:
        """The root boxes themselves."""
        axes = np.meshgrid(*(np.arange(n) for n in grid), indexing="ij")
        index = np.column_stack([i.ravel() for i in axes])
        return PlaneMesh(np.asarray(low), np.asarray(high), grid, np.zeros(len(index), dtype=int), index)

    @property
    def leaves(self) -> int:
        """How many there are."""
        return len(self.level)

    @property
    def dimension(self) -> int:
        """Of the boxes."""
        return len(self.grid)

    @cached_property
    def boxes(self) -> np.ndarray:
        """x₀, x₁, y₀, y₁, … of each leaf; a side has the same numbers seen from both of its leaves."""
        return self.boxes_of(self.level, self.index)

    def boxes_of(self, level: np.ndarray, index: np.ndarray) -> np.ndarray:
        """The same of any boxes of the tree."""
        unit = 2.0 ** -level.astype(float)
        ends = []
        for axis in range(self.dimension):
            for side in range(2):
                place = (index[:, axis] + side) * unit / self.grid[axis]
                ends.append(self.low[axis] + (self.high[axis] - self.low[axis]) * place)
        return np.column_stack(ends)

    @cached_property
    def widths(self) -> np.ndarray:
        """(n, d), from the depth, without cancellation."""
        root = (self.high - self.low) / np.array(self.grid)
        return root * 2.0 ** -self.level.astype(float)[:, None]

    @staticmethod
    def keys(level: np.ndarray, index: np.ndarray) -> np.ndarray:
        """One number for each box of the tree."""
        found, bits = level.astype(np.int64) << 48, 48 // index.shape[1]
        for axis, numbers in enumerate(index.astype(np.int64).T):
            found |= numbers << (bits * axis)
        return found

    @cached_property
    def _sorted(self) -> tuple[np.ndarray, np.ndarray]:
        keys = self.keys(self.level, self.index)
        order = np.argsort(keys)
        return keys[order], order

    def find(self, level: np.ndarray, index: np.ndarray) -> np.ndarray:
        """The numbers of leaves with this depth and these numbers; −1 where there is none."""
        keys, order = self._sorted
        wanted = self.keys(level, index)
        at = np.clip(np.searchsorted(keys, wanted), 0, len(keys) - 1)
        return np.where(keys[at] == wanted, order[at], -1)

    def locate(self, points: np.ndarray) -> np.ndarray:
        """The leaf of each point; −1 outside of all."""
        unit = (points - self.low) / (self.high - self.low) * np.array(self.grid)
        found = np.full(len(points), -1)
        within = np.all((unit >= -1e-9) & (unit <= np.array(self.grid) + 1e-9), axis=1)
        unit = np.clip(unit, 0.0, np.array(self.grid) * (1 - 1e-15))
        for level in np.unique(self.level):
            left = np.flatnonzero(within & (found < 0))
            index = np.floor(unit[left] * 2.0**level).astype(np.int64)
            found[left] = self.find(np.full(len(left), level), index)
        return found

    def split(self, marked: np.ndarray) -> PlaneMesh:
        """Marked leaves as their halves along all axes, and neighbors of these that are more than twice as large likewise."""
        mesh = self
        while marked.any():
            level, index = mesh.level[marked] + 1, mesh.index[marked] * 2
            parts = [index + np.array(step) for step in product((0, 1), repeat=self.dimension)]
            mesh = PlaneMesh(
                self.low,
                self.high,
                self.grid,
                np.concatenate([mesh.level[~marked], np.tile(level, len(parts))]),
                np.concatenate([mesh.index[~marked], *parts]),
            )
            marked = mesh._coarse()
        return mesh

    def _coarse(self) -> np.ndarray:
        """Leaves beside one that is smaller by more than a factor of two."""
        result = np.zeros(self.leaves, dtype=bool)
        for step in (*np.eye(self.dimension, dtype=int), *-np.eye(self.dimension, dtype=int)):
            for gap in range(2, int(self.level.max()) + 1):
                deep = self.level >= gap
                beside = (self.index[deep] + step) >> gap
                at = self.find(self.level[deep] - gap, beside)
                result[at[at >= 0]] = True
        return result

    def around(self, marked: np.ndarray) -> np.ndarray:
        """Marked leaves, and those beside them that are not smaller."""
        result = marked.copy()
        for step in product((-1, 0, 1), repeat=self.dimension):
            beside, level = self.index[marked] + np.array(step), self.level[marked]
            for up in range(2):
                at = self.find(level - up, beside >> up)
                result[at[(at >= 0) & (level >= up)]] = True
        return result

    def join(self, marked: np.ndarray) -> PlaneMesh:
        """Leaves of which all parts of a box are marked become that box, if no neighbor is then smaller by more than a factor of two."""
        among = np.flatnonzero(marked & (self.level > 0))
        parents = self.keys(self.level[among] - 1, self.index[among] >> 1)
        _, inverse, count = np.unique(parents, return_inverse=True, return_counts=True)
        parts = 2**self.dimension
        gone = among[count[inverse] == parts]
        first = np.array([among[inverse == k][0] for k in np.flatnonzero(count == parts)], dtype=int)
        if not len(first):
            return self
        keep = np.ones(self.leaves, dtype=bool)
        keep[gone] = False
        mesh = PlaneMesh(
            self.low,
            self.high,
            self.grid,
            np.concatenate([self.level[keep], self.level[first] - 1]),
            np.concatenate([self.index[keep], self.index[first] >> 1]),
        )
        return mesh.split(mesh._coarse())
