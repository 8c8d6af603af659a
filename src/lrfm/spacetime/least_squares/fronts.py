# SPDX-License-Identifier: MIT
"""Which rows meet where: the structure of a sparse QR over column groups, before any number is touched.

Column groups are eliminated in an order; a row is gathered at the *front* of the first of its groups, and what a front does not
eliminate, it passes on, triangular, to the front of the next group it touches. Two orders are compared by their flops: a
chain along the longest axis, linear in the number of groups in one dimension, and nested dissection (George 1973), which
cuts the groups by separators so that in d dimensions fronts stay as small as a separator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from lrfm.spacetime.least_squares.column_groups import GroupedMatrix

Node = tuple[int, ...]  # column groups that are eliminated together


@dataclass
class Front:
    """A dense matrix in the making: where its rows come from, and how it is reduced.

    `columns`: where each column group lies; the first `own` columns are eliminated here. `rows`: (first, last, bundle) for rows
    of A; `passed`: (first, last, child, first there) for what children left; `ridge`: (first, last, column) for ρ times the
    identity. `panels`: (a, b, top, bottom), reduce columns a..b on rows top..bottom. `left`: (group, first, last) of the rows
    passed on.
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
    """Fronts in the order of their elimination; `bundles`, rows of A that meet the same column groups, and these groups, `sets`."""

    fronts: list[Front]
    bundles: list[np.ndarray]
    sets: list[Node]

    @property
    def flops(self) -> float:
        """Operations of the factorization."""
        return sum(front.flops for front in self.fronts)

    @property
    def kept_bytes(self) -> int:
        """Memory of all reflections."""
        return 8 * sum((bottom - top) * (b - a) for f in self.fronts for a, b, top, bottom in f.panels)


def analyze(A: GroupedMatrix, ridge: bool) -> Structure:
    """The cheaper of a chain and nested dissection."""
    bundles, sets = row_bundles(A)
    neighbors: list[set[int]] = [set() for _ in A.groups]
    for members in sets:
        for group in members:
            neighbors[group].update(members)
    longest = np.argmax(np.ptp(A.places, axis=0))
    chain = [(int(k),) for k in np.argsort(A.places[:, longest], kind="stable")]
    orders = [chain, dissect(np.arange(len(A.groups)), A.places, neighbors)]
    widths, heights = [group.values.shape[1] for group in A.groups], [len(rows) for rows in bundles]
    plans = [_fronts(order, widths, sets, heights, ridge) for order in orders]
    best = min(plans, key=lambda fronts: sum(front.flops for front in fronts))
    return Structure(best, bundles, sets)


def row_bundles(A: GroupedMatrix) -> tuple[list[np.ndarray], list[Node]]:
    """Rows that meet the same column groups, and these groups."""
    # Random keys: two sets of groups with the same sum of 64 bits do not occur.
    keys = np.random.default_rng(0).integers(1, 2**63, len(A.groups), dtype=np.uint64)
    label = np.zeros(A.shape[0], dtype=np.uint64)
    for group, key in zip(A.groups, keys, strict=True):
        label[group.rows] += key
    _, first, bundle = np.unique(label, return_index=True, return_inverse=True)
    members: list[list[int]] = [[] for _ in first]
    for number, group in enumerate(A.groups):
        for found in np.unique(bundle[group.rows]):
            members[found].append(number)
    order = np.argsort(bundle, kind="stable")
    rows = np.split(order, np.cumsum(np.bincount(bundle))[:-1])
    kept = [(r, tuple(m)) for r, m in zip(rows, members, strict=True) if m]
    return [r for r, _ in kept], [m for _, m in kept]


def dissect(groups: np.ndarray, places: np.ndarray, neighbors: Sequence[set[int]]) -> list[Node]:
    """Nested dissection: both halves first, the groups that join them last."""
    whole: Node = tuple(map(int, groups))
    if len(groups) <= 2:
        return [whole] if whole else []
    splits = []
    for axis in range(places.shape[1]):
        x = places[groups, axis]
        cut = np.sort(x)[len(x) // 2]
        lower, upper = groups[x < cut], groups[x >= cut]
        if len(lower):
            splits += [_separate(lower, upper, neighbors), _separate(upper, lower, neighbors)]
    one, other, joint = min(splits, key=lambda split: len(split[2]), default=(groups, groups, groups))
    if 2 * len(joint) >= len(groups):  # everything touches everything: one dense front
        return [whole]
    return [*dissect(one, places, neighbors), *dissect(other, places, neighbors), tuple(map(int, joint))]


def _separate(
    one: np.ndarray, other: np.ndarray, neighbors: Sequence[set[int]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Take from `other` what touches `one`."""
    inside = set(map(int, one))
    touches = np.array([not inside.isdisjoint(neighbors[k]) for k in other], dtype=bool)
    return one, other[~touches], other[touches]


def _fronts(
    order: Sequence[Node], widths: Sequence[int], sets: Sequence[Node], heights: Sequence[int], ridge: bool
) -> list[Front]:
    rank = {group: i for i, group in enumerate(k for node in order for k in node)}
    node_of = {group: i for i, node in enumerate(order) for group in node}
    bundles_of: list[list[int]] = [[] for _ in order]
    touched: list[set[int]] = [set(node) for node in order]
    for number, members in enumerate(sets):
        first = min(node_of[k] for k in members)
        bundles_of[first].append(number)
        touched[first].update(members)
    children: list[list[int]] = [[] for _ in order]
    fronts: list[Front] = []
    for number, node in enumerate(order):
        groups = sorted(touched[number], key=rank.__getitem__)
        ends = np.cumsum([0, *(widths[k] for k in groups)]).tolist()
        columns = {k: slice(i, j) for k, i, j in zip(groups, ends[:-1], ends[1:], strict=True)}
        front = Front(columns, ends[len(node)], ends[-1])
        bundles = [
            (front.columns[min(sets[k], key=rank.__getitem__)].start, heights[k], k)
            for k in bundles_of[number]
        ]
        _gather(front, bundles, [(child, fronts[child]) for child in children[number]], ridge)
        fronts.append(front)
        border = groups[len(node) :]
        if border and front.left:
            parent = node_of[border[0]]
            children[parent].append(number)
            touched[parent].update(border)
    return fronts


def _gather(
    front: Front,
    bundles: Sequence[tuple[int, int, int]],
    children: Sequence[tuple[int, Front]],
    ridge: bool,
) -> None:
    """Stack rows by the first column they touch, so that every panel meets a run of rows from the top.

    `bundles`: (first column, rows, number).
    """
    runs: list[tuple[int, int, list, tuple[int, ...]]] = [
        (column, height, front.rows, (bundle,)) for column, height, bundle in bundles
    ]
    for child, made in children:
        for group, top, bottom in made.left:
            runs.append((front.columns[group].start, bottom - top, front.passed, (child, top)))
    if ridge:
        own = (where for where in front.columns.values() if where.start < front.own)
        runs += [(where.start, where.stop - where.start, front.ridge, (where.start,)) for where in own]
    starts: list[tuple[int, int]] = []
    for column, count, kept, source in sorted(runs, key=lambda run: run[0]):
        kept.append((front.height, front.height + count, *source))
        front.height += count
        starts.append((column, front.height))
    _panels(front, starts)


def _panels(front: Front, starts: Sequence[tuple[int, int]]) -> None:
    top = 0
    for group, where in front.columns.items():
        bottom = max((filled for column, filled in starts if column < where.stop), default=0)
        count = min(bottom - top, where.stop - where.start)
        if count > 0:
            front.panels.append((where.start, where.stop, top, bottom))
            if where.start >= front.own:
                front.left.append((group, top - front.own, top + count - front.own))
            top += count
