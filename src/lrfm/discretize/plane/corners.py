# SPDX-License-Identifier: MIT
"""Singular exponents at corners of the plane:  u = r^λ φ(θ),  0 < Re λ < 1,  what the highest derivatives of the equations and of the conditions allow with nothing given.

With  ∂ₓ(r^λ φ) = r^(λ−1) (λ cos θ φ − sin θ φ′)  and the like, equations and conditions are an eigenvalue problem in θ, quadratic in λ, which is solved by collocation at Chebyshev points, twice, with different
numbers of them: what both have is an exponent (Costabel, Dauge, Math. Nachr. 235, 2002). π/ω and π/(2ω) for lap u, the roots of sin²(λω) = λ² sin²ω for a flow between walls and a body with free sides,
others where one side is held. A pressure is eliminated by  p = −κ div u  with a large κ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lrfm.discretize.evolution import PLACES
from lrfm.discretize.line.collocation import _slopes
from lrfm.discretize.options import CORNERS, SCAN
from lrfm.problem import Jet, Row
from lrfm.problem.shapes.protocol import Corner

if TYPE_CHECKING:
    from lrfm.discretize.plane.layout import PartCondition, PlaneLayout

# A polynomial in λ of matrices, lowest power first.
Powers = list[np.ndarray]


def exponent(layout: PlaneLayout, corner: Corner) -> float:
    """The smallest Re λ below one; one where there is none."""
    some, other = (_Wedge(layout, corner, count).exponents() for count in CORNERS.points)
    found = [s for s in some if np.min(np.abs(other - s), initial=np.inf) < SCAN.same]
    return min((float(s.real) for s in found), default=1.0)


def jump(layout: PlaneLayout, corner: Corner) -> bool:
    """Whether the two sides give a field different values where they meet, at some time: u is bounded there, and a pressure like 1/r."""
    domain, times = layout.system.problem.domain, np.linspace(*layout.system.problem.time, PLACES)
    if domain.moving:
        return False
    for i in range(len(layout.system.fields)):
        pair = [layout.condition(part, i) for part in corner.parts]
        rows = [c.row for c in pair if c is not None and not c.flux and c.row.linear and len(c.row.jets) == 1]
        if len(rows) < 2:
            continue
        here = [_given(row, np.array([corner.point]), times) for row in rows]
        along = [
            _given(row, domain.parts[part].quadrature(PLACES).points, times)
            for row, part in zip(rows, corner.parts, strict=True)
        ]
        if np.max(np.abs(here[0] - here[1])) > SCAN.same * max(
            float(np.max(np.abs(v))) for v in (*along, *here)
        ):
            return True
    return False


def _given(row: Row, places: np.ndarray, times: np.ndarray) -> np.ndarray:
    """g of a condition u = g at places and times."""
    points = np.column_stack([np.repeat(places, len(times), axis=0), np.tile(times, len(places))])
    source, slopes = row.affine(points)
    (slope,) = slopes.values()
    return np.nan_to_num(-source / slope)


class _Wedge:
    """The highest derivatives at a corner on Chebyshev points of its angle."""

    def __init__(self, layout: PlaneLayout, corner: Corner, count: int):
        self.layout, self.corner, self.count = layout, corner, count
        system = layout.system
        self.at = np.array([[*corner.point, system.problem.time[0]]])
        self.moving = [i for i, c in enumerate(system.last) if layout.equations[i].diffusions]
        self.names = [system.fields[i] for i in self.moving]
        nodes = np.cos(np.pi * np.arange(count + 1) / count)[::-1]
        self.angle = corner.start + 0.5 * corner.angle * (1 + nodes)
        self.slope = _differentiation(nodes) * 2 / corner.angle

    def _raised(self, powers: Powers, axis: int, order: int) -> Powers:
        """∂ of r^(λ−order) g along an axis, without its power of r: (λ − order) c g + s g′."""
        along, across = (
            (np.cos(self.angle), -np.sin(self.angle))
            if axis == 0
            else (np.sin(self.angle), np.cos(self.angle))
        )
        result = [np.zeros_like(powers[0]) for _ in range(len(powers) + 1)]
        for k, matrix in enumerate(powers):
            result[k] += across[:, None] * (self.slope @ matrix) - order * along[:, None] * matrix
            result[k + 1] += along[:, None] * matrix
        return result

    def _derivative(self, index: Sequence[int]) -> Powers:
        """D^index of r^λ φ."""
        found: Powers = [np.eye(self.count + 1)]
        order = 0
        for axis in range(2):
            for _ in range(index[axis]):
                found, order = self._raised(found, axis, order), order + 1
        return found

    def _coefficient(self, row: Row, jet: Jet) -> float:
        slopes = _slopes(row, self.at, {other: np.ones(1) for other in row.jets})
        return float(np.broadcast_to(slopes[jet], 1)[0])

    def _highest(self, row: Row, order: int) -> list[tuple[str, tuple[int, int], float]]:
        """Derivatives of the highest order in a row, those of a pressure as −κ of its constraint: (field, index, coefficient)."""
        system, found = self.layout.system, []
        multipliers = {system.components[c][0]: system.last.index(c) for c in system.multipliers}
        for jet in row.jets:
            index = (int(jet.index[0]), int(jet.index[1]))
            number = self._coefficient(row, jet)
            if jet.whole in multipliers and sum(index) == order - 1:
                law, sense = system.equations[multipliers[jet.whole]], self._sense(jet.whole)
                for other in law.jets:
                    more = (index[0] + int(other.index[0]), index[1] + int(other.index[1]))
                    found.append(
                        (other.whole, more, -CORNERS.stiff * sense * number * self._coefficient(law, other))
                    )
            elif sum(index) == order:
                found.append((jet.whole, index, number))
        return found

    def _sense(self, name: str) -> float:
        """±1, so that −κ times the constraint is a pressure that resists, in units of the viscosity."""
        system = self.layout.system
        c = next(c for c in system.multipliers if system.components[c][0] == name)
        law = system.equations[system.last.index(c)]
        for i in self.moving:
            row = system.equations[i]
            for jet in row.jets:
                if jet.whole == name:
                    other = next(j for j in law.jets if j.whole == system.fields[i])
                    own = [k for k in row.jets if k.whole == system.fields[i] and max(k.index[:2]) == 2]
                    viscous = sum(self._coefficient(row, k) for k in own) / max(1, len(own))
                    both = self._coefficient(row, jet) * self._coefficient(law, other)
                    return -viscous / both
        return 1.0

    def _add_terms(self, target: Powers, terms, rows: np.ndarray, at: np.ndarray) -> None:
        """Adds terms at some points to rows of the matrices."""
        size = self.count + 1
        for name, index, number in terms:
            if name in self.names:
                columns = slice(self.names.index(name) * size, (self.names.index(name) + 1) * size)
                for k, matrix in enumerate(self._derivative(index)):
                    target[k][rows, columns] += number * matrix[at]

    def exponents(self) -> np.ndarray:
        """All λ with 0 < Re λ < 1."""
        size, fields = self.count + 1, len(self.moving)
        if not fields:
            return np.zeros(0)
        powers: Powers = [np.zeros((size * fields, size * fields)) for _ in range(3)]
        for n, i in enumerate(self.moving):
            inner = np.arange(1, size - 1)
            terms = self._highest(self.layout.system.equations[i], 2)
            self._add_terms(powers, terms, n * size + inner, inner)
            for end, part in ((0, self.corner.parts[0]), (size - 1, self.corner.parts[1])):
                condition = self.layout.condition(part, i)
                self._add_terms(
                    powers, self._condition(condition, i), np.array([n * size + end]), np.array([end])
                )
        # Rows of one size: those of a large κ would hide others.
        scale = np.maximum(sum(np.max(np.abs(m), axis=1) for m in powers), np.finfo(float).tiny)
        powers = [m / scale[:, None] for m in powers]
        one, zero = np.eye(size * fields), np.zeros((size * fields, size * fields))
        left = np.block([[zero, one], [-powers[0], -powers[1]]])
        right = np.block([[one, zero], [zero, powers[2]]])
        # λ = σ + 1/μ: those of rows without λ are μ = 0.
        try:
            near = np.linalg.eigvals(np.linalg.solve(left - CORNERS.beside * right, right))
        except np.linalg.LinAlgError:
            return np.zeros(0)  # a coefficient that vanishes there, or is no number
        found = CORNERS.beside + 1 / near[np.abs(near) > 1]
        size = np.real(found)
        return found[(size > SCAN.same) & (size < 1 - SCAN.same)]

    def _condition(self, condition: PartCondition | None, i: int) -> list[tuple[str, tuple[int, int], float]]:
        """What a condition says without what is given; a field of which nothing is said is held."""
        if condition is None or not condition.flux:
            return [(self.layout.system.fields[i], (0, 0), 1.0)]
        return self._highest(condition.row, 1)


def _differentiation(nodes: np.ndarray) -> np.ndarray:
    """D of values at Chebyshev points (Trefethen, Spectral Methods in MATLAB, 2000, ch. 6)."""
    n = len(nodes)
    c = np.where((np.arange(n) == 0) | (np.arange(n) == n - 1), 2.0, 1.0) * (-1.0) ** np.arange(n)
    gaps = nodes[:, None] - nodes + np.eye(n)
    found = c[:, None] / c / gaps
    return found - np.diag(np.sum(found, axis=1))
