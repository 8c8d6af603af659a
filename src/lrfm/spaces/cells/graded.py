# SPDX-License-Identifier: MIT
"""Which cells of a tree a function needs: details (`lrfm.spaces.cells.padded`) are left out, the least first, while they come to less than a budget in the mean.

A cell is also needed where what straight lines in cells twice as wide would miss counts, and where details do not fall from width to width: all that so many halvings would add has the same
budget, if it fell on as it has (along a curve there are many cells, of which none would count alone).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np

from lrfm.spaces.cells.padded import GHOSTS, mean, padded, padded_level, predicted, restricted
from lrfm.spaces.cells.tree import Tree, reduced

TINY = float(np.finfo(float).tiny)


def graded(tree: Tree, means: np.ndarray, depth: int, budget: float, passed: int) -> Tree:
    """The tree with at most `depth` halvings for a function of such means (quantities, cells), each relative to its size; what travels by `passed` of the narrowest cells stays on narrow ones."""
    d, n = tree.dimension, tree.side
    own = restricted(tree, means)
    wide = padded(tree, own)
    details, bends, ratios = _shares(tree, own, wide)
    least, flat = _least(details, budget), _least(bends, budget)
    needed = [np.zeros(tuple(m << k for m in tree.roots), dtype=bool) for k in range(depth + 1)]
    ahead = []
    for k, level in enumerate(tree.levels):
        flags = (details[k] >= least) | (bends[k] >= flat)
        reach = max(GHOSTS, -(-passed >> (depth - k)) + 1)
        needed[k] |= _near(tree, k, flags, reach)
        ahead.append(details[k][..., : level.leaves])
    for down in range(1, depth + 1):
        # All that so many halvings would add, if it fell on as it has.
        here = range(min(len(tree.levels), depth + 1 - down))
        ahead = [ahead[k] * ratios[k][..., : tree.levels[k].leaves] for k in here]
        counts = _least(ahead, budget / 2 ** (d * down))
        if not math.isfinite(counts):
            break
        for k in here:
            cells = np.zeros((n,) * d + (tree.levels[k].size,), dtype=bool)
            cells[..., : tree.levels[k].leaves] = ahead[k] >= counts
            needed[k + down] |= tree.around(_parts(tree, k, cells, down))
    return tree.with_blocks(needed)


def _shares(
    tree: Tree, own: Sequence[np.ndarray], wide: Sequence[np.ndarray]
) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
    """By level, (n, …, blocks): what cells' details and what straight lines in cells twice as wide miss come to in the mean of the box; by what part the former fall from width to width, at most as at a jump and at least as where it is smooth."""
    d, n = tree.dimension, tree.side
    inner = (slice(None), *(slice(GHOSTS, -GHOSTS),) * d)
    details, bends, ratios = [], [], []
    for k, level in enumerate(tree.levels):
        volume = tree.volume(k)
        if k:
            above, parents = wide[k - 1], tree.levels[k - 1]
            told = predicted(tree, above, parents, level, False)[inner]
            detail = np.max(np.abs(own[k] - told), axis=0) * volume
            bent = _twice(_bends(above[..., parents.leaves :], d), level, parents, n) * volume
            before = _twice(details[k - 1][..., parents.leaves :], level, parents, n)
        else:
            detail, bent, before = _of_roots(tree, own[0], volume)
        details.append(detail)
        bends.append(bent)
        ratios.append(np.clip(detail / np.maximum(before, TINY), 0.5 ** (GHOSTS + d), 0.5**d))
    return details, bends, ratios


def _bends(wide: np.ndarray, d: int) -> np.ndarray:
    """1/32 of second differences along all axes, of padded blocks: (n, …, blocks)."""
    total = 0.0
    inner = slice(GHOSTS, -GHOSTS)
    for axis in range(d):
        row = wide[(slice(None), *(slice(None) if k == axis else inner for k in range(d)))]
        parts = [row[(slice(None),) * (1 + axis) + (slice(GHOSTS + j, j - GHOSTS),)] for j in (-1, 0, 1)]
        total = total + np.abs(parts[0] - 2 * parts[1] + parts[2])
    return np.max(total, axis=0) / 32


def _twice(values: np.ndarray, level, parents, n: int) -> np.ndarray:
    """Values of the cells of halved blocks for each of their halves: (n, …, blocks of the next level)."""
    parts = []
    for bits in parents.children:
        part = values[tuple(slice(b * n // 2, (b + 1) * n // 2) for b in bits)]
        for axis in range(len(bits)):
            part = np.repeat(part, 2, axis=axis)
        parts.append(part)
    return np.take(np.concatenate(parts, axis=-1), level.column, axis=-1)


def _of_roots(tree: Tree, own: np.ndarray, volume: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same of the widest cells: by pairs of them, and pairs of these."""
    d, n, level = tree.dimension, tree.side, tree.levels[0]
    # All cells in one array, (quantities, n₁, …).
    order = np.empty(level.size, dtype=np.int64)
    order[np.ravel_multi_index(tuple(level.index), tree.roots)] = np.arange(level.size)
    whole = own[..., order].reshape(len(own), *(n,) * d, *tree.roots)
    axes = [a for k in range(d) for a in (1 + d + k, 1 + k)]
    whole = whole.transpose(0, *axes).reshape(len(own), *tree.counts(0))
    pairs = _pairs(whole, d)
    fours = _pairs(pairs, d)
    detail, before = (
        np.max(np.abs(fine - _told(coarse, tree)), axis=0)
        for fine, coarse in ((whole, pairs), (pairs, fours))
    )
    bent = sum(np.abs(a - 2 * pairs + b) for a, b in (_beside(pairs, tree, axis) for axis in range(d)))
    bent = np.max(bent, axis=0) / 32
    for axis in range(d):
        before, bent = np.repeat(before, 2, axis=axis), np.repeat(bent, 2, axis=axis)

    def blocks(values: np.ndarray) -> np.ndarray:
        split = values.reshape([m for r in tree.roots for m in (r, n)])
        moved = split.transpose(*range(1, 2 * d, 2), *range(0, 2 * d, 2))
        return moved.reshape(*(n,) * d, -1)[..., np.argsort(order, kind="stable")]

    return blocks(detail) * volume, blocks(bent) * volume, blocks(before) * (volume * 2**d)


def _pairs(values: np.ndarray, d: int) -> np.ndarray:
    return reduced(values[..., None], d, mean)[..., 0]


def _beside(u: np.ndarray, tree: Tree, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Values below and above along an axis, around the circle or the last ones again."""
    found = []
    for step in (1, -1):
        beside = np.roll(u, step, axis=1 + axis)
        if not tree.periodic[axis]:
            end = (slice(None),) * (1 + axis) + (slice(0, 1) if step > 0 else slice(-1, None),)
            beside[end] = u[end]
        found.append(beside)
    return found[0], found[1]


def _told(u: np.ndarray, tree: Tree) -> np.ndarray:
    """Halves of cells that fill the box, as they are predicted."""
    for axis in range(tree.dimension):
        below, above = _beside(u, tree, axis)
        slope = (above - below) / 8
        u = np.stack([u - slope, u + slope], axis=2 + axis).reshape(
            *u.shape[: 1 + axis], -1, *u.shape[2 + axis :]
        )
    return u


def _least(shares: Sequence[np.ndarray], budget: float) -> float:
    """From where on parts count: the others have less than a budget together."""
    ordered = np.sort(np.concatenate([s.ravel() for s in shares]))
    small = int(np.searchsorted(np.cumsum(ordered), budget, side="right"))
    return float(ordered[small]) if small < ordered.size else np.inf


def _near(tree: Tree, level: int, flags: np.ndarray, reach: int) -> np.ndarray:
    """Blocks of a level within so many cells of marked ones, (n, …, blocks); an entry for each block that there could be."""
    d, n = tree.dimension, tree.side
    found = np.zeros(tuple(m << level for m in tree.roots), dtype=bool)
    cuts = {-1: slice(0, reach), 0: slice(None), 1: slice(max(n - reach, 0), None)}
    for steps in product((-1, 0, 1), repeat=d):
        marked = np.any(flags[tuple(cuts[s] for s in steps)], axis=tuple(range(d)))
        if not marked.any():
            continue
        dense = tree.dense(level, marked)
        for axis, step in enumerate(steps):
            dense = tree.shifted(dense, axis, step)
        found |= dense
    return found


def _parts(tree: Tree, level: int, cells: np.ndarray, down: int) -> np.ndarray:
    """Blocks that are so many times halved which hold some of the marked cells (n, …, blocks) of a level."""
    d, n = tree.dimension, tree.side
    many = 1 << down
    for axis in range(d):
        if many <= n:
            shape = (*cells.shape[:axis], many, n // many, *cells.shape[axis + 1 :])
            cells = np.any(cells.reshape(shape), axis=axis + 1)
        else:
            cells = np.repeat(cells, many // n, axis=axis)
    found = np.zeros(tuple(m << (level + down) for m in tree.roots), dtype=bool)
    at = np.nonzero(cells)
    index = tree.levels[level].index[:, at[-1]] * many + np.stack(at[:-1])
    found[tuple(index)] = True
    return found


def moved(old: Tree, new: Tree, means: np.ndarray) -> np.ndarray:
    """Means (quantities, cells) on other cells: of cells that were there as they were, of wider ones the sums, of narrower ones as they are predicted."""
    own, wide, made = restricted(old, means), [], []
    d, n = new.dimension, new.side
    inner = (slice(None), *(slice(GHOSTS, -GHOSTS),) * d)
    for k, level in enumerate(new.levels):
        if k:
            values = predicted(new, wide[k - 1], new.levels[k - 1], level, False)[inner]
        else:
            values = np.empty((len(means), *(n,) * d, level.size))
        if k <= old.depth:
            slot = np.full(tuple(m << k for m in new.roots), -1)
            slot[tuple(old.levels[k].index)] = np.arange(old.levels[k].size)
            there = slot[tuple(level.index)]
            values = np.where(there >= 0, np.take(own[k], np.maximum(there, 0), axis=-1), values)
        wide.append(padded_level(new, k, values, wide))
        made.append(values[..., : level.leaves])
    return new.joined(made)
