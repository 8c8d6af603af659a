# SPDX-License-Identifier: MIT
"""Checks of closed lines: finite, long enough, without crossing themselves; their sense."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.problem.errors import ProblemError, shown

MOST = 2000  # vertices of one polygon


def check_ring(what: str, vertices: object) -> np.ndarray:
    """Vertices as an array (n, 2), or what is wrong with them."""
    try:
        ring = np.asarray(vertices, dtype=float)
    except (TypeError, ValueError, OverflowError):
        ring = np.zeros((0, 2))
    if ring.ndim != 2 or ring.shape[1] != 2 or len(ring) < 3 or not np.all(np.isfinite(ring)):
        raise ProblemError(
            f"{what} was given as {shown(vertices)}; expected at least three vertices (x, y) of finite numbers."
        )
    if len(ring) > MOST:
        raise ProblemError(f"{what} has {len(ring)} vertices; the limit is {MOST}. Simplify it first.")
    if np.array_equal(ring[0], ring[-1]):
        ring = ring[:-1]
    sides = np.linalg.norm(np.roll(ring, -1, axis=0) - ring, axis=1)
    if sides.min() <= 1e-12 * sides.max():
        k = int(np.argmin(sides))
        raise ProblemError(
            f"{what} has a side of no length, from vertex {k + 1} to {(k + 1) % len(ring) + 1}; leave one of them out."
        )
    _refuse_crossing(what, ring)
    return ring


def _refuse_crossing(what: str, ring: np.ndarray) -> None:
    n, after = len(ring), np.roll(ring, -1, axis=0)
    for i in range(n):
        a, b = ring[i], after[i]
        others = [j for j in range(i + 1, n) if (j + 1) % n != i and j != i + 1]
        if not others:
            continue
        c, d = ring[others], after[others]
        crossed = (_side(a, b, c) * _side(a, b, d) <= 0) & (_side(c, d, a) * _side(c, d, b) <= 0)
        # Sides of one line cross only where they overlap.
        flat = (_side(a, b, c) == 0) & (_side(a, b, d) == 0)
        ends = np.stack([(c - a) @ (b - a), (d - a) @ (b - a)]) / float((b - a) @ (b - a))
        crossed &= ~flat | ((ends.min(axis=0) < 1) & (ends.max(axis=0) > 0))
        if crossed.any():
            j = others[int(np.argmax(crossed))]
            raise ProblemError(
                f"{what} crosses itself: its sides {i + 1} and {j + 1} meet. Order its vertices along the boundary."
            )
    if abs(_area(ring)) <= 1e-12 * float(np.prod(np.ptp(ring, axis=0) + 1e-300)):
        raise ProblemError(f"{what} has no area; its vertices lie on one line.")


def _side(a: np.ndarray, b: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Which side of the line from a to b a point is on."""
    d, e = b - a, p - a
    return d[..., 0] * e[..., 1] - d[..., 1] * e[..., 0]


def _area(ring: np.ndarray) -> float:
    x, y = ring.T
    return float(0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def oriented(ring: np.ndarray, names: Sequence[str], positive: bool) -> tuple[np.ndarray, list[str]]:
    """The same line in the wanted sense, with the names of its sides in the new order."""
    if (_area(ring) > 0) == positive:
        return ring, list(names)
    # Side k runs from vertex k to k + 1; backwards the sides come in the opposite order, the last one last.
    return ring[::-1], [*list(names[:-1])[::-1], names[-1]]


def inside_of(outer: np.ndarray, hole: np.ndarray, what: str) -> None:
    """Refuse a hole that is not inside."""
    after = np.roll(outer, -1, axis=0)
    for p, q in zip(hole, np.roll(hole, -1, axis=0), strict=True):
        spans = (outer[:, 1] > p[1]) != (after[:, 1] > p[1])
        with np.errstate(all="ignore"):
            at = outer[:, 0] + (p[1] - outer[:, 1]) * (after - outer)[:, 0] / (after - outer)[:, 1]
        crossed = (_side(outer, after, p) * _side(outer, after, q) <= 0) & (
            _side(p, q, outer) * _side(p, q, after) <= 0
        )
        if np.count_nonzero(spans & (p[0] < at)) % 2 == 0 or crossed.any():
            raise ProblemError(f"{what} is not inside the polygon; it would have to be, as a whole.")
