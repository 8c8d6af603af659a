# SPDX-License-Identifier: MIT
"""Linear integrations along a computed solution:   ∂F/∂y δ + ∂F/∂y′ δ′ + r = 0,   δ(t₀) given, for many r at once.

The cells, the step sizes and the scheme are those of the solution. Where δ needs more, its steps are cut and its cells are split by the estimator and the
controller of the solution itself: what is integrated is the same kind of thing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast

import numpy as np

from lrfm.adapt.cells import CellAdapter, Change
from lrfm.discretize.line.collocation import CellCollocation, Pencil
from lrfm.discretize.line.layout import Layout
from lrfm.discretize.options import COSTS, LINEAR, ROUNDING, SAFEGUARDS, Options
from lrfm.integrate.controller import Accept, Adapt, Errors, Retry, decide
from lrfm.integrate.estimator import Estimator
from lrfm.integrate.follow.along import Along, moved
from lrfm.integrate.follow.linear import Applied, LinearResult, LinearStep, Links, told
from lrfm.integrate.integrator import Stopped
from lrfm.integrate.schemes.radau import StepResult
from lrfm.integrate.schemes.tableaus import Scheme
from lrfm.integrate.start import consistent_start
from lrfm.integrate.state import IntegratorState, Step
from lrfm.linalg.banded import SingularError
from lrfm.linalg.deadline import check_deadline
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.transfer import Transfer, snapped


class Sources(Protocol):
    """What drives δ: r of every right-hand side, and its start."""

    @property
    def count(self) -> int:
        """How many right-hand sides there are."""
        ...

    def start(self, mesh: Mesh) -> np.ndarray:
        """δ(t₀), (count, components, cells, size) on the cells of a mesh."""
        ...

    def rows(self, number: int, times: np.ndarray, made: CellCollocation) -> np.ndarray:
        """r of all rows at times of a step of the solution, (times, n, count)."""
        ...

    def links(self, number: int, times: np.ndarray, made: CellCollocation) -> Links:
        """What δ_c′ − δ_{c+1} is along chains, by component, (times, count, cells, size); none where it is zero."""
        ...

    def sizes(self, made: CellCollocation) -> tuple[np.ndarray, np.ndarray]:
        """Of δ at the most while it starts from nothing, and at the least at which it is resolved; (count, components) each."""
        ...


@dataclass
class LinearIntegration:
    """δ along the steps of a solution.

    Parameters
    ----------
    along
        The solution.
    layout
        Points and coefficients of a cell for δ: those of the solution, or more.
    scheme
        In time.
    sources
        What drives δ.
    options
        The numbers of the solution.
    adapter
        Says which cells of δ are split; None where steps and cells are those of the solution, whatever δ does.
    goal
        To which part of itself δ solves the equations of a step.
    longest, widest
        Steps and cells are not longer than so: what drives δ may be faster and finer than the solution.
    """

    along: Along
    layout: Layout
    scheme: Scheme
    sources: Sources
    options: Options
    adapter: CellAdapter | None
    goal: float
    longest: float = math.inf
    widest: float = math.inf
    iterations: int = field(default=0, init=False)
    _made: CellCollocation | None = field(default=None, init=False, repr=False)
    _still: Pencil | None = field(default=None, init=False, repr=False)
    _near: tuple[float, Pencil, int] | None = field(default=None, init=False, repr=False)

    def run(self) -> list[list[Step]]:
        """The steps of every right-hand side."""
        found: list[Step] = []
        state = self._begin()
        for number, base in enumerate(self.along.steps):
            if number and base.mesh is not self.along.steps[number - 1].mesh:
                state = self._on(state, self._followed(state, base.mesh))
            state = self._through(number, state, found)
        sides = range(self.sources.count)
        return [[replace(s, start=s.start[i], rates=s.rates[:, i]) for s in found] for i in sides]

    # Starts and cells ---------------------------------------------------------------------------------------

    def _begin(self) -> _State:
        """δ at the start, on cells that resolve it."""
        mesh = self._fine(self.along.steps[0].mesh)
        y = self.sources.start(mesh)
        while self.adapter is not None:
            splits = np.zeros(mesh.size, dtype=bool)
            budget = self.options.space_share * self.options.tol
            for one in y:
                splits |= self.adapter.rough_cells(mesh, one, budget)
            splits &= mesh.level < self.options.deepest
            if not splits.any() or mesh.size > self.options.most_cells:
                break
            mesh, _ = mesh.regrid(splits, np.zeros(mesh.size, dtype=bool))
            y = self.sources.start(mesh)
        made = self._discretized(mesh)
        time, nothing = float(self.along.times[0]), np.zeros(y.shape[:2])
        z = np.zeros_like(y)
        for i in range(len(y)):
            y[i], z[i] = consistent_start(cast(Any, _OneSide(self, made, i)), time, y[i], self._duration)
        reach = np.where(np.any(y != 0, axis=(2, 3)), 0.0, np.inf)
        return _State(time, mesh, y, z, nothing, reach, np.inf)

    @property
    def _duration(self) -> float:
        return float(self.along.times[-1] - self.along.times[0])

    def _discretized(self, mesh: Mesh) -> CellCollocation:
        if self._made is None or self._made.mesh is not mesh:
            self._made, self._still, self._near = CellCollocation(self.layout, mesh), None, None
        return self._made

    def _on(self, state: _State, mesh: Mesh) -> _State:
        """The state on other cells."""
        if mesh is state.mesh:
            return state
        move = Transfer(state.mesh.edges, mesh.edges, self.layout.size, self.layout.size)
        before = state.before
        return replace(
            state,
            mesh=mesh,
            regridded=state.time,
            y=moved(self.layout, move, state.y),
            z=moved(self.layout, move, state.z),
            before=None if before is None else (before[0], moved(self.layout, move, before[1])),
        )

    def _followed(self, state: _State, mesh: Mesh) -> Mesh:
        """The cells of the solution, divided where δ has been divided and still needs it."""
        mesh = self._fine(mesh)
        if self.adapter is None:
            return mesh
        extra = np.setdiff1d(snapped(state.mesh.edges, mesh.edges), mesh.edges)
        if not len(extra):
            return mesh
        plain = Transfer(state.mesh.edges, mesh.edges, self.layout.size, self.layout.size)
        there = moved(self.layout, plain, state.y)
        fine = Mesh.of(np.union1d(mesh.edges, extra), mesh.periodic)
        back = Transfer(mesh.edges, fine.edges, self.layout.size, self.layout.size)
        to_fine = Transfer(state.mesh.edges, fine.edges, self.layout.size, self.layout.size)
        gap = moved(self.layout, to_fine, state.y) - moved(self.layout, back, there)
        share = fine.widths / np.sum(fine.widths)
        sizes = self._sizes(self._discretized(state.mesh), state)
        lost = np.sqrt(np.sum(gap**2, axis=3) * share * fine.size) / sizes[:, :, None]
        cell = mesh.locate(0.5 * (fine.edges[1:] + fine.edges[:-1]))[0]
        needed = np.zeros(mesh.size, dtype=bool)
        limit = self.options.coarsen * self.options.space_share * self.options.tol
        np.logical_or.at(needed, cell, np.max(lost, axis=(0, 1)) > limit)
        kept = extra[needed[mesh.locate(extra)[0]]]
        return Mesh.of(np.union1d(mesh.edges, kept), mesh.periodic) if len(kept) else mesh

    def _fine(self, mesh: Mesh) -> Mesh:
        """Cells none of which is too wide."""
        while np.any(wide := mesh.widths > self.widest):
            mesh, _ = mesh.regrid(wide, np.zeros_like(wide))
        return mesh

    # Steps --------------------------------------------------------------------------------------------------

    def _through(self, number: int, state: _State, found: list[Step]) -> _State:
        """One step of the solution, in parts where δ asks for it."""
        end, whole = float(self.along.times[number + 1]), self.along.steps[number].length
        failures, shortest, tried = 0, SAFEGUARDS.shortest * whole, None
        while end - state.time > ROUNDING.sums * whole:
            check_deadline()
            rest = end - state.time
            most = min(state.length, self.longest)
            length = rest if most >= rest else min(most, 0.5 * rest)
            made = self._discretized(state.mesh)
            step, result = self._attempt(number, made, state, length)
            errors, tails = self._errors(step, state, result)
            many = len(found) > LINEAR.most * (number + LINEAR.most)
            if length <= shortest or many or self._stagnates(tried, errors.time, length):
                # What the error is, a comparison shows.
                errors = replace(errors, time=min(errors.time, errors.time_budget))
            change = self._refinement(made, tails)
            match decide(errors, length, self.options, change is not None):
                case Accept(following, refine):
                    found.append(Step(state.mesh, state.time, length, state.y, result.rates))
                    state, failures, tried = self._advanced(made, state, result, length, end), 0, None
                    # Steps of the solution are not to be exceeded; they grow and shrink for their own reasons.
                    cut = length < rest or following < 0.5 * length
                    state = replace(state, length=following if cut and self.adapter else np.inf)
                    if refine and change is not None:
                        state = self._on(state, made.mesh.regrid(change.split, change.join)[0])
                case Retry(shorter):
                    failures += 1
                    if length <= shortest or failures > self.options.patience:
                        raise Stopped("The linearized equations of a step could not be solved.")
                    tried = (errors.time, length) if result.converged else None
                    state = replace(state, length=max(shorter, shortest))
                case Adapt(same):
                    assert change is not None
                    split = made.mesh.regrid(change.split, change.join)[0]
                    state = self._on(replace(state, length=same), split)
        return replace(state, time=end)

    @staticmethod
    def _stagnates(tried: tuple[float, float] | None, error: float, length: float) -> bool:
        """Whether a shorter step did not help: what is left is no error of the scheme, which falls with a high power of h, but that of rates at its start."""
        return tried is not None and error > tried[0] * (length / tried[1]) ** LINEAR.order

    def _attempt(
        self, number: int, made: CellCollocation, state: _State, length: float
    ) -> tuple[LinearStep, LinearResult]:
        times = state.time + length * self.scheme.nodes
        pencils = self._pencils(number, made, times)
        near = self._factors(pencils, length)
        step = LinearStep(made, self.scheme, length, pencils, near)
        right = self.sources.rows(number, times, made)
        links = self.sources.links(number, times, made)
        guess, sizes = self._predicted(made, state, length), self._sizes(made, state)
        try:
            result = step.solve(state.y, right, links, guess, sizes, self.goal, SAFEGUARDS.iterations)
        except SingularError:
            return step, LinearResult(state.y, guess, False, 0)
        self.iterations += result.iterations
        if not result.converged and near is not pencils[len(pencils) // 2]:
            self._near = None
            return self._attempt(number, made, state, length)
        self._near = length, near, result.iterations
        return step, result

    def _pencils(self, number: int, made: CellCollocation, times: np.ndarray) -> list[Pencil]:
        """∂F at the stages; one where they are all the same."""
        system = self.layout.system
        same = system.linear and system.stationary
        if same and self._still is not None:
            return [self._still]
        y, z = self.along.state(number, times[:1] if same else times, self.layout, made.mesh)
        found = made.linearizations(times[: len(y)], y, z)
        self._still = found[0] if same else None
        return found

    def _factors(self, pencils: Sequence[Pencil], length: float) -> Pencil:
        """Whose factors serve a step: those of the step before, as long as few iterations were enough with them."""
        if self._near is not None and len(pencils) > 1:
            before, pencil, count = self._near
            if abs(before - length) <= ROUNDING.sums * length and count <= COSTS.factors:
                return pencil
        return pencils[len(pencils) // 2]

    def _predicted(self, made: CellCollocation, state: _State, h: float) -> np.ndarray:
        """Rates of the last components: those of the step before, extended."""
        last, stages = made.system.last, self.scheme.stages
        if state.before is None:
            return np.repeat(state.z[None, :, last], stages, axis=0)
        length, rates = state.before
        flat = rates[:, :, last].reshape(len(rates), -1)
        places = 1 + min(h / length, 1.0) * self.scheme.nodes
        found = self.scheme.extended(flat, places).reshape(stages, *rates[0, :, last].swapaxes(0, 1).shape)
        for i in made.lumped:
            found[:, :, i] = found[:, :, i, -1:]
        return found

    # Errors -------------------------------------------------------------------------------------------------

    def _sizes(self, made: CellCollocation, state: _State) -> np.ndarray:
        """What errors are relative to, as `lrfm.integrate.estimator` has it: (count, components)."""
        most, least = self.sources.sizes(made)
        rest = self.along.times[-1] - state.time
        own = np.sqrt((state.squares + rest * made.norms(state.y) ** 2) / self._duration)
        reach = np.minimum(np.where(state.reach > 0, self._duration * made.norms(state.z), 0.0), most)
        return told(np.maximum(np.maximum(own, reach), least))

    def _errors(self, step: LinearStep, state: _State, result: LinearResult) -> tuple[Errors, np.ndarray]:
        """The largest errors in time and space, and the latter by cell in units of its budget."""
        options, made = self.options, step.made
        nothing = np.zeros(made.mesh.size)
        if not result.converged:
            return Errors(0.0, 1.0, 0.0, 1.0, False, 0.0), nothing
        if self.adapter is None:
            return Errors(0.0, 1.0, 0.0, 1.0), nothing
        error, inside = step.error(state.z, result.rates)
        after = self._advanced(made, state, result, step.length, state.time + step.length)
        sizes, worst, tails = self._sizes(made, after), None, nothing
        first, end = float(self.along.times[0]), float(self.along.times[-1])
        for i in range(self.sources.count):
            estimator = Estimator(self.adapter, options, (first, end), sizes[i])
            at = IntegratorState(
                state.time, state.mesh, state.y[i], state.z[i], step.length, first, state.squares[i], state.reach[i], regridded=state.regridded
            )  # fmt: skip
            one = StepResult(True, result.rates[:, i], result.end[i], error[i], inside[i])
            found, cells = estimator.contributions(cast(Any, made), step.near, at, one, step.length)
            tails = np.maximum(tails, cells)
            if worst is None:
                worst = found
            worst = _larger(worst, found)
        assert worst is not None
        return worst, tails

    def _refinement(self, made: CellCollocation, tails: np.ndarray) -> Change | None:
        """Cells to be split; None where there are none, or so many more than the solution has that it cannot be it that needs them."""
        first = self.along.steps[0].mesh.size
        if self.adapter is None or made.mesh.size > LINEAR.most * (first + LINEAR.most):
            return None
        return self.adapter.refinement(made.mesh, tails)

    def _advanced(
        self, made: CellCollocation, state: _State, result: LinearResult, length: float, end: float
    ) -> _State:
        time = state.time + length
        squares = 0.5 * length * (made.norms(state.y) ** 2 + made.norms(result.end) ** 2)
        return replace(
            state,
            time=end if abs(end - time) <= ROUNDING.sums * length else time,
            y=result.end,
            z=result.rates[-1],
            squares=state.squares + squares,
            before=(length, result.rates),
        )


def _larger(one: Errors, other: Errors) -> Errors:
    """The larger ones of two errors."""
    return replace(
        one,
        time=max(one.time, other.time),
        space=max(one.space, other.space),
        expected=max(one.expected, other.expected),
    )


@dataclass(frozen=True)
class _State:
    """Where a linear integration stands; arrays have the right-hand sides first."""

    time: float
    mesh: Mesh
    y: np.ndarray
    z: np.ndarray
    squares: np.ndarray
    reach: np.ndarray  # positive for what starts from nothing
    length: float  # of the next step, at the most
    before: tuple[float, np.ndarray] | None = None
    regridded: float = -math.inf  # the time of the last change of cells


class _OneSide:
    """The linearized rows with one right-hand side, as a consistent start asks for them."""

    def __init__(self, whole: LinearIntegration, made: CellCollocation, side: int):
        self._whole, self._made, self._side = whole, made, side

    def __getattr__(self, name: str):
        return getattr(self._made, name)

    def residual(self, times: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        whole, made = self._whole, self._made
        times = self._clipped(times)
        at = made.linearizations(times, *self._base(times))
        found = Applied(made, at)(y[:, None], z[:, None])[:, :, 0]
        return found + whole.sources.rows(0, times, made)[:, :, self._side]

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> Pencil:
        base = self._base(np.array([time]))
        return self._made.linearize(time, base[0][0], base[1][0])

    def _clipped(self, times: np.ndarray) -> np.ndarray:
        """Times of the first step: the solution is not extended beyond it."""
        return np.minimum(times, self._whole.along.times[1])

    def _base(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._whole.along.state(0, self._clipped(times), self._whole.layout, self._made.mesh)
