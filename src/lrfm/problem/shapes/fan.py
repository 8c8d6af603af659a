# SPDX-License-Identifier: MIT
"""A rule inside a star: rays from a center c to the boundary γ,  x = c + s (γ(u) − c),

    ∫_Ω f = ∫₀¹ s ds ∫ f |(γ − c) × γ′| du.

Where the boundary is one smooth closed curve, equidistant angles are the best; where it has corners, Gauss on each smooth piece.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.problem.shapes.gauss import gauss, panels, shares
from lrfm.problem.shapes.pieces import Stretch, length
from lrfm.problem.shapes.protocol import Rule

SLOPE = 0.15  # sine of the least angle between a ray and the boundary
LOOKED = 65  # points of a stretch at which that is looked at
ROUND = 1e-5  # radians by which tangents may differ where stretches continue smoothly


def center_of(pieces: Sequence[Stretch]) -> np.ndarray | None:
    """A point from which the whole boundary is seen at no flat angle, its center of mass; None where there is none."""
    u, w = gauss(24)
    area, moment = 0.0, np.zeros(2)
    for piece in pieces:
        p, v, sign = piece.points(u), piece.speeds(u), _sense(piece)
        cross = sign * (p[:, 0] * v[:, 1] - p[:, 1] * v[:, 0])
        area += 0.5 * float(w @ cross)
        moment += (w * cross) @ p / 3.0
    if not area > 0:
        return None
    center, joints = moment / area, _joints(pieces)
    # A curve with corners that is a chain of many stretches would have too few nodes on each.
    good = all(joints) or not any(joints)
    return center if good and sees(pieces, center) else None


def sees(pieces: Sequence[Stretch], center: np.ndarray) -> bool:
    """Whether rays from a point meet the boundary once each, from inside, and not too flat."""
    u, turned = np.linspace(0.0, 1.0, LOOKED), 0.0
    for piece in pieces:
        r, v = piece.points(u) - center, _sense(piece) * piece.speeds(u)
        cross = r[:, 0] * v[:, 1] - r[:, 1] * v[:, 0]
        if np.any(cross <= SLOPE * np.linalg.norm(r, axis=1) * np.linalg.norm(v, axis=1)):
            return False
        turned += abs(float(np.ptp(np.unwrap(np.arctan2(r[:, 1], r[:, 0])))))
    return abs(turned - 2 * np.pi) < 0.01  # more than once around: there are holes


def _sense(piece: Stretch) -> float:
    """1 where the inside is on the left of the curve."""
    half = np.array([0.5])
    n, v = piece.sheet.normals(piece.points(half), piece.time)[0], piece.speeds(half)[0]
    return 1.0 if v[1] * n[0] - v[0] * n[1] > 0 else -1.0


def fan(pieces: Sequence[Stretch], center: np.ndarray, n: int, rng: np.random.Generator | None) -> Rule:
    """About n points inside; with `rng` angles and panels are others in every draw."""
    around = float(sum(length(piece) for piece in pieces))
    u, w = gauss(16)
    reach = np.mean([np.linalg.norm(p.points(u) - center, axis=1).mean() for p in pieces])
    radii = max(3, round(float(np.sqrt(n * np.pi / 2 * reach / around))))
    rim, cross = _rim(pieces, center, max(6, round(n / radii)), rng)
    s, w = gauss(radii)
    points = center + s[:, None, None] * (rim - center)
    return Rule(points.reshape(-1, 2), np.outer(w * s, cross).ravel())


def _rim(
    pieces: Sequence[Stretch], center: np.ndarray, n: int, rng: np.random.Generator | None
) -> tuple[np.ndarray, np.ndarray]:
    """Points of the boundary and weights ∫ |(γ − c) × γ′| du."""
    if all(_joints(pieces)):
        return _by_angle(pieces, center, n, rng)
    counts = shares(n, np.array([length(piece) for piece in pieces]), 4)
    points, weights = [], []
    for piece, count in zip(pieces, counts, strict=True):
        u, w = gauss(count) if rng is None else panels(count, rng.uniform(0.4, 0.6))
        p, v = piece.points(u), piece.speeds(u)
        points.append(p)
        weights.append(w * np.abs((p - center)[:, 0] * v[:, 1] - (p - center)[:, 1] * v[:, 0]))
    return np.vstack(points), np.concatenate(weights)


def _joints(pieces: Sequence[Stretch]) -> list[bool]:
    """For the end of every stretch, whether another one goes on in its direction."""
    ends = np.array([0.0, 1.0])
    tips = [(piece.points(ends), _sense(piece) * piece.speeds(ends), _sense(piece)) for piece in pieces]
    starts = np.array([p[0] if sense > 0 else p[1] for p, _, sense in tips])
    leaving = np.array([v[0] if sense > 0 else v[1] for _, v, sense in tips])
    found = []
    for p, v, sense in tips:
        stop, arriving = (p[1], v[1]) if sense > 0 else (p[0], v[0])
        k = int(np.argmin(np.linalg.norm(starts - stop, axis=1)))
        cross = arriving[0] * leaving[k, 1] - arriving[1] * leaving[k, 0]
        found.append(bool(abs(np.arctan2(cross, arriving @ leaving[k])) <= ROUND))
    return found


def _by_angle(
    pieces: Sequence[Stretch], center: np.ndarray, n: int, rng: np.random.Generator | None
) -> tuple[np.ndarray, np.ndarray]:
    """Equidistant angles θ: ½ r² dθ is the area seen from the center, so the weight is r²."""
    wanted = 2 * np.pi * (np.arange(n) + (0.5 if rng is None else rng.random())) / n
    rim, found = np.empty((n, 2)), np.zeros(n, dtype=bool)
    for piece in pieces:
        first, last = _angles(piece, center)
        low = min(first, last)
        # The angle at which this stretch is met, counted from where it begins.
        theta = low + (wanted - low) % (2 * np.pi)
        mine = np.flatnonzero((theta <= max(first, last)) & ~found)
        rim[mine] = _at_angles(piece, center, theta[mine], first, last)
        found[mine] = True
    radius = np.linalg.norm(rim - center, axis=1)
    return rim[found], (2 * np.pi / n) * radius[found] ** 2


def _angles(piece: Stretch, center: np.ndarray) -> tuple[float, float]:
    r = piece.points(np.linspace(0.0, 1.0, LOOKED)) - center
    angle = np.unwrap(np.arctan2(r[:, 1], r[:, 0]))
    return float(angle[0]), float(angle[-1])


def _at_angles(
    piece: Stretch, center: np.ndarray, theta: np.ndarray, first: float, last: float
) -> np.ndarray:
    """Where rays of given angles meet a stretch: Newton's method, kept between bounds that only close in."""
    direction = np.column_stack([np.cos(theta), np.sin(theta)])
    low, high = np.zeros(len(theta)), np.ones(len(theta))
    u = np.clip((theta - first) / (last - first), 0.0, 1.0)
    for _ in range(60 if len(theta) else 0):
        r, v = piece.points(u) - center, piece.speeds(u)
        gap = direction[:, 0] * r[:, 1] - direction[:, 1] * r[:, 0]  # |r| sin of the angle that is missing
        slope = direction[:, 0] * v[:, 1] - direction[:, 1] * v[:, 0]
        above = (gap > 0) == (last > first)
        low, high = np.where(above, low, u), np.where(above, u, high)
        with np.errstate(all="ignore"):
            new = u - gap / slope
        new = np.where((new >= low) & (new <= high), new, 0.5 * (low + high))
        moved, u = np.max(np.abs(new - u)), new
        if moved < 1e-15:
            break
    return piece.points(u)
