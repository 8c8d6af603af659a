# SPDX-License-Identifier: MIT
"""What an error is measured by: the mean square of each unknown, each by its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from lrfm.error.samples import scattered
from lrfm.problem import Jet, Problem, Row
from lrfm.rows.collocation import tensor
from lrfm.rows.pieces import Piece

NOTHING = (
    1e-8  # size of an unknown that starts from nothing, relative to the largest one, below which it is zero
)


def measured(problem: Problem, squares: Mapping[str, float]) -> dict[str, float]:
    """Mean squares by which unknowns are measured: each by its own, lest a large one hide a small one.

    One that starts from nothing and stays below NOTHING has no size of its own: it is zero, and what is left of it is measured by the
    largest of the others.
    """
    given, largest = _started(problem), max(squares.values())
    own = lambda n, s: s if n in given or s > NOTHING**2 * largest else largest  # noqa: E731
    return {name: own(name, square) or 1.0 for name, square in squares.items()}


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
        values = piece.values(
            problem.value_jets, scattered(problem, piece, max(32, count // len(pieces)), rng)
        )
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
