# SPDX-License-Identifier: MIT
"""What an operator says about other data than its own:  expected = estimate · missed / missed of its own data.

An estimate belongs to the data that it was made with. What equations and data are missed by is known of all, and exceeds the error of all
by factors that are alike, since functions and steps are the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from lrfm.error.given import not_followed
from lrfm.error.marks import marks
from lrfm.error.sizes import size_of, sizes_over
from lrfm.error.start import start_gaps
from lrfm.problem import Problem
from lrfm.rows.pieces import Piece
from lrfm.solution.report import Report

WORSE = 100.0  # times what the operator's own data miss is worth a warning,
SMALL = 1e-6  # unless it is small
ROUNDING = 1e-8  # what data miss at least: less is not told apart


def doubts(missed: float, own: float, report: Report | None) -> list[str]:
    """A sentence where an answer may not meet the tolerance of its operator, or is far worse than its own; else none.

    `report` is that of the operator's own data, where there is one.
    """
    tol = None if report is None else report.tolerance
    estimate = math.nan if report is None else report.error_estimate
    expected = min(estimate * missed / max(own, ROUNDING), missed)
    doubted = tol is not None and missed > own and expected > tol
    if not doubted and missed <= max(WORSE * own, SMALL):
        return []
    said = f": an error of up to {expected:.1e} is to be expected, above tol={tol:.1e}" if doubted else ""
    return [
        f"Equations and data are met to {missed:.1e} of the solution, with the operator's own data to {own:.1e}{said}. These may need more "
        "features or shorter steps, or do not fit each other. Solve them with `lrfm.solve`."
    ]


def unseen(problem: Problem, pieces: Sequence[Piece], report: Report | None, own: Problem) -> list[str]:
    """A sentence for data that are thinner than the functions of an operator, which its own points do not see; `own` is its own problem."""
    allowed = SMALL if report is None or report.tolerance is None else report.tolerance
    rng = np.random.default_rng(0)
    found = []
    sizes = lru_cache(lambda: sizes_over(problem, pieces, rng))
    # Where only the start is another one, what is thin in the equations is known from the operator's own problem.
    same = [row.expression for row in problem.all_rows] == [row.expression for row in own.all_rows]
    missed = not_followed(own if same else problem, pieces, lambda row: math.sqrt(size_of(row, sizes())))
    if missed is not None and missed.effect > allowed:
        place = ", ".join(f"{name} = {value:.6g}" for name, value in missed.place.items())
        found.append(
            f"{missed.label}: given data change within {missed.width:.1e} near {place}, which the functions of the operator do not follow: "
            f"up to {missed.effect:.1e} of the solution is missing. Solve them with `lrfm.solve`."
        )
    if problem is not own and any(marks(problem)[:-1]):
        for name, gap in start_gaps(problem, pieces, None, rng).items():
            part = math.sqrt(gap.misfit / gap.size) if gap.size > 0 else 0.0
            if part > allowed:
                found.append(
                    f"Initial data of `{name}` are thinner than what the functions of the operator hold: {part:.1e} of them is missing. "
                    "Solve them with `lrfm.solve`."
                )
    return found
