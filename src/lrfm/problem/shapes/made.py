# SPDX-License-Identifier: MIT
"""Shapes made of vertices or of other shapes: polygons, prisms, cylinders.

A closed line is checked: finite, long enough, without crossing itself; its sense. A shape of the plane moved along a third axis is {(x, y, z) : (x, y) in the base, low < z < high}.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lrfm.problem.algebra import Expr
from lrfm.problem.calls import naming
from lrfm.problem.domain import axis_names, interval
from lrfm.problem.errors import ProblemError, counted, shown
from lrfm.problem.shapes.curves import Curve
from lrfm.problem.shapes.gauss import gauss, panels
from lrfm.problem.shapes.kinds import Bounds, Polygonal
from lrfm.problem.shapes.known import PLANE, Disk, Numbers, record_of
from lrfm.problem.shapes.levels import Level
from lrfm.problem.shapes.protocol import Rule
from lrfm.problem.shapes.rules import Stacked
from lrfm.problem.shapes.shape import Shape
from lrfm.problem.shapes.tree import Simple

if TYPE_CHECKING:
    from lrfm.problem.shapes.parts import SheetPart


@naming
class Polygon(Shape):
    """The inside of a closed line through `vertices`, without the `holes` in it, which are lists of vertices, too.

    Parameters
    ----------
    vertices
        (x, y) of each corner, in either sense, the first not repeated.
    holes
        Polygons inside that are left out; their sides are called ``hole1.side1`` and so on.
    names
        One name per side, the first for the side from the first vertex to the second; without them ``side1``, ``side2``, …
    name
        Stands before the names of the sides, with a dot.
    axes
        Names of the two coordinates.

    Examples
    --------
    >>> import lrfm
    >>> house = lrfm.Polygon([(0, 0), (1, 0), (1, 2)], names=["floor", "wall", "roof"])
    >>> round(house.measure(), 12), list(house.parts)
    (1.0, ['floor', 'wall', 'roof'])
    >>> [round(float(corner.angle), 4) for corner in house.corners]
    [1.5708, 0.4636, 1.1071]
    """

    def __init__(
        self,
        vertices: Sequence[Numbers],
        *,
        holes: Sequence[Sequence[Numbers]] = (),
        names: Sequence[str] | None = None,
        name: str | None = None,
        axes: Sequence[str] = PLANE,
    ):
        axis = axis_names(axes, 2)
        outer = check_ring("The polygon", vertices)
        inner = [check_ring(f"Hole {k}", hole) for k, hole in enumerate(holes, 1)]
        for k, hole in enumerate(inner, 1):
            inside_of(outer, hole, f"Hole {k}")
        given = [f"side{k}" for k in range(1, len(outer) + 1)] if names is None else list(names)
        if len(given) != len(outer) or not all(isinstance(n, str) and n for n in given):
            raise ProblemError(
                f"`names` has {counted(len(given), 'name')} for {counted(len(outer), 'side')} of the polygon; give a text for each."
            )
        ring, given = oriented(outer, given, True)
        rings, labels = [ring], list(given)
        for k, hole in enumerate(inner, 1):
            ring, own = oriented(hole, [f"hole{k}.side{j}" for j in range(1, len(hole) + 1)], False)
            rings.append(ring)
            labels += own
        kind = Polygonal(tuple(rings), tuple(labels))
        record = record_of("Polygon", name, axis, PLANE, vertices=outer.tolist())
        record |= {"holes": [hole.tolist() for hole in inner]} if inner else {}
        record |= {} if names is None else {"names": list(names)}
        super().__init__(Simple(kind, axis, name, np.eye(2), np.zeros(2)), axis, record)


@naming
class Prism(Shape):
    """A shape of the plane, moved along a third axis: ``Prism(base, z=(0, 1))``; its parts are those of the base, ``z-`` and ``z+``.

    Examples
    --------
    >>> import lrfm
    >>> column = lrfm.Prism(lrfm.Disk(name="wall"), z=(0, 2))
    >>> list(column.parts), round(column.measure(), 8)
    (['wall', 'z-', 'z+'], 6.28318531)
    """

    def __init__(self, base: Any, *, name: str | None = None, **axis: tuple[float, float]):
        if not hasattr(base, "shape") or base.dimension != 2:
            raise ProblemError(f"`Prism` was given {shown(base)}; its base is a shape with two axes.")
        if len(axis) != 1:
            raise ProblemError("`Prism` takes one further axis, such as `Prism(base, z=(0, 1))`.")
        flat = base.shape
        ((along, ends),) = axis.items()
        low, high = interval(f"The axis `{along}`", ends)
        names = axis_names((*flat.names, along), 3)
        record = {"shape": "Prism", "base": flat.record, along: [low, high]}
        record |= {} if name is None else {"name": name}
        kind = Upright(flat, low, high, 2, along)
        rule = Stacked(
            matrix=np.eye(3),
            offset=np.zeros(3),
            base=flat,
            low=low,
            high=high,
            axis=2,
            width=np.sqrt(flat.measure()),
        )
        super().__init__(Simple(kind, names, name, np.eye(3), np.zeros(3)), names, record, rule=rule)


@naming
class Cylinder(Prism):
    """A round column: ``Cylinder(radius=1, z=(0, 2))``; its parts are ``wall``, ``z-`` and ``z+``.

    Examples
    --------
    >>> import lrfm
    >>> list(lrfm.Cylinder(radius=1, z=(0, 2)).parts)
    ['wall', 'z-', 'z+']
    """

    def __init__(
        self,
        *,
        radius: float = 1.0,
        center: Numbers = (0, 0),
        name: str | None = None,
        axes: Sequence[str] = PLANE,
        **axis: tuple[float, float],
    ):
        base = Disk(center=center, radius=radius, name="wall", axes=axes)
        super().__init__(base, name=name, **axis)
        ((along, ends),) = axis.items()
        own = {
            "center": base.record["center"],
            "radius": base.record["radius"],
            along: list(map(float, ends)),
        }
        self.record = record_of("Cylinder", name, axes, PLANE, **own)


MOST = 2000  # vertices of one polygon


def check_ring(what: str, vertices: object) -> np.ndarray:
    """Vertices as an array (n, 2), or what is wrong with them."""
    try:
        ring = np.asarray(vertices, dtype=float)
    except (TypeError, ValueError, OverflowError):
        ring = np.zeros((0, 2))
    if ring.ndim != 2 or ring.shape[1] != 2 or len(ring) < 3 or not np.all(np.isfinite(ring)):
        raise ProblemError(
            f"{what} was given as {shown(vertices)}; expected at least three vertices (x, y) of finite numbers."
        )
    if len(ring) > MOST:
        raise ProblemError(f"{what} has {len(ring)} vertices; the limit is {MOST}. Simplify it first.")
    if np.array_equal(ring[0], ring[-1]):
        ring = ring[:-1]
    sides = np.linalg.norm(np.roll(ring, -1, axis=0) - ring, axis=1)
    if sides.min() <= 1e-12 * sides.max():
        k = int(np.argmin(sides))
        raise ProblemError(
            f"{what} has a side of no length, from vertex {k + 1} to {(k + 1) % len(ring) + 1}; leave one of them out."
        )
    _refuse_crossing(what, ring)
    return ring


def _refuse_crossing(what: str, ring: np.ndarray) -> None:
    n, after = len(ring), np.roll(ring, -1, axis=0)
    for i in range(n):
        a, b = ring[i], after[i]
        others = [j for j in range(i + 1, n) if (j + 1) % n != i and j != i + 1]
        if not others:
            continue
        c, d = ring[others], after[others]
        crossed = (_side(a, b, c) * _side(a, b, d) <= 0) & (_side(c, d, a) * _side(c, d, b) <= 0)
        # Sides of one line cross only where they overlap.
        flat = (_side(a, b, c) == 0) & (_side(a, b, d) == 0)
        ends = np.stack([(c - a) @ (b - a), (d - a) @ (b - a)]) / float((b - a) @ (b - a))
        crossed &= ~flat | ((ends.min(axis=0) < 1) & (ends.max(axis=0) > 0))
        if crossed.any():
            j = others[int(np.argmax(crossed))]
            raise ProblemError(
                f"{what} crosses itself: its sides {i + 1} and {j + 1} meet. Order its vertices along the boundary."
            )
    if abs(_area(ring)) <= 1e-12 * float(np.prod(np.ptp(ring, axis=0) + 1e-300)):
        raise ProblemError(f"{what} has no area; its vertices lie on one line.")


def _side(a: np.ndarray, b: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Which side of the line from a to b a point is on."""
    d, e = b - a, p - a
    return d[..., 0] * e[..., 1] - d[..., 1] * e[..., 0]


def _area(ring: np.ndarray) -> float:
    x, y = ring.T
    return float(0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def oriented(ring: np.ndarray, names: Sequence[str], positive: bool) -> tuple[np.ndarray, list[str]]:
    """The same line in the wanted sense, with the names of its sides in the new order."""
    if (_area(ring) > 0) == positive:
        return ring, list(names)
    # Side k runs from vertex k to k + 1; backwards the sides come in the opposite order, the last one last.
    return ring[::-1], [*list(names[:-1])[::-1], names[-1]]


def inside_of(outer: np.ndarray, hole: np.ndarray, what: str) -> None:
    """Refuse a hole that is not inside."""
    after = np.roll(outer, -1, axis=0)
    for p, q in zip(hole, np.roll(hole, -1, axis=0), strict=True):
        spans = (outer[:, 1] > p[1]) != (after[:, 1] > p[1])
        with np.errstate(all="ignore"):
            at = outer[:, 0] + (p[1] - outer[:, 1]) * (after - outer)[:, 0] / (after - outer)[:, 1]
        crossed = (_side(outer, after, p) * _side(outer, after, q) <= 0) & (
            _side(p, q, outer) * _side(p, q, after) <= 0
        )
        if np.count_nonzero(spans & (p[0] < at)) % 2 == 0 or crossed.any():
            raise ProblemError(f"{what} is not inside the polygon; it would have to be, as a whole.")


@dataclass(frozen=True, eq=False)
class Upright:
    """A base times an interval of the axis with the number `axis`."""

    base: Shape
    low: float
    high: float
    axis: int
    axis_name: str
    dimension: int = 3
    meet_at_ends = False

    @cached_property
    def _walls(self) -> list[tuple[str, SheetPart]]:
        return list(self.base.parts.items())

    @property
    def sheets(self) -> tuple[str, ...]:
        return (*(name for name, _ in self._walls), f"{self.axis_name}-", f"{self.axis_name}+")

    @property
    def bounds(self) -> Bounds:
        ends = ((self.base.lower, self.low), (self.base.upper, self.high))
        low, high = (np.insert(flat, self.axis, end) for flat, end in ends)
        return low, high

    def formula(self, sheet: int, at: Sequence[Expr]) -> Expr:
        if sheet >= len(self._walls):
            upper = sheet - len(self._walls)
            return at[self.axis] - self.high if upper else self.low - at[self.axis]
        wall = self._walls[sheet][1].sheet
        flat = [x for i, x in enumerate(at) if i != self.axis]
        return wall.sign * wall.simple.kind.formula(wall.number, wall.simple.own(flat))

    def inside(self, points: np.ndarray) -> np.ndarray | None:
        flat, z = np.delete(points, self.axis, axis=1), points[:, self.axis]
        return self.base.tree.inside(flat, None) & (z >= self.low) & (z <= self.high)

    def curves(self, sheet: int, level: Level, t: float | None, box: Bounds) -> list[Curve]:
        return []

    def surface(self, sheet: int, n: int, rng: np.random.Generator | None) -> Rule | None:
        height = self.high - self.low
        if sheet >= len(self._walls):
            points, weights = self.base.quadrature(max(9, n), rng)
            end = self.high if sheet > len(self._walls) else self.low
            return Rule(np.insert(points, self.axis, end, axis=1), weights)
        part = self._walls[sheet][1]
        spacing = np.sqrt(part.measure() * height / n)
        layers = max(4, round(height / spacing))
        z, w = gauss(layers) if rng is None else panels(layers, rng.uniform(0.4, 0.6))
        points, weights, _ = part.quadrature(max(4, round(n / layers)), rng)
        stacked = np.insert(
            np.tile(points, (layers, 1)), self.axis, np.repeat(self.low + height * z, len(points)), axis=1
        )
        return Rule(stacked, np.outer(height * w, weights).ravel())
