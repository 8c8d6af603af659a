# SPDX-License-Identifier: MIT
"""Vertices of a boundary in the plane: where stretches meet at an angle other than π, or parts change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.problem.shapes.pieces import Stretch
from lrfm.problem.shapes.protocol import Corner

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
