# SPDX-License-Identifier: MIT
"""Rules in space that need no more than φ and whether a point is inside: rays along an axis.

    ∫_Ω f = ∫∫ dA Σ ∫ f dz,     ∫_Γ f ds = Σ_axes ∫∫ dA Σ_roots f |n_axis|     (since n_x² + n_y² + n_z² = 1)

Where rays touch a surface both are of low order: they are for points and their normals, not for integrals to many digits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lrfm.problem.shapes.gauss import gauss
from lrfm.problem.shapes.kinds import Bounds
from lrfm.problem.shapes.levels import Level
from lrfm.problem.shapes.protocol import Rule

ALONG = 160  # points along a ray at which inside is asked


def rays(
    inside: Callable[[np.ndarray], np.ndarray], box: Bounds, n: int, rng: np.random.Generator | None
) -> Rule:
    """About n points inside, on rays along the last axis."""
    base, area = _base(box, 2, max(4, round(1.4 * n ** (1 / 3))), rng)
    start, end = _crossings(inside, base, box, 2)
    spans = [(i, a, b) for i, a, b in zip(start[0], start[1], end[1], strict=True)]
    lengths = np.array([b - a for _, a, b in spans])
    if not len(lengths):
        return Rule(np.zeros((0, 3)), np.zeros(0))
    spacing, points, weights = float(lengths.sum()) / n, [], []
    for i, a, b in spans:
        x, w = gauss(max(1, round((b - a) / spacing)))
        points.append(np.column_stack([np.repeat(base[i][None], len(x), axis=0), a + (b - a) * x]))
        weights.append(area[i] * (b - a) * w)
    return Rule(np.vstack(points), np.concatenate(weights))


def _base(
    box: Bounds, axis: int, count: int, rng: np.random.Generator | None
) -> tuple[np.ndarray, np.ndarray]:
    """Cells of the two other axes, their middles shifted by `rng`: (points, areas)."""
    others = [i for i in range(3) if i != axis]
    low, size = box[0][others], (box[1] - box[0])[others]
    shift = np.full(2, 0.5) if rng is None else rng.random(2)
    counts = np.maximum(2, np.round(count * size / np.sqrt(np.prod(size)))).astype(int)
    grids = [a + s * (np.arange(k) + o) / k for a, s, k, o in zip(low, size, counts, shift, strict=True)]
    base = np.column_stack([g.ravel() for g in np.meshgrid(*grids, indexing="ij")])
    return base, np.full(len(base), np.prod(size) / np.prod(counts))


def _crossings(
    inside: Callable[[np.ndarray], np.ndarray], base: np.ndarray, box: Bounds, axis: int
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """(ray, place) where rays enter, and where they leave."""
    margin = 0.01 * (box[1][axis] - box[0][axis])
    z = np.linspace(box[0][axis] - margin, box[1][axis] + margin, ALONG)
    told = inside(_on(np.repeat(base, ALONG, axis=0), np.tile(z, len(base)), axis)).reshape(-1, ALONG)
    ray, at = np.nonzero(told[:, 1:] != told[:, :-1])
    first, low, high = told[ray, at], z[at].copy(), z[at + 1].copy()
    for _ in range(48 if len(ray) else 0):
        middle = 0.5 * (low + high)
        same = inside(_on(base[ray], middle, axis)) == first
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    place = 0.5 * (low + high)
    return (ray[~first], place[~first]), (ray[first], place[first])


def _on(base: np.ndarray, along: np.ndarray, axis: int) -> np.ndarray:
    return np.insert(base, axis, along, axis=1)


def sheet_points(level: Level, t: float | None, box: Bounds, n: int, rng: np.random.Generator | None) -> Rule:
    """About n points of {φ = 0} in a box, from rays along all three axes."""
    points, weights = [], []
    inside = lambda p: level.values(p, t) < 0  # noqa: E731
    for axis in range(3):
        base, area = _base(box, axis, max(4, round(np.sqrt(n / 2))), rng)
        for ray, place in _crossings(inside, base, box, axis):
            found = _on(base[ray], place, axis)
            points.append(found)
            weights.append(area[ray] * np.abs(level.normals(found, t)[:, axis]))
    keep = np.concatenate(weights) > 0
    return Rule(np.vstack(points)[keep], np.concatenate(weights)[keep])
