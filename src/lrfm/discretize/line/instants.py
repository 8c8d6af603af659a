# SPDX-License-Identifier: MIT
"""Residuals F(x, t, D^a y, D^a y′) of all rows at some times: equations at points of cells, joints, conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lrfm.problem import Row

if TYPE_CHECKING:
    from lrfm.discretize.line.collocation import CellCollocation


class Instants:
    """The rows of a discretization at some times."""

    def __init__(self, made: CellCollocation, times: np.ndarray):
        self.made, self.times = made, times
        self._equations = []
        for i, row in enumerate(made.system.equations):
            place = made.layout.place_of(i)
            self._equations.append(
                (row, place, made.bound(("row", i, "value"), row, times, place, Row.residual_at))
            )
        self._conditions = [
            made.bound(("end", n, "value"), c.row, times, c.place, Row.residual_at)
            for n, c in enumerate(made.system.conditions)
        ]

    def residual(self, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """F of all rows: y and z are (times, components, cells, size), the result (times, n)."""
        made, count = self.made, len(self.times)
        at_y, at_z = made.derived(self.times, y, z)
        jets, read_by = made._read(at_y, at_z), made.layout.read_by
        found, end, points = np.empty((count, made.size)), 0, made.x.size
        for i, (row, place, bound) in enumerate(self._equations):
            if place is not None:
                (values,) = bound(list(made._at_place(row.jets, y, z, place).values()))
            else:
                (values,) = bound([jets[n] for n in read_by[i]])
            if i in made.lumped:
                if place is None:
                    values = np.broadcast_to(values, (count * points,)).reshape(count, -1) @ made._weights
                found[:, end], end = values, end + 1
                continue
            # What is one number everywhere is spread.
            found[:, end : end + points] = values.reshape(count, -1) if np.ndim(values) else values
            end += points
        for gap in made._gaps(at_y):
            length = gap.shape[1] * gap.shape[2]
            found[:, end : end + length], end = gap.reshape(count, -1), end + length
        for n, bound in enumerate(self._conditions):
            (found[:, end],) = bound(made._at_condition(n, at_y, at_z))
            end += 1
        return found.take(made.numbers.order, axis=1)
