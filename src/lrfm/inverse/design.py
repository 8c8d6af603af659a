# SPDX-License-Identifier: MIT
"""Where to measure next: the places whose values shrink the intervals most, one after the other.

A value with slopes g and error σ takes C to C − C g gᵀ C / (σ² + gᵀ C g): the candidate with the smallest Σ_j C_jj / C⁰_jj is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lrfm.inverse.fit import Fit


@dataclass(frozen=True)
class Design:
    """Places and times by coordinate, in the order of their worth, and by which factor each interval would shrink."""

    places: dict[str, np.ndarray]
    shrink: dict[str, float]

    def __len__(self) -> int:
        return len(next(iter(self.places.values())))


def where_next(fit: Fit, n: int, column: str, sigma: float | None, candidates: int) -> Design:
    """n places among random candidates; `sigma` is the error of the new values, that of the old ones if left out."""
    if n < 1 or candidates < n:
        raise ValueError(
            f"`where_next({n})` among {candidates} candidates; ask for at least one place, and for no more than there are."
        )
    problem = fit.solution.problem
    bounds = np.array([*problem.domain.axes.values(), problem.time])
    # Halton's points: even, and the same in every run.
    unit = np.column_stack([_halton(candidates, base) for base in (2, 3, 5, 7, 11, 13)[: len(bounds)]])
    points = bounds[:, 0] + (bounds[:, 1] - bounds[:, 0]) * unit
    for i, name in enumerate((*problem.domain.names, "t")):
        points[:, i] = problem.absent.get(name, points[:, i])
    _, slopes = fit.seen(column, points)
    spread = float(np.median(fit.task.sigma)) if sigma is None else float(sigma)
    c = fit.full_covariance.copy()
    before = np.maximum(np.diag(c), 1e-300).copy()
    chosen: list[int] = []
    for _ in range(n):
        carried = slopes @ c  # (candidates, unknowns)
        variance = spread**2 + np.sum(carried * slopes, axis=1)
        left = np.sum((np.diag(c) - carried**2 / variance[:, None]) / before, axis=1)
        left[chosen] = np.inf
        best = int(np.argmin(left))
        chosen.append(best)
        c = c - np.outer(carried[best], carried[best]) / variance[best]
    names = (*problem.domain.names, "t")
    shrink = np.sqrt(np.diag(c) / before)
    return Design(
        {name: points[chosen, i] for i, name in enumerate(names) if name not in problem.absent},
        {name: float(shrink[i]) for i, name in enumerate(fit.vector.numbers)},
    )


def _halton(count: int, base: int) -> np.ndarray:
    """Van der Corput's sequence in a base, with the ends of the axis as its first two."""
    found = np.zeros(count)
    for i in range(count):
        f, k = 1.0, i
        while k > 0:
            f /= base
            found[i] += f * (k % base)
            k //= base
    found[1::17] = 1.0
    return found
