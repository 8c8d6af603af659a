# SPDX-License-Identifier: MIT
"""Parts chosen from the statement alone: sizes by dimension, scales by the window, structure by the conditions."""

from __future__ import annotations

import math

from lrfm.linalg import QR
from lrfm.problem import Problem
from lrfm.rows.collocation import Collocation
from lrfm.solver.nonlinear import Newton
from lrfm.solver.parts import Parts
from lrfm.spaces import Liquid

FEATURES = {1: 400, 2: 800, 3: 1500}  # per field, by dimension


def default_space(problem: Problem, window: float, features: int | None = None) -> Liquid:
    """Global liquid features on the exact periodic chart, the gate scaled with the window (γ T = 1)."""
    count = features or FEATURES.get(problem.domain.dimension, 2000)
    if len(problem.periodic) == problem.domain.dimension:
        return Liquid(features=count, weights=1.5, biases=1.5, gate=1.0 / window, tau=(0.3, 20.0))
    weights = 2.0 if problem.domain.dimension == 1 else 0.8
    return Liquid(features=count, weights=weights, centers=1.1, gate=0.5 / window, tau=(0.3, 20.0))


def default_collocation(space_size: int) -> Collocation:
    """Rows in proportion to the features: 3.2, 0.6 and 0.25 per feature inside, initially and per pair of faces."""
    return Collocation(
        interior=max(64, round(3.2 * space_size)),
        initial=max(32, round(0.6 * space_size)),
        boundary=max(16, round(0.25 * space_size)),
        time="chebyshev",
        window_units=True,
        initial_weight=10.0,
        boundary_weight=10.0,
    )


def space_size(space: object, dimension: int) -> int:
    """Features of one field in a configuration, before it is sampled (patches counted by their product)."""
    config = getattr(space, "liquid", space)
    if config.features is not None:
        return config.features
    return config.per_patch * math.prod(patch_counts(space, dimension))


def patch_counts(space: object, dimension: int) -> tuple[int, ...]:
    """Patches along each axis; 1 everywhere for a global space."""
    config = getattr(space, "liquid", space)
    patches = getattr(config, "patches", None)
    return patches if isinstance(patches, tuple) else (patches or 1,) * dimension


def choose_parts(
    problem: Problem, window: float, given: dict[str, object], features: int | None = None
) -> Parts:
    """Fill in what the user left open."""
    space = given.get("space") or default_space(problem, window, features)
    return Parts(
        space=space,
        collocation=given.get("collocation")
        or default_collocation(space_size(space, problem.domain.dimension)),
        least_squares=given.get("least_squares") or QR(),
        nonlinear=given.get("nonlinear") or Newton(),
    )
