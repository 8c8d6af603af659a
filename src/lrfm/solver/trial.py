# SPDX-License-Identifier: MIT
"""What a solve will take, from an integration that is tried for two seconds:

    seconds ≈ (preparing it) + 2 · (one integration) + (looking at the error).

One that the trial did not finish is taken to go on with steps of the size that it has come to, each at the mean cost of those before. The comparison solve is another one of the same
kind; an error is looked at on a fixed number of points.
"""

from __future__ import annotations

import time

from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import SAFEGUARDS
from lrfm.linalg.room import resident
from lrfm.solver.attempts import IntegrationAttempts
from lrfm.solver.budget import Budget, Plan, Watch

TRIAL = 2.0  # seconds after which no further step is taken
BEGINNING = 60.0  # seconds after which a trial is given up
LOOKING = 0.05  # seconds of an estimate in one dimension: some 30,000 values of each solve, integrals of what is conserved
MOST_STEPS = 100_000  # beyond which nothing can be said
LIBRARIES = 2**27  # bytes of an interpreter with its libraries


def plan_by_trial(attempts: IntegrationAttempts, limit: float, asked: float) -> Plan:
    """The plan of the first integration and its comparison, which end at the `limit`; Unsuited where no step can be taken.

    `asked` are the seconds that were spent on preparing it. `OutOfTime` where the clock ends it before the first step.
    """
    attempt, before = next(iter(attempts)), resident()
    engine = attempt.engine(Watch(Budget()))
    began = time.process_time()
    state = engine.advance(engine.begin())
    while not engine.finished(state) and time.process_time() - began < TRIAL:
        state = engine.advance(state)
    spent = time.process_time() - began
    if state.state is None:
        raise Unsuited("No step could be taken, however short.")
    problem, steps = attempts.form.system.problem, state.steps[: state.count]
    to_go = min(max(problem.time[1] - state.state.time, 0.0) / state.state.length, MOST_STEPS)
    one = spent * (1 + to_go / len(steps))
    size = max(s.start[0].size for s in steps)
    # What the steps themselves take grows with their number; matrices and factors are those of the trial.
    kept = 8 * sum(s.start.size + s.rates.size for s in steps) * (1 + to_go / len(steps))
    held = LIBRARIES + max(resident() - before, 0) + 2 * min(kept, SAFEGUARDS.in_memory)
    judging = LOOKING * problem.domain.dimension**2  # scattered points: each axis more costs a sum more
    seconds = asked + (2 * one + judging if attempts.estimate else one)
    return Plan(size, size * len(attempts.form.system.fields), 1, int(held), min(seconds, limit), engine.name)


def nothing_to_tell(seconds: float) -> ValueError:
    """What is said where no step was made in the time of a trial."""
    return ValueError(
        f"No step was made in {seconds:g} seconds, so nothing can be told about the others; a solve may take all of `max_seconds`."
    )
