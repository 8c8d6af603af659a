# SPDX-License-Identifier: MIT
"""One solve under way: attempt after attempt, each integrated twice and judged, until one is enough or the budget ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from lrfm.discretize.evolution import Unsuited
from lrfm.error.indicators import Estimate, Evidence, estimate_error
from lrfm.linalg.deadline import deadline
from lrfm.linalg.room import within
from lrfm.linalg.threads import suited_to
from lrfm.problem import Problem, ProblemError
from lrfm.rows.pieces import OnModes, Piece
from lrfm.solution.reference import doubted
from lrfm.solution.report import Report, WindowReport
from lrfm.solution.solution import Solution
from lrfm.solution.status import Status
from lrfm.solver.beginning import beginning, report_on
from lrfm.solver.budget import Budget, MemoryLimitError, OutOfTime, Room, Watch
from lrfm.solver.checkpoint import Checkpoint, Kept
from lrfm.solver.engine import COMPARE, Attempt, Attempts, Engine, Integrated, better, block_rng
from lrfm.solver.linearizing import linearized
from lrfm.solver.watching import Halted, View

PILOTS = 40  # of a usual search

Progress = Callable[[str, int, int], None]


class ConvergenceError(RuntimeError):
    """The answer cannot be trusted; `solution` is the best one there is."""

    def __init__(self, message: str, solution: Solution | None = None):
        super().__init__(message)
        self.solution = solution


def hand_over(broken: BaseException, solution: Solution | None) -> None:
    """Put what there is on an exception, as `.solution`; with a note where that is no more than the initial data, or nothing."""
    if getattr(broken, "solution", None) is None:
        with suppress(AttributeError):
            broken.solution = solution  # type: ignore[attr-defined]
        begun = solution is not None and solution.block_edges[-1] > solution.problem.time[0]
        if not begun and isinstance(broken, KeyboardInterrupt):
            there = "no solution yet" if solution is None else "as much of a solution as its initial data"
            broken.add_note(f"lrfm was interrupted before its first step; there is {there}.")


def out_of_time(budget: Budget) -> ConvergenceError:
    """What is raised when the clock left nothing to hand back."""
    return ConvergenceError(
        f"`{budget.spell('max_seconds')}` passed before there was anything to hand back. Allow more."
    )


@dataclass
class Run:
    """What was asked for, apart from the parts, and how far it is."""

    problem: Problem
    seed: int
    estimate: bool
    max_memory: str | int | None
    file: Checkpoint | None
    progress: Progress | None
    budget: Budget
    accept_ill_posed: bool = False
    error_field: bool = False
    certify: bool = False
    first: tuple[Attempt, Engine[Any], float | None] | None = None  # under way
    drawn: Any = None  # the state that its first draw has come to
    halted: bool = False  # whether a listener ended it

    def check(self, ahead: float = 0.0) -> None:
        """What a look at the clock asks: whether there is time, and whether a listener that can say so still wants it."""
        asked = getattr(self.progress, "check", None)
        if callable(asked):
            asked()
        self.budget.stop(ahead)

    def best_of(self, attempts: Attempts, tol: float | None) -> Solution:
        """Attempt after attempt until one is enough, or a limit ends them: the one with the smallest estimate."""
        best: Solution | None = None
        late = ""
        following = iter(attempts)
        while True:
            try:
                attempt = next(following, None)
                if attempt is None:
                    break
                solution = self._solved(attempt, tol, expendable=best is not None)
            except OutOfTime:
                late = self.budget.spell("max_seconds")
                break
            except MemoryLimitError as full:
                best = best or self._so_far()
                if best is None:
                    raise
                best.report = replace(best.report, warnings=(*best.report.warnings, str(full)))
                late = "max_memory" if self.max_memory is None else f"max_memory={self.max_memory}"
                break
            except Halted:
                self.halted, late = True, "progress"
                best = best or self._so_far()
                break
            except BaseException as broken:  # an interrupt, or a callback that raises
                hand_over(broken, best or self._so_far() or self._interrupted(broken, tol))
                raise
            if better(solution, best):
                best = solution
                self.tell_best(solution.report.error_estimate)
            if attempts.enough(solution):
                break
            attempts.learn(solution)
        if best is None and self.halted:
            return self.begun(tol, "stopped by `progress` before the first step", Status.NOT_FINISHED)
        if best is None:
            return self.begun(tol)
        warnings = (*best.report.warnings, *self._compared(best))
        # The seconds of the whole search: those of the best attempt alone would say that little was tried.
        best.report = replace(
            best.report, stopped=attempts.stopped or late, warnings=warnings, seconds=self.budget.spent
        )
        return best

    def _compared(self, solution: Solution) -> tuple[str, ...]:
        """What a comparison with the given reference says, if there is time for one."""
        try:
            asked = self.estimate and self.problem.reference is not None
            return doubted(solution) if asked and self.budget.in_time() else ()
        except OutOfTime:
            return ()

    def _solved(self, attempt: Attempt, tol: float | None, expendable: bool) -> Solution:
        """Integrate, integrate again with other draws, estimate the error."""
        attempt.check_memory(self.max_memory, self.estimate)
        tell = lambda done, total: self._say("solving", done, total)  # noqa: E731
        engine = attempt.engine(Watch(self.budget, expendable, tell=tell))
        self.first, self.drawn = (attempt, engine, tol), None
        # What an earlier pair has made is in the file already.
        known = engine.finished(engine.begin()) if self.file is not None else True
        kept = None
        if self.file is not None and not known:
            kept = self.file.integration(engine, attempt.choice, attempt.asked)
        state = self._integrated(engine, kept, lambda s: self._say("solving", *engine.done(s)), expendable)
        first, second = engine.integrated(state), None
        if self.estimate and first.complete:
            if not expendable:
                self._tell_drawn(lambda: self._solution(attempt, engine, first, tol, {}))
            other, kept, say = self._beside(engine, state, expendable)
            with suppress(OutOfTime):
                second = other.integrated(
                    self._integrated(other, kept, lambda s: say(*other.done(s)), expendable=True)
                )
        if second is not None and not second.complete:
            second = None
        solution = self._claimed(attempt, engine, tol, first, second)
        if self.error_field and second is not None:
            self._with_error(solution)
        return solution

    def _beside(
        self, engine: Engine[Any], first: Any, expendable: bool
    ) -> tuple[Engine[Any], Kept | None, Callable[[int, int], None]]:
        """The engine with other draws, what is kept of it, and who is told how far it is."""
        before = engine.done(first)[0]
        say = lambda done, total: self._say("estimating the error", before + done, total)  # noqa: E731
        other = engine.second(first, Watch(self.budget, expendable, optional=True, tell=say))
        return other, None if self.file is None else self.file.integration(other), say

    def _claimed(
        self,
        attempt: Attempt,
        engine: Engine[Any],
        tol: float | None,
        first: Integrated,
        second: Integrated | None,
    ) -> Solution:
        """The solution with what its error is estimated to be."""
        seen = Evidence(
            self.problem,
            first.pieces,
            None if second is None else second.pieces,
            first.residual,
            block_rng(self.seed, 0, COMPARE),
            first.growth,
            self.problem.contradiction if engine.scale.splits_contradictions else 0.0,
            engine.scale,
            self.accept_ill_posed,
            corrected=second is not None and second.larger and second.residual < first.residual,
            effect=first.effect,
            tolerance=tol,
        )
        # Series are evaluated by many small products, whatever their number of modes.
        small = all(isinstance(piece, OnModes) for piece in first.pieces)
        past = getattr(engine, "seeing", nullcontext)(first.pieces[0])
        with suited_to(0 if small else first.windows[0].columns), past:
            estimate = self._judged(seen)
        pair = () if second is None else second.pieces
        return self._solution(attempt, engine, first, tol, vars(estimate), pair)

    @staticmethod
    def _with_error(solution: Solution) -> None:
        """Integrate the error as a function, so that the larger one of two estimates is claimed."""
        try:
            solution.linearized().error()
        except ProblemError as error:
            warnings = (*solution.report.warnings, f"`error_field=True` was given. {error}")
            solution.report = replace(solution.report, warnings=warnings)

    def _judged(self, seen: Evidence) -> Estimate:
        """The estimate; where the clock breaks it off, what can be said without one."""
        try:
            with deadline(self.budget.end):
                return estimate_error(seen)
        except OutOfTime:
            with deadline(lambda *ahead: None):
                return estimate_error(replace(seen, second=None))

    def _solution(
        self,
        attempt: Attempt,
        engine: Engine[Any],
        first: Integrated,
        tol: float | None,
        estimate: Mapping[str, Any],
        second: Sequence[Piece] = (),
    ) -> Solution:
        report = Report.of(
            first.windows,
            seed=self.seed,
            parts=first.words,
            asked=len(first.windows) + (not first.complete),
            seconds=self.budget.spent,
            tolerance=tol,
            method=engine.name,
            time=self.problem.time,
            **estimate,
        )
        report = replace(
            report,
            choices=attempt.words(self.budget.spent),
            undetermined=tuple(first.undetermined),
            linear=self.problem.linear,
            over="time" if self.problem.ordinary else "space and time",
            compared=self.estimate,
            warnings=tuple(dict.fromkeys((*report.warnings, *first.warnings))),
        )
        return Solution(self.problem, first.pieces, report, first.parts, second=second, linearize=linearized)

    @contextmanager
    def limited(self, tol: float, strict: bool) -> Iterator[list[Solution]]:
        """Solve within the limits of time and memory, and append the answer: the initial data where they leave nothing else."""
        answer: list[Solution] = []
        with deadline(self.check, lambda: self.budget.left), within(Room(self.max_memory).ask):
            try:
                yield answer
            except OutOfTime:
                answer.append(self.begun(tol))
            except MemoryLimitError as full:
                if strict:
                    raise
                answer.append(self.begun(tol, str(full).rstrip("."), Status.TOO_LARGE))
            except BaseException as broken:  # an interrupt, or a listener that raises
                self.hand_over_start(broken, tol)
                raise

    def begun(self, tol: float | None, reason: str = "", status: Status = Status.OUT_OF_TIME) -> Solution:
        """The initial data as a solution that ends where it begins; `ConvergenceError` where there are none."""
        passed = "would have passed" if self.budget.in_time() else "passed"
        reason = reason or f"`{self.budget.spell('max_seconds')}` {passed} before the first step"
        with within(lambda count: None):  # small, and all that is left to hand back
            found = beginning(self.problem, self.seed)
        if found is None:
            raise out_of_time(self.budget)
        piece, misfit = found
        report = Report.of(
            [report_on(piece, misfit, status, reason)],
            seed=self.seed,
            seconds=self.budget.spent,
            tolerance=tol,
        )
        told = f"No step was made: this is the initial data, fitted to {misfit:.1e}, and t reached is {piece.time:g}."
        limit = self.budget.spell("max_seconds") if "max_seconds" in reason else ""
        method = "lines" if self.first is None else self.first[1].name
        report = replace(
            report, method=method, stopped=limit, warnings=(*map(str, self.problem.warnings), told)
        )
        return Solution(self.problem, [piece], report)

    def hand_over_start(self, broken: BaseException, tol: float | None) -> None:
        """Give who breaks off before the first attempt the initial data; errors of a statement are none of it."""
        if not hasattr(broken, "solution"):
            start = self._interrupted(broken, tol)
            if start is not None or isinstance(broken, KeyboardInterrupt):
                hand_over(broken, start)

    def _interrupted(self, broken: BaseException, tol: float | None) -> Solution | None:
        """What there is before a first step, for who breaks off; a statement that cannot be solved has nothing to show."""
        if isinstance(broken, ValueError | ArithmeticError | TypeError | MemoryError | Unsuited):
            return None
        with suppress(ConvergenceError):
            return self.begun(tol, "interrupted before the first step", Status.NOT_FINISHED)
        return None

    def _so_far(self) -> Solution | None:
        """What the first draw of the attempt under way has come to, without an estimate; None where that is nothing."""
        if self.first is None or self.drawn is None:
            return None
        attempt, engine, tol = self.first
        return self._solution(attempt, engine, engine.integrated(self.drawn), tol, {})

    def _integrated(
        self, engine: Engine[Any], kept: Kept | None, tell: Callable[[Any], None], expendable: bool
    ) -> Any:
        """The state at the end, window after window; what was not yet kept is kept when it is broken off."""
        state = engine.begin() if kept is None else kept.state
        self.reached = engine, state
        try:
            while not engine.finished(state):
                state = engine.advance(state)
                self.reached = engine, state
                first = self.first is not None and engine is self.first[1] and engine.begun(state)
                if first:
                    self.drawn = state
                if kept is not None:
                    kept.write(state, now=engine.finished(state))
                tell(state)
                if first:
                    self._show(engine, state)
        except OutOfTime:
            if expendable or not engine.begun(state):
                raise
        finally:
            if kept is not None:
                kept.write(self.reached[1], now=True)
        return state  # as far as it came

    def _show(self, engine: Engine[Any], state: Any) -> None:
        """Show the state of the first draw to a listener that wants to see it."""
        listener = getattr(self.progress, "state", None)
        if callable(listener):
            listener(lambda: self._view(engine, state))

    def _view(self, engine: Engine[Any], state: Any) -> View:
        """The last step of an integration as a function of space, and all of it when it is asked for."""
        latest: Any = getattr(engine, "latest", None)
        piece: Any = latest(state) if callable(latest) else engine.integrated(state).pieces[-1]
        time = piece.window[1]

        def so_far() -> Solution:
            found = self._so_far()
            assert found is not None
            return found

        ends = WindowReport(
            window=piece.window,
            rows=0,
            columns=0,
            rank=0,
            condition=None,
            updates=(),
            converged=False,
            status=Status.NOT_FINISHED,
            fit_residual=0.0,
            residual=math.nan,
        )
        then = Solution(self.problem, [piece], Report.of([ends], seed=self.seed))
        return View(time, partial(then, t=time), so_far, self.problem)

    def _say(self, stage: str, done: int, total: int) -> None:
        if self.progress:
            self.progress(stage, done, total * (2 if self.estimate else 1))

    def tell_best(self, error: float) -> None:
        """Say that there is an answer, to a listener that wants to know."""
        listener = getattr(self.progress, "best", None)
        if callable(listener):
            listener(error)

    def _tell_drawn(self, solution: Callable[[], Solution]) -> None:
        """Show the first draw, which nothing is known of yet, to a listener that wants to see it while the second one is made."""
        listener = getattr(self.progress, "drawn", None)
        if callable(listener):
            listener(solution())

    def tell_pilot(self, number: int) -> None:
        """Say that a pilot begins; how many there will be is a guess from those of the catalog."""
        if self.progress:
            self.progress(f"choosing settings, pilot {number}", number - 1, max(PILOTS, number + number // 4))
