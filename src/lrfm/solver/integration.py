# SPDX-License-Identifier: MIT
"""Integrations to a tolerance as an engine: one, its comparison solve, and attempts that get stricter until the estimate is at most the tolerance.

The comparison solve follows the same rules with a quarter of the tolerance, in another space; twice the difference is the estimate. In which space a
statement is integrated, and what is made of its steps, a `Formulation` says: cells of an interval (`lrfm.solver.formulations.cells`), or any other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.options import COSTS, EXACT, PAIRS, ROUNDING, SAFEGUARDS, SCANS, Options, stages_for
from lrfm.error.indicators import CELLS, Scale
from lrfm.error.start import contradictions
from lrfm.integrate.integrator import Integrator, Pace, Stopped
from lrfm.integrate.protocols import Integrates
from lrfm.integrate.schemes.tableaus import radau
from lrfm.integrate.state import IntegratorState, Step
from lrfm.problem import Problem
from lrfm.rows.pieces import Piece, residual_at
from lrfm.rows.placing import fill
from lrfm.solution.io.document import check_pieces
from lrfm.solution.report import WindowReport
from lrfm.solution.solution import Solution
from lrfm.solution.status import Status
from lrfm.solver.budget import OutOfTime, Watch
from lrfm.solver.engine import Attempt, Integrated, Wanted
from lrfm.solver.record import read, written
from lrfm.solver.sizes import sizes_of


class Formulation(Protocol):
    """A statement made ready for one kind of space."""

    @property
    def name(self) -> str:
        """Of the kind of space; a checkpoint of one kind is of no use to another."""
        ...

    @property
    def chained(self) -> bool:
        """Whether its comparison solve may be compared with a further one, which differs from it by all rules."""
        ...

    @property
    def system(self) -> EvolutionSystem:
        """The statement as rows in y and y′."""
        ...

    def integrator(self, options: Options, sizes: np.ndarray | None) -> Integrates:
        """One that has not begun; `sizes` of the components are those of an earlier solve, where there is one."""
        ...

    def piece(self, steps: Sequence[Step]) -> Piece:
        """Steps in a row as a function."""
        ...

    def words(self, steps: Sequence[Step]) -> Mapping[str, str]:
        """Scheme and space of some steps, for the report."""
        ...

    def shape(self, mesh: Any, options: Options) -> tuple[int, int]:
        """Coefficients of a component in a cell, and stages of a step."""
        ...

    def undetermined(self, steps: Sequence[Step]) -> Sequence[str]:
        """Unknowns that the statement determines up to a constant at each time."""
        ...

    def mesh_record(self, mesh: Any) -> list[Any]:
        """A space as plain data for a checkpoint."""
        ...

    def mesh_from(self, record: Sequence[Any]) -> Any:
        """The space again; ValueError where it is not one."""
        ...


@dataclass(frozen=True)
class IntegrationState:
    """What an integration has come to: its first `count` steps, and the state after them."""

    steps: list[Step] = field(default_factory=list, repr=False)
    count: int = 0
    state: IntegratorState | None = field(default=None, repr=False)
    stopped: Status | None = None
    ended: bool = False


@dataclass
class Integration:
    """An integration in some space; `comparison` is the one in another space of its kind."""

    form: Formulation
    tol: float
    watch: Watch
    comparison: int = 0  # 1: by the rules of a comparison solve; 2: of one that such a solve is compared with
    halved: bool = False
    sizes: np.ndarray | None = None  # of the components, where an earlier solve knows them
    pace: Pace = field(default_factory=Pace, repr=False)  # the steps of the solve that is compared
    beside: Formulation | None = None  # that of the comparison solve, where it is another one
    known: IntegrationState | None = field(default=None, repr=False)  # all of it, from an earlier pair
    compared: bool = False  # whether another one is compared with it: nothing else is asked of it
    other: Integration | None = field(default=None, init=False, repr=False)  # its comparison solve,
    ended: IntegrationState | None = field(default=None, init=False, repr=False)  # and what it came to itself
    found: np.ndarray | None = field(default=None, init=False, repr=False)  # sizes, once it is done
    _live: tuple[IntegrationState, Iterator[tuple[IntegratorState, *tuple[Step, ...]]]] | None = field(
        default=None, init=False, repr=False
    )

    @property
    def system(self) -> EvolutionSystem:
        """The statement as rows in y and y′."""
        return self.form.system

    @property
    def name(self) -> str:
        return "ordinary" if self.system.problem.ordinary else "lines"

    @property
    def scale(self) -> Scale:
        return CELLS

    @cached_property
    def options(self) -> Options:
        """The numbers of this integration."""
        made = Options(tol=max(self.tol, ROUNDING.last), stages=stages_for(self.tol))
        ordinary = self.system.problem.ordinary
        made = made.at_a_point() if ordinary else made
        start, end = self.system.problem.time
        for level in range(self.comparison):
            last = level + 1 == self.comparison
            other = made.compared(self.pace.length(start) / (end - start) if last else math.inf)
            # Ordinary equations have no cells that could differ: the degree in time does.
            made = replace(other, stages=made.stages + 2 if ordinary else made.stages)
        return made

    def integrator(self) -> Integrates:
        """One that has not begun."""
        made = self.form.integrator(self.options, self.sizes)
        if isinstance(made, Integrator) and not self.system.problem.ordinary:
            made.pace = self.pace
        return made

    def begin(self) -> IntegrationState:
        return self.known or IntegrationState()

    def begun(self, state: IntegrationState) -> bool:
        return state.count > 0

    def finished(self, state: IntegrationState) -> bool:
        return state.ended

    def advance(self, state: IntegrationState) -> IntegrationState:
        """The next step, or all where these are found at once."""
        if self._live is None or self._live[0] is not state:
            if self.watch.tell and state.state is None:
                self.watch.tell(*self.done(state))
            made = self.integrator()
            begun = made.begin() if state.state is None else state.state
            self._live = state, made.run(begun)
        _, walk = self._live
        del state.steps[state.count :]
        stopped, found = None, None
        try:
            # An integration at its end needs no more time.
            if self._reached(state) < self.system.problem.time[1] and not self._in_time():
                raise OutOfTime
            # What overflows is no number, and repeats its step.
            with np.errstate(over="ignore", invalid="ignore"):
                found = next(walk, None)
        except OutOfTime:
            # Before its limit it also ends where what comes next is foreseen to end too late; another engine would do worse with the rest.
            if state.state is None and self.halved and self.watch.in_time():
                raise Unsuited("No step was made in the half of the time that it has.") from None
            if state.state is None:  # nothing is known of whether these cells suit the statement
                raise
            stopped = Status.OUT_OF_TIME
        except Stopped as shrunk:
            stopped = Status.STEPS_VANISHED
            if state.state is not None and shrunk.length is not None:
                state = replace(state, state=replace(state.state, length=shrunk.length))
        if found is not None:
            state.steps.extend(found[1:])
            new = IntegrationState(state.steps, len(state.steps), found[0])
        elif state.state is None:
            raise Unsuited("No step could be taken, however short.")
        else:
            new = replace(state, stopped=stopped, ended=True)
        self._live = new, walk
        return new

    def _in_time(self) -> bool:
        """Whether there is time; half of it is left to another engine where there is one."""
        budget = self.watch.budget
        return self.watch.in_time() and (not self.halved or budget.spent < 0.5 * budget.seconds)

    def _reached(self, state: IntegrationState) -> float:
        return self.system.problem.time[0] if state.state is None else state.state.time

    def done(self, state: IntegrationState) -> tuple[int, int]:
        start, end = self.system.problem.time
        part = 1 if state.ended else min((self._reached(state) - start) / (end - start), 1)
        return int(SCANS.coarse * part), SCANS.coarse

    def latest(self, state: IntegrationState) -> Piece:
        """The last step, as a function."""
        return self.form.piece(state.steps[state.count - 1 : state.count])

    def second(self, first: IntegrationState, watch: Watch) -> Integration:
        self.found = self.sizes_of(first)
        steps = first.steps[: first.count]
        edges = np.array([*(s.time for s in steps), steps[-1].time + steps[-1].length])
        pace = Pace(edges, self.options.closer)
        # A first solve that came to its end has shown that this engine suits: nothing is left to another one.
        form, level = self.beside or self.form, self.comparison + 1
        self.other = Integration(form, self.tol, watch, level, False, self.found, pace, compared=True)
        return self.other

    @property
    def stricter(self) -> Integration | None:
        """Its comparison solve as the first of two; None where that came to no end, or to as many cells as there may be: what is compared with it would leave out the same."""
        other = self.other
        if other is None or other.ended is None or not (self.beside is None and self.form.chained):
            return None
        done = other.ended
        assert done.state is not None
        if not done.ended or done.stopped or done.state.excess > 0:
            return None
        return replace(other, known=done, compared=False)

    def sizes_of(self, done: IntegrationState) -> np.ndarray:
        """Root mean squares of the components over the time span."""
        assert done.state is not None
        start, end = self.system.problem.time
        return np.sqrt(done.state.squares / (end - start))

    def fingerprint(self) -> dict[str, Any]:
        return {"engine": self.form.name, "tol": self.tol, "draw": self.comparison}

    def added(self, before: IntegrationState, after: IntegrationState) -> dict[str, Any]:
        assert after.state is not None
        old, new = after.steps[: before.count], after.steps[before.count : after.count]
        clock = after.stopped is Status.OUT_OF_TIME
        stopped = "" if clock or after.stopped is None else str(after.stopped)
        return written(self.form.mesh_record, old, new, after.state, after.ended and not clock, stopped)

    def grown(self, before: IntegrationState, added: Mapping[str, Any]) -> IntegrationState:
        new, state, ended, stopped = read(
            self.form.mesh_from, before.steps, added, len(self.system.components)
        )
        steps = [*before.steps, *new]
        return IntegrationState(steps, len(steps), state, Status(stopped) if stopped else None, ended)

    def check(self, state: IntegrationState) -> None:
        if state.state is None:
            return
        if not state.steps or not np.isclose(
            state.steps[0].time, self.system.problem.time[0], rtol=1e-12, atol=0
        ):
            raise ValueError("its steps do not begin at the start")
        last = state.steps[-1]
        if not np.isclose(last.time + last.length, state.state.time):
            raise ValueError("it stands elsewhere than after its last step")
        shapes: dict[int, tuple[int, int]] = {}
        for s in (*state.steps, state.state):
            if id(s.mesh) not in shapes:
                shapes[id(s.mesh)] = self.form.shape(s.mesh, self.options)
        if (
            any((s.start.shape[2], len(s.rates)) != shapes[id(s.mesh)] for s in state.steps)
            or state.state.y.shape[2] != shapes[id(state.state.mesh)][0]
        ):
            raise ValueError("its cells have other polynomials")
        check_pieces(self.system.original, [self.form.piece(state.steps)])

    def seeing(self, piece: Piece) -> AbstractContextManager[Any]:
        """Rows are evaluated along a solution: those with delays see it as their past."""
        return getattr(self.form, "evaluating", nullcontext)(piece)

    # What came out ------------------------------------------------------------------------------------------

    def integrated(self, state: IntegrationState) -> Integrated:
        assert state.state is not None
        self.ended = state
        steps, (_start, end) = state.steps[: state.count], self.system.problem.time
        piece = self.form.piece(steps)
        reached = piece.window[1]
        complete = not state.stopped and math.isclose(reached, end, rel_tol=1e-9, abs_tol=1e-12)
        counts, size = state.state, max(s.start[0].size for s in steps)
        # Where cells could not be split any more although they had to be, nothing is claimed.
        residual = math.inf
        if counts.excess <= self.options.overshoot:
            # That of a comparison says nothing that the difference does not.
            with self.seeing(piece):
                residual = 0.0 if self.compared else _residual(self.system.original, piece)
        window = WindowReport(
            window=piece.window,
            rows=size,
            columns=size * len(self.system.fields),
            rank=size * len(self.system.fields),
            condition=None,
            updates=(0.0,) * len(steps),
            converged=complete,
            reason="" if complete else _reason(state, reached),
            status=None if complete else state.stopped or Status.NOT_FINISHED,
            fit_residual=0.0,
            residual=residual,
        )
        words = self.form.words(steps)
        kind = "modes" if "modes" in words else "cells"
        return Integrated(
            pieces=[piece],
            windows=[window],
            complete=complete,
            residual=residual,
            words={
                **words,
                **({} if self.system.problem.ordinary else {f"changes of {kind}": f"{counts.regrids}"}),
                "repeated steps": f"{counts.rejected}",
            },
            undetermined=(names := self.form.undetermined(steps)),
            warnings=[
                f"The statement determines `{name}` up to a constant at each time. The one with mean zero is given, and the constant is no part of the error."
                for name in names
            ]
            + ([] if self.compared else list(contradictions(self.system.original, piece))),
        )


def scheme_words(steps: Sequence[Step]) -> str:
    """Of the scheme that made some steps: exponentials have more nodes than any other has stages."""
    stages = len(steps[0].rates)
    return EXACT.words if stages == EXACT.nodes else radau(stages).words


def cells_words(steps: Sequence[Step], degree: int, most_degree: int = 0) -> dict[str, str]:
    """Scheme, number of cells and their degree, which may rise, for the report."""
    sizes = [step.mesh.size for step in steps]
    fewest, most = min(sizes), max(sizes)
    return {
        "scheme": scheme_words(steps),
        "cells": f"{fewest} to {most}" if fewest < most else f"{most}",
        "degree": f"{degree} to {most_degree}" if degree < most_degree else f"{degree}",
    }


def _residual(problem: Problem, piece: Piece) -> float:
    """Σ |F| over Σ |terms of F| on points that were not used."""
    box, (start, end) = problem.domain, piece.window
    rng = np.random.default_rng(0)
    times = start + (end - start) * np.repeat(rng.random(SCANS.instants), SCANS.points // SCANS.instants)
    places = fill(box, rng.random((len(times), box.dimension)), times, rng)
    points = np.column_stack([places, times])
    return residual_at(problem.rows, piece, points)


def _reason(state: IntegrationState, reached: float) -> str:
    """Where an integration ended that did not reach the end."""
    if state.stopped is Status.STEPS_VANISHED and state.state is not None:
        return f"they shrank to {state.state.length:.0e} at t = {reached:.6g}"
    return f"the solution ends at t = {reached:.6g}"


@dataclass(frozen=True)
class IntegrationAttempt:
    """An integration and its comparison at one inner tolerance."""

    form: Formulation
    tol: float
    reasons: tuple[str, ...] = ()
    sizes: np.ndarray | None = None
    halved: bool = False
    beside: Formulation | None = None
    comparison: int = 0
    first: Integration | None = field(default=None, repr=False)  # where an earlier pair has made it
    solves: type[Integration] = Integration
    found: list[Integration] = field(default_factory=list, repr=False)
    choice: None = None
    asked: Mapping[str, Any] = field(default_factory=dict)

    def engine(self, watch: Watch) -> Integration:
        own = {"halved": self.halved, "sizes": self.sizes, "beside": self.beside}
        made = self.first or self.solves(self.form, self.tol, watch, self.comparison, **own)
        self.found.append(made)
        return made

    def check_memory(self, limit: str | int | None, estimate: bool) -> None:
        return None

    def words(self, seconds: float) -> tuple[str, ...]:
        return self.reasons


class IntegrationAttempts:
    """Pairs of integrations, each stricter than the one before, until the estimate is at most the tolerance."""

    solves: type[Integration] = Integration
    pairs = SAFEGUARDS.pairs

    def __init__(
        self,
        form: Formulation,
        wanted: Wanted,
        halved: bool = False,
        from_nothing: bool = False,
        beside: Formulation | None = None,
    ):
        self.beside = beside
        self.form, self.tol, self.budget, self.estimate = form, wanted.tol, wanted.budget, wanted.estimate
        self.halved, self.guessed, self.from_nothing = halved, False, from_nothing
        self.inner, self._met, self._late, self._farthest = wanted.tol, False, False, -math.inf
        self._costs: list[tuple[float, float]] = []  # inner tolerances of pairs, and their seconds;
        self._since = 0.0
        self._ends: list[tuple[float, float]] = []  # of those whose steps vanished, and when
        self.reasons: tuple[str, ...] = ()
        self.sizes: np.ndarray | None = None
        self.tried: IntegrationAttempt | None = None  # the last one,
        self._first: Integration | None = None  # and what the next one begins with

    def begin_near(self, start: Solution) -> None:
        """Measure errors by the sizes that the unknowns of a solution nearby came to: nothing else is searched for."""
        sizes = sizes_of(self.form.system, start)
        if not np.all(sizes > 0):
            return  # an unknown that stayed zero there tells nothing of its size here
        self.sizes = sizes
        self.reasons = ("the sizes of the unknowns are those of `start`",)

    def __iter__(self) -> Iterator[Attempt]:
        for _ in range(self.pairs):
            made = IntegrationAttempt(
                self.form,
                self.inner,
                self.reasons,
                self.sizes,
                self.halved,
                self.beside,
                first=self._first,
                solves=self.solves,
            )
            self.guessed, self.tried = self.sizes is None and self.from_nothing, made
            yield made
            # A later attempt measures its errors by what the unknowns came to.
            self.sizes = made.found[-1].found if made.found else None

    def enough(self, solution: Solution) -> bool:
        report = solution.report
        self._met = report.error_estimate <= self.tol
        if math.isfinite(report.error_estimate):
            # Both solves came to their ends: this engine suits, and nothing is left to another one, which would begin anew.
            self.halved = False
        hopeless = not math.isfinite(report.error_estimate) and not self._ended_elsewhere(solution)
        self._costs.append((self.inner, self.budget.spent - self._since))
        self._since = self.budget.spent
        late = self.budget.spent + self._expected(solution) > self.budget.seconds
        cut = self.estimate and math.isnan(report.error_estimate)
        self._late = report.status is Status.OUT_OF_TIME or (late and not self._met and (cut or not hopeless))
        return not self.estimate or self._met or hopeless or late or self.inner <= ROUNDING.last

    def _stricter(self, solution: Solution) -> float:
        """The inner tolerance after a solution that does not meet the tolerance."""
        found, (start, _) = solution.report.error_estimate, self.form.system.problem.time
        if math.isfinite(found):
            found = max(found, foreseen(solution.report.early, start))
            wanted = PAIRS.aim * (self.tol / found if found > self.tol else 1.0)
        else:
            wanted = PAIRS.aim * self._reaching()
        if self.guessed:
            wanted = max(wanted, Options.minor)  # the sizes of the unknowns were guessed; now they are known
        return max(ROUNDING.last, wanted * self.inner)

    def _reaching(self) -> float:
        """(ε₁/ε₀)^((T − t₁)/(t₁ − t₀)):  where steps vanish because an error has grown, the time at which they do goes with its logarithm; tol, before there are two such times: an error as large as u."""
        if len(self._ends) < 2:
            return self.tol
        (e0, t0), (e1, t1) = self._ends[-2:]
        further = (self.form.system.problem.time[1] - t1) / (t1 - t0) if t1 > t0 else 0.0
        return math.exp(-min(math.log(e0 / e1) * further, ROUNDING.exponent))

    def _again(self, solution: Solution) -> Integration | None:
        """The comparison solve of the last pair as the first of the next, where its quarter of the tolerance is as strict as the estimate asks for: ‖u₁ − u₂‖ ≤ 4 tol."""
        found, (start, _) = solution.report.error_estimate, self.form.system.problem.time
        engine = self.tried.found[-1] if self.tried is not None and self.tried.found else None
        if engine is None or not math.isfinite(found) or self.inner / Options.closer < ROUNDING.last:
            return None
        misses = max(found, foreseen(solution.report.early, start)) > Options.closer * self.tol
        return None if misses else engine.stricter

    def _expected(self, solution: Solution) -> float:
        """c (ε/ε₁)^a seconds of the next pair, a by the last two of them: what a digit more has cost so far; so many times all before where there is one alone, half of that where one of two solves is left to be made."""
        if len(self._costs) < 2:
            return COSTS.pair * self._costs[-1][1] * (1.0 if self._again(solution) is None else 0.5)
        (before, first), (last, second) = self._costs[-2:]
        power = math.log(max(second / first if first > 0 else 1.0, 1.0)) / math.log(before / last)
        return second * (last / self._stricter(solution)) ** power

    def _ended_elsewhere(self, solution: Solution) -> bool:
        """Whether steps vanished, and at a later time than they did before: a solution that blows up ends at the same time at all tolerances, one that errors have led astray does not."""
        report, before = solution.report, self._farthest
        if report.status is not Status.STEPS_VANISHED:
            return False
        start, end = self.form.system.problem.time
        self._farthest = report.block_reports[-1].window[1]
        self._ends.append((self.inner, self._farthest))
        return self._farthest - before > self.tol * (end - start)

    def learn(self, solution: Solution) -> None:
        found = solution.report.error_estimate
        self._first = self._again(solution)
        if self._first is not None:
            said = f"two solves at {self.inner:.1e} gave an estimate of {found:.1e}: the stricter one is compared with another"
            self.reasons += (said,)
            self.inner /= Options.closer
            return
        if math.isfinite(found):
            said = f"two solves at {self.inner:.1e} gave an estimate of {found:.1e}: made anew, stricter"
        else:
            said = f"at {self.inner:.1e} steps vanished at t = {self._farthest:.6g}: made anew, stricter"
        self.reasons += (said,)
        self.inner = self._stricter(solution)

    @property
    def stopped(self) -> str:
        return self.budget.spell("max_seconds") if self._late else ""


def foreseen(early: Sequence[tuple[float, float]], start: float) -> float:
    """e(t₁) exp(λ(t − t₁)),  λ = log(e(t₁)/e(t₀))/(t₁ − t₀):  what an error comes to that is known as long as it is small; 0 where it stays so.

    Beyond t₁ two solves have nothing in common, and their distance says no more about how far an error grows. t₀ is half of the way; t is the end, or as far beyond t₁ as that is from the start.
    """
    known = [(t, e) for t, e in early if 0 < e < Options.minor]
    if len(known) < 2 or len(known) == len(early):
        return 0.0
    (t1, e1), (t0, e0) = known[-1], known[(len(known) - 1) // 2]
    rate, ahead = math.log(e1 / e0) / (t1 - t0), min(early[-1][0] - t1, t1 - start)
    return e1 * math.exp(min(rate * ahead, ROUNDING.exponent))
