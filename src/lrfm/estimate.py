# SPDX-License-Identifier: MIT
"""The error statement, without a reference.

held = √((Tᵐ·rms F)² + rms initial² + rms boundary²) / rms u  on fresh points   ranks settings as the true error does
       (the initial part relative to the data where u has outgrown them);
draws = ‖u₁ − u₂‖ / ‖u₁‖  for independent features and points                    is the size of the error.

The difference of two draws lay between 0.4 and 6 times the error in trial runs; three times it is reported. Neither
sees data that contradict each other; and two draws can agree on the same damped, wrong field while held is large: above 0.1 no claim is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from lrfm.collocation import Collocation
from lrfm.expansion import Expansion
from lrfm.problem import Box, Jet, Problem

SAFETY = 3.0
UNRESOLVED = 0.1
OUTGROWN = 1e-2  # initial data smaller than this part of u are no measure of it
LAYER = 1e-4  # relative time down to which a layer at the start is looked for


def held_out(
    problem: Problem,
    piece: Expansion,
    initial: Callable[[Jet, np.ndarray], np.ndarray],
    collocation: Collocation,
    rng: np.random.Generator,
    periodic_rows: Sequence = (),
    count: int = 400,
) -> float:
    """Relative residual of all rows of one window at fresh points with the same density in time."""
    (t0, t1), box = piece.window, problem.domain
    fresh = Collocation(
        interior=count, initial=count // 2, boundary=max(16, count // 8), time=collocation.time, grading=collocation.grading
    )
    points = fresh.place(problem.domain, piece.window, rng)
    # A grid would meet the very points of the fit; random ones do not.
    start = box.lower + (box.upper - box.lower) * rng.random((count // 2, box.dimension))
    start = np.column_stack([start, np.full(len(start), t0)])
    layer = _layer_points(box, piece.window, count // 4, rng)
    squares = 0.0
    for row in problem.rows:
        unit = (t1 - t0) ** max(j.index[-1] for j in row.jets)
        squares += _mean_square(unit * piece.residual(row, points.interior))
        squares += _mean_square(unit * ((layer[:, -1] - t0) / (t1 - t0) + LAYER) * piece.residual(row, layer))
    for name, (lower, upper) in zip(box.names, points.pairs, strict=True):
        for face, where in ((f"{name}-", lower), (f"{name}+", upper)):
            for row in problem.face_rows.get(face, ()):
                squares += _mean_square(piece.residual(row, where))
    for row, axis in periodic_rows:
        lower, upper = points.pairs[axis]
        jump = {j: piece.values([j], upper)[j] - piece.values([j], lower)[j] for j in row.jets}
        squares += _mean_square(row.residual(upper, jump))
    scale = sum(_mean_square(v) for v in piece.values(value_jets(problem), points.interior).values())
    return math.sqrt(_initial_gap(problem, piece, initial, start, scale) + squares / (scale or 1.0))


def _initial_gap(
    problem: Problem, piece: Expansion, initial: Callable[[Jet, np.ndarray], np.ndarray], start: np.ndarray, scale: float
) -> float:
    """Mean square by which the initial data are missed, relative to u; to the data where u has outgrown them.

    What grows carries the error of its start along: measured by its end, a wrong start would look small.
    """
    gap = size = 0.0
    for jet in initial_jets(problem):
        unit = (piece.window[1] - piece.window[0]) ** jet.index[-1]
        data = initial(jet, start)
        gap += _mean_square(unit * (piece.values([jet], start)[jet] - data))
        size += _mean_square(unit * data)
    # Zero or tiny data are no measure: there the solution comes from what drives it.
    measure = min(scale, max(size, OUTGROWN**2 * scale)) if size > 0 else scale
    return gap / (measure or size or 1.0)


def _layer_points(box: Box, window: tuple[float, float], count: int, rng: np.random.Generator) -> np.ndarray:
    """Points with logarithmic times towards the start, where a fast layer hides from any other density."""
    unit = rng.random((count, box.dimension + 1))
    unit[:, :-1] = box.lower + (box.upper - box.lower) * unit[:, :-1]
    warped = Collocation(time="graded", grading=LAYER).warp(unit[:, -1])
    unit[:, -1] = window[0] + (window[1] - window[0]) * warped
    return unit


def initial_jets(problem: Problem) -> list[Jet]:
    """∂ₜᵏ of each real field that has initial data."""
    zeros = (0,) * problem.domain.dimension
    return [
        Jet(field, (*zeros, k))
        for name, order in problem.time_orders.items()
        for k in range(order)
        for field in problem.fields_of(name)
    ]


def value_jets(problem: Problem) -> list[Jet]:
    """The fields themselves."""
    return [Jet(field, (0,) * (problem.domain.dimension + 1)) for field in problem.fields]


def difference(
    problem: Problem, first: Sequence[Expansion], second: Sequence[Expansion], rng: np.random.Generator, count: int = 4000
) -> tuple[float, float]:
    """‖u₁ − u₂‖ / ‖u₁‖ in L² and in L∞, the worst over unknowns, at random points of the whole space-time domain."""
    box, per_block = problem.domain, max(200, count // len(first))
    squares: dict[str, np.ndarray] = {name: np.zeros(2) for name in problem.unknowns}
    largest: dict[str, np.ndarray] = {name: np.zeros(2) for name in problem.unknowns}
    for one, two in zip(first, second, strict=True):
        t0, t1 = one.window
        points = rng.random((per_block, box.dimension + 1))
        points[:, :-1] = box.lower + (box.upper - box.lower) * points[:, :-1]
        points[:, -1] = t0 + (t1 - t0) * points[:, -1]
        u, v = one.values(value_jets(problem), points), two.values(value_jets(problem), points)
        for name in problem.unknowns:
            jets = [j for j in u if j.field in problem.fields_of(name)]
            gap = np.sqrt(sum((u[j] - v[j]) ** 2 for j in jets))
            size = np.sqrt(sum(u[j] ** 2 for j in jets))
            squares[name] += (t1 - t0) * np.array([np.mean(gap**2), np.mean(size**2)])
            largest[name] = np.maximum(largest[name], [gap.max(), size.max()])
    l2 = max(math.sqrt(a / b) if b > 0 else math.sqrt(a) for a, b in squares.values())
    linf = max(a / b if b > 0 else a for a, b in largest.values())
    return l2, float(linf)


def _mean_square(values: np.ndarray) -> float:
    return float(np.mean(np.square(values)))
