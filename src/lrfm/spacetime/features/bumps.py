# SPDX-License-Identifier: MIT
"""Spatial factors: functions of one axis that multiply every feature of a patch.

A factor sees the same offsets y as the core. It knows where it is not zero, and its derivatives there.

    support(coordinates) -> (points,) of bool
    jets(coordinates, orders) -> {order: (points,) or float}

Orders are in space only; an order that is absent from the answer is identically zero.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import comb, factorial
from typing import Protocol

import numpy as np

from lrfm.spaces.orders import MultiIndex
from lrfm.spacetime.features.orders import below, binomial, downset, minus

FactorJets = dict[MultiIndex, np.ndarray | float]

_UNDERFLOW = -700.0  # exp of less is zero in double precision, and its derivatives are then set to zero too


class Factor(Protocol):
    """What a patch needs to know of a spatial factor."""

    def support(self, coordinates: Sequence[np.ndarray]) -> np.ndarray:
        """Where the factor is not zero."""
        ...

    def jets(self, coordinates: Sequence[np.ndarray], orders: Iterable[MultiIndex]) -> FactorJets:
        """Its derivatives."""
        ...


def product_jets(
    factors: Sequence[Factor], coordinates: Sequence[np.ndarray], orders: Iterable[MultiIndex]
) -> FactorJets:
    """Dᵃ(F G ⋯) by the Leibniz rule, for all orders and everything below them. No factors: the constant 1."""
    orders = sorted(downset(orders))

    def multiply(first: FactorJets, second: FactorJets) -> FactorJets:
        result = {}
        for a in orders:
            terms = [
                binomial(a, b) * first[b] * second[minus(a, b)]
                for b in below(a)
                if b in first and minus(a, b) in second
            ]
            if terms:
                result[a] = sum(terms[1:], start=terms[0])
        return result

    one: FactorJets = {(0,) * len(coordinates): 1.0}
    return reduce(multiply, (factor.jets(coordinates, orders) for factor in factors), one)


def _along(axis: int, tower: Sequence, orders: Iterable[MultiIndex]) -> FactorJets:
    """The jets of a function of one axis, from its tower."""
    return {a: tower[a[axis]] for a in orders if sum(a) == a[axis] and a[axis] < len(tower)}


@dataclass(frozen=True, kw_only=True)
class Bump:
    """ψ = b(z₀)/Σₗ b(zₗ),  b(r) = exp(−1/(1 − r²)),  zₗ = (y − l·width)/radius. Paper, eq:pou-bump.

    One axis of a partition of unity. The normalized tensor-product bump is the product of one such factor
    per axis, because the sum of a tensor product over all patches is the product of the sums.

    Parameters
    ----------
    axis
        Which coordinate.
    width, radius
        Distance of neighboring centers; half width of the support.
    before, after
        Number of neighbors on either side whose bumps reach into this support.
    """

    axis: int
    width: float
    radius: float
    before: int
    after: int

    def support(self, coordinates: Sequence[np.ndarray]) -> np.ndarray:
        return np.abs(coordinates[self.axis]) < self.radius

    def jets(self, coordinates: Sequence[np.ndarray], orders: Iterable[MultiIndex]) -> FactorJets:
        orders = list(orders)
        tower = self.tower(coordinates[self.axis], max(a[self.axis] for a in orders))
        return _along(self.axis, tower, orders)

    def tower(self, y: np.ndarray, top: int) -> list[np.ndarray]:
        """[ψ, ψ′, …] inside the support: ψ⁽ⁿ⁾ = (b⁽ⁿ⁾ − Σ_{i<n} C(n,i) B⁽ⁿ⁻ⁱ⁾ ψ⁽ⁱ⁾)/B,  B = Σₗ bₗ."""
        shifts = np.arange(-self.before, self.after + 1)
        r = (y - self.width * shifts[:, None]) / self.radius  # (neighbors, points)
        bumps = _bump_towers(r, top)
        sums = [b.sum(axis=0) for b in bumps]
        tower = []
        for n in range(top + 1):
            value = bumps[n][self.before].copy()
            for i in range(n):
                value -= comb(n, i) * sums[n - i] * tower[i]
            tower.append(value / sums[0])
        return [value * self.radius**-n for n, value in enumerate(tower)]


def _bump_towers(r: np.ndarray, top: int) -> list[np.ndarray]:
    """Derivatives in r of bₗ e^c = exp(L(rₗ) + c), with c chosen at each point so that the largest bump is 1.

    L = −1/(1 − r²) = −½ (1/(1−r) + 1/(1+r)),   L⁽ⁿ⁾ = −½ n! (1/(1−r)ⁿ⁺¹ + (−1)ⁿ/(1+r)ⁿ⁺¹),
    b⁽ⁿ⁾ = Σ_{i<n} C(n−1, i) L⁽ⁿ⁻ⁱ⁾ b⁽ⁱ⁾.

    The common factor eᶜ cancels in the quotient; without it thin overlaps underflow.
    """
    inside = np.abs(r) < 1.0
    r = np.where(inside, r, 0.0)
    exponent = np.where(inside, -1.0 / ((1.0 - r) * (1.0 + r)), -np.inf)
    exponent -= exponent.max(axis=0)
    alive = exponent > _UNDERFLOW
    r = np.where(alive, r, 0.0)
    logs = [
        -0.5 * factorial(n) * ((1.0 - r) ** -(n + 1) + (-1) ** n * (1.0 + r) ** -(n + 1))
        for n in range(top + 1)
    ]
    tower = [np.where(alive, np.exp(exponent), 0.0)]
    for n in range(1, top + 1):
        terms = [comb(n - 1, i) * logs[n - i] * tower[i] for i in range(n)]
        tower.append(np.add.reduce(terms))
    return tower


@dataclass(frozen=True, kw_only=True)
class Distance:
    """1 − z² (both faces), (1 + z)/2 (lower face) or (1 − z)/2 (upper face): smooth, and zero on these faces.

    z = (y − center)/half runs over [-1, 1] on the domain, whatever the patch.
    """

    axis: int
    center: float
    half: float
    lower: bool
    upper: bool

    def support(self, coordinates: Sequence[np.ndarray]) -> np.ndarray:
        return np.ones(coordinates[self.axis].shape, dtype=bool)

    def jets(self, coordinates: Sequence[np.ndarray], orders: Iterable[MultiIndex]) -> FactorJets:
        z = (coordinates[self.axis] - self.center) / self.half
        if self.lower and self.upper:
            tower = [(1.0 - z) * (1.0 + z), -2.0 * z / self.half, -2.0 / self.half**2]
        else:
            sign = 1.0 if self.lower else -1.0
            tower = [0.5 * (1.0 + sign * z), 0.5 * sign / self.half]
        return _along(self.axis, tower, orders)
