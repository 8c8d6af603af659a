# SPDX-License-Identifier: MIT
"""u(x, t) on cells of equal size in a box:  ū + Σ_k √3 s_k ξ_k  in a cell,  −1 ≤ ξ_k ≤ 1,  linear in time on each step.

Means and slopes are kept at the ends of steps in single precision: what finite volumes leave open where a solution jumps is larger by orders of magnitude.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.problem import Jet
from lrfm.rows.pieces import InSteps
from lrfm.spaces.cells.grid import Grid

ROOT = np.sqrt(3.0)


@dataclass(frozen=True)
class GridSteps(InSteps):
    """Steps in a row on the same cells.

    Parameters
    ----------
    fields
        Names of real fields.
    edges
        Times at which steps begin and end.
    lower, upper, counts, periodic
        The box, how many cells there are along each axis, and whether its ends are one.
    states
        ū and s_k at each of these times: (times, fields, cells, 1 + axes).
    """

    fields: tuple[str, ...]
    edges: np.ndarray
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    counts: tuple[int, ...]
    periodic: tuple[bool, ...]
    states: np.ndarray

    @staticmethod
    def from_record(
        fields: Sequence[str],
        edges: np.ndarray,
        lower: Sequence[float],
        upper: Sequence[float],
        counts: Sequence[int],
        periodic: Sequence[bool],
        states: np.ndarray,
    ) -> GridSteps:
        """Build again what `record` wrote; ValueError where its parts do not belong together."""
        if not fields or len(set(fields)) != len(fields):
            raise ValueError("fields are missing, or there twice")
        if edges.ndim != 1 or len(edges) < 2 or not np.all(np.diff(edges) > 0):
            raise ValueError("`edges` are not increasing times")
        whole = all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in counts)
        if not whole or not len(counts) == len(lower) == len(upper) == len(periodic):
            raise ValueError("`counts` are no numbers of cells along axes")
        if not all(np.isfinite([*lower, *upper])) or not all(
            a < b for a, b in zip(lower, upper, strict=True)
        ):
            raise ValueError("`lower` and `upper` are no corners of a box")
        made = GridSteps(
            tuple(fields),
            edges,
            tuple(lower),
            tuple(upper),
            tuple(counts),
            tuple(map(bool, periodic)),
            states,
        )
        if states.shape != (len(edges), len(fields), made.grid.size, 1 + len(counts)):
            raise ValueError("`states` has other cells")
        if not np.all(np.isfinite(states)):
            raise ValueError("`states` has values that are no numbers")
        return made

    def record(self) -> dict[str, object]:
        """The piece as plain arrays and numbers for a file."""
        return {
            "fields": list(self.fields),
            "edges": self.edges,
            "lower": list(self.lower),
            "upper": list(self.upper),
            "counts": list(self.counts),
            "periodic": list(self.periodic),
            "states": self.states,
        }

    @cached_property
    def grid(self) -> Grid:
        """The cells."""
        return Grid(self.lower, self.upper, self.counts, self.periodic)

    def cells_at(self, time: float) -> np.ndarray:
        """x₀, x₁, y₀, y₁, … of the cells: (cells, 2d)."""
        lower = (self.grid.centers - 0.5 * self.grid.widths[:, None]).T
        return np.stack([lower, lower + self.grid.widths], axis=2).reshape(len(lower), -1)

    straight = True  # cells hold straight lines alone

    def edges_along(self, time: float) -> list[np.ndarray]:
        """Edges of cells along each axis at a time."""
        ends = zip(self.lower, self.upper, self.counts, strict=True)
        return [np.linspace(low, high, n + 1) for low, high, n in ends]

    def on_grid(
        self, jets: Iterable[Jet], places: Sequence[np.ndarray], times: np.ndarray
    ) -> dict[Jet, np.ndarray]:
        """D^a of fields on products of places, each (times, n₁, …)."""
        along = [self.grid.located(axis, x) for axis, x in enumerate(places)]
        cells, shape = np.ix_(*(cell for cell, _ in along)), tuple(map(len, places))
        inside = np.meshgrid(*(place for _, place in along), indexing="ij", sparse=True)
        step = np.searchsorted(self.edges[1:-1], times, side="right")
        found = {jet: np.zeros((len(times), *shape)) for jet in jets}
        for i, (k, t) in enumerate(zip(step, times, strict=True)):
            for jet, values in found.items():
                field, (*space, rate) = self.number(jet.field), jet.index
                if sum(space) > 1 or rate > 1:
                    continue
                # Cells first, then places: between two steps there are fewer cells than places to look at.
                own = self._in_time(field, int(k), t, rate).reshape(*self.counts, -1)
                if sum(space) == 1:
                    axis = space.index(1)
                    values[i] = own[..., 1 + axis][cells] * (2 * ROOT / self.grid.widths[axis])
                    continue
                values[i] = own[..., 0][cells]
                for axis, place in enumerate(inside):
                    values[i] += own[..., 1 + axis][cells] * (ROOT * place)
        return found

    def _in_time(self, field: int, step: int, time: float, rate: int) -> np.ndarray:
        """Means and slopes of a field, or their rates, at a time within a step: (cells, 1 + axes)."""
        first, last = (self.states[step + k, field].astype(float) for k in (0, 1))
        h = self.edges[step + 1] - self.edges[step]
        return (last - first) / h if rate else first + (time - self.edges[step]) / h * (last - first)

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of fields at points (n, d + 1), time last: beyond first derivatives along each axis they vanish."""
        step = np.searchsorted(self.edges[1:-1], points[:, -1], side="right")
        cell, place = self.grid.locate(points[:, :-1])
        return {jet: self._between(jet, step, points[:, -1], cell, place) for jet in jets}

    def _between(
        self,
        jet: Jet,
        step: np.ndarray | int,
        time: np.ndarray | float,
        cell: np.ndarray,
        place: np.ndarray,
    ) -> np.ndarray:
        """D^a of a field at times within steps, at places in cells."""
        field, (*space, rate) = self.number(jet.field), jet.index
        if sum(space) > 1 or rate > 1:
            return np.zeros(len(cell))
        h = self.edges[np.add(step, 1)] - self.edges[step]
        tau = (time - self.edges[step]) / h
        first, last = (self._at(field, np.add(step, k), cell, place, space) for k in (0, 1))
        return (last - first) / h if rate else (1 - tau) * first + tau * last

    def _at(
        self,
        field: int,
        number: np.ndarray | int,
        cell: np.ndarray,
        place: np.ndarray,
        orders: Sequence[int],
    ) -> np.ndarray:
        """D^a in space at the ends of steps."""
        own = self.states[number, field, cell].astype(float)
        if sum(orders) == 1:
            axis = orders.index(1)
            return own[:, 1 + axis] * (2 * ROOT / self.grid.widths[axis])
        return own[:, 0] + ROOT * np.einsum("nk,nk->n", own[:, 1:], place)
