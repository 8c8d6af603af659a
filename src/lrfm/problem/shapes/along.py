# SPDX-License-Identifier: MIT
"""Rules on curves in the plane: ∫_Γ f ds = Σ ∫ f(γ(u)) |γ′(u)| du, by Gauss, or equidistant where γ closes smoothly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.problem.shapes.gauss import gauss, panels, shares
from lrfm.problem.shapes.pieces import Stretch
from lrfm.problem.shapes.protocol import BoundaryRule

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
