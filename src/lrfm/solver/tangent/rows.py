# SPDX-License-Identifier: MIT
"""A row linearized at a solution: L[δ] = Σ_a ∂F/∂(D^a u) D^a δ + dF, dF its derivative along a direction.

L is again a row, linear in δ, with coefficients that are known where u is: what reads rows can march it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lrfm.problem import Jet, Row
from lrfm.problem.free import Slope
from lrfm.rows.shared_steps import SharedSteps
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.projected import ProjectedRows
from lrfm.spaces.bases import BasisGrid


class Base:
    """The solution at which rows are linearized: one step of one piece at a time, on the grids of a system.

    `direction` is the number of the direction whose dF is the source of rows at the moment.
    """

    def __init__(self, form: Form):
        self.form, self.direction = form, 0
        self.piece: SharedSteps
        self.step = 0
        self._system: ProjectedRows
        self._grids: list[BasisGrid] = []
        self._known: dict[tuple, Any] = {}

    def use(self, system: ProjectedRows, piece: SharedSteps) -> None:
        """Take a piece, and a system on its basis."""
        self.piece, self._system = piece, system
        self._grids = [*system.borders, system.basis.grid, system.basis.fresh[0]]
        self.at(0)

    def at(self, step: int) -> None:
        """Take one of its steps."""
        self.step = step
        self._known.clear()

    def place(self, points: np.ndarray) -> tuple[BasisGrid, np.ndarray]:
        """The grid and the times that points (times · places, d + 1) are made of."""
        for grid in self._grids:
            n = grid.size
            if len(points) % n or points[0, 0] != grid.points[0, 0]:
                continue
            if np.array_equal(points[:n, :-1], grid.points):
                return grid, points[::n, -1]
        raise AssertionError("points that belong to no grid of the system")

    def jets(self, jets: Sequence[Jet], grid: BasisGrid, times: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a u on a grid at times of the step, flat, time slowest."""
        known = self.remembered((id(grid), times.tobytes()), dict)
        found = {}
        for jet in jets:
            if jet not in known:
                level, field = jet.index[-1], self.piece.fields.index(jet.field)
                a = self.remembered(
                    (level, times.tobytes()), lambda n=level: self.piece.coefficients(self.step, times, n)
                )
                known[jet] = grid.evaluate(a[:, field], jet.index[:-1]).ravel()
            found[jet] = known[jet]
        return found

    def remembered(self, key: tuple, make: Callable[[], Any]) -> Any:
        """What was made at this step, once."""
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]


class LinearRow:
    """L[δ] = Σ_a ∂F/∂(D^a u) D^a δ + dF of one row, as `Row` has it; one dF per direction, None for zero."""

    linear = True

    def __init__(self, row: Row, base: Base, sources: Sequence[Slope | None]):
        self.row, self.base, self.sources = row, base, sources
        self.jets, self.label, self.coordinates = row.jets, row.label, row.coordinates
        self.stationary = row.stationary

    def affine(self, points: np.ndarray) -> tuple[np.ndarray, dict[Jet, np.ndarray]]:
        """dF and the coefficients at points (arrays, or 0-d where constant)."""
        grid, times = self.base.place(points)
        key = (id(self), id(grid), times.tobytes())
        slopes = self.base.remembered(key, lambda: self._slopes(points, grid, times))
        direction = self.base.direction
        return self.base.remembered(
            (*key, direction), lambda: self._source(direction, points, grid, times)
        ), slopes

    def coefficients(self, points: np.ndarray) -> dict[Jet, np.ndarray]:
        """The coefficients alone."""
        return self.affine(points)[1]

    def _slopes(self, points: np.ndarray, grid: BasisGrid, times: np.ndarray) -> dict[Jet, np.ndarray]:
        found = dict(self.row.affine(points)[1])
        if not self.row.linear:
            jets = self.base.jets(self.row.jets, grid, times)
            for jet, values in self.row.nonlinear(points, jets, picard=False)[1].items():
                found[jet] = found[jet] + values if jet in found else values
        return found

    def _source(self, direction: int, points: np.ndarray, grid: BasisGrid, times: np.ndarray) -> np.ndarray:
        row = self.sources[direction]
        if row is None:
            return np.zeros(len(points))
        return row.residual(points, self.base.jets(row.jets, grid, times))

    def residual(self, points: np.ndarray, jets: dict[Jet, np.ndarray]) -> np.ndarray:
        """L[δ] at points, from the values of the jets of δ there."""
        source, slopes = self.affine(points)
        total = source
        for jet, values in slopes.items():
            total = total + values * jets[jet]
        return total

    def magnitude(self, points: np.ndarray, jets: dict[Jet, np.ndarray]) -> np.ndarray:
        """Sum of the absolute values of the terms of L[δ]."""
        source, slopes = self.affine(points)
        return np.abs(source) + sum(np.abs(values * jets[jet]) for jet, values in slopes.items())
