# SPDX-License-Identifier: MIT
"""Random points at which an error is looked for: they are none of the points of a fit."""

from __future__ import annotations

import numpy as np

from lrfm.problem import Problem
from lrfm.problem.shapes.protocol import Domain
from lrfm.rows.collocation import Collocation
from lrfm.rows.pieces import Piece
from lrfm.rows.placing import fill, random_on

LAYER = 1e-4  # relative time down to which a layer at the start is looked for


def scattered(problem: Problem, piece: Piece, count: int, rng: np.random.Generator) -> np.ndarray:
    """Random points of one window."""
    box, (t0, t1) = problem.domain, piece.window
    points = rng.random((count, box.dimension + 1))
    points[:, -1] = t0 + (t1 - t0) * points[:, -1]
    points[:, :-1] = fill(box, points[:, :-1], points[:, -1], rng)
    return points


def random_pair(
    box: Domain,
    axis: int,
    window: tuple[float, float],
    count: int,
    law: Collocation,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Opposite points on the two faces of an axis."""
    unit = rng.random((max(16, count), box.dimension + 1))
    unit[:, :-1] = box.lower + (box.upper - box.lower) * unit[:, :-1]
    unit[:, -1] = window[0] + (window[1] - window[0]) * law.warp(unit[:, -1])
    lower, upper = unit, unit.copy()
    lower[:, axis], upper[:, axis] = box.lower[axis], box.upper[axis]
    return lower, upper


def boundary_samples(
    problem: Problem, window: tuple[float, float], count: int, law: Collocation, rng: np.random.Generator
) -> tuple[dict[str, np.ndarray], list[tuple[np.ndarray, np.ndarray]]]:
    """Random points on every part of the boundary by name; of a box also as pairs of opposite ones, axis by axis."""
    domain = problem.domain
    if domain.is_box:
        pairs = [random_pair(domain, axis, window, count, law, rng) for axis in range(domain.dimension)]
        sides = zip(domain.names, pairs, strict=True)
        return {
            f"{name}{side}": where for name, pair in sides for side, where in zip("-+", pair, strict=True)
        }, pairs
    t0, t1 = window
    found = {}
    for name, part in domain.parts.items():
        times = t0 + (t1 - t0) * law.warp(rng.random(max(16, count)))
        found[name] = random_on(part, times, domain.moving, rng)
    return found, []


def layer_points(
    box: Domain, window: tuple[float, float], count: int, rng: np.random.Generator
) -> np.ndarray:
    """Points with logarithmic times towards the start, where a fast layer hides from any other density."""
    unit = rng.random((count, box.dimension + 1))
    warped = Collocation(time="graded", grading=LAYER).warp(unit[:, -1])
    unit[:, -1] = window[0] + (window[1] - window[0]) * warped
    unit[:, :-1] = fill(box, unit[:, :-1], unit[:, -1], rng)
    return unit
