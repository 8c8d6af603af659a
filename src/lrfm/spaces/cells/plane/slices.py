# SPDX-License-Identifier: MIT
"""Points and weights of rectangles between curves ψ = 0:  ∫∫ f = Σ over panels of one side, Σ over intervals between the curves.

A rectangle is divided into quarters as long as no direction e has  |∂ψ/∂e| ≥ c |∇ψ|,  of one sign, along every curve in it; panels end where a curve leaves the rectangle
(Saye, SIAM J. Sci. Comput. 37, 2015, with the restrictions of levels to the sides of a box as ψ).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lrfm.problem.shapes.gauss import gauss
from lrfm.problem.shapes.roots import crossings, ridders
from lrfm.spaces.cells.plane.solid import Solid, placed


@dataclass(frozen=True)
class Slices:
    """ψ on rectangles normal to an axis: slot s of rectangle k is the level `level[k, s]` (−1 for none) at the height `at[k, s]`.

    Where `other` is a level too, ψ is its value on the surface of the first one between the heights `span`: zero where two surfaces meet.
    """

    solid: Solid
    axis: np.ndarray  # (m,)
    level: np.ndarray  # (m, slots)
    at: np.ndarray
    other: np.ndarray
    span: np.ndarray  # (m, 2)

    def __getitem__(self, among: np.ndarray) -> Slices:
        parts = (self.axis, self.level, self.at, self.other, self.span)
        return Slices(self.solid, *(part[among] for part in parts))

    def values(self, k: np.ndarray, slot: np.ndarray, base: np.ndarray) -> np.ndarray:
        """ψ of slots of rectangles at points (n, 2) of them."""
        axis, level, other = self.axis[k], self.level[k, slot], self.other[k, slot]
        height = self.at[k, slot].copy()
        both = np.flatnonzero(other >= 0)
        if len(both):
            height[both] = surface(self.solid, level[both], axis[both], base[both], self.span[k[both]])
        return self.solid.values(np.where(other >= 0, other, level), placed(axis, base, height))


def surface(
    solid: Solid, level: np.ndarray, axis: np.ndarray, base: np.ndarray, span: np.ndarray
) -> np.ndarray:
    """The height between two ends at which φ = 0, or the end that is nearer to it."""
    low, high = span.T
    at = lambda h: solid.values(level, placed(axis, base, h))  # noqa: E731
    one, two = at(low), at(high)
    height = np.where(np.abs(one) < np.abs(two), low, high)
    some = np.flatnonzero(one * two < 0)
    if len(some):
        where = lambda h: solid.values(level[some], placed(axis[some], base[some], h))  # noqa: E731
        height[some] = ridders(where, low[some], high[some])
    return height


def sampled(
    solid: Solid, values: np.ndarray, widths: np.ndarray, steep: float
) -> tuple[np.ndarray, np.ndarray]:
    """Of functions at samples (n, …) of boxes (n, d): whether each may vanish, and the least |n·e| along each axis e where n·e has one sign.

    n is the unit normal in the parts between samples that the zero set may touch. What is straight is a graph, whatever its slope.
    """
    d = values.ndim - 1
    corners = [values]
    for axis in range(1, d + 1):
        first = [slice(None)] * (d + 1)
        last = list(first)
        first[axis], last[axis] = slice(None, -1), slice(1, None)
        corners = [c[tuple(first)] for c in corners] + [c[tuple(last)] for c in corners]
    found = np.stack(corners).reshape(2**d, len(values), -1)  # corner number: bit k for axis k
    low, high = found.min(axis=0), found.max(axis=0)
    reach = solid.numbers.between * (high - low)
    touched = (low <= reach) & (high >= -reach)
    number = np.arange(2**d)
    slopes = np.stack(
        [
            (found[number >> axis & 1 == 1].mean(axis=0) - found[number >> axis & 1 == 0].mean(axis=0))
            / (widths[:, axis, None] / (values.shape[1] - 1))
            for axis in range(d)
        ]
    )
    normals = slopes / np.maximum(np.linalg.norm(slopes, axis=0), 1e-300)
    least = np.where(touched, normals, np.inf).min(axis=-1).T
    most = np.where(touched, normals, -np.inf).max(axis=-1).T
    straight, least = np.all(most - least < 1e-9, axis=1), np.maximum(least, -most)
    some = straight[:, None] & (least > 1e-9)
    return touched.any(axis=1), np.where(some, np.maximum(least, steep), least)


def unit_grid(count: int, dimension: int) -> np.ndarray:
    """Samples of the unit square or cube, (count^d, d)."""
    t = np.linspace(0.0, 1.0, count)
    return np.stack(np.meshgrid(*[t] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)


@dataclass(frozen=True)
class BasePoints:
    """Points (n, 2) of rectangles, with weights."""

    rectangle: np.ndarray
    points: np.ndarray
    weights: np.ndarray


def fewer(count: int, depth: int) -> int:
    """Points along a direction for a part of a box: a polynomial changes less there, half as much in a half."""
    return max(3, count - depth)


def sections(slices: Slices, rectangles: np.ndarray, count: int) -> BasePoints:
    """The rule of rectangles (m, 4): u₀, u₁, v₀, v₁."""
    number, done = np.arange(len(rectangles)), []
    deepest = slices.solid.numbers.halvings
    for depth in range(deepest + 1):
        if not len(number) and done:
            break
        active, up, good = _directions(slices, rectangles)
        good |= depth == deepest
        plain, points = ~active.any(axis=1), fewer(count, depth)
        done.append(_whole(rectangles[plain], number[plain], points))
        cut = good & ~plain
        some = replace(slices[cut], level=np.where(active[cut], slices.level[cut], -1))
        done.append(_between(some, rectangles[cut], number[cut], up[cut], points))
        left = ~good & ~plain
        slices, rectangles, number = _quartered(slices[left], rectangles[left], number[left])
    names = ("rectangle", "points", "weights")
    return BasePoints(*(np.concatenate([getattr(part, name) for part in done]) for name in names))


def _quartered(
    slices: Slices, rectangles: np.ndarray, number: np.ndarray
) -> tuple[Slices, np.ndarray, np.ndarray]:
    a, b, c, d = rectangles.T
    u, v = 0.5 * (a + b), 0.5 * (c + d)
    parts = [(a, u, c, v), (u, b, c, v), (a, u, v, d), (u, b, v, d)]
    four = np.tile(np.arange(len(number)), 4)
    return slices[four], np.concatenate([np.column_stack(part) for part in parts]), number[four]


def _directions(slices: Slices, rectangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which slots may vanish in each rectangle, the direction along which all of these are graphs, and whether there is one."""
    m, active = len(rectangles), np.zeros(slices.level.shape, dtype=bool)
    score = np.full((m, 2), np.inf)
    k, slot = np.nonzero(slices.level >= 0)
    if len(k):
        count = slices.solid.numbers.looks
        grid = unit_grid(count, 2)
        low, width = rectangles[:, 0::2], rectangles[:, 1::2] - rectangles[:, 0::2]
        base = (low[k][:, None] + width[k][:, None] * grid).reshape(-1, 2)
        n = len(grid)
        values = slices.values(np.repeat(k, n), np.repeat(slot, n), base).reshape(-1, count, count)
        some, least = sampled(slices.solid, values, width[k], slices.solid.numbers.leaning)
        active[k, slot] = some
        np.minimum.at(score, k[some], least[some])
    up = np.argmax(score, axis=1)
    return active, up, score[np.arange(m), up] >= slices.solid.numbers.leaning


def _whole(rectangles: np.ndarray, number: np.ndarray, count: int) -> BasePoints:
    """Products of Gauss' rules."""
    t, w = gauss(count)
    low, width = rectangles[:, 0::2], rectangles[:, 1::2] - rectangles[:, 0::2]
    grid = np.stack(np.meshgrid(t, t, indexing="ij"), axis=-1)
    points = low[:, None, None] + width[:, None, None] * grid
    weights = np.prod(width, axis=1)[:, None, None] * np.outer(w, w)
    return BasePoints(np.repeat(number, count**2), points.reshape(-1, 2), weights.ravel())


def _between(
    slices: Slices, rectangles: np.ndarray, number: np.ndarray, up: np.ndarray, count: int
) -> BasePoints:
    """Gauss points on lines along `up` between curves that are graphs over the other direction."""
    ends, rows = rectangles.reshape(-1, 2, 2), np.arange(len(number))
    b, h = ends[rows, 1 - up], ends[rows, up]

    def at(rectangle: np.ndarray, along: np.ndarray, height: np.ndarray) -> np.ndarray:
        points = np.empty((*along.shape, 2))
        second = (up[rectangle] == 1).reshape(-1, *(1,) * (along.ndim - 1))
        points[..., 0], points[..., 1] = np.where(second, along, height), np.where(second, height, along)
        return points

    k, slot = np.nonzero(slices.level >= 0)
    breaks, owners = [b[:, 0], b[:, 1]], [rows, rows]
    for side in range(2):

        def on_side(which: np.ndarray, theta: np.ndarray, side: int = side) -> np.ndarray:
            own = k[which]
            along = b[own, 0] + theta * (b[own, 1] - b[own, 0])
            return slices.values(own, slot[which], at(own, along, h[own, side]))

        which, theta = crossings(on_side, len(k), slices.solid.numbers.samples // 2)
        breaks.append(b[k[which], 0] + theta * (b[k[which], 1] - b[k[which], 0]))
        owners.append(k[which])
    place, owner = np.concatenate(breaks), np.concatenate(owners)
    order = np.lexsort([place, owner])
    place, owner = place[order], owner[order]
    good = (np.diff(owner) == 0) & (np.diff(place) > slices.solid.beside)
    panel, first, last = owner[:-1][good], place[:-1][good], place[1:][good]
    t, w = gauss(count)
    x = (first[:, None] + (last - first)[:, None] * t).ravel()
    wx = ((last - first)[:, None] * w).ravel()
    line = np.repeat(panel, count)
    edges = _edges(slices, line, x, h, at)
    length = np.diff(edges, axis=1)
    i, j = np.nonzero(length > slices.solid.beside)
    height = edges[i, j][:, None] + length[i, j][:, None] * t
    points = at(line[i], np.broadcast_to(x[i][:, None], height.shape), height)
    weights = (wx[i] * length[i, j])[:, None] * w
    return BasePoints(np.repeat(number[line[i]], count), points.reshape(-1, 2), weights.ravel())


def _edges(slices: Slices, line: np.ndarray, x: np.ndarray, h: np.ndarray, at) -> np.ndarray:
    """Ends of the intervals of lines: those of the rectangle, and the curves between them, in order (lines, slots + 2)."""
    low, high = h[line].T
    roots = np.broadcast_to(high[:, None], (len(line), slices.level.shape[1])).copy()
    i, slot = np.nonzero(slices.level[line] >= 0)
    of = lambda n, height: slices.values(line[i[n]], slot[n], at(line[i[n]], x[i[n]], height))  # noqa: E731
    every = np.arange(len(i))
    change = np.flatnonzero(of(every, low[i]) * of(every, high[i]) < 0)
    found = ridders(lambda height: of(change, height), low[i[change]], high[i[change]])
    roots[i[change], slot[change]] = found
    return np.sort(np.column_stack([low, roots, high]), axis=1)
