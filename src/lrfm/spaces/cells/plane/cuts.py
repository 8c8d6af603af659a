# SPDX-License-Identifier: MIT
"""Which boxes arcs cut, and in which direction each arc is a graph over the side of its box.

A box is divided at vertices inside of it, and into quarters as long as no axis e has  n·e ≥ c > 0  for the normals n along every level that passes through it: then
φ changes its sign at most once along each line parallel to e (the condition of Saye, SIAM J. Sci. Comput. 37, 2015, for dimension reduction).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.outline import Outline


@dataclass(frozen=True)
class Segments:
    """Pieces γ([u₀, u₁]) of arcs, with their ends and unit normals there."""

    arc: np.ndarray
    start: np.ndarray
    end: np.ndarray
    p: np.ndarray  # (m, 2)
    q: np.ndarray
    np_: np.ndarray
    nq: np.ndarray

    def __getitem__(self, among: np.ndarray) -> Segments:
        return Segments(*(getattr(self, f.name)[among] for f in fields(self)))

    @staticmethod
    def joined(parts: list[Segments]) -> Segments:
        """Those of all parts."""
        return Segments(
            *(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Segments))
        )

    @property
    def length(self) -> np.ndarray:
        return np.linalg.norm(self.q - self.p, axis=1)

    @property
    def turn(self) -> np.ndarray:
        return np.linalg.norm(self.nq - self.np_, axis=1)

    def halved(self, outline: Outline) -> Segments:
        """Both halves of each, first all first ones."""
        middle = 0.5 * (self.start + self.end)
        m, nm = outline.along(self.arc, middle)
        return Segments.joined(
            [
                Segments(self.arc, self.start, middle, self.p, m, self.np_, nm),
                Segments(self.arc, middle, self.end, m, self.q, nm, self.nq),
            ]
        )

    def meets(self, boxes: np.ndarray, inside: float) -> np.ndarray:
        """Whether each may enter its box (m, 4), shrunk by a distance: by the bounding box of the curve."""
        bulge = (0.25 * self.length * self.turn)[:, None]
        low, high = np.minimum(self.p, self.q) - bulge, np.maximum(self.p, self.q) + bulge
        return (
            (low[:, 0] < boxes[:, 1] - inside)
            & (high[:, 0] > boxes[:, 0] + inside)
            & (low[:, 1] < boxes[:, 3] - inside)
            & (high[:, 1] > boxes[:, 2] + inside)
        )


def segments_of(outline: Outline, longest: float) -> Segments:
    """All arcs as segments that are short and nearly straight."""
    counts = []
    for number, arc in enumerate(outline.arcs):
        along = arc.points(np.linspace(0.0, 1.0, 17))
        length = float(np.sum(np.linalg.norm(np.diff(along, axis=0), axis=1)))
        counts.append((number, max(4, int(np.ceil(length / longest)))))
    arc = np.concatenate([np.full(n, k) for k, n in counts])
    start = np.concatenate([np.arange(n) / n for _, n in counts])
    end = np.concatenate([(np.arange(n) + 1) / n for _, n in counts])
    (p, np_), (q, nq) = outline.along(arc, start), outline.along(arc, end)
    return Segments(arc, start, end, p, q, np_, nq)


def refined(
    outline: Outline, found: Segments, owner: np.ndarray, boxes: np.ndarray, longest: float
) -> tuple[Segments, np.ndarray]:
    """Segments paired with boxes `boxes[owner]`, halved until they are short beside their box and nearly straight."""
    done: list[Segments] = []
    owners: list[np.ndarray] = []
    while True:
        keep = found.meets(boxes[owner], outline.beside)
        found, owner = found[keep], owner[keep]
        if not len(owner):
            break
        side = np.minimum(boxes[owner, 1] - boxes[owner, 0], boxes[owner, 3] - boxes[owner, 2])
        far = ((found.length > longest * side) | (found.turn > outline.numbers.short)) & (
            found.length > 4 * outline.beside
        )
        done.append(found[~far])
        owners.append(owner[~far])
        found, owner = found[far].halved(outline), np.tile(owner[far], 2)
    if not done:
        return found, owner
    return Segments.joined(done), np.concatenate(owners)


def pairs(outline: Outline, mesh: PlaneMesh) -> tuple[Segments, np.ndarray]:
    """Segments of arcs with the leaves that they pass through."""
    root = (mesh.high - mesh.low) / np.array(mesh.grid)
    found = segments_of(outline, 0.5 * float(np.min(root)))
    margin = (0.25 * found.length * found.turn)[:, None]
    low, high = np.minimum(found.p, found.q) - margin, np.maximum(found.p, found.q) + margin
    first = np.floor((low - mesh.low) / root).astype(int)
    last = np.floor((high - mesh.low) / root).astype(int)
    parts, index = [], []
    for i in range(int(np.max(last[:, 0] - first[:, 0])) + 1):
        for j in range(int(np.max(last[:, 1] - first[:, 1])) + 1):
            at = first + np.array([i, j])
            good = np.all((at <= last) & (at >= 0) & (at < np.array(mesh.grid)), axis=1)
            parts.append(np.flatnonzero(good))
            index.append(at[good])
    number, index = np.concatenate(parts), np.concatenate(index)
    tree, found = mesh.tree, found[number]
    box, done, owners = tree.root(index), [], []
    while len(box):
        leaf = tree.leaf[box]
        at = leaf >= 0
        done.append(found[at])
        owners.append(leaf[at])
        found, box = found[~at], box[~at]
        box = np.concatenate([tree.child[box], tree.child[box] + 1])
        boxes = mesh.boxes_of(tree.level[box], tree.index[box])
        twice = found[np.tile(np.arange(len(box) // 2), 2)]
        found, owner = refined(outline, twice, np.arange(len(box)), boxes, 2.0)
        box = box[owner]
    found, owner = Segments.joined(done), np.concatenate(owners)
    return refined(outline, found, owner, mesh.boxes, outline.numbers.short)


@dataclass(frozen=True)
class CutBoxes:
    """Boxes for quadrature: leaves, or parts of them, with the levels that pass through.

    `axis` is the direction in which all levels are graphs, `levels` (m, most) their numbers, −1 where there are fewer, `depth` how often the leaf was divided until
    there was such a direction.
    """

    boxes: np.ndarray
    leaf: np.ndarray
    axis: np.ndarray
    levels: np.ndarray
    depth: np.ndarray


def cut_boxes(outline: Outline, mesh: PlaneMesh) -> tuple[CutBoxes, np.ndarray, np.ndarray]:
    """Cut parts of leaves; uncut parts of cut leaves as boxes with their leaves."""
    found, leaf = pairs(outline, mesh)
    level_of = np.array([arc.level for arc in outline.arcs], dtype=int)
    cut = np.unique(leaf)
    boxes, owner = _at_vertices(outline, mesh, cut)
    # Each segment with the parts of its leaf.
    order = np.argsort(owner, kind="stable")
    first, last = np.searchsorted(owner[order], leaf), np.searchsorted(owner[order], leaf, side="right")
    count = last - first
    offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    box = order[np.repeat(first, count) + offset]
    found, box = refined(
        outline, found[np.repeat(np.arange(len(leaf)), count)], box, boxes, outline.numbers.short
    )
    whole, done = (
        [(boxes[~np.isin(np.arange(len(boxes)), box)], owner[~np.isin(np.arange(len(boxes)), box)])],
        [],
    )
    deepest = outline.numbers.quarters
    for depth in range(deepest + 1 if len(box) else 0):
        present, box = np.unique(box, return_inverse=True)
        boxes, owner = boxes[present], owner[present]
        axis, good, listed = _directions(level_of[found.arc], found, box, len(boxes), outline.numbers.steep)
        good |= depth == deepest
        done.append(
            CutBoxes(boxes[good], owner[good], axis[good], listed[good], np.full(int(good.sum()), depth))
        )
        if good.all():
            break
        left = ~good[box]
        found, box = found[left], box[left]
        rough = np.flatnonzero(~good)
        quarters = _quarters(boxes[rough])
        number = np.full(len(good), -1)
        number[rough] = np.arange(len(rough))
        box = np.concatenate([number[box] + k * len(rough) for k in range(4)])
        found = found[np.tile(np.arange(len(found.arc)), 4)]
        boxes, owner = quarters, np.tile(owner[rough], 4)
        found, box = refined(outline, found, box, boxes, outline.numbers.short)
        empty = ~np.isin(np.arange(len(boxes)), box)
        whole.append((boxes[empty], owner[empty]))
        if not len(box):
            break
    if not done:
        none = np.zeros(0, dtype=int)
        done = [CutBoxes(np.zeros((0, 4)), none, none, np.zeros((0, 1), dtype=int), none)]
    most = max(d.levels.shape[1] for d in done)
    padded = [np.pad(d.levels, ((0, 0), (0, most - d.levels.shape[1])), constant_values=-1) for d in done]
    cuts = CutBoxes(
        np.concatenate([d.boxes for d in done]),
        np.concatenate([d.leaf for d in done]),
        np.concatenate([d.axis for d in done]),
        np.concatenate(padded),
        np.concatenate([d.depth for d in done]),
    )
    return cuts, np.concatenate([b for b, _ in whole]), np.concatenate([o for _, o in whole])


def bent(outline: Outline, mesh: PlaneMesh) -> np.ndarray:
    """Leaves in which a curve turns so much that parts of parts have no common direction."""
    cuts = cut_boxes(outline, mesh)[0]
    return np.unique(cuts.leaf[cuts.depth > 2])


def _at_vertices(outline: Outline, mesh: PlaneMesh, cut: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cut leaves, those with vertices inside divided there."""
    boxes, owner = list(mesh.boxes[cut]), list(cut)
    among = mesh.locate(outline.vertices) if len(outline.vertices) else np.zeros(0, dtype=int)
    place = {int(k): [n] for n, k in enumerate(cut)}
    for vertex, leaf in zip(outline.vertices, among, strict=True):
        x, y = vertex
        for number in list(place.get(int(leaf), ())):
            a, b, c, d = boxes[number]
            e = outline.beside
            if not (a - e < x < b + e and c - e < y < d + e):
                continue
            xs = [(a, x), (x, b)] if a + e < x < b - e else [(a, b)]
            ys = [(c, y), (y, d)] if c + e < y < d - e else [(c, d)]
            pieces = [np.array([*i, *j]) for i in xs for j in ys]
            boxes[number] = pieces[0]
            for piece in pieces[1:]:
                place[int(leaf)].append(len(boxes))
                boxes.append(piece)
                owner.append(leaf)
    return np.array(boxes).reshape(-1, 4), np.array(owner, dtype=int)


def _quarters(boxes: np.ndarray) -> np.ndarray:
    a, b, c, d = boxes.T
    x, y = 0.5 * (a + b), 0.5 * (c + d)
    parts = [(a, x, c, y), (x, b, c, y), (a, x, y, d), (x, b, y, d)]
    return np.concatenate([np.column_stack(part) for part in parts])


def _directions(
    level: np.ndarray, found: Segments, box: np.ndarray, count: int, steep: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each box the axis along which all levels are graphs, whether there is one, and the levels."""
    order = np.lexsort([level, box])
    level, box, found = level[order], box[order], found[order]
    starts = np.flatnonzero(np.append(True, (np.diff(box) != 0) | (np.diff(level) != 0)))
    low = np.minimum.reduceat(np.minimum(found.np_, found.nq), starts)
    high = np.maximum.reduceat(np.maximum(found.np_, found.nq), starts)
    least = np.maximum(low, -high)  # n·e of one sign: how large it is at the least
    straight = np.all(high - low < 1e-9, axis=1)  # whatever the slope of a line, it is a graph
    least = np.where(straight[:, None] & (least > 1e-9), np.maximum(least, steep), least)
    score = np.full((count, 2), np.inf)
    np.minimum.at(score, box[starts], least)
    axis = np.argmax(score, axis=1)
    good = score[np.arange(count), axis] >= steep
    rank = np.arange(len(starts)) - np.searchsorted(box[starts], box[starts])
    listed = np.full((count, int(rank.max()) + 1), -1)
    listed[box[starts], rank] = level[starts]
    return axis, good, listed
