# SPDX-License-Identifier: MIT
"""Data that change faster than points and features can see.

Along t, at a few places, times are bisected where given functions g(x, t) (sources, coefficients, boundary data) change. Places and times
are random ones, a fine scan, and those that a formula names (`lrfm.problem.landmarks`):

    ratio  = √(Σ |Δg| F² / Σ |Δg| M²),     F the residual of the solution, M the sum of the sizes of its terms;
    effect = rms |∫ F dt / c| / rms u       (m integrals for order m in time, c the factor of ∂ₜᵐu; none on a face).

Where the data were seen F is far smaller than its terms. Where they were not, F is the datum itself, and its integral is
what is missing in u. Neither two draws nor a residual on random points show a pulse that falls between all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from lrfm.problem import Box, Problem, Row
from lrfm.problem.landmarks import landmarks
from lrfm.problem.shapes.protocol import Domain
from lrfm.rows.pieces import Piece, values_at
from lrfm.rows.placing import fill

FAST = 1e-2  # time scale of data, in durations, below which they are looked at
IGNORED = 0.1  # residual over the size of its terms from which data count as not seen
EARLIEST = 1e-9  # distance from both ends, in durations, at which layers are looked for
SMOOTH = 0.02  # part of its range by which a datum may change between two times
MOST = 3000  # times
PLACES, LOOKED = 2, 16  # places kept of those looked at
SCAN, WITHIN = (
    2**16,
    2048,
)  # times at which every place is looked at once: functions, and formulas, which name what is fast in them


@dataclass(frozen=True)
class Undersampled:
    """A row whose data were not seen: their time scale, where it is, the ratio and the effect."""

    label: str
    scale: float
    time: float
    ratio: float
    effect: float


def undersampled(
    problem: Problem, pieces: Sequence[Piece], size: Callable[[Row], float]
) -> Undersampled | None:
    """The row whose unseen data do most harm; None where all data were seen. `size` is the rms of a row's unknown."""
    found = [
        _judge(row, places, times, problem.time, pieces, size) for row, times, places in moments(problem)
    ]
    return max((f for f in found if f is not None), key=lambda f: f.effect, default=None)


@lru_cache(maxsize=16)
def moments(problem: Problem) -> list[tuple[Row, np.ndarray, np.ndarray]]:
    """Rows whose data change in time, each with times between which these change little, and the places where they change most."""
    return [
        (row, *fast_times(row, places, problem.time, marks)) for row, places, marks in places_to_look(problem)
    ]


def places_to_look(problem: Problem) -> list[tuple[Row, np.ndarray, np.ndarray]]:
    """Rows whose data change in time, each with places and times at which that may be fast."""
    box, found = problem.domain, []
    rng = np.random.default_rng(0)
    random = fill(box, rng.random((LOOKED, box.dimension)), problem.time[0], rng)
    for face, rows in ((None, problem.rows), *problem.face_rows.items()):
        for row in rows:
            if row.time_dependent:
                marks = _marks(row, box, problem.time)
                places = np.vstack([marks[:, :-1], random])
                if not box.is_box:
                    places = places[box.contains(places, problem.time[0])]
                if face is not None:
                    places = _on_part(box, face, places)
                    places = places[np.sort(np.unique(places, axis=0, return_index=True)[1])]
                if len(places):
                    found.append((row, places, marks[:, -1]))
    return found


def _marks(row: Row, box: Domain, time: tuple[float, float]) -> np.ndarray:
    lower, upper = np.append(box.lower, time[0]), np.append(box.upper, time[1])
    return landmarks([row.expression], row.coordinates, lower, upper)


def _on_part(box: Domain, face: str, places: np.ndarray) -> np.ndarray:
    """Places on a face; on another part those of its rule. A moving part has none that stay on it."""
    if not isinstance(box, Box):
        return np.zeros((0, box.dimension)) if box.moving else box.parts[face].quadrature(LOOKED).points
    axis, upper = box.face(face)[:2]
    there = places.copy()
    there[:, axis] = (box.upper if upper else box.lower)[axis]
    return there


def _judge(
    row: Row,
    places: np.ndarray,
    times: np.ndarray,
    time: tuple[float, float],
    pieces: Sequence[Piece],
    size: Callable[[Row], float],
) -> Undersampled | None:
    given, change = _given(row, places, times), np.zeros((len(places), len(times) - 1))
    scale, when = math.inf, time[0]
    for values in given:
        width = np.ptp(values)
        if width > 0:
            steps = np.abs(np.diff(values, axis=1)) / width
            change = np.maximum(change, steps)
            # Intervals over which the datum goes through a fair part of its range say how fast it is.
            pace = np.diff(times) / np.maximum(steps, 1e-300)
            place = np.unravel_index(np.argmin(np.where(steps > 0.1 * SMOOTH, pace, math.inf)), pace.shape)
            if pace[place] < scale:
                scale, when = float(pace[place]), float(times[place[1]])
    if not scale < FAST * (time[1] - time[0]):
        return None
    F, M = _residual(row, places, times, pieces)
    both = lambda values: 0.5 * (values[:, 1:] ** 2 + values[:, :-1] ** 2)  # noqa: E731
    ratio = math.sqrt(np.sum(change * both(F)) / max(np.sum(change * both(M)), 1e-300))
    if not ratio > IGNORED:
        return None
    return Undersampled(row.label, scale, when, ratio, _effect(row, places, times, F) / size(row))


def fast_times(
    row: Row, places: np.ndarray, time: tuple[float, float], marks: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Times between which the given functions of a row change little, and the places where they change most."""
    t0, t1 = time
    ends = 10.0 ** np.linspace(math.log10(EARLIEST), -2, 60)
    inner = (np.arange(256) + np.random.default_rng(1).random(256)) / 256
    s = np.unique(np.concatenate([[0.0, 1.0], ends, 1.0 - ends, inner]))
    scanned = SCAN if row.functions else WITHIN
    dense = (np.arange(scanned) + 0.5) / scanned
    if marks is not None and len(marks):
        near = np.unique((marks - t0) / (t1 - t0))
        steps = np.concatenate([2.0 ** -np.arange(4.0, 30.0), [0.0]])
        dense = np.concatenate([dense, *(near + sign * step for step in steps for sign in (1, -1))])
        dense = np.unique(dense[(dense > 0) & (dense < 1)])
    changes = np.zeros(len(dense) - 1)
    for values in _given(row, places, t0 + (t1 - t0) * dense):
        changes = np.maximum(changes, np.abs(np.diff(values, axis=1)).max(axis=0) / (np.ptp(values) or 1.0))
    seen = np.flatnonzero(changes > SMOOTH)
    seen = seen if len(seen) <= MOST // 12 else seen[:0]  # what is fast everywhere is found by bisection, too
    around = np.clip(seen[:, None] + np.arange(-2, 4), 0, len(dense) - 1)  # where it begins and ends, too
    s = np.unique(np.concatenate([s, dense[around.ravel()]]))
    while True:
        # Midpoints are looked at, too: an oscillation may come back to where it was.
        halves = np.sort(np.concatenate([s, 0.5 * (s[1:] + s[:-1])]))
        change = np.zeros((len(places), len(s) - 1))
        for values in _given(row, places, t0 + (t1 - t0) * halves):
            steps = np.abs(np.diff(values, axis=1)) / (np.ptp(values) or 1.0)
            change = np.maximum(change, np.maximum(steps[:, ::2], steps[:, 1::2]))
        largest = np.where(np.diff(s) > 1e-12, change.max(axis=0), 0.0)
        rough = np.argsort(-largest)[: min(np.count_nonzero(largest > SMOOTH), MOST - len(s))]
        if not len(rough):
            break
        s = np.sort(np.concatenate([s, 0.5 * (s[rough] + s[rough + 1])]))
        places = places[np.argsort(-change.sum(axis=1), kind="stable")[: max(PLACES, len(places) // 2)]]
    return t0 + (t1 - t0) * s, places[:PLACES]


def _given(row: Row, places: np.ndarray, times: np.ndarray) -> list[np.ndarray]:
    """What is given in a row, by place and time, without what is one number."""
    given = row.given(_points(places, times))
    return [values.reshape(len(places), -1) for values in given if any(values.strides)]


def _points(places: np.ndarray, times: np.ndarray) -> np.ndarray:
    return np.column_stack([np.repeat(places, len(times), axis=0), np.tile(times, len(places))])


def _residual(
    row: Row, places: np.ndarray, times: np.ndarray, pieces: Sequence[Piece]
) -> tuple[np.ndarray, np.ndarray]:
    """F and M at all places and times."""
    points = _points(places, times)
    jets = values_at(pieces, row.jets, points)
    F, M = row.residual(points, jets), row.magnitude(points, jets)
    return F.reshape(len(places), -1), M.reshape(len(places), -1)


def _effect(row: Row, places: np.ndarray, times: np.ndarray, F: np.ndarray) -> float:
    """rms in time of the residual, integrated as often as the row has time derivatives."""
    order = max(jet.index[-1] for jet in row.jets)
    steps = np.diff(times)
    for _ in range(order):
        F = np.pad(np.cumsum(0.5 * steps * (F[:, 1:] + F[:, :-1]), axis=1), ((0, 0), (1, 0)))
    _, factors = row.affine(_points(places, times[:1]))
    top = [np.abs(np.broadcast_to(c, len(places))) for j, c in factors.items() if j.index[-1] == order]
    square = 0.5 * (F[:, 1:] ** 2 + F[:, :-1] ** 2) @ steps / (times[-1] - times[0])
    return float(np.sqrt(np.max(square / (np.max(top, axis=0) ** 2 if order and top else 1.0))))
