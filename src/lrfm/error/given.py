# SPDX-License-Identifier: MIT
"""Whether a solution follows what is given: its residual, integrated where given functions are thin.

On the panels of `lrfm.error.thin` F is the residual of a row and M the sum of the sizes of its terms. F counts on panels narrower than THIN of the
line with ∫|F| > IGNORED ∫M, where a given function is off the straight line between the ends of the stretch of such panels by more than OFF of
the most, and by as much as it is larger there than on the panels beside the stretch: data that were not followed leave a residual where they are thin, while one that goes on beyond
is that of the solution. A jump at which cells end was followed: a stretch has two sides then, and F counts on one where no polynomial holds what is given there, to OFF of the most.
What the equation makes of it:

    effect = τᵐ A / (c |Ω| rms u) · √(|Ω| / ℓ),   A = ∫|F|,    m the order in time with the factor c,
             τ the duration, or the time of diffusion across;  ℓ = max over terms c_a Dᵃu of (|c_a| τᵐ / c)^(1/n), n the order of Dᵃ in space.

Diffusion D across a stretch is in equilibrium: the flux De' of the error is G = ∫F up to a place, or e' = ∫F/D, and outside of the stretch there is
the source A = |∫F| of the whole of it and a step ∫|e'|, which is added to the effect, relative to rms u. A row without rates has ∫|F| / ∫M,
M at least what its terms are where u is as large as usual.

An engine's own points, its fresh points and a second draw may all miss a pulse that is thinner than the distance between them, and then agree
on a solution without it: it leaves the same residual in both. These panels belong to the data and to no engine. Where u is not smooth, as where a line at which a source jumps comes to the boundary, second derivatives of two
solves are off by as much, but not alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.error.thin import POINTS, THIN, Line, thin_lines, thin_parts
from lrfm.linalg.deadline import check_deadline
from lrfm.problem import Jet, Problem, Row
from lrfm.problem.resolved import FINEST
from lrfm.rows.pieces import Parted, Piece, values_at

IGNORED = 0.1  # residual over the size of its terms from which data count as not followed
OFF = 1e-3  # part of a pulse, or of a step, below which it has ended
AT_ONCE = 20_000  # points of lines at which a solution is evaluated together

Jets = Mapping[Jet, np.ndarray]


@dataclass(frozen=True)
class NotFollowed:
    """Given data of a row that a solution does not follow: the worst place, how wide they are there, and what they amount to."""

    label: str
    place: dict[str, float]
    width: float
    ratio: float
    effect: float


@dataclass(frozen=True)
class _Missed:
    """What was missed on one line: ∫M, the panel that misses most with its ∫|F| and ratio, the width of all that do, the effect on u."""

    whole: float
    most: float = 0.0
    ratio: float = 0.0
    place: float = 0.0
    width: float = 0.0
    effect: float = 0.0


def not_followed(
    problem: Problem,
    pieces: Sequence[Piece],
    size: Callable[[Row], float],
    inside: bool = True,
    others: Sequence[Piece] = (),
) -> NotFollowed | None:
    """The row whose thin data are missed with the largest effect; None where all are followed. `size` is the rms of a row's unknown; without `inside` conditions alone are looked at.

    What two solves have not seen leaves the same residual in both: with `others`, those of a second one, min(|F₁|, |F₂|) − |F₁ − F₂| counts. The rest of |F₁| is at most 2|F₁ − F₂|, and makes at most twice what the two solves differ by.
    """
    rows = [(row, lines) for row, lines in thin_lines(problem) if inside or row not in problem.rows]
    found = [_judge(problem, row, lines, pieces, size, others) for row, lines in rows]
    found += [
        _judge_part(problem, row, points, weights, pieces, size)
        for row, points, weights in thin_parts(problem)
    ]
    return max((f for f in found if f is not None), key=lambda f: f.effect, default=None)


def _judge(
    problem: Problem,
    row: Row,
    lines: Sequence[Line],
    pieces: Sequence[Piece],
    size: Callable[[Row], float],
    others: Sequence[Piece],
) -> NotFollowed | None:
    pairs = list(_on_lines(problem, row, lines, pieces, others))
    line, worst = max(pairs, key=lambda pair: pair[0].weight * pair[1].most)
    if not worst.most > 0:
        return None
    effect = sum(line.weight * m.effect for line, m in pairs)
    if max(jet.index[-1] for jet in row.jets):
        effect /= size(row)
    else:
        lengths = sum(line.weight * float(line.panels.edges[-1] - line.panels.edges[0]) for line in lines)
        usual = _usual(problem, row, lines[0].points()[0], size(row)) * lengths
        effect /= max(sum(line.weight * m.whole for line, m in pairs), usual, 1e-300)
    place = line.through.copy()
    place[line.axis] = worst.place
    names = dict(zip(row.coordinates, map(float, place), strict=True))
    return NotFollowed(row.label, names, worst.width, worst.ratio, float(effect))


def _usual(problem: Problem, row: Row, points: np.ndarray, size: float) -> float:
    """Σ |c_a| rms u / Lⁿ: what the terms of a row are where its unknown is as large as usual. Zero data are met to the rounding of this, not of themselves."""
    length = float(np.max(problem.domain.upper - problem.domain.lower))
    slopes = row.affine(points)[1]
    return sum(float(np.max(np.abs(c))) * size / length ** sum(jet.index[:-1]) for jet, c in slopes.items())


def _on_lines(
    problem: Problem, row: Row, lines: Sequence[Line], pieces: Sequence[Piece], others: Sequence[Piece]
) -> Iterator[tuple[Line, _Missed]]:
    """What a solution misses on some lines; it is evaluated on many of them at once."""
    rules = [line.points() for line in lines]
    ends = np.cumsum([len(points) for points, _, _ in rules])
    begun = 0
    while begun < len(lines):
        check_deadline()
        before = 0 if begun == 0 else ends[begun - 1]
        end = max(begun + 1, int(np.searchsorted(ends, before + AT_ONCE, side="right")))
        own = rules[begun:end]
        points = np.concatenate([at for at, _, _ in own])
        jets = values_at(pieces, row.jets, points)
        inside = _inside(problem, points)
        F, M = (np.where(inside, v, 0.0) for v in row.compared(points, jets))
        if others:
            second = row.compared(points, values_at(others, row.jets, points))[0]
            both = np.where(F * second > 0, np.minimum(np.abs(F), np.abs(second)), 0.0)
            F = np.sign(F) * np.maximum(both - np.abs(F - second), 0.0)
        at = 0
        for line, (places, weights, owner) in zip(lines[begun:end], own, strict=True):
            here = slice(at, at := at + len(places))
            along = {jet: v[here] for jet, v in jets.items()}
            ended = _ended(line, pieces)
            yield line, _on_line(problem, row, line, (places, weights, owner), along, F[here], M[here], ended)
        begun = end


def _on_line(
    problem: Problem,
    row: Row,
    line: Line,
    rule: tuple[np.ndarray, np.ndarray, np.ndarray],
    jets: Jets,
    F: np.ndarray,
    M: np.ndarray,
    ended: np.ndarray,
) -> _Missed:
    """What a solution misses on a line, by its residual and the size of its terms; `ended` are panels of jumps at which its cells end."""
    points, weights, owner = rule
    edges, thin = line.panels.edges, line.panels.thin(THIN)
    if not thin.any():
        return _Missed(float(weights @ np.abs(M)))
    F = not_of_panels(F, owner, thin)
    a, b = (np.bincount(owner, weights * np.abs(v), len(thin)) for v in (F, M))
    counts = _carries(row, line, points, thin[owner], ended[owner]) & (thin & (a > IGNORED * b))[owner]
    a = np.bincount(owner, np.where(counts, weights * np.abs(F), 0.0), len(thin))
    whole, worst = float(b.sum()), int(np.argmax(a))
    if not a[worst] > 0:
        return _Missed(whole)
    width = float(np.diff(edges)[a > 0].sum())
    effect = float(a.sum())
    if max(jet.index[-1] for jet in row.jets):
        effect = _effect(problem, row, line, points, jets, weights * np.where(counts, F, 0.0), weights, width)
    middle = 0.5 * (edges[worst] + edges[worst + 1])
    return _Missed(whole, float(a[worst]), float(a[worst] / b[worst]), float(middle), width, effect)


def not_of_panels(F: np.ndarray, owner: np.ndarray, thin: np.ndarray) -> np.ndarray:
    """F on every stretch of thin panels without what one of the two panels beside it has as well."""
    most, result = np.zeros(len(thin)), F.copy()
    np.maximum.at(most, owner, np.abs(F))
    for run in runs_of(thin):
        beside = max((most[k] for k in (run[0] - 1, run[-1] + 1) if 0 <= k < len(thin)), default=0.0)
        own = np.flatnonzero((owner >= run[0]) & (owner <= run[-1]))
        result[own] = np.sign(F[own]) * np.maximum(np.abs(F[own]) - beside, 0.0)
    return result


def _effect(
    problem: Problem,
    row: Row,
    line: Line,
    points: np.ndarray,
    jets: Jets,
    missed: np.ndarray,
    weights: np.ndarray,
    width: float,
) -> float:
    """What the equation makes of a residual that was missed, `missed` being its parts of an integral: as a size of u."""
    length = float(line.panels.edges[-1] - line.panels.edges[0])
    duration = problem.time[1] - problem.time[0]
    slopes = coefficients(row, points, jets)
    reach, factor = _spreads(row, slopes, duration, length, line.axis)
    spread = factor / length * np.sqrt(length / max(reach, width))
    D = _diffusion(row, slopes, line.axis)
    if D is None or reach < width:
        return float(spread * np.abs(missed).sum())
    thin, total = line.panels.thin(THIN), 0.0
    owner = np.repeat(np.arange(len(thin)), len(points) // len(thin))
    for run in runs_of(thin[owner]):
        F, w, d = missed[run], weights[run], np.maximum(D[run], 1e-300)
        flux = np.maximum(np.abs(np.cumsum(F)) / d, np.abs(np.cumsum(F / d)))
        total += spread * abs(F.sum()) + float(w @ flux)
    return float(total)


def coefficients(row: Row, points: np.ndarray, jets: Jets) -> dict[Jet, np.ndarray]:
    """What stands before every derivative, linearized at the solution: (points,) each."""
    found = {jet: np.broadcast_to(c, len(points)) for jet, c in row.affine(points)[1].items()}
    if not row.linear:
        for jet, c in row.nonlinear(points, jets, picard=False)[1].items():
            found[jet] = found.get(jet, 0.0) + np.broadcast_to(c, len(points))
    return found


def _diffusion(row: Row, slopes: Mapping[Jet, np.ndarray], axis: int) -> np.ndarray | None:
    """|D| where a row is about diffusion of its own unknown along an axis; None elsewhere."""
    rates = [jet for jet in row.jets if jet.index[-1]]
    if len(rates) != 1 or rates[0].order != 1 or max(jet.index[axis] for jet in row.jets) != 2:
        return None
    return next(
        (
            np.abs(c)
            for jet, c in slopes.items()
            if jet.field == rates[0].field and jet.index[axis] == 2 and jet.order == 2
        ),
        None,
    )


def _spreads(
    row: Row, slopes: Mapping[Jet, np.ndarray], duration: float, length: float, axis: int
) -> tuple[float, float]:
    """ℓ, and τᵐ / c."""
    factors = {jet: float(np.median(np.abs(c))) for jet, c in slopes.items()}
    order = max(jet.index[-1] for jet in row.jets)
    mass = max((c for jet, c in factors.items() if jet.index[-1] == order), default=1.0) or 1.0
    terms = [
        (jet.index[axis], c / mass) for jet, c in factors.items() if jet.index[axis] and not jet.index[-1]
    ]
    time = duration
    if order == 1:
        # What diffuses across the domain is forgotten: even orders of space, one in time.
        time = min([duration, *(length**n / c for n, c in terms if n % 2 == 0 and c > 0)])
    reach = max([(c * time**order) ** (1 / n) for n, c in terms], default=0.0)
    return min(reach, length), time**order / mass


def _judge_part(
    problem: Problem,
    row: Row,
    points: np.ndarray,
    weights: np.ndarray,
    pieces: Sequence[Piece],
    size: Callable[[Row], float],
) -> NotFollowed | None:
    F, M = row.compared(points, values_at(pieces, row.jets, points))
    left = np.abs(F) > IGNORED * M
    if not left.any():
        return None
    missed, worst = weights * np.abs(F) * left, int(np.argmax(np.abs(F) * left))
    names = dict(zip(row.coordinates, map(float, points[worst]), strict=True))
    usual = _usual(problem, row, points, size(row)) * float(weights.sum())
    effect = float(missed.sum() / max(float(weights @ M), usual, 1e-300))
    return NotFollowed(row.label, names, float(weights[left].sum()), float(abs(F[worst]) / M[worst]), effect)


def _ended(line: Line, pieces: Sequence[Piece]) -> np.ndarray:
    """Which panels of a line are those of a jump, without a width, between whose sides cells end at the time of the line."""
    edges = line.panels.edges
    least = 4 * FINEST * (edges[-1] - edges[0])
    ended = np.diff(edges) < least
    piece = next((p for p in pieces if line.through[-1] <= p.window[1]), pieces[-1])
    if not (ended.any() and isinstance(piece, Parted)):
        return np.zeros_like(ended)
    runs = runs_of(ended)
    sides = np.tile(line.through, (2, len(runs), 1))
    for k, run in enumerate(runs):
        sides[:, k, line.axis] = edges[run[0]] - least, edges[run[-1] + 1] + least
    for run, apart in zip(runs, piece.parted(*sides), strict=True):
        ended[run] = apart
    return ended


def _carries(row: Row, line: Line, points: np.ndarray, thin: np.ndarray, ended: np.ndarray) -> np.ndarray:
    """At which points of thin panels given functions are off the straight line between the ends of the stretch; of a stretch with jumps at which cells end, off any polynomial on a side of one."""
    found, x = np.zeros(len(points), bool), points[:, line.axis]
    stretches, sides = [], []
    for run in runs_of(thin):
        if ended[run].any():
            sides += [run[own] for own in runs_of(~ended[run])]
        else:
            stretches.append(run)
    with np.errstate(all="ignore"):
        given = [g for g in row.given(points) if any(g.strides)]
    for g in given:
        g, off = np.where(np.isfinite(g), g, 0.0), np.zeros(len(x))
        for run in stretches:
            off[run] = np.abs(g[run] - np.interp(x[run], x[run[[0, -1]]], g[run[[0, -1]]]))
        found |= off > OFF * off.max(initial=0.0)
        for run in sides:
            found[run] |= np.abs(_off_polynomials(x[run], g[run])) > OFF * np.max(np.abs(g))
    return found


def _off_polynomials(x: np.ndarray, g: np.ndarray) -> np.ndarray:
    """What the nearest polynomial leaves of a function at some places."""
    inside = 2 * (x - x[0]) / max(x[-1] - x[0], np.finfo(float).tiny) - 1
    basis = np.linalg.qr(np.polynomial.legendre.legvander(inside, min(POINTS, len(x)) - 1))[0]
    return g - basis @ (basis.T @ g)


def runs_of(thin: np.ndarray) -> list[np.ndarray]:
    """The numbers of points of every stretch of thin panels."""
    runs = np.split(np.arange(len(thin)), np.flatnonzero(np.diff(thin.astype(int))) + 1)
    return [run for run in runs if thin[run[0]]]


def _inside(problem: Problem, points: np.ndarray) -> np.ndarray:
    box = problem.domain
    return np.ones(len(points), bool) if box.is_box else box.contains(points[:, :-1], points[:, -1])
