# SPDX-License-Identifier: MIT
"""Families of random functions of several variables, drawn once, with all their derivatives.

Ridges       tanh(w·(x − o)/h + b)                       everywhere smooth;
Inverted     tanh(w·y + b),  y = ρ (x − c)/|x − c|²      smooth away from c, which lies outside of the domain, in a hole for example;
Singular     s(x) tanh(w·(x − o)/h + b)                  with one factor s: log |x − c|, or r^α cos αθ and r^α sin αθ at a corner,
                                                         or with one for each function: the real part of a pole,
                                                         or e^(−κ d(x)), which falls with the distance d from a wall;
                                                         around a hole the other factor is of inverted coordinates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb
from typing import Protocol

import numpy as np

from lrfm.spaces.orders import MultiIndex
from lrfm.spaces.regions import taylor

Tables = dict[MultiIndex, np.ndarray]


class Family(Protocol):
    """Some functions of space."""

    @property
    def size(self) -> int:
        """How many there are."""
        ...

    def tables(self, points: np.ndarray, indices: Iterable[MultiIndex]) -> Tables:
        """Dᵃ of all functions at points (n, d): (n, size) for each index."""
        ...


class Factor(Protocol):
    """One function that multiplies many, or one for each."""

    def series(self, points: np.ndarray, indices: tuple[MultiIndex, ...]) -> taylor.Taylor:
        """Its Taylor coefficients at points, (n, 1) or (n, functions) each."""
        ...


@dataclass(frozen=True)
class Ridges:
    """tanh(w·(x − o)/h + b): `weights` (M, d) and `biases` (M,), in a box of center o and half widths h."""

    center: np.ndarray
    half: np.ndarray
    weights: np.ndarray
    biases: np.ndarray

    @property
    def size(self) -> int:
        return len(self.biases)

    def _slopes(self) -> np.ndarray:
        return self.weights / self.half

    def _tower(self, points: np.ndarray, top: int) -> list[np.ndarray]:
        z = (points - self.center) @ self._slopes().T + self.biases
        return taylor.steps(z, top)

    def tables(self, points: np.ndarray, indices: Iterable[MultiIndex]) -> Tables:
        indices, slopes = list(indices), self._slopes()
        tower = self._tower(points, max(map(sum, indices)))
        return {
            a: tower[sum(a)] * np.prod(slopes ** np.array(a), axis=1) if any(a) else tower[0] for a in indices
        }


def draw_ridges(
    count: int,
    slope: float,
    lower: np.ndarray,
    upper: np.ndarray,
    inside: np.ndarray,
    rng: np.random.Generator,
    constant: bool = False,
) -> Ridges:
    """Slopes uniform in a cube, centers uniform inside; with `constant`, a function that does not vary beside them."""
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    weights = slope * rng.uniform(-1, 1, (count, len(lower)))
    centers = (inside[rng.integers(len(inside), size=count)] - middle) / half
    biases = -np.sum(weights * centers, axis=1)
    if constant:
        weights, biases = np.vstack([weights, np.zeros((1, len(lower)))]), np.append(biases, 1.0)
    return Ridges(middle, half, weights, biases)


@dataclass(frozen=True)
class Inverted:
    """tanh(w·y + b) in the coordinates y = ρ (x − c)/|x − c|², which are at most 1 where |x − c| ≥ ρ."""

    center: np.ndarray
    radius: float
    weights: np.ndarray
    biases: np.ndarray

    @property
    def size(self) -> int:
        return len(self.biases)

    def tables(self, points: np.ndarray, indices: Iterable[MultiIndex]) -> Tables:
        wanted = list(indices)
        inner = taylor.closure(frozenset(wanted))
        top = max(map(sum, inner))
        moved = [taylor.coordinate(points, k, c, inner) for k, c in enumerate(self.center)]
        square: taylor.Taylor = {}
        for x in moved:
            square = taylor.plus(square, taylor.times(x, x, inner))
        inverse = taylor.composed(taylor.powers(square[inner[0]], -1.0, top), square, inner)
        z: taylor.Taylor = {inner[0]: self.biases[None, :]}
        for k, x in enumerate(moved):
            y = taylor.times(x, inverse, inner)
            z = taylor.plus(z, {a: c * (self.radius * self.weights[:, k]) for a, c in y.items()})
        found = taylor.composed(taylor.steps(z[inner[0]], top), z, inner)
        return taylor.derivatives(found, wanted, (len(points), self.size))


@dataclass(frozen=True)
class Logarithm:
    """log |x − c|, or 1/|x − c|ᵈ⁻² in d > 2 dimensions: a source at c, relative to the length ρ."""

    center: np.ndarray
    radius: float

    def series(self, points: np.ndarray, indices: tuple[MultiIndex, ...]) -> taylor.Taylor:
        square: taylor.Taylor = {}
        for k, c in enumerate(self.center):
            x = taylor.coordinate(points, k, c, indices)
            square = taylor.plus(square, taylor.times(x, x, indices))
        square = {a: v / self.radius**2 for a, v in square.items()}
        at, top, dimension = square[indices[0]], max(map(sum, indices)), points.shape[1]
        tower = taylor.logarithms(at, top) if dimension == 2 else taylor.powers(at, 1 - dimension / 2, top)
        return taylor.composed(tower, square, indices)


@dataclass(frozen=True)
class CornerPower:
    """r^α cos(αθ + phase) at a corner of the plane: Re of e^(i·phase) ((ζ − c) e^(−iβ)/ρ)^α, cut along −β, outside of the domain."""

    center: np.ndarray
    direction: float  # β: the angle of the line that halves the domain at the corner
    radius: float
    exponent: float
    phase: float

    def series(self, points: np.ndarray, indices: tuple[MultiIndex, ...]) -> taylor.Taylor:
        turn = np.exp(-1j * self.direction) / self.radius
        zeta = (points[:, 0] - self.center[0] + 1j * (points[:, 1] - self.center[1])) * turn
        zeta = zeta[:, None]
        found, shift = {}, np.exp(1j * self.phase)
        for a in indices:
            # ∂ₓ = d/dζ and ∂_y = i d/dζ; the coefficient of (n over a) is C(α, n) n!/a!.
            n, factor = sum(a), shift * (1j ** a[1]) * turn ** sum(a)
            for k in range(n):
                factor *= self.exponent - k
            factor /= float(np.prod([np.prod(np.arange(1, m + 1)) for m in a]))
            found[a] = np.real(factor * zeta ** (self.exponent - n))
        return found


@dataclass(frozen=True)
class Poles:
    """Re ρ/(ζ − p), then Im ρ/(ζ − p), for poles `centers` (P, 2) outside of a domain of the plane, and this again for `each` · 2P functions.

    `radii` (P,) are the distances ρ of the poles from the domain.
    """

    centers: np.ndarray
    radii: np.ndarray
    each: int

    def series(self, points: np.ndarray, indices: tuple[MultiIndex, ...]) -> taylor.Taylor:
        unit = np.array([1.0, 1.0j])
        inverse = 1.0 / ((points @ unit)[:, None] - self.centers @ unit)
        power, found = self.radii * inverse, {}
        for order in range(max(map(sum, indices)) + 1):
            # ∂ₓ = d/dζ and ∂_y = i d/dζ; the coefficient of (n over a) is (−1)ⁿ n!/a!.
            for a in indices:
                if sum(a) == order:
                    value = (-1) ** order * comb(order, a[0]) * 1j ** a[1] * power
                    found[a] = np.tile(np.concatenate([value.real, value.imag], axis=1), self.each)
            power = power * inverse
        return found


@dataclass(frozen=True)
class Decays:
    """e^(−κ_j d(x)): `rates` κ (functions,), and d, about the distance from a wall, one of three.

    Flat,   normal n:   d = −(x − p)·n;
    around a hole:      d = |x − p| − ρ,   `radius` ρ > 0;
    within a rim:       d = (ρ² − |x − p|²)/(2ρ),   `radius` −ρ < 0: smooth in the middle, too.
    """

    point: np.ndarray
    normal: np.ndarray
    radius: float  # 0 where the wall is flat
    rates: np.ndarray

    def distance(self, points: np.ndarray, indices: tuple[MultiIndex, ...]) -> taylor.Taylor:
        """d as a Taylor series at points, (n, 1) each."""
        moved = [taylor.coordinate(points, k, c, indices) for k, c in enumerate(self.point)]
        found: taylor.Taylor = {}
        if not self.radius:
            for x, n in zip(moved, self.normal, strict=True):
                found = taylor.plus(found, {a: -n * v for a, v in x.items()})
            return found
        for x in moved:
            found = taylor.plus(found, taylor.times(x, x, indices))
        zero, rho = indices[0], abs(self.radius)
        if self.radius > 0:
            top = max(map(sum, indices))
            found = taylor.composed(taylor.powers(found[zero], 0.5, top), found, indices)
            return {**found, zero: found[zero] - rho}
        found = {a: -v / (2 * rho) for a, v in found.items()}
        return {**found, zero: found[zero] + 0.5 * rho}

    def series(self, points: np.ndarray, indices: tuple[MultiIndex, ...]) -> taylor.Taylor:
        z = {a: -v * self.rates for a, v in self.distance(points, indices).items()}
        # Beyond the wall nothing is asked for but what rounding puts there.
        value = np.exp(np.minimum(z[indices[0]], 1.0))
        return taylor.composed([value] * (max(map(sum, indices)) + 1), z, indices)


@dataclass(frozen=True)
class Singular:
    """s(x) tanh(w·(x − o)/h + b): one factor, or one for each function, times ridges or inverted ones."""

    factor: Logarithm | CornerPower | Poles | Decays
    ridges: Ridges | Inverted

    @property
    def size(self) -> int:
        return self.ridges.size

    def tables(self, points: np.ndarray, indices: Iterable[MultiIndex]) -> Tables:
        wanted = list(indices)
        inner = taylor.closure(frozenset(wanted))
        smooth = self.ridges.tables(points, inner)
        scaled = {a: v / float(np.prod([np.prod(np.arange(1, m + 1)) for m in a])) for a, v in smooth.items()}
        found = taylor.times(self.factor.series(points, inner), scaled, inner)
        return taylor.derivatives(found, wanted, (len(points), self.size))
