# SPDX-License-Identifier: MIT
"""‖u₁ − u₂‖ in L¹ of two solves on cells:  ∫∫ |u₁ − u₂| dx dt / ∫∫ |u₁| dx dt.

A jump that two solves put a distance d apart is an error of d in L¹, of √d in L², and of 1 in L∞, however small d is. The integral is taken on the cells of both,
by Gauss' formula on each part between two edges, at times that are spread over the steps of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lrfm.linalg.clock import look
from lrfm.problem import Problem

TIMES = 96  # at which two solves are compared; in boxes as many over their dimension,
INNER = 4  # and points of a part between two edges: where a shock stands, of thirty parts of a cell
STRAIGHT = 2  # coefficients of a line
FINER = 4  # parts into which the cells of both are cut: two shocks in one cell are told apart


def l1_differences(
    problem: Problem, first: Sequence[Any], second: Sequence[Any], rng: np.random.Generator
) -> tuple[dict[str, float], dict[str, float], tuple[tuple[float, float], ...]]:
    """Relative differences by unknown, mean |u₁| by unknown, and (t, difference from t on), the worst unknown."""
    (one,), (two,) = first, second
    start, end = one.window
    # Volumes that are straight lines are as narrow as a shock; there is nothing inside of them to be told apart.
    straight = all(piece.straight for piece in (one, two))
    inner, finer = (STRAIGHT, 1) if straight else (INNER, FINER)
    points, weights = np.polynomial.legendre.leggauss(inner)
    count = TIMES // problem.domain.dimension
    times = start + (end - start) * (np.arange(count) + rng.random(count)) / count
    jets = {
        name: [j for j in problem.value_jets if j.field in problem.fields_of(name)]
        for name in problem.unknowns
    }
    gaps, sizes = ({name: np.zeros(count) for name in jets} for _ in range(2))
    for i, t in enumerate(times):
        look()
        rules = [
            _rule(np.union1d(*edges), finer, points, weights)
            for edges in zip(one.edges_along(t), two.edges_along(t), strict=True)
        ]
        share = np.ones(1)
        for _, own_share in rules:
            share = np.multiply.outer(share, own_share).ravel()
        x = [places for places, _ in rules]
        u, v = (piece.on_grid(problem.value_jets, x, np.array([t])) for piece in (one, two))
        for name, own in jets.items():
            gaps[name][i] = share @ np.sqrt(sum((u[j][0] - v[j][0]) ** 2 for j in own)).ravel()
            sizes[name][i] = share @ np.sqrt(sum(u[j][0] ** 2 for j in own)).ravel()
    means = {name: float(np.mean(size)) for name, size in sizes.items()}
    largest = max(means.values())
    told = {name: mean if mean > 0 else largest or 1.0 for name, mean in means.items()}
    whole = {name: float(np.mean(gap)) / told[name] for name, gap in gaps.items()}
    profile = []
    for i in range(0, count, 4):
        rest = max(float(np.sum(gaps[n][i:]) / (np.sum(sizes[n][i:]) or told[n] * (count - i))) for n in jets)
        profile.append((float(start + (end - start) * i / count), rest))
    return whole, means, tuple(profile)


def _rule(
    edges: np.ndarray, finer: int, points: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Gauss' formula on so many parts of each interval between two edges along one axis: places, and their parts of the whole."""
    edges = np.concatenate([np.linspace(edges[:-1], edges[1:], finer, endpoint=False).T.ravel(), edges[-1:]])
    half = 0.5 * np.diff(edges)
    places = (edges[:-1, None] + half[:, None] * (1 + points)).ravel()
    return places, (half[:, None] * weights).ravel() / (edges[-1] - edges[0])
