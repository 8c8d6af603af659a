# SPDX-License-Identifier: MIT
"""Whether short waves grow without bound: a problem that is ill-posed forward in time has no solution to come close to."""

from __future__ import annotations

import numpy as np

from lrfm.error.samples import layer_points
from lrfm.problem import Problem
from lrfm.problem.symbol import unstable_axis
from lrfm.rows.pieces import Piece


def unbounded_growth(problem: Problem, piece: Piece | None) -> str | None:
    """Name of an axis along which the equations, linearized at the solution, amplify short waves without bound.

    Without a solution only linear equations are judged.
    """
    wanted = {jet for row in problem.rows for jet in row.nonlinear_jets}
    if piece is None and wanted:
        return None
    window = problem.time if piece is None else piece.window
    points = layer_points(problem.domain, window, 7, np.random.default_rng(0))
    jets = piece.values(wanted, points) if piece is not None and wanted else {}
    box = problem.domain
    axis = unstable_axis(
        problem.rows, problem.fields, box.upper - box.lower, window[1] - window[0], points, jets
    )
    return None if axis is None else box.names[axis]
