# SPDX-License-Identifier: MIT
"""Integrations to a tolerance as an engine: one, and its comparison solve.

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
from lrfm.discretize.options import EXACT, ROUNDING, SCANS, Options, stages_for
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
from lrfm.solution.status import Status
from lrfm.solver.budget import OutOfTime, Watch
from lrfm.solver.engine import Integrated
from lrfm.solver.record import read, written


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
