# SPDX-License-Identifier: MIT
"""Where cells of the plane end:  arcs φ = 0 of the boundary and of dividing lines inside,  their vertices,  and on which side of them points lie.

An arc is a stretch of a curve γ(s) with the level set φ that it is part of. Dividing lines are level sets at which something given jumps; the sides of all of them
number the regions of the domain, −1 stands for outside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.problem.shapes.curves import Curve, line_through
from lrfm.problem.shapes.levels import Level
from lrfm.problem.shapes.pieces import Stretch, breakpoints
from lrfm.problem.shapes.roots import crossings, ridders
from lrfm.problem.shapes.shape import Shape
from lrfm.problem.shapes.tracing import trace
from lrfm.spaces.cells.plane.conics import Conics
from lrfm.spaces.cells.plane.numbers import PlaneNumbers
from lrfm.spaces.cells.plane.stored import Sides


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

    def __init__(
        self,
        shape: Shape,
        numbers: PlaneNumbers,
        dividers: Sequence[Level] = (),
        periodic: tuple[bool, ...] = (False, False),
    ):
        self.shape, self.numbers, self.dividers, self.periodic = shape, numbers, tuple(dividers), periodic
        self.low, self.high = (np.array(end, dtype=float) for end in (shape.lower, shape.upper))
        self.size = float(np.linalg.norm(self.high - self.low))
        self.beside = numbers.beside * self.size
        stretches = shape.stretches(None)
        bounding, self.number_of = self._levels(stretches)
        self.bounds = len(bounding)
        self.levels: list[Level] = bounding + list(self.dividers)
        self.arcs = [Arc(self.number_of[id(s.sheet)], s.curve, s.start, s.end) for s in stretches]
        ends = [s.points(np.array([0.0, 1.0])) for s in stretches if not s.whole]
        reach = (self.high - self.low) / 64
        for number, level in enumerate(self.dividers, start=self.bounds):
            low, high = self.low - reach, self.high + reach
            curves = line_through(level, None, low, high) if level.flat else trace(level, None, low, high)
            others = [other for other in self.levels if other is not level]
            for curve in curves:
                self.arcs.append(Arc(number, curve, 0.0, 1.0))
                at = breakpoints(curve, others, None, self.size)
                ends.append(curve.point(at))
        self.vertices = _distinct(np.vstack([*ends, np.zeros((0, 2))]), self.beside)

    def _levels(self, stretches: Sequence[Stretch]) -> tuple[list[Level], dict[int, int]]:
        """The levels that arcs of the boundary are parts of, and the number of each by the `id` of its sheet."""
        sheets = list(dict.fromkeys(s.sheet for s in stretches))
        return [sheet.level for sheet in sheets], {id(sheet): k for k, sheet in enumerate(sheets)}

    def regions(self, points: np.ndarray) -> np.ndarray:
        """The number of the region of each point, −1 outside."""
        found = self._parted(points)
        for number, level in enumerate(self.dividers):
            above = (level.values(points) > 0) & (found >= 0)
            found[above] += self.materials << number
        return found

    @property
    def materials(self) -> int:
        """How many parts of the domain have a name of their own: one."""
        return 1

    def _parted(self, points: np.ndarray) -> np.ndarray:
        """The number of the part of the domain that each point lies in, −1 outside."""
        return np.where(self.shape.tree.inside(points, None), 0, -1)

    @cached_property
    def locator(self) -> Callable[[np.ndarray], np.ndarray] | None:
        """The same for the places of a solution, which a file keeps; None where there is one region."""
        return Sides.of(self.dividers)

    @property
    def between(self) -> Sequence[Level]:
        """Levels inside at which something may jump."""
        return self.dividers

    # Parts of the boundary ----------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts of the boundary."""
        return tuple(self.shape.parts)

    @cached_property
    def _numbers(self) -> dict[tuple[int, str | None], int]:
        named = self.shape.parts.items()
        return {(self.number_of.get(id(p.sheet), -1), p.cut): self.parts.index(name) for name, p in named}

    def stated(self, one: np.ndarray, two: np.ndarray) -> np.ndarray:
        """Whether conditions hold between two regions: here where one of them is outside."""
        return (one < 0) | (two < 0)

    @cached_property
    def _alike(self) -> list[list[int]]:
        """Straight arcs of the boundary on one line but of different levels, as two sides of a polygon that meet at 180 degrees."""
        straight = [
            k for k, arc in enumerate(self.arcs) if arc.level < self.bounds and self.levels[arc.level].flat
        ]
        found: list[list[int]] = []
        for k in straight:
            ends = self.arcs[k].points(np.array([0.0, 1.0]))
            for group in found:
                level = self.levels[self.arcs[group[0]].level]
                if np.all(
                    np.abs(level.values(ends)) <= self.beside * np.linalg.norm(level.gradient(ends), axis=1)
                ):
                    group.append(k)
                    break
            else:
                found.append([k])
        return [group for group in found if len({self.arcs[k].level for k in group}) > 1]

    def settled(self, level: np.ndarray, points: np.ndarray) -> np.ndarray:
        """The level of each point; of levels that are one line the one whose arc is there."""
        result = level.copy()
        for group in self._alike:
            numbers = np.array([self.arcs[k].level for k in group])
            among = np.flatnonzero(np.isin(level, numbers))
            gaps = []
            for k in group:
                a, b = self.arcs[k].points(np.array([0.0, 1.0]))
                along = (points[among] - a) @ (b - a) / np.dot(b - a, b - a)
                gaps.append(np.maximum(0.0, np.maximum(-along, along - 1)) * np.linalg.norm(b - a))
            if len(among):
                result[among] = numbers[np.argmin(gaps, axis=0)]
        return result

    def part_of(self, level: int, points: np.ndarray, one: np.ndarray, two: np.ndarray) -> np.ndarray:
        """The number of the part that points of a level between two regions belong to; −1 for none."""
        return np.array(
            [self._numbers.get((level, cut), -1) for cut in cuts_at(self.shape, points)], dtype=int
        )

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
        for number in range(self.bounds):
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

        return ridders(at, low, high)

    def crossings(
        self, level: np.ndarray, start: np.ndarray, end: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """All zeros of φ on segments: the number of the segment, and θ in [0, 1]; two that are close together are found by the parabola between them."""

        def at(which: np.ndarray, theta: np.ndarray) -> np.ndarray:
            return self.values(level[which], start[which] + theta[:, None] * (end - start)[which])

        return crossings(at, len(level), self.numbers.samples)


def cuts_at(shape: Shape, points: np.ndarray) -> list[str | None]:
    """The names of the pieces that were cut out of the boundary of a shape, at points of it."""
    return [None if k < 0 else shape._cuts[k][0] for k in shape._cut_of(points, None)]


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
