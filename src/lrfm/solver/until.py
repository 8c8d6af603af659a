# SPDX-License-Identifier: MIT
"""Solves that end when something happens: a rough solve says when, a solve to the tolerance a little longer than that, and it is cut at the time found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from lrfm.problem import Problem
from lrfm.rows.cut import Cut
from lrfm.solution.events import STEADY, Crossing, crossings, read_event
from lrfm.solution.solution import Solution
from lrfm.solution.status import Status
from lrfm.solver import budget

ROUGH = 1e-3  # tolerance at which an event is looked for first
LONGER = 2e-3  # part of the time to it that is solved beyond it, to begin with
MORE, LESS = (
    8.0,
    0.1,
)  # factors of that where it was not enough, and where there was no solution so far: what happens before a blow-up is found
TRIES = 6
RATES = 33  # times at which the rate of what moves is looked at
PLACES = 257


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
    rough = solve(problem, max(tol, ROUGH), False)
    if rough.report.status is Status.OUT_OF_TIME:
        return _told(rough, f"The time ran out before `{until}` was found.")
    found = crossings(rough, event, first=True)
    if not found:
        if rough.block_edges[-1] >= end and not rough.report.failed:
            return _told(solve(problem, tol, True), f"`{until}` does not happen before t = {end:g}.")
        found = [Crossing(float(rough.block_edges[-1]), np.nan)]
    if found[0].t == start:
        return _told(
            solve(problem, tol, True), f"`{until}` holds from the start; the solution goes to the end."
        )
    expected, longer = found[0].t - start, LONGER
    for number in range(TRIES):
        reach = min(end, start + (1 + longer) * expected)
        solution = solve(problem.replace(time=(start, reach)), tol, number == TRIES - 1)
        found = crossings(solution, event, first=True)
        if found and not solution.report.failed:
            return _cut(solution, found[0], until)
        if solution.report.status is Status.OUT_OF_TIME:
            return _told(solution, f"The time ran out before `{until}` was found to the tolerance.")
        if found:
            expected = found[0].t - start
        longer *= LESS if solution.report.failed else MORE
        if reach == end and not solution.report.failed:
            break
    return _told(solve(problem, tol, True), f"`{until}` does not happen before t = {end:g}.")


def _until_steady(
    problem: Problem, tol: float, solve: Callable[[Problem, float, bool], Solution]
) -> Solution:
    """Until what is left to move, ‖u′‖/r with r the rate at which ‖u′‖ decays, is below the tolerance."""
    solution = solve(problem, tol, True)
    start, end = problem.time
    times = start + (end - start) * np.linspace(0, 1, RATES) ** 2
    sizes, rates = (np.array([_norm(solution, float(t), order) for t in times]) for order in (0, 1))
    for k in range(1, len(times)):
        if rates[k] <= tol**2 * max(sizes[k], np.finfo(float).tiny):
            return _cut(solution, Crossing(float(times[k]), np.nan), STEADY)
        decay = np.log(max(rates[k - 1], np.finfo(float).tiny) / rates[k]) / (times[k] - times[k - 1])
        if decay > 0 and rates[k] / decay <= tol * sizes[k]:
            return _cut(solution, Crossing(float(times[k]), np.nan), STEADY)
    return _told(
        solution,
        f"Nothing rests before t = {end:g}: give a longer `time`, or ask for the steady state itself with `lrfm.steady`.",
    )


def _norm(solution: Solution, t: float, order: int) -> float:
    """Root mean square over space of all unknowns, or of their rates."""
    rng = np.random.default_rng(0)
    names = [f"{name}_t" if order else name for name in solution.unknowns]
    box = solution.problem.domain
    at: dict[str, Any] = {} if solution.problem.ordinary else {
        name: low + (high - low) * rng.random(PLACES) for name, (low, high) in box.axes.items()
    }  # fmt: skip
    if at and not box.is_box:
        points = box.quadrature(PLACES).points
        at = dict(zip(box.names, points.T, strict=True))
    time = np.full(PLACES, t) if at else t
    return float(np.sqrt(np.sum([np.mean(np.abs(solution[name](**at, t=time)) ** 2) for name in names])))


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
