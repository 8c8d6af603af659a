# SPDX-License-Identifier: MIT
"""When what is given on a box jumps or changes fast: singular times of formulas, and those at which functions and tables of the user are thin."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lrfm.adapt.given import Pace, distinct, smooth, thin
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.options import SAFEGUARDS, SCANS
from lrfm.problem import Row
from lrfm.problem.algebra import Expr
from lrfm.problem.landmarks import along, landmarks


class GivenOnBox:
    """The equations of a statement on a box, as functions of time at some places."""

    def __init__(self, system: EvolutionSystem):
        self.system = system
        self.box, (self.start, self.end) = system.problem.domain, system.problem.time

    @cached_property
    def _formulas(self) -> list[Expr]:
        return [row.expression for row in self.system.problem.all_rows]

    @cached_property
    def _named(self) -> np.ndarray:
        """Points of space and time that formulas name."""
        lower, upper = np.append(self.box.lower, self.start), np.append(self.box.upper, self.end)
        return landmarks(self._formulas, (*self.box.names, "t"), lower, upper)

    @cached_property
    def _places(self) -> np.ndarray:
        """Where changes in time are looked at."""
        unit = np.random.default_rng(0).random((SCANS.along, self.box.dimension))
        inner = self.box.lower + (self.box.upper - self.box.lower) * unit
        return np.vstack([inner, self._named[: SAFEGUARDS.singular_points, :-1]])

    @cached_property
    def _rows(self) -> list[tuple[Row, tuple[int, float] | None]]:
        """Equations and conditions, these with the axis of their wall and where it is."""
        found: list[tuple[Row, tuple[int, float] | None]] = [(row, None) for row in self.system.equations]
        for c in self.system.conditions:
            found.append((c.row, (c.axis, float((self.box.upper if c.upper else self.box.lower)[c.axis]))))
        return found

    @cached_property
    def named_times(self) -> np.ndarray:
        """Times inside of the time span at which something given has a top, a pole, a jump or a kink, or is thin."""
        if self.system.autonomous:
            return np.zeros(0)
        found = [along(self._formulas, "t", self.start, self.end), self._named[:, -1]]
        if any(row.functions for row, _ in self._rows):
            grid = np.linspace(self.start, self.end, SCANS.axis + 1)
            with np.errstate(all="ignore"):
                found.append(thin(grid, self._all_in_time))
        return distinct(np.concatenate(found), self.start, self.end)

    @cached_property
    def times(self) -> np.ndarray:
        """Singular times: those at which something given is not smooth, and the integration begins anew."""
        at = self.named_times
        return at[~smooth(at, self._all_in_time, self.start, self.end)]

    def _all_in_time(self, t: np.ndarray) -> np.ndarray:
        """Everything given that changes in time: (functions at places, times)."""
        return np.concatenate([np.zeros((1, len(t))), *self.in_time(t)])

    def in_time(self, times: np.ndarray) -> list[np.ndarray]:
        """Everything given that changes in time, at some places: for each function (places, times)."""
        places, found = self._places, []
        for row, wall in self._rows:
            if not row.time_dependent:
                continue
            points = np.column_stack([np.repeat(places, len(times), axis=0), np.tile(times, len(places))])
            if wall is not None:
                points[:, wall[0]] = wall[1]
            for values in row.given(points):
                found.append(np.where(np.isfinite(values), values, 0.0).reshape(len(places), len(times)))
        return found

    @cached_property
    def _pace(self) -> Pace:
        return Pace(self)

    def limit(self, time: float) -> float:
        """The longest step from a time that passes over nothing given."""
        return np.inf if self.system.autonomous else self._pace.limit(time)
