# SPDX-License-Identifier: MIT
"""The integrator:  step, estimate, decide;  then accept, repeat with another step size, or adapt the cells.

while t < T:
    result = scheme.step(state, h)
    errors = estimator.contributions(result)
    match controller(errors, h):
        Accept(h):   keep the step, split and join cells
        Retry(h):    the same step, shorter
        Adapt(h):    the same step on split cells
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from lrfm.adapt.given import Given
from lrfm.discretize.collocation import CellCollocation, Layout, Pencil
from lrfm.discretize.options import Options
from lrfm.integrate.controller import Accept, Adapt, Errors, Retry
from lrfm.integrate.protocols import Controller, ErrorEstimator, SpaceAdapter, TimeScheme
from lrfm.integrate.radau import StepResult
from lrfm.integrate.schemes import radau
from lrfm.integrate.start import consistent_start
from lrfm.integrate.state import IntegratorState, Step
from lrfm.linalg.banded import SingularError
from lrfm.linalg.clock import look


class Stopped(Exception):
    """The integration cannot go on; the message says why."""


@dataclass
class Integrator:
    """A statement integrated to a tolerance on cells that follow the solution.

    What it knows between two steps is the frozen state. The fields with underscores are made from the state, and keep matrices that would be
    made again otherwise, with the same numbers.
    """

    layout: Layout
    options: Options
    given: Given
    scheme: TimeScheme
    adapter: SpaceAdapter
    estimator: ErrorEstimator
    controller: Controller
    _made: CellCollocation | None = field(default=None, init=False, repr=False)
    _pencil: tuple[object, Pencil] | None = field(default=None, init=False, repr=False)
    _protected: np.ndarray | None = field(default=None, init=False, repr=False)

    @property
    def start(self) -> float:
        return self.layout.system.problem.time[0]

    @property
    def end(self) -> float:
        return self.layout.system.problem.time[1]

    @property
    def duration(self) -> float:
        return self.end - self.start

    # The loop -----------------------------------------------------------------------------------------------

    def begin(self) -> IntegratorState:
        """The first cells and a consistent start on them."""
        mesh, y = self.adapter.initial()
        self._protected = mesh.edges
        made = CellCollocation(self.layout, mesh)
        y, z = consistent_start(made, self.start, y, self.duration)
        nothing = np.zeros(len(y))
        state = IntegratorState(self.start, mesh, y, z, 0.0, self.start, nothing, _unknown(y))
        fast = float(np.max(made.norms(z) / self.estimator.sizes(made, state, y, z)))
        guess = self.options.tol ** (1 / (self.options.stages + 1)) / max(fast, np.finfo(float).tiny)
        return replace(state, length=min(guess, self.options.first_step * self.duration))

    def run(self, state: IntegratorState) -> Iterator[tuple[IntegratorState, Step]]:
        """Steps until the end, each with the state after it; Stopped where there is no way on."""
        options, failures, short = self.options, 0, 0
        while state.time < self.end:
            look()
            length = self._clipped(state)
            # A layer inside the time span, as of a relaxation oscillation, is crossed in so many steps; a blow-up is not.
            short = short + 1 if self.end - state.time > options.most_steps * length else 0
            endless = state.steps > options.settled and short > options.layer
            if failures > options.patience or endless or state.time + length == state.time:
                raise Stopped(f"steps shrank to {length:.0e}")
            state = self._linearized(state, length)
            made, pencil = self._matrices(state)
            result = self._attempt(made, pencil, state, length)
            state = replace(state, rate=max(result.rate, options.best_rate) if result.converged else 1.0)
            errors, tails = self.estimator.contributions(made, pencil, state, result, length)
            splits = self.adapter.splits(made.mesh, tails, 1.0) & (made.mesh.size <= options.most_cells)
            match self.controller(errors, length, options, bool(splits.any())):
                case Accept(following, refine):
                    state, step = self._advanced(made, state, result, length, following, errors)
                    state, failures = self._followed(made, state, splits & refine), 0
                    yield state, step
                case Retry(shorter):
                    state, failures = (
                        replace(state, length=shorter, rejected=state.rejected + 1),
                        failures + 1,
                    )
                    state = state if result.converged else replace(state, linearized=None)
                case Adapt(same):
                    state = self._regridded(replace(state, length=same), splits, np.zeros_like(splits))
                    failures += 1

    def _clipped(self, state: IntegratorState) -> float:
        """The step size, cut where what is given jumps, changes fast or ends."""
        times = self.given.times
        ahead = times[times > state.time]
        left = float(ahead[0] if len(ahead) else self.end) - state.time
        length = min(state.length, self.given.pace.limit(state.time))
        if length >= left * (1 - 1e-9):
            return left
        # Two steps of half the length rather than a long and a very short one.
        return min(length, 0.5 * left) if length > 0.5 * left else length

    # One step -----------------------------------------------------------------------------------------------

    def _linearized(self, state: IntegratorState, length: float) -> IntegratorState:
        """The state with the place at which rows are linearized: that of an earlier step as long as Newton's method is fast with it."""
        if state.linearized is not None:
            return state
        return replace(state, linearized=(state.time + 0.5 * length, state.y, state.z), rate=1.0)

    def _matrices(self, state: IntegratorState) -> tuple[CellCollocation, Pencil]:
        """The discretization of the state's cells, and its linearization."""
        at = state.linearized
        assert at is not None
        if self._made is None or self._made.mesh is not state.mesh:
            self._made, self._pencil = CellCollocation(self.layout, state.mesh), None
        if self._pencil is None or self._pencil[0] is not at:
            self._pencil = at, self._made.linearize(*at)
        return self._made, self._pencil[1]

    def _attempt(
        self, made: CellCollocation, pencil: Pencil, state: IntegratorState, length: float
    ) -> StepResult:
        sizes = self.estimator.sizes(made, state, state.y, state.z)[self.layout.system.last]
        options = self.options
        goal = max(options.newton_share * options.time_share * options.tol, options.floor)

        def norm(change: np.ndarray) -> float:
            return float(np.max(made.norms(change) / sizes))

        try:
            return self.scheme.step(made, pencil, state, length, norm, goal, options.iterations, state.rate)
        except SingularError:
            return StepResult.failed(0, 0.0)

    # After a step -------------------------------------------------------------------------------------------

    def _advanced(
        self,
        made: CellCollocation,
        state: IntegratorState,
        result: StepResult,
        length: float,
        following: float,
        errors: Errors,
    ) -> tuple[IntegratorState, Step]:
        """The state after an accepted step, and the step as it is kept."""
        time, start, rates = state.time + length, state.y, result.rates
        if abs(time - self.end) < 1e-12 * self.duration:
            time = self.end
        if state.steps == 0 and self.layout.system.algebraic:
            start, rates = self._algebraic_start(start, rates, length)
        squares = 0.5 * length * (made.norms(state.y) ** 2 + made.norms(result.end) ** 2)
        excess = (
            max(errors.space / errors.space_budget - self.options.overshoot, 0.0) * length / self.duration
        )
        slope = np.maximum(self.duration * made.norms(rates[-1]), np.finfo(float).tiny)
        new = replace(
            state,
            time=time,
            y=result.end,
            z=rates[-1],
            length=following,
            squares=state.squares + squares,
            reach=np.minimum(state.reach, slope),
            before=(length, rates),
            steps=state.steps + 1,
            iterations=state.iterations + result.iterations,
            excess=state.excess + excess,
        )
        if np.any(np.abs(self.given.times - time) <= 1e-14 * self.duration):
            # What is given may jump here: a new start, with a layer of its own.
            reach = np.maximum(new.reach, _unknown(new.y))
            following = min(following, self.options.first_step * self.duration)
            new = replace(new, before=None, restart=time, reach=reach, length=following)
        system = self.layout.system
        fast = result.rate < self.options.contraction and result.iterations <= 2
        if not (system.linear and system.stationary) and not fast:
            new = replace(new, linearized=None)
        return new, Step(state.mesh, state.time, time - state.time, start, rates)

    def _algebraic_start(
        self, start: np.ndarray, rates: np.ndarray, length: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Algebraic unknowns at the start, extended from the stages of the first step: no data are given for them."""
        scheme, start, rates = radau(len(rates)), start.copy(), rates.copy()
        for c in self.layout.system.algebraic:
            values = start[c] + length * np.tensordot(scheme.matrix, rates[:, c], axes=1)
            flat = values.reshape(len(values), -1)
            start[c] = scheme.extended(flat, np.zeros(1)).reshape(start[c].shape)
            rates[:, c] = np.tensordot(np.linalg.inv(length * scheme.matrix), values - start[c], axes=1)
        return start, rates

    def _followed(self, made: CellCollocation, state: IntegratorState, splits: np.ndarray) -> IntegratorState:
        """The state on other cells where some have to be split, or several can be joined."""
        options, joins = self.options, np.zeros(made.mesh.size, dtype=bool)
        if splits.any() or state.steps % options.join_every == 0:
            sizes = self.estimator.sizes(made, state, state.y, state.z)
            joins = self.adapter.joins(made, state.y, sizes, options.space_share * options.tol, self._kept)
            joins &= ~splits & ~np.roll(splits, -1)
            if not splits.any() and joins.sum() * 8 < made.mesh.size:
                joins[:] = False  # a regrid costs a step's matrices
        return self._regridded(state, splits, joins) if splits.any() or joins.any() else state

    @property
    def _kept(self) -> np.ndarray:
        """Edges of the first cells, which resolve what is given, and are not joined."""
        if self._protected is None:
            self._protected = self.adapter.initial()[0].edges
        return self._protected

    def _regridded(self, state: IntegratorState, splits: np.ndarray, joins: np.ndarray) -> IntegratorState:
        mesh, regrid = state.mesh.regrid(splits, joins)
        move, before = self.adapter.transfer, state.before
        return replace(
            state,
            mesh=mesh,
            y=move(regrid, state.y),
            z=move(regrid, state.z),
            before=None if before is None else (before[0], move(regrid, before[1])),
            regrids=state.regrids + 1,
            linearized=None,
        )


def _unknown(y: np.ndarray) -> np.ndarray:
    """T‖y′‖ before anything is known of it, of components that are zero; zero of others."""
    return np.where(np.any(y != 0, axis=(1, 2)), 0.0, np.inf)
