# SPDX-License-Identifier: MIT
"""Solves that end when something happens: a rough solve says when, a solve to the tolerance a little longer than that, and it is cut at the time found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from lrfm.discretize.options import EVENTS, ROUNDING, SAFEGUARDS, SCANS, Options
from lrfm.problem import Problem
from lrfm.rows.derived import Cut
from lrfm.solution.crossing import Crossing
from lrfm.solution.solution import Solution
from lrfm.solution.status import Status
from lrfm.solver import budget
from lrfm.solver.events import STEADY, Event, crossings, event_times, read_event, touched


def solve_until(
    problem: Problem, until: str, tol: float, solve: Callable[[Problem, float, bool], Solution]
) -> Solution:
    """A solution that ends at the event; at the end of the time span, with a warning, where it does not happen.

    `solve(problem, tol, strict)` is the solve; all of them share one limit of seconds.
    """
    began = budget.now()
    solution = _ended(problem, until, tol, solve)
    solution.report = replace(solution.report, seconds=budget.now() - began)
    return solution


def _ended(
    problem: Problem, until: str, tol: float, solve: Callable[[Problem, float, bool], Solution]
) -> Solution:
    if until.strip() == STEADY:
        return _until_steady(problem, tol, solve)
    event = read_event(until, problem)
    start, end = problem.time
    rough = solve(problem, max(tol, EVENTS.rough), False)
    if rough.report.status is Status.OUT_OF_TIME:
        return _told(rough, f"The time ran out before `{until}` was found.")
    found = crossings(rough, event, first=True)
    if not found:
        if rough.block_edges[-1] >= end and not rough.report.failed:
            return _told(solution := solve(problem, tol, True), _never(solution, event))
        found = [Crossing(float(rough.block_edges[-1]), np.nan)]
    if found[0].t == start:
        return _told(
            solve(problem, tol, True), f"`{until}` holds from the start; the solution goes to the end."
        )
    expected, longer = found[0].t - start, EVENTS.longer
    for number in range(SAFEGUARDS.tries):
        reach = min(end, start + (1 + longer) * expected)
        solution = solve(problem.replace(time=(start, reach)), tol, number == SAFEGUARDS.tries - 1)
        found = crossings(solution, event, first=True)
        if found and not solution.report.failed:
            return _cut(solution, found[0], until)
        if solution.report.status is Status.OUT_OF_TIME:
            return _told(solution, f"The time ran out before `{until}` was found to the tolerance.")
        if found:
            expected = found[0].t - start
        longer *= EVENTS.less if solution.report.failed else EVENTS.wider
        if reach == end and not solution.report.failed:
            break
    return _told(solution := solve(problem, tol, True), _never(solution, event))


def _never(solution: Solution, event: Event) -> str:
    """What is said of an event that was not found: both sides may touch without crossing."""
    end = solution.problem.time[1]
    near = touched(solution, event)
    if near is None:
        return f"`{event.text}` does not happen before t = {end:g}."
    return (
        f"Both sides of `{event.text}` touch near t = {near:.6g}, closer than the error of the solution, and do not cross before t = {end:g}: whether "
        "it happens cannot be told. Ask for a value a little to the side."
    )


def _until_steady(
    problem: Problem, tol: float, solve: Callable[[Problem, float, bool], Solution]
) -> Solution:
    """Until what is left to move,  ‖u′‖/r  with  r = −⟨u′, u″⟩/‖u′‖²  the rate at which u′ decays, is the tolerance, relative to the largest ‖u‖.

    Errors of the solve are to be small beside that: it is made to a part of the tolerance.
    """
    solution = solve(problem, max(Options.minor**2 * tol, ROUNDING.last), False)
    if solution.report.failed or not solution.report.error_estimate <= tol:
        solution = solve(problem, tol, True)
    solution.report = replace(solution.report, tolerance=tol)
    moving = Moving(solution, tol)
    found = crossings(solution, Event(STEADY, moving.left, falls=True, rises=False))
    # It may hold for a moment where u′ turns: the first time counts after which nothing moves faster than there.
    found = [at for at in found if moving.slows(solution, at.t)]
    if not found:
        return _told(
            solution,
            f"Nothing rests before t = {solution.block_edges[-1]:g}: give a longer `time`, or ask for the steady state itself with `lrfm.steady`.",
        )
    if found[0].t == problem.time[0]:
        return _told(solution, "Nothing moves from the start; the solution goes to the end.")
    return _cut(solution, found[0], STEADY)


class Moving:
    """How much of a solution is left to move, as a function of time."""

    def __init__(self, solution: Solution, tol: float):
        problem = solution.problem
        self.tol, self.at = tol, {}
        self.weights = np.ones(1)
        if not problem.ordinary:
            points, weights = problem.domain.quadrature(SCANS.points)[:2]
            self.at = dict(zip(problem.domain.names, points.T, strict=True))
            self.weights = weights / np.sum(weights)
        self.largest = max(self._root(solution, "", float(t)) for t in event_times(solution))

    def left(self, solution: Solution, t: float) -> float:
        """‖u′‖ − tol r max ‖u‖: negative where nothing moves any more."""
        first, second = self._values(solution, "_t", t), self._values(solution, "_tt", t)
        square = float(np.sum(self.weights * np.abs(first) ** 2))
        if square == 0:
            return -np.finfo(float).tiny
        rate = -float(np.sum(self.weights * np.real(np.conj(first) * second))) / square
        return float(np.sqrt(square)) - self.tol * max(rate, 0.0) * self.largest

    def slows(self, solution: Solution, t: float) -> bool:
        """Whether ‖u′‖ is nowhere larger afterwards."""
        times = event_times(solution)
        own = self._root(solution, "_t", t)
        return all(self._root(solution, "_t", float(later)) <= own for later in times[times > t])

    def _values(self, solution: Solution, suffix: str, t: float) -> np.ndarray:
        """All unknowns, or their rates, at the places."""
        at: dict[str, Any] = {**self.at, "t": np.full(len(self.weights), t)}
        return np.stack([np.atleast_1d(solution[f"{name}{suffix}"](**at)) for name in solution.unknowns])

    def _root(self, solution: Solution, suffix: str, t: float) -> float:
        return float(np.sqrt(np.sum(self.weights * np.abs(self._values(solution, suffix, t)) ** 2)))


def _cut(solution: Solution, found: Crossing, until: str) -> Solution:
    """The same solution, which ends at the event."""
    kept = [piece for piece in solution.pieces if piece.window[0] < found.t]
    pieces = [*kept[:-1], Cut(kept[-1], found.t) if kept[-1].window[1] > found.t else kept[-1]]
    error = f" ± {found.error:.1e}" if np.isfinite(found.error) else ""
    windows = solution.report.block_reports[: len(pieces)]
    windows = (*windows[:-1], replace(windows[-1], window=(windows[-1].window[0], found.t)))
    start = solution.problem.time[0]
    report = replace(
        solution.report,
        block_reports=windows,
        time=(start, found.t),
        parts={**solution.report.parts, "ended by": f"{until}, at t = {found.t:.15g}{error}"},
    )
    cut = Solution(
        solution.problem.replace(time=(start, found.t)),
        pieces,
        report,
        solution.parts,
        linearize=solution._linearize,
    )
    cut.event = found
    return cut


def _told(solution: Solution, text: str) -> Solution:
    solution.report = replace(solution.report, warnings=(*solution.report.warnings, text))
    return solution
