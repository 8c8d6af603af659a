# SPDX-License-Identifier: MIT
"""What a solve by lines will take, from a march that is tried for two seconds.

seconds ≈ (those of the trial) / (share of the time span that it came to) · (draws of an estimate)

How many steps a march takes depends on the solution and is not known before it; a trial has met its first and usually shortest steps.
"""

from __future__ import annotations

import time

from lrfm.solver.budget import Watch
from lrfm.solver.lines.attempts import LinesAttempts
from lrfm.solver.lines.form import Unsuited
from lrfm.solver.march import march
from lrfm.solver.planning import Plan

TRIAL = 2.0  # seconds
DRAWS = 3.2  # cost of an estimate in first draws: the second has more stages, and both are compared
LEAST = 1e-3  # share of the time span below which nothing can be said
STEP_BYTES = 8 * 40  # numbers kept per pair of functions: matrices of stages and their factors


def plan_by_trial(attempts: LinesAttempts, limit: float) -> Plan | None:
    """The plan of the first pair of draws, which ends at the `limit`; None where the march cannot be begun."""
    engine = next(iter(attempts)).engine(Watch(attempts.budget))
    began = time.process_time()
    try:
        state = march(engine, engine.begin())
        marched = engine.marched(state)
    except Unsuited:
        return None
    spent = time.process_time() - began
    if not marched.pieces:
        return None
    start, end = attempts.form.problem.time
    share = max((marched.pieces[-1].window[1] - start) / (end - start), LEAST)
    functions, rows = max(w.rank for w in marched.windows), max(w.rows for w in marched.windows)
    held = 2**27 + STEP_BYTES * functions**2
    seconds = 0.02 + spent / share * (DRAWS if attempts.estimate else 1.0)
    return Plan(rows, functions, len(marched.pieces), int(held), min(seconds, limit), "lines")
