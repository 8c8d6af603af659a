# SPDX-License-Identifier: MIT
"""Collocation on cells that move:  u(x, t) = Σ_j a_kj(t) φ_j(ξ) with ξ of a cell [x_k(t), x_{k+1}(t)],

    ∂_x^d u_t = Σ_j a′_kj ∂_x^d φ_j − w ∂_x^{d+1} u − d w_x ∂_x^d u,

w the speed of the place, linear in each cell. All that is else the same as on cells that stand still: rows at points, which move, and C^(m−1) at edges at
all times. The unknowns are the rates a′ along the motion; a step linearizes on the cells as they are in its middle.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from lrfm.discretize.line.collocation import CellCollocation, Jets
from lrfm.discretize.line.layout import Layout
from lrfm.discretize.line.pencil import Pencil
from lrfm.spaces.cells.mesh import MovingMesh, between
from lrfm.spaces.cells.reference import at_nodes, nodes, slopes_at_nodes


def carried(mesh: MovingMesh, speeds: np.ndarray, y: np.ndarray) -> np.ndarray:
    """w u_x as coefficients (…, cells, size), for speeds w of the edges: exact, since w is linear in each cell."""
    size = y.shape[-1]
    (points, weights), values, slopes = nodes(size, 0), at_nodes(size), slopes_at_nodes(size)
    slope = y @ slopes.T * (2.0 / mesh.widths)[:, None]
    return (slope * between(speeds, points) * weights) @ values


class MovingCollocation(CellCollocation):
    """A statement on cells that move; what is asked of it without a time is of the time at which they set out."""

    keeps = False
    mesh: MovingMesh

    def __init__(self, layout: Layout, mesh: MovingMesh):
        super().__init__(layout, cast(Any, mesh))  # it has all that is asked of a mesh
        self._at_ends = np.concatenate([layout.reference.points, [-1.0, 1.0]])

    def _points(self, times: np.ndarray) -> np.ndarray:
        points = np.empty((len(times), self.x.size, 2))
        for here, time in zip(points, times, strict=True):
            here[:, 0], here[:, 1] = self.mesh.at(time).places(self.layout.reference.points).ravel(), time
        return points.reshape(-1, 2)

    def derived(self, times: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of y, and of the rates at fixed places, at points and ends of all cells at each time."""
        layout, each = self.layout, self.layout.count + 2
        widths = np.stack([self.mesh.at(time).widths for time in times])
        at_y = self._flat(y, layout.highest_table) * self._powers(widths, layout.highest_table)
        at_z = self._flat(z, layout.rate_order) * self._powers(widths, layout.rate_order)
        speeds = self.mesh.speeds_at(self._at_ends)
        squeeze = (np.diff(self.mesh.speeds) / widths)[:, None, :, None]
        for d in range(layout.rate_order + 1):
            own, above = slice(d * each, (d + 1) * each), slice((d + 1) * each, (d + 2) * each)
            at_z[..., own] -= speeds * at_y[..., above] + d * squeeze * at_y[..., own]
        return at_y, at_z

    def _flat(self, coefficients: np.ndarray, highest: int) -> np.ndarray:
        """Derivatives by ξ up to some order."""
        columns = (highest + 1) * (self.layout.count + 2)
        flat = coefficients.reshape(-1, coefficients.shape[-1]) @ self.layout.derivatives[:, :columns]
        return flat.reshape(*coefficients.shape[:-1], columns)

    def _powers(self, widths: np.ndarray, highest: int) -> np.ndarray:
        """(2/w)^d of each of the layout's derivatives, (times, 1, cells, …)."""
        powers = (2.0 / widths)[:, :, None] ** np.arange(highest + 1)
        return np.repeat(powers, self.layout.count + 2, axis=2)[:, None]

    # Matrices -----------------------------------------------------------------------------------------------

    def linearizations(self, times: np.ndarray, y: np.ndarray, z: np.ndarray) -> list[Pencil]:
        """A(s) at several times, each on the cells as they are then; joints keep the units of their rows."""
        found = []
        for time, *state in zip(times, y, z, strict=True):
            there = MovingCollocation(self.layout, self.mesh.at(time))
            there._narrower = self._narrower
            found += super(MovingCollocation, there).linearizations(
                np.array([time]), *(part[None] for part in state)
            )
        return found

    def _enter_equation(self, into: np.ndarray, i: int, j: int, slopes: Jets, lowest: int) -> None:
        super()._enter_equation(into, i, j, slopes, lowest)
        tables, size = self.layout.reference.at_points, self.layout.sizes[j]
        speeds = self.mesh.speeds_at(self.layout.reference.points)
        for jet, slope in slopes.items():
            field, _, order, power = self.layout.powers[jet]
            if field == j and power == 0:
                c = slope.reshape(self.x.shape) if slope.ndim else slope
                more = (c * speeds * self.stretch[:, order + 1, None])[..., None]
                to = into[0, 1].reshape(*self.x.shape, size)
                to -= more * tables[order + 1][:, :size]
                if order:
                    squeezed = order * (c * (self._squeeze * self.stretch[:, order])[:, None])
                    to -= squeezed[..., None] * tables[order][:, :size]

    def _enter_point(
        self, into: np.ndarray, j: int, slopes: Jets, lowest: int, cell: int, tables: np.ndarray
    ) -> None:
        super()._enter_point(into, j, slopes, lowest, cell, tables)
        for jet, slope in slopes.items():
            field, _, order, power = self.layout.powers[jet]
            if field == j and power == 0 and order:
                # Conditions hold at edges that stay: what is left of the motion is that of the cell beside.
                squeezed = order * self._squeeze[cell] * self.stretch[cell, order]
                into[:, 1] -= slope.reshape(-1, 1) * squeezed * tables[order][: self.layout.sizes[j]]

    @property
    def _squeeze(self) -> np.ndarray:
        """w_x in each cell."""
        return np.diff(self.mesh.speeds) / self.mesh.widths
