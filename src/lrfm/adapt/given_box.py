# SPDX-License-Identifier: MIT
"""When what is given on a box jumps or changes fast: singular times of formulas, and those at which functions and tables of the user are thin."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lrfm.adapt.given import Given
from lrfm.discretize.options import SAFEGUARDS, SCANS
from lrfm.problem import Row
from lrfm.problem.algebra import Expr
from lrfm.problem.landmarks import landmarks


class GivenOnBox(Given):
    """The equations and conditions of a statement on a box, as functions of time at some places (n, d)."""

    @cached_property
    def _at_ends(self) -> list[Expr]:
        """Formulas of the conditions."""
        return [row.expression for rows in self.system.problem.face_rows.values() for row in rows]

    @cached_property
    def _named(self) -> np.ndarray:
        """Points of space and time that formulas name."""
        lower, upper = np.append(self.box.lower, self.start), np.append(self.box.upper, self.end)
        return landmarks([*self._inside, *self._at_ends], (*self.box.names, "t"), lower, upper)

    @property
    def _moving_landmarks(self) -> np.ndarray:  # type: ignore[override]
        return self._named[:, [0, -1]]

    @cached_property
    def _places(self) -> np.ndarray:
        """Where changes in time are looked at."""
        unit = np.random.default_rng(0).random((SCANS.along, self.box.dimension))
        inner = self.box.lower + (self.box.upper - self.box.lower) * unit
        return np.vstack([inner, self._named[: SAFEGUARDS.singular_points, :-1]])

    def _looked_at(self, unnamed: bool) -> list[tuple[Row, np.ndarray]]:
        """Equations at some places inside, conditions at these on their walls."""
        found = [(row, self._places) for row in self.system.equations]
        for c in self.system.conditions:
            places = self._places.copy()
            places[:, c.axis] = (self.box.upper if c.upper else self.box.lower)[c.axis]
            found.append((c.row, places))
        return found
