# SPDX-License-Identifier: MIT
"""What happens in `steady`: a guess → Newton's method on cells that are split → a comparison solve → an estimate → stricter, or a solution.

A statement with time is integrated until it hardly moves, and its rest state found from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.options import PAIRS, ROUNDING, SAFEGUARDS, STEADY
from lrfm.error.given import NotFollowed, not_followed
from lrfm.error.indicators import CELLS, missed, too_fast
from lrfm.error.passed import passed_over
from lrfm.error.sizes import size_of, sizes_over
from lrfm.integrate.steady.stationary import Incompatible
from lrfm.linalg.banded import SingularError
from lrfm.linalg.deadline import deadline
from lrfm.problem import Problem, ProblemError, Row
from lrfm.problem.absent import STILL
from lrfm.problem.alphabet import Alphabet
from lrfm.problem.data import Datum
from lrfm.problem.errors import listing, shown
from lrfm.problem.outflow import pressures
from lrfm.rows.pieces import Piece
from lrfm.solution.reference import doubted
from lrfm.solution.report import Report, WindowReport
from lrfm.solution.solution import Solution
from lrfm.solution.status import Status
from lrfm.solver.arguments import check_budget, check_problem, refuse_net_flux
from lrfm.solver.budget import Budget, OutOfTime
from lrfm.solver.engine import DEFAULT_TOL
from lrfm.solver.entry import entry
from lrfm.solver.linearizing import linearized
from lrfm.solver.methods import MAX_FEATURES
from lrfm.solver.run import ConvergenceError
from lrfm.solver.steady.degenerate import easier
from lrfm.solver.steady.solves import (
    Nearby,
    PieceDatum,
    Solved,
    SteadySolves,
    beginning_from,
    differences,
    given_levels,
    residual_of,
    space_of,
)

UNDAMPED = (
    "Nothing damps this statement, so that its solution in time never comes to rest; this is the steady state that Newton's method finds from the "
    "initial data. A term such as `u_t` would bring it there."
)


@entry()
def steady(
    problem: Problem,
    *,
    tol: float | None = None,
    guess: Any = None,
    along: Mapping[str, float] | None = None,
    estimate: bool = True,
    strict: bool = True,
    max_seconds: float | None = 120.0,
) -> Solution:
    """Solve F(x, {D^a u}) = 0 with its conditions, so that the estimated relative L² error is at most `tol`.

    Parameters
    ----------
    problem
        A statement without `time` and `initial`; or one with them, of which the state is wanted in which it comes to rest.
    tol
        Relative L² error over space, per unknown, that the estimate must reach; 1e-6 without it.
    guess
        Where Newton's method begins, and so which of several solutions is found: a text, number, function or table by unknown, as initial
        data are given, or a solution. Zero without it, and the mean of the values given on the boundary where zero leads nowhere.
    along
        Values of parameters at which the problem is easy, such as ``{"lam": 0}``: solutions are followed from there to the values of the problem.
    estimate, strict, max_seconds
        As in `lrfm.solve`.

    Returns
    -------
    Solution
        A function of space: ``solution(x=0.5)``.

    Examples
    --------
    >>> import lrfm
    >>> bratu = lrfm.Problem("u_xx + lam*exp(u) = 0", domain=lrfm.Box(x=(0, 1)), boundary="u = 0", parameters={"lam": 1})
    >>> solution = lrfm.steady(bratu, tol=1e-8)
    >>> round(float(solution(x=0.5)), 6)
    0.140539
    >>> round(float(lrfm.steady(bratu, tol=1e-8, guess="16*x*(1 - x)")(x=0.5)), 4)
    4.0915
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"`steady` was given a {type(problem).__name__}; expected a `lrfm.Problem`.")
    check_problem(problem, tol, 0)
    if problem.eigenvalue:
        raise ProblemError(
            f"The number `{problem.eigenvalue}` is not given; give it, `parameters={{'{problem.eigenvalue}': 1}}`, or look for the values at which there "
            "are solutions: `lrfm.modes(problem)`."
        )
    check_budget(MAX_FEATURES, max_seconds, tol, estimate)
    wanted = tol or DEFAULT_TOL
    if pressures(problem.rows):
        refuse_net_flux(problem, wanted)
    budget = Budget(MAX_FEATURES, math.inf if max_seconds is None else max_seconds)
    try:
        with deadline(budget.stop, lambda: budget.left):
            begun = _guessed(problem, guess, wanted)
            if along:
                begun = replace(begun, problem=_followed(begun.problem, along, wanted))
            solution = _solved(begun, wanted if estimate else None, budget)
            if (
                guess is None
                and not along
                and problem.steady
                and not solution.report.block_reports[0].converged
            ):
                solution = _from_levels(begun.problem, solution, wanted if estimate else None, budget)
    except Unsuited as error:
        moving = (
            ""
            if problem.steady
            else ' What the start decides is where the evolution ends: `lrfm.solve(problem, until="steady")`.'
        )
        raise ProblemError(f"No steady state can be computed: {error}{moving}") from error
    except Incompatible as error:
        raise ProblemError(str(error)) from error
    except SingularError as error:
        raise ProblemError(
            "No steady state can be computed: the equations are singular, so that there is none, or there are many. Something is determined up to a constant that the equation "
            "of another unknown has to balance; add a condition, or fix a value somewhere on the boundary."
        ) from error
    except OutOfTime:
        raise ConvergenceError(
            f"`{budget.spell('max_seconds')}` passed before there was a steady state to hand back. Allow more.{_along(problem)}"
        ) from None
    if strict and solution.report.failed:
        best = "The best solution is in `.solution`; `strict=False` returns it."
        raise ConvergenceError(f"{solution.report.advice} {best}", solution)
    return solution


def _along(problem: Problem) -> str:
    """A sentence where the statement is an evolution along one of its axes: of first order in it, with nothing given at one end."""
    if not problem.domain.is_box or problem.domain.dimension < 2:
        return ""
    jets = [jet for row in problem.rows for jet in row.jets]
    for k, (axis, (low, high)) in enumerate(problem.domain.axes.items()):
        first = max(jet.index[k] for jet in jets) == 1
        open_ends = [face for face in (f"{axis}-", f"{axis}+") if problem.face_rows.get(face) == ()]
        if first and len(open_ends) == 1:
            return (
                f" Nothing is given at `{open_ends[0]}`, and the equations are of first order in `{axis}`: they are an evolution along it, which is "
                f"solved step by step if it is written with `t` in the place of `{axis}`, `time=({low:g}, {high:g})` and `initial=`."
            )
    return ""


@dataclass(frozen=True)
class _Begun:
    """A steady statement with its guess; whether constants that nothing else determines are those of the guess, known to `error`; and a word about it."""

    problem: Problem
    kept: bool = False
    error: float = 0.0
    said: str = ""


def _guessed(problem: Problem, guess: Any, tol: float) -> _Begun:
    """The steady statement with its guess: what was given, what an integration comes to, or nothing."""
    still = problem.at_rest()
    space_of(still)
    if guess is not None:
        return _Begun(still.with_guesses(_data(still, guess)))
    if problem.steady:
        return _Begun(still)
    undamped = problem.domain.dimension == 1 and EvolutionSystem(problem).oscillates
    if undamped or problem.delays:
        data = {key: datum for key, datum in problem.initial_data.items() if key[1] == 0}
        return _Begun(still.with_guesses(data), said=UNDAMPED if undamped else "")
    from lrfm.solver.steady.rest import rested

    pinned = bool(SteadySolves(still).pinned)
    # What nothing but the start determines, as the mean of a heat that is kept, is as good as the integration.
    rest = min(STEADY.rest, STEADY.part * tol) if pinned else STEADY.rest
    return _Begun(beginning_from(still, rested(problem, rest)), pinned, rest if pinned else 0.0)


def _from_levels(problem: Problem, failed: Solution, tol: float | None, budget: Budget) -> Solution:
    """Once more, from the values that the boundary gives; what began at zero where that does not get there either."""
    levels = given_levels(problem)
    if not levels:
        return failed
    try:
        found = _solved(_Begun(problem.with_guesses(_data(problem, levels))), tol, budget)
    except OutOfTime:
        return failed
    return found if found.report.block_reports[0].converged else failed


def _data(problem: Problem, guess: Any) -> dict[tuple[str, int], Any]:
    """A guess by unknown; ProblemError with what is wrong with it."""
    if isinstance(guess, Solution):
        if guess.unknowns != tuple(problem.unknowns) or not guess.problem.steady:
            raise ProblemError(
                "`guess` is a solution of other unknowns, or one that moves; give a steady one of these unknowns, or its values as functions."
            )
        return {(name, 0): PieceDatum(guess.pieces[0]) for name in problem.unknowns}
    if isinstance(guess, Nearby):
        return dict(guess.guesses)
    names = list(problem.unknowns)
    if not isinstance(guess, Mapping):
        if len(names) > 1:
            raise ProblemError(
                f"`guess` was given as the single value {shown(guess)}, but there are the unknowns {listing(names)}; give a dictionary."
            )
        guess = {names[0]: guess}
    spatial = Alphabet(problem.alphabet.axes, problem.alphabet.parameters)
    for name in guess:
        if name not in names:
            raise ProblemError(
                f"`guess` has an entry {shown(name)}, which is not an unknown; expected {listing(names)}."
            )
    return {(name, 0): Datum(value, spatial, f"`guess` of `{name}`") for name, value in guess.items()}


def _followed(problem: Problem, along: Mapping[str, float], tol: float) -> Problem:
    """The statement with the end of a path as its guess: from values at which it is easy to its own, in steps that Newton's method allows."""
    if not isinstance(along, Mapping):
        raise ProblemError(
            f"`along` was given as {shown(along)}; expected a value to begin at for each name, such as `along={{'eps': 1.0}}`."
        )
    numbers = {name: problem.parameters.get(name) for name in along}
    for name, value in numbers.items():
        if not isinstance(value, int | float):
            raise ProblemError(f"`along` names {shown(name)}, which is no number among the parameters.")
    at, length, rough = 0.0, STEADY.first_theta, max(tol, STEADY.rough)
    begin, place = problem, 0.0
    first = SteadySolves(_at(problem, along, numbers, 0.0)).solved(rough)
    if not first.state.converged:
        raise ProblemError(
            f"There is no steady state at {', '.join(f'{n} = {v:g}' for n, v in along.items())} either; begin `along` elsewhere, or give a `guess`."
        )
    piece = first.piece
    while at < 1:
        place = min(1.0, at + length)
        begin = beginning_from(_at(problem, along, numbers, place), piece)
        found = SteadySolves(begin).solved(rough)
        if found.state.converged:
            piece, at, length = found.piece, place, 2 * length
        else:
            length *= 0.5
        if length < STEADY.least_damping:
            break  # the last solve says what is wrong
    return beginning_from(problem, piece)


def _at(problem: Problem, along: Mapping[str, float], numbers: Mapping[str, Any], part: float) -> Problem:
    values = {n: (1 - part) * float(along[n]) + part * float(numbers[n]) for n in along}
    whole = problem.replace(parameters={**problem.parameters, **values})
    return whole.with_guesses(problem.guesses)


def _solved(begun: _Begun, tol: float | None, budget: Budget) -> Solution:
    """Pairs of solves, each stricter than the one before, until the estimate is at most the tolerance."""
    solver, inner, best = SteadySolves(begun.problem, begun.kept), tol or DEFAULT_TOL, None
    reasons: tuple[str, ...] = ()
    for _ in range(SAFEGUARDS.pairs):
        try:
            first = solver.solved(inner)
            if best is None and not first.state.converged:
                reached = _by_continuation(begun, inner)
                solver, first = (
                    solver if reached is None else reached,
                    first if reached is None else reached.solved(inner),
                )
            second = solver.solved(inner, first) if tol is not None and first.fine else None
        except OutOfTime:
            if best is None:
                raise
            best.report = replace(best.report, stopped=budget.spell("max_seconds"))
            return best
        solution = _solution(solver, first, second, tol, budget, reasons, begun)
        estimate = solution.report.error_estimate
        if best is None or not estimate >= best.report.error_estimate:
            best = solution
        rounding = solution.report.indicators.get("rounding", 0.0)
        hopeless = not math.isfinite(estimate) or CELLS.safety * rounding > (tol or 0.0)
        if tol is None or hopeless or estimate <= tol or inner <= ROUNDING.last:
            break
        reasons += (f"two solves at {inner:.1e} gave an estimate of {estimate:.1e}: made anew, stricter",)
        inner = max(ROUNDING.last, PAIRS.aim * min(1.0, tol / estimate) * inner)
    assert best is not None
    return best


def _by_continuation(begun: _Begun, tol: float) -> SteadySolves | None:
    """The same statement from the end of a path along which it degenerates less; None where there is none."""
    piece = None
    for made in easier(begun.problem):
        there = made if piece is None else beginning_from(made, piece)
        found = SteadySolves(there).solved(max(tol, STEADY.rough))
        if not found.state.converged:
            break
        piece = found.piece
        if found.state.iterations <= 1:
            break  # nothing changes any more
    return None if piece is None else SteadySolves(beginning_from(begun.problem, piece), begun.kept)


def _solution(
    solver: SteadySolves,
    first: Solved,
    second: Solved | None,
    tol: float | None,
    budget: Budget,
    reasons: tuple[str, ...],
    begun: _Begun,
) -> Solution:
    """The first solve with what the second says of it."""
    problem, state = solver.problem, first.state
    l2, largest, worst, indicators = math.nan, math.nan, "", {}
    unseen: dict[str, tuple[float, str]] = {}
    if second is not None and second.fine:
        gaps, tops = differences(problem, first, second)
        worst = max(gaps, key=lambda name: gaps[name])
        # Corrections that stall are the rounding of both solves.
        rounding = max(first.state.left, second.state.left)
        l2 = CELLS.safety * max(gaps[worst], rounding, begun.error)
        largest = CELLS.safety * max(*tops.values(), begun.error)
        indicators = {"draws": gaps[worst], "rounding": rounding}
        unseen = {
            name: (found.effect, words(found, problem.absent))
            for name, look, words in (("given", _unseen, missed), ("passed", _passed, too_fast))
            for found in [look(problem, first.piece)]
            if found is not None
        }
        indicators |= {name: effect for name, (effect, _) in unseen.items()}
        worst_unseen = max((effect for effect, _ in unseen.values()), default=0.0)
        l2, largest = max(l2, worst_unseen), max(largest, worst_unseen)
    elif tol is not None:
        l2 = math.inf
    by = next((name for name, (effect, _) in unseen.items() if effect >= l2), "")
    decided = by or ("draws" if indicators else "")
    size = len(first.state.u)
    status = None
    if not state.converged:
        status, reason = Status.NOT_CONVERGED, f"Newton's method ended after {state.iterations} steps"
    elif not state.resolved:
        status, reason = Status.NOT_RESOLVED, f"{first.words['cells']} cells do not hold it"
    else:
        reason = "the problem is linear" if problem.linear else f"{state.iterations} steps"
    window = WindowReport(
        window=STILL,
        rows=size,
        columns=size,
        rank=size,
        condition=None,
        updates=(0.0,) * state.iterations,
        converged=status is None,
        reason=reason,
        status=status,
        fit_residual=0.0,
        residual=residual_of(problem, first.piece),
    )
    report = Report.of(
        [window],
        seed=0,
        parts=first.words,
        seconds=budget.spent,
        tolerance=tol,
        l2=l2,
        linf=largest,
        indicators=indicators,
        decided_by=decided,
        warnings=[w for w in problem.warnings if not w.startswith("The two faces")]
        + ([unseen[by][1]] if by else []),
        worst=worst,
        held=0.0,
        method="steady",
        time=STILL,
    )
    report = replace(
        report,
        choices=reasons,
        linear=problem.linear,
        compared=tol is not None,
        over="" if problem.ordinary else "space",
        undetermined=solver.undetermined,
    )
    if solver.undetermined:
        said = f"{listing(solver.undetermined)} {'is' if len(solver.undetermined) == 1 else 'are'} determined up to a constant: given with {'the mean that it comes to in time' if begun.kept else 'mean zero'}."
        report = replace(report, warnings=(*report.warnings, said))
    if begun.said:
        report = replace(report, warnings=(*report.warnings, begun.said))
    if first.state.equations.weighted:
        report = replace(report, warnings=(*report.warnings, first.state.equations.weighted))
    others = [] if second is None else [second.piece]
    solution = Solution(problem, [first.piece], report, second=others, linearize=linearized)
    solution.report = replace(report, warnings=(*report.warnings, *doubted(solution)))
    return solution


def _unseen(problem: Problem, piece: Piece) -> NotFollowed | None:
    """Data of conditions that are thinner than any point of the two solves: both may agree on a solution without them."""
    return not_followed(problem, [piece], _size(problem, piece), inside=False)


def _passed(problem: Problem, piece: Piece) -> NotFollowed | None:
    """The same of formulas of the unknowns."""
    return passed_over(problem, [piece], _size(problem, piece))


def _size(problem: Problem, piece: Piece) -> Callable[[Row], float]:
    """The rms of the unknown of a row."""
    sizes = lru_cache(lambda: sizes_over(problem, [piece], np.random.default_rng(0)))
    return lambda row: math.sqrt(size_of(row, sizes()))
