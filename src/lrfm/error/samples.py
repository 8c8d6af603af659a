# SPDX-License-Identifier: MIT
"""Random points at which an error is looked for: they are none of the points of a fit."""

from __future__ import annotations

import numpy as np

from lrfm.problem import Problem
from lrfm.problem.shapes.protocol import Domain
from lrfm.rows.pieces import Piece
from lrfm.rows.placing import fill, graded

LAYER = 1e-4  # relative time down to which a layer at the start is looked for


def scattered(problem: Problem, piece: Piece, count: int, rng: np.random.Generator) -> np.ndarray:
    """Random points of one window."""
    box, (t0, t1) = problem.domain, piece.window
    points = rng.random((count, box.dimension + 1))
    points[:, -1] = t0 + (t1 - t0) * points[:, -1]
    points[:, :-1] = fill(box, points[:, :-1], points[:, -1], rng)
    return points


def layer_points(
    box: Domain, window: tuple[float, float], count: int, rng: np.random.Generator
) -> np.ndarray:
    """Points with logarithmic times towards the start, where a fast layer hides from any other density."""
    unit = rng.random((count, box.dimension + 1))
    unit[:, -1] = window[0] + (window[1] - window[0]) * graded(unit[:, -1], LAYER)
    unit[:, :-1] = fill(box, unit[:, :-1], unit[:, -1], rng)
    return unit
