# SPDX-License-Identifier: MIT
"""Points that follow the data: denser towards every place at which given formulas or functions are thin.

Panels of each coordinate shrink by halves towards its marks; a random panel, a random point in it, and the weight that makes up for it:
∫ f ≈ |Ω| mean(w f). The start is a mark of time.

In formulas marks are found whatever their width (`lrfm.problem.landmarks`). Data that are functions are scanned: what is narrower than
1/SCAN of an axis is not seen, above one dimension, and in formulas beside what these name, what is narrower than 1/ALONG.

Points of the second kind are random, with logarithmic times towards the start: none of them is one of a fit.
"""

from __future__ import annotations

import functools

import numpy as np

from lrfm.problem import Problem
from lrfm.problem.checks import corner
from lrfm.problem.data import Datum
from lrfm.problem.landmarks import landmarks
from lrfm.problem.shapes.protocol import Domain
from lrfm.rows.placing import fill, graded

SCAN = 2**17  # places of a line on which data are looked at,
LINES, ALONG = 4, 2**14  # above one dimension: lines along each axis, and places of each
ROUGH = 0.02  # part of its range by which a datum changes from place to place where it is thin
MOST = 6  # marks of one coordinate
PANELS = 8  # equal ones, before they are cut
FINEST = 2.0**-22


def marks(problem: Problem) -> tuple[tuple[float, ...], ...]:
    """For each coordinate, time last, the places towards which points get denser."""
    return _marks(problem.alike or problem)


@functools.lru_cache(maxsize=16)
def _marks(problem: Problem) -> tuple[tuple[float, ...], ...]:
    """The same, found once for statements that are given the same functions."""
    box, (start, end) = problem.domain, problem.time
    lower, upper = np.append(box.lower, start), np.append(box.upper, end)
    formulas, scanned = [row.expression for row in problem.all_rows], []
    for datum in problem.initial_data.values():
        formulas += list(datum.value or ())
        scanned += _thin_places(problem, datum)
    found = [landmarks(formulas, (*box.names, "t"), lower, upper), *scanned]
    points = np.vstack([p for p in found if len(p)]) if any(map(len, found)) else np.zeros((0, len(lower)))
    result = []
    for column, low, high in zip(points.T, lower, upper, strict=True):
        places, counts = np.unique(np.round((column - low) / (high - low), 6), return_counts=True)
        inside = (places > 1e-6) & (places < 1 - 1e-6)
        order = np.argsort(-counts[inside], kind="stable")[:MOST]
        near = [column[np.argmin(np.abs(column - (low + (high - low) * p)))] for p in places[inside][order]]
        result.append(tuple(sorted(float(p) for p in near)))
    # What is wrong at the start is largest there, and where data contradict each other at the walls.
    result[-1] = (start, *result[-1])
    if corner(problem) > 0:
        ends = [() if name in problem.periodic else ends for name, ends in box.axes.items()]
        result[:-1] = [(*near, *more) for near, more in zip(result[:-1], ends, strict=True)]
    return tuple(result)


def _thin_places(problem: Problem, datum: Datum) -> list[np.ndarray]:
    """Where initial data change most from one place of a line to the next, if that is fast."""
    box, start = problem.domain, problem.time[0]
    if datum.value is not None and datum.value.number is not None:
        return []
    found, rng = [], np.random.default_rng(0)
    count = SCAN if box.dimension == 1 and datum.value is None else ALONG
    anchors = box.lower + (box.upper - box.lower) * rng.random(
        (LINES if box.dimension > 1 else 1, box.dimension)
    )
    for axis in range(box.dimension):
        x = box.lower[axis] + (box.upper - box.lower)[axis] * (np.arange(count) + 0.5) / count
        for anchor in anchors:
            points = np.column_stack([np.repeat(anchor[None], count, axis=0), np.full(count, start)])
            points[:, axis] = x
            values = np.abs(np.diff(values := np.asarray(datum(points)))) / max(
                np.ptp(np.abs(values)), 1e-300
            )
            rough = np.flatnonzero(values > ROUGH)
            found.append(points[rough[np.argsort(-values[rough])[: 2 * MOST]]])
    return found


def panels(low: float, high: float, places: tuple[float, ...]) -> np.ndarray:
    """Edges of panels that shrink by halves towards some places, and towards an end that is close to one outside: a window that begins
    right after the start is in its layer, too."""
    length = high - low
    edges = set(np.linspace(low, high, PANELS + 1).tolist())
    for place in places:
        width = 0.5 * length / PANELS
        while width > FINEST * length:
            edges |= {x for x in (place - width, place + width) if low < x < high}
            width *= 0.5
    return np.array(sorted(edges))


def followed(
    problem: Problem,
    window: tuple[float, float],
    count: int,
    rng: np.random.Generator,
    fixed: float | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Random points (count, axes + 1) of a window, or of one instant, and their weights, which have the mean one."""
    box, places = problem.domain, marks(problem)
    points, weights = np.empty((count, box.dimension + 1)), np.ones(count)
    spans = [*box.axes.values(), window]
    if fixed is not None:
        points[:, -1], spans = fixed, spans[:-1]
    # Along one axis nothing is paired at random, and places in order are looked up faster.
    scattered = spread if len(spans) > 1 else in_order
    for k, ((low, high), near) in enumerate(zip(spans, places, strict=False)):
        points[:, k], own = scattered(low, high, near, count, rng)
        weights *= own
    if not box.is_box:
        inside = box.contains(points[:, :-1], points[:, -1])
        points, weights = points[inside], weights[inside]
    return points, weights


def spread(
    low: float, high: float, near: tuple[float, ...], count: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The places of `in_order` in random order."""
    return _spread(low, panels(low, high, near), high, rng.permutation(count), rng)


def in_order(
    low: float,
    high: float,
    near: tuple[float, ...],
    count: int,
    rng: np.random.Generator,
    cuts: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Random places of one coordinate, in increasing order, denser towards some of them, and weights that have the mean one.

    `cuts` are further edges of panels, such as the ends of steps: there are more places where these are short.
    """
    edges = panels(low, high, near)
    if cuts is not None:
        edges = np.union1d(edges, cuts[(cuts > low) & (cuts < high)])
    return _spread(low, edges, high, np.arange(count), rng)


def _spread(
    low: float, edges: np.ndarray, high: float, parts: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """One place in each of equally likely parts of panels, in the order in which these are given."""
    # Half of the points as many in each panel, half anywhere: where panels are narrow on many axes, few alone would speak for the rest.
    widths, count = np.diff(edges), len(parts)
    share = 0.5 * widths / (high - low) + 0.5 / len(widths)
    level = (parts + rng.random(count)) / count
    places = np.interp(level, np.append(0.0, np.cumsum(share) / share.sum()), edges)
    owner = np.clip(np.searchsorted(edges, places, side="right") - 1, 0, len(widths) - 1)
    return places, widths[owner] / (high - low) / share[owner]


LAYER = 1e-4  # relative time down to which a layer at the start is looked for


def scattered(
    box: Domain, window: tuple[float, float], count: int, rng: np.random.Generator, layer: bool = False
) -> np.ndarray:
    """Random points of one window; of a layer with logarithmic times towards the start, where it hides from any other density if it is fast."""
    unit = rng.random((count, box.dimension + 1))
    times = graded(unit[:, -1], LAYER) if layer else unit[:, -1]
    unit[:, -1] = window[0] + (window[1] - window[0]) * times
    unit[:, :-1] = fill(box, unit[:, :-1], unit[:, -1], rng)
    return unit
