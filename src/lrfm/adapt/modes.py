# SPDX-License-Identifier: MIT
"""How many modes a series has along each axis, by the decay of the coefficients of the solution and of what is given.

With the energies e₁ of the modes K/3 < k ≤ 2K/3 along an axis and e₂ of those above,  η = e₂ min(1, e₂/e₁)/‖u‖:  the size of what is left out if coefficients decay like q^k.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Protocol, cast

import numpy as np

from lrfm.discretize.box.form import BoxForm
from lrfm.discretize.box.galerkin import BoxGalerkin
from lrfm.discretize.box.modewise import ModeMatrix
from lrfm.discretize.box.spectral import SpectralDiscretization
from lrfm.discretize.box.spectral_form import SpectralForm
from lrfm.discretize.box.walls import WalledDiscretization
from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import SAFEGUARDS, SCANS, SERIES, Options
from lrfm.linalg.deadline import check_deadline
from lrfm.problem import Row
from lrfm.problem.algebra import symbols_in
from lrfm.problem.data import Datum
from lrfm.problem.jets import GivenSymbol
from lrfm.problem.landmarks import landmarks
from lrfm.spaces.series import Modes, Parity

Counts = tuple[int, ...]
Wall = tuple[int, float] | None
Walled = WalledDiscretization | BoxGalerkin
Made = SpectralDiscretization | Walled


class Progress(Protocol):
    """What coarsening has to know of an integration."""

    @property
    def steps(self) -> int:
        """How many were taken."""
        ...

    @property
    def y(self) -> np.ndarray:
        """The components of the solution."""
        ...


@lru_cache(maxsize=256)
def _thirds(mesh: Modes, axis: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Ones for the modes of an axis in its second and in its last third, zeros for the others."""
    numbers = np.abs(mesh.numbers(axis))
    low, high = k // 3, 2 * k // 3
    return ((numbers > low) & (numbers <= high)).astype(float), (numbers > high).astype(float)


@dataclass(frozen=True)
class ModeAdapter:
    """Makes the first series and changes the number of its modes."""

    form: SpectralForm | BoxForm
    options: Options
    _made: dict[int, Walled] = dataclasses.field(default_factory=dict, init=False, repr=False)  # the last two

    @property
    def driven(self) -> np.ndarray:
        """What data make of each component at the most, where it starts from nothing: not looked for."""
        return np.zeros(len(self.form.system.components))

    @property
    def budget(self) -> float:
        """Of the error in space."""
        return max(self.options.space_share * self.options.tol, self.options.floor)

    def discretize(self, mesh: Modes) -> Made:
        """The statement with so many modes."""
        form = self.form
        if not mesh.polynomial and isinstance(form, SpectralForm):
            o = self.options
            return SpectralDiscretization(form, mesh, o.coarsen * o.time_share * o.tol)
        if id(mesh) not in self._made:
            while len(self._made) > 1:
                self._made.pop(next(iter(self._made)))
            self._made[id(mesh)] = (
                BoxGalerkin(form, mesh) if isinstance(form, BoxForm) else WalledDiscretization(form, mesh)
            )
        return self._made[id(mesh)]

    # The first modes ----------------------------------------------------------------------------------------

    @cached_property
    def _most(self) -> np.ndarray:
        """The highest mode of each axis at the most; less in a first solve, by one refinement: with as many as there may be in both, a comparison would agree on what both leave out."""
        found = np.full(self.form.dimension, SERIES.most(self.form.dimension))
        if isinstance(self.form, BoxForm):
            found = np.minimum(found, self.form.most)
        else:
            found[list(self.form.polynomial)] = SAFEGUARDS.polynomials
        return found if self.options.comparison else (found / SERIES.finer).astype(int)

    def initial(self) -> tuple[Modes, np.ndarray]:
        """Modes with which the data are resolved, and what they make of them."""
        return self._first

    @cached_property
    def _first(self) -> tuple[Modes, np.ndarray]:
        box = self.form.system.problem.domain
        low, high = (tuple(float(x) for x in end) for end in (box.lower, box.upper))
        start = (Options.fewest * self.options.first_cells,) * self.form.dimension
        mesh = Modes(low, high, self.form.periodic, start, self.form.polynomial)
        while True:
            check_deadline()
            y = self._projected(mesh)
            eta = self._decay(mesh, self._looked_at(mesh, y))
            missing = self._off_grid(mesh, y)
            if missing > Options.visible * self.options.tol and not np.any(eta > self.budget):
                eta = np.full(mesh.dimension, np.inf)
            rough = eta > self.budget
            if not rough.any():
                break
            full = rough & (np.array(mesh.counts) >= self._most)
            if full.any():
                raise Unsuited(
                    f"What is given at the start is not resolved by {np.max(self._most[full])} modes along an axis."
                )
            mesh = self._finer(mesh, rough, 2.0)
        mesh = self._with_products(self._trimmed(mesh, y))
        for _ in range(self.options.comparison):
            mesh = self._finer(mesh, np.ones(mesh.dimension, dtype=bool), SERIES.spare)
        return mesh, self._projected(mesh)

    def _with_products(self, mesh: Modes) -> Modes:
        """As many modes as hold what the first step adds, too: data of few waves have products of twice as many, of which nothing in the data tells, and the decay of coefficients neither."""
        while not mesh.polynomial:
            added = np.array([self._added_beyond(mesh, a) for a in range(mesh.dimension)])
            rough = (added > self.budget) & (np.array(mesh.counts) < self._most)
            if not rough.any():
                break
            mesh = self._finer(mesh, rough, SERIES.finer)
        return mesh

    def _added_beyond(self, mesh: Modes, axis: int) -> float:
        """‖h φ₁(hL) B n̂‖/‖y‖ of the modes above those of a mesh along an axis:  h = tol^(1/(K + 1)) ‖y‖/‖y′‖ is the length of a first step."""
        # cos³ has a wave three times as short, and none in between.
        made = self.discretize(self._finer(mesh, np.arange(mesh.dimension) == axis, 4.0))
        if not isinstance(made, SpectralDiscretization) or made.form.exact:
            return 0.0
        options, system, fine = self.options, self.form.system, made.mesh
        start, end = system.problem.time
        v, tiny = made.split(self._projected(fine)), np.finfo(float).tiny
        v = v if made.admissible is None else made.admissible(v)
        with np.errstate(all="ignore"):
            force = made.forced(made.rest(v, start))
            rates = force + ModeMatrix(made.linear.count, made.linear.entries)(v)
            whole = np.zeros(len(system.components))
            whole[made.form.differential] = _sizes(fine, v)
            counted = system.counted(whole, options.told)[made.form.differential]
            fast = float(np.max(_sizes(fine, rates) / counted))
            guess = options.tol ** (1 / (options.stages + 1)) / max(fast, tiny)
            length = min(guess, options.first_step * (end - start))
            added = made.linear.combined([made.linear.phis(length)], lambda phis: length * phis[1])(force)
            above = fine.along(axis, np.abs(fine.numbers(axis)) > mesh.counts[axis])
            return float(np.max(np.nan_to_num(_sizes(fine, added * above) / counted), initial=0.0))

    def _trimmed(self, mesh: Modes, y: np.ndarray) -> Modes:
        """As few modes as resolve what is given: doubling stops at up to twice as many along each axis, and what fewer leave out is known from their coefficients."""
        if mesh.polynomial:
            return mesh
        whole, given = mesh, mesh.complexes(self._looked_at(mesh, y))
        for a in range(mesh.dimension):
            while mesh.counts[a] > Options.fewest * self.options.first_cells:
                counts = list(mesh.counts)
                counts[a] = _fitting(math.ceil(counts[a] / SERIES.finer), mesh.periodic[a])
                fewer = replace(mesh, counts=tuple(counts))
                cut = whole.moved(given, fewer)
                left = whole.flat(given - fewer.moved(cut, whole))
                lost = np.sqrt(np.max(left**2 @ whole.flat_weights, initial=0.0))
                decay = np.max(self._decay(fewer, fewer.flat(cut)))
                if counts[a] >= mesh.counts[a] or max(lost, decay) > self.budget:
                    break
                mesh = fewer
        return mesh

    def _finer(self, mesh: Modes, which: np.ndarray, factor: float) -> Modes:
        """More modes along some axes, as many as a grid of a good size holds."""
        counts = [
            min(int(most), _fitting(max(k + 1, math.ceil(factor * k)), p)) if w else k
            for k, w, p, most in zip(mesh.counts, which, mesh.periodic, self._most, strict=True)
        ]
        return replace(mesh, counts=tuple(counts))

    def _data(self) -> list[tuple[int, Datum, str, Parity]]:
        system = self.form.system
        found = []
        for c, (field, level) in enumerate(system.components):
            datum = system.problem.initial_data.get((field.partition(".")[0], level))
            if datum is not None:
                found.append((c, datum, field, self.form.parities[c]))
        return found

    def _projected(self, mesh: Modes) -> np.ndarray:
        """Initial data as series, zero for what has none: (components, 1, reals)."""

        def given(places: np.ndarray) -> np.ndarray:
            points = np.column_stack([places, np.full(len(places), self.form.system.problem.time[0])])
            values = np.zeros((len(self.form.system.components), len(places)))
            for c, datum, field, _ in self._data():
                values[c] = datum.part(points, field)
            return values

        return self.held(mesh, given)

    def held(self, mesh: Modes, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Functions of places, (n, axes) → (components, n), as series, zero for what has no data: (components, 1, reals)."""
        y, values = np.zeros((len(self.form.system.components), 1, mesh.reals)), function(mesh.points())
        for c, _, _, parity in self._data():
            if not np.all(np.isfinite(values[c])):
                raise Unsuited("Initial data are not finite on the grid.")
            y[c, 0] = mesh.flat(mesh.coefficients(values[c].reshape(mesh.grid), parity))
        return y

    def _looked_at(self, mesh: Modes, y: np.ndarray) -> np.ndarray:
        """Coefficients of the data, relative to what errors of them are, and of given functions of the equations, relative to themselves."""
        data, given = y[:, 0], self._given(mesh, self.form.system.problem.time[0])
        own, sizes = (np.sqrt(found**2 @ mesh.flat_weights) for found in (data, given))
        counted = self.form.system.counted(own, self.options.told)
        return np.concatenate([data / counted[:, None], given / np.where(sizes > 0, sizes, 1.0)[:, None]])

    def _given(self, mesh: Modes, time: float) -> np.ndarray:
        """Coefficients of sources and coefficients of the equations that depend on space."""
        found = []
        for parity, row, wall in self._varying:
            for values in row.given(_on(wall, mesh.points(), time)):
                if np.ptp(values) > 0:
                    found.append(mesh.flat(mesh.coefficients(np.reshape(values, mesh.grid), parity)))
        return np.array(found) if found else np.zeros((0, mesh.reals))

    @cached_property
    def _varying(self) -> list[tuple[Parity, Row, Wall]]:
        """Equations and conditions with something given that depends on space, the parity of that, and the wall that it is given on."""
        form, system, box = self.form, self.form.system, self.form.system.problem.domain
        rows: list[tuple[Parity, Row, Wall]] = [
            (p, row, None) for p, row in zip(form.row_parities, system.equations, strict=True)
        ]
        for c in system.conditions if form.polynomial else ():
            if c.axis in form.polynomial:
                end = float((box.upper if c.upper else box.lower)[c.axis])
                rows.append((form.parities[c.own], c.row, (c.axis, end)))
        found = []
        for parity, row, wall in rows:
            symbols = symbols_in(row.source_part, *row.linear_part.values(), *row.given_factors)
            if any(s.name in box.names or isinstance(s, GivenSymbol) for s in symbols):
                found.append((parity, row, wall))
        return found

    def _off_grid(self, mesh: Modes, y: np.ndarray) -> float:
        """How far data and given functions are from their series at random places (rms), and at places that formulas name, relative to the largest value."""
        places, start = self._places, self.form.system.problem.time[0]
        points = np.column_stack([places, np.full(len(places), start)])
        data = [(datum.part(points, field), y[c, 0], parity) for c, datum, field, parity in self._data()]
        tops = np.zeros(len(y))
        for (c, *_), (values, *_) in zip(self._data(), data, strict=True):
            tops[c] = np.max(np.abs(values), initial=0.0)
        counted = self.form.system.counted(tops, self.options.told)
        found = [self._gap(mesh, *pair, counted[c]) for (c, *_), pair in zip(self._data(), data, strict=True)]
        pairs = []
        for parity, row, wall in self._varying:
            both = (row.given(_on(wall, p, start)) for p in (mesh.points(), places))
            for here, there in zip(*both, strict=True):
                if np.ptp(here) > 0 or np.ptp(there) > 0:
                    own = mesh.coefficients(np.reshape(here, mesh.grid), parity)
                    pairs.append((there, mesh.flat(own), parity))
        return max((*found, *(self._gap(mesh, *pair) for pair in pairs)), default=0.0)

    def _gap(
        self, mesh: Modes, given: np.ndarray, own: np.ndarray, parity: Parity, least: float = 0.0
    ) -> float:
        """The distance of one function from its series, relative to its largest value, or to what errors of it are relative to."""
        size = max(float(np.max(np.abs(given), initial=0.0)), least)
        if size == 0 or not np.all(np.isfinite(given)):
            return 0.0
        places = self._places
        functions = [mesh.functions(a, places[:, a], 0, parity[a]) for a in range(mesh.dimension)]
        gap = np.abs(mesh.summed(mesh.complexes(own), functions) - given) / size
        named = np.max(gap[: len(gap) - SCANS.points], initial=0.0)
        return max(float(np.sqrt(np.mean(gap[-SCANS.points :] ** 2))), Options.minor * float(named))

    @cached_property
    def _places(self) -> np.ndarray:
        problem = self.form.system.problem
        box = problem.domain
        formulas = [row.expression for row in problem.all_rows]
        for datum in problem.initial_data.values():
            formulas += list(datum.value or ())
        named = landmarks(formulas, box.names, box.lower, box.upper)
        unit = np.random.default_rng(len(problem.fields)).random((SCANS.points, box.dimension))
        return np.vstack([named, box.lower + (box.upper - box.lower) * unit])

    # Later modes --------------------------------------------------------------------------------------------

    def _decay(self, mesh: Modes, arrays: np.ndarray) -> np.ndarray:
        """The largest η of some functions (n, reals) along each axis."""
        return np.max(self._bands(mesh, arrays)[0], axis=0, initial=0.0)

    def _bands(self, mesh: Modes, arrays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """η and e₂ of functions (n, reals) along each axis: each (n, axes)."""
        squares = arrays**2 * mesh.flat_weights
        if mesh.circles:
            squares = squares[:, 0::2] + squares[:, 1::2]
        squares = squares.reshape(len(arrays), *mesh.shape)
        eta, last = np.zeros((len(arrays), mesh.dimension)), np.zeros((len(arrays), mesh.dimension))
        for a, k in enumerate(mesh.counts):
            others = tuple(1 + b for b in range(mesh.dimension) if b != a)
            along = np.sum(squares, axis=others)
            middle, upper = _thirds(mesh, a, k)
            e1, e2 = along @ middle, along @ upper
            last[:, a] = np.sqrt(e2)
            ratio = np.minimum(e2, e1) / np.maximum(e1, np.finfo(float).tiny)
            eta[:, a] = np.sqrt(e2 * ratio)
        return eta, last

    def tails(self, made: Made, y: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """η of each component along each axis; algebraic ones follow from the others, mode by mode, unless walls have layers of their own.

        Of a chain u, u_t, … it is u that counts: what is missing in u_t comes to 1/ω of it there, and ω is larger than that of all that is held.
        """
        found = self._bands(made.mesh, y[:, 0])[0] / sizes[:, None]
        found[[c for c, (_, level) in enumerate(made.system.components) if level]] = 0.0
        if not made.mesh.polynomial:
            found[self._following] = 0.0
        return found

    @cached_property
    def _following(self) -> list[int]:
        """Algebraic components that have no more modes than the others: those whose own equations hold no products."""
        form, system = self.form, self.form.system
        if not isinstance(form, SpectralForm):
            return list(system.algebraic)
        own = dict(zip(form.algebraic, form.algebraic_rows, strict=True))
        products = {flux.row for flux in form.fluxes}
        return [c for c in system.algebraic if own.get(c) not in products]

    def rough(self, made: Made, y: np.ndarray) -> np.ndarray:
        """Not asked for: nothing is filtered."""
        return np.zeros((len(made.system.last), 1, made.mesh.reals))

    def marked(self, worst: np.ndarray, budget: float, growth: np.ndarray | float = 1.0) -> np.ndarray:
        """What is left out in one more step: cells hold their last coefficients, but this is held by nothing, and modes that are added for it begin without it."""
        return worst * growth

    def given_tails(self, made: Made, time: float) -> np.ndarray:
        """The same of given functions that move, relative to themselves."""
        if not self._varying or self.form.system.autonomous:
            return np.zeros(made.mesh.dimension)
        found = self._given(made.mesh, time)
        sizes = np.sqrt(found**2 @ made.mesh.flat_weights)
        return self._decay(made.mesh, found / np.where(sizes > 0, sizes, 1.0)[:, None])

    def refinement(self, mesh: Modes, tails: np.ndarray, y: np.ndarray | None = None) -> Counts | None:
        """More modes along the axes above their budgets; None where there are none, or as many as there may be."""
        which = (tails > 1) & (np.array(mesh.counts) < self._most)
        return self._finer(mesh, which, SERIES.finer).counts if which.any() else None

    def following(
        self, made: Made, state: Progress, sizes: np.ndarray, refinement: Counts | None
    ) -> Counts | None:
        """More modes where they are asked for; fewer along an axis whose upper third is not needed."""
        if refinement is not None:
            return refinement
        if state.steps % self.options.join_every:
            return None
        mesh = made.mesh
        last = np.max(self._bands(mesh, state.y[:, 0])[1] / sizes[:, None], axis=0)
        counts = list(mesh.counts)
        least = self._first[0].counts if self._varying else (Options.fewest,) * mesh.dimension
        for a, k in enumerate(mesh.counts):
            fewer = _fitting(math.ceil(k / SERIES.finer), mesh.periodic[a])
            if last[a] <= self.options.coarsen * self.budget and least[a] <= fewer < k:
                counts[a] = fewer
        return tuple(counts) if tuple(counts) != mesh.counts else None

    def changed(self, mesh: Modes, change: Counts) -> tuple[Modes, Callable[[np.ndarray], np.ndarray]]:
        """Other modes, and what takes coefficients to them."""
        other = replace(mesh, counts=change)

        def move(arrays: np.ndarray) -> np.ndarray:
            found = other.flat(mesh.moved(mesh.complexes(arrays), other))
            if not mesh.polynomial:
                return found
            before, after = cast(tuple[Any, Any], (self.discretize(mesh), self.discretize(other)))
            if arrays.ndim == 3:
                return after.corrected(found, before, arrays)
            pairs = zip(found, arrays, strict=True)
            return np.stack([after.corrected(one, before, old) for one, old in pairs])

        return other, move


def _sizes(mesh: Modes, v: np.ndarray) -> np.ndarray:
    """Root mean squares of functions with coefficients (count, *shape)."""
    return np.sqrt(np.sum((np.abs(v) ** 2 * mesh.weights).reshape(len(v), -1), axis=1))


def _on(wall: Wall, places: np.ndarray, time: float) -> np.ndarray:
    """Points at a time, moved to a wall where one is given."""
    points = np.column_stack([places, np.full(len(places), time)])
    if wall is not None:
        points[:, wall[0]] = wall[1]
    return points


def _fitting(count: int, periodic: bool) -> int:
    """The highest mode that the grid of a count holds."""
    mesh = Modes((0.0,), (1.0,), (periodic,), (count,))
    return (mesh.grid[0] - 1) // 3 if periodic else (2 * mesh.grid[0] - 2) // 3
