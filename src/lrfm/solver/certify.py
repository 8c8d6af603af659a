# SPDX-License-Identifier: MIT
"""`certify=True`: a bound of the error beside its estimate, where the energy estimate of a statement is known (`lrfm.error.bounds`)."""

from __future__ import annotations

import math
from dataclasses import replace

from lrfm.problem import Problem, ProblemError
from lrfm.solution.solution import Solution
from lrfm.solver.methods import Lines, Method, SpaceTime

NONE = "The defect of the solution bounds its error by more than its size: there is no bound."


def certifiable(problem: Problem, way: Method, until: str | None) -> Method:
    """The method by which an error can be bounded; a ProblemError where none is known, before anything is computed."""
    from lrfm.error.bounds import energy_of

    energy_of(problem)
    if until is not None:
        raise ValueError("`certify=True` bounds the error up to the end of the time span; leave out `until`.")
    if isinstance(way, SpaceTime) or (isinstance(way, Lines) and way.space not in ("auto", "cells")):
        raise ValueError("`certify=True` needs a solution on cells; leave out `method`.")
    return Lines(space="cells")


def certified(solution: Solution) -> None:
    """Put the bound into the report; where there is none, a warning that says why."""
    from lrfm.error.bounds import bounded

    report = solution.report
    try:
        bound = max(bounded(solution.problem, solution.pieces).values())
        told = () if math.isfinite(bound) else (NONE,)
    except ProblemError as error:
        bound, told = math.inf, (str(error),)
    solution.report = replace(report, bound=bound, warnings=(*report.warnings, *told))
