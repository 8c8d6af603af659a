# SPDX-License-Identifier: MIT
"""A coordinate in which what is steep looks smooth: ξ(x) ∈ [−1, 1], increasing, analytic.

F(x) = 2x/L + Σ_k w_k ∫ dx / √(r_k),     r_k = (x − c_k)² + d_k²                         on an interval,
                                          r_k = (L/π)² sin²(π (x − c_k)/L) + d_k²          on a circle,
ξ = −1 + 2 (F(x) − F(lower)) / (F(upper) − F(lower)).

1/√r is the reciprocal distance to a pair of complex singularities at c ± id: resolution that shrinks in proportion to it. Without
kernels the chart is affine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from math import comb, factorial

import numpy as np

TABLE = 120  # places per kernel in the table from which the inverse starts
NEAR = 1e-8  # error of ξ after which one iteration of Newton's method leaves rounding


@dataclass(frozen=True)
class Axis:
    """One coordinate of the box; `looked` are places at which residuals are looked at beside those of a quadrature."""

    lower: float
    upper: float
    periodic: bool
    looked: tuple[float, ...] = field(default=(), repr=False, compare=False)

    @property
    def length(self) -> float:
        return self.upper - self.lower


def _none() -> np.ndarray:
    return np.zeros(0)


@dataclass(frozen=True)
class Chart:
    """ξ(x) with kernels at `centers`, of `widths` d and `strengths` w."""

    axis: Axis
    centers: np.ndarray = field(default_factory=_none)
    widths: np.ndarray = field(default_factory=_none)
    strengths: np.ndarray = field(default_factory=_none)

    def _raw(self, x: np.ndarray) -> np.ndarray:
        """F(x) − 2x/L summed over kernels."""
        if not len(self.centers):
            return np.zeros(len(x))
        away = x[:, None] - self.centers
        if not self.axis.periodic:
            return np.arcsinh(away / self.widths) @ self.strengths
        from scipy.special import ellipkinc  # loaded only where a circle has kernels

        q = np.pi * self.widths / self.axis.length
        turned = ellipkinc(np.pi * away / self.axis.length, np.broadcast_to(-1.0 / q**2, away.shape))
        # ∫ dx/√((L/π)² sin² + d²) = (L/π)/d · F(angle | −1/q²), and (L/π)/d = 1/q.
        return turned @ (self.strengths / q)

    @cached_property
    def _span(self) -> tuple[float, float]:
        """F(lower) and F(upper) − F(lower)."""
        ends = np.array([self.axis.lower, self.axis.upper])
        values = 2 * ends / self.axis.length + self._raw(ends)
        return float(values[0]), float(values[1] - values[0])

    def coordinate(self, x: np.ndarray) -> np.ndarray:
        """ξ(x)."""
        start, span = self._span
        return -1 + 2 * (2 * x / self.axis.length + self._raw(x) - start) / span

    def slopes(self, x: np.ndarray, top: int) -> list[np.ndarray]:
        """ξ', ξ'', …, ξ^(top) at places x."""
        total = [np.zeros(len(x)) for _ in range(top)]
        if top:
            total[0] += 2 / self.axis.length
        for c, d, w in zip(self.centers, self.widths, self.strengths, strict=True):
            for n, part in enumerate(self._kernel(x - c, d, top)):
                total[n] += w * factorial(n) * part
        return [2 / self._span[1] * t for t in total]

    def _kernel(self, away: np.ndarray, width: float, count: int) -> list[np.ndarray]:
        """Taylor coefficients of g = r^(−1/2):  n r₀ gₙ = Σ_k (−k/2 − (n − k)) r_k g_{n−k}."""
        r: list[np.ndarray | float] = [away**2 + width**2, 2 * away, 1.0]
        if self.axis.periodic:
            k = 2 * np.pi / self.axis.length
            even, odd = 2 / k**2 * np.cos(k * away), -2 / k**2 * np.sin(k * away)
            r = [2 / k**2 - even + width**2]
            for n in range(1, count):
                r.append(-(k**n) / factorial(n) * (-1) ** (n // 2) * (even if n % 2 == 0 else odd))
        g = [np.asarray(r[0]) ** -0.5]
        for n in range(1, count):
            parts = [(-k / 2 - (n - k)) * r[k] * g[n - k] for k in range(1, n + 1) if k < len(r)]
            g.append(sum(parts[1:], parts[0]) / (n * np.asarray(r[0])))
        return g

    def places(self, coordinate: np.ndarray) -> np.ndarray:
        """x with ξ(x) = the given values in [−1, 1], by a table, cubic between its places, and Newton."""
        axis = self.axis
        if not len(self.centers):
            return axis.lower + axis.length * (coordinate + 1) / 2
        x = self._inverse_table(coordinate)
        for _ in range(6):
            gap = self.coordinate(x) - coordinate
            x = np.clip(x - gap / self.slopes(x, 1)[0], axis.lower, axis.upper)
            if np.max(np.abs(gap), initial=0.0) < NEAR:
                break
        return x

    @cached_property
    def _inverse_table(self) -> Callable[[np.ndarray], np.ndarray]:
        """x(ξ) by Hermite's cubics, dx/dξ = 1/ξ'."""
        axis = self.axis
        parts = [np.linspace(axis.lower, axis.upper, TABLE)]
        for c, d in zip(self.centers, self.widths, strict=True):
            reach = np.arcsinh(axis.length / d)
            parts.append(c + d * np.sinh(np.linspace(-reach, reach, TABLE)))
        x = np.concatenate(parts)
        if axis.periodic:
            x[TABLE:] = axis.lower + np.mod(x[TABLE:] - axis.lower, axis.length)
        x = np.unique(x[(x >= axis.lower) & (x <= axis.upper)])
        xi = self.coordinate(x)
        apart = np.diff(xi, prepend=-np.inf) > 0  # places so close that ξ is rounded to the same number
        x, xi = x[apart], xi[apart]
        return hermite(xi, x, 1 / self.slopes(x, 1)[0])


def hermite(places: np.ndarray, values: np.ndarray, slopes: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """f with given values and slopes at increasing places, a cubic between each two of them."""

    def function(at: np.ndarray) -> np.ndarray:
        i = np.clip(np.searchsorted(places, at, side="right") - 1, 0, len(places) - 2)
        h, rise = places[i + 1] - places[i], values[i + 1] - values[i]
        s = (at - places[i]) / h
        first, last = h * slopes[i] - rise, rise - h * slopes[i + 1]
        return values[i] + s * rise + s * (1 - s) * ((1 - s) * first + s * last)

    return function


def chain_rule(tables: list[np.ndarray], slopes: list[np.ndarray]) -> list[np.ndarray]:
    """D_x^n f(ξ(x)) = Σ_k f^(k)(ξ) B_{n,k}(ξ', ξ'', …), Faà di Bruno's formula, for tables f, f', … (places, functions)."""
    top = len(tables) - 1
    bell: list[list[np.ndarray | float]] = [[1.0]]
    for n in range(1, top + 1):
        row: list[np.ndarray | float] = [0.0]
        for k in range(1, n + 1):
            terms = [comb(n - 1, i - 1) * slopes[i - 1] * bell[n - i][k - 1] for i in range(1, n - k + 2)]
            row.append(sum(terms[1:], terms[0]))
        bell.append(row)
    result = [tables[0]]
    for n in range(1, top + 1):
        parts = [np.asarray(bell[n][k])[:, None] * tables[k] for k in range(1, n + 1)]
        result.append(sum(parts[1:], parts[0]))
    return result
