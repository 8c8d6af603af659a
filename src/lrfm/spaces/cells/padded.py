# SPDX-License-Identifier: MIT
"""Means on the blocks of a tree with those of GHOSTS cells of the same width beyond each face.

Means of cells that are halved are those of their halves; the halves of one that is not are predicted along one axis after another,

    ū_left,right = ū ∓ (ū₁ − ū₋₁)/8,

exact for parabolas. What a prediction misses is a *detail*: it falls like 2⁻³ from width to width where the function is smooth, and not at all where it jumps (Harten, Commun. Pure Appl. Math. 48, 1995;
Cohen, Kaber, Müller, Postel, Math. Comput. 72, 2003). Totals are kept exactly. Three cells beyond a face lie within two of twice their width, and are predicted from three: so that levels are filled one
after another, from the widest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.spaces.cells.tree import OUTSIDE, Level, Tree, reduced

GHOSTS = 3  # cells beyond a face: two from which values at the ends of the one beside it are reconstructed, and that one


def mean(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of two."""
    return 0.5 * (a + b)


def restricted(tree: Tree, q: np.ndarray, how=mean) -> list[np.ndarray]:
    """Means (quantities, cells) of the leaves, and of the blocks that are halved: by level (quantities, n, …, n, blocks)."""
    d, n, found = tree.dimension, tree.side, []
    for level, own in reversed(list(zip(tree.levels, tree.per_level(q), strict=True))):
        made = np.empty((len(q), *(n,) * d, level.size))
        made[..., : level.leaves] = own
        if level.children:
            halves = reduced(found[-1], d, how)
            for bits, children in level.children.items():
                part = tuple(slice(b * n // 2, (b + 1) * n // 2) for b in bits)
                made[(slice(None), *part, slice(level.leaves, None))] = halves[..., children]
        found.append(made)
    return found[::-1]


def predicted(tree: Tree, above: np.ndarray, parents: Level, level: Level, flat: bool) -> np.ndarray:
    """Means of blocks and beyond their faces from those of the blocks twice as wide; `flat` repeats the wide cell's."""
    n, parts = tree.side, []
    wide = above[..., parents.leaves :]
    for bits in parents.children:
        cut = tuple(slice(b * n // 2, (b + 1) * n // 2 + 2 * GHOSTS) for b in bits)
        made = wide[(slice(None), *cut)]
        for axis in range(1, tree.dimension + 1):
            made = _halves(made, axis, flat)
        parts.append(made)
    return np.take(np.concatenate(parts, axis=-1), level.column, axis=-1)


def _halves(u: np.ndarray, axis: int, flat: bool) -> np.ndarray:
    """Halves along an axis of all cells but the first and the last, without the outermost two halves."""

    def at(low: int, high: int | None) -> np.ndarray:
        return u[(slice(None),) * axis + (slice(low, high),)]

    middle = at(1, -1)
    slope = 0.0 if flat else (at(2, None) - at(0, -2)) / 8
    made = np.stack([middle - slope, middle + slope], axis=axis + 1)
    made = made.reshape(*u.shape[:axis], -1, *u.shape[axis + 1 :])
    return made[(slice(None),) * axis + (slice(1, -1),)]


def padded(tree: Tree, own: Sequence[np.ndarray], flat: bool = False) -> list[np.ndarray]:
    """By level, (quantities, n + 2·GHOSTS, …, blocks), from what `restricted` found."""
    found: list[np.ndarray] = []
    for k, values in enumerate(own):
        found.append(padded_level(tree, k, values, found, flat))
    return found


def padded_level(
    tree: Tree, number: int, own: np.ndarray, wider: Sequence[np.ndarray], flat: bool = False
) -> np.ndarray:
    """The same of one level, after those of wider ones."""
    d, n, level = tree.dimension, tree.side, tree.levels[number]
    if number:
        made = predicted(tree, wider[number - 1], tree.levels[number - 1], level, flat)
    else:
        made = np.empty((len(own), *(n + 2 * GHOSTS,) * d, level.size))
    inner = slice(GHOSTS, -GHOSTS)
    made[(slice(None), *(inner,) * d)] = own
    for axis, sides in enumerate(level.neighbors):
        # Beyond faces along later axes nothing is known yet; along earlier ones it is.
        rows = (slice(None),) * (1 + axis)
        after = (inner,) * (d - 1 - axis)

        def at(low: int, high: int | None, rows=rows, after=after) -> np.ndarray:
            return made[(*rows, slice(low, high), *after)]

        ends = (
            (sides[0], at(0, GHOSTS), at(n, n + GHOSTS), at(GHOSTS, GHOSTS + 1)),
            (sides[1], at(n + GHOSTS, None), at(GHOSTS, 2 * GHOSTS), at(n + GHOSTS - 1, n + GHOSTS)),
        )
        filled = [np.take(source, np.maximum(beside, 0), axis=-1) for beside, _, source, _ in ends]
        for (beside, ghosts, _, edge), values in zip(ends, filled, strict=True):
            np.copyto(ghosts, values, where=beside >= 0)
            if np.any(beside == OUTSIDE):
                # Nothing lies beyond the last mean where a shock runs along a face.
                np.copyto(ghosts, edge, where=beside == OUTSIDE)
    return made
