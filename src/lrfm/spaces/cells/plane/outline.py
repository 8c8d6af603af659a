# SPDX-License-Identifier: MIT
"""Where cells of the plane end:  arcs φ = 0 of the boundary and of dividing lines inside,  their vertices,  and on which side of them points lie.

An arc is a stretch of a curve γ(s) with the level set φ that it is part of. Dividing lines are level sets at which something given jumps; the sides of all of them
number the regions of the domain, −1 stands for outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.problem.shapes.curves import Curve, line_through
from lrfm.problem.shapes.levels import Level
from lrfm.problem.shapes.pieces import breakpoints
from lrfm.problem.shapes.shape import Shape
from lrfm.problem.shapes.tracing import trace
from lrfm.spaces.cells.plane.conics import Conics
from lrfm.spaces.cells.plane.numbers import PlaneNumbers


@dataclass(frozen=True, eq=False)
class Arc:
    """γ(s), start ≤ s ≤ end, on the zero set of the level with this number."""

    level: int
    curve: Curve
    start: float
    end: float

    def points(self, u: np.ndarray) -> np.ndarray:
        """Points for u in [0, 1]."""
        return self.curve.point(self.start + (self.end - self.start) * u)


class Outline:
    """Arcs, vertices and regions of a domain in the plane with dividing lines."""

    def __init__(self, shape: Shape, numbers: PlaneNumbers, dividers: Sequence[Level] = ()):
        self.shape, self.numbers, self.dividers = shape, numbers, tuple(dividers)
        self.low, self.high = (np.array(end, dtype=float) for end in (shape.lower, shape.upper))
        self.size = float(np.linalg.norm(self.high - self.low))
        self.beside = numbers.beside * self.size
        stretches = shape.stretches(None)
        sheets = list(dict.fromkeys(s.sheet for s in stretches))
        self.sheets = sheets
        self.levels: list[Level] = [sheet.level for sheet in sheets] + list(self.dividers)
        self.arcs = [Arc(sheets.index(s.sheet), s.curve, s.start, s.end) for s in stretches]
        ends = [s.points(np.array([0.0, 1.0])) for s in stretches if not s.whole]
        reach = (self.high - self.low) / 64
        for number, level in enumerate(self.dividers, start=len(sheets)):
            low, high = self.low - reach, self.high + reach
            curves = line_through(level, None, low, high) if level.flat else trace(level, None, low, high)
            others = [other for other in self.levels if other is not level]
            for curve in curves:
                self.arcs.append(Arc(number, curve, 0.0, 1.0))
                at = breakpoints(curve, others, None, self.size)
                ends.append(curve.point(at))
        self.vertices = _distinct(np.vstack([*ends, np.zeros((0, 2))]), self.beside)

    def regions(self, points: np.ndarray) -> np.ndarray:
        """The number of the region of each point, −1 outside."""
        found = np.where(self.shape.tree.inside(points, None), 0, -1)
        for number, level in enumerate(self.dividers):
            above = (level.values(points) > 0) & (found >= 0)
            found[above] += 1 << number
        return found

    # Parts of the boundary ----------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts of the boundary."""
        return tuple(self.shape.parts)

    @cached_property
    def _numbers(self) -> dict[tuple[int, str | None], int]:
        named = self.shape.parts.items()
        return {(id(part.sheet), part.cut): self.parts.index(name) for name, part in named}

    def part_of(self, level: int, points: np.ndarray) -> np.ndarray:
        """The number of the part that points of a level belong to; −1 for none."""
        cuts = [None if k < 0 else self.shape._cuts[k][0] for k in self.shape._cut_of(points, None)]
        sheet = id(self.sheets[level]) if level < len(self.sheets) else 0
        return np.array([self._numbers.get((sheet, cut), -1) for cut in cuts], dtype=int)

    @cached_property
    def _conics(self) -> Conics:
        return Conics(self.levels)

    # Values of many levels ----------------------------------------------------------------------------------

    def values(self, level: np.ndarray, points: np.ndarray) -> np.ndarray:
        """φ of the level with a given number at each point."""
        known = self._conics.known[level]
        result = self._conics.values(level, points)
        for number, among in _groups(level, ~known):
            result[among] = self.levels[number].values(points[among])
        return result

    def gradients(self, level: np.ndarray, points: np.ndarray) -> np.ndarray:
        """∇φ likewise, (m, 2)."""
        known = self._conics.known[level]
        result = self._conics.gradients(level, points)
        for number, among in _groups(level, ~known):
            result[among] = self.levels[number].gradient(points[among])
        return result

    def along(self, arc: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points of arcs, and ∇φ/|∇φ| there."""
        points, level = np.empty((len(u), 2)), np.empty(len(u), dtype=int)
        for number, among in _groups(arc):
            points[among], level[among] = self.arcs[number].points(u[among]), self.arcs[number].level
        slopes = self.gradients(level, points)
        return points, slopes / np.maximum(np.linalg.norm(slopes, axis=1, keepdims=True), 1e-300)

    def nearest(self, points: np.ndarray) -> np.ndarray:
        """The boundary level whose zero set passes nearest to each point."""
        best, found = np.full(len(points), np.inf), np.zeros(len(points), dtype=int)
        for number in range(len(self.sheets)):
            slope = np.linalg.norm(self.levels[number].gradient(points), axis=1)
            gap = np.abs(self.levels[number].values(points)) / np.maximum(slope, 1e-300)
            nearer = gap < best
            best, found = np.where(nearer, gap, best), np.where(nearer, number, found)
        return found

    def zeros(
        self, level: np.ndarray, start: np.ndarray, end: np.ndarray, low: np.ndarray, high: np.ndarray
    ) -> np.ndarray:
        """θ in [low, high] with φ = 0 at start + θ (end − start), where φ changes sign; Ridders' method."""

        def at(theta: np.ndarray) -> np.ndarray:
            return self.values(level, start + theta[:, None] * (end - start))

        low, high = low.copy(), high.copy()
        first, last, place = at(low), at(high), low
        for _ in range(52):  # as many as a number has digits; ten are the rule
            middle = 0.5 * (low + high)
            value = at(middle)
            root = np.sqrt(np.maximum(value**2 - first * last, 0.0))
            shift = np.where(root > 0, np.sign(first - last) * value / np.where(root > 0, root, 1.0), 0.0)
            before, place = place, np.clip(middle + (middle - low) * shift, low, high)
            if not len(place) or np.max(np.abs(place - before)) <= 2e-15:
                break
            there = at(place)
            for s, v in ((middle, value), (place, there)):
                inner, same = (s >= low) & (s <= high), (v < 0) == (first < 0)
                low, first = np.where(inner & same, s, low), np.where(inner & same, v, first)
                high, last = np.where(inner & ~same, s, high), np.where(inner & ~same, v, last)
        return place

    def crossings(
        self, level: np.ndarray, start: np.ndarray, end: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """All zeros of φ on segments: the number of the segment, and θ in [0, 1]; two that are close together are found by the parabola between them."""
        if not len(level):
            return np.zeros(0, dtype=int), np.zeros(0)
        count = self.numbers.samples + 1
        theta = np.broadcast_to(np.linspace(0.0, 1.0, count), (len(level), count))
        places = (start[:, None, :] + theta[..., None] * (end - start)[:, None, :]).reshape(-1, 2)
        value = self.values(np.repeat(level, count), places).reshape(-1, count)
        a, b, c = np.abs(value[:, :-2]), np.abs(value[:, 1:-1]), np.abs(value[:, 2:])
        signs = np.sign(value)
        top = (b <= a) & (b <= c) & (signs[:, :-2] == signs[:, 1:-1]) & (signs[:, 2:] == signs[:, 1:-1])
        top &= 2 * b < a + c
        k, i = np.nonzero(top)
        bend = (a - 2 * b + c)[k, i]
        extra = theta[k, i + 1] + 0.5 * (a - c)[k, i] / bend / (count - 1)
        there = self.values(level[k], start[k] + extra[:, None] * (end - start)[k])
        k0, i0 = np.nonzero(signs[:, :-1] * signs[:, 1:] < 0)
        low, high, which = theta[k0, i0], theta[k0, i0 + 1], k0
        other = np.sign(there) * signs[k, i + 1] < 0
        k, i, extra = k[other], i[other], extra[other]
        low = np.concatenate([low, theta[k, i], extra])
        high = np.concatenate([high, extra, theta[k, i + 2]])
        which = np.concatenate([which, k, k])
        k1, i1 = np.nonzero(value == 0)
        found = self.zeros(level[which], start[which], end[which], low, high)
        return np.concatenate([which, k1]), np.concatenate([found, theta[k1, i1]])


def _groups(numbers: np.ndarray, wanted: np.ndarray | None = None):
    """Each different number, and where it stands, among those that are wanted."""
    if not len(numbers) or (wanted is not None and not wanted.any()):
        return
    order = np.argsort(numbers, kind="stable")
    order = order if wanted is None else order[wanted[order]]
    for among in np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1):
        yield int(numbers[among[0]]), among


def _distinct(points: np.ndarray, near: float) -> np.ndarray:
    """Points without those that repeat another."""
    if not len(points):
        return points
    return points[np.unique(np.round(points / (100 * near)), axis=0, return_index=True)[1]]
