# SPDX-License-Identifier: MIT
"""Whether a solution follows what is given: its residual, integrated where given functions are thin.

On random lines along every axis panels are found on which sources, coefficients and boundary data are polynomials
(`lrfm.problem.resolved`); F is the residual of a row there and M the sum of the sizes of its terms:

    A      = ∫ |F| over panels narrower than THIN of the line on which ∫|F| > IGNORED ∫M, where a given function is off the straight line
             between the ends of such a stretch of panels by more than OFF of the most: data that were not followed;
    ℓ      = max over terms c_a D^a u of (|c_a| τᵐ / c)^(1/n), n the order of D^a in space: how far the equation spreads what it is given;
    effect = τᵐ A / (c |Ω| rms u) · √(|Ω| / ℓ),      m the order in time with the factor c, τ the duration, or the time of diffusion across.

An engine's own points, its fresh points and a second draw may all miss a pulse that is thinner than the distance between them, and then agree
on a solution without it. These panels belong to the data and to no engine. A row without rates has the effect ∫|F| / ∫M. Curved parts of a
boundary have no lines: data on them are scanned, ALONG places by arc length, and looked at where they change fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from lrfm.error.marks import marks, spread
from lrfm.linalg.clock import look
from lrfm.problem import Box, Problem, Row
from lrfm.problem.resolved import SCAN, Panels, changed_places, named_places, resolve
from lrfm.rows.pieces import Piece, values_at

THIN = 1e-2  # of a line: panels below are looked at
IGNORED = 0.1  # residual over the size of its terms from which data count as not followed
STEEP = 0.02  # part of its range by which a datum on a curved part changes from place to place where it is thin
OFF = 1e-3  # part of a pulse, or of a step, below which it has ended
POINTS = 6  # of a panel
ALONG, OTHERS = 2**14, 512  # places of a curved part at which its data are looked at, and those at which a residual always is
STEADY, MOVING, BOXES = 8, 40, 64  # lines along an axis: of data that do not change in time, of others, and above one dimension


@dataclass(frozen=True)
class Line:
    """A line along one coordinate through a point (axes + 1), how much of all lines it stands for, and its panels."""

    axis: int
    through: np.ndarray
    weight: float
    panels: Panels

    def points(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Points (n, axes + 1), their weights, and the panel of each."""
        x, w = self.panels.rule(POINTS)
        where = np.repeat(self.through[None], x.size, axis=0)
        where[:, self.axis] = x.ravel()
        return where, w.ravel(), np.repeat(np.arange(len(x)), POINTS)


@dataclass(frozen=True)
class NotFollowed:
    """Given data of a row that a solution does not follow: the worst place, how wide they are there, and what they amount to."""

    label: str
    place: dict[str, float]
    width: float
    ratio: float
    effect: float


def not_followed(
    problem: Problem, pieces: Sequence[Piece], size: Callable[[Row], float]
) -> NotFollowed | None:
    """The row whose thin data are missed with the largest effect; None where all are followed. `size` is the rms of a row's unknown."""
    found = [_judge(problem, row, lines, pieces, size) for row, lines in thin_lines(problem)]
    found += [_judge_part(row, points, weights, pieces) for row, points, weights in thin_parts(problem)]
    return max((f for f in found if f is not None), key=lambda f: f.effect, default=None)


@lru_cache(maxsize=16)
def thin_lines(problem: Problem) -> list[tuple[Row, list[Line]]]:
    """Rows that have thin data in space, each with the lines of every axis on which there are any."""
    found, rng = [], np.random.default_rng(0)
    for face, rows in ((None, problem.rows), *problem.face_rows.items()):
        if face is not None and not isinstance(problem.domain, Box):
            continue
        for row in rows:
            for axis in range(problem.domain.dimension):
                if _depends(row, axis) and (face is None or axis != problem.domain.face(face)[0]):
                    lines = list(_lines(problem, row, face, axis, rng))
                    if any(line.panels.thin(THIN).any() for line in lines):
                        found.append((row, lines))
    return found


def _depends(row: Row, axis: int) -> bool:
    """Whether something that is given in a row changes along an axis."""
    name = row.coordinates[axis]
    parts = [row.source_part, *row.linear_part.values(), *row.given_factors]
    known = {symbol for part in parts for symbol in part.symbols}
    plain = any(symbol.name == name for symbol in known)
    return plain or any(name in symbol.depends(row.coordinates) for symbol in row.functions)


def _lines(
    problem: Problem, row: Row, face: str | None, axis: int, rng: np.random.Generator
) -> Iterator[Line]:
    """Random lines along an axis, more of them where other coordinates have thin data."""
    box, near = problem.domain, marks(problem)
    spans = [*box.axes.values(), problem.time]
    count = BOXES if box.dimension > 1 else MOVING if row.time_dependent else STEADY
    through, weights = np.empty((count, len(spans))), np.ones(count)
    for k, (low, high) in enumerate(spans):
        through[:, k], own = spread(low, high, near[k], count, rng)
        weights *= own if k != axis else 1.0
    if face is not None:
        assert isinstance(box, Box)
        across, upper = box.face(face)[:2]
        through[:, across] = (box.upper if upper else box.lower)[across]
    alone = box.dimension == 1
    scanned = SCAN // 16 if not alone else SCAN // 4 if row.time_dependent else SCAN
    same: Panels | None = None
    steady = alone and not row.time_dependent
    places = named_places([row.expression], row.coordinates, through[: 1 if steady else count], axis, *spans[axis])
    for number, (point, weight) in enumerate(zip(through, weights, strict=True)):
        look()
        if same is None or not steady:
            same = panels_of(row, point, axis, spans[axis], places[number], scanned)
        yield Line(axis, point, float(weight) / count, same)


def panels_of(
    row: Row,
    through: np.ndarray,
    axis: int,
    span: tuple[float, float],
    named: Sequence[float],
    scanned: int,
) -> Panels:
    """The panels of what is given in a row on a line, of which formulas name some places."""

    def points(x: np.ndarray) -> np.ndarray:
        where = np.repeat(through[None], len(x), axis=0)
        where[:, axis] = x
        return where

    def given(x: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            values = [v for v in row.given(points(x)) if any(v.strides)]
        return np.array(values).reshape(-1, len(x))

    def functions(x: np.ndarray) -> np.ndarray:
        return np.array([np.broadcast_to(f.function(points(x)), len(x)) for f in row.functions], dtype=float)

    seen = changed_places(functions, *span, scanned) if row.functions else []
    return resolve(given, *span, [*named, *seen])


def _judge(
    problem: Problem,
    row: Row,
    lines: Sequence[Line],
    pieces: Sequence[Piece],
    size: Callable[[Row], float],
) -> NotFollowed | None:
    missed = whole = 0.0
    worst, place, width, ratio, spreads = 0.0, lines[0].through, 0.0, 0.0, []
    axis, (start, end) = lines[0].axis, problem.time
    low, high = [*problem.domain.axes.values()][axis]
    for line in lines:
        look()
        points, weights, owner = line.points()
        inside = _inside(problem, points)
        jets = values_at(pieces, row.jets, points)
        F, M = (np.where(inside, v, 0.0) for v in row.compared(points, jets))
        count = len(line.panels.edges) - 1
        a, b = (np.bincount(owner, weights * np.abs(v), count) for v in (F, M))
        whole += line.weight * b.sum()
        thin = line.panels.thin(THIN)
        there = _carries(row, line, points, thin[owner])
        left = thin & (a > IGNORED * b)
        a = np.bincount(owner, np.where(there, weights * np.abs(F), 0.0), count)
        left &= a > 0
        if left.any():
            missed += line.weight * a[left].sum()
            spreads.append(_spreads(row, points, jets, end - start, high - low, axis))
            if line.weight * a[left].max() > worst:
                p = int(np.argmax(np.where(left, a, 0.0)))
                worst, place, ratio = line.weight * float(a[p]), line.through.copy(), float(a[p] / b[p])
                place[axis] = 0.5 * (line.panels.edges[p] + line.panels.edges[p + 1])
                width = float(np.diff(line.panels.edges)[left].sum())
    if not missed > 0:
        return None
    effect = missed / max(whole, 1e-300)
    if max(jet.index[-1] for jet in row.jets):
        reach, factor = np.mean(spreads, axis=0)
        length = high - low
        effect = factor * missed / length * np.sqrt(length / max(reach, width)) / size(row)
    names = dict(zip(row.coordinates, map(float, place), strict=True))
    return NotFollowed(row.label, names, width, ratio, float(effect))


@lru_cache(maxsize=16)
def thin_parts(problem: Problem) -> list[tuple[Row, np.ndarray, np.ndarray]]:
    """Rows on curved parts of a boundary in the plane whose data change fast along them, with points there and their weights."""
    domain, found, rng = problem.domain, [], np.random.default_rng(0)
    if domain.dimension != 2 or domain.moving or domain.is_box:
        return []
    for part, rows in problem.face_rows.items():
        rows = [row for row in rows if any(_depends(row, axis) for axis in range(2))]
        rule = domain.parts[part].quadrature(ALONG) if rows and part in domain.parts else None
        for row in rows if rule is not None else ():
            assert rule is not None
            times = problem.time[0] + (problem.time[1] - problem.time[0]) * rng.random(len(rule.points))
            points = np.column_stack([rule.points, times])
            fixed = np.column_stack([rule.points, np.full(len(times), times[0])])
            thin = np.zeros(len(points), bool)
            for g in row.given(fixed):
                steps = np.abs(np.diff(g, append=g[:1])) if any(g.strides) else np.zeros(len(points))
                thin |= steps > STEEP * max(float(np.ptp(g)), 1e-300)
            some = np.unique(np.append(np.flatnonzero(thin), rng.choice(len(points), OTHERS)))
            share = np.where(thin[some], 1.0, (~thin).sum() / max((~thin[some]).sum(), 1))
            if thin.any():
                found.append((row, points[some], rule.weights[some] * share))
    return found


def _judge_part(
    row: Row, points: np.ndarray, weights: np.ndarray, pieces: Sequence[Piece]
) -> NotFollowed | None:
    F, M = row.compared(points, values_at(pieces, row.jets, points))
    left = np.abs(F) > IGNORED * M
    if not left.any():
        return None
    missed, worst = weights * np.abs(F) * left, int(np.argmax(np.abs(F) * left))
    names = dict(zip(row.coordinates, map(float, points[worst]), strict=True))
    effect = float(missed.sum() / max(float(weights @ M), 1e-300))
    return NotFollowed(row.label, names, float(weights[left].sum()), float(abs(F[worst]) / M[worst]), effect)


def _carries(row: Row, line: Line, points: np.ndarray, thin: np.ndarray) -> np.ndarray:
    """At which points of thin panels given functions are off the straight line between the ends of the stretch."""
    found, x = np.zeros(len(points), bool), points[:, line.axis]
    runs = np.split(np.arange(len(x)), np.flatnonzero(np.diff(thin.astype(int))) + 1)
    runs = [run for run in runs if thin[run[0]]]
    with np.errstate(all="ignore"):
        given = [g for g in row.given(points) if any(g.strides)]
    for g in given:
        g, off = np.where(np.isfinite(g), g, 0.0), np.zeros(len(x))
        for run in runs:
            off[run] = np.abs(g[run] - np.interp(x[run], x[run[[0, -1]]], g[run[[0, -1]]]))
        found |= off > OFF * off.max(initial=0.0)
    return found


def _inside(problem: Problem, points: np.ndarray) -> np.ndarray:
    box = problem.domain
    return np.ones(len(points), bool) if box.is_box else box.contains(points[:, :-1], points[:, -1])


def _spreads(
    row: Row, points: np.ndarray, jets: dict, duration: float, length: float, axis: int
) -> tuple[float, float]:
    """ℓ, and τᵐ / c."""
    factors = {jet: np.median(np.abs(c)) for jet, c in row.affine(points)[1].items()}
    if not row.linear:
        for jet, c in row.nonlinear(points, jets, picard=False)[1].items():
            factors[jet] = factors.get(jet, 0.0) + float(np.median(np.abs(c)))
    order = max(jet.index[-1] for jet in row.jets)
    mass = max((c for jet, c in factors.items() if jet.index[-1] == order), default=1.0) or 1.0
    terms = [(jet.index[axis], c / mass) for jet, c in factors.items() if jet.index[axis] and not jet.index[-1]]
    time = duration
    if order == 1:
        # What diffuses across the domain is forgotten: even orders of space, one in time.
        time = min([duration, *(length**n / c for n, c in terms if n % 2 == 0 and c > 0)])
    reach = max([(c * time**order) ** (1 / n) for n, c in terms], default=0.0)
    return min(reach, length), time**order / mass
