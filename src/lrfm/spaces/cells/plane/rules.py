# SPDX-License-Identifier: MIT
"""Points and weights of boxes that arcs cut, of the arcs in them, and of the sides between boxes.

Along the axis e of a cut box each level is a graph:  ∫∫ f = Σ over panels of the base, Σ over intervals between the graphs.  Panels end where a graph leaves the box, so that
everything is smooth on them and Gauss' rule converges spectrally (Saye, SIAM J. Sci. Comput. 37, 2015). On a graph  ds = |∇φ|/|∂φ/∂e| dx.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lrfm.problem.shapes.gauss import gauss
from lrfm.spaces.cells.plane.cuts import CutBoxes, cut_boxes
from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.outline import Outline


@dataclass(frozen=True)
class Volume:
    """Blocks of points (m, n, 2) with weights (m, n), each of one region of one leaf."""

    points: np.ndarray
    weights: np.ndarray
    leaf: np.ndarray
    region: np.ndarray


@dataclass(frozen=True)
class Faces:
    """Blocks of points between two pieces, or on the boundary: normals point from the left piece to the right one, outwards where there is none.

    Around a periodic axis the right piece has its points elsewhere, at `points + offset`. A piece is given as the number of its leaf and of its region, both −1 for none; `part` is the number of the part of the boundary, or of the interface, −1 for faces without conditions.
    """

    points: np.ndarray  # (m, n, 2)
    weights: np.ndarray  # (m, n)
    normals: np.ndarray  # (m, n, 2)
    left: np.ndarray  # (m, 2)
    right: np.ndarray  # (m, 2)
    part: np.ndarray
    offset: np.ndarray  # (m, 2)

    @staticmethod
    def joined(parts: list[Faces]) -> Faces:
        """Those of all parts."""
        names = ("points", "weights", "normals", "left", "right", "part", "offset")
        return Faces(*(np.concatenate([getattr(p, n) for p in parts]) for n in names))

    def turned(self) -> Faces:
        """The same, with the piece on the left where there is only one."""
        flip = self.left[:, 0] < 0
        sign = np.where(flip, -1.0, 1.0)[:, None, None]
        left, right = (
            np.where(flip[:, None], self.right, self.left),
            np.where(flip[:, None], self.left, self.right),
        )
        points = np.where(flip[:, None, None], self.points + self.offset[:, None], self.points)
        offset = np.where(flip[:, None], 0.0, self.offset)
        return Faces(points, self.weights, sign * self.normals, left, right, self.part, offset)


def rules(
    outline: Outline, mesh: PlaneMesh, count: int
) -> tuple[np.ndarray, np.ndarray, Volume, Faces, np.ndarray]:
    """Whole leaves with their regions, the volume of all other pieces, all faces, and leaves that arcs bend in; `count` points along each direction."""
    cuts, whole_boxes, whole_leaf = cut_boxes(outline, mesh)
    is_cut = np.zeros(mesh.leaves, dtype=bool)
    is_cut[cuts.leaf] = True
    is_cut[whole_leaf] = True
    uncut = np.flatnonzero(~is_cut)
    middle = lambda boxes: np.column_stack([boxes[:, :2].mean(axis=1), boxes[:, 2:].mean(axis=1)])  # noqa: E731
    region = outline.regions(middle(mesh.boxes[uncut]))
    leaves, leaf_region = uncut[region >= 0], region[region >= 0]
    region = outline.regions(middle(whole_boxes))
    whole_boxes, whole_leaf, whole_region = (
        whole_boxes[region >= 0],
        whole_leaf[region >= 0],
        region[region >= 0],
    )
    plain = _product(whole_boxes, whole_leaf, whole_region, count)
    reduced, arcs = reduce(outline, cuts, count)
    volume = Volume(
        *(
            np.concatenate([getattr(a, n) for a in (plain, reduced)])
            for n in ("points", "weights", "leaf", "region")
        )
    )
    most = cuts.levels.shape[1]
    nothing = np.full((len(leaves) + len(whole_leaf), most), -1)
    boxes = np.concatenate([mesh.boxes[leaves], whole_boxes, cuts.boxes])
    owner = np.concatenate([leaves, whole_leaf, cuts.leaf])
    known = np.concatenate([leaf_region, whole_region, np.full(len(cuts.leaf), -1)])
    levels = np.concatenate([nothing, cuts.levels])
    sides = faces(outline, boxes, owner, known, levels, count)
    return (
        leaves,
        leaf_region,
        volume,
        Faces.joined([arcs, sides]).turned(),
        np.unique(cuts.leaf[cuts.depth > 2]),
    )


def _product(boxes: np.ndarray, leaf: np.ndarray, region: np.ndarray, count: int) -> Volume:
    """Products of Gauss' rules on whole boxes."""
    t, w = gauss(count)
    x = boxes[:, 0, None] + (boxes[:, 1] - boxes[:, 0])[:, None] * t
    y = boxes[:, 2, None] + (boxes[:, 3] - boxes[:, 2])[:, None] * t
    n = len(boxes)
    points = np.stack(
        [
            np.broadcast_to(x[:, :, None], (n, count, count)),
            np.broadcast_to(y[:, None, :], (n, count, count)),
        ],
        axis=-1,
    )
    area = (boxes[:, 1] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 2])
    weights = area[:, None, None] * w[:, None] * w
    # One block per column, as in cut boxes.
    return Volume(
        points.reshape(-1, count, 2),
        weights.reshape(-1, count),
        np.repeat(leaf, count),
        np.repeat(region, count),
    )


def reduce(outline: Outline, cuts: CutBoxes, count: int) -> tuple[Volume, Faces]:
    """The pieces of cut boxes by dimension reduction, and the arcs between them."""
    high = cuts.axis  # along which levels are graphs
    base = 1 - high
    number = np.arange(len(high))
    ends = cuts.boxes.reshape(-1, 2, 2)
    b, h = ends[number, base], ends[number, high]  # (m, 2) each

    def placed(box: np.ndarray, along: np.ndarray, up: np.ndarray) -> np.ndarray:
        points = np.empty((*along.shape, 2))
        flat = high[box] == 1
        shape = (-1,) + (1,) * (along.ndim - 1)
        flat = flat.reshape(shape)
        points[..., 0], points[..., 1] = np.where(flat, along, up), np.where(flat, up, along)
        return points

    box, slot = np.nonzero(cuts.levels >= 0)
    level = cuts.levels[box, slot]
    breaks, owners = [b[:, 0], b[:, 1]], [number, number]
    for side in range(2):
        start, end = placed(box, b[box, 0], h[box, side]), placed(box, b[box, 1], h[box, side])
        which, theta = outline.crossings(level, start, end)
        breaks.append(b[box[which], 0] + theta * (b[box[which], 1] - b[box[which], 0]))
        owners.append(box[which])
    at, owner = np.concatenate(breaks), np.concatenate(owners)
    order = np.lexsort([at, owner])
    at, owner = at[order], owner[order]
    good = (np.diff(owner) == 0) & (np.diff(at) > outline.beside)
    panel, first, last = owner[:-1][good], at[:-1][good], at[1:][good]
    t, w = gauss(count)
    x = first[:, None] + (last - first)[:, None] * t  # (panels, count)
    wx = (last - first)[:, None] * w
    roots = _roots(outline, cuts, panel, x, h, placed)
    order = np.argsort(roots, axis=2)
    roots = np.take_along_axis(roots, order, axis=2)
    volume = _intervals(outline, cuts, panel, x, wx, h, roots, placed, count)
    sorted_levels = np.take_along_axis(
        np.broadcast_to(cuts.levels[panel][:, None, :], roots.shape), order, axis=2
    )
    return volume, _graphs(outline, cuts, panel, x, wx, h, roots, sorted_levels, placed)


def _roots(outline: Outline, cuts: CutBoxes, panel, x, h, placed) -> np.ndarray:
    """Where levels cross the lines over base points, (panels, points, levels); nan where they do not, or lie along an end.

    Panels end where levels leave the box. One that is inside at some point is so at all of them: where it touches a side in between, that is where it crosses.
    """
    count, most = x.shape[1], cuts.levels.shape[1]
    roots = np.full((len(panel), count, most), np.nan)
    k, slot = np.nonzero(cuts.levels[panel] >= 0)
    level = np.repeat(cuts.levels[panel[k], slot], count)
    box = np.repeat(panel[k], count)
    along = x[k].ravel()
    start, end = placed(box, along, h[box, 0]), placed(box, along, h[box, 1])
    low, high = outline.values(level, start), outline.values(level, end)
    change = low * high < 0
    zero = np.zeros(int(change.sum()))
    found = np.where(np.abs(low) <= np.abs(high), h[box, 0], h[box, 1])
    theta = outline.zeros(level[change], start[change], end[change], zero, zero + 1)
    found[change] = h[box[change], 0] + theta * (h[box[change], 1] - h[box[change], 0])
    inside = (found > h[box, 0] + outline.beside) & (found < h[box, 1] - outline.beside)
    there = np.any(inside.reshape(-1, count), axis=1)
    roots[k[there], :, slot[there]] = found.reshape(-1, count)[there]
    return roots


def _intervals(outline: Outline, cuts: CutBoxes, panel, x, wx, h, roots, placed, count: int) -> Volume:
    """Gauss points between roots, wherever these are inside."""
    top = np.broadcast_to(h[panel, 1][:, None, None], (*x.shape, 1))
    low = np.broadcast_to(h[panel, 0][:, None, None], (*x.shape, 1))
    edges = np.concatenate([low, np.where(np.isnan(roots), top, roots), top], axis=2)
    length = np.diff(edges, axis=2)
    k, i, j = np.nonzero(length > outline.beside)
    box, along = panel[k], x[k, i]
    a, d = edges[k, i, j], length[k, i, j]
    region = outline.regions(placed(box, along, a + 0.5 * d))
    inside = region >= 0
    k, i, box, along, a, d, region = (v[inside] for v in (k, i, box, along, a, d, region))
    t, w = gauss(count)
    up = a[:, None] + d[:, None] * t
    points = placed(box, np.broadcast_to(along[:, None], up.shape), up)
    return Volume(points, (wx[k, i] * d)[:, None] * w, cuts.leaf[box], region)


def _graphs(outline: Outline, cuts: CutBoxes, panel, x, wx, h, roots, levels, placed) -> Faces:
    """The roots of each panel as blocks of points between the regions below and above."""
    count = x.shape[1]
    whole = np.all(np.isfinite(roots), axis=1)
    k, j = np.nonzero(whole)
    if not len(k):
        nothing = np.zeros((0, count))
        none = np.zeros((0, 2), dtype=int)
        return Faces(
            np.zeros((0, count, 2)),
            nothing,
            np.zeros((0, count, 2)),
            none,
            none,
            np.zeros(0, dtype=int),
            np.zeros((0, 2)),
        )
    box, up, level = panel[k], roots[k, :, j], levels[k, :, j]
    points = placed(box, x[k], up)
    slopes = outline.gradients(level.ravel(), points.reshape(-1, 2)).reshape(points.shape)
    size = np.linalg.norm(slopes, axis=2)
    high = cuts.axis[box]
    rise = np.where(high[:, None] == 1, slopes[..., 1], slopes[..., 0])
    normals = slopes / size[..., None] * np.sign(rise)[..., None]
    weights = wx[k] * size / np.abs(rise)
    shift = 2 * outline.beside
    middle = count // 2
    below = outline.regions(placed(box, x[k, middle], up[:, middle] - shift))
    above = outline.regions(placed(box, x[k, middle], up[:, middle] + shift))
    keep = below != above
    leaf = cuts.leaf[box]
    left = np.column_stack([np.where(below >= 0, leaf, -1), below])[keep]
    right = np.column_stack([np.where(above >= 0, leaf, -1), above])[keep]
    points, weights, normals, level = points[keep], weights[keep], normals[keep], level[keep, middle]
    part = _parts(outline, level, points[:, middle], left[:, 1], right[:, 1])
    return Faces(points, weights, normals, left, right, part, np.zeros((len(part), 2)))


def _parts(
    outline: Outline, level: np.ndarray, places: np.ndarray, one: np.ndarray, two: np.ndarray
) -> np.ndarray:
    """The part of the boundary, or the interface, that faces between two regions belong to, −1 inside."""
    part, stated = np.full(len(level), -1), outline.stated(one, two)
    level = outline.settled(level, places)
    for number in np.unique(level[stated]):
        among = np.flatnonzero(stated & (level == number))
        part[among] = outline.part_of(int(number), places[among], one[among], two[among])
    return part


def faces(
    outline: Outline, boxes: np.ndarray, leaf: np.ndarray, known: np.ndarray, levels: np.ndarray, count: int
) -> Faces:
    """All sides of boxes, as far as one of the two sides is inside."""
    found = []
    for axis in range(2):
        around = (outline.low[axis], outline.high[axis]) if outline.periodic[axis] else None
        start, end, low, high, offset = _sides(boxes, axis, outline.beside, around)
        found.append(_along(outline, start, end, low, high, offset, axis, leaf, known, levels, count))
    return Faces.joined(found)


def _sides(
    boxes: np.ndarray, axis: int, near: float, around: tuple[float, float] | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Segments normal to an axis with the boxes before and behind, −1 for none, and by how much the latter is elsewhere: the lower end of a periodic axis lies behind the upper one."""
    a, b, c, d = boxes.T if axis == 0 else boxes[:, [2, 3, 0, 1]].T
    place, where = _ranked(np.concatenate([a, b]), near)
    mark, along = _ranked(np.concatenate([c, d]), near)
    n, m = len(boxes), len(mark)
    behind, before = where[:n], where[n:]  # a box lies behind its lower side, and before its upper one
    last_place = -1
    if around is not None:
        first_place, last_place = (int(np.argmin(np.abs(place - ending))) for ending in around)
        behind = np.where(behind == first_place, last_place, behind)
    first, last = along[:n], along[n:]
    # Every side is divided at all corners on its line.
    keys = np.unique(np.concatenate([w * m + s for w in (behind, before) for s in (first, last)]))
    start, end = keys[:-1], keys[1:]
    good = start // m == end // m
    start, end = start[good], end[good]
    one = _covering(start, before * m + first, last - first, m)
    two = _covering(start, behind * m + first, last - first, m)
    some = (one >= 0) | (two >= 0)
    start, end, one, two = start[some], end[some], one[some], two[some]
    at, s, e = place[start // m], mark[start % m], mark[end % m]
    offset = np.zeros((len(start), 2))
    if around is not None:
        offset[start // m == last_place, axis] = around[0] - around[1]
    if axis == 0:
        return np.column_stack([at, s]), np.column_stack([at, e]), one, two, offset
    return np.column_stack([s, at]), np.column_stack([e, at]), one, two, offset


def _covering(start: np.ndarray, keys: np.ndarray, length: np.ndarray, m: int) -> np.ndarray:
    """The box whose side covers what begins at each key; −1 for none."""
    order = np.argsort(keys)
    at = np.searchsorted(keys[order], start, side="right") - 1
    box = order[np.maximum(at, 0)]
    covers = (at >= 0) & (start < keys[box] + length[box]) & (start // m == keys[box] // m)
    return np.where(covers, box, -1)


def _ranked(values: np.ndarray, near: float) -> tuple[np.ndarray, np.ndarray]:
    """Different values in order, those that are nearly the same as one, and the rank of each."""
    order = np.argsort(values)
    new = np.append(True, np.diff(values[order]) > near)
    rank = np.empty(len(values), dtype=np.int64)
    rank[order] = np.cumsum(new) - 1
    return values[order][new], rank


def _along(
    outline: Outline, start, end, low, high, offset, axis: int, leaf, known, levels, count: int
) -> Faces:
    """Segments between boxes, divided where levels cross them and at vertices, with the regions on both sides."""
    regions = [np.where(side >= 0, known[side], -1) for side in (low, high)]
    cut = [(side >= 0) & (known[side] < 0) for side in (low, high)]
    plain = ~cut[0] & ~cut[1] & (regions[0] == regions[1])
    t, w = gauss(count)
    n = np.flatnonzero(~plain)
    marks, owners = [np.zeros(len(n)), np.ones(len(n))], [n, n]
    for side, there in ((low, np.zeros_like(offset)), (high, offset)):
        at = n[side[n] >= 0]
        k, slot = np.nonzero(levels[side[at]] >= 0)
        here, to = start[at[k]] + there[at[k]], end[at[k]] + there[at[k]]
        which, theta = outline.crossings(levels[side[at]][k, slot], here, to)
        marks.append(theta)
        owners.append(at[k[which]])
    for vertex in outline.vertices:
        on = np.abs(vertex[axis] - start[n, axis]) < outline.beside
        on |= np.abs(vertex[axis] - start[n, axis] - offset[n, axis]) < outline.beside
        theta = (vertex[1 - axis] - start[n, 1 - axis]) / (end[n, 1 - axis] - start[n, 1 - axis])
        on &= (theta > 0) & (theta < 1)
        marks.append(theta[on])
        owners.append(n[on])
    at, owner = np.concatenate(marks), np.concatenate(owners)
    order = np.lexsort([at, owner])
    at, owner = at[order], owner[order]
    length = np.abs(end - start).sum(axis=1)
    good = (np.diff(owner) == 0) & (np.diff(at) * length[owner[:-1]] > outline.beside)
    number = np.concatenate([np.flatnonzero(plain), owner[:-1][good]])
    a = np.concatenate([np.zeros(int(plain.sum())), at[:-1][good]])
    b = np.concatenate([np.ones(int(plain.sum())), at[1:][good]])
    one, two = regions[0][number].copy(), regions[1][number].copy()
    seen = np.arange(len(number)) >= plain.sum()
    middle = start[number] + (0.5 * (a + b))[:, None] * (end - start)[number]
    normal = np.eye(2)[axis]
    shift = 2 * outline.beside * normal
    for own, side, by in ((one, low, -shift + np.zeros_like(offset)), (two, high, shift + offset)):
        ask = seen & (side[number] >= 0) & (known[side[number]] < 0)
        own[ask] = outline.regions(middle[ask] + by[number[ask]])
    keep = (one >= 0) | (two >= 0)
    number, a, b, one, two, middle = (v[keep] for v in (number, a, b, one, two, middle))
    theta = a[:, None] + (b - a)[:, None] * t
    points = start[number][:, None, :] + theta[..., None] * (end - start)[number][:, None, :]
    weights = ((b - a) * length[number])[:, None] * w
    normals = np.broadcast_to(normal, points.shape)
    left = np.column_stack([np.where(one >= 0, leaf[low[number]], -1), one])
    right = np.column_stack([np.where(two >= 0, leaf[high[number]], -1), two])
    stated = outline.stated(one, two)
    level = np.zeros(len(number), dtype=int)
    level[stated] = outline.nearest(middle[stated])
    part = _parts(outline, level, middle, one, two)
    return Faces(points, weights, normals, left, right, part, offset[number])
