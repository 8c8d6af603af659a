# SPDX-License-Identifier: MIT
"""Velocities and a pressure of a box without a matrix:  F z + s G q = f,  D z = g  nearly solved by

    q = S⁻¹(D F̃⁻¹f − g),    z = F̃⁻¹(f − s G q),        S⁻¹ = E⁻¹/s − ν,    E = D ρ⁻¹G,

F = ρ + s(−νΔ + …), F̃ the separable operator next to it (Cahouet, Chabard, Int. J. Numer. Methods Fluids 8, 1988). S⁻¹ is right where s is small and where it is large, whatever the number of modes is.

Between walls E is separable: along an axis a, D G is X_a of the velocity whose derivative along it is taken and Y_a of the others, E = Σ_a X_a ⊗ Π_{b≠a} Y_b, solved by the eigenvectors of Y_a⁻¹X_a (Couzy, Deville, J. Comput. Phys. 116, 1995). In space and with different
conditions of the velocities Y_a is a mean of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lrfm.discretize.box.operator import BoxOperator, Slope
from lrfm.discretize.box.separable import Separable
from lrfm.discretize.options import ROUNDING
from lrfm.spaces.series.polynomials import along


class Pair(NamedTuple):
    """d ∂u/∂x_a of the constraint and g ∂p/∂x_a of the equation of u."""

    axis: int
    down: Slope
    up: Slope


class Saddle:
    """A(s)⁻¹ nearly, of a statement with one pressure."""

    def __init__(self, operator: BoxOperator):
        made = operator.made
        self.operator, self.made = operator, made
        self.pressure = next(i for i in range(made.fields) if made.tests.multiplier(i))
        self.others = [i for i in range(made.fields) if i != self.pressure]
        self.near = Separable(operator, self.others)
        axes = range(made.mesh.dimension)
        self._held = (self.pressure, *(slice(0, made.tests.inner(self.pressure, a)) for a in axes))
        self._absent = made.tests.absent[self._held]
        self.pairs = [self._pair(down) for down in operator.parts[self.pressure].slopes]
        self._into, self._back, self._inverse = self._diagonalized()

    def _pair(self, down: Slope) -> Pair:
        slopes = self.operator.parts[down.field].slopes
        up = next(s for s in slopes if s.field == self.pressure)
        return Pair(down.orders.index(1), down, up)

    def _mean_coefficient(self, field: int, order: int, power: int) -> float:
        """The mean of what stands before the derivatives of this order of a velocity in its own equation, over all axes."""
        slopes = self.operator.parts[field].slopes
        found = [
            float(np.mean(s.values))
            for s in slopes
            if (s.field, s.power, sum(s.orders), max(s.orders)) == (field, power, order, order)
        ]
        return sum(found) / len(found) if found else 0.0

    @cached_property
    def viscosity(self) -> float:
        """ν, over the numbers of D and G."""
        found = [
            -self._mean_coefficient(p.down.field, 2, 1) / float(p.down.values * p.up.values)
            for p in self.pairs
        ]
        return sum(found) / len(found)

    def _factors(self, pair: Pair) -> list[np.ndarray]:
        """D G along each axis, by one velocity."""
        made, tests, i = self.made, self.made.tests, pair.down.field
        found = []
        for a in range(made.mesh.dimension):
            n, m = tests.inner(i, a), tests.inner(self.pressure, a)
            down = made.tested(tests.patches[self.pressure], a, pair.down.orders[a])
            up = made.tested(tests.patches[i], a, pair.up.orders[a])[:, :m]
            found.append(down @ tests.returned(i, a)[:, :n] @ up)
        found[pair.axis] = (
            found[pair.axis] * float(pair.down.values * pair.up.values) / self._mean_coefficient(i, 0, 0)
        )
        return found

    def _diagonalized(self) -> tuple[list[np.ndarray], list[np.ndarray], np.ndarray]:
        """V⁻¹Y⁻¹ and V of each axis, and 1/Σλ, zero where a pressure is not felt."""
        factors = {pair.axis: self._factors(pair) for pair in self.pairs}
        axes, into, back, total = range(self.made.mesh.dimension), [], [], np.zeros(())
        for a in axes:
            others = [own[a] for b, own in factors.items() if b != a]
            x, y = factors[a][a], sum(others[1:], start=others[0]) / len(others)
            # The imaginary part of a mean is no function.
            y = y + np.diag(1.0 * ~np.any(y, axis=1))
            values, vectors = np.linalg.eig(np.linalg.solve(y, x))
            into.append(np.linalg.inv(y @ vectors))
            back.append(vectors)
            total = total + values.reshape([-1 if b == a else 1 for b in axes])
        none = np.abs(total) <= ROUNDING.zero * np.max(np.abs(total))
        return into, back, np.where(none, 0.0, 1 / np.where(none, 1.0, total))

    def _poisson(self, right: np.ndarray) -> np.ndarray:
        """E⁻¹."""
        real = not np.iscomplexobj(right)
        for a, own in enumerate(self._into):
            right = along(own, right, a)
        right = self._inverse * right
        for a, own in enumerate(self._back):
            right = along(own, right, a)
        return np.real(right) if real else right

    def divergence(self, x: np.ndarray) -> np.ndarray:
        """D x, without rows that say nothing."""
        part = self.operator.parts[self.pressure]
        total = np.zeros(self._absent.shape, dtype=x.dtype)
        for s in part.slopes:
            total += s.values * self.operator._tested(part.patch, s, x)
        return np.where(self._absent, 0.0, total)

    def gradient(self, x: np.ndarray) -> np.ndarray:
        """G of the pressure of x, (fields, *sizes)."""
        found = np.zeros(x.shape, dtype=x.dtype)
        for pair in self.pairs:
            patch = self.made.tests.patches[pair.down.field]
            own = pair.up.values * self.operator._tested(patch, pair.up, x)
            found[(pair.down.field, *patch.target)] = own
        return found

    def solve(
        self, right: np.ndarray, weights: Sequence[complex], force: complex | None = None
    ) -> np.ndarray:
        """Coefficients (fields, *sizes) from rows; G is multiplied by `force`, which is s."""
        s, absent = weights[1], self.made.tests.absent
        force = s if force is None else force
        found = self.near.solve(right, weights)
        q = np.zeros(found.shape, dtype=found.dtype)
        left = self.divergence(found) - np.where(self._absent, 0.0, right[self._held])
        own = (self._poisson(left) - s * self.viscosity * left) / force
        q[self._held] = np.where(self._absent, 0.0, own)
        found = found - self.near.solve(force * self.gradient(q), weights) + q
        found[absent] = right[absent]
        return found
