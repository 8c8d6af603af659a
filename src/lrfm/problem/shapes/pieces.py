# SPDX-License-Identifier: MIT
"""The boundary of a set made of simple ones: which stretches of which sheets it consists of.

A point of a sheet is on the boundary where one side of the sheet is inside and the other is not. Along a curve that can change only
where the curve meets another sheet, so curves are cut there, and a stretch is judged in its middle.

Rules on curves in the plane: ∫_Γ f ds = Σ ∫ f(γ(u)) |γ′(u)| du, by Gauss, or equidistant where γ closes smoothly.

Vertices: where stretches meet at an angle other than π, or parts change.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.linalg.deadline import check_deadline
from lrfm.problem.shapes.curves import Curve
from lrfm.problem.shapes.gauss import gauss, panels, shares
from lrfm.problem.shapes.kinds import Bounds
from lrfm.problem.shapes.levels import Level
from lrfm.problem.shapes.protocol import BoundaryRule, Corner, Time
from lrfm.problem.shapes.roots import ridders
from lrfm.problem.shapes.tree import Simple, Tree

BESIDE = 1e-7  # distance from a sheet at which inside and outside are told apart, relative to the size of the domain
ZERO = 1e-11  # distance, in the same unit, that counts as none
SAMPLES = 512  # along a curve
FEW, AROUND = (
    16,
    2.0,
)  # points by which its place is known, and how far it may go beyond them, in their distances


@dataclass(frozen=True, eq=False)
class Sheet:
    """A smooth piece of the boundary of a simple set, with the sign by which its φ is negative inside the whole."""

    simple: Simple
    number: int
    sign: int

    @property
    def level(self) -> Level:
        return self.simple.levels[self.number]

    def normals(self, points: np.ndarray, t: Time) -> np.ndarray:
        """Outward unit normals."""
        return self.sign * self.level.normals(points, t)

    @property
    def name(self) -> str:
        own, whole = self.simple.kind.sheets[self.number], self.simple.name
        return ".".join(filter(None, (whole, own))) or "boundary"


@dataclass(frozen=True, eq=False)
class Stretch:
    """A curve from s = start to s = end at a time; `whole` where it is closed and uncut."""

    sheet: Sheet
    curve: Curve
    start: float
    end: float
    whole: bool = False
    time: float | None = None

    def points(self, u: np.ndarray) -> np.ndarray:
        """Points for u in [0, 1]."""
        return self.curve.point(self.start + (self.end - self.start) * u)

    def speeds(self, u: np.ndarray) -> np.ndarray:
        """∂/∂u of the points."""
        return (self.end - self.start) * self.curve.speed(self.start + (self.end - self.start) * u)


def sheets_of(tree: Tree) -> list[Sheet]:
    """All sheets of all simple sets in a tree."""
    return [Sheet(s, i, sign) for s, sign in tree.leaves() for i in range(len(s.kind.sheets))]


def on_boundary(
    tree: Tree, sheets: Sequence[Sheet], which: Sheet, points: np.ndarray, t: Time, size: float
) -> np.ndarray:
    """Whether points of a sheet are on the boundary of the whole; where sheets coincide, the first of them has it."""
    n, step = which.normals(points, t), BESIDE * size
    found = tree.inside(points - step * n, t) & ~tree.inside(points + step * n, t)
    # A plane goes on where the face in it has ended, and may meet the boundary of something else there.
    found &= which.simple.inside(points - step * n, t) != which.simple.inside(points + step * n, t)
    for other in sheets:
        if other is which:
            break
        if other.simple is which.simple or not (found & other.simple.near(points, step)).any():
            continue
        near = found & (np.abs(distance(other.level, points, t)) < ZERO * size)
        if near.any():
            sides = [other.simple.inside(points + s * step * n, t) for s in (-1, 1)]
            found &= ~(near & (sides[0] != sides[1]))
    return found


def distance(level: Level, points: np.ndarray, t: Time) -> np.ndarray:
    """φ/|∇φ|, to first order the distance from a sheet."""
    slope = np.linalg.norm(level.gradient(points, t), axis=1)
    values = level.values(points, t)
    with np.errstate(all="ignore"):
        return np.where(slope > 0, values / np.where(slope > 0, slope, 1.0), values)


def stretches(
    tree: Tree, sheets: Sequence[Sheet], cuts: Sequence[Level], t: float | None, box: Bounds
) -> list[Stretch]:
    """The boundary in the plane, cut where other sheets, or the formulas of `cuts`, change sign."""
    size = float(np.linalg.norm(box[1] - box[0]))
    found, spans = [], np.array([sheet.simple.span for sheet in sheets])
    for sheet in sheets:
        mine = sheet.simple if sheet.simple.kind.meet_at_ends else None
        apart = np.array([s is not sheet and s.simple is not mine for s in sheets])
        for curve in sheet.simple.curves(sheet.number, t, box):
            check_deadline()
            low, high = _reach(curve)
            near = apart & np.all((low <= spans[:, 1]) & (spans[:, 0] <= high), axis=1)
            meets = [sheets[k].level for k in np.flatnonzero(near).tolist()]
            found += _stretches_of(tree, sheets, sheet, curve, [*meets, *cuts], len(cuts), t, size)
    return found


def _reach(curve: Curve) -> Bounds:
    """A box that holds a curve: between two of its points it is no farther from them than it can go there and back."""
    points = curve.point(np.linspace(0.0, 1.0, FEW + 1))
    reach = float(np.max(np.linalg.norm(np.diff(points, axis=0), axis=1))) * AROUND
    return points.min(axis=0) - reach, points.max(axis=0) + reach


def _stretches_of(
    tree: Tree,
    sheets: Sequence[Sheet],
    sheet: Sheet,
    curve: Curve,
    others: Sequence[Level],
    cuts: int,
    t: float | None,
    size: float,
) -> list[Stretch]:
    breaks, kept = (
        breakpoints(curve, others, t, size),
        breakpoints(curve, others[len(others) - cuts :], t, size),
    )
    if curve.closed and not len(breaks):
        spans, whole = np.array([[0.0, 1.0]]), True
    else:
        edges = [*breaks, breaks[0] + 1.0] if curve.closed else [0.0, *breaks, 1.0]
        spans, whole = np.array(list(itertools.pairwise(edges))), False
    spans = spans[spans[:, 1] - spans[:, 0] > 1e-12]
    middle = curve.point(spans.mean(axis=1))
    good = on_boundary(tree, sheets, sheet, middle, t, size)
    merged: list[list[float]] = []
    for a, b in spans[good]:
        # Where a curve only crosses the continuation of another sheet it goes on undivided.
        joined = merged and abs(merged[-1][1] - a) < 1e-12 and not np.any(np.abs(kept - a) < 1e-12)
        if joined:
            merged[-1][1] = b
        else:
            merged.append([a, b])
    closes = curve.closed and len(merged) > 1 and abs(merged[-1][1] - merged[0][0] - 1.0) < 1e-12
    if closes and not np.any(np.abs(kept - merged[0][0]) < 1e-12):
        first = merged.pop(0)
        merged[-1][1] = first[1] + 1.0
    round_trip = curve.closed and len(merged) == 1 and abs(merged[0][1] - merged[0][0] - 1.0) < 1e-12
    whole = whole or (round_trip and not len(kept))
    return [Stretch(sheet, curve, a, b, whole, t) for a, b in merged]


def breakpoints(curve: Curve, levels: Sequence[Level], t: float | None, size: float) -> np.ndarray:
    """Parameters at which a curve crosses zero sets, in order."""
    # A closed curve begins anywhere: at s = 0 it may well meet another sheet.
    s = np.linspace(0.0, 1.0, SAMPLES + 1) + (0.0317 if curve.closed else 0.0)
    points, found = curve.point(s), []
    step = np.max(np.linalg.norm(np.diff(points, axis=0), axis=1))
    for level in levels:
        d = distance(level, points, t)
        at, values = s, d
        # Two crossings between neighbors show as a small distance of the same sign.
        close = (
            np.flatnonzero(np.abs(d[1:-1]) < np.minimum(step, np.minimum(np.abs(d[2:]), np.abs(d[:-2])))) + 1
        )
        if 0 < len(close) < 40:
            more = np.concatenate([np.linspace(s[k - 1], s[k + 1], 67)[1:-1] for k in close])
            at = np.unique(np.concatenate([s, more]))
            values = distance(level, curve.point(at), t)
        found.append(_roots(curve, level, t, at, values, ZERO * size))
    roots = np.concatenate([*found, np.zeros(0)])
    return np.unique(np.round(roots % 1.0 if curve.closed else roots, 14))


def _roots(
    curve: Curve, level: Level, t: float | None, at: np.ndarray, values: np.ndarray, zero: float
) -> np.ndarray:
    told = np.flatnonzero(np.abs(values) > zero)
    change = np.flatnonzero(np.diff(np.sign(values[told])) != 0)
    low, high = at[told[change]], at[told[change + 1]]
    return ridders(lambda s: level.values(curve.point(s), t), low, high) if len(low) else low


LEAST = 3  # points on a stretch


def along(
    pieces: Sequence[Stretch], n: int, rng: np.random.Generator | None, t: float | None
) -> BoundaryRule:
    """About n points on stretches, by length."""
    lengths = np.array([length(piece) for piece in pieces])
    found = [_along(p, k, rng) for p, k in zip(pieces, shares(n, lengths, LEAST), strict=True)]
    normals = [p.sheet.normals(points, t) for p, (points, _) in zip(pieces, found, strict=True)]
    return BoundaryRule(
        np.vstack([p for p, _ in found]), np.concatenate([w for _, w in found]), np.vstack(normals)
    )


def length(piece: Stretch) -> float:
    """∫ |γ′| ds."""
    u, w = panels(48, 0.5)
    return float(w @ np.linalg.norm(piece.speeds(u), axis=1))


def _along(piece: Stretch, n: int, rng: np.random.Generator | None) -> tuple[np.ndarray, np.ndarray]:
    if piece.whole:  # periodic: equidistant points are the best there are
        u = (np.arange(n) + (0.5 if rng is None else rng.random())) / n
        w = np.full(n, 1.0 / n)
    elif rng is None or n < 4 * LEAST:
        u, w = gauss(n if rng is None else n + int(rng.integers(2)))
    else:
        u, w = panels(n, rng.uniform(0.35, 0.65))
    return piece.points(u), w * np.linalg.norm(piece.speeds(u), axis=1)


STRAIGHT = 1e-6  # radians by which an angle must differ from π
MEET = 1e-8  # distance between ends that meet, relative to the whole


def corners_of(pieces: Sequence[Stretch], names: Sequence[str]) -> tuple[Corner, ...]:
    """Every end of a stretch with the beginning of the one that follows it, the inside on the left."""
    open_ones = [(p, name) for p, name in zip(pieces, names, strict=True) if not p.whole]
    if not open_ones:
        return ()
    ends = [_oriented(p) for p, _ in open_ones]
    starts = np.array([start for start, *_ in ends])
    reach = MEET * float(np.linalg.norm(np.ptp(np.vstack([starts, [e[1] for e in ends]]), axis=0)))
    found = []
    for (_, name), (_, stop, _, arriving) in zip(open_ones, ends, strict=True):
        gaps = np.linalg.norm(starts - stop, axis=1)
        back = np.arctan2(-arriving[1], -arriving[0])
        candidates = []
        for k in np.flatnonzero(gaps <= max(reach, float(gaps.min()))):
            leaving = ends[k][2]
            start = float(np.arctan2(leaving[1], leaving[0]))
            candidates.append((float((back - start) % (2 * np.pi)), start, open_ones[k][1]))
        # Where several curves pass through one point, the next one is that with the smallest angle inside.
        angle, start, other = min(candidates)
        if abs(angle - np.pi) > STRAIGHT or other != name:
            found.append(Corner(stop, angle, (other, name), start))
    return tuple(found)


def _oriented(piece: Stretch) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Start, end and tangents there, in the direction that has the inside on its left."""
    u = np.array([0.0, 0.5, 1.0])
    points, speeds = piece.points(u), piece.speeds(u)
    n = piece.sheet.normals(points[1:2], piece.time)[0]
    if speeds[1] @ np.array([-n[1], n[0]]) > 0:
        return points[0], points[2], speeds[0], speeds[2]
    return points[2], points[0], -speeds[2], -speeds[0]
