# SPDX-License-Identifier: MIT
"""What happens in `solve`: choose settings → integrate, twice → estimate → enlarge or stop → Solution.

What belongs to one method alone stands in its object (`lrfm.solver.methods`); what is not given is chosen to meet the tolerance.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from lrfm.discretize.evolution import Unsuited
from lrfm.error.balance import later_imbalance
from lrfm.linalg.deadline import deadline
from lrfm.linalg.room import within
from lrfm.problem import Problem, ProblemError
from lrfm.solution.solution import Solution
from lrfm.solution.status import Status
from lrfm.solver import budget as clock
from lrfm.solver.arguments import (
    check_budget,
    check_places,
    check_problem,
    check_progress,
    check_start,
    check_until,
    refuse_checkpoint,
    refuse_ill_posed,
    refuse_imbalance,
    refuse_net_flux,
    refuse_until,
    refuse_whole,
    suits_space_time,
)
from lrfm.solver.budget import SHORTEST, Budget, OutOfTime, Plan, Room
from lrfm.solver.certify import certifiable, certified
from lrfm.solver.checkpoint import Checkpoint
from lrfm.solver.engine import DEFAULT_TOL, Wanted, better
from lrfm.solver.entry import entry
from lrfm.solver.formulations.order import SPACES, AttemptsIn, on_what_steepened, spaces_for
from lrfm.solver.methods import MAX_FEATURES, Lines, Method, SpaceTime, method_of
from lrfm.solver.run import ConvergenceError, Progress, Run
from lrfm.solver.trial import BEGINNING, nothing_to_tell, plan_by_trial
from lrfm.solver.until import solve_until


@entry(folds=True, shows=True, shares=True)
def solve(
    problem: Problem,
    *,
    tol: float | None = None,
    method: str | Method = "auto",
    start: Solution | None = None,
    seed: int = 0,
    estimate: bool = True,
    error_field: bool = False,
    certify: bool = False,
    strict: bool = True,
    accept_ill_posed: bool = False,
    max_seconds: float | None = 120.0,
    max_memory: str | int | None = None,
    checkpoint: str | Path | None = None,
    progress: Progress | bool | None = None,
    until: str | None = None,
) -> Solution:
    """Solve F(x, t, {D^a u}) = 0 with its conditions, so that the estimated relative L² error is at most `tol`.

    Everything is chosen that is not given: the method, functions, steps or blocks. Without `tol` it is 1e-6; with a method of a given size
    (`lrfm.SpaceTime`) the error of what comes out is estimated.

    Parameters
    ----------
    problem
        The statement, or the path of a TOML file that has it; its [solve] section then gives what is not given here. One without time is
        given to `lrfm.steady`.
    tol
        Relative L² error over space and time, per unknown, that the estimate must reach.
    method
        ``"lines"`` or `lrfm.Lines(...)`: functions of space, implicit steps in time; ``"space-time"`` or `lrfm.SpaceTime(...)`: the
        paper's features of space and time; ``"auto"``: lines wherever they apply. The report says which one it was.
    start
        The solution of a nearby problem, with other parameters or data: for series of them. By lines errors are measured by the sizes that its
        unknowns came to; in space and time the nonlinear iteration begins from it.
    seed
        One number that fixes every random draw; it is recorded in the report.
    estimate
        Whether to solve a second time with independent draws and report the difference as the error.
    error_field
        Whether to integrate the error as a function, too (`Solution.error_field`), and claim the larger one of it and of the comparison solve. Without it
        that is done when the error is first asked for. For solutions on the cells of an interval.
    certify
        Whether to bound the error, too: `report.bound` is at least the relative L² error over space and time, where the energy estimate of the equation is
        known: linear equations of first order in time on an interval. Others are refused before they are solved. See docs/howto/bounds.md.
    strict
        Whether an answer that cannot be trusted is raised (`ConvergenceError`, with the solution) or returned. One that ends before
        `time[1]` is returned as far as it goes; where not even a first step was made there is nothing to return, and it is raised.
    accept_ill_posed
        Whether equations that seem to amplify short waves without bound are solved and judged like all others, with a warning;
        they are refused otherwise. For who knows better than a test with frozen coefficients.
    max_seconds, max_memory
        Wall time (what is not finished by then is handed back as far as it came), memory such as ``"4GB"``.
    checkpoint
        A file to which blocks, or steps, are appended; a solve that was broken off goes on from it, bit for bit. An exception
        that breaks it off (Ctrl-C, one raised by `progress`) has what there is as `.solution`.
    progress
        Called as progress(stage, done, total); `lrfm.Watch(function)` is shown t and u, and can end the solve. Without it a bar is shown on a terminal or in a notebook if it takes longer than a
        second; False silences it.
    until
        An event that ends the solve before the end of the time span: ``"max(u) < 0.1"``, ``"u(x=1) = 0.5"``, ``"steady"``; its time, with an error, is
        ``solution.event``. See `lrfm.find`.

    Raises
    ------
    ConvergenceError
        When the iteration did not converge, the residual on fresh points is large, or `tol` was not met.
    """
    began, way = clock.now(), method_of(method)
    given = way if isinstance(way, SpaceTime) else None
    check_problem(problem, tol, seed)
    if problem.steady:
        from lrfm.solver.steady.front import steady

        if until is not None:
            refuse_until(until)
        return steady(
            problem, tol=tol, guess=start, estimate=estimate, strict=strict, max_seconds=max_seconds
        )
    if certify:
        way = certifiable(problem, way, until)
    if until is not None:
        check_until(until, tol, estimate, checkpoint)
        options = {
            "method": method,
            "seed": seed,
            "accept_ill_posed": accept_ill_posed,
            "max_memory": max_memory,
        }
        limit = Budget(MAX_FEATURES, math.inf if max_seconds is None else max_seconds, began)
        return solve_until(
            problem,
            until,
            tol or DEFAULT_TOL,
            lambda p, inner, whole: solve(
                p,
                tol=inner,
                strict=strict and whole,
                progress=progress,
                max_seconds=None if max_seconds is None else max(limit.left, SHORTEST),
                **options,
            ),
        )
    if given is not None:
        given.check()
    check_progress(progress)
    check_start(problem, start)
    most = MAX_FEATURES if isinstance(way, Lines) else way.max_features
    check_budget(most, max_seconds, tol, estimate)
    check_places(max_memory, checkpoint)
    refuse_checkpoint(checkpoint)
    # Parts by hand are solved to the end: only a search has something to leave out.
    by_hand = given is not None and given.space is not None
    budget = Budget(most, math.inf if max_seconds is None or by_hand else max_seconds, began)
    file = None if checkpoint is None else Checkpoint(checkpoint, problem)
    heard = progress if callable(progress) else None
    run = Run(
        problem, int(seed), estimate, max_memory, file, heard, budget, accept_ill_posed, error_field, certify
    )
    return solved(run, way, tol, start, strict)


def solved(run: Run, way: Method, tol: float | None, start: Solution | None, strict: bool) -> Solution:
    """The solution in the first space that suits the statement, or in space and time where that is asked for or nothing else suits it, within the limits of a run."""
    problem, wanted, why, best, late = run.problem, tol or DEFAULT_TOL, None, None, False
    with run.limited(wanted, strict) as answer:
        if not run.accept_ill_posed and not problem.delays:
            refuse_ill_posed(problem)
        refuse_net_flux(problem, wanted)
        refuse_imbalance(problem, wanted)
        for attempts_in, asked in _spaces(run, way, start):
            try:
                attempts = attempts_in(problem, Wanted(wanted, run.budget, run.estimate, asked))
                if start is not None:
                    attempts.begin_near(start)
                found = run.best_of(attempts, attempts.tol if run.estimate else None)
                if found.report.status is Status.STEPS_VANISHED and not asked:
                    with suppress(Unsuited, np.linalg.LinAlgError):
                        steepened = on_what_steepened(problem, Wanted(wanted, run.budget, run.estimate))
                        other = run.best_of(steepened, steepened.tol if run.estimate else None)
                        found = other if better(other, found) else found
                best = found if better(found, best) else best
                # What series do not resolve in their part of the time, cells may.
                late = (
                    run.halted
                    or not found.report.failed
                    or not attempts.halved
                    or problem.domain.dimension == 1
                )
            except (Unsuited, np.linalg.LinAlgError) as error:
                if asked:
                    raise _not_held(way, error) from error
                if attempts_in is SPACES["cells"]:  # the most general ones
                    why = str(error)
            except OutOfTime:
                if best is None:
                    raise
                late = True
            if late:
                break
        answer.append(_in_space_and_time(run, way, tol, start, why) if best is None else best)
    return _judged(run, answer[-1], wanted, strict)


def _spaces(run: Run, way: Method, start: Solution | None) -> Iterable[tuple[AttemptsIn, bool]]:
    """The spaces of lines that may be tried, each with whether it was asked for; none where space and time are asked for, or `start` was solved in them."""
    if isinstance(way, SpaceTime):
        refuse_whole(run.problem, way.asked)
        return ()
    if start is not None and start.report.method != "lines":
        if isinstance(way, Lines):
            raise ValueError(
                "`start` was solved in space and time, and `method='lines'` begins with what lines has chosen; give a solution by lines, or "
                "drop one of them."
            )
        refuse_whole(run.problem, "start")
        return ()
    return spaces_for(way, run.seed)


def _in_space_and_time(
    run: Run, way: Method, tol: float | None, start: Solution | None, why: str | None
) -> Solution:
    """The solution in space and time; `why` lines do not hold the statement, where they were tried."""
    if isinstance(way, Lines) or (why is not None and not suits_space_time(run.problem)):
        other = " Use `method='space-time'`." if suits_space_time(run.problem) else ""
        raise ProblemError(f"No space holds this statement: {why or ''}{other}")
    given = way if isinstance(way, SpaceTime) else SpaceTime()
    attempts = given.attempts(run, tol, start)
    judged = run.estimate or given.space is not None
    solution = run.best_of(attempts, attempts.tol if judged else None)
    if why:
        told = f"Lines do not hold this statement, and it was solved in space and time: {why}"
        solution.report = replace(solution.report, warnings=(*solution.report.warnings, told))
    return solution


def _judged(run: Run, solution: Solution, tol: float, strict: bool) -> Solution:
    """The solution after the last looks at it; ConvergenceError where it cannot be trusted."""
    unbalanced = None if solution.report.failed else later_imbalance(run.problem, solution.pieces, tol)
    if unbalanced is not None:
        solution.report = replace(
            solution.report,
            status=Status.NO_SOLUTION,
            reason=unbalanced,
            error_estimate=math.inf,
            max_error_estimate=math.inf,
        )
    if run.certify:
        certified(solution)
    if strict and solution.report.failed and not run.halted:
        best = "The best solution is in `.solution`; `strict=False` returns it."
        raise ConvergenceError(f"{solution.report.advice} {best}", solution)
    return solution


@entry(folds=True)
def plan(
    problem: Problem,
    *,
    tol: float | None = None,
    method: str | Method = "auto",
    estimate: bool = True,
    max_seconds: float | None = 120.0,
) -> Plan:
    """Rows, columns, bytes and an estimate of seconds of the solve that `lrfm.solve` would make.

    In space and time nothing is solved. By lines the number of steps is not known beforehand: an integration is tried, two seconds after its first step at most
    (before it a minute or `max_seconds` at most), and taken to go on with steps such as its last one.

    Parameters
    ----------
    problem, tol, estimate, max_seconds
        As in `lrfm.solve`.
    method
        As in `lrfm.solve`; `features` of `lrfm.SpaceTime` without a `space` are the size of the default space (an automatic choice may end
        smaller or larger).

    Returns
    -------
    Plan
        `rows`, `columns`, `blocks`, `bytes`, `seconds`, `method`; it prints as a table.

    Examples
    --------
    >>> import lrfm
    >>> made = lrfm.plan(lrfm.catalog.heat_1d(), method=lrfm.SpaceTime(features=100))
    >>> made.rows, made.columns, made.blocks
    (430, 100, 1)
    """
    way = method_of(method)
    given = way if isinstance(way, SpaceTime) else SpaceTime()
    check_problem(problem, tol, 0)
    if given is way:
        given.check()
        return given.plan(problem, estimate)
    budget = Budget(MAX_FEATURES, min(BEGINNING, max_seconds or math.inf))
    try:
        with deadline(budget.stop, lambda: budget.left), within(Room(None).ask):
            found = _tried(problem, way, tol or DEFAULT_TOL, estimate, budget, max_seconds or math.inf)
    except OutOfTime:
        raise nothing_to_tell(budget.seconds) from None
    return found or given.plan(problem, estimate)


def _tried(
    problem: Problem, way: Method, tol: float, estimate: bool, budget: Budget, limit: float
) -> Plan | None:
    """A plan in the first space that suits the statement; None where none does."""
    began = time.process_time()
    for attempts_in, asked in spaces_for(way, 0):
        try:
            attempts = attempts_in(problem, Wanted(tol, budget, estimate, asked))
            return plan_by_trial(attempts, limit, time.process_time() - began)
        except (Unsuited, np.linalg.LinAlgError) as error:
            if asked:
                raise _not_held(way, error) from error
    return None


def _not_held(way: Method, error: Exception) -> ProblemError:
    """What is raised where a space that was asked for by name is none for a statement."""
    assert not isinstance(way, SpaceTime)
    return ProblemError(f"`space={way.space!r}` does not hold this statement: {error} Leave out `space`.")
