# SPDX-License-Identifier: MIT
"""A box as a domain among others: its faces as parts, tensor products of Gauss' rule."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lrfm.problem.algebra import Expr, number
from lrfm.problem.shapes.gauss import gauss, panels
from lrfm.problem.shapes.kinds import Sides
from lrfm.problem.shapes.protocol import BoundaryRule, Rule
from lrfm.problem.shapes.rules import Placed


@dataclass(frozen=True, eq=False)
class FacePart:
    """A face of a box: see `protocol.Part`."""

    name: str
    sides: Sides
    axis: int
    upper: bool

    @property
    def normal(self) -> tuple[Expr, ...]:
        sign = 1.0 if self.upper else -1.0
        return tuple(number(sign if i == self.axis else 0.0) for i in range(self.sides.dimension))

    def quadrature(
        self, n: int, rng: np.random.Generator | None = None, t: float | None = None
    ) -> BoundaryRule:
        rule = self.sides.surface(2 * self.axis + self.upper, n, rng)
        assert rule is not None  # a box has finite sides
        normals = np.zeros_like(rule.points)
        normals[:, self.axis] = 1.0 if self.upper else -1.0
        return BoundaryRule(*rule, normals)

    def measure(self, t: float | None = None) -> float:
        return float(np.prod(np.delete(self.sides.upper - self.sides.lower, self.axis)))


@dataclass(frozen=True, eq=False, kw_only=True)
class Tensor(Placed):
    """Π [lᵢ, uᵢ], Gauss along every axis; in two panels of random widths where there is a `rng`."""

    lower: np.ndarray
    upper: np.ndarray
    least: int = field(default=3)

    def own(self, n: int, rng: np.random.Generator | None) -> Rule:
        sizes = self.upper - self.lower
        spacing = (float(np.prod(sizes)) / n) ** (1 / len(sizes))
        counts = [max(self.least, round(float(size) / spacing)) for size in sizes]
        rules = [gauss(k) if rng is None else panels(k, rng.uniform(0.4, 0.6)) for k in counts]
        mesh = np.meshgrid(*(x for x, _ in rules), indexing="ij")
        weights = np.prod(np.meshgrid(*(w for _, w in rules), indexing="ij"), axis=0).ravel()
        points = self.lower + np.column_stack([m.ravel() for m in mesh]) * sizes
        return Rule(points, weights * float(np.prod(sizes)))
