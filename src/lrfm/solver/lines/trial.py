# SPDX-License-Identifier: MIT
"""What a solve by lines will take, from a march that is tried for two seconds.

seconds ≈ (asking whether it applies) + 2 · (one march) + (looking at the error)

A march that the trial did not finish is taken to go on with steps of the length that it has come to, each at the mean cost of those before.
The second draw is another march of the same kind; an error is looked at on a fixed number of points.
"""

from __future__ import annotations

import time

from lrfm.solver.budget import Watch
from lrfm.solver.lines.attempts import LinesAttempts
from lrfm.solver.lines.form import Unsuited
from lrfm.solver.march import march
from lrfm.solver.planning import Plan

TRIAL = 2.0  # seconds
LOOKING = 0.05  # seconds of an estimate in one dimension: some 30,000 values of each draw, integrals of what is conserved
MOST_STEPS = 100_000  # beyond which nothing can be said
STEP_BYTES = 8 * 40  # numbers kept per pair of functions: matrices of stages and their factors


def plan_by_trial(attempts: LinesAttempts, limit: float, asked: float) -> Plan | None:
    """The plan of the first pair of draws, which ends at the `limit`; None where the march cannot be begun.

    `asked` are the seconds that were spent on asking whether lines apply.
    """
    engine = attempts.first.engine(Watch(attempts.budget))
    began = time.process_time()
    try:
        state = march(engine, engine.begin())
        marched = engine.marched(state)
    except Unsuited:
        return None
    spent = time.process_time() - began
    if not marched.pieces:
        return None
    assert state.standing is not None
    here = state.standing.state
    to_go = min(max(attempts.form.problem.time[1] - here.time, 0.0) / here.length, MOST_STEPS)
    one = spent * (1 + to_go / max(state.count, 1))
    functions, rows = max(w.rank for w in marched.windows), max(w.rows for w in marched.windows)
    held = 2**27 + STEP_BYTES * functions**2
    looking = (
        LOOKING * attempts.form.problem.domain.dimension**2
    )  # points are scattered: each axis more costs a sum more
    seconds = asked + (2 * one + looking if attempts.estimate else one)
    return Plan(rows, functions, len(marched.pieces), int(held), min(seconds, limit), "lines")
