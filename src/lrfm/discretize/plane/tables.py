# SPDX-License-Identifier: MIT
"""Values at points of cells and faces in the shapes in which rows and matrices take them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lrfm.discretize.line.collocation import Jets
from lrfm.discretize.plane.layout import PlaneLayout
from lrfm.problem import Jet, Row
from lrfm.spaces.cells.plane.space import Batch, PlaneCells, slopes_of

Terms = dict[tuple[int, int], list[tuple[Jet, tuple[int, ...]]]]


def spacetime(points: np.ndarray, times: np.ndarray) -> np.ndarray:
    """All points (cells, n, d) at all times, (times·cells·n, d + 1)."""
    flat = points.reshape(-1, points.shape[-1])
    return np.column_stack([np.tile(flat, (len(times), 1)), np.repeat(times, len(flat))])


class Tables(dict[tuple[int, ...], np.ndarray]):
    """Tables of a batch by derivative; those of second order are made when they are asked for."""

    def __init__(self, batch: Batch, mesh: PlaneCells):
        super().__init__(zip(slopes_of(len(batch.slopes)), (batch.values, *batch.slopes), strict=True))
        self.batch, self.mesh = batch, mesh

    def __missing__(self, order: tuple[int, ...]) -> np.ndarray:
        alike = len(self.batch.values) == 1 < len(self.batch.cells)  # cells of one size have one table
        some = slice(0, 1) if alike else slice(None)
        self[order] = self.mesh.table(self.batch.cells[some], self.batch.points[some], order)
        return self[order]


def flattened(jets: Jets) -> Jets:
    """Values as one line, as formulas take them."""
    return {jet: v.ravel() if v.ndim else v for jet, v in jets.items()}


def grouped(layout: PlaneLayout, jets: Iterable[Jet]) -> Terms:
    """Jets by field and power, with their derivatives in space."""
    found: Terms = {}
    for jet in jets:
        field, _, order, power = layout.powers[jet]
        found.setdefault((field, power), []).append((jet, order))
    return found


def by_points(value: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A slope at points as a factor of tables."""
    return value.reshape(shape)[..., None] if value.ndim else value


def row_values(row: Row, points: np.ndarray, jets: Jets, shape: tuple[int, ...]) -> np.ndarray:
    """F of a row at points, in some shape."""
    found = row.residual_of(row.known(points), flattened(jets))
    return np.broadcast_to(found.reshape(shape) if found.ndim else found, shape)
