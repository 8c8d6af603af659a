# SPDX-License-Identifier: MIT
"""How wrong a solution is, from what two independent draws say.

E = 2 max(‖u₁ − u₂‖ / ‖u₁‖,  misfit of the data after projection on the conditions),   relative L² over space and time, the worst
unknown, each by its own size. The draws differ in features, stages and steps, so that they share neither the error in space nor
the one in time. The residual on fresh points is larger than the error, by factors that depend on the equation: an alarm only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.lines.piece import Piece
from lrfm.problem import Jet, Problem

SAFETY = 2.0
TIMES = 40
PLACES = 120
DRIVEN = 1e-2  # least size of an unknown that starts from nothing, relative to the largest one


def evaluate(pieces: Sequence[Piece], jets: Sequence[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
    """D^a u at points, each from the piece that covers its time."""
    inner = np.array([p.window[1] for p in pieces[:-1]])
    owner = np.searchsorted(inner, points[:, -1], side="right")
    result = {jet: np.empty(len(points)) for jet in jets}
    for number in np.unique(owner):
        places = np.flatnonzero(owner == number)
        for jet, values in pieces[number].values(jets, points[places]).items():
            result[jet][places] = values
    return result


def value_jets(problem: Problem) -> list[Jet]:
    """The fields themselves."""
    return [Jet(field, (0,) * (problem.domain.dimension + 1)) for field in problem.fields]


def difference(
    problem: Problem, first: Sequence[Piece], second: Sequence[Piece], rng: np.random.Generator
) -> dict[str, float]:
    """‖u₁ − u₂‖ / ‖u₁‖ for every unknown, at random places and one random time in each of equal parts of the window."""
    box, (t0, t1) = problem.domain, problem.time
    end = min(first[-1].window[1], second[-1].window[1], t1)
    times = t0 + (end - t0) * (np.arange(TIMES) + rng.random(TIMES)) / TIMES
    places = PLACES * min(4, 2 ** (box.dimension - 1))
    unit = rng.random((TIMES, places, box.dimension))
    points = np.empty((TIMES, places, box.dimension + 1))
    points[:, :, :-1] = box.lower + (box.upper - box.lower) * unit
    points[:, :, -1] = times[:, None]
    points = points.reshape(-1, box.dimension + 1)
    jets = value_jets(problem)
    u, v = evaluate(first, jets, points), evaluate(second, jets, points)
    gaps, sizes = dict.fromkeys(problem.unknowns, 0.0), dict.fromkeys(problem.unknowns, 0.0)
    for jet in jets:
        gaps[jet.unknown] += float(np.mean((u[jet] - v[jet]) ** 2))
        sizes[jet.unknown] += float(np.mean(u[jet] ** 2))
    least = _least(problem, sizes)
    return {n: float(np.sqrt(gaps[n] / max(sizes[n], least[n], 1e-300))) for n in problem.unknowns}


def _least(problem: Problem, sizes: dict[str, float]) -> dict[str, float]:
    """Mean squares below which no unknown is measured: a hundredth of the largest for what has no data of its own."""
    rng = np.random.default_rng(0)
    box = problem.domain
    points = box.lower + (box.upper - box.lower) * rng.random((512, box.dimension))
    points = np.column_stack([points, np.full(len(points), problem.time[0])])
    given = {name for (name, _), datum in problem.initial_data.items() if np.any(datum(points) != 0)}
    largest = max(sizes.values())
    return {name: 0.0 if name in given else DRIVEN**2 * largest for name in sizes}
