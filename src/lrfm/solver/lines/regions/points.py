# SPDX-License-Identifier: MIT
"""Quadrature inside a domain: a fan over its boundary where one point sees all of it, else the domain's own rule.

A base times an interval has its own rule, too: rays that end beside an edge see two smooth functions where a product sees one.

x = c + s (γ − c),   ∫_Ω f dx = ∫_Γ (γ − c)·n ∫₀¹ f(x) sᵈ⁻¹ ds dγ:   as accurate as the rule on the boundary and Gauss' in s are.

Where a corner sees everything it is the center, and s = σ³ puts points close to it; where layers open at the boundary, 1 − s = (1 − σ)².
"""

from __future__ import annotations

import numpy as np

from lrfm.problem.shapes.gauss import shares
from lrfm.problem.shapes.protocol import Domain, layers_of

PROBES = 300  # points on one part from which a center is looked for
SEEN = 0.02  # least height of a center above the tangents, relative to the size of the domain
ASPECT = 4.0  # points along the boundary of a disc for one along its radius
TOWARDS = 3  # power of s at a corner
GRADE = 2  # power of 1 − s at the boundary, where layers are integrated

Rule = tuple[np.ndarray, np.ndarray]


class Points:
    """Rules of about n points, each made once; `graded` ones are denser towards the boundary, where they are fans."""

    def __init__(self, domain: Domain, graded: bool = False):
        self.domain, self.graded = domain, graded
        self._known: dict[int, Rule] = {}
        self.measures = {name: part.measure() for name, part in domain.parts.items()}
        self.volume = domain.measure()
        self.stacked = bool(getattr(domain, "stacked", False))
        fan = domain.dimension > 1 and not self.stacked
        self.center, self.power = _center(domain, self.volume) if fan else (None, 1)

    def __call__(self, n: int) -> Rule:
        """About n points inside and their weights."""
        if n not in self._known:
            self._known[n] = (
                self.domain.quadrature(n)[:2] if self.center is None else self._fan(n, self.center)
            )
        return self._known[n]

    def _fan(self, n: int, center: np.ndarray) -> Rule:
        """Points on rays from a center to points of the boundary."""
        dimension, domain = self.domain.dimension, self.domain
        measures = self.measures
        whole, volume = sum(measures.values()), self.volume
        # Longer boundaries than that of a disc of the same area have more detail along them.
        round_one = 2 * np.sqrt(np.pi * volume) if dimension == 2 else (36 * np.pi * volume**2) ** (1 / 3)
        aspect = ASPECT * max(1.0, whole / round_one) ** 3
        radial = max(4, round((n / aspect) ** 0.5 if dimension == 2 else (n / aspect) ** (1 / 3)))
        around = n / radial
        s, ws = np.polynomial.legendre.leggauss(radial)
        s, ws = 0.5 * (s + 1), 0.5 * ws
        if self.graded:
            ws, s = GRADE * ws * (1 - s) ** (GRADE - 1), 1 - (1 - s) ** GRADE
        ws, s = ws * self.power * s ** (self.power - 1), s**self.power
        points, weights = [], []
        for name, part in domain.parts.items():
            gamma, wg, normals = part.quadrature(max(8, round(around * measures[name] / whole)))
            arms = gamma - center
            height = np.sum(arms * normals, axis=1)
            kept = height > 1e-12 * np.max(np.abs(arms))
            points.append((center + s[:, None, None] * arms[kept]).reshape(-1, dimension))
            weights.append((ws * s ** (dimension - 1))[:, None] * (wg * height)[kept])
        return np.concatenate(points), np.concatenate([w.ravel() for w in weights])


class LayeredPoints:
    """Rules of about n points in all layers of a domain, by their shares in it; in a domain of one layer those of `Points`."""

    def __init__(self, domain: Domain, graded: bool = False):
        self._layers = [Points(layer, graded) for layer in layers_of(domain).values()]
        self.measures = {name: part.measure() for name, part in domain.parts.items()}

    @property
    def stacked(self) -> bool:
        """Whether a rule is a product of two."""
        return any(points.stacked for points in self._layers)

    def __call__(self, n: int) -> Rule:
        """About n points inside and their weights."""
        counts = shares(n, np.array([points.volume for points in self._layers]), n // len(self._layers))
        rules = [points(count) for points, count in zip(self._layers, counts, strict=True)]
        return np.concatenate([p for p, _ in rules]), np.concatenate([w for _, w in rules])


def _center(domain: Domain, volume: float) -> tuple[np.ndarray | None, int]:
    """A point from which a ray meets the boundary once, and the power of s: 1, or more where it is a corner."""
    rules = [part.quadrature(PROBES) for part in domain.parts.values()]
    points, normals = np.concatenate([r[0] for r in rules]), np.concatenate([r[2] for r in rules])
    size = float(np.max(domain.upper - domain.lower))
    sharp = [c for c in getattr(domain, "corners", ()) if c.reentrant]
    if len(sharp) == 1:
        heights = np.sum((points - sharp[0].point) * normals, axis=1)
        if np.min(heights) > -1e-9 * size:
            return np.asarray(sharp[0].point), TOWARDS
    from scipy.optimize import linprog  # large to import, and boxes have no use for it

    # The largest t with (x − c)·n ≥ t for all points of the boundary: a linear program in c and t.
    dimension = points.shape[1]
    rows = np.column_stack([normals, np.ones(len(points))])
    found = linprog(
        np.r_[np.zeros(dimension), -1.0],
        A_ub=rows,
        b_ub=np.sum(points * normals, axis=1),
        bounds=[(None, None)] * (dimension + 1),
    )
    if found.status != 0 or found.x[-1] < SEEN * size:
        return None, 1
    center = found.x[:-1]
    return (center, 1) if _agrees(volume, center, rules) else (None, 1)


def _agrees(volume: float, center: np.ndarray, rules: list) -> bool:
    """Whether the fan has the measure of the domain: it has not where parts hide each other."""
    cone = sum(float(np.sum(w * np.sum((x - center) * n, axis=1))) for x, w, n in rules) / len(center)
    return bool(abs(cone - volume) < 1e-2 * abs(cone))
