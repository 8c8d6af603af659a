# SPDX-License-Identifier: MIT
"""An orthonormal basis of functions of one coordinate, made from random features.

√q Φ diag(1/‖φ‖) = U S Vᵀ,   singular values below `cut` · s₀ dropped,   ψ = φ W with W = diag(1/‖φ‖) V S⁻¹,
so that Σ_i q_i ψ_m(x_i) ψ_n(x_i) = δ_mn  and  P = Uᵀ √q  projects values at the points on coefficients.

The weights q integrate dx: a projection in the true L² inherits the energy estimate of the equation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lrfm.lines.features import Features, IntervalFeatures, PeriodicFeatures
from lrfm.lines.scale import Axis, Scale

POINTS = 2.5  # points per feature
SLOPES = (0.4, 2.5)  # slopes in units of the local scale
SMOOTH = 0.25  # part of the features that fill the axis
OUTSIDE = 0.15  # part of the centers just outside the ends


@dataclass(frozen=True)
class AxisBasis:
    """ψ_1 … ψ_r of one coordinate; `weights` combine the features and the constant."""

    axis: Axis
    features: Features
    weights: np.ndarray
    scale: Scale
    points: np.ndarray
    projection: np.ndarray  # P: the coefficients of what is known at the points
    values: np.ndarray  # ψ at the points, orthonormal to rounding, which φ W is not

    @property
    def rank(self) -> int:
        return self.weights.shape[1]

    def at(self, x: np.ndarray, top: int) -> list[np.ndarray]:
        """ψ, ψ', …, ψ^(top) at places x, each (places, rank)."""
        tables = [phi @ self.weights[:-1] for phi in self.features.derivatives(x, top)]
        tables[0] = tables[0] + self.weights[-1]
        return tables

    def combine(self, x: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """Σ c_m ψ_m(x) for columns of coefficients (rank, columns), without forming ψ: (places, columns)."""
        combined = self.weights @ coefficients
        return self.features.derivatives(x, 0)[0] @ combined[:-1] + combined[-1]

    def on_points(self, top: int) -> list[np.ndarray]:
        """ψ and its derivatives at the points of the quadrature."""
        return [self.values, *self.at(self.points, top)[1:]]

    def fresh(self) -> tuple[np.ndarray, np.ndarray]:
        """Another quadrature, with points between those of the fit."""
        return self.scale.points(len(self.points) - 7, 0.37)


def make_basis(scale: Scale, count: int, cut: float, rng: np.random.Generator) -> AxisBasis:
    """Draw features for a scale and orthonormalize them."""
    draw = _draw_periodic if scale.axis.periodic else _draw_interval
    features = draw(scale, count, rng)
    points, quadrature = scale.points(int(POINTS * count) + 10)
    phi = np.column_stack([features.derivatives(points, 0)[0], np.ones(len(points))])
    root = np.sqrt(quadrature)[:, None]
    norms = np.linalg.norm(root * phi, axis=0)
    norms[norms == 0] = 1.0
    u, s, vt = np.linalg.svd(root * phi / norms, full_matrices=False)
    keep = s > cut * s[0]
    weights = vt[keep].T / s[keep] / norms[:, None]
    return AxisBasis(scale.axis, features, weights, scale, points, u[:, keep].T * root.T, u[:, keep] / root)


def _shares(count: int, rng: np.random.Generator) -> np.ndarray:
    """One share in each of `count` equal parts of [0, 1], in random order."""
    return (rng.permutation(count) + rng.random(count)) / count


def _slopes(scale: Scale, centers: np.ndarray, smooth: int, rng: np.random.Generator) -> np.ndarray:
    slopes = scale.at(centers) * np.exp(rng.uniform(*np.log(SLOPES), len(centers)))
    slopes[:smooth] = rng.uniform(0.5, 6.0, smooth) * 2.0 / scale.axis.length
    return slopes


def _draw_interval(scale: Scale, count: int, rng: np.random.Generator) -> IntervalFeatures:
    axis, smooth = scale.axis, int(SMOOTH * count)
    centers = scale.quantiles(_shares(count, rng))
    slopes = _slopes(scale, centers, smooth, rng)
    margin = 0.1 * axis.length
    wide = (np.arange(smooth) + rng.random(smooth)) / max(smooth, 1)
    centers[:smooth] = axis.lower - margin + (axis.length + 2 * margin) * wide
    # Steps that end just outside give the ends as much freedom as the inside has.
    outside, below, far = rng.random(count) < OUTSIDE, rng.random(count) < 0.5, rng.random(count) / slopes
    edge = np.where(below, axis.lower - far, axis.upper + far)
    return IntervalFeatures(np.where(outside, edge, centers), slopes)


def _draw_periodic(scale: Scale, count: int, rng: np.random.Generator) -> PeriodicFeatures:
    axis, smooth = scale.axis, int(SMOOTH * count)
    length, k = axis.length, 2 * np.pi / axis.length
    centers = scale.quantiles(_shares(count, rng))
    slopes = _slopes(scale, centers, smooth, rng)
    least = np.minimum(1.0 / scale.at(centers), 0.2 * length)
    widths = np.exp(rng.uniform(np.log(least), np.log(0.48 * length)))
    widths[:smooth] = rng.uniform(0.03, 0.47, smooth) * length
    side = rng.choice([-1.0, 1.0], count)
    # Both flanks have the same slope; neither may be steeper than the points around it resolve.
    other = axis.lower + np.mod(centers - 2 * side * widths - axis.lower, length)
    limited = slopes * np.minimum(1.0, scale.at(other) / scale.at(centers))
    slopes[smooth:] = limited[smooth:]
    heights = slopes / (k * np.sin(k * widths))
    return PeriodicFeatures(centers - side * widths, widths, heights, k)
