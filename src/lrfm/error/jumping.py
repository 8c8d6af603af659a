# SPDX-License-Identifier: MIT
"""‖u₁ − u₂‖ in L¹ of two solves on cells:  ∫∫ |u₁ − u₂| dx dt / ∫∫ |u₁| dx dt.

A jump that two solves put a distance d apart is an error of d in L¹, of √d in L², and of 1 in L∞, however small d is. The integral is taken on the cells of both,
by Gauss' formula on each part between two edges (in a box on the cells of the first), at times that are spread over the steps of both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lrfm.error.sizes import measured, measured_along, unjudged
from lrfm.linalg.deadline import check_deadline
from lrfm.problem import Jet, Problem

TIMES = 96  # at which two solves are compared; in boxes as many over their dimension,
INNER = 4  # and points of a part between two edges: where a shock stands, of thirty parts of a cell
STRAIGHT = 2  # coefficients of a line
FINER = 4  # parts into which the cells of both are cut: two shocks in one cell are told apart


class L1Differences(NamedTuple):
    """Relative differences by unknown, mean |u₁| by unknown, (t, difference from t on) of the worst unknown, and unknowns that are taken for zero."""

    whole: dict[str, float]
    sizes: dict[str, float]
    profile: tuple[tuple[float, float], ...]
    unjudged: tuple[str, ...]


def l1_differences(
    problem: Problem, first: Sequence[Any], second: Sequence[Any], rng: np.random.Generator, nothing: float
) -> L1Differences:
    """Two solves compared; `nothing` of the largest unknown may be rounding."""
    (one,), (two,) = first, second
    start, end = one.window
    compared = _on_line if problem.domain.dimension == 1 else _in_box
    count = TIMES // problem.domain.dimension
    times = start + (end - start) * (np.arange(count) + rng.random(count)) / count
    jets = {
        name: [j for j in problem.value_jets if j.field in problem.fields_of(name)]
        for name in problem.unknowns
    }
    gaps, sizes = ({name: np.zeros(count) for name in jets} for _ in range(2))
    for i, t in enumerate(times):
        check_deadline()
        u, v, share = compared(problem, one, two, float(t))
        for name, own in jets.items():
            gaps[name][i] = share @ np.sqrt(sum((u[j] - v[j]) ** 2 for j in own))
            sizes[name][i] = share @ np.sqrt(sum(u[j] ** 2 for j in own))
    means = {name: float(np.mean(size)) for name, size in sizes.items()}
    apart = {name: float(np.mean(gap)) for name, gap in gaps.items()}
    # One that is zero but for rounding has no size of its own, as in L² (`sizes.measured`, of squares).
    squares, between = ({n: value**2 for n, value in found.items()} for found in (means, apart))
    told = {n: math.sqrt(square) for n, square in measured(problem, squares, between, nothing).items()}
    left = tuple(n for n in unjudged(problem, squares, between, nothing) if apart[n] > 0)
    whole = {name: gap / told[name] for name, gap in apart.items()}
    later = [np.stack([np.cumsum(found[n][::-1])[::-1][::4] for n in jets]) for found in (gaps, sizes)]
    rest = later[0] / np.sqrt(measured_along(problem, later[1] ** 2, later[0] ** 2, nothing))
    begins = start + (end - start) * np.arange(0, count, 4) / count
    profile = zip(begins.tolist(), np.max(rest, axis=0).tolist(), strict=True)
    return L1Differences(whole, means, tuple(profile), left)


Values = dict[Jet, np.ndarray]


def _on_line(problem: Problem, one: Any, two: Any, time: float) -> tuple[Values, Values, np.ndarray]:
    """Both at places of an interval, and each place's part of it."""
    # Volumes that are straight lines are as narrow as a shock; there is nothing inside of them to be told apart.
    straight = one.straight and two.straight
    inner, finer = (STRAIGHT, 1) if straight else (INNER, FINER)
    edges = np.union1d(one.cells_at(time), two.cells_at(time))
    places, share = _rule(edges, finer, *np.polynomial.legendre.leggauss(inner))
    u, v = (piece.on_grid(problem.value_jets, [places], np.array([time])) for piece in (one, two))
    return {j: x[0] for j, x in u.items()}, {j: x[0] for j, x in v.items()}, share


def _in_box(problem: Problem, one: Any, two: Any, time: float) -> tuple[Values, Values, np.ndarray]:
    """The same in a box, on the cells of the first: those of the other one are wider, and edges of the two seldom the same."""
    points, weights = np.polynomial.legendre.leggauss(STRAIGHT)
    places, share = one.rule(time, points, 0.5 * weights)
    at = np.column_stack([places.T, np.full(places.shape[1], time)])
    u, v = (piece.values(problem.value_jets, at) for piece in (one, two))
    return u, v, share


def _rule(
    edges: np.ndarray, finer: int, points: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Gauss' formula on so many parts of each interval between two edges along one axis: places, and their parts of the whole."""
    edges = np.concatenate([np.linspace(edges[:-1], edges[1:], finer, endpoint=False).T.ravel(), edges[-1:]])
    half = 0.5 * np.diff(edges)
    places = (edges[:-1, None] + half[:, None] * (1 + points)).ravel()
    return places, (half[:, None] * weights).ravel() / (edges[-1] - edges[0])
