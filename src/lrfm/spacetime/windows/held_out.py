# SPDX-License-Identifier: MIT
"""The residual on fresh points.

held = √((Tᵐ·rms F)² + rms initial² + rms boundary²) / rms u   ranks settings as errors do
       (the initial part relative to the data where u has outgrown them).

It is not the size of the error. But two draws can agree on the same damped, wrong field while it is large: above
UNRESOLVED no claim is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from lrfm.error.marks import LAYER, scattered
from lrfm.error.sizes import jets_of, mean_square, measured, size_of
from lrfm.problem import Jet, Problem, Row
from lrfm.problem.shapes.protocol import Domain
from lrfm.rows.pieces import Piece
from lrfm.rows.placing import fill, random_on
from lrfm.spacetime.windows.collocation import Collocation

OUTGROWN = 1e-2  # initial data smaller than this part of u are no measure of it


def held_out(
    problem: Problem,
    piece: Piece,
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
    parts, pairs = boundary_samples(problem, piece.window, count // 8, fresh, rng)
    start = fill(box, rng.random((count // 2, box.dimension)), piece.window[0], rng)
    start = np.column_stack([start, np.full(len(start), piece.window[0])])
    layer = scattered(box, piece.window, count // 4, rng, layer=True)
    inside, gaps = _equation_gaps(problem, piece, points.interior, layer)
    sizes = measured(problem, inside)
    total = _initial_gap(problem, piece, initial, start, sizes) + _end_gap(problem, piece, start, sizes)
    total += sum(gap / size_of(row, sizes) for row, gap in gaps)
    for part, where in parts.items():
        for row in problem.face_rows.get(part, ()):
            total += mean_square(piece.residual(row, where)) / size_of(row, sizes)
    for row, axis in periodic_rows:
        lower, upper = pairs[axis]
        there, here = piece.values(row.jets, upper), piece.values(row.jets, lower)
        jump = {j: there[j] - here[j] for j in row.jets}
        total += mean_square(row.residual(upper, jump)) / size_of(row, sizes)
    return math.sqrt(total)


def _equation_gaps(
    problem: Problem, piece: Piece, interior: np.ndarray, layer: np.ndarray
) -> tuple[dict[str, float], list[tuple[Row, float]]]:
    """Mean squares of the unknowns, and of the residual of each equation, inside and in the layer at the start."""
    (t0, t1), where = piece.window, np.vstack([interior, layer])
    # One evaluation for all that is asked: features cost more than what is made of them.
    values = piece.values({*problem.value_jets, *(j for row in problem.rows for j in row.jets)}, where)
    squares = {j: mean_square(values[j][: len(interior)]) for j in problem.value_jets}
    sizes = {n: sum(squares[j] for j in jets_of(problem, n, squares)) for n in problem.unknowns}
    near = (layer[:, -1] - t0) / (t1 - t0) + LAYER
    gaps = []
    for row in problem.rows:
        residual = row.residual(where, {j: values[j] for j in row.jets})
        residual = (t1 - t0) ** max(j.index[-1] for j in row.jets) * residual
        gap = mean_square(residual[: len(interior)]) + mean_square(near * residual[len(interior) :])
        gaps.append((row, gap))
    return sizes, gaps


def _initial_gap(
    problem: Problem,
    piece: Piece,
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
        for jet in jets_of(problem, name, problem.initial_jets):
            unit = (piece.window[1] - piece.window[0]) ** jet.index[-1]
            data = initial(jet, start)
            gap += mean_square(unit * (piece.values([jet], start)[jet] - data))
            known += mean_square(unit * data)
        # Zero or tiny data are no measure: there the solution comes from what drives it.
        total += gap / (min(size, max(known, OUTGROWN**2 * size)) if known > 0 else size)
    return total


def _end_gap(problem: Problem, piece: Piece, start: np.ndarray, sizes: Mapping[str, float]) -> float:
    """Mean square by which data at the end, or the match of both ends, are missed, relative to u."""
    jets, (first, last) = [*problem.final_jets, *problem.cyclic_jets], piece.window
    if not jets:
        return 0.0
    end = start.copy()
    end[:, -1] = last
    there, here = piece.values(jets, end), piece.values(jets, start)
    total = 0.0
    for jet in jets:
        datum = problem.final_data.get((jet.unknown, jet.index[-1]))
        wanted = here[jet] if datum is None else datum.part(end, jet.field)
        total += mean_square((last - first) ** jet.index[-1] * (there[jet] - wanted)) / sizes[jet.unknown]
    return total


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
