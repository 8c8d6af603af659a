# SPDX-License-Identifier: MIT
"""An orthonormal basis of functions of one coordinate, made from random features of its chart ξ(x).

√q Φ diag(1/‖φ‖) = U S Vᵀ,   singular values below `cut` · s₀ dropped;   ψ = the series in ξ of U/√q, shortened to where the features
have coefficients at all and made orthonormal again:  Σ_i q_i ψ_m(x_i) ψ_n(x_i) = δ_mn,  P = ψᵀ q projects on coefficients.

Points are Fejér's nodes in ξ (interval) or equal steps in ξ (circle), and the weights q = (weight in ξ) / ξ' integrate dx: a
projection in the true L² inherits the energy estimate of the equation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.linalg.clock import look
from lrfm.spaces.axes import series
from lrfm.spaces.axes.chart import Axis, Chart, chain_rule
from lrfm.spaces.axes.features import interval_features, periodic_features
from lrfm.spaces.stored import check_array

PLACES = 2048  # evaluated at once: the table of their terms stays in the cache
STEEPNESS = 0.18  # largest slope in ξ per mode
NEGLIGIBLE = 1e-14  # coefficients of the features' series, relative to the largest


@dataclass(frozen=True, kw_only=True)
class Law:
    """How many features and points a number of modes takes; products of axes can afford less of both."""

    per_mode: float = 1.6
    more: int = 12
    points: float = 2.2  # per feature
    more_points: int = 9
    least: float = 14.0  # modes of the smoothest functions
    cut: float = 1e-13  # of singular values; below it growth of undamped operators begins
    exact: float = (
        0.0  # terms of the series per mode that are among the functions as they are; the constant always is
    )

    def features(self, modes: float) -> int:
        return int(self.per_mode * modes) + self.more

    def terms(self, modes: float) -> int:
        """An odd number, so that on a circle cosines and sines come in pairs."""
        return 2 * int(0.5 * self.exact * modes) + 1

    def modes(self, features: int) -> float:
        """The largest number of modes that so many features can serve."""
        return (features - self.more) / self.per_mode


@dataclass(frozen=True)
class AxisBasis:
    """ψ_1 … ψ_r of one coordinate as series in ξ, one column of coefficients each."""

    chart: Chart
    series: np.ndarray
    modes: float  # what it was made for
    features: int  # how many were drawn
    points: np.ndarray
    projection: np.ndarray  # P: the coefficients of what is known at the points
    values: np.ndarray  # ψ at the points

    @property
    def axis(self) -> Axis:
        return self.chart.axis

    @property
    def rank(self) -> int:
        return self.series.shape[1]

    def at(self, x: np.ndarray, top: int) -> list[np.ndarray]:
        """ψ, ψ', …, ψ^(top) at places x, each (places, rank)."""
        tables = series.derivatives(self.series, self.chart.coordinate(x), top, self.axis.periodic)
        return chain_rule(tables, self.chart.slopes(x, top)) if top else tables

    def _on_nodes(self, x: np.ndarray, top: int, values: np.ndarray | None = None) -> list[np.ndarray]:
        """The same at the points of a quadrature, where the values may be known."""
        tables = series.on_nodes(self.series, len(x), top, self.axis.periodic, values)
        return chain_rule(tables, self.chart.slopes(x, top)) if top else tables

    def combine(self, x: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """Σ c_m ψ_m(x) for columns of coefficients (rank, columns), without forming ψ: (places, columns)."""
        table = series.terms(self.chart.coordinate(x), len(self.series), self.axis.periodic)
        return table @ (self.series @ coefficients)

    def sums(self, x: np.ndarray, orders: Sequence[int], coefficients: np.ndarray) -> dict[int, np.ndarray]:
        """Derivatives of Σ c_m ψ_m at places, by order, for rows of coefficients (rows, rank): each (rows, places).

        ψ is formed first, or the coefficients become those of the series: whichever is less work.
        """
        length, rank, rows = *self.series.shape, len(coefficients)
        direct = rows * (rank + len(x)) < rank * (len(x) + rows * len(x) / length)
        functions = np.ascontiguousarray(coefficients) if direct else None
        result = {order: np.empty((rows, len(x))) for order in orders}
        for first in range(0, len(x), PLACES):
            here = slice(first, first + PLACES)
            tables = self._tables(x[here], max(orders), functions)
            for order, values in result.items():
                values[:, here] = tables[order] if direct else coefficients @ tables[order]
        return result

    def columns(self, x: np.ndarray, order: int) -> np.ndarray:
        """ψ^(order) at places, one row per function: (rank, places)."""
        return self._tables(x, order, None)[order]

    def one(self, x: float, order: int) -> np.ndarray:
        """ψ^(order) at one place: (rank,)."""
        at = np.array([x])
        if order:
            return self.columns(at, order)[:, 0]
        xi = self.chart.coordinate(at).item()
        return self._series(0) @ series.one(xi, len(self.series), self.axis.periodic)

    def _tables(self, x: np.ndarray, top: int, rows: np.ndarray | None) -> list[np.ndarray]:
        """Derivatives 0, …, top of rows · ψ, or of ψ itself, at places: each (rows, places)."""
        table = series.columns(self.chart.coordinate(x), len(self.series), self.axis.periodic)
        chains = [
            self._series(order) if rows is None else rows @ self._series(order) for order in range(top + 1)
        ]
        found = [chain @ table for chain in chains]
        if not top:
            return found
        return [f.T for f in chain_rule([f.T for f in found], self.chart.slopes(x, top))]

    def _series(self, order: int) -> np.ndarray:
        """Coefficients of the derivatives of ψ in ξ, (rank, length), found once."""
        known = self._derived
        while len(known) <= order:
            known.append(np.ascontiguousarray(series.differentiate(known[-1].T, self.axis.periodic).T))
        return known[order]

    @cached_property
    def _derived(self) -> list[np.ndarray]:
        return [np.ascontiguousarray(self.series.T)]

    def on_points(self, top: int) -> list[np.ndarray]:
        """ψ and its derivatives at the points of the quadrature."""
        return self._on_nodes(self.points, top, self.values)

    def on_fresh(self, top: int) -> list[np.ndarray]:
        """ψ and its derivatives at the points of the other quadrature."""
        if self.axis.looked:
            return self.at(self.fresh[0], top)
        return self._on_nodes(self.fresh[0], top)

    def record(self) -> dict[str, np.ndarray]:
        """What evaluation needs, as arrays: the ends, the kernels of the chart, the series."""
        chart, axis = self.chart, self.axis
        ends = np.array([axis.lower, axis.upper, float(axis.periodic)])
        kernels = np.stack([chart.centers, chart.widths, chart.strengths])
        return {"ends": ends, "kernels": kernels, "series": self.series}

    @staticmethod
    def from_record(ends: np.ndarray, kernels: np.ndarray, series: np.ndarray) -> AxisBasis:
        """Functions that can be evaluated; they have no quadrature. ValueError where they could not be."""
        check_array("ends", ends, (3,))
        check_array("kernels", kernels, (3, kernels.size // 3))
        check_array("series", series, series.shape[:2])
        if not (ends[0] < ends[1] and ends[2] in (0, 1) and np.all(kernels[1] > 0) and series.size):
            raise ValueError("the ends of an axis, its kernels or its series are not of one chart")
        chart, none = Chart(Axis(float(ends[0]), float(ends[1]), bool(ends[2])), *kernels), np.zeros(0)
        with np.errstate(all="ignore"):
            mapped = chart.coordinate(ends[:2])
        if not np.allclose(mapped, (-1, 1)):
            raise ValueError("the chart of an axis does not map it to [-1, 1]")
        return AxisBasis(chart, series, 0.0, 0, none, none, none)

    @cached_property
    def fresh(self) -> tuple[np.ndarray, np.ndarray]:
        """Another quadrature, with points between those of the fit."""
        count = len(self.points)
        x, _, weights = quadrature(self.chart, count - 7 if count > 20 else count - 2)
        if not self.axis.looked:
            return x, weights
        # Where given functions are thin, points of theirs are added; each stands for the half of both its neighbors' distances.
        x = np.unique(np.concatenate([x, self.axis.looked]))
        middles = 0.5 * (x[1:] + x[:-1])
        return x, np.diff(np.concatenate([[self.axis.lower], middles, [self.axis.upper]]))


def quadrature(chart: Chart, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points, their places in ξ, and weights for dx that follow the chart."""
    xi, weights = series.nodes(count, chart.axis.periodic)
    x = chart.places(xi)
    return x, xi, weights / chart.slopes(x, 1)[0]


def make_basis(chart: Chart, modes: float, law: Law, rng: np.random.Generator) -> AxisBasis:
    """Draw features in a chart for functions with so many modes in it, and orthonormalize them beside the first terms of the series."""
    look()
    periodic, count, terms = chart.axis.periodic, law.features(modes), law.terms(modes)
    draw = periodic_features if periodic else interval_features
    points, xi, weights = quadrature(chart, 2 * int(0.5 * law.points * count) + law.more_points)
    phi, root = draw(xi, STEEPNESS * modes, count, rng), np.sqrt(weights)[:, None]
    norms = np.linalg.norm(root * phi, axis=0)
    norms[norms == 0] = 1.0
    smooth = np.linalg.qr(root * series.terms(xi, terms, periodic))[0]
    rest = root * phi / norms
    for _ in range(2):  # the second time for what rounding has left
        rest = rest - smooth @ (smooth.T @ rest)
    u, s, _ = np.linalg.svd(rest, full_matrices=False)
    look()
    functions = u[:, s > law.cut * np.sqrt(count)] / root
    # What the smallest singular values let in is rounding; it has no place beyond the series of the features.
    table = series.analyze(np.column_stack([phi / norms, functions]), periodic)
    long = np.abs(table[:, :count]).max(axis=1)
    length = max(terms, int(np.flatnonzero(long > NEGLIGIBLE * long.max())[-1]) + 1)
    length += 1 - length % 2
    # Terms of the series keep their zeros: derivatives of what is smooth have no rounding of what is rough.
    short = np.column_stack([np.eye(length, terms), table[:length, count:]])
    values = series.synthesize(short, len(xi), periodic)
    q, r = np.linalg.qr(root * values)
    return AxisBasis(chart, short @ _inverse(r), modes, count, points, q.T * root.T, q / root)


def _inverse(triangle: np.ndarray) -> np.ndarray:
    """The inverse of an upper triangle, with its zeros."""
    return np.triu(np.linalg.inv(triangle))
