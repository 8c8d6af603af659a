# SPDX-License-Identifier: MIT
"""The tree of which boxes are the leaves:  every other box is halved along one axis.

Intervals of the tree are either disjoint or one inside the other. So of a box of the plane that is no leaf one middle line is crossed by no leaf: one that crosses the vertical line is as wide as the box, one that crosses the
horizontal line as high, and both would overlap. Along the first such axis it is halved, whatever the splits were by which its leaves were made; boxes of an octree are halved along all axes in turn.
"""

from __future__ import annotations

import numpy as np


class BoxTree:
    """Boxes by number, roots first; `axis` is that along which one is halved, `child` its lower half, the upper one follows; `leaf` is the number of the leaf, −1 for none.

    `level` and `index` of all boxes are those of `PlaneMesh`.
    """

    def __init__(self, grid: tuple[int, ...], level: np.ndarray, index: np.ndarray):
        dimension = len(grid)
        axes = np.meshgrid(*(np.arange(n) for n in grid), indexing="ij")
        own_index = np.column_stack([i.ravel() for i in axes])
        own_level = np.zeros_like(own_index)
        self.grid = grid
        at = self.root(index >> level)
        left, count, found = np.arange(len(level)), len(own_index), []
        while len(own_index):
            least = np.full((len(own_index), dimension), np.iinfo(np.int64).max)
            np.minimum.at(least, at, level[left])
            deeper = least > own_level
            inner, axis = np.any(deeper, axis=1), np.argmax(deeper, axis=1)
            leaf = np.full(len(inner), -1)
            ends = ~inner[at]
            leaf[at[ends]] = left[ends]
            rank = np.cumsum(inner) - 1
            child = np.where(inner, count + 2 * rank, -1)
            found.append((np.where(inner, axis, -1), child, leaf, own_level, own_index))
            left, at = left[~ends], at[~ends]
            k = axis[at]
            bit = index[left, k] >> (level[left, k] - own_level[at, k] - 1)
            at = 2 * rank[at] + (bit & 1)
            unit = np.eye(dimension, dtype=int)[axis[inner]]
            own_level = np.repeat(own_level[inner] + unit, 2, axis=0)
            own_index = np.repeat(own_index[inner] * (1 + unit), 2, axis=0)
            own_index[1::2] += unit
            count += len(own_index)
        parts = [np.concatenate(part) for part in zip(*found, strict=True)]
        self.axis, self.child, self.leaf, self.level, self.index = parts

    def root(self, index: np.ndarray) -> np.ndarray:
        """Numbers of root boxes (n, d)."""
        return np.asarray(np.ravel_multi_index(tuple(index.T), self.grid))

    def locate(self, unit: np.ndarray) -> np.ndarray:
        """The leaves of places (n, d) in units of root boxes."""
        box = self.root(np.floor(unit).astype(np.int64))
        going = np.flatnonzero(self.axis[box] >= 0)
        while len(going):
            now = box[going]
            k = self.axis[now]
            bit = np.floor(unit[going, k] * 2.0 ** (self.level[now, k] + 1)).astype(np.int64) & 1
            box[going] = now = self.child[now] + bit
            going = going[self.axis[now] >= 0]
        return self.leaf[box]
