# SPDX-License-Identifier: MIT
"""The integrator:  step, estimate, decide;  accept, repeat with another step size, or adapt the cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from lrfm.adapt.cells import CellAdapter
from lrfm.adapt.given import Given
from lrfm.discretize.collocation import CellCollocation, Layout, Pencil
from lrfm.discretize.evolution import Unsuited
from lrfm.integrate.controller import Accept, Adapt, Errors, decide
from lrfm.integrate.estimator import Estimator
from lrfm.discretize.options import Options
from lrfm.integrate.radau import Radau, StepResult
from lrfm.integrate.start import consistent_start
from lrfm.integrate.state import IntegratorState, Step
from lrfm.linalg.banded import SingularError
from lrfm.linalg.clock import look


class Stopped(Exception):
    """The integration cannot go on; the message says why."""


@dataclass
class Integrator:
    """A statement integrated to a tolerance on cells that follow the solution.

    What it knows between two steps is the frozen state; the fields with underscores are made from it and keep factors only.
    """

    layout: Layout
    options: Options
    first: int = 2
    sizes: np.ndarray | None = None  # of the components, root mean squares over space and time, where they are known
    _made: CellCollocation | None = field(default=None, init=False, repr=False)
    _pencil: Pencil | None = field(default=None, init=False, repr=False)
    _rate: float = field(default=1.0, init=False, repr=False)

    def __post_init__(self) -> None:
        self.system = self.layout.system
        self.start, self.end = self.system.problem.time
        self.scheme = Radau(self.options.stages)

    @cached_property
    def given(self) -> Given:
        """Initial data and given functions."""
        return Given(self.system)

    @cached_property
    def adapter(self) -> CellAdapter:
        """What splits and joins cells."""
        return CellAdapter(self.layout, self.given, self.options, self.first)

    @cached_property
    def estimator(self) -> Estimator:
        """What measures errors."""
        return Estimator(self.adapter, self.options, (self.start, self.end), self.sizes)

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
        squares = np.zeros(len(y))
        state = IntegratorState(self.start, mesh, y, z, 0.0, self.start, squares, _unknown(y))
        sizes, slopes = self.estimator.sizes(made, state, y, z), made.norms(z)
        fast = float(np.max(slopes / sizes))
        guess = self.options.tol ** (1 / (self.options.stages + 1)) / max(fast, 1e-300)
        return replace(state, length=min(guess, 0.01 * self.duration))

    def resumed(self, state: IntegratorState) -> IntegratorState:
        """A state that was kept, to go on from."""
        self._protected = self.adapter.initial()[0].edges
        return state

    def run(self, state: IntegratorState) -> Iterator[tuple[IntegratorState, Step]]:
        """Steps until the end, each with the state after it; Stopped where there is no way on."""
        options, failures = self.options, 0
        while self.end - state.time > 1e-14 * self.duration:
            look()
            length = self._clipped(state)
            too_short = length < options.shortest * self.duration or state.time + length == state.time
            if too_short or failures > options.patience:
                raise Stopped(f"steps shrank to {length:.0e}")
            result = self._attempt(state, length)
            made, pencil = self._made, self._pencil
            assert made is not None and pencil is not None
            errors, tails = self.estimator.contributions(made, pencil, state, result, length)
            splits = self._splits(tails)
            match decide(errors, length, options, splittable=bool(splits.any())):
                case Accept(following, refine):
                    state, step = self._accepted(state, result, length, following, errors)
                    yield state, step
                    state = self._followed(state, splits if refine else None)
                    failures = 0
                case Adapt(following):
                    state = self._regridded(state, splits, np.zeros_like(splits), length=following)
                    failures += 1
                case again:
                    state = replace(state, length=again.length, rejected=state.rejected + 1)
                    self._pencil = None if not result.converged else self._pencil
                    failures += 1

    def _clipped(self, state: IntegratorState) -> float:
        """The step size, cut where what is given jumps, changes fast or ends."""
        ahead = self.given.times[self.given.times > state.time + 1e-12 * self.duration]
        stop = ahead[0] if len(ahead) else self.end
        length = min(state.length, self.given.pace.limit(state.time))
        left = stop - state.time
        # Two steps of half the length rather than a long and a very short one.
        return left if length >= left * (1 - 1e-9) else min(length, 0.5 * left) if length > 0.5 * left else length

    # One step -----------------------------------------------------------------------------------------------

    def _discretization(self, state: IntegratorState) -> CellCollocation:
        if self._made is None or self._made.mesh is not state.mesh:
            self._made, self._pencil = CellCollocation(self.layout, state.mesh), None
        return self._made

    def _attempt(self, state: IntegratorState, length: float) -> StepResult:
        made = self._discretization(state)
        if self._pencil is None:
            self._pencil, self._rate = made.linearize(state.time + 0.5 * length, state.y, state.z), 1.0
        sizes = self.estimator.sizes(made, state, state.y, state.z)[self.system.last]

        def norm(change: np.ndarray) -> float:
            return float(np.max(made.norms(change) / sizes))

        options = self.options
        goal = max(options.newton_share * options.time_share * options.tol, options.floor)
        try:
            result = self.scheme.step(
                made, self._pencil, state, length, norm, goal, options.iterations, self._rate
            )
        except SingularError:
            empty = np.empty(0)
            return StepResult(False, empty, empty, empty, empty, 0, 0.0)
        self._rate = max(result.rate, 1e-3) if result.converged else 1.0
        return result

    def _splits(self, tails: np.ndarray) -> np.ndarray:
        made = self._made
        assert made is not None
        if made.mesh.size > self.options.most_cells:
            return np.zeros(made.mesh.size, dtype=bool)
        return self.adapter.splits(made.mesh, tails, 1.0)

    # After a step -------------------------------------------------------------------------------------------

    def _accepted(
        self,
        state: IntegratorState,
        result: StepResult,
        length: float,
        following: float,
        errors: Errors,
    ) -> tuple[IntegratorState, Step]:
        made = self._discretization(state)
        time = state.time + length
        if abs(time - self.end) < 1e-12 * self.duration:
            time = self.end
        start, rates = state.y, result.rates
        if state.steps == 0 and self.system.algebraic:
            start, rates = self._algebraic_start(start, rates, length)
        step = Step(state.mesh, state.time, time - state.time, start, rates)
        before, after = made.norms(state.y) ** 2, made.norms(result.end) ** 2
        excess = max(errors.space / errors.space_budget - self.options.overshoot, 0.0) * length / self.duration
        z = rates[-1]
        reach = np.minimum(state.reach, np.maximum(self.duration * made.norms(z), np.finfo(float).tiny))
        new = replace(
            state,
            time=time,
            y=result.end,
            z=z,
            length=following,
            squares=state.squares + 0.5 * length * (before + after),
            reach=reach,
            before=(length, rates),
            steps=state.steps + 1,
            iterations=state.iterations + result.iterations,
            excess=state.excess + excess,
        )
        if any(abs(time - t) < 1e-12 * self.duration for t in self.given.times):
            new = replace(new, before=None, restart=time, length=min(following, 1e-3 * self.duration))
            new = replace(new, reach=np.maximum(new.reach, _unknown(new.y)))
        if not (self.system.linear and self.system.stationary) and not (
            result.rate < self.options.contraction and result.iterations <= 2
        ):
            self._pencil = None
        return new, step

    def _algebraic_start(
        self, start: np.ndarray, rates: np.ndarray, length: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Algebraic unknowns at the start, extended from the stages of the first step."""
        scheme, start, rates = self.scheme.scheme, start.copy(), rates.copy()
        for c in self.system.algebraic:
            values = start[c] + length * np.tensordot(scheme.matrix, rates[:, c], axes=1)
            flat = values.reshape(len(values), -1)
            start[c] = scheme.extended(flat, np.zeros(1)).reshape(start[c].shape)
            rates[:, c] = np.tensordot(
                np.linalg.inv(length * scheme.matrix), values - start[c], axes=1
            )
        return start, rates

    def _followed(self, state: IntegratorState, splits: np.ndarray | None) -> IntegratorState:
        """The state on other cells where some have to be split, or several can be joined."""
        made = self._discretization(state)
        if splits is None:
            splits = np.zeros(made.mesh.size, dtype=bool)
        joins = np.zeros(made.mesh.size, dtype=bool)
        if splits.any() or state.steps % 4 == 0:
            budget, sizes = self.options.space_share * self.options.tol, self.estimator.sizes(made, state, state.y, state.z)
            joins = self.adapter.joins(made, state.y, sizes, budget, self._protected)
            joins &= ~splits & ~np.roll(splits, -1)
            if not splits.any() and joins.sum() * 8 < made.mesh.size:
                joins[:] = False
        if not splits.any() and not joins.any():
            return state
        return self._regridded(state, splits, joins, length=state.length)

    def _regridded(
        self, state: IntegratorState, splits: np.ndarray, joins: np.ndarray, length: float
    ) -> IntegratorState:
        mesh, regrid = state.mesh.regrid(splits, joins)
        if mesh.size > 2 * self.options.most_cells:
            raise Stopped(f"more than {mesh.size} cells would be needed")
        move = self.adapter.transfer
        before = None if state.before is None else (state.before[0], move(regrid, state.before[1]))
        return replace(
            state,
            mesh=mesh,
            y=move(regrid, state.y),
            z=move(regrid, state.z),
            before=before,
            length=length,
            regrids=state.regrids + 1,
        )


def _unknown(y: np.ndarray) -> np.ndarray:
    """T‖y′‖ before anything is known of it, of components that are zero; zero of others."""
    return np.where(np.any(y != 0, axis=(1, 2)), 0.0, np.inf)


def check_suited(layout: Layout) -> None:
    """Refuse what cells cannot hold."""
    layout.check()
    if layout.system.multipliers:
        raise Unsuited("An unknown does not occur in its own equation.")
