# SPDX-License-Identifier: MIT
"""An orthonormal basis of functions of one coordinate, made from random features of its chart ξ(x).

√q Φ diag(1/‖φ‖) = U S Vᵀ,   singular values below `cut` · s₀ dropped,   ψ = φ W with W = diag(1/‖φ‖) V S⁻¹,
so that Σ_i q_i ψ_m(x_i) ψ_n(x_i) = δ_mn  and  P = Uᵀ √q  projects values at the points on coefficients.

Points are Fejér's nodes in ξ (interval) or equal steps in ξ (circle), and the weights q = (weight in ξ) / ξ' integrate dx: a
projection in the true L² inherits the energy estimate of the equation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lrfm.lines.chart import Axis, Chart, chain_rule
from lrfm.lines.features import Features, IntervalFeatures, PeriodicFeatures

POINTS = 2.2  # points per feature
STEEPNESS = 0.18  # largest slope in ξ per mode
PER_MODE = 1.6  # features per mode
MORE = 12  # features beside these
MARGIN = 1.1  # centers reach this far beyond [−1, 1]


@dataclass(frozen=True)
class AxisBasis:
    """ψ_1 … ψ_r of one coordinate; `weights` combine the features and the constant."""

    chart: Chart
    features: Features
    weights: np.ndarray
    modes: float  # what it was made for
    points: np.ndarray
    projection: np.ndarray  # P: the coefficients of what is known at the points
    values: np.ndarray  # ψ at the points, orthonormal to rounding, which φ W is not

    @property
    def axis(self) -> Axis:
        return self.chart.axis

    @property
    def rank(self) -> int:
        return self.weights.shape[1]

    def at(self, x: np.ndarray, top: int) -> list[np.ndarray]:
        """ψ, ψ', …, ψ^(top) at places x, each (places, rank)."""
        inner = self.features.derivatives(self.chart.coordinate(x), top)
        tables = [phi @ self.weights[:-1] for phi in inner]
        tables[0] = tables[0] + self.weights[-1]
        return chain_rule(tables, self.chart.slopes(x, top)) if top else tables

    def combine(self, x: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """Σ c_m ψ_m(x) for columns of coefficients (rank, columns), without forming ψ: (places, columns)."""
        combined = self.weights @ coefficients
        return self.features.derivatives(self.chart.coordinate(x), 0)[0] @ combined[:-1] + combined[-1]

    def on_points(self, top: int) -> list[np.ndarray]:
        """ψ and its derivatives at the points of the quadrature."""
        return [self.values, *self.at(self.points, top)[1:]]

    def fresh(self) -> tuple[np.ndarray, np.ndarray]:
        """Another quadrature, with points between those of the fit."""
        return quadrature(self.chart, len(self.points) - 7, 0.37)


def quadrature(chart: Chart, count: int, shift: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights for dx that follow the chart."""
    if chart.axis.periodic:
        share, weights = (np.arange(count) + shift) / count, np.full(count, 2.0 / count)
    else:
        share, weights = fejer(count)
        weights = 2 * weights
    x = chart.places(2 * share - 1)
    return x, weights / chart.slopes(x, 1)[0]


def fejer(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Fejér's first rule on [0, 1]: nodes (1 − cos θ)/2, θ = π(i + ½)/n, exact for polynomials of degree n − 1."""
    theta = np.pi * (np.arange(count) + 0.5) / count
    j = np.arange(1, count // 2 + 1)
    sums = np.cos(2 * np.outer(theta, j)) @ (1.0 / (4.0 * j * j - 1.0))
    return (1 - np.cos(theta)) / 2, (1 - 2 * sums) / count


def features_for(modes: float) -> int:
    """How many features are drawn for a number of modes."""
    return int(PER_MODE * modes) + MORE


def make_basis(chart: Chart, modes: float, cut: float, rng: np.random.Generator) -> AxisBasis:
    """Draw features in a chart for functions with so many modes in it, and orthonormalize them."""
    draw = _draw_periodic if chart.axis.periodic else _draw_interval
    count = features_for(modes)
    features = draw(STEEPNESS * modes, count, rng)
    points, weights = quadrature(chart, int(POINTS * count) + 8)
    phi = np.column_stack([features.derivatives(chart.coordinate(points), 0)[0], np.ones(len(points))])
    root = np.sqrt(weights)[:, None]
    norms = np.linalg.norm(root * phi, axis=0)
    norms[norms == 0] = 1.0
    u, s, vt = np.linalg.svd(root * phi / norms, full_matrices=False)
    keep = s > cut * s[0]
    combined = vt[keep].T / s[keep] / norms[:, None]
    return AxisBasis(
        chart, features, combined, modes, points, u[:, keep].T * root.T, u[:, keep] / root
    )


def _shares(count: int, rng: np.random.Generator) -> np.ndarray:
    """One share in each of `count` equal parts of [0, 1], in random order."""
    return (rng.permutation(count) + rng.random(count)) / count


def _draw_interval(steepest: float, count: int, rng: np.random.Generator) -> IntervalFeatures:
    """Slopes uniform up to the steepest one, centers uniform and a little beyond the ends."""
    return IntervalFeatures(MARGIN * (2 * _shares(count, rng) - 1), steepest * rng.random(count))


def _draw_periodic(steepest: float, count: int, rng: np.random.Generator) -> PeriodicFeatures:
    """Bumps of all widths with flanks of slopes uniform up to the steepest one."""
    widths = rng.uniform(0.03, 0.97, count)
    heights = steepest * rng.random(count) / (np.pi * np.sin(np.pi * widths))
    return PeriodicFeatures(2 * _shares(count, rng) - 1, widths, heights, np.pi)
