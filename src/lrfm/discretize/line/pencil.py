# SPDX-License-Identifier: MIT
"""Residuals of all rows at some times, and their matrices  A(s) = Σ_p s^p B_p, linearized at one state, for the shifts s = hλ of a time scheme; a row without rates is divided by its lowest power of s."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lrfm.discretize.options import SAFEGUARDS
from lrfm.linalg.banded import Solve

if TYPE_CHECKING:
    from lrfm.discretize.line.collocation import CellCollocation
from lrfm.problem import Row


class Pencil:
    """A(s) = Σ_p s^p B_p, linearized at one state; `mass` applies B₀ to rates."""

    rate = 1.0  # of Newton's method, before it has shown one

    def __init__(self, discretization: CellCollocation, values: Sequence[np.ndarray]):
        self._made, self._values = discretization, values
        self._factors: dict[complex, Solve] = {}

    def at(self, shift: complex, kind: type = float) -> Solve:
        """The solution of A(s) z = r; each shift is factored once, a real one in real numbers of some precision."""
        shift = complex(shift) if np.imag(shift) else float(np.real(shift))
        found = self._factors.pop(shift, None)
        if found is None:
            total = self._values[-1]
            for values in reversed(self._values[:-1]):
                total = shift * total + values
            # Every step size has shifts of its own, and what an equation leaves of an error asks for a dozen more: those that were used last are kept.
            while len(self._factors) >= SAFEGUARDS.factors and len(self._factors) >= self._most:
                self._factors.pop(next(iter(self._factors)))
            # Rows are divided by their lowest powers of s.
            scale = ((1.0 / shift) ** np.arange(max(len(self._values), 2)))[self._made.lowest]
            solve = self._made.solver.factor(
                total if np.iscomplexobj(total) else total.astype(kind, copy=False)
            )
            found = lambda r: solve(r * (scale if r.ndim == 1 else scale[:, None]))  # noqa: E731
        self._factors[shift] = found
        return found

    roughly = at  # the same: factors cost more than their use

    @property
    def _most(self) -> float:
        """How many factors are kept; a solver that does not say what they hold is taken to have no fill-in."""
        fill = getattr(self._made.solver, "fill", self._values[0].size)
        return max(SAFEGUARDS.factors, SAFEGUARDS.numbers / fill)

    def entries(self, power: int) -> np.ndarray:
        """Of B_p, in the order of `rows` and `columns`."""
        return self._values[power]

    def rates(self, right: np.ndarray) -> np.ndarray:
        """The limit s → 0: rates with given right sides, those of rows without rates differentiated in time."""
        return self._made.solver.factor(self._values[0])(right)

    def apply(self, vector: np.ndarray, power: int) -> np.ndarray:
        """B_p v of the rows in which rates occur; zero in all others."""
        made = self._made
        if power >= len(self._values):
            return np.zeros(made.size)
        found = np.bincount(made.rows, self._values[power] * vector[made.columns], minlength=made.size)
        return np.where(made.lowest == 0, found, 0.0)


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
