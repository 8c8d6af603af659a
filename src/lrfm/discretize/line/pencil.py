# SPDX-License-Identifier: MIT
"""A(s) = Σ_p s^p B_p, linearized at one state, for the shifts s = hλ of a time scheme; a row without rates is divided by its lowest power of s."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lrfm.discretize.options import SAFEGUARDS
from lrfm.linalg.banded import Solve

if TYPE_CHECKING:
    from lrfm.discretize.line.collocation import CellCollocation


class Pencil:
    """A(s) = Σ_p s^p B_p, linearized at one state; `mass` applies B₀ to rates."""

    rate = 1.0  # of Newton's method, before it has shown one

    def __init__(self, discretization: CellCollocation, values: np.ndarray):
        self._made, self._values = discretization, values
        self._factors: dict[complex, Solve] = {}

    def at(self, shift: complex) -> Solve:
        """The solution of A(s) z = r; each shift is factored once, a real one in real numbers."""
        shift = complex(shift) if np.imag(shift) else float(np.real(shift))
        found = self._factors.pop(shift, None)
        if found is None:
            total = self._values[-1]
            for values in self._values[-2::-1]:
                total = shift * total + values
            # Every step size has shifts of its own, and what an equation leaves of an error asks for a dozen more: those that were used last are kept.
            while len(self._factors) >= SAFEGUARDS.factors and len(self._factors) >= self._most:
                self._factors.pop(next(iter(self._factors)))
            # Rows are divided by their lowest powers of s.
            scale = ((1.0 / shift) ** np.arange(max(len(self._values), 2)))[self._made.lowest]
            solve = self._made.solver.factor(total)
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
