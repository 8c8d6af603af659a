# SPDX-License-Identifier: MIT
"""Domains on a line: intervals between zeros of formulas."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.problem.shapes.gauss import gauss, shares
from lrfm.problem.shapes.kinds import Bounds
from lrfm.problem.shapes.pieces import Sheet, on_boundary
from lrfm.problem.shapes.protocol import Rule
from lrfm.problem.shapes.tree import Tree

SAMPLES = 4000


def ends(tree: Tree, sheets: Sequence[Sheet], which: Sheet, t: float | None, box: Bounds) -> np.ndarray:
    """The zeros of a sheet's φ that are ends of the domain, (m, 1)."""
    size = float(box[1][0] - box[0][0])
    x = np.linspace(box[0][0] - 0.0137 * size, box[1][0] + 0.0119 * size, SAMPLES)[:, None]
    inside = which.level.values(x, t) < 0
    change = np.flatnonzero(inside[1:] != inside[:-1])
    low, high, first = x[change], x[change + 1], inside[change]
    for _ in range(60 if len(change) else 0):
        middle = 0.5 * (low + high)
        same = (which.level.values(middle, t) < 0) == first
        low, high = np.where(same[:, None], middle, low), np.where(same[:, None], high, middle)
    found = 0.5 * (low + high)
    return found[on_boundary(tree, sheets, which, found, t, size)] if len(found) else found


def intervals(points: np.ndarray, n: int, rng: np.random.Generator | None) -> Rule:
    """Gauss on the intervals between ends in order, in two panels each where there is a `rng`."""
    edges = np.sort(points.ravel())
    spans = list(zip(edges[::2], edges[1::2], strict=True))
    if rng is not None:
        cut = rng.uniform(0.35, 0.65)
        spans = [part for a, b in spans for m in [a + cut * (b - a)] for part in ((a, m), (m, b))]
    counts = shares(n, np.array([b - a for a, b in spans]), 3)
    rules = [(a, b, *gauss(k)) for (a, b), k in zip(spans, counts, strict=True)]
    return Rule(
        np.concatenate([a + (b - a) * x for a, b, x, _ in rules])[:, None],
        np.concatenate([(b - a) * w for a, b, _, w in rules]),
    )
