# SPDX-License-Identifier: MIT
"""The integrator:  F(t, y, y′) = 0  from t₀ to T,  in a space V and by steps h that both follow the solution.

    V, y, z from the data:  F(t₀, y, z) = 0
    while t < T:
        result = scheme.step(y, h)                       y(t + h), y′ at the stages, ŷ − y(t + h)
        errors = estimator.contributions(result)         η_t of the step, η_x of each cell
        match controller(errors, h):
            Accept(h):   t, y ← t + h, y(t + h);  cells are split, joined and moved
            Retry(h):    the same step, shorter
            Adapt(h):    the same step on split cells

Each line of the loop is one part behind a protocol (`lrfm.integrate.protocols`); what goes from one line to the next is the frozen state.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.options import ROUNDING, SAFEGUARDS, Options
from lrfm.integrate.controller import Accept, Adapt, Errors, Retry
from lrfm.integrate.moving import STILL, Motion
from lrfm.integrate.protocols import (
    ConsistentStart,
    Controller,
    Discretization,
    ErrorEstimator,
    GivenInTime,
    LinearOperator,
    Projection,
    SpaceAdapter,
    TimeScheme,
)
from lrfm.integrate.schemes.radau import Iteration, StepResult
from lrfm.integrate.start import consistent_start
from lrfm.integrate.state import IntegratorState, Step
from lrfm.linalg.banded import SingularError
from lrfm.linalg.deadline import check_deadline
from lrfm.linalg.room import Shelf


@dataclass(frozen=True)
class Pace:
    """Steps of a solve that another one is compared with: where that would take the same ones, both would share their errors in time, and agree on them.

    `edges` are the ends of the steps, `gain` is the factor by which errors in time are to be smaller.
    """

    edges: np.ndarray = field(repr=False, default_factory=lambda: np.array([-np.inf, np.inf]))  # nobody's
    gain: float = 1.0

    def length(self, time: float) -> float:
        """Of the step at some time."""
        here = np.clip(np.searchsorted(self.edges, time, side="right"), 1, len(self.edges) - 1)
        return float(self.edges[here] - self.edges[here - 1])


TINY = float(np.finfo(float).tiny)


class Stopped(Exception):
    """The integration cannot go on; the message says why, `length` how short the last step was."""

    def __init__(self, message: str, length: float | None = None):
        super().__init__(message)
        self.length = length


@dataclass
class Patience:
    """When to give up: after too many attempts at one step, or too many steps so short that the end is not reached."""

    options: Options
    end: float
    attempts: int = 0
    short: int = 0
    missed: tuple[float, float] = (np.inf, 1.0)  # error and length of the attempt before

    def in_vain(self, error: float, length: float) -> bool:
        """Whether the error of a repeated step has fallen by less than its length has: then a shorter one does not meet its budget either."""
        before, longer = self.missed
        self.missed = error, length
        return error * longer > before * length

    def look(self, state: IntegratorState, length: float) -> None:
        """Before an attempt at a step of some length; Stopped where there is no way on."""
        options = self.options
        # A layer inside the time span, as of a relaxation oscillation, is crossed in so many steps; a blow-up is not.
        self.short = self.short + 1 if self.end - state.time > options.most_steps * length else 0
        endless = state.steps > options.settled and self.short > options.layer
        if self.attempts > options.patience or endless or state.time + length == state.time:
            raise Stopped(f"steps shrank to {length:.0e}", length)
        self.attempts += 1


def unconstrained(
    made: Discretization, time: float, y: np.ndarray, z: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The state and rates as they are: every one is admissible."""
    return y, z


@dataclass
class Integrator:
    """A statement integrated to a tolerance in a space that follows the solution.

    It knows its parts by their protocols alone. What it knows between two steps is the frozen state. The fields with underscores are made from the state, and keep matrices that would be
    made again otherwise, with the same numbers.
    """

    system: EvolutionSystem
    options: Options
    given: GivenInTime
    scheme: TimeScheme
    adapter: SpaceAdapter
    estimator: ErrorEstimator
    controller: Controller
    consistent: ConsistentStart = consistent_start
    admissible: Projection = unconstrained
    pace: Pace = field(default_factory=Pace)
    motion: Motion = STILL
    _kept: Shelf = field(default_factory=lambda: Shelf(SAFEGUARDS.in_memory), init=False, repr=False)
    _made: Discretization | None = field(default=None, init=False, repr=False)
    _pencil: tuple[object, LinearOperator] | None = field(default=None, init=False, repr=False)
    _measured: tuple[Discretization, np.ndarray, np.ndarray, np.ndarray] | None = field(
        default=None, init=False, repr=False
    )

    @cached_property
    def start(self) -> float:
        return self.system.problem.time[0]

    @cached_property
    def end(self) -> float:
        return self.system.problem.time[1]

    @cached_property
    def duration(self) -> float:
        return self.end - self.start

    # The loop -----------------------------------------------------------------------------------------------

    def begin(self) -> IntegratorState:
        """The first cells and a consistent start on them."""
        mesh, y = self.adapter.initial()
        self._made = made = self.adapter.discretize(mesh)
        y, z = self.consistent(made, self.start, y, self.duration)
        nothing = np.zeros(len(y))
        state = IntegratorState(self.start, mesh, y, z, 0.0, self.start, nothing, self._unknown(y))
        return state.with_(length=self._first_length(made, state), regridded=self.start)

    def run(self, state: IntegratorState) -> Iterator[tuple[IntegratorState, Step]]:
        """Steps until the end, each with the state after it; Stopped where there is no way on."""
        patience = Patience(self.options, self.end)
        while state.time < self.end:
            check_deadline()
            length = self._length(state)
            patience.look(state, length)
            state = self._linearized(state, length)
            made, pencil = self._matrices(state)
            try:
                result = self.scheme.step(made, pencil, state, length, self._iteration(made, state))
            except SingularError:
                result = StepResult.failed(0, 0.0)
            errors, tails = self.estimator.contributions(made, pencil, state, result, length)
            split = self.adapter.refinement(made.mesh, tails, result.end)
            rate = self._rate(result)
            match self.controller(errors, length, self.options, split is not None):
                case Accept(following, refine):
                    state, step = self._advanced(made, state, result, errors, length, following)
                    state = self._followed(state.with_(rate=rate), split if refine else None)
                    patience.attempts, patience.missed = 0, Patience.missed
                    yield state, step
                case Retry(shorter, refine):
                    at = state.linearized if result.converged else None
                    state = state.with_(length=shorter, rejected=state.rejected + 1, rate=rate, linearized=at)
                    if result.converged and patience.in_vain(errors.time, length):
                        state = self.motion.stopped(state)
                    state = self._regridded(state, split if refine else None)
                case Adapt(same):
                    state = self._regridded(state.with_(length=same, rate=rate), split)

    # The step size ------------------------------------------------------------------------------------------

    def _first_length(self, made: Discretization, state: IntegratorState) -> float:
        """tol^(1/(K + 1)) of the time in which the fastest component changes by all that it is."""
        rates, sizes = made.norms(state.z), self.estimator.sizes(made, state, state.y, state.z).copy()
        for c in self.system.links:
            # u_t is going to be √(‖u_tt‖ ‖u‖), however small it is at the start.
            sizes[c + 1] = max(sizes[c + 1], np.sqrt(rates[c + 1] * sizes[c]))
        fast = float(np.max(rates / sizes))
        guess = self.options.tol ** (1 / (self.options.stages + 1)) / max(fast, TINY)
        return min(guess, self.options.first_step * self.duration)

    def _length(self, state: IntegratorState) -> float:
        """The step size, cut where what is given jumps, changes fast or ends, and where the scheme has a longest one."""
        times, ahead = self.given.times, self.end
        if len(times) and times[-1] > state.time:
            ahead = float(times[np.searchsorted(times, state.time, side="right")])
        left = ahead - state.time
        made, pace = self._space(state), self.pace
        beside = self.scheme.beside(made, pace.length(state.time), pace.gain, self.options.stages)
        wanted = min(state.length, self.scheme.longest(made, state), beside)
        limit = self.given.limit(state.time)
        # What is left before a place that is not to be passed is taken whole where it is short: step sizes that are few would never reach it.
        short = self.options.grow * limit < wanted
        length = limit if short else self.scheme.quantized(min(wanted, limit))
        if length >= left * (1 - ROUNDING.zero):
            return left
        # Two steps of half the length rather than a long and a very short one.
        return min(length, 0.5 * left) if length > 0.5 * left else length

    # One step -----------------------------------------------------------------------------------------------

    def _linearized(self, state: IntegratorState, length: float) -> IntegratorState:
        """The state with the place at which rows are linearized: that of an earlier step as long as Newton's method is fast with it."""
        if state.linearized is not None:
            return state
        return state.with_(linearized=self.scheme.middle(state, length), rate=1.0)

    def _matrices(self, state: IntegratorState) -> tuple[Discretization, LinearOperator]:
        """The discretization on the state's space, and its linearization."""
        at, made = state.linearized, self._space(state)
        assert at is not None
        if self._pencil is None or self._pencil[0] is not at:
            self._pencil = at, made.linearize(*at)
        return made, self._pencil[1]

    def _space(self, state: IntegratorState) -> Discretization:
        """The discretization on the state's space."""
        made = self._made
        if made is None or made.mesh is not state.mesh:
            made = self.adapter.discretize(state.mesh)
            self._made, self._pencil = made, None
        return made

    def _sizes(self, made: Discretization, state: IntegratorState) -> np.ndarray:
        """What errors are relative to at a state; that after a step is the one before the next."""
        known = self._measured
        if known is None or known[0] is not made or known[1] is not state.y or known[2] is not state.z:
            found = self.estimator.sizes(made, state, state.y, state.z)
            self._measured = known = made, state.y, state.z, found
        return known[3]

    def _rate(self, result: StepResult) -> float:
        """Of convergence, for the steps that follow; one iteration solves rows that are linear and stay the same, and what it leaves is rounding, in all steps alike."""
        same = self.system.linear and self.system.stationary
        best = ROUNDING.iterated if same else self.options.best_rate
        return max(result.rate, best) if result.converged else 1.0

    def _iteration(self, made: Discretization, state: IntegratorState) -> Iteration:
        """Newton's method of a step: how corrections are measured, and how small they are to be."""
        sizes = self._sizes(made, state)[self.system.last]
        unknown = sizes.min(initial=np.inf) <= TINY

        def norm(change: np.ndarray) -> float:
            found = made.norms(change)
            if unknown:
                # What starts from nothing, and is moved by a condition alone, is known by the first change of it.
                most, nothing = np.max(found.reshape(-1, len(sizes)), axis=0), sizes <= TINY
                sizes[nothing] = np.maximum(most[nothing], TINY)
            return float((found / sizes).max())

        return Iteration(norm, self.options.newton_goal, self.options.iterations, state.rate)

    # After a step -------------------------------------------------------------------------------------------

    def _advanced(
        self,
        made: Discretization,
        state: IntegratorState,
        result: StepResult,
        errors: Errors,
        length: float,
        following: float,
    ) -> tuple[IntegratorState, Step]:
        """The state after an accepted step, and the step as it is kept."""
        time, start, rates = state.time + length, state.y, result.rates
        if abs(time - self.end) < ROUNDING.sums * self.duration:
            time = self.end
        if state.steps == 0:
            start, rates = self.scheme.begun(made, start, rates, length)
        squares = result.squares
        if squares is None:
            squares = 0.5 * length * (made.norms(state.y) ** 2 + made.norms(result.end) ** 2)
        above = max(errors.space / errors.space_budget - self.options.overshoot, 0.0)
        slope = np.maximum(self.duration * made.norms(rates[-1]), TINY)
        mesh = self.motion.arrived(state.mesh, time)
        new = state.with_(
            time=time,
            mesh=mesh,
            y=result.end,
            z=rates[-1],
            length=following,
            squares=state.squares + squares,
            reach=np.minimum(state.reach, slope),
            before=(length, rates),
            steps=state.steps + 1,
            iterations=state.iterations + result.iterations,
            excess=state.excess + above * length / self.duration,
            missed=0.0 if state.time == state.regridded else errors.time,
            linearized=state.linearized if mesh is state.mesh and self._serves(result) else None,
        )
        kept = self._kept.put(start), self._kept.put(self.scheme.kept(rates))
        return self._restarted(new), Step(state.mesh, state.time, time - state.time, *kept)

    def _serves(self, result: StepResult) -> bool:
        """Whether the matrix of a step serves the next one: rows that are linear and stay the same, or Newton's method was fast with it."""
        same = self.system.linear and self.system.stationary
        fast = result.iterations == 2 and result.rate < self.options.contraction
        return same or fast or result.iterations <= 1

    def _restarted(self, state: IntegratorState) -> IntegratorState:
        """The state where what is given may jump: a new start, with a layer of its own; elsewhere as it is."""
        times = self.given.times
        if not (len(times) and np.any(np.abs(times - state.time) <= ROUNDING.last * self.duration)):
            return state
        reach = np.maximum(state.reach, self._unknown(state.y))
        length = min(state.length, self.options.first_step * self.duration)
        return state.with_(before=None, restart=state.time, reach=reach, length=length)

    def _followed(self, state: IntegratorState, refinement: Any) -> IntegratorState:
        """The state after a step in a space that follows it: split where that is asked for, joined where nothing is lost by it, and moved."""
        made = self._space(state)
        sizes = self._sizes(made, state)
        change = self.adapter.following(made, state, sizes, refinement)
        if change is not None:
            state = self._regridded(self.motion.straightened(state, change), change)
        return self.motion.steered(state, sizes)

    def _regridded(self, state: IntegratorState, change: Any) -> IntegratorState:
        """The state in another space; None is no change."""
        if change is None:
            return state
        mesh, move = self.adapter.changed(state.mesh, change)
        before = state.before
        new = state.with_(
            mesh=mesh,
            y=move(state.y),
            z=move(state.z),
            before=None if before is None else (before[0], move(before[1])),
            regrids=state.regrids + 1,
            regridded=state.time,
            linearized=None,
        )
        made = self._space(new)
        if state.steps:
            y, z = self.admissible(made, new.time, new.y, new.z)
        else:
            # Nothing has been integrated yet: rates are those of the statement in this space, not what another one left of them.
            y, z = self.consistent(made, new.time, new.y, self.duration)
        return new.with_(y=y, z=z)

    def _unknown(self, y: np.ndarray) -> np.ndarray:
        """T‖y′‖ before anything is known of it, of what is zero; zero of all else: of an imaginary part, too, whose real part is there, since errors of both are relative to both."""
        sizes = self.system.counted(np.any(y != 0, axis=(1, 2)), 0.0)
        return np.where(sizes > TINY, 0.0, np.inf)
