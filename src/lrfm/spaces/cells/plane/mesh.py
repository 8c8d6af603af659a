# SPDX-License-Identifier: MIT
"""Boxes of a tree:  Π_k [i_k/2^(l_k), (i_k + 1)/2^(l_k)] in units of n₁ × n₂ (× n₃) equal root boxes.

Each is halved along some of its axes: along all of them boxes are those of a quadtree or an octree, along one they are stretched along the others, as layers and pulses along a line ask for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from lrfm.spaces.cells.plane.tree import BoxTree


@dataclass(frozen=True, eq=False)
class PlaneMesh:
    """The leaves of such a tree over a grid of root boxes.

    Parameters
    ----------
    low, high
        Corners of the grid.
    grid
        How many root boxes there are along each axis.
    level, index
        Of each leaf: its depths along the axes (n, d), or one for all (n,), and its numbers along the axes at these depths (n, d).
    """

    low: np.ndarray
    high: np.ndarray
    grid: tuple[int, ...]
    level: np.ndarray
    index: np.ndarray

    def __post_init__(self) -> None:
        if self.level.ndim == 1:
            object.__setattr__(self, "level", np.repeat(self.level[:, None], self.dimension, axis=1))

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
    def depth(self) -> np.ndarray:
        """The largest of the depths of each leaf."""
        return np.max(self.level, axis=1)

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
                place = (index[:, axis] + side) * unit[:, axis] / self.grid[axis]
                ends.append(self.low[axis] + (self.high[axis] - self.low[axis]) * place)
        return np.column_stack(ends)

    @cached_property
    def widths(self) -> np.ndarray:
        """(n, d), from the depth, without cancellation."""
        root = (self.high - self.low) / np.array(self.grid)
        return root * 2.0 ** -self.level.astype(float)

    def keys(self, level: np.ndarray, index: np.ndarray) -> np.ndarray:
        """One number for each box of the tree, of 54 bits: n 2^l + i along an axis, n a power of two above its root boxes."""
        bits, first = 54 // self.dimension, 1 << int(max(self.grid) - 1).bit_length()
        found = np.zeros(len(index), dtype=np.int64)
        for axis in range(self.dimension):
            own = (np.int64(first) << level[:, axis].astype(np.int64)) + index[:, axis].astype(np.int64)
            found |= own << (bits * axis)
        return found

    @cached_property
    def _sorted(self) -> tuple[np.ndarray, np.ndarray]:
        keys = self.keys(self.level, self.index)
        order = np.argsort(keys)
        return keys[order], order

    def find(self, level: np.ndarray, index: np.ndarray) -> np.ndarray:
        """The numbers of leaves with these depths and numbers; −1 where there is none."""
        keys, order = self._sorted
        there = np.all(
            (level >= 0) & (index >= 0) & (index < np.array(self.grid) << np.maximum(level, 0)), axis=1
        )
        wanted = self.keys(np.where(there[:, None], level, 0), np.where(there[:, None], index, 0))
        at = np.clip(np.searchsorted(keys, wanted), 0, len(keys) - 1)
        return np.where(there & (keys[at] == wanted), order[at], -1)

    @cached_property
    def tree(self) -> BoxTree:
        """All boxes above the leaves."""
        return BoxTree(self.grid, self.level, self.index)

    def locate(self, points: np.ndarray) -> np.ndarray:
        """The leaf of each point; −1 outside of all."""
        unit = (points - self.low) / (self.high - self.low) * np.array(self.grid)
        within = np.all((unit >= -1e-9) & (unit <= np.array(self.grid) + 1e-9), axis=1)
        unit = np.clip(unit, 0.0, np.array(self.grid) * (1 - 1e-15))
        return self._at(unit, within)

    def _at(self, unit: np.ndarray, within: np.ndarray) -> np.ndarray:
        """The leaves of places in units of root boxes; −1 for none."""
        found = np.full(len(unit), -1)
        found[within] = self.tree.locate(unit[within])
        return found

    def split(self, marked: np.ndarray) -> PlaneMesh:
        """Marked leaves as their halves along all axes, (n,), or along some, (n, d); and neighbors of these that are more than twice as large along an axis likewise."""
        mesh, axes = self, self._by_axis(marked)
        while axes.any():
            mesh = mesh._halved(axes)
            axes = mesh._coarse()
        return mesh

    def _by_axis(self, marked: np.ndarray) -> np.ndarray:
        return marked if marked.ndim == 2 else np.repeat(marked[:, None], self.dimension, axis=1)

    def _halved(self, axes: np.ndarray) -> PlaneMesh:
        level, index = self.level, self.index
        for k, unit in enumerate(np.eye(self.dimension, dtype=int)):
            own = axes[:, k]
            half = index[own] + index[own] * unit  # 2 i along this axis
            index = np.concatenate([index[~own], half, half + unit])
            level = np.concatenate([level[~own], level[own] + unit, level[own] + unit])
            axes = np.concatenate([axes[~own], axes[own], axes[own]])
        return PlaneMesh(self.low, self.high, self.grid, level, index)

    def _beside(self, step: np.ndarray) -> np.ndarray:
        """The leaf behind the middle of the side, or the corner, of each leaf in some direction; −1 for none. Of two that share a side, the one whose side is a part of the other's finds it."""
        width = 2.0 ** -self.level.astype(float)
        at = (self.index + 0.5) * width + 0.5 * step * (width + 2.0**-25)
        within = np.all((at > 0) & (at < np.array(self.grid)), axis=1)
        return self._at(at, within)

    def _coarse(self) -> np.ndarray:
        """Leaves beside one that is smaller along an axis by more than a factor of two, (n, d)."""
        result = np.zeros(self.level.shape, dtype=bool)
        for step in (*np.eye(self.dimension, dtype=int), *-np.eye(self.dimension, dtype=int)):
            other = self._beside(step)
            own = np.flatnonzero(other >= 0)
            other = other[own]
            finer = self.level[own] - self.level[other]
            np.logical_or.at(result, other, finer > 1)
            result[own] |= finer < -1
        return result

    def around(self, marked: np.ndarray) -> np.ndarray:
        """Marked leaves, and those beside them that are not smaller."""
        result = marked.copy()
        for step in product((-1, 0, 1), repeat=self.dimension):
            if any(step):
                at = self._beside(np.array(step))[marked]
                larger = np.sum(self.level[at], axis=1) <= np.sum(self.level[marked], axis=1)
                result[at[(at >= 0) & larger]] = True
        return result

    def join(self, marked: np.ndarray) -> PlaneMesh:
        """Leaves of which all parts of a box are marked become that box: all 2^d of them, (n,), or both halves along an axis, (n, d); if no neighbor is then smaller by more than a factor of two."""
        mesh = self._joined(marked) if marked.ndim == 1 else self
        if marked.ndim == 2:
            for axis in range(self.dimension):
                mesh, marked = mesh._paired(marked, axis)
        return mesh if mesh is self else mesh.split(mesh._coarse())

    def _joined(self, marked: np.ndarray) -> PlaneMesh:
        among = np.flatnonzero(marked & (np.min(self.level, axis=1) > 0))
        parents = self.keys(self.level[among] - 1, self.index[among] >> 1)
        _, first, inverse, count = np.unique(
            parents, return_index=True, return_inverse=True, return_counts=True
        )
        whole = count == 2**self.dimension
        if not whole.any():
            return self
        keep, first = np.ones(self.leaves, dtype=bool), among[first[whole]]
        keep[among[whole[inverse]]] = False
        level = np.concatenate([self.level[keep], self.level[first] - 1])
        index = np.concatenate([self.index[keep], self.index[first] >> 1])
        return PlaneMesh(self.low, self.high, self.grid, level, index)

    def _paired(self, marked: np.ndarray, axis: int) -> tuple[PlaneMesh, np.ndarray]:
        """Both halves along an axis as one, and what is marked then: what both were."""
        unit = np.eye(self.dimension, dtype=int)[axis]
        own = np.flatnonzero(marked[:, axis] & (self.level[:, axis] > 0) & (self.index[:, axis] % 2 == 0))
        other = self.find(self.level[own], self.index[own] + unit)
        good = (other >= 0) & marked[other, axis]
        own, other = own[good], other[good]
        if not len(own):
            return self, marked
        keep = np.ones(self.leaves, dtype=bool)
        keep[own], keep[other] = False, False
        index = self.index[own] - unit * (self.index[own] // 2)
        mesh = PlaneMesh(
            self.low,
            self.high,
            self.grid,
            np.concatenate([self.level[keep], self.level[own] - unit]),
            np.concatenate([self.index[keep], index]),
        )
        return mesh, np.concatenate([marked[keep], marked[own] & marked[other]])
