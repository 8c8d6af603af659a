# SPDX-License-Identifier: MIT
"""Steps on products of functions of one coordinate: grids are summed axis by axis, scattered points of a line gathered."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.problem import Jet
from lrfm.rows.shared_steps import SharedSteps, one_instant, polynomials
from lrfm.spaces.axes.axis import AxisBasis
from lrfm.spaces.axes.product import ProductBasis
from lrfm.spaces.axes.series import chebyshev, one

LARGEST = 5_000_000  # numbers gathered at once
SCATTERED = 8  # points per step below which they are gathered
RECORDED = {"ends", "kernels", "series"}  # arrays of one axis in a file


@dataclass(frozen=True)
class Steps(SharedSteps):
    """Some steps in a row on a product of bases."""

    basis: ProductBasis

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of fields at points (n, d + 1), time last, of any order in space and time."""
        jets = list(jets)
        few = len(self.basis.axes) == 1 and SCATTERED * len(self.starts) > len(points)
        return self._gathered(jets, points) if few and not one_instant(points) else self.summed(jets, points)

    def _gathered(self, jets: Sequence[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """The same at points of a line that lie in many steps: each takes the coefficients of its own step."""
        most = max(1, LARGEST // (self.slopes.shape[1] * self.basis.size))
        if len(points) > most:
            parts = [self._gathered(jets, points[i : i + most]) for i in range(0, len(points), most)]
            return {jet: np.concatenate([part[jet] for part in parts]) for jet in jets}
        step = np.searchsorted(self.edges[1:-1], points[:, -1], side="right")
        h = self.edges[step + 1] - self.edges[step]
        z = 2 * (points[:, -1] - self.edges[step]) / h - 1
        tables = self.basis.axes[0].at(points[:, 0], max((jet.index[0] for jet in jets), default=0))
        result = {}
        for jet in jets:
            i, order, table = self.number(jet.field), jet.index[-1], tables[jet.index[0]]
            tower = polynomials(self.slopes.shape[1], order)
            weights = tower @ chebyshev(z, len(tower)) / h**order
            sums = np.matmul(self.slopes[step, :, i], table[:, :, None])[:, :, 0]
            start = np.einsum("nr,nr->n", self.starts[step, i], table)
            result[jet] = weights[0] * start + h * np.einsum("kn,nk->n", weights[1:], sums)
        return result

    def on_grid(
        self, jets: Iterable[Jet], places: Sequence[np.ndarray], times: np.ndarray
    ) -> dict[Jet, np.ndarray]:
        """D^a of fields on the grid of places along each axis and times: each (times, n₁, …, n_d), by products per axis."""
        jets, whole = list(jets), (len(times), *map(len, places))
        result = {jet: np.empty(whole) for jet in jets}
        # Functions of space are summed once for the times of many steps.
        most = max(1, LARGEST // max(self.basis.size, max(map(len, places))))
        for jet in jets:
            states = np.empty((len(times), self.basis.size))
            for step, among in self.by_step(times):
                states[among] = self.weights(step, times[among], jet.index[-1]).T @ self.rows_of(
                    step, jet.field
                )
            for first in range(0, len(times), most):
                here = slice(first, first + most)
                result[jet][here] = self.basis.on_grid(states[here], places, jet.index[:-1])
        return result

    def at_place(self, jet: Jet, place: Sequence[float], time: float) -> float:
        """D^a of a field at one point, given as plain numbers."""
        step = bisect_right(self._inner, time)
        key = step, jet.field
        rows = self._kept.get(key)
        if rows is None:
            rows = self._kept[key] = self.rows_of(step, jet.field)
        table, h = (
            polynomials(self.slopes.shape[1], jet.index[-1]),
            self.edges.item(step + 1) - self.edges.item(step),
        )
        z = 2 * (time - self.edges.item(step)) / h - 1
        weights = table @ one(z, len(table), False) / h ** jet.index[-1]
        return self.basis.one(weights @ rows, place, jet.index[:-1])

    @cached_property
    def _inner(self) -> list[float]:
        """Times between two steps."""
        return self.edges[1:-1].tolist()

    @cached_property
    def _kept(self) -> dict[tuple[int, str], np.ndarray]:
        """Rows of steps and fields that were asked for one by one."""
        return {}

    def record(self) -> dict[str, object]:
        """The piece as plain arrays and numbers for a file."""
        return {**self.plain(), "axes": [axis.record() for axis in self.basis.axes]}

    @staticmethod
    def from_record(
        fields: Sequence[str],
        edges: np.ndarray,
        starts: np.ndarray,
        slopes: np.ndarray,
        axes: Sequence[Mapping[str, np.ndarray]],
    ) -> Steps:
        """Build again what `record` wrote; it evaluates, but cannot be marched on. ValueError where it could not be evaluated."""
        if not axes or any(a.keys() != RECORDED for a in axes):
            raise ValueError("axes are missing, or have other arrays than an axis has")
        basis = ProductBasis(tuple(AxisBasis.from_record(**axis) for axis in axes), (0,) * len(axes))
        return Steps.of(basis, fields, edges, starts, slopes)
