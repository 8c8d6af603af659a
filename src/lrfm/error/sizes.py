# SPDX-License-Identifier: MIT
"""What an error is measured by: the mean square of each unknown, each by its own; components of a velocity by that of the vector."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from lrfm.error.marks import scattered
from lrfm.problem import Jet, Problem, Row
from lrfm.rows.pieces import Piece
from lrfm.rows.placing import tensor

NOTHING = 1e-8  # size of what starts from nothing, relative to the largest, which draws in space and time may make of rounding
AGREED = 0.1  # part of its size to which draws agree on what is no rounding


def measured(
    problem: Problem,
    squares: Mapping[str, float],
    gaps: Mapping[str, float] | None = None,
    nothing: float = NOTHING,
    joined: Callable[[Iterable[float]], float] = sum,
) -> dict[str, float]:
    """Mean squares by which unknowns are measured: each by its own, lest a large one hide a small one, and components of a velocity, which are one quantity, by their sum.

    One that starts from nothing, and stays below `nothing` of the largest, may be zero but for rounding, which has no size of its own:
    two draws of rounding do not agree. Where their mean square `gaps` say so, or are not known, what is left of it is measured by the
    largest of the others.
    """
    left, largest = unjudged(problem, squares, gaps, nothing), max(squares.values())
    squares = by_vectors(problem, squares, joined)
    return {name: (largest if name in left else square) or 1.0 for name, square in squares.items()}


def by_vectors(
    problem: Problem,
    squares: Mapping[str, float],
    joined: Callable[[Iterable[float]], float] = sum,
) -> dict[str, float]:
    """Squares of unknowns, those of the components of a velocity `joined`: mean squares add up, of largest ones the largest is at most that of the vector."""
    return {
        name: joined(squares.get(other, 0.0) for other in problem.vectors.get(name, (name,)))
        for name in squares
    }


def unjudged(
    problem: Problem,
    squares: Mapping[str, float],
    gaps: Mapping[str, float] | None = None,
    nothing: float = NOTHING,
) -> tuple[str, ...]:
    """Unknowns that are taken for zero: they start from nothing, are small, and draws are not known to agree on them."""
    given, largest = _started(problem.alike or problem), max(squares.values())
    squares = by_vectors(problem, squares)
    small = [n for n, s in squares.items() if n not in given and s <= nothing**2 * largest]
    return tuple(n for n in small if gaps is None or not gaps[n] < AGREED**2 * squares[n])


def measured_along(
    problem: Problem, squares: np.ndarray, gaps: np.ndarray, nothing: float = NOTHING
) -> np.ndarray:
    """The same as `measured` of many parts of the time at once: (unknowns, parts), in the order of the unknowns."""
    given, largest = _started(problem.alike or problem), np.max(squares, axis=0)
    began = np.array([[name in given] for name in problem.unknowns])
    names = list(problem.unknowns)
    vectors = [[names.index(n) for n in problem.vectors.get(name, (name,))] for name in names]
    squares = np.stack([np.sum(squares[own], axis=0) for own in vectors])
    left = ~began & (squares <= nothing**2 * largest) & ~(gaps < AGREED**2 * squares)
    found = np.where(left, largest, squares)
    return np.where(found == 0, 1.0, found)


@lru_cache(maxsize=16)
def _started(problem: Problem) -> frozenset[str]:
    """Unknowns that do not start from nothing."""
    box = problem.domain
    points = (
        tensor(64, box.lower, box.upper) if box.is_box else box.quadrature(64, None, problem.time[0]).points
    )
    points = np.column_stack([points, np.full(len(points), problem.time[0])])
    return frozenset(name for (name, _), datum in problem.initial_data.items() if np.any(datum(points) != 0))


def sizes_over(
    problem: Problem, pieces: Sequence[Piece], rng: np.random.Generator, count: int = 1000
) -> dict[str, float]:
    """Mean squares by which unknowns are measured over all windows."""
    squares = dict.fromkeys(problem.unknowns, 0.0)
    for piece in pieces:
        points = scattered(problem.domain, piece.window, max(32, count // len(pieces)), rng)
        values = piece.values(problem.value_jets, points)
        for name in squares:
            part = sum(mean_square(values[j]) for j in jets_of(problem, name, values))
            squares[name] += (piece.window[1] - piece.window[0]) * part
    total = sum(piece.window[1] - piece.window[0] for piece in pieces)
    return measured(problem, {name: square / total for name, square in squares.items()})


def size_of(row: Row, sizes: Mapping[str, float]) -> float:
    """Size of the unknown a row is about: the one whose time derivative it holds, else the largest in it."""
    moving = [j for j in row.jets if j.index[-1] > 0] or row.jets
    return max(sizes.get(j.unknown, max(sizes.values())) for j in moving)  # a mean has that of the largest


def jets_of(problem: Problem, name: str, jets: Iterable[Jet]) -> list[Jet]:
    return [j for j in jets if j.field in problem.fields_of(name)]


def mean_square(values: np.ndarray) -> float:
    """Σ v²/n."""
    return float(np.mean(np.square(values)))
