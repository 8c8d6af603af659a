# SPDX-License-Identifier: MIT
"""Which rows meet where: the structure of a sparse QR over blocks of columns, before any number is touched.

Blocks are eliminated in an order; a row is gathered at the *front* of the first of its blocks, and what a front does not
eliminate, it passes on, triangular, to the front of the next block it touches. Two orders are compared by their flops: a
chain along the longest axis, linear in the number of blocks in one dimension, and nested dissection (George 1973), which
cuts the blocks by separators so that in d dimensions fronts stay as small as a separator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from lrfm.linalg.column_groups import ColumnBlocks

Node = tuple[int, ...]  # blocks that are eliminated together


@dataclass
class Front:
    """A dense matrix in the making: where its rows come from, and how it is reduced.

    `columns`: where each block lies; the first `own` columns are eliminated here. `rows`: (first, last, group) for rows of A;
    `passed`: (first, last, child, first there) for what children left; `ridge`: (first, column, count) for ρ times the identity.
    `panels`: (a, b, top, bottom), reduce columns a..b on rows top..bottom. `left`: (block, first, last) of the rows passed on.
    """

    columns: dict[int, slice]
    own: int
    width: int
    height: int = 0
    rows: list[tuple[int, int, int]] = field(default_factory=list)
    passed: list[tuple[int, int, int, int]] = field(default_factory=list)
    ridge: list[tuple[int, int, int]] = field(default_factory=list)
    panels: list[tuple[int, int, int, int]] = field(default_factory=list)
    left: list[tuple[int, int, int]] = field(default_factory=list)

    @property
    def flops(self) -> float:
        """4 h w per trailing column and panel of h rows and w columns."""
        return sum(4.0 * (bottom - top) * (b - a) * (self.width - a) for a, b, top, bottom in self.panels)


@dataclass(frozen=True)
class Structure:
    """Fronts in the order of their elimination, and the rows of A in groups that see the same blocks."""

    fronts: list[Front]
    groups: list[np.ndarray]
    sets: list[Node]

    @property
    def flops(self) -> float:
        """Operations of the factorization."""
        return sum(front.flops for front in self.fronts)

    @property
    def kept_bytes(self) -> int:
        """Memory of all reflections."""
        return 8 * sum((bottom - top) * (b - a) for f in self.fronts for a, b, top, bottom in f.panels)


def analyze(A: ColumnBlocks, ridge: bool) -> Structure:
    """The cheaper of a chain and nested dissection."""
    groups, sets = row_groups(A)
    neighbors = _neighbors(len(A.blocks), sets)
    widths = [block.values.shape[1] for block in A.blocks]
    everything = np.arange(len(A.blocks))
    longest = np.argmax(np.ptp(A.places, axis=0))
    chain = [(int(k),) for k in np.argsort(A.places[:, longest], kind="stable")]
    orders = [chain, dissect(everything, A.places, neighbors)]
    heights = [len(rows) for rows in groups]
    plans = [_fronts(order, widths, sets, heights, ridge) for order in orders]
    best = min(plans, key=lambda fronts: sum(front.flops for front in fronts))
    return Structure(best, groups, sets)


def row_groups(A: ColumnBlocks) -> tuple[list[np.ndarray], list[Node]]:
    """Rows that meet the same blocks, and these blocks."""
    # Random keys: two sets of blocks with the same sum of 64 bits do not occur.
    keys = np.random.default_rng(0).integers(1, 2**63, len(A.blocks), dtype=np.uint64)
    label = np.zeros(A.shape[0], dtype=np.uint64)
    for block, key in zip(A.blocks, keys, strict=True):
        label[block.rows] += key
    _, first, group = np.unique(label, return_index=True, return_inverse=True)
    members: list[list[int]] = [[] for _ in first]
    for number, block in enumerate(A.blocks):
        for g in np.unique(group[block.rows]):
            members[g].append(number)
    order = np.argsort(group, kind="stable")
    rows = np.split(order, np.cumsum(np.bincount(group))[:-1])
    kept = [(r, tuple(m)) for r, m in zip(rows, members, strict=True) if m]
    return [r for r, _ in kept], [m for _, m in kept]


def _neighbors(count: int, sets: Sequence[Node]) -> list[set[int]]:
    near: list[set[int]] = [set() for _ in range(count)]
    for members in sets:
        for block in members:
            near[block].update(members)
    return near


def dissect(blocks: np.ndarray, places: np.ndarray, neighbors: Sequence[set[int]]) -> list[Node]:
    """Nested dissection: both halves first, the blocks that join them last."""
    if len(blocks) <= 2:
        return [tuple(map(int, blocks))] if len(blocks) else []
    best: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
    for axis in range(places.shape[1]):
        x = places[blocks, axis]
        cut = np.sort(x)[len(x) // 2]
        lower, upper = blocks[x < cut], blocks[x >= cut]
        if len(lower):
            split = min(
                _separate(lower, upper, neighbors),
                _separate(upper, lower, neighbors),
                key=lambda s: len(s[2]),
            )
            best = split if best is None or len(split[2]) < len(best[2]) else best
    if best is None or 2 * len(best[2]) >= len(blocks):  # everything touches everything: one dense front
        return [tuple(map(int, blocks))]
    one, other, joint = best
    return [
        *dissect(one, places, neighbors),
        *dissect(other, places, neighbors),
        tuple(map(int, joint)),
    ]


def _separate(
    one: np.ndarray, other: np.ndarray, neighbors: Sequence[set[int]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Take from `other` what touches `one`."""
    inside = set(map(int, one))
    touches = np.array([not inside.isdisjoint(neighbors[b]) for b in other], dtype=bool)
    return one, other[~touches], other[touches]


def _fronts(
    order: Sequence[Node], widths: Sequence[int], sets: Sequence[Node], heights: Sequence[int], ridge: bool
) -> list[Front]:
    rank = {block: i for i, block in enumerate(b for node in order for b in node)}
    node_of = {block: i for i, node in enumerate(order) for block in node}
    groups_of: list[list[int]] = [[] for _ in order]
    touched: list[set[int]] = [set(node) for node in order]
    for number, members in enumerate(sets):
        first = min(node_of[b] for b in members)
        groups_of[first].append(number)
        touched[first].update(members)
    children: list[list[int]] = [[] for _ in order]
    fronts = []
    for number, node in enumerate(order):
        blocks = sorted(touched[number], key=rank.__getitem__)
        front = _layout(blocks, widths, len(node))
        _gather(
            front, groups_of[number], sets, heights, [(c, fronts[c]) for c in children[number]], rank, ridge
        )
        fronts.append(front)
        border = blocks[len(node) :]
        if border and front.left:
            parent = node_of[border[0]]
            children[parent].append(number)
            touched[parent].update(border)
    return fronts


def _layout(blocks: Sequence[int], widths: Sequence[int], own: int) -> Front:
    ends = np.cumsum([0, *(widths[b] for b in blocks)])
    columns = {b: slice(int(i), int(j)) for b, i, j in zip(blocks, ends[:-1], ends[1:], strict=True)}
    return Front(columns, int(ends[own]), int(ends[-1]))


def _gather(front: Front, groups, sets, heights, children, rank: dict[int, int], ridge: bool) -> None:
    """Stack rows by the first block they touch, so that every panel meets a run of rows from the top."""
    runs: list[tuple[int, int, str, tuple[int, ...]]] = []
    for group in groups:
        first = min(sets[group], key=rank.__getitem__)
        runs.append((front.columns[first].start, heights[group], "rows", (group,)))
    for child, made in children:
        for block, top, bottom in made.left:
            runs.append((front.columns[block].start, bottom - top, "passed", (child, top)))
    if ridge:
        for where in front.columns.values():
            if where.start < front.own:
                runs.append((where.start, where.stop - where.start, "ridge", (where.start,)))
    runs.sort(key=lambda run: run[0])
    filled, starts = 0, []
    for column, count, kind, source in runs:
        if kind == "ridge":
            front.ridge.append((filled, source[0], count))
        else:
            getattr(front, kind).append((filled, filled + count, *source))
        filled += count
        starts.append((column, filled))
    front.height = filled
    _panels(front, starts)


def _panels(front: Front, starts: Sequence[tuple[int, int]]) -> None:
    top = 0
    for block, where in front.columns.items():
        bottom = max((filled for column, filled in starts if column < where.stop), default=0)
        count = min(bottom - top, where.stop - where.start)
        if count > 0:
            front.panels.append((where.start, where.stop, top, bottom))
            if where.start >= front.own:
                front.left.append((block, top - front.own, top + count - front.own))
            top += count
