# SPDX-License-Identifier: MIT
"""What happens in `solve`: choose settings → march, twice → estimate → enlarge or stop → Solution.

Parts given by hand are used as they are; without a trial space everything is chosen to meet the tolerance.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from lrfm.error.held_out import UNRESOLVED
from lrfm.error.indicators import Evidence, estimate_error
from lrfm.error.well_posed import OVERRIDE, ill_posed
from lrfm.linalg import LeastSquares, backends
from lrfm.linalg.clock import looking
from lrfm.linalg.threads import suited_to
from lrfm.problem import Jet, Problem, ProblemError
from lrfm.problem.errors import shown
from lrfm.rows.collocation import Collocation
from lrfm.rows.pieces import Piece
from lrfm.rows.placing import fill
from lrfm.solution.report import Report
from lrfm.solution.solution import Solution, reference_values
from lrfm.solver.attempts import DEFAULT_TOL, Attempt, Attempts, ChosenAttempts, GivenAttempt, better
from lrfm.solver.budget import Budget, OutOfTime, Watch
from lrfm.solver.checkpoint import Checkpoint, Kept
from lrfm.solver.lines.attempts import LinesAttempts
from lrfm.solver.lines.form import Unsuited
from lrfm.solver.lines.front import applies
from lrfm.solver.lines.trial import TRIAL, plan_by_trial
from lrfm.solver.march import COMPARE, Engine, Marched, block_edges, block_rng, march
from lrfm.solver.nonlinear import Iteration
from lrfm.solver.options import METHODS
from lrfm.solver.parts import Parts
from lrfm.solver.planning import Plan, check_memory, make_plan, parse_bytes
from lrfm.solver.progress import showing
from lrfm.solver.ranges import ranges
from lrfm.solver.reading import reading
from lrfm.solver.settings import Choice, choose_parts
from lrfm.solver.tangent import linearized
from lrfm.spaces import Liquid

COMPARED = 200  # points at which a reference is looked at
FAR = 10.0  # true error over estimate from which a warning is given,
LEAST_TOL = 1e-15
MOST_FEATURES = 10_000_000_000
FINEST = 1e-11  # and the least estimate that a reference is measured by

PILOTS = 40  # of a usual search

Progress = Callable[[str, int, int], None]


def hand_over(broken: BaseException, solution: Solution | None) -> None:
    """Put what there is on an exception, as `.solution`."""
    if solution is not None and getattr(broken, "solution", None) is None:
        with suppress(AttributeError):
            broken.solution = solution  # type: ignore[attr-defined]


class ConvergenceError(RuntimeError):
    """The answer cannot be trusted; `solution` is the best one there is."""

    def __init__(self, message: str, solution: Solution | None = None):
        super().__init__(message)
        self.solution = solution


@reading
@showing
def solve(
    problem: Problem,
    *,
    tol: float | None = None,
    method: str = "auto",
    features: int | None = None,
    blocks: int | Sequence[float] | None = None,
    space: Liquid | None = None,
    collocation: Collocation | None = None,
    least_squares: LeastSquares | None = None,
    nonlinear: Iteration | None = None,
    backend: str | backends.Backend = "numpy",
    start: Solution | None = None,
    seed: int = 0,
    estimate: bool = True,
    strict: bool = True,
    accept_ill_posed: bool = False,
    max_features: int = 4000,
    max_seconds: float | None = 120.0,
    max_memory: str | int | None = None,
    checkpoint: str | Path | None = None,
    progress: Progress | bool | None = None,
) -> Solution:
    """Solve F(x, t, {D^a u}) = 0 by least squares on its residual over space and time.

    Without `space`, everything is chosen: settings by the residual on held-out points, size and blocks so that the
    estimated relative L² error is at most `tol` (1e-6 if neither `tol` nor `features` is given).

    Parameters
    ----------
    problem
        The statement, or the path of a TOML file that has it; its [solve] section then gives what is not given here.
    tol
        Relative L² error over space and time, per unknown, that the estimate must reach.
    method
        ``"lines"``: features in space, implicit collocation in time; ``"space-time"``: the paper's features in space and time;
        ``"auto"``: lines wherever they apply and no part of the other is asked for. The report says which one it was, and why.
    features
        Automatic choice at this fixed number of features per field (and block) instead.
    blocks
        Number of blocks in time, or their inner edges; chosen if left out (1 with parts by hand).
    space, collocation, least_squares, nonlinear
        Parts by hand; with `space` nothing is searched, and what else is left out takes its default.
    backend
        Where matrices are computed and factored: ``"numpy"``, ``"torch"``, or ``"torch:DEVICE"`` such as ``"torch:cuda"``.
    start
        The solution of a nearby problem, from which the nonlinear iteration begins: for series of parameters.
    seed
        One number that fixes every random draw; it is recorded in the report.
    estimate
        Whether to solve a second time with independent draws and report the difference as the error.
    strict
        Whether an answer that cannot be trusted is raised (`ConvergenceError`, with the solution) or returned.
    accept_ill_posed
        Whether equations that seem to amplify short waves without bound are solved and judged like all others, with a warning;
        they are refused otherwise. For who knows better than a test with frozen coefficients.
    max_features, max_seconds, max_memory
        Budget of the automatic choice: columns of one block, wall time (what is not finished by then is handed back as far as it
        came), memory such as ``"4GB"``.
    checkpoint
        A file to which blocks, or steps, are appended; a solve that was broken off goes on from it, bit for bit. An exception
        that breaks it off (Ctrl-C, one raised by `progress`) has what there is as `.solution`.
    progress
        Called as progress(stage, done, total). Without it a bar is shown on a terminal or in a notebook if it takes longer than a
        second; False silences it.

    Raises
    ------
    ConvergenceError
        When the iteration did not converge, the residual on fresh points is large, or `tol` was not met.
    """
    _check(problem, tol, features, space, seed)
    parts = {
        "space": space,
        "collocation": collocation,
        "least_squares": least_squares,
        "nonlinear": nonlinear,
    }
    where = backends.backend(backend)
    _check_kinds(parts, progress)
    _check_start(problem, start)
    _check_budget(max_features, max_seconds, tol, estimate)
    _check_places(max_memory, checkpoint)
    if not accept_ill_posed:
        refuse_ill_posed(problem)
    # Parts by hand are solved to the end: only a search has something to leave out.
    seconds = math.inf if max_seconds is None or space is not None else max_seconds
    budget = Budget(max_features, seconds)
    file = None if checkpoint is None else Checkpoint(checkpoint, problem)
    heard = progress if callable(progress) else None
    run = _Run(problem, int(seed), estimate, max_memory, file, heard, budget, accept_ill_posed)
    guess = None if start is None else _Guess(start)
    asked_for = {**parts, "features": features, "blocks": blocks, "start": start}
    lines = _lines(problem, method, tol, int(seed), budget, estimate, asked_for, where)
    attempts: Attempts
    if lines is not None:
        tol = lines.tol
        attempts = lines
    elif space is not None:
        edges = block_edges(problem.time, 1 if blocks is None else blocks)
        chosen = parts_by_hand(problem, edges, space, collocation, least_squares, nonlinear)
        parts_here = replace(chosen, backend=where)
        attempts = GivenAttempt(problem, edges, parts_here, int(seed), guess)
    else:
        tol = DEFAULT_TOL if tol is None and features is None else tol
        given = {k: v for k, v in parts.items() if v is not None} | {"backend": where}
        run.check_size(features, blocks)
        attempts = ChosenAttempts(
            problem, tol, features, blocks, given, int(seed), budget, estimate, guess, run.tell_pilot
        )
        attempts.kept = [] if file is None else file.choices(attempts.asked)
    try:
        with looking(budget.stop):
            solution = run.best_of(attempts, tol if estimate or space is not None else None)
    except Unsuited as error:
        if method == "lines":
            raise ProblemError(f"Lines cannot march this statement: {error}") from error
        solution = None
    if solution is None or (lines is not None and method == "auto" and _unanswered(solution, budget)):
        # What lines could not march to its end is worth a try by the other method.
        with suppress(
            *([] if solution is None else [ConvergenceError])
        ):  # there may be no time left for an answer
            instead = solve(
                problem,
                tol=tol if estimate else None,
                method="space-time",
                seed=seed,
                estimate=estimate,
                strict=False,
                accept_ill_posed=accept_ill_posed,
                max_features=max_features,
                max_seconds=max(budget.left, 1.0) if math.isfinite(budget.left) else None,
                max_memory=max_memory,
                checkpoint=None if checkpoint is None else f"{checkpoint}.space-time",
                progress=progress,
            )
            solution = instead if better(instead, solution) else solution
    assert solution is not None
    if strict and solution.report.failed:
        best = "The best solution is in `.solution`; `strict=False` returns it."
        raise ConvergenceError(f"{solution.report.advice} {best}", solution)
    return solution


def _lines(
    problem: Problem,
    method: str,
    tol: float | None,
    seed: int,
    budget: Budget,
    estimate: bool,
    asked_for: Mapping[str, object],
    where: backends.Backend,
) -> LinesAttempts | None:
    """The attempts by lines, or None where the other method is asked for, or this one does not apply."""
    if method not in METHODS:
        raise ValueError(f"`method={method!r}` is not known; expected one of {', '.join(METHODS)}.")
    others = [name for name, value in asked_for.items() if value is not None]
    others += [] if where is backends.NUMPY else ["backend"]
    if method == "lines" and others:
        raise ValueError(
            f"`method='lines'` was given with `{others[0]}`, which is a part of the method in space and time; drop one of them."
        )
    if method == "space-time" or others:
        return None
    try:
        with looking(budget.stop):
            suits, why = applies(problem)
    except OutOfTime:
        raise _too_short(budget) from None
    if not suits and method == "lines":
        raise ProblemError(f"Lines cannot march this statement: {why} Use `method='space-time'`.")
    return LinesAttempts(problem, tol or DEFAULT_TOL, seed, budget, estimate) if suits else None


def _too_short(budget: Budget) -> ConvergenceError:
    return ConvergenceError(
        f"`{budget.spell('max_seconds')}` passed before there was anything to hand back. Allow more."
    )


@dataclass
class _Run:
    """What was asked for, apart from the parts, and how far it is."""

    problem: Problem
    seed: int
    estimate: bool
    max_memory: str | int | None
    file: Checkpoint | None
    progress: Progress | None
    budget: Budget
    accept_ill_posed: bool = False
    first: tuple[Attempt, Engine[Any], float | None] | None = None  # under way
    drawn: Any = None  # the state that its first draw has come to

    def best_of(self, attempts: Attempts, tol: float | None) -> Solution:
        """Attempt after attempt until one is enough, or the budget ends: the one with the smallest estimate."""
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
            except BaseException as broken:  # an interrupt, or a callback that raises
                hand_over(broken, best or self._so_far())
                raise
            if better(solution, best):
                best = solution
                self.tell_best(solution.report.error_estimate)
            if attempts.enough(solution):
                break
            attempts.learn(solution)
        if best is None:
            raise _too_short(self.budget)
        warnings = (*best.report.warnings, *_compared(best)) if self.estimate else best.report.warnings
        best.report = replace(best.report, stopped=attempts.stopped or late, warnings=warnings)
        return best

    def _solved(self, attempt: Attempt, tol: float | None, expendable: bool) -> Solution:
        """March, march again with other draws, estimate the error."""
        attempt.check_memory(self.max_memory, self.estimate)
        tell = lambda done, total: self._say("solving", done, total)  # noqa: E731
        engine = attempt.engine(Watch(self.budget, expendable, tell=tell))
        self.first, self.drawn = (attempt, engine, tol), None
        state = self._first(engine, attempt.choice, attempt.asked, expendable)
        first = engine.marched(state)
        second = self._second(engine, state, expendable) if self.estimate and first.complete else None
        with suited_to(first.windows[0].columns):
            estimate = estimate_error(
                Evidence(
                    self.problem,
                    first.pieces,
                    None if second is None else second.pieces,
                    first.residual,
                    block_rng(self.seed, 0, COMPARE),
                    first.growth,
                    self.problem.contradiction if engine.scale.splits_contradictions else 0.0,
                    engine.scale,
                    self.accept_ill_posed,
                )
            )
        pair = () if second is None else second.pieces
        return self._solution(attempt, engine, first, tol, vars(estimate), pair)

    def _solution(
        self,
        attempt: Attempt,
        engine: Engine[Any],
        first: Marched,
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
            **estimate,
        )
        report = replace(
            report,
            method=engine.name,
            choices=attempt.words(self.budget.spent),
            undetermined=tuple(first.undetermined),
            warnings=(*report.warnings, *first.warnings),
        )
        return Solution(self.problem, first.pieces, report, first.parts, second=second, linearize=linearized)

    def _so_far(self) -> Solution | None:
        """What the first draw of the attempt under way has come to, without an estimate; None where that is nothing."""
        if self.first is None or self.drawn is None:
            return None
        attempt, engine, tol = self.first
        return self._solution(attempt, engine, engine.marched(self.drawn), tol, {})

    def _first(
        self, engine: Engine[Any], choice: Choice | None, asked: Mapping[str, Any], expendable: bool
    ) -> Any:
        """The march, from its checkpoint if there is one."""
        kept = None if self.file is None else self.file.march(engine, choice, asked)
        tell = lambda state: self._say("solving", *engine.done(state))  # noqa: E731
        return self._marched(engine, kept, tell, expendable)

    def _second(self, engine: Engine[Any], first: Any, expendable: bool) -> Marched | None:
        """The march with other draws; None where it did not get to the end."""
        before = engine.done(first)[0]
        tell = lambda done, total: self._say("estimating the error", before + done, total)  # noqa: E731
        other = engine.second(first, Watch(self.budget, expendable, optional=True, tell=tell))
        kept = None if self.file is None else self.file.march(other)
        try:
            marched = other.marched(self._marched(other, kept, lambda state: tell(*other.done(state)), True))
        except OutOfTime:
            return None
        return marched if marched.complete else None

    def _marched(
        self, engine: Engine[Any], kept: Kept | None, tell: Callable[[Any], None], expendable: bool
    ) -> Any:
        """The state at the end; what was not yet kept is kept when it is broken off."""
        state = engine.begin() if kept is None else kept.state
        self.reached = engine, state

        def after(state: Any) -> None:
            self.reached = engine, state
            if self.first is not None and engine is self.first[1] and engine.done(state)[0]:
                self.drawn = state
            if kept is not None:
                kept.write(state, now=engine.finished(state))
            tell(state)

        try:
            return march(engine, state, after)
        except OutOfTime:
            if expendable or not engine.done(self.reached[1])[0]:
                raise
            return self.reached[1]  # as far as it came
        finally:
            if kept is not None:
                kept.write(self.reached[1], now=True)

    def _say(self, stage: str, done: int, total: int) -> None:
        if self.progress:
            self.progress(stage, done, total * (2 if self.estimate else 1))

    def tell_best(self, error: float) -> None:
        """Say that there is an answer, to a listener that wants to know."""
        listener = getattr(self.progress, "best", None)
        if callable(listener):
            listener(error)

    def tell_pilot(self, number: int) -> None:
        """Say that a pilot begins; how many there will be is a guess from those of the catalog."""
        if self.progress:
            self.progress(f"choosing settings, pilot {number}", number - 1, max(PILOTS, number + number // 4))

    def check_size(self, features: int | None, blocks: int | Sequence[float] | None) -> None:
        """Refuse a fixed size that does not fit into memory before pilots are solved for it."""
        if features is not None:
            edges = block_edges(self.problem.time, 1 if blocks is None else blocks)
            parts = choose_parts(self.problem, float(np.min(np.diff(edges))), {}, features)
            check_memory(make_plan(self.problem, parts, 1, self.estimate), self.max_memory)


@dataclass(frozen=True)
class _Guess:
    """A whole solution in the place of a window's expansion."""

    solution: Solution

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        return self.solution.jets(jets, points)


def _unanswered(solution: Solution, budget: Budget) -> bool:
    """Whether a march ended without anything that could be claimed, and there is time for another way."""
    report = solution.report
    claimed = report.error_estimate < math.inf or (not report.failed and math.isnan(report.error_estimate))
    claimed = claimed or report.status == "not unique"  # which no other method changes
    return not claimed and budget.in_time()


def refuse_ill_posed(problem: Problem) -> None:
    said = ill_posed(problem)
    if said:
        raise ProblemError(f"{said} {OVERRIDE}")


@reading
def plan(
    problem: Problem,
    *,
    tol: float | None = None,
    method: str = "auto",
    features: int | None = None,
    blocks: int | Sequence[float] | None = None,
    space: Liquid | None = None,
    collocation: Collocation | None = None,
    least_squares: LeastSquares | None = None,
    nonlinear: Iteration | None = None,
    estimate: bool = True,
    max_seconds: float | None = 120.0,
) -> Plan:
    """Rows, columns, bytes and an estimate of seconds of the solve that `lrfm.solve` would make.

    In space and time nothing is solved. By lines the number of steps is not known beforehand: a march is tried for two seconds at most,
    and the rest of the time span taken to cost as much.

    Parameters
    ----------
    problem, tol, method, blocks, space, collocation, least_squares, nonlinear, estimate, max_seconds
        As in `lrfm.solve`.
    features
        Without `space`, the size of the default space (an automatic choice may end smaller or larger).

    Returns
    -------
    Plan
        `rows`, `columns`, `blocks`, `bytes`, `seconds`, `method`; it prints as a table.

    Examples
    --------
    >>> import lrfm
    >>> made = lrfm.plan(lrfm.catalog.heat_1d(), features=100)
    >>> made.rows, made.columns, made.blocks
    (430, 100, 1)
    """
    _check(problem, tol, features, space, 0)
    asked_for = {"features": features, "blocks": blocks, "space": space, "collocation": collocation}
    asked_for |= {"least_squares": least_squares, "nonlinear": nonlinear}
    lines = _lines(problem, method, tol, 0, Budget(4000, TRIAL), estimate, asked_for, backends.NUMPY)
    found = None if lines is None else plan_by_trial(lines, max_seconds or math.inf)
    if found is not None:
        return found
    edges = block_edges(problem.time, 1 if blocks is None else blocks)
    parts = parts_by_hand(problem, edges, space, collocation, least_squares, nonlinear, features)
    return make_plan(problem, parts, len(edges) - 1, estimate)


def parts_by_hand(problem, edges, space, collocation, least_squares, nonlinear, features=None) -> Parts:
    """Parts by hand, with defaults for what was left out."""
    given = {
        "space": space,
        "collocation": collocation,
        "least_squares": least_squares,
        "nonlinear": nonlinear,
    }
    return choose_parts(problem, float(np.min(np.diff(edges))), given, features)


def _check(
    problem: Problem, tol: float | None, features: int | None, space: Liquid | None, seed: int
) -> None:
    if not isinstance(problem, Problem):
        raise TypeError(f"`solve` was given a {type(problem).__name__}; expected a `lrfm.Problem`.")
    if ranges(problem):
        raise ProblemError(
            f"The parameter `{next(iter(ranges(problem)))}` is a range; `lrfm.family(problem)` solves for all of its values."
        )
    left = [name for name, p in problem.parameters.items() if getattr(p, "unknown", False)]
    if left:
        raise ProblemError(
            f"The parameter `{left[0]}` is unknown; find it from data with `lrfm.fit(problem, data)`, or give it a value."
        )
    if space is not None and features is not None:
        raise ValueError(
            "Both `space` and `features` were given; `features` is for the automatic choice. Drop one."
        )
    if tol is not None and not (isinstance(tol, Real) and 0 < tol < 1):
        raise ValueError(f"`tol={shown(tol)}` must lie between 0 and 1; it is a relative error.")
    if tol is not None and tol < LEAST_TOL:
        raise ValueError(f"`tol={tol!r}` is below the rounding of doubles; ask for {LEAST_TOL:g} or more.")
    if features is not None and not (
        isinstance(features, int | np.integer) and 4 <= features <= MOST_FEATURES
    ):
        raise ValueError(
            f"`features={shown(features)}` must be a whole number of at least 4, and at most {MOST_FEATURES}."
        )
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"`seed={seed!r}` must be a whole number that is not negative.")


def _check_kinds(parts: dict[str, object], progress: object) -> None:
    """Refuse parts that are not what their name says, before anything is drawn."""
    kinds = {
        "space": ("sample", "a trial space such as `lrfm.Liquid(features=400)`"),
        "collocation": ("place", "`lrfm.Collocation(...)`"),
        "least_squares": (
            "solve",
            "`lrfm.QR()`, `lrfm.LSQR()`, `lrfm.TruncatedSVD()` or `lrfm.Distributed()`",
        ),
        "nonlinear": ("run", "`lrfm.Newton()` or `lrfm.Picard()`"),
    }
    for name, (method, expected) in kinds.items():
        given = parts[name]
        if given is not None and (isinstance(given, type) or not callable(getattr(given, method, None))):
            raise TypeError(f"`{name}={given!r}` is not usable as such; expected {expected}.")
    if progress is not None and not callable(progress):
        raise TypeError(
            f"`progress={progress!r}` is not callable; expected a function of (stage, done, total)."
        )


def _check_start(problem: Problem, start: Solution | None) -> None:
    """Refuse a guess that is not one of these unknowns on this domain and time span."""
    if start is None:
        return
    if not isinstance(start, Solution):
        raise TypeError(f"`start` was given as a {type(start).__name__}; expected a `lrfm.Solution`.")
    other = start.problem
    same = other.domain.axes == problem.domain.axes and other.fields == problem.fields
    if not (same and other.time == problem.time and start.block_edges[-1] == problem.time[1]):
        raise ValueError(
            "`start` solves for other unknowns, on another domain or over another time span; give a solution of a problem that differs in "
            "its parameters or data only."
        )


def _check_budget(max_features: int, max_seconds: float | None, tol: float | None, estimate: bool) -> None:
    if not max_features >= 4:
        raise ValueError(f"`max_features={max_features!r}` must be at least 4.")
    if max_seconds is not None and not max_seconds > 0:
        raise ValueError(f"`max_seconds={max_seconds!r}` must be positive, or None for no limit.")
    if tol is not None and not estimate:
        raise ValueError(
            "`tol` was given with `estimate=False`; a tolerance can only be met by an estimate. Drop one."
        )


def _check_places(max_memory: str | int | None, checkpoint: str | Path | None) -> None:
    if max_memory is not None:
        parse_bytes(max_memory)
    if checkpoint is not None and not isinstance(checkpoint, str | os.PathLike):
        raise TypeError(f"`checkpoint={shown(checkpoint)}` is not the name of a file.")


def _compared(solution: Solution) -> tuple[str, ...]:
    """A warning where a given reference is far from the solution although the estimate is small."""
    problem, claimed = solution.problem, solution.report.error_estimate
    if problem.reference is None or not claimed < UNRESOLVED or solution.block_edges[-1] < problem.time[1]:
        return ()
    rng = np.random.default_rng(0)
    unit = rng.random((COMPARED, len(solution.coordinates)))
    times = problem.time[0] + (problem.time[1] - problem.time[0]) * unit[:, -1]
    places = fill(problem.domain, unit[:, :-1], times, rng)
    at: dict[str, Any] = dict(zip(solution.coordinates, (*places.T, times), strict=True))
    error = 0.0
    for name, exact in reference_values(problem, at, solution.report.undetermined).items():
        gap, size = np.linalg.norm(solution[name](**at) - exact), np.linalg.norm(exact)
        error = max(error, float(gap / size) if size > 0 else 0.0)
    if error <= FAR * max(claimed, FINEST):
        return ()
    return (
        f"Compared with `reference` the relative error is {error:.1e}, far above the estimate {claimed:.1e}: the reference "
        "does not solve this statement, or is not accurate, or the estimate is wrong. Check the statement first.",
    )
