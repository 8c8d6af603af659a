# SPDX-License-Identifier: MIT
"""What a statement in the plane or in space is given, as functions of places and time, with the places at which it is thin."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lrfm.adapt.given import Given, _depends
from lrfm.discretize.options import SCANS
from lrfm.discretize.plane.dividers import lattice
from lrfm.problem import Row
from lrfm.problem.algebra import Expr
from lrfm.problem.landmarks import landmarks
from lrfm.problem.resolved import changed_places, named_places


class PlaneGiven(Given):
    """Initial data and given functions of a statement in the plane or in space: x are places (n, d)."""

    @cached_property
    def _varying(self) -> list[Row]:
        """Equations with something given that depends on the place."""
        return [row for row in self._rows if any(_depends(row, name) for name in self.box.names)]

    @cached_property
    def _at_ends(self) -> list[Expr]:
        """Formulas of the conditions."""
        return [row.expression for rows in self.system.problem.face_rows.values() for row in rows]

    @cached_property
    def _moving_landmarks(self) -> np.ndarray:
        """(x, t) of what formulas name."""
        lower = np.array([*self.box.lower, self.start])
        upper = np.array([*self.box.upper, self.end])
        return landmarks(self._inside, (*self.box.names, "t"), lower, upper)[:, [0, -1]]

    @cached_property
    def places(self) -> np.ndarray:
        """Where given functions are looked at beside points of cells: what formulas name, and a grid."""
        low, high = np.array(self.box.lower), np.array(self.box.upper)
        named = landmarks([*self._inside, *self._at_start], self.box.names, low, high)
        grid = lattice(self.box.dimension)
        found = np.vstack([named, low + (high - low) * grid, *self._on_lines(low, high)])
        return found[self.box.contains(found)]

    def _on_lines(self, low: np.ndarray, high: np.ndarray) -> list[np.ndarray]:
        """Places of some lines of the plane along each axis that formulas name, and at which functions change from place to place: what is thin along a line or a curve is met in all boxes that it crosses."""
        found: list[np.ndarray] = []
        if self.box.dimension != 2:
            return found
        formulas, names = [*self._inside, *self._at_start], (*self.box.names, "t")
        unit = (np.arange(SCANS.along) + 0.5) / SCANS.along
        for axis in range(2):
            through = np.full((SCANS.along, 3), float(self.start))
            through[:, axis], through[:, 1 - axis] = (
                low[axis],
                (low + (high - low) * unit[:, None])[:, 1 - axis],
            )
            named = named_places(formulas, names, through, axis, float(low[axis]), float(high[axis]))
            for line, places in zip(through[:, :2], named, strict=True):

                def at(x: np.ndarray, line: np.ndarray = line, axis: int = axis) -> np.ndarray:
                    points = np.repeat(line[None], len(x), axis=0)
                    points[:, axis] = x
                    return points

                def values(x: np.ndarray, at=at) -> np.ndarray:
                    return np.concatenate([self.functions(at(x), self.start), self.initial(at(x))])

                more = changed_places(values, float(low[axis]), float(high[axis]), SCANS.axis)
                found.append(at(np.array([*places, *more])))
        return found

    @cached_property
    def _boundary(self) -> dict[str, np.ndarray]:
        """Some points of each part of the boundary."""
        return {name: part.quadrature(SCANS.along).points for name, part in self.box.parts.items()}

    @cached_property
    def driven(self) -> np.ndarray:
        """What data of conditions and sources make of each component, at the most: max |g| of u = g, T max |s| of u_t = s."""
        times = np.linspace(self.start, self.end, SCANS.along)
        at = _product(self.places, times)
        return self._driven_by(
            lambda c: _product(self._boundary[c.part], times),
            lambda row: float(np.max(np.abs(row.affine(at)[0]), initial=0.0)),
        )

    def _looked_at(self, unnamed: bool) -> list[tuple[Row, np.ndarray]]:
        """Equations at some places inside, conditions at some of their parts."""
        count = SCANS.along if unnamed else SCANS.along**2  # the scan of users' functions has many more times
        rows = [(row, self.places) for row in self._rows]
        rows += [(c.row, self._boundary[c.part]) for c in self.system.conditions]
        return [(row, places[:: -(-len(places) // count)]) for row, places in rows]


def _product(places: np.ndarray, times: np.ndarray) -> np.ndarray:
    """All places at all times."""
    return np.column_stack([np.tile(places, (len(times), 1)), np.repeat(times, len(places))])
