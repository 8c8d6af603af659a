# SPDX-License-Identifier: MIT
"""A shape of the plane moved along a third axis: {(x, y, z) : (x, y) in the base, low < z < high}."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lrfm.problem.algebra import Expr
from lrfm.problem.shapes.curves import Curve
from lrfm.problem.shapes.gauss import gauss, panels
from lrfm.problem.shapes.kinds import Bounds
from lrfm.problem.shapes.levels import Level
from lrfm.problem.shapes.protocol import Rule

if TYPE_CHECKING:
    from lrfm.problem.shapes.parts import SheetPart
    from lrfm.problem.shapes.shape import Shape


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
