# SPDX-License-Identifier: MIT
"""Rules of their own for round shapes: polar coordinates, Gauss in r, equidistant angles, moved by x ↦ Mx + b.

∫ f = ∫∫ f r dr dθ,     ∫ f = ∫∫∫ f r² dr dz dθ   (z the cosine of the latitude)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from lrfm.problem.shapes.gauss import gauss, panels
from lrfm.problem.shapes.kinds import sphere, turned
from lrfm.problem.shapes.protocol import Rule


class OwnRule(Protocol):
    """A rule that knows its shape."""

    def __call__(self, n: int, rng: np.random.Generator | None) -> Rule: ...

    def placed(self, matrix: np.ndarray, offset: np.ndarray) -> OwnRule: ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Placed:
    """A rule in coordinates of its own, `own`, moved to its place."""

    matrix: np.ndarray
    offset: np.ndarray

    def placed(self, matrix: np.ndarray, offset: np.ndarray) -> OwnRule:
        return replace(self, matrix=matrix @ self.matrix, offset=matrix @ self.offset + offset)

    def __call__(self, n: int, rng: np.random.Generator | None) -> Rule:
        points, weights = self.own(n, rng)
        return Rule(points @ self.matrix.T + self.offset, weights * abs(np.linalg.det(self.matrix)))

    def own(self, n: int, rng: np.random.Generator | None) -> Rule:
        raise NotImplementedError


@dataclass(frozen=True, eq=False, kw_only=True)
class Polar(Placed):
    """inner < r < 1 and, unless it is whole, first < θ < last."""

    inner: float = 0.0
    first: float = 0.0
    last: float = 2 * np.pi

    def own(self, n: int, rng: np.random.Generator | None) -> Rule:
        whole = self.last - self.first >= 2 * np.pi * (1 - 1e-12)
        # As far from each other along the rim as in the middle of a radius, where Gauss' nodes are π/2 times wider.
        aspect = (self.last - self.first) / (np.pi / 2 * (1 - self.inner)) * (1.0 if whole else np.pi / 2)
        radii = max(3, round(np.sqrt(n / aspect)))
        angles = max(3, round(n / radii))
        r, w = gauss(radii)
        r, w = self.inner + (1 - self.inner) * r, (1 - self.inner) * w
        if whole:
            theta = 2 * np.pi * (np.arange(angles) + (0.5 if rng is None else rng.random())) / angles
            v = np.full(angles, 2 * np.pi / angles)
        else:
            s, v = gauss(angles) if rng is None else panels(angles, rng.uniform(0.4, 0.6))
            theta, v = self.first + (self.last - self.first) * s, (self.last - self.first) * v
        points = np.column_stack([np.outer(r, np.cos(theta)).ravel(), np.outer(r, np.sin(theta)).ravel()])
        return Rule(points, np.outer(w * r, v).ravel())


@dataclass(frozen=True, eq=False, kw_only=True)
class Spherical(Placed):
    """r < 1 in space, turned at random where there is a `rng`."""

    def own(self, n: int, rng: np.random.Generator | None) -> Rule:
        radii = max(3, round((n / 8) ** (1 / 3) * 1.2))
        r, w = gauss(radii)
        on = turned(sphere(max(8, round(n / radii))), rng)
        points = (r[:, None, None] * on.points).reshape(-1, 3)
        return Rule(points, np.outer(w * r**2, on.weights).ravel())


@dataclass(frozen=True, eq=False, kw_only=True)
class Stacked(Placed):
    """A rule in the plane times Gauss along a third axis, whose number is `axis`."""

    base: object
    low: float
    high: float
    axis: int
    width: float

    def own(self, n: int, rng: np.random.Generator | None) -> Rule:
        spacing = (self.width**2 * (self.high - self.low) / n) ** (1 / 3)
        layers = max(3, round((self.high - self.low) / spacing))
        z, w = gauss(layers) if rng is None else panels(layers, rng.uniform(0.4, 0.6))
        points, weights = self.base.quadrature(max(9, round(n / layers)), rng)  # pyright: ignore
        z = self.low + (self.high - self.low) * z
        stacked = np.insert(np.tile(points, (len(z), 1)), self.axis, np.repeat(z, len(points)), axis=1)
        return Rule(stacked, np.outer((self.high - self.low) * w, weights).ravel())
