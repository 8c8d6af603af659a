# SPDX-License-Identifier: MIT
"""A fit that the clock has ended: the last point that was solved, p̂ with h(p̂), without intervals; and what an earlier fit is of use to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lrfm.inverse import statistics
from lrfm.inverse.fit import Fit, FitError
from lrfm.inverse.judging import Judge
from lrfm.inverse.observe import Lens, Observed
from lrfm.inverse.search import LATE, Found, Task
from lrfm.inverse.spread import Normal
from lrfm.problem import Problem
from lrfm.solution.report import Report, WindowReport
from lrfm.solution.solution import Solution
from lrfm.solver.budget import Budget

if TYPE_CHECKING:
    from lrfm.inverse.front import _Run


def too_late(budget: Budget) -> FitError:
    """What is raised where not even the problem at the start of a search was solved in time."""
    return FitError(
        f"`{budget.spell('max_seconds')}` passed before the problem was solved once, with the unknowns as they start. Allow more."
    )


def late_at(run: _Run) -> Found:
    """The last point that was solved; `FitError` where there is none."""
    if run.reached is None:
        raise too_late(run.budget) from None
    return run.reached


def as_it_is(run: _Run, found: Found, task: Task) -> Fit:
    """The fit at the last point that was solved, by one draw: no estimate of its error, no intervals."""
    point = run.model.solved_at(found.point)
    if point is None:
        raise too_late(run.budget)
    solution = _solution(run, point.problem, point.pieces)
    h = Lens(point.problem, run.observed, ()).values(point.pieces)
    size = run.vector.size
    unknown = np.full((size, size), np.nan)
    work = {
        "iterations": run.iterations,
        "solves": run.model.solves,
        "seconds": run.budget.spent,
        "lengths": {},
    }
    judge = Judge(vector=run.vector, groups=run.groups, loss=run.loss, work=work)
    late = replace(found, point=point, values=point.values, converged=False, reason=LATE)
    freedom = max(len(task.data) - size, 0)
    judged = judge.judgement(late, task, h, solution, (), freedom)
    factor = statistics.quantile(None)
    normal = Normal(unknown, factor)
    return Fit(
        run.model, task, replace(point, h=h), solution, (), unknown, normal, np.zeros(size), factor, judged, (), run.tol or math.nan
    )  # fmt: skip


def _solution(run: _Run, problem: Problem, pieces: Sequence) -> Solution:
    """The pieces of one draw with a report that claims nothing."""
    windows = [
        WindowReport(
            window=piece.window, rows=0, columns=0, rank=0, condition=None, fit_residual=math.nan, residual=0.0, reason="one draw"
        )
        for piece in pieces
    ]  # fmt: skip
    report = Report.of(windows, seed=run.seed, seconds=run.budget.spent)
    stopped = run.budget.spell("max_seconds")
    return Solution(problem, pieces, replace(report, method="lines", stopped=stopped))


def same_statement(one: Problem, two: Problem) -> bool:
    """Whether two problems say the same."""
    parts = ("equations", "time", "initial", "boundary", "parameters", "unknowns")
    return one is two or all(str(getattr(one, name)) == str(getattr(two, name)) for name in parts)


def same_places(one: Sequence[Observed], two: Sequence[Observed]) -> bool:
    """Whether two sets of data differ in their values only."""
    return [(o.column, o.part, o.face) for o in one] == [(o.column, o.part, o.face) for o in two] and all(
        np.array_equal(a.points, b.points) for a, b in zip(one, two, strict=True)
    )
