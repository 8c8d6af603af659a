# SPDX-License-Identifier: MIT
"""Cells of a conservation law: narrow at shocks, as wide as coefficients allow elsewhere.

Where a cell is resolved, its last coefficients are what it leaves out, as in `lrfm.adapt.cells`. Where it jumps, no degree helps; it costs

    η_k = c (h_k/L) σ_k/‖u‖   in L¹,   σ_k the variation in the cell,

and cells are halved until all of them together cost less than the budget. Cells beside a shock are as narrow as its own, so that it meets no wide one within a step.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.adapt.cells import LEAST, Change, Progress
from lrfm.adapt.given import Given
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.laws.boundary_flux import BoundaryFlux
from lrfm.discretize.laws.conservation import FluxCells
from lrfm.discretize.laws.law import Law, NoStates
from lrfm.discretize.options import ROUNDING, SCAN, SCANS, SHOCKS, Options
from lrfm.linalg.deadline import check_deadline
from lrfm.problem import Row
from lrfm.problem.conservation import ConservationLaw
from lrfm.spaces.cells import Mesh, Regrid
from lrfm.spaces.cells.reference import halves, joining, nodes, table


@dataclass(frozen=True)
class ShockAdapter:
    """Makes the first cells of a conservation law and changes them; `sizes` of the quantities are those of an earlier solve."""

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

    @property
    def driven(self) -> np.ndarray:
        """What data make of each quantity at the most."""
        return self.given.driven

    # The first cells ----------------------------------------------------------------------------------------

    def initial(self) -> tuple[Mesh, np.ndarray]:
        """Cells on which data are resolved, with edges at their jumps, and the state there."""
        return self._first

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
    def _first(self) -> tuple[Mesh, np.ndarray]:
        mesh, sizes = self._roots, self.start_sizes
        while True:
            y = self._projected(mesh, self.conserved)
            made = self.discretize(mesh)
            with np.errstate(all="ignore"):
                q, x = made.values(y).reshape(len(y), -1), made.x.ravel()
                if not self.law.begin(q, x, self.given.start):
                    raise NoStates(self._no_states(q, x))
                tails = np.max(self.tails(made, y, sizes), axis=0) / (SHOCKS.calm * self._budget)
            change = self.refinement(mesh, tails)
            rough = np.zeros(mesh.size, dtype=bool) if change is None else change.split
            rough |= (self._protected_cells(mesh) > 0) | self._missed(mesh, y, sizes)
            rough &= mesh.level <= self.options.deepest
            if not rough.any() or mesh.size > self.options.most_cells:
                return mesh, y
            check_deadline()
            mesh, _ = mesh.regrid(rough, np.zeros(mesh.size, dtype=bool))

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
        """Means of |q| at the start, of all quantities together where one is zero."""
        if self.sizes is not None:
            return self.sizes
        low, high = self._interval
        x = np.linspace(low, high, SCANS.axis)
        own = np.mean(np.abs(self.conserved(x)), axis=1)
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

    # Later cells --------------------------------------------------------------------------------------------

    def discretize(self, mesh: Mesh) -> FluxCells:
        """The law on some cells."""
        sizes = self.start_sizes
        ends = () if self.form.diffused else self.ends
        return FluxCells(
            self.law, mesh, self.count, ends, Options.visible * self.options.tol * sizes, self.system
        )

    @property
    def _budget(self) -> float:
        return self.options.space_share * self.options.tol

    def _last(self, y: np.ndarray) -> np.ndarray:
        return np.sqrt(np.sum(y[..., -2:] ** 2, axis=-1))

    def tails(self, made: FluxCells, y: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """What each cell leaves out of each quantity, relative to its size; all cells at the budget are the budget together."""
        v = made.values(y)
        rough = made.rough(v)
        # The last coefficient, and what neighbors do not agree on: an even function has no odd one.
        tails = np.sqrt(y[..., -1] ** 2 + made.jumps(v) ** 2 / (2 * self.count - 1))
        tails, shares = tails / sizes[:, None], made.shares * made.mesh.size
        if not rough.any():
            return tails * np.sqrt(shares)
        variation = made.variation(v) / sizes[:, None]
        shock = SHOCKS.width * variation * made.shares * rough.sum()
        # A shock stands in a cell or two. What is spread over more is steep, or a contact, and more cells resolve it.
        near = np.stack([np.roll(variation, i, axis=1) for i in range(-SHOCKS.beside, SHOCKS.beside + 1)])
        steep = np.max(near, axis=0) < SHOCKS.alone * np.sum(near, axis=0)
        tails = tails * shares  # in L¹, too
        return np.where(rough & ~steep, shock, np.where(rough, np.maximum(tails, shock), tails))

    def rough(self, made: FluxCells, y: np.ndarray) -> np.ndarray:
        """Nothing is damped."""
        return np.zeros_like(y)

    def marked(self, worst: np.ndarray, budget: float) -> np.ndarray:
        """Errors by cell as they are."""
        return worst

    def given_tails(self, made: FluxCells, time: float) -> np.ndarray:
        """What cells leave out of given functions that move, relative to themselves."""
        return self.moving_tails(made.mesh, time)

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

    def refinement(self, mesh: Mesh, tails: np.ndarray, y: np.ndarray | None = None) -> Change | None:
        """Cells above the budget, and wide neighbors of narrow ones."""
        if mesh.size > self.options.most_cells:
            return None
        split = (tails > 1) & (mesh.level < self.options.deepest)
        widths = np.where(split, 0.5 * mesh.widths, mesh.widths)
        before, after = np.roll(widths, 1), np.roll(widths, -1)
        if not mesh.periodic:
            before[0] = after[-1] = np.inf
        narrow = np.minimum(before, after)
        beside = np.roll(split, 1) | np.roll(split, -1)
        split = split | (beside & (mesh.widths > self.options.neighbor * narrow))
        return Change(split, np.zeros_like(split)) if split.any() else None

    def following(
        self, made: FluxCells, state: Progress, sizes: np.ndarray, refinement: Change | None
    ) -> Change | None:
        """What is split, and what can be joined; cells beside a shock are made as narrow as its own."""
        mesh, split = made.mesh, np.zeros(made.mesh.size, dtype=bool)
        if refinement is not None:
            split = refinement.split
        rough = made.rough(made.values(state.y))
        near = np.minimum(*(np.where(np.roll(rough, s), np.roll(mesh.widths, s), np.inf) for s in (1, -1)))
        split = split | (mesh.widths > self.options.neighbor * near)
        wide = np.roll(split, 1) | np.roll(split, -1)
        join = np.zeros_like(split)
        if state.steps % SHOCKS.join_every == 0:
            join = self._joins(made, state.y, sizes, rough)
        join &= ~(split | np.roll(split, -1) | wide)
        return Change(split, join) if split.any() or join.any() else None

    def _joins(self, made: FluxCells, y: np.ndarray, sizes: np.ndarray, rough: np.ndarray) -> np.ndarray:
        """Left halves that may be joined with their right ones: resolved by far, and away from shocks."""
        mesh, join = made.mesh, np.zeros(made.mesh.size, dtype=bool)
        pairs = mesh.siblings
        if mesh.size - 1 < LEAST or not len(pairs):
            return join
        close = _around(rough)
        narrow = close[pairs] | close[pairs + 1]
        if rough.any():
            # Cells at a shock that are far narrower than they have to be: out of a jump come several waves, in cells for all of them.
            worst = np.max(self.tails(made, y, sizes), axis=0)
            costly = _around(worst > SHOCKS.calm * self._budget)
            cheap = pairs[narrow & ~(costly[pairs] | costly[pairs + 1])]
            join[cheap[mesh.widths[cheap] <= np.min(mesh.widths)]] = True
        pairs = pairs[~narrow]
        # A joined cell is at most twice as wide as its neighbors.
        narrow = np.minimum(mesh.widths[pairs - 1], mesh.widths[(pairs + 2) % mesh.size])
        pairs = pairs[mesh.widths[pairs] <= self.options.neighbor * narrow]
        away = np.min(
            np.abs(self._protected[None, :] - mesh.edges[pairs + 1][:, None]), axis=1, initial=np.inf
        )
        pairs = pairs[away > self.options.same_edge * mesh.widths[pairs]]
        if not len(pairs):
            return join
        left, right = y[:, pairs], y[:, pairs + 1]
        whole = np.concatenate([left, right], axis=-1) @ joining(self.count, 0).T
        parts = halves(self.count)
        gap = np.sum((whole @ parts[0].T - left) ** 2, axis=-1) + np.sum(
            (whole @ parts[1].T - right) ** 2, axis=-1
        )
        cost = np.maximum(np.sqrt(gap / 2), np.abs(whole[..., -1])) / sizes[:, None]
        cost = np.max(cost, axis=0) * np.sqrt(2 * made.shares[pairs] * mesh.size)
        join[pairs[cost < self.options.calm * self._budget]] = True
        return join

    def changed(self, mesh: Mesh, change: Change) -> tuple[Mesh, Callable[[np.ndarray], np.ndarray]]:
        """Other cells, and what takes coefficients to them: means are kept."""
        other, regrid = mesh.regrid(change.split, change.join)
        return other, lambda arrays: self._moved(regrid, arrays)

    def _moved(self, regrid: Regrid, arrays: np.ndarray) -> np.ndarray:
        together = joining(self.count, 0).T
        return regrid.apply(
            arrays, halves(self.count), lambda a, b: np.concatenate([a, b], axis=-1) @ together
        )


def _around(marked: np.ndarray) -> np.ndarray:
    """Marked cells and two on either side: what a shock and its neighbors are, whatever they are asked for."""
    for _ in range(2):
        marked = marked | np.roll(marked, 1) | np.roll(marked, -1)
    return marked


def coefficients_for(options: Options) -> int:
    """Coefficients per cell: even, so that the last function is odd and sees a jump in the middle of a cell."""
    wanted = min(options.points(0) - options.comparison, SHOCKS.degrees)
    return wanted + wanted % 2 + 2 * options.comparison
