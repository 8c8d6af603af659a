# SPDX-License-Identifier: MIT
"""What is given of a conservation law, on cells that resolve it; and cells that follow a smooth solution, as in `lrfm.adapt.cells`:

η_k = √(h_k/L (a²_{n−1} + [u]²/(2n − 1)))/‖u‖,   [u] the larger one of the jumps at both edges of a cell.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lrfm.adapt.cells import LEAST, Change, Progress
from lrfm.adapt.given import Given
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.laws.boundary_flux import BoundaryFlux
from lrfm.discretize.laws.flux_cells import FluxCells
from lrfm.discretize.laws.law import Law, NoStates
from lrfm.discretize.options import ROUNDING, SCAN, SCANS, SHOCKS, Options
from lrfm.linalg.deadline import check_deadline
from lrfm.problem import Row
from lrfm.problem.conservation import ConservationLaw
from lrfm.spaces.cells import Mesh, Regrid
from lrfm.spaces.cells.lobatto import lobatto
from lrfm.spaces.cells.reference import halves, joining, nodes, table


class Unfiltered:
    """Errors of a law in which nothing is damped."""

    def rough(self, made: Any, y: np.ndarray) -> np.ndarray:
        """Nothing is damped."""
        return np.zeros_like(y)

    def marked(self, worst: np.ndarray, budget: float, growth: np.ndarray | float = 1.0) -> np.ndarray:
        """Errors by cell as they are."""
        return worst


@dataclass(frozen=True)
class LawData:
    """What is given of a conservation law, on cells with edges at its jumps; `sizes` of the quantities are those of an earlier solve."""

    system: EvolutionSystem
    form: ConservationLaw
    given: Given
    options: Options
    count: int
    sizes: np.ndarray | None = None

    @cached_property
    def law(self) -> Law:
        """The law, ready to be evaluated."""
        return Law(self.form, (self.system.problem.domain.names[0], "t"))

    @cached_property
    def ends(self) -> tuple[BoundaryFlux, ...]:
        """Fluxes through the lower and the upper end."""
        return tuple(BoundaryFlux(self.law, rows, at, side) for rows, at, side in self.faces)

    @property
    def faces(self) -> list[tuple[Sequence[Row], float, int]]:
        """Conditions, place and side of the lower and the upper end."""
        (name,), rows = self.system.problem.domain.names, self.system.problem.face_rows
        ends = zip("-+", self._interval, (-1, 1), strict=True)
        return [(rows.get(f"{name}{end}", ()), at, side) for end, at, side in ends]

    @property
    def _interval(self) -> tuple[float, float]:
        box = self.system.problem.domain
        return float(box.lower[0]), float(box.upper[0])

    @cached_property
    def _roots(self) -> Mesh:
        low, high = self._interval
        singular = np.array([low, *self.jumps, high])
        parts = [
            np.linspace(a, b, self.options.first_cells + 1)[:-1] for a, b in itertools.pairwise(singular)
        ]
        return Mesh.of(np.append(np.concatenate(parts), high), bool(self.system.problem.periodic))

    @cached_property
    def jumps(self) -> np.ndarray:
        """Places at which initial data, coefficients or sources jump."""
        at, (low, high) = self.given.places, self._interval
        if not len(at):
            return at
        near = ROUNDING.root * (high - low)

        def given(x: np.ndarray) -> np.ndarray:
            return np.concatenate([self.given.initial(x), self.given.functions(x, self.given.start)])

        # Measured by what is given everywhere: a wave whose only singular place is its zero differs from side to side by all that it is there.
        seen = given(np.concatenate([at - near, at + near, np.linspace(low, high, SCANS.coarse)]))
        left, right = seen[:, : len(at)], seen[:, len(at) : 2 * len(at)]
        scale = np.maximum(np.nanmax(np.abs(seen), axis=1), np.finfo(float).tiny)
        return at[np.any(np.abs(right - left) > SCAN.same * scale[:, None], axis=0)]

    @property
    def enters(self) -> bool:
        """Whether a jump comes in through an end: at the start, or where data of a condition jump. One of a linear law stays as it is: below the tolerance it is let be."""
        if self.system.problem.periodic:
            return False
        start, least = self.given.start, SCAN.same * self.start_sizes
        near = ROUNDING.root * (self.given.end - start)
        with np.errstate(all="ignore"):
            at_ends = list(zip(self.ends, self.conserved(np.array(self._interval)).T, strict=True))
            if self.law.linear:
                times = np.linspace(start, self.given.end, SCANS.coarse)
                met = [np.abs(end.met(q, t)) for end, q in at_ends if end.count for t in times]
                least = self.options.tol * np.max([self.start_sizes, *met], axis=0)
            return any(
                end.enters(q, start, least)
                or any(
                    np.any(np.abs(end.met(q, t + near) - end.met(q, t - near)) > least)
                    for t in self.given.times
                )
                for end, q in at_ends
                if end.count
            )

    def meet(self, span: tuple[float, float]) -> bool:
        """Whether the speeds of waves at the start fall along x so fast that some meet within the time span."""
        if self.law.linear:
            return False
        low, high = self._interval
        x = np.linspace(low, high, SCANS.axis)
        with np.errstate(all="ignore"):
            q = self.conserved(x)
            found = self.law.jacobian(q, x, span[0]).reshape(self.law.size, self.law.size, -1)
        if not np.all(np.isfinite(found)):
            return False
        speeds = np.sort(np.linalg.eigvals(found.transpose(2, 0, 1)).real, axis=1)
        steepest = float(np.min(np.diff(speeds, axis=0))) / (x[1] - x[0])
        return -steepest * (span[1] - span[0]) > 1

    def _missed(self, mesh: Mesh, y: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Cells with a singular place of the data at which they are far from these, however narrow it is."""
        missed = np.zeros(mesh.size, dtype=bool)
        at = np.setdiff1d(self.given.places, self.jumps)
        if len(at):
            cell, place = mesh.locate(at)
            found = np.einsum("cps,ps->cp", y[:, cell], table(place, self.count))
            gap = np.max(np.abs(found - self.conserved(at)) / sizes[:, None], axis=0)
            missed[cell[gap * mesh.widths[cell] > self._budget * np.sum(mesh.widths)]] = True
        return missed

    @cached_property
    def _protected(self) -> np.ndarray:
        """Edges on which coefficients and sources are resolved, which are not joined."""
        mesh, start = self._roots, self.given.start
        while True:
            found = self._projected(mesh, lambda x: self.given.functions(x, start))
            sizes = np.maximum(np.max(np.abs(found), axis=(1, 2), initial=0.0), np.finfo(float).tiny)
            rough = np.any(self._last(found) > self._budget * sizes[:, None], axis=0)
            rough &= mesh.level < self.options.deepest  # a pole is resolved on no cells
            if not rough.any() or mesh.size > self.options.most_cells:
                return mesh.edges
            check_deadline()
            mesh, _ = mesh.regrid(rough, np.zeros(mesh.size, dtype=bool))

    @cached_property
    def resolved(self) -> tuple[Mesh, np.ndarray]:
        """Cells on which data are resolved, with edges at their jumps, and the state there."""
        mesh, sizes = self._roots, self.start_sizes[:, None]
        while True:
            y = self._projected(mesh, self.conserved)
            q, x = self.values(y).reshape(len(y), -1), mesh.places(lobatto(self.count).points).ravel()
            with np.errstate(all="ignore"):
                if not self.law.begin(q, x, self.given.start):
                    raise NoStates(self._no_states(q, x))
            tails = np.max(self._last(y) / sizes, axis=0) * np.sqrt(mesh.widths / np.mean(mesh.widths))
            change = split(mesh, tails / (SHOCKS.calm * self._budget), self.options)
            rough = np.zeros(mesh.size, dtype=bool) if change is None else change.split
            rough |= (self._protected_cells(mesh) > 0) | self._missed(mesh, y, self.start_sizes)
            rough &= mesh.level <= self.options.deepest
            if not rough.any() or mesh.size > self.options.most_cells:
                return mesh, y
            check_deadline()
            mesh, _ = mesh.regrid(rough, np.zeros(mesh.size, dtype=bool))

    def values(self, y: np.ndarray) -> np.ndarray:
        """At the points of cells, from coefficients (…, cells, size)."""
        return y @ lobatto(self.count).values.T

    def _no_states(self, q: np.ndarray, x: np.ndarray) -> str:
        """A sentence about data that are no states of the law."""
        found = self.law.speeds(q, x, self.given.start)
        at = x[[int(np.argmin(np.isfinite(found)))]]
        values = zip(self.form.fields, self.given.initial(at)[:, 0], strict=True)
        told = ", ".join(f"`{name}` = {value:.3g}" for name, value in values)
        return (
            f"Near {self.system.problem.domain.names[0]} = {at[0]:.3g} the initial data are no state of this conservation law ({told}): what must keep its sign, such as a depth or "
            "a density, vanishes or changes it there, or speeds of waves are not real."
        )

    def _protected_cells(self, mesh: Mesh) -> np.ndarray:
        """How many protected edges lie inside of each cell."""
        inner = self._protected
        near = self.options.same_edge * np.min(mesh.widths)
        return np.searchsorted(inner, mesh.edges[1:] - near) - np.searchsorted(inner, mesh.edges[:-1] + near)

    @cached_property
    def start_sizes(self) -> np.ndarray:
        """Means of |q| at the start, of what is narrow where nothing else is there, and of all quantities together where one is zero."""
        if self.sizes is not None:
            return self.sizes
        low, high = self._interval
        x, at = np.linspace(low, high, SCANS.axis), np.array([low, *self.given.places, high])
        own = np.mean(np.abs(self.conserved(x)), axis=1)
        between = np.abs(self.conserved(0.5 * (at[1:] + at[:-1]))) @ np.diff(at) / (high - low)
        own = np.where(own > 0, own, between)
        return np.where(own > 0, own, max(float(np.max(own)), np.finfo(float).tiny))

    def conserved(self, x: np.ndarray) -> np.ndarray:
        """What is conserved, at the start."""
        with np.errstate(all="ignore"):
            return self.law.conserved(self.given.initial(x), x, self.given.start)

    def _projected(self, mesh: Mesh, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Coefficients (functions, cells, size) by Gauss' formula: no point is on an edge."""
        points, weights = nodes(self.count, 0)
        values = function(mesh.places(points).ravel())
        return (values.reshape(len(values), mesh.size, self.count) * weights) @ table(points, self.count)

    @property
    def _budget(self) -> float:
        return self.options.space_share * self.options.tol

    @staticmethod
    def _last(y: np.ndarray) -> np.ndarray:
        return np.sqrt(np.sum(y[..., -2:] ** 2, axis=-1))

    def moving_tails(self, mesh: Mesh, time: float) -> np.ndarray:
        """The same of the polynomials of any cells."""
        if not self.given.moving:
            return np.zeros(mesh.size)
        found = self._projected(mesh, lambda x: self.given.functions(x, time, only_moving=True))
        shares = mesh.widths / np.sum(mesh.widths)
        own = np.maximum(np.sqrt(np.sum(found**2, axis=2)) @ shares, np.finfo(float).tiny)
        tail = self._last(found) / own[:, None]
        return np.max(tail, axis=0, initial=0.0) * np.sqrt(shares * mesh.size)

    @property
    def narrowest(self) -> float:
        """Width of the narrowest cell on which coefficients and sources are resolved; where there are none, all of the interval."""
        low, high = self._interval
        if not len(self.given.functions(np.array([low]), self.given.start)):
            return high - low
        return float(np.min(np.diff(self._protected)))

    def away(self, mesh: Mesh, pairs: np.ndarray) -> np.ndarray:
        """Those of the left halves whose right edges may go: coefficients and sources are resolved without them."""
        gaps = np.abs(self._protected[None, :] - mesh.edges[pairs + 1][:, None])
        return pairs[np.min(gaps, axis=1, initial=np.inf) > self.options.same_edge * mesh.widths[pairs]]


@dataclass(frozen=True)
class FluxAdapter(Unfiltered):
    """Makes the first cells of a smooth solution, and changes them."""

    data: LawData

    @property
    def options(self) -> Options:
        return self.data.options

    @property
    def driven(self) -> np.ndarray:
        """What data make of each quantity at the most."""
        return self.data.given.driven

    def initial(self) -> tuple[Mesh, np.ndarray]:
        """Cells on which data are resolved, and the state there."""
        return self.data.resolved

    def discretize(self, mesh: Mesh) -> FluxCells:
        """The law on some cells."""
        data = self.data
        return FluxCells(data.law, mesh, data.count, data.ends, data.system)

    def tails(self, made: FluxCells, y: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """What each cell leaves out of each quantity, relative to its size; all cells at the budget are the budget together."""
        # The last coefficient, and what neighbors do not agree on: an even function has no odd one.
        tails = np.sqrt(y[..., -1] ** 2 + made.jumps(made.values(y)) ** 2 / (2 * made.count - 1))
        return tails / sizes[:, None] * np.sqrt(made.shares * made.mesh.size)

    def given_tails(self, made: FluxCells, time: float) -> np.ndarray:
        """What cells leave out of given functions that move, relative to themselves."""
        return self.data.moving_tails(made.mesh, time)

    def refinement(self, mesh: Mesh, tails: np.ndarray, y: np.ndarray | None = None) -> Change | None:
        """Cells above the budget, and wide neighbors of narrow ones."""
        return split(mesh, tails, self.options)

    def following(
        self, made: FluxCells, state: Progress, sizes: np.ndarray, refinement: Change | None
    ) -> Change | None:
        """What is split, and what can be joined."""
        none = np.zeros(made.mesh.size, dtype=bool)
        split = none if refinement is None else refinement.split
        join = self._joins(made, state.y, sizes) if state.steps % SHOCKS.join_every == 0 else none
        join = join & ~(split | np.roll(split, 1) | np.roll(split, -1))
        return Change(split, join) if split.any() or join.any() else None

    def _joins(self, made: FluxCells, y: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Left halves that may be joined with their right ones: resolved by far."""
        mesh, count, join = made.mesh, made.count, np.zeros(made.mesh.size, dtype=bool)
        pairs = mesh.siblings
        if mesh.size - 1 < LEAST or not len(pairs):
            return join
        # A joined cell is at most twice as wide as its neighbors.
        narrow = np.minimum(mesh.widths[pairs - 1], mesh.widths[(pairs + 2) % mesh.size])
        pairs = self.data.away(mesh, pairs[mesh.widths[pairs] <= self.options.neighbor * narrow])
        left, right = y[:, pairs], y[:, pairs + 1]
        whole = np.concatenate([left, right], axis=-1) @ joining(count, 0).T
        parts = halves(count)
        gap = np.sum((whole @ parts[0].T - left) ** 2, axis=-1) + np.sum(
            (whole @ parts[1].T - right) ** 2, axis=-1
        )
        cost = np.maximum(np.sqrt(gap / 2), np.abs(whole[..., -1])) / sizes[:, None]
        cost = np.max(cost, axis=0) * np.sqrt(2 * made.shares[pairs] * mesh.size)
        join[pairs[cost < self.options.calm * self.options.space_share * self.options.tol]] = True
        return join

    def changed(self, mesh: Mesh, change: Change) -> tuple[Mesh, Callable[[np.ndarray], np.ndarray]]:
        """Other cells, and what takes coefficients to them: means are kept."""
        other, regrid = mesh.regrid(change.split, change.join)
        return other, lambda arrays: self._moved(regrid, arrays)

    def _moved(self, regrid: Regrid, arrays: np.ndarray) -> np.ndarray:
        count = self.data.count
        together = joining(count, 0).T
        return regrid.apply(arrays, halves(count), lambda a, b: np.concatenate([a, b], axis=-1) @ together)


def split(mesh: Mesh, tails: np.ndarray, options: Options) -> Change | None:
    """Cells above the budget, and wide neighbors of narrow ones; None where there are none, or too many."""
    if mesh.size > options.most_cells:
        return None
    split = (tails > 1) & (mesh.level < options.deepest)
    widths = np.where(split, 0.5 * mesh.widths, mesh.widths)
    before, after = np.roll(widths, 1), np.roll(widths, -1)
    if not mesh.periodic:
        before[0] = after[-1] = np.inf
    beside = np.roll(split, 1) | np.roll(split, -1)
    split = split | (beside & (mesh.widths > options.neighbor * np.minimum(before, after)))
    return Change(split, np.zeros_like(split)) if split.any() else None


def coefficients_for(options: Options) -> int:
    """Coefficients per cell: even, so that the last function is odd and sees a jump in the middle of a cell."""
    wanted = min(options.points(0) - options.comparison, SHOCKS.degrees)
    return wanted + wanted % 2 + 2 * options.comparison
