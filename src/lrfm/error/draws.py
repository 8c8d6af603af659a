# SPDX-License-Identifier: MIT
"""‖u₁ − u₂‖ / ‖u₁‖ for independent features and points: the size of the error, as far as the two do not share it.

The difference of two draws lay between 0.4 and 6 times the error in trial runs; SAFETY times it is reported.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lrfm.error.samples import scattered
from lrfm.error.sizes import jets_of, measured, sizes_over
from lrfm.problem import Problem
from lrfm.rows.pieces import Piece, values_at

SAFETY = 3.0


def difference(
    problem: Problem,
    first: Sequence[Piece],
    second: Sequence[Piece],
    rng: np.random.Generator,
    count: int = 4000,
) -> tuple[float, float]:
    """‖u₁ − u₂‖ / ‖u₁‖ in L² and in L∞, the worst over unknowns, at random points of space and time."""
    per_window = min(max(200, count // len(first)), max(64, 3 * count // len(first)))
    squares: dict[str, np.ndarray] = {name: np.zeros(2) for name in problem.unknowns}
    largest: dict[str, np.ndarray] = {name: np.zeros(2) for name in problem.unknowns}
    for piece in first:
        t0, t1 = piece.window
        points = scattered(problem, piece, per_window, rng)
        u, v = piece.values(problem.value_jets, points), values_at(second, problem.value_jets, points)
        for name in problem.unknowns:
            jets = jets_of(problem, name, u)
            gap = np.sqrt(sum((u[j] - v[j]) ** 2 for j in jets))
            size = np.sqrt(sum(u[j] ** 2 for j in jets))
            squares[name] += (t1 - t0) * np.array([np.mean(gap**2), np.mean(size**2)])
            largest[name] = np.maximum(largest[name], [gap.max(), size.max()])
    sizes = measured(problem, {name: size for name, (_, size) in squares.items()})
    peaks = measured(problem, {name: size**2 for name, (_, size) in largest.items()})
    l2 = max(math.sqrt(gap / sizes[name]) for name, (gap, _) in squares.items())
    linf = max(gap / math.sqrt(peaks[name]) for name, (gap, _) in largest.items())
    return l2, float(linf)


def amplified(
    problem: Problem,
    first: Sequence[Piece],
    second: Sequence[Piece],
    growth: Sequence[float],
    rng: np.random.Generator,
) -> float:
    """‖u₁ − u₂‖ of the first window times the mean over windows b of Π_{c<b} ρ_c, relative to ‖u‖ of the march.

    Two draws show what has grown by the end; this is what may have grown, had the worst direction been met at once.
    """
    gap, _ = difference(problem, first[:1], second[:1], rng)
    with np.errstate(over="ignore"):
        factors = np.cumprod([1.0, *growth[:-1]])
    early, whole = sizes_over(problem, first[:1], rng), sizes_over(problem, first, rng)
    ratio = max(math.sqrt(early[name] / whole[name]) for name in problem.unknowns)
    return float(gap * ratio * np.mean(factors))
