# SPDX-License-Identifier: MIT
"""Parts chosen from the statement alone: sizes by dimension, scales by the window, structure by the conditions."""

from __future__ import annotations

from typing import Any

from lrfm.problem import Problem
from lrfm.spacetime.features import Liquid
from lrfm.spacetime.least_squares import QR
from lrfm.spacetime.windows.collocation import Collocation
from lrfm.spacetime.windows.nonlinear import Newton
from lrfm.spacetime.windows.parts import Parts

FEATURES = {1: 400, 2: 800, 3: 1500}  # per field, by dimension


def default_space(problem: Problem, window: float, features: int | None = None) -> Liquid:
    """Global liquid features on the exact periodic chart, the gate scaled with the window (γ T = 1)."""
    count = features or FEATURES.get(problem.domain.dimension, 2000)
    if len(problem.periodic) == problem.domain.dimension:
        return Liquid(features=count, weights=1.5, biases=1.5, gate=1.0 / window, tau=(0.3, 20.0))
    weights = 2.0 if problem.domain.dimension == 1 else 0.8
    return Liquid(features=count, weights=weights, centers=1.1, gate=0.5 / window, tau=(0.3, 20.0))


def choose_parts(
    problem: Problem, window: float, given: dict[str, Any], features: int | None = None
) -> Parts:
    """Fill in what the user left open."""
    dimension = problem.domain.dimension
    space = given.get("space") or default_space(problem, window, features)
    return Parts(
        space=space,
        collocation=given.get("collocation")
        or Collocation.for_features(space.counts(dimension).features, dimension),
        least_squares=given.get("least_squares") or QR(),
        nonlinear=given.get("nonlinear") or Newton(),
    )
