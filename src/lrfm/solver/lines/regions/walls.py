# SPDX-License-Identifier: MIT
"""Layers that open at the start beside parts of the boundary whose conditions the data contradict.

u ~ Σ_j e^(−κ_j d(x)) c_j(x),   c_j smooth along the wall, d the distance from it.

Without layers √(Dt) wide is what diffusion has made of a gap after a time t. In terms of the transform in time each is e^(−√(s/D) d), around a hole
K_m(√(s/D) r) e^{imθ}; sums over rates κ that are spread evenly by their logarithms hold all of them at once, as wide as the domain and as thin as
the tolerance asks for: where slopes are contradicted a layer is as high as it is wide, its L² norm h^{3/2} during a time h², h^{5/2} in space and
time, so that h = tol^{2/5} would do.

Walls are parts that are flat, with the domain on one side, or round: holes and outer rims. Others have none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrfm.problem.shapes.protocol import Domain, Rule
from lrfm.spaces.regions.families import Decays, Inverted, Ridges, Singular

PROBES = 60  # points of a part that say what it is
EXACT = 1e-9  # how flat or round it has to be, relative to the domain
WIDE, ACROSS = 5.0, 0.25  # the widest layer: radii of a hole, or this part of the narrow side of the domain
THIN, FLAT = (
    0.5,
    0.4,
)  # powers of the tolerance; beside flat walls points are not dense enough for thinner ones
SAME = 3  # every third function does not vary along its wall
RING, MOST = 0.45, 3.0  # width of the ring around a hole: part of the gap to the next part, and in radii
ACROSS_RING, AROUND = (
    14,
    24,
)  # points of a ring, at least: all layers are integrated, whatever their number is,
PART = 0.2  # or of all points, which the rings share


@dataclass(frozen=True)
class Wall:
    """A flat or round part: a point of it or its center, its normal, its signed radius as in `Decays`, and ends of rates."""

    point: np.ndarray
    normal: np.ndarray
    radius: float
    slowest: float
    fastest: float

    @property
    def hole(self) -> bool:
        """Whether the domain is around it."""
        return self.radius > 0


def walls_of(domain: Domain, names: Iterable[str], tol: float) -> tuple[Wall, ...]:
    """Those parts of a domain that are flat or round."""
    if domain.dimension < 2:
        return ()
    inside = domain.quadrature(4 * PROBES)[0]
    found = (_wall(domain, name, inside, tol) for name in names)
    return tuple(wall for wall in found if wall is not None)


def _wall(domain: Domain, name: str, inside: np.ndarray, tol: float) -> Wall | None:
    points, _, normals = domain.parts[name].quadrature(PROBES)
    extent = domain.upper - domain.lower
    size, wide = float(np.max(extent)), ACROSS * float(np.min(extent))
    if len(points) < 2:
        return None
    if np.max(np.abs(normals - normals[0])) < EXACT:
        if np.max((inside - points[0]) @ normals[0]) > EXACT * size:
            return None  # the domain is on both sides: what decays on one of them grows on the other
        return Wall(points[0], normals[0], 0.0, *_rates(wide, tol**FLAT))
    # (x − c)·(x − c) = ρ² is linear in c and ρ² − c·c.
    rows = np.column_stack([2 * points, np.ones(len(points))])
    solved = np.linalg.lstsq(rows, np.sum(points**2, axis=1), rcond=None)[0]
    center = solved[:-1]
    radii = np.linalg.norm(points - center, axis=1)
    if np.ptp(radii) > EXACT * size:
        return None
    radius = float(np.mean(radii))
    outward = float(np.mean(np.sum((points - center) * normals, axis=1))) > 0
    if not outward and bool(np.asarray(domain.contains(center[None]))[0]):
        return None
    if outward and np.max(np.linalg.norm(inside - center, axis=1)) > radius * (1 + EXACT):
        return None
    widest = wide if outward else min(WIDE * radius, wide)
    return Wall(
        center,
        np.zeros(len(center)),
        -radius if outward else radius,
        *_rates(widest, tol ** (FLAT if outward else THIN)),
    )


def _rates(wide: float, part: float) -> tuple[float, float]:
    """The rates of the widest layer, and of one that has a part of its width."""
    return 1.0 / wide, 1.0 / (wide * part)


def draw_wall(wall: Wall, smooth: Ridges | Inverted, rng: np.random.Generator) -> Singular:
    """Rates that are spread evenly by their logarithms, each times a smooth function or a constant."""
    count = smooth.size
    share = (np.arange(count) + rng.random(count)) / count
    rates = wall.slowest * (wall.fastest / wall.slowest) ** share
    smooth.weights[::SAME], smooth.biases[::SAME] = 0.0, 1.0
    return Singular(Decays(wall.point, wall.normal, wall.radius, rates), smooth)


# Points -----------------------------------------------------------------------------------------------------


class RingedPoints:
    """Rules with rings around holes, denser towards them: r = ρ + (R − ρ) s², and the rule of the domain for the rest."""

    def __init__(self, domain: Domain, walls: Iterable[Wall]):
        from lrfm.problem.shapes.known import Disk  # all shapes, which a box has no use for

        holes = [wall for wall in walls if wall.hole]
        points = np.concatenate([part.quadrature(4 * PROBES).points for part in domain.parts.values()])
        self._rings: list[tuple[np.ndarray, float, float]] = []
        self._known: dict[int, Rule] = {}
        self._rest: Any = domain  # with holes it is a shape, from which others can be taken
        for wall in holes if domain.dimension == 2 else ():
            away = np.linalg.norm(points - wall.point, axis=1) - wall.radius
            gap = float(np.min(away[away > 1e-6 * wall.radius], initial=np.inf))
            outer = wall.radius + min(RING * gap, MOST * wall.radius)
            self._rings.append((wall.point, wall.radius, outer))
            self._rest = self._rest - Disk(center=wall.point.tolist(), radius=outer, axes=domain.names)

    def __call__(self, n: int) -> Rule:
        """About n points inside and their weights."""
        if n not in self._known:
            self._known[n] = self._made(n)
        return self._known[n]

    def _made(self, n: int) -> Rule:
        if not self._rings:
            return Rule(*self._rest.quadrature(n)[:2])
        more = max(1.0, PART * n / len(self._rings) / (ACROSS_RING * AROUND)) ** 0.5
        across, around = round(more * ACROSS_RING), round(more * AROUND)
        s, ws = np.polynomial.legendre.leggauss(across)
        s, ws = 0.5 * (s + 1), 0.5 * ws
        angles = 2 * np.pi * np.arange(around) / around
        turn = np.column_stack([np.cos(angles), np.sin(angles)])
        rest = self._rest.quadrature(round((1 - PART) * n))
        points, weights = [rest.points], [rest.weights]
        for center, inner, outer in self._rings:
            r, wr = inner + (outer - inner) * s**2, 2 * (outer - inner) * s * ws
            points.append((center + r[:, None, None] * turn).reshape(-1, 2))
            weights.append(np.repeat(wr * r * 2 * np.pi / around, around))
        return Rule(np.concatenate(points), np.concatenate(weights))
