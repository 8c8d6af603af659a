# SPDX-License-Identifier: MIT
"""The error statement, without a reference.

held  = √((Tᵐ·rms F)² + rms initial² + rms boundary²) / rms u  on fresh points ranks settings as errors do
        (the initial part relative to the data where u has outgrown them);
draws = ‖u₁ − u₂‖ / ‖u₁‖  for independent features and points  is the size of the error.

The difference of two draws lay between 0.4 and 6 times the error in trial runs; three times it is reported.
Neither sees data that contradict each other; and two draws can agree on the same damped, wrong field while
held is large: above 0.1 no claim is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from lrfm.problem import Box, Jet, Problem, Row
from lrfm.problem.symbol import unstable_axis
from lrfm.rows.collocation import Collocation, tensor
from lrfm.rows.expansion import Expansion

SAFETY = 3.0
UNRESOLVED = 0.1
DOUBTFUL = 0.03  # residual on fresh points from which it speaks instead of the draws
DRIVEN = 1e-2  # least size of an unknown that starts from nothing, relative to the largest one
OUTGROWN = 1e-2  # initial data smaller than this part of u are no measure of it
LAYER = 1e-4  # relative time down to which a layer at the start is looked for


def held_out(
    problem: Problem,
    piece: Expansion,
    initial: Callable[[Jet, np.ndarray], np.ndarray],
    collocation: Collocation,
    rng: np.random.Generator,
    periodic_rows: Sequence,
    count: int,
) -> float:
    """Relative residual of all rows of one window at fresh points with the same density in time."""
    box = problem.domain
    fresh = Collocation(
        interior=count,
        initial=1,
        boundary=1,
        time=collocation.time,
        grading=collocation.grading,
    )
    points = fresh.place(problem.domain, piece.window, rng)
    # A grid would meet the very points of the fit, at the start as on the faces; random ones do not.
    pairs = [_random_pair(box, axis, piece.window, count // 8, fresh, rng) for axis in range(box.dimension)]
    start = box.lower + (box.upper - box.lower) * rng.random((count // 2, box.dimension))
    start = np.column_stack([start, np.full(len(start), piece.window[0])])
    layer = _layer_points(box, piece.window, count // 4, rng)
    inside, gaps = _equation_gaps(problem, piece, points.interior, layer)
    sizes = _sizes(problem, inside)
    total = _initial_gap(problem, piece, initial, start, sizes)
    total += sum(gap / size_of(row, sizes) for row, gap in gaps)
    for name, (lower, upper) in zip(box.names, pairs, strict=True):
        for face, where in ((f"{name}-", lower), (f"{name}+", upper)):
            for row in problem.face_rows.get(face, ()):
                total += _mean_square(piece.residual(row, where)) / size_of(row, sizes)
    for row, axis in periodic_rows:
        lower, upper = pairs[axis]
        there, here = piece.values(row.jets, upper), piece.values(row.jets, lower)
        jump = {j: there[j] - here[j] for j in row.jets}
        total += _mean_square(row.residual(upper, jump)) / size_of(row, sizes)
    return math.sqrt(total)


def _equation_gaps(
    problem: Problem, piece: Expansion, interior: np.ndarray, layer: np.ndarray
) -> tuple[dict[str, float], list[tuple[Row, float]]]:
    """Mean squares of the unknowns, and of the residual of each equation, inside and in the layer at the start."""
    (t0, t1), where = piece.window, np.vstack([interior, layer])
    # One evaluation for all that is asked: features cost more than what is made of them.
    values = piece.values({*value_jets(problem), *(j for row in problem.rows for j in row.jets)}, where)
    squares = {j: _mean_square(values[j][: len(interior)]) for j in value_jets(problem)}
    sizes = {n: sum(squares[j] for j in _jets_of(problem, n, squares)) for n in problem.unknowns}
    near = (layer[:, -1] - t0) / (t1 - t0) + LAYER
    gaps = []
    for row in problem.rows:
        residual = row.residual(where, {j: values[j] for j in row.jets})
        residual = (t1 - t0) ** max(j.index[-1] for j in row.jets) * residual
        gap = _mean_square(residual[: len(interior)]) + _mean_square(near * residual[len(interior) :])
        gaps.append((row, gap))
    return sizes, gaps


def _sizes(problem: Problem, squares: Mapping[str, float]) -> dict[str, float]:
    """Mean squares by which unknowns are measured: each by its own, lest a large one hide a small one.

    One that starts from nothing is measured by no less than a hundredth of the largest: where it stays zero
    it has no size, and what is left of it is the error of the others.
    """
    box, largest = problem.domain, max(squares.values())
    points = tensor(64, box.lower, box.upper)
    points = np.column_stack([points, np.full(len(points), problem.time[0])])
    given = {name for (name, _), datum in problem.initial_data.items() if np.any(datum(points) != 0)}
    return {n: (s if n in given else max(s, DRIVEN**2 * largest)) or 1.0 for n, s in squares.items()}


def sizes_over(
    problem: Problem, pieces: Sequence[Expansion], rng: np.random.Generator, count: int = 1000
) -> dict[str, float]:
    """Mean squares by which unknowns are measured over all windows."""
    squares = dict.fromkeys(problem.unknowns, 0.0)
    for piece in pieces:
        values = piece.values(
            value_jets(problem), _scattered(problem, piece, max(32, count // len(pieces)), rng)
        )
        for name in squares:
            part = sum(_mean_square(values[j]) for j in _jets_of(problem, name, values))
            squares[name] += (piece.window[1] - piece.window[0]) * part
    total = sum(piece.window[1] - piece.window[0] for piece in pieces)
    return _sizes(problem, {name: square / total for name, square in squares.items()})


def size_of(row: Row, sizes: Mapping[str, float]) -> float:
    """Size of the unknown a row is about: the one whose time derivative it holds, else the largest in it."""
    moving = [j for j in row.jets if j.index[-1] > 0] or row.jets
    return max(sizes[j.field.partition(".")[0]] for j in moving)


def _jets_of(problem: Problem, name: str, jets: Iterable[Jet]) -> list[Jet]:
    return [j for j in jets if j.field in problem.fields_of(name)]


def _initial_gap(
    problem: Problem,
    piece: Expansion,
    initial: Callable[[Jet, np.ndarray], np.ndarray],
    start: np.ndarray,
    sizes: Mapping[str, float],
) -> float:
    """Mean square by which the initial data are missed, relative to u; to the data where u has outgrown them.

    What grows carries the error of its start along: measured by its end, a wrong start would look small.
    """
    total = 0.0
    for name, size in sizes.items():
        gap = known = 0.0
        for jet in _jets_of(problem, name, initial_jets(problem)):
            unit = (piece.window[1] - piece.window[0]) ** jet.index[-1]
            data = initial(jet, start)
            gap += _mean_square(unit * (piece.values([jet], start)[jet] - data))
            known += _mean_square(unit * data)
        # Zero or tiny data are no measure: there the solution comes from what drives it.
        total += gap / (min(size, max(known, OUTGROWN**2 * size)) if known > 0 else size)
    return total


def unbounded_growth(problem: Problem, piece: Expansion | None) -> str | None:
    """Name of an axis along which the equations, linearized at the solution, amplify short waves without bound.

    Without a solution only linear equations are judged.
    """
    linear = all(row.linear for row in problem.rows)
    if piece is None and not linear:
        return None
    window = problem.time if piece is None else piece.window
    points = _layer_points(problem.domain, window, 7, np.random.default_rng(0))
    wanted = {jet for row in problem.rows for jet in row.nonlinear_jets}
    jets = piece.values(wanted, points) if wanted else {}
    box = problem.domain
    axis = unstable_axis(
        problem.rows, problem.fields, box.upper - box.lower, window[1] - window[0], points, jets
    )
    return None if axis is None else box.names[axis]


def _random_pair(
    box: Box, axis: int, window: tuple[float, float], count: int, law: Collocation, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Opposite points on the two faces of an axis."""
    unit = rng.random((max(16, count), box.dimension + 1))
    unit[:, :-1] = box.lower + (box.upper - box.lower) * unit[:, :-1]
    unit[:, -1] = window[0] + (window[1] - window[0]) * law.warp(unit[:, -1])
    lower, upper = unit, unit.copy()
    lower[:, axis], upper[:, axis] = box.lower[axis], box.upper[axis]
    return lower, upper


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
    problem: Problem,
    first: Sequence[Expansion],
    second: Sequence[Expansion],
    rng: np.random.Generator,
    count: int = 4000,
) -> tuple[float, float]:
    """‖u₁ − u₂‖ / ‖u₁‖ in L² and in L∞, the worst over unknowns, at random points of space and time."""
    per_block = min(max(200, count // len(first)), max(64, 3 * count // len(first)))
    squares: dict[str, np.ndarray] = {name: np.zeros(2) for name in problem.unknowns}
    largest: dict[str, np.ndarray] = {name: np.zeros(2) for name in problem.unknowns}
    for one, two in zip(first, second, strict=True):
        t0, t1 = one.window
        points = _scattered(problem, one, per_block, rng)
        u, v = one.values(value_jets(problem), points), two.values(value_jets(problem), points)
        for name in problem.unknowns:
            jets = _jets_of(problem, name, u)
            gap = np.sqrt(sum((u[j] - v[j]) ** 2 for j in jets))
            size = np.sqrt(sum(u[j] ** 2 for j in jets))
            squares[name] += (t1 - t0) * np.array([np.mean(gap**2), np.mean(size**2)])
            largest[name] = np.maximum(largest[name], [gap.max(), size.max()])
    sizes = _sizes(problem, {name: size for name, (_, size) in squares.items()})
    peaks = _sizes(problem, {name: size**2 for name, (_, size) in largest.items()})
    l2 = max(math.sqrt(gap / sizes[name]) for name, (gap, _) in squares.items())
    linf = max(gap / math.sqrt(peaks[name]) for name, (gap, _) in largest.items())
    return l2, float(linf)


def _scattered(problem: Problem, piece: Expansion, count: int, rng: np.random.Generator) -> np.ndarray:
    """Random points of one window."""
    box, (t0, t1) = problem.domain, piece.window
    points = rng.random((count, box.dimension + 1))
    points[:, :-1] = box.lower + (box.upper - box.lower) * points[:, :-1]
    points[:, -1] = t0 + (t1 - t0) * points[:, -1]
    return points


def _mean_square(values: np.ndarray) -> float:
    return float(np.mean(np.square(values)))
