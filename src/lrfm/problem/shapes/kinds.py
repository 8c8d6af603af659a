# SPDX-License-Identifier: MIT
"""The simple sets everything is made of, in coordinates of their own: unit disc and ball, box, polygon, half-space, φ < 0.

Each has sheets, the smooth pieces of its boundary, given by a formula φ that is negative inside and by curves or surface rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from lrfm.problem.algebra import Expr, number
from lrfm.problem.shapes.curves import Circle, Curve, Line, line_through
from lrfm.problem.shapes.gauss import gauss, panels
from lrfm.problem.shapes.levels import Level
from lrfm.problem.shapes.protocol import Rule
from lrfm.problem.shapes.tracing import trace

Bounds = tuple[np.ndarray, np.ndarray]
TOGETHER = 200_000  # points times sides that are looked at in one go


class Kind(Protocol):
    """A set in coordinates of its own."""

    @property
    def dimension(self) -> int: ...

    @property
    def sheets(self) -> tuple[str, ...]:
        """Names of the smooth pieces; one without a name is called like the shape."""
        ...

    @property
    def bounds(self) -> Bounds:
        """Corners of its bounding box, infinite where it has no end."""
        ...

    @property
    def meet_at_ends(self) -> bool:
        """Whether the curves of its sheets meet each other at their ends and nowhere else, so that none cuts another."""
        ...

    def formula(self, sheet: int, at: Sequence[Expr]) -> Expr:
        """φ of a sheet at these coordinates."""
        ...

    def inside(self, points: np.ndarray) -> np.ndarray | None:
        """Whether points, in its own coordinates, are inside; None where this is so if all φ are negative."""
        ...

    def curves(self, sheet: int, level: Level, t: float | None, box: Bounds) -> list[Curve]:
        """In two dimensions: the sheet as curves, as far as it meets a box."""
        ...

    def surface(self, sheet: int, n: int, rng: np.random.Generator | None) -> Rule | None:
        """In three dimensions: a rule on the whole sheet; None where there is only its formula."""
        ...


class _Convex:
    """Inside where the formulas of all sheets are negative."""

    meet_at_ends = False

    def inside(self, points: np.ndarray) -> np.ndarray | None:
        return None

    def curves(self, sheet: int, level: Level, t: float | None, box: Bounds) -> list[Curve]:
        return line_through(level, t, *box) if level.flat else trace(level, t, *box)

    def surface(self, sheet: int, n: int, rng: np.random.Generator | None) -> Rule | None:
        return None


@dataclass(frozen=True)
class UnitBall(_Convex):
    """|x| < 1, a disc in two dimensions."""

    dimension: int
    sheets: tuple[str, ...] = ("",)

    @property
    def bounds(self) -> Bounds:
        return -np.ones(self.dimension), np.ones(self.dimension)

    def formula(self, sheet: int, at: Sequence[Expr]) -> Expr:
        return sum((x**2 for x in at), number(-1.0))

    def curves(self, sheet: int, level: Level, t: float | None, box: Bounds) -> list[Curve]:
        return [Circle()]

    def surface(self, sheet: int, n: int, rng: np.random.Generator | None) -> Rule | None:
        return turned(sphere(n), rng)


def sphere(n: int) -> Rule:
    """Gauss in the height, equidistant longitudes: exact for polynomials up to a degree that grows like √n."""
    rings = max(2, round(np.sqrt(n / 2)))
    z, w = gauss(rings)
    z = 2 * z - 1
    around = 2 * rings
    angle = 2 * np.pi * (np.arange(around) + 0.5) / around
    rho = np.sqrt(1 - z**2)
    points = [np.outer(rho, np.cos(angle)), np.outer(rho, np.sin(angle)), np.outer(z, np.ones(around))]
    weights = np.outer(2 * w, np.full(around, 2 * np.pi / around))
    return Rule(np.column_stack([p.ravel() for p in points]), weights.ravel())


def turned(rule: Rule, rng: np.random.Generator | None) -> Rule:
    """The same about the origin, turned at random."""
    if rng is None:
        return rule
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Rule(rule.points @ turn.T, rule.weights)


@dataclass(frozen=True, eq=False)
class Sides(_Convex):
    """lᵢ < xᵢ < uᵢ, a box; ends may be infinite, and have no sheet there."""

    names: tuple[str, ...]
    lower: np.ndarray
    upper: np.ndarray

    @property
    def dimension(self) -> int:
        return len(self.names)

    @property
    def _faces(self) -> list[tuple[int, int, float]]:
        ends = [(i, s, e[i]) for i in range(self.dimension) for s, e in ((-1, self.lower), (1, self.upper))]
        return [face for face in ends if np.isfinite(face[2])]

    @property
    def sheets(self) -> tuple[str, ...]:
        return tuple(f"{self.names[axis]}{'+' if sign > 0 else '-'}" for axis, sign, _ in self._faces)

    @property
    def bounds(self) -> Bounds:
        return self.lower, self.upper

    def formula(self, sheet: int, at: Sequence[Expr]) -> Expr:
        axis, sign, end = self._faces[sheet]
        return sign * (at[axis] - end)

    def surface(self, sheet: int, n: int, rng: np.random.Generator | None) -> Rule | None:
        axis, _, end = self._faces[sheet]
        others = [i for i in range(self.dimension) if i != axis]
        lengths = (self.upper - self.lower)[others]
        if not np.all(np.isfinite(lengths)):
            return None
        if not others:  # the end of an interval
            return Rule(np.array([[end]]), np.ones(1))
        spacing = (np.prod(lengths) / n) ** (1 / len(others))
        counts = [max(4, round(length / spacing)) for length in lengths]
        rules = [gauss(k) if rng is None else panels(k, rng.uniform(0.4, 0.6)) for k in counts]
        mesh = np.meshgrid(*(x for x, _ in rules), indexing="ij")
        weights = np.prod(np.meshgrid(*(w for _, w in rules), indexing="ij"), axis=0).ravel()
        points = np.empty((len(weights), self.dimension))
        points[:, others] = self.lower[others] + np.column_stack([m.ravel() for m in mesh]) * lengths
        points[:, axis] = end
        return Rule(points, weights * np.prod(lengths))


@dataclass(frozen=True, eq=False)
class Below(_Convex):
    """φ < 0 for one formula: a half-space, or a level set given as text."""

    dimension: int
    function: Any  # (coordinates) → formula
    name: str = ""

    @property
    def sheets(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def bounds(self) -> Bounds:
        return np.full(self.dimension, -np.inf), np.full(self.dimension, np.inf)

    def formula(self, sheet: int, at: Sequence[Expr]) -> Expr:
        return self.function(at)


@dataclass(frozen=True, eq=False)
class Polygonal:
    """Inside a closed line, and outside of the holes in it: rings of vertices, the outer one counterclockwise, holes clockwise."""

    rings: tuple[np.ndarray, ...]
    sheets: tuple[str, ...]
    dimension: int = 2
    meet_at_ends = True

    @cached_property
    def sides(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """(start, end) of every side; the inside is on the left."""
        return [(a, b) for ring in self.rings for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True)]

    @property
    def bounds(self) -> Bounds:
        return self.rings[0].min(axis=0), self.rings[0].max(axis=0)

    def formula(self, sheet: int, at: Sequence[Expr]) -> Expr:
        a, b = self.sides[sheet]
        dx, dy = (b - a) / np.linalg.norm(b - a)
        return float(dy) * (at[0] - float(a[0])) - float(dx) * (at[1] - float(a[1]))

    def inside(self, points: np.ndarray) -> np.ndarray | None:
        inside = np.zeros(len(points), dtype=bool)
        x, y = points.T
        ends = np.array(self.sides)[..., None]
        together = max(1, TOGETHER // max(1, len(points)))
        for some in (ends[k : k + together] for k in range(0, len(ends), together)):
            (ax, ay), (bx, by) = some[:, 0].swapaxes(0, 1), some[:, 1].swapaxes(0, 1)
            with np.errstate(all="ignore"):
                at = ax + (y - ay) * (bx - ax) / (by - ay)
            crossed = ((ay > y) != (by > y)) & (x < at)
            inside ^= np.logical_xor.reduce(crossed, axis=0)
        return inside

    def curves(self, sheet: int, level: Level, t: float | None, box: Bounds) -> list[Curve]:
        return [Line(*self.sides[sheet])]

    def surface(self, sheet: int, n: int, rng: np.random.Generator | None) -> Rule | None:
        return None
