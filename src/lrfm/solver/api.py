# SPDX-License-Identifier: MIT
"""What happens in `solve`: choose settings → march, twice → estimate → enlarge or stop → Solution.

What belongs to one method alone stands in its object (`lrfm.solver.methods`); what is not given is chosen to meet the tolerance.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from lrfm.linalg.clock import looking
from lrfm.linalg.room import within
from lrfm.linalg.threads import one_thread
from lrfm.problem import Problem, ProblemError
from lrfm.problem.calls import naming
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
    has_inner_fluxes,
    refuse_ill_posed,
    refuse_net_flux,
    refuse_whole,
    suits_space_time,
)
from lrfm.solver.attempts import DEFAULT_TOL, Attempts, better
from lrfm.solver.budget import SHORTEST, Budget, OutOfTime
from lrfm.solver.checkpoint import Checkpoint
from lrfm.solver.formulations import spaces_for
from lrfm.solver.lines.attempts import LinesAttempts
from lrfm.solver.lines.form import Unsuited
from lrfm.solver.lines.front import applies
from lrfm.solver.lines.trial import BEGINNING, nothing_to_tell, plan_by_trial
from lrfm.solver.methods import MAX_FEATURES, Auto, Lines, Method, SpaceTime, folding, method_of
from lrfm.solver.other_method import closer
from lrfm.solver.planning import MemoryLimitError, Plan, Room
from lrfm.solver.progress import showing
from lrfm.solver.reading import reading
from lrfm.solver.run import ConvergenceError, Progress, Run, too_short
from lrfm.solver.steady.front import steady
from lrfm.solver.until import solve_until


@one_thread
@reading
@folding(4)
@naming
@showing
def solve(
    problem: Problem,
    *,
    tol: float | None = None,
    method: str | Method = "auto",
    start: Solution | None = None,
    seed: int = 0,
    estimate: bool = True,
    error_field: bool = False,
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
        The solution of a nearby problem, with other parameters or data: for series of them. On cells and with series errors are measured by the sizes that its
        unknowns came to; on global functions its charts, modes and first step are taken instead of searched for, and chosen anew where that is not enough; in
        space and time the nonlinear iteration begins from it.
    seed
        One number that fixes every random draw; it is recorded in the report.
    estimate
        Whether to solve a second time with independent draws and report the difference as the error.
    error_field
        Whether to integrate the error as a function, too (`Solution.error_field`), and claim the larger one of it and of the comparison solve. Without it
        that is done when the error is first asked for. For solutions on the cells of an interval.
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
        return steady(
            problem, tol=tol, guess=start, estimate=estimate, strict=strict, max_seconds=max_seconds
        )
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
    # Parts by hand are solved to the end: only a search has something to leave out.
    by_hand = given is not None and given.space is not None
    budget = Budget(most, math.inf if max_seconds is None or by_hand else max_seconds, began)
    file = None if checkpoint is None else Checkpoint(checkpoint, problem)
    heard = progress if callable(progress) else None
    run = Run(problem, int(seed), estimate, max_memory, file, heard, budget, accept_ill_posed, error_field)
    return solved(run, way, tol, start, strict, checkpoint)


def solved(
    run: Run,
    way: Method,
    tol: float | None,
    start: Solution | None,
    strict: bool,
    checkpoint: str | Path | None = None,
) -> Solution:
    """The solution in the first way that suits the statement, within the limits of a run."""
    problem, budget = run.problem, run.budget
    with looking(run.check, lambda: budget.left), within(Room(run.max_memory).ask):
        if not run.accept_ill_posed and not problem.delays:
            refuse_ill_posed(problem)
        refuse_net_flux(problem, tol or DEFAULT_TOL)
        integrated = _integrated(run, way, tol, start)
        if integrated is not None and run.halted:
            return integrated
        alone = problem.ordinary or has_inner_fluxes(problem)
        if integrated is not None and (alone or integrated.report.norm == 1):
            return _answered(integrated, strict)  # nothing else knows shocks, or fluxes that jump
        if integrated is not None and not integrated.report.failed:
            return integrated
        solution, lines, tol = _within_limits(run, tol, way, start, strict)
    if solution is not None and run.halted:
        return solution
    other = lines and isinstance(way, Auto) and suits_space_time(problem) and integrated is None
    if solution is None or (other and _unanswered(solution, budget)):
        solution = _by_the_other_method(run, solution, tol, checkpoint)
    if integrated is not None and not better(solution, integrated):
        solution = integrated
    return _answered(solution, strict)


def _answered(solution: Solution, strict: bool) -> Solution:
    """The solution; ConvergenceError with it where it cannot be trusted."""
    if strict and solution.report.failed:
        best = "The best solution is in `.solution`; `strict=False` returns it."
        raise ConvergenceError(f"{solution.report.advice} {best}", solution)
    return solution


def _integrated(run: Run, way: Method, tol: float | None, start: Solution | None) -> Solution | None:
    """The solution in the first space that suits the statement; None where none does, or something else is asked for."""
    if start is not None and start.report.method != "lines":
        return None
    for attempts_in, asked in spaces_for(way):
        try:
            attempts = attempts_in(run.problem, tol or DEFAULT_TOL, run.budget, run.estimate, asked)
            if start is not None:
                attempts.begin_near(start)
            return run.best_of(attempts, attempts.tol if run.estimate else None)
        except (Unsuited, np.linalg.LinAlgError) as error:
            if asked:
                raise ProblemError(
                    f"`space={way.space!r}` does not hold this statement: {error} Leave out `space`."
                ) from error
        except (ConvergenceError, OutOfTime):
            return None
        except BaseException as broken:  # an interrupt, or a listener that raises
            run.hand_over_start(broken, tol or DEFAULT_TOL)
            raise
    return None


def _within_limits(
    run: Run, tol: float | None, way: Method, start: Solution | None, strict: bool
) -> tuple[Solution | None, bool, float | None]:
    """The best of all attempts of one method, whether these are lines, and the tolerance; no solution where lines have begun and do not apply.

    Where a limit ends them before a first step, the initial data are what there is.
    """
    lines, wanted = None, tol or DEFAULT_TOL
    given = way if isinstance(way, SpaceTime) else SpaceTime()
    try:
        lines = _lines(run, way, tol, start)
        attempts: Attempts = lines or given.attempts(run, tol, start)
        wanted = attempts.tol
        judged = wanted if run.estimate or given.space is not None else None
        return run.best_of(attempts, judged), lines is not None, wanted
    except Unsuited as error:
        if isinstance(way, Lines) or not suits_space_time(run.problem):
            raise ProblemError(f"Lines cannot march this statement: {error}") from error
        return None, True, wanted
    except OutOfTime:
        return run.begun(wanted), lines is not None, wanted
    except MemoryLimitError as full:
        if strict:
            raise
        return run.begun(wanted, str(full).rstrip("."), Status.TOO_LARGE), lines is not None, wanted
    except BaseException as broken:  # an interrupt, or a listener that raises
        run.hand_over_start(broken, wanted)
        raise


def _lines(run: Run, way: Method, tol: float | None, start: Solution | None) -> LinesAttempts | None:
    """The attempts by lines on global functions, or None where the other method is asked for, or this one does not apply."""
    problem = run.problem
    if isinstance(way, SpaceTime):
        refuse_whole(problem, way.asked)
        return None
    if start is not None and start.report.method != "lines":
        if isinstance(way, Lines):
            raise ValueError(
                "`start` was solved in space and time, and `method='lines'` begins with what lines has chosen; give a solution by lines, or "
                "drop one of them."
            )
        refuse_whole(problem, "start")
        return None
    suits, why = applies(problem)
    if not suits and (isinstance(way, Lines) or not problem.local or has_inner_fluxes(problem)):
        other = " Use `method='space-time'`." if suits_space_time(problem) else ""
        raise ProblemError(f"Lines cannot march this statement: {why}{other}")
    if not suits:
        return None
    return LinesAttempts(problem, tol or DEFAULT_TOL, run.seed, run.budget, run.estimate, start)


def _by_the_other_method(
    run: Run, best: Solution | None, tol: float | None, checkpoint: str | Path | None
) -> Solution:
    """What lines could not march to its end is worth a try in space and time, as far as there is time; the better answer of both."""
    file = None if checkpoint is None else Checkpoint(f"{checkpoint}.space-time", run.problem)
    other = replace(run, file=file, budget=run.budget.rest(), first=None, drawn=None)
    try:
        with looking(other.budget.stop, lambda: other.budget.left):
            attempts = SpaceTime().attempts(other, tol if run.estimate else None, None)
            found = other.best_of(attempts, attempts.tol if run.estimate else None)
    except ConvergenceError:  # no time was left for an answer
        if best is None:
            raise too_short(run.budget) from None
        return best
    found.report = replace(found.report, seconds=run.budget.spent)
    return found if best is None else closer(best, found)


def _unanswered(solution: Solution, budget: Budget) -> bool:
    """Whether a march ended without anything that could be claimed, and there is time for another way."""
    report = solution.report
    claimed = report.error_estimate < math.inf or (not report.failed and math.isnan(report.error_estimate))
    # No other method changes these.
    claimed = claimed or report.status in (Status.NOT_UNIQUE, Status.NO_SOLUTION, Status.STEPS_VANISHED)
    return not claimed and budget.left > SHORTEST


@one_thread
@reading
@folding(4)
@naming
def plan(
    problem: Problem,
    *,
    tol: float | None = None,
    method: str | Method = "auto",
    estimate: bool = True,
    max_seconds: float | None = 120.0,
) -> Plan:
    """Rows, columns, bytes and an estimate of seconds of the solve that `lrfm.solve` would make.

    In space and time nothing is solved. By lines the number of steps is not known beforehand: a march is tried for two seconds at most
    (in a domain that is no box for three steps, and a minute or `max_seconds` at most), and taken to go on with steps such as its last one.

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
    began = time.process_time()
    budget = Budget(MAX_FEATURES, min(BEGINNING, max_seconds or math.inf))
    run = Run(problem, 0, estimate, None, None, None, budget)
    try:
        with looking(budget.stop, lambda: budget.left), within(Room(None).ask):
            lines = _lines(run, way, tol, None)
            asked = time.process_time() - began
            found = None if lines is None else plan_by_trial(lines, max_seconds or math.inf, asked)
    except OutOfTime:
        raise nothing_to_tell(budget.seconds) from None
    if found is not None:
        return found
    return given.plan(problem, estimate)
