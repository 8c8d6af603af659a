# SPDX-License-Identifier: MIT
"""Points and weights of boxes that surfaces cut, of the surfaces in them, and of the sides between boxes.

Along the axis e of a cut box each level is a graph over a rectangle:  ∫∫∫ f = Σ over the points of the rectangle (`slices`), Σ over intervals between the graphs, and on a
graph  dA = |∇φ|/|∂φ/∂e| du dv. The rectangle is divided where a surface leaves the box at its lower or its upper side, and where two surfaces meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import combinations

import numpy as np

from lrfm.problem.shapes.gauss import gauss
from lrfm.problem.shapes.roots import ridders
from lrfm.spaces.cells.plane.blocks import together
from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.rules import Faces, Volume, _parts
from lrfm.spaces.cells.plane.slices import BasePoints, Slices, fewer, sections
from lrfm.spaces.cells.plane.solid import Solid, bases, placed
from lrfm.spaces.cells.plane.solid_cuts import SolidBoxes, SolidCuts, solid_cuts


def solid_rules(
    solid: Solid, mesh: PlaneMesh, count: int
) -> tuple[np.ndarray, np.ndarray, Volume, Faces, np.ndarray]:
    """Whole leaves with their regions, the volume of all other pieces, all faces, and leaves that surfaces bend in; `count` points along each direction."""
    cuts = solid_cuts(solid, mesh)
    uncut = np.flatnonzero(~cuts.divided)
    region = solid.regions(mesh.boxes[uncut].reshape(-1, 3, 2).mean(axis=2))
    known = np.full(mesh.leaves, -1)
    known[uncut] = region
    leaves, leaf_region = uncut[region >= 0], region[region >= 0]
    volumes, faces = [], [_sides(solid, mesh, cuts, known, axis, count) for axis in range(3)]
    for depth in np.unique(np.append(cuts.whole.depth, cuts.cut.depth)):
        points = fewer(count, int(depth))
        volumes.append(_product(solid, cuts.whole[cuts.whole.depth == depth], points))
        inside, surfaces = _reduced(solid, cuts.cut[cuts.cut.depth == depth], points)
        volumes.append(inside)
        faces.append(surfaces)
    volume = Inside.joined(volumes).blocks(count)
    return leaves, leaf_region, volume, Between.joined(faces).blocks(count), cuts.bent


@dataclass(frozen=True)
class Inside:
    """Points (n, 3) with weights, each of one region of one leaf."""

    leaf: np.ndarray
    region: np.ndarray
    weights: np.ndarray
    points: np.ndarray

    @staticmethod
    def joined(parts: Sequence[Inside]) -> Inside:
        """Those of all parts."""
        none = np.zeros(0, dtype=int)
        parts = [*parts, Inside(none, none, np.zeros(0), np.zeros((0, 3)))]
        return Inside(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Inside)))

    def blocks(self, count: int) -> Volume:
        """As blocks of so many points."""
        at, real, first = together([self.leaf, self.region], count)
        return Volume(self.points[at], self.weights[at] * real, self.leaf[first], self.region[first])


@dataclass(frozen=True)
class Between:
    """Points between two pieces, or on the boundary: the leaf and the region on each side, −1 for none, and the number of the level there."""

    low: np.ndarray
    low_region: np.ndarray
    high: np.ndarray
    high_region: np.ndarray
    part: np.ndarray
    weights: np.ndarray
    points: np.ndarray
    normals: np.ndarray

    @staticmethod
    def of(solid: Solid, low, high, regions, level: np.ndarray | None, weights, points, normals) -> Between:
        """Points as far as one of two different pieces beside them is inside."""
        one, two = regions
        keep = ((one >= 0) | (two >= 0)) & ~((low == high) & (one == two))
        low, high, one, two, weights, points, normals = (
            v[keep] for v in (low, high, one, two, weights, points, normals)
        )
        boundary = (one < 0) | (two < 0)
        number = np.zeros(len(one), dtype=int) if level is None else level[keep]
        if level is None:
            number[boundary] = solid.nearest(points[boundary])
        part = _parts(solid, number, points, one, two)
        low, high = np.where(one >= 0, low, -1), np.where(two >= 0, high, -1)
        return Between(low, one, high, two, part, weights, points, normals)

    @staticmethod
    def joined(parts: Sequence[Between]) -> Between:
        """Those of all parts."""
        return Between(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Between)))

    def blocks(self, count: int) -> Faces:
        """As blocks of so many points, with the piece on the left where there is only one."""
        keys = [self.low, self.low_region, self.high, self.high_region, self.part]
        at, real, first = together(keys, count)
        left = np.column_stack([self.low, self.low_region])[first]
        right = np.column_stack([self.high, self.high_region])[first]
        made = Faces(
            self.points[at],
            self.weights[at] * real,
            self.normals[at],
            left,
            right,
            self.part[first],
            np.zeros((len(first), 3)),
        )
        return made.turned()


def _product(solid: Solid, whole: SolidBoxes, count: int) -> Inside:
    """Products of Gauss' rules on whole boxes inside."""
    low, width = whole.boxes[:, 0::2], whole.boxes[:, 1::2] - whole.boxes[:, 0::2]
    region = solid.regions(low + 0.5 * width)
    low, width, leaf, region = (v[region >= 0] for v in (low, width, whole.leaf, region))
    t, w = gauss(count)
    grid = np.stack(np.meshgrid(t, t, t, indexing="ij"), axis=-1).reshape(-1, 3)
    weights = np.prod(width, axis=1)[:, None] * (w[:, None, None] * w[:, None] * w).ravel()
    points = low[:, None] + width[:, None] * grid
    n = count**3
    return Inside(np.repeat(leaf, n), np.repeat(region, n), weights.ravel(), points.reshape(-1, 3))


def _reduced(solid: Solid, cut: SolidBoxes, count: int) -> tuple[Inside, Between]:
    """The pieces of cut boxes by dimension reduction, and the surfaces between them."""
    m, rows = len(cut.axis), np.arange(len(cut.axis))
    ends = cut.boxes.reshape(-1, 3, 2)
    h = ends[rows, cut.axis]
    rectangles = ends[rows[:, None], bases(cut.axis)].reshape(m, 4)
    level = np.where(cut.active, solid.curved, -1)  # (m, curved)
    pairs = list(combinations(range(level.shape[1]), 2))
    both = [np.where(cut.active[:, i] & cut.active[:, j], solid.curved[i], -1) for i, j in pairs]
    other = [np.full(m, solid.curved[j]) for _, j in pairs]
    none = np.full_like(level, -1)
    heights = [np.repeat(h[:, [side]], level.shape[1], axis=1) for side in range(2)]
    slices = Slices(
        solid,
        cut.axis,
        np.column_stack([level, level, *both]),
        np.column_stack([*heights, *([h[:, 0]] * len(pairs))]),
        np.column_stack([none, none, *other]),
        h,
    )
    base = sections(slices, rectangles, count)
    roots = _roots(solid, cut, level, base, h)
    return _volume(solid, cut, base, h, roots, count), _surfaces(solid, cut, base, level, roots)


def _roots(solid: Solid, cut: SolidBoxes, level: np.ndarray, base: BasePoints, h: np.ndarray) -> np.ndarray:
    """Heights at which levels cross the lines over base points, (points, levels); nan where they do not."""
    roots = np.full((len(base.rectangle), level.shape[1]), np.nan)
    k, slot = np.nonzero(level[base.rectangle] >= 0)
    own = base.rectangle[k]
    number, at, axis = level[own, slot], base.points[k], cut.axis[own]
    low, high = h[own].T
    of = lambda n, height: solid.values(number[n], placed(axis[n], at[n], height))  # noqa: E731
    every = np.arange(len(own))
    change = np.flatnonzero(of(every, low) * of(every, high) < 0)
    found = np.full(len(own), np.nan)
    found[change] = ridders(lambda height: of(change, height), low[change], high[change])
    near = (found < low + solid.beside) | (found > high - solid.beside)
    roots[k, slot] = np.where(near, np.nan, found)
    return roots


def _volume(solid: Solid, cut: SolidBoxes, base: BasePoints, h, roots: np.ndarray, count: int) -> Inside:
    """Gauss points between the graphs, wherever these are inside."""
    box = base.rectangle
    low, high = h[box, 0][:, None], h[box, 1][:, None]
    edges = np.sort(np.column_stack([low, np.where(np.isnan(roots), high, roots), high]), axis=1)
    length = np.diff(edges, axis=1)
    i, j = np.nonzero(length > solid.beside)
    a, d, axis = edges[i, j], length[i, j], cut.axis[box[i]]
    region = solid.regions(placed(axis, base.points[i], a + 0.5 * d))
    i, a, d, axis, region = (v[region >= 0] for v in (i, a, d, axis, region))
    t, w = gauss(count)
    heights = (a[:, None] + d[:, None] * t).ravel()
    points = placed(np.repeat(axis, count), np.repeat(base.points[i], count, axis=0), heights)
    weights = ((base.weights[i] * d)[:, None] * w).ravel()
    return Inside(np.repeat(cut.leaf[box[i]], count), np.repeat(region, count), weights, points)


def _surfaces(
    solid: Solid, cut: SolidBoxes, base: BasePoints, level: np.ndarray, roots: np.ndarray
) -> Between:
    """The graphs between the regions below and above."""
    k, j = np.nonzero(np.isfinite(roots))
    box = base.rectangle[k]
    axis, number = cut.axis[box], level[box, j]
    points = placed(axis, base.points[k], roots[k, j])
    slopes = solid.gradients(number, points)
    size, rise = np.linalg.norm(slopes, axis=1), slopes[np.arange(len(axis)), axis]
    normals = slopes / size[:, None] * np.sign(rise)[:, None]
    weights = base.weights[k] * size / np.abs(rise)
    shift = 2 * solid.beside * np.eye(3)[axis]
    regions = solid.regions(points - shift), solid.regions(points + shift)
    leaf = cut.leaf[box]
    return Between.of(solid, leaf, leaf, regions, number, weights, points, normals)


def _neighbors(mesh: PlaneMesh, axis: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sides normal to an axis: the leaf whose side it is, the leaf before and the leaf behind, −1 for none."""
    step, every = np.eye(3, dtype=int)[axis], np.arange(mesh.leaves)
    found = []
    for sign in (-1, 1):
        index = mesh.index + sign * step
        same = mesh.find(mesh.level, index)
        larger = mesh.find(mesh.level - 1, index >> 1)
        finer = mesh.find(mesh.level + 1, 2 * index + (step if sign < 0 else 0)) >= 0
        beside = np.where(same >= 0, same, larger)
        # Equal neighbors share one side, which is that of the lower one; next to smaller ones it is theirs.
        own = ~finer & ((beside < 0) | (same < 0) | (sign > 0))
        one, two = (beside, every) if sign < 0 else (every, beside)
        found.append((every[own], one[own], two[own]))
    return tuple(np.concatenate(part) for part in zip(*found, strict=True))  # type: ignore[return-value]


def _sides(solid: Solid, mesh: PlaneMesh, cuts: SolidCuts, known, axis: int, count: int) -> Between:
    """Sides of leaves normal to an axis, and planes through leaves, as far as one of their two sides is inside."""
    leaf, low, high = _neighbors(mesh, axis)
    boxes = mesh.boxes[leaf]
    place = np.where(leaf == low, boxes[:, 2 * axis + 1], boxes[:, 2 * axis])
    through = [
        np.flatnonzero(_passed(mesh.boxes, axis, c, solid.beside)) for a, c in solid.planes if a == axis
    ]
    where = [
        np.full(len(n), c)
        for n, (_, c) in zip(through, [p for p in solid.planes if p[0] == axis], strict=True)
    ]
    leaf = np.concatenate([leaf, *through])
    low, high = np.concatenate([low, *through]), np.concatenate([high, *through])
    place = np.concatenate([place, *where])
    across = bases(np.array(axis)).tolist()
    columns = [c for b in across for c in (2 * b, 2 * b + 1)]
    rectangles = mesh.boxes[leaf][:, columns]
    sure = [np.where(side >= 0, known[side], -1) for side in (low, high)]
    cut = [(side >= 0) & cuts.divided[side] for side in (low, high)]
    plain = ~cut[0] & ~cut[1]
    keep = ~plain | (sure[0] >= 0) | (sure[1] >= 0)
    leaf, low, high, place, rectangles, plain = (v[keep] for v in (leaf, low, high, place, rectangles, plain))
    number = np.arange(len(leaf))
    for other, c in solid.planes:
        if other != axis:
            k = 2 * across.index(other)
            through_it = (
                ~plain[number]
                & (rectangles[:, k] + solid.beside < c)
                & (rectangles[:, k + 1] - solid.beside > c)
            )
            first, second = rectangles[through_it].copy(), rectangles[through_it].copy()
            first[:, k + 1] = second[:, k] = c
            rectangles = np.concatenate([rectangles[~through_it], first, second])
            number = np.concatenate([number[~through_it], number[through_it], number[through_it]])
    present = np.zeros((len(leaf), len(solid.curved)), dtype=bool)
    for side in (low, high):
        present |= cuts.active[side] & (side >= 0)[:, None]
    level = np.where(present[number], solid.curved, -1)
    slices = Slices(
        solid,
        np.full(len(number), axis),
        level,
        np.repeat(place[number][:, None], level.shape[1], axis=1),
        np.full_like(level, -1),
        np.column_stack([place[number], place[number]]),
    )
    base = sections(slices, rectangles, count)
    side = number[base.rectangle]
    points = placed(np.full(len(side), axis), base.points, place[side])
    normal, regions = np.eye(3)[axis], []
    for sign, beside in ((-1, low[side]), (1, high[side])):
        own = np.where(beside >= 0, known[beside], -1)
        ask = np.flatnonzero((beside >= 0) & cuts.divided[beside])
        own[ask] = solid.regions(points[ask] + sign * 2 * solid.beside * normal)
        regions.append(own)
    normals = np.broadcast_to(normal, points.shape)
    return Between.of(solid, low[side], high[side], regions, None, base.weights, points, normals)


def _passed(boxes: np.ndarray, axis: int, place: float, near: float) -> np.ndarray:
    return (boxes[:, 2 * axis] + near < place) & (boxes[:, 2 * axis + 1] - near > place)
