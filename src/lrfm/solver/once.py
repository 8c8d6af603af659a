# SPDX-License-Identifier: MIT
"""One integration on cells without a comparison: for who solves a statement many times, as a fit does."""

from __future__ import annotations

from collections.abc import Callable

from lrfm.discretize.options import LINEAR, PAIRS, Options, stages_for
from lrfm.integrate.integrator import Stopped
from lrfm.integrate.prepare import integrator_for, refuse_rough
from lrfm.integrate.state import Step
from lrfm.problem import Problem
from lrfm.rows.pieces import Piece
from lrfm.solver.cells import moving_along, piece_of


def integrated(problem: Problem, tol: float, going: Callable[[], bool] = lambda: True) -> list[Piece]:
    """The solution as one piece, integrated to a tenth of a tolerance: nobody looks whether it was met.

    Raises Unsuited where cells do not hold the statement, or a global basis does better, as in `lrfm.solve`; Stopped where the integration did not reach
    its end, or `going` said no.
    """
    system = moving_along(problem)
    tol = max(LINEAR.single * tol, PAIRS.strictest)
    made = integrator_for(system, Options(tol=tol, stages=stages_for(tol)))
    refuse_rough(made)
    steps: list[Step] = []
    for _, step in made.run(made.begin()):
        steps.append(step)
        if not going():
            raise Stopped("it took far longer than for other values of the unknowns")
    return [piece_of(system, steps)]
