# SPDX-License-Identifier: MIT
"""Which of two answers by different methods is handed back: the one that its own indicators say is closer to the solution.

An answer without a claim is not a worse one: two solves by lines may agree to eight digits where a residual forbids to claim any of them.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from lrfm.error.draws import differences
from lrfm.solution.solution import Solution
from lrfm.solver.attempts import better


def closer(best: Solution, other: Solution) -> Solution:
    """The answer by lines, or that in space and time where it is the better one."""
    if not _ended(best):
        return other if better(other, best) else best
    apart = best.report.indicators.get("draws", math.inf)
    claimed = other.report.error_estimate
    if not (_ended(other) and claimed < apart):
        return best
    if not other.report.solved or not math.isfinite(apart):
        return other
    between = max(differences(best.problem, other.pieces, best.pieces, np.random.default_rng(0)).l2.values())
    if between <= claimed + apart:
        return other
    contradiction = (
        f"In space and time another answer was found, with an estimate of {claimed:.1e}; it differs from this one by {between:.1e}, two solves by "
        f"lines by {apart:.1e} at most: the two methods contradict each other, and nothing is claimed."
    )
    best.report = replace(best.report, warnings=(*best.report.warnings, contradiction))
    return best


def _ended(solution: Solution) -> bool:
    """Whether an answer reaches the end of the time that was asked for."""
    end = solution.problem.time[1]
    return math.isclose(solution.block_edges[-1], end, rel_tol=1e-9, abs_tol=1e-12)
