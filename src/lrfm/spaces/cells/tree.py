# SPDX-License-Identifier: MIT
"""Boxes of the widths h, 2h, 4h, … that fill a box: blocks of nᵈ cells, the widest of them side by side, each as it is or halved along all axes, and so on.

Blocks that touch, at a corner too, differ by one halving at the most. Blocks of one level are the nodes of a tree: its *leaves* hold the cells, those that are halved means of theirs. Arrays of means are
(quantities, n, …, n, blocks): what is done to one block is done to all, and the last axis is long.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

MISSING, OUTSIDE = range(-1, -3, -1)  # instead of a neighbor: it is wider; there is none


@dataclass(frozen=True, eq=False)
class Level:
    """Blocks of one width, leaves first.

    Parameters
    ----------
    index
        Which block along each axis, (axes, blocks).
    leaves
        How many of them hold cells; the others are halved.
    neighbors
        By axis, below and above: numbers of blocks, or MISSING, or OUTSIDE.
    children
        By half along each axis, numbers of blocks of the next level, in the order of those that are halved.
    column
        Of each block its number among halves: half by half, in the order of those that were halved.
    """

    index: np.ndarray
    leaves: int
    neighbors: tuple[tuple[np.ndarray, np.ndarray], ...]
    children: dict[tuple[int, ...], np.ndarray]
    column: np.ndarray

    @property
    def size(self) -> int:
        """How many blocks there are."""
        return self.index.shape[1]


@dataclass(frozen=True, eq=False)
class Tree:
    """Cells in a box; `periodic` says by axis whether its ends are one.

    Parameters
    ----------
    lower, upper, periodic
        The box.
    roots
        How many of the widest blocks there are along each axis.
    refined
        By level, which blocks are halved: arrays with an entry for each block that there could be.
    side
        Cells of a block along each axis, a multiple of four: with four of them there are a third fewer cells, each of which takes half as much longer; with more there are too many at a shock.
    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    roots: tuple[int, ...]
    periodic: tuple[bool, ...]
    refined: tuple[np.ndarray, ...] = ()
    side: int = 8

    @staticmethod
    def equal(
        lower: Sequence[float], upper: Sequence[float], counts: Sequence[int], periodic: Sequence[bool]
    ) -> Tree:
        """Cells of one width, so many along each axis: multiples of eight."""
        roots = tuple(n // Tree.side for n in counts)
        return Tree(tuple(map(float, lower)), tuple(map(float, upper)), roots, tuple(periodic))

    @property
    def dimension(self) -> int:
        return len(self.roots)

    @property
    def moves(self) -> bool:
        """Cells stay where they are within a step."""
        return False

    @property
    def depth(self) -> int:
        """The number of the level of the narrowest cells that there are."""
        return len(self.levels) - 1

    @cached_property
    def first(self) -> list[int]:
        """The number of the first leaf of each level, and of all leaves."""
        return np.cumsum([0, *(level.leaves for level in self.levels)]).tolist()

    @property
    def blocks(self) -> int:
        """How many leaves there are."""
        return self.first[-1]

    @property
    def size(self) -> int:
        """How many cells there are."""
        return self.blocks * self.side**self.dimension

    def counts(self, level: int) -> tuple[int, ...]:
        """Cells along each axis if all were of one level."""
        return tuple(self.side * n << level for n in self.roots)

    def widths(self, level: int) -> np.ndarray:
        """Of a cell along each axis."""
        return (np.array(self.upper) - np.array(self.lower)) / np.array(self.counts(level))

    def volume(self, level: int) -> float:
        """Of a cell, as a part of the box."""
        return 1.0 / math.prod(self.counts(level))

    @cached_property
    def shares(self) -> np.ndarray:
        """Each cell's part of the box."""
        own = [np.full(level.leaves, self.volume(k)) for k, level in enumerate(self.levels)]
        return np.tile(np.concatenate(own), self.side**self.dimension)

    def per_level(self, means: np.ndarray) -> list[np.ndarray]:
        """(…, cells) by level, each (…, n, …, n, leaves)."""
        whole = means.reshape(*means.shape[:-1], *(self.side,) * self.dimension, self.blocks)
        return [whole[..., a:b] for a, b in zip(self.first[:-1], self.first[1:], strict=True)]

    def joined(self, parts: Sequence[np.ndarray]) -> np.ndarray:
        """(…, cells) again."""
        whole = np.concatenate(parts, axis=-1)
        return whole.reshape(*whole.shape[: -1 - self.dimension], -1)

    # Blocks -------------------------------------------------------------------------------------------------

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """Blocks from the widest to the narrowest ones."""
        d, made = self.dimension, []
        halved = [*self.refined, np.zeros(0, dtype=bool)]
        numbers = [np.arange(n) for n in self.roots]
        index = np.stack([a.ravel() for a in np.meshgrid(*numbers, indexing="ij")])
        column = np.arange(index.shape[1])
        for level, mask in enumerate(halved):
            shape = tuple(n << level for n in self.roots)
            split = mask[tuple(index)] if mask.size else np.zeros(index.shape[1], dtype=bool)
            order = np.argsort(split, kind="stable")
            index, column = index[:, order], column[order]
            leaves, total = int(np.sum(~split)), index.shape[1]
            slot = np.full(shape, MISSING)
            slot[tuple(index)] = np.arange(total)
            neighbors = tuple(self._beside(index, slot, axis) for axis in range(d))
            made.append((index, leaves, neighbors, column))
            if leaves == total:
                break
            parts = list(product((0, 1), repeat=d))
            bits = np.array(parts).T
            index = (2 * index[:, None, leaves:] + bits[:, :, None]).reshape(d, -1)
            column = np.arange(index.shape[1])
        levels = []
        for k, (index, leaves, neighbors, column) in enumerate(made):
            children: dict[tuple[int, ...], np.ndarray] = {}
            if k + 1 < len(made):
                place = np.argsort(made[k + 1][3], kind="stable")  # of each half among the next blocks
                parts = np.split(place, 2**d)
                children.update(zip(product((0, 1), repeat=d), parts, strict=True))
            levels.append(Level(index, leaves, neighbors, children, column))
        return tuple(levels)

    def _beside(self, index: np.ndarray, slot: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
        found, many = [], slot.shape[axis]
        for step in (-1, 1):
            other = index.copy()
            other[axis] += step
            outside = (other[axis] < 0) | (other[axis] >= many)
            other[axis] %= many
            beside = slot[tuple(other)]
            found.append(beside if self.periodic[axis] else np.where(outside, OUTSIDE, beside))
        return found[0], found[1]

    def dense(self, level: int, flags: np.ndarray) -> np.ndarray:
        """Flags of the blocks of a level, with False where there is none."""
        made = np.zeros(tuple(n << level for n in self.roots), dtype=bool)
        made[tuple(self.levels[level].index)] = flags
        return made

    def around(self, flags: np.ndarray) -> np.ndarray:
        """Blocks of a level (an entry for each that there could be) with all that touch them."""
        for axis in range(self.dimension):
            flags = flags | self.shifted(flags, axis, 1) | self.shifted(flags, axis, -1)
        return flags

    def shifted(self, flags: np.ndarray, axis: int, step: int) -> np.ndarray:
        """Blocks beside those, around the circle or not beyond the ends."""
        if not step:
            return flags
        moved = np.roll(flags, step, axis=axis)
        if not self.periodic[axis]:
            moved[(slice(None),) * axis + (0 if step > 0 else -1,)] = False
        return moved

    def with_blocks(self, needed: Sequence[np.ndarray]) -> Tree:
        """The tree that has at least these blocks of each level (level 0 first), and as few others as there may be."""
        refined: list[np.ndarray] = []
        finer = np.zeros(tuple(n << (len(needed) - 1) for n in self.roots), dtype=bool)
        for wanted in reversed(needed[1:]):
            finer = _halved(wanted | self.around(finer))
            refined.append(finer)
        refined.reverse()
        while refined and not refined[-1].any():
            refined.pop()
        return Tree(self.lower, self.upper, self.roots, self.periodic, tuple(refined), self.side)

    def same_as(self, other: Tree) -> bool:
        """Whether both have the same cells."""
        pairs = zip(self.refined, other.refined, strict=False)
        return len(self.refined) == len(other.refined) and all(np.array_equal(a, b) for a, b in pairs)

    # Places -------------------------------------------------------------------------------------------------

    def along(self, level: int, axis: int, offsets: np.ndarray) -> np.ndarray:
        """Places along an axis at distances from the lower end of each block, in cells: (offsets, blocks); around the circle."""
        start = self.levels[level].index[axis] * self.side
        inside = start + offsets[:, None]
        count = self.counts(level)[axis]
        inside = inside % count if self.periodic[axis] else np.clip(inside, 0, count)
        return self.lower[axis] + self.widths(level)[axis] * inside

    def places(self, level: int, offsets: Sequence[np.ndarray]) -> np.ndarray:
        """Products of such places in all leaves of a level, (axes, …, leaves)."""
        leaves = self.levels[level].leaves
        shape = (*map(len, offsets), leaves)
        made = np.empty((self.dimension, *shape))
        for axis, own in enumerate(offsets):
            found = self.along(level, axis, own)[:, :leaves]
            made[axis] = found.reshape((1,) * axis + (len(own),) + (1,) * (self.dimension - 1 - axis) + (-1,))
        return made

    @cached_property
    def centers(self) -> np.ndarray:
        """Middles of all cells, (axes, cells)."""
        middle = np.arange(self.side) + 0.5
        return self.joined([self.places(k, [middle] * self.dimension) for k in range(len(self.levels))])

    @cached_property
    def cell_widths(self) -> np.ndarray:
        """Of all cells, (axes, cells)."""
        own = [np.tile(self.widths(k)[:, None], (1, level.leaves)) for k, level in enumerate(self.levels)]
        return np.tile(np.concatenate(own, axis=1), (1, self.side**self.dimension))

    @cached_property
    def _leaf(self) -> tuple[np.ndarray, np.ndarray]:
        """The leaf and its level at each of the narrowest blocks that there are."""
        depth = self.depth
        shape = tuple(n << depth for n in self.roots)
        leaf, at = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int8)
        for k, level in enumerate(self.levels):
            wide = 1 << (depth - k)
            view = leaf.reshape([m for n in shape for m in (n // wide, wide)])
            deep = at.reshape(view.shape)
            where = tuple(x for i in level.index[:, : level.leaves] for x in (i, slice(None)))
            numbers = np.arange(level.leaves, dtype=np.int32) + self.first[k]
            view[where] = numbers.reshape(-1, *(1,) * self.dimension)
            deep[where] = k
        return leaf, at

    def locate(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The cell of each place (places, axes), and where in it: (places, axes), from −1 to 1."""
        leaf, at = self._leaf
        most = np.array(self.counts(self.depth))
        inside = (places - np.array(self.lower)) * (most / (np.array(self.upper) - np.array(self.lower)))
        block = np.clip(inside.astype(np.int64), 0, most - 1) // self.side
        where = tuple(block.T)
        wide = (1 << (self.depth - at[where].astype(np.int64)))[:, None]
        # In cells of the leaf's own width, from its lower corner.
        own = inside / wide - (block // wide) * self.side
        cell = np.clip(own.astype(np.int64), 0, self.side - 1)
        number = np.ravel_multi_index(tuple(cell.T), (self.side,) * self.dimension)
        return number * self.blocks + leaf[where], 2.0 * (own - cell) - 1.0


def _halved(flags: np.ndarray) -> np.ndarray:
    """Blocks twice as wide that hold some of those."""
    for axis in range(flags.ndim):
        even, odd = (flags[(slice(None),) * axis + (slice(k, None, 2),)] for k in (0, 1))
        flags = even | odd
    return flags


def reduced(values: np.ndarray, axes: int, how: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    """Pairs of neighbors along each of the axes before the last one made one."""
    for axis in range(values.ndim - 1 - axes, values.ndim - 1):
        even, odd = (values[(slice(None),) * axis + (slice(k, None, 2),)] for k in (0, 1))
        values = how(even, odd)
    return values
