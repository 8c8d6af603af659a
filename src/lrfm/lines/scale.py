# SPDX-License-Identifier: MIT
"""How fast functions vary along one axis: s(x), an inverse length, and the density that follows from it.

s(x) = max over functions v of  max(|v'|/R, √(|v''|/R)),   R = the largest |v − mean v| so far,
s(x) ← max_y s(y) / (1 + ½ s(y) |x − y|),  so that it varies slowly,     N = ∫ s dx  (how many lengths there are).

Centers of features and points of quadrature have the density ¾ s/N + ¼/L. The scale is measured on places that follow
the scale measured before, so repeating it looks closer at what is steep.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

NODES = 301
PLACES = 1001
SPREAD = 0.5  # how slowly s falls off beside a steep place
UNIFORM = 0.25  # part of the density that is everywhere the same


@dataclass(frozen=True)
class Axis:
    """One coordinate of the box."""

    lower: float
    upper: float
    periodic: bool

    @property
    def length(self) -> float:
        return self.upper - self.lower

    def places(self, count: int) -> np.ndarray:
        """Equal steps from end to end."""
        return np.linspace(self.lower, self.upper, count)


@dataclass(frozen=True)
class Scale:
    """s(x) at nodes; `boost` are local factors asked for where a fit was not good enough."""

    axis: Axis
    nodes: np.ndarray
    values: np.ndarray
    boost: np.ndarray = field(repr=False)

    @property
    def lengths(self) -> float:
        """N = ∫ s dx."""
        return float(np.trapezoid(self.values, self.nodes))

    @property
    def _distribution(self) -> tuple[np.ndarray, np.ndarray]:
        density = (1 - UNIFORM) * self.values / self.lengths + UNIFORM / self.axis.length
        parts = 0.5 * (density[1:] + density[:-1]) * np.diff(self.nodes)
        total = np.concatenate([[0.0], np.cumsum(parts)])
        return total / total[-1], density / total[-1]

    def quantiles(self, q: np.ndarray) -> np.ndarray:
        """Places with the given shares of the density before them."""
        return np.interp(q, self._distribution[0], self.nodes)

    def at(self, x: np.ndarray) -> np.ndarray:
        """s(x)."""
        return np.interp(x, self.nodes, self.values)

    def points(self, count: int, shift: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
        """Quadrature for dx: equal steps (circle) or Fejér's nodes (interval) in the share of the density.

        The weights divide by the exact slope of the map from shares to places, which is piecewise smooth.
        """
        if self.axis.periodic:
            q, weights = (np.arange(count) + shift) / count, np.full(count, 1.0 / count)
        else:
            q, weights = fejer(count)
        shares, density = self._distribution
        x = np.interp(q, shares, self.nodes)
        return x, weights / np.interp(x, self.nodes, density)

    def boosted(self, factors: np.ndarray | float) -> Scale:
        """The same scale with further local factors for the next measurement."""
        return replace(self, boost=self.boost * factors)


def fejer(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Fejér's first rule on [0, 1]: nodes (1 − cos θ)/2, θ = π(i + ½)/n, exact for polynomials of degree n − 1."""
    theta = np.pi * (np.arange(count) + 0.5) / count
    j = np.arange(1, count // 2 + 1)
    sums = np.cos(2 * np.outer(theta, j)) @ (1.0 / (4.0 * j * j - 1.0))
    return (1 - np.cos(theta)) / 2, (1 - 2 * sums) / count


def measure(
    axis: Axis,
    x: np.ndarray,
    values: np.ndarray,
    sizes: np.ndarray,
    limit: float,
    before: Scale | None = None,
) -> Scale:
    """The scale of functions with ranges R = `sizes` from their values at places x, capped so that N stays below `limit`."""
    found = np.maximum(_steepness(axis, x, values, sizes), 2.0 / axis.length)
    nodes = look_at(axis, NODES, before)
    boost = np.ones(len(nodes))
    if before is not None:
        boost = np.interp(nodes, before.nodes, before.boost)
        found = found * np.interp(x, before.nodes, before.boost)
    values = np.interp(nodes, x, found)
    # No peak between nodes may be lost: each place raises the node nearest to it.
    right = np.clip(np.searchsorted(nodes, x), 1, len(nodes) - 1)
    nearest = right - (x - nodes[right - 1] < nodes[right] - x)
    np.maximum.at(values, nearest, found)
    return Scale(axis, nodes, _smoothed(axis, nodes, values, limit), boost)


def look_at(axis: Axis, count: int, before: Scale | None) -> np.ndarray:
    """Places at which a scale is measured: equal steps, and more where it was large before."""
    if before is None:
        return axis.places(count)
    x = np.unique(np.concatenate([axis.places(count // 2 + 1), before.quantiles(np.linspace(0, 1, count))]))
    # Two places that nearly coincide would divide rounding by their distance.
    gaps = np.diff(x)
    beside = np.maximum(np.append(gaps[1:], gaps[-1]), np.append(gaps[0], gaps[:-1]))
    keep = np.append(True, gaps > 0.05 * beside)
    keep[-1] = True
    return x[keep]


def _steepness(axis: Axis, x: np.ndarray, v: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """max(|v'|/R, √(|v''|/R)) over functions, by differences."""
    if axis.periodic:
        x = np.concatenate([x[-3:-1] - axis.length, x, x[1:3] + axis.length])
        v = np.concatenate([v[-3:-1], v, v[1:3]])
    first = np.gradient(v, x, axis=0)
    second = np.gradient(first, x, axis=0)
    if axis.periodic:
        first, second = first[2:-2], second[2:-2]
    else:
        second[:2], second[-2:] = second[2], second[-3]
    found = np.maximum(np.abs(first) / sizes, np.sqrt(np.abs(second) / sizes))
    return found.max(axis=1)


def _smoothed(axis: Axis, nodes: np.ndarray, values: np.ndarray, limit: float) -> np.ndarray:
    distance = np.abs(nodes[:, None] - nodes[None, :])
    if axis.periodic:
        distance = np.minimum(distance, axis.length - distance)
    for _ in range(60):
        smooth = np.max(values / (1 + SPREAD * values * distance), axis=1)
        if np.trapezoid(smooth, nodes) <= limit:
            break
        values = np.minimum(values, 0.8 * values.max())
    return smooth
