# SPDX-License-Identifier: MIT
"""How well the functions of an axis hold others, on fresh points:  ‖v − P v‖ / ‖v‖,  for v and its derivatives; and where they do not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lrfm.solver.lines.samples import Cuts
from lrfm.spaces.axes.axis import AxisBasis


@dataclass(frozen=True)
class Fit:
    """How well a basis holds some functions: relative misfit by (component, derivative), and its profile along the axis."""

    values: dict[tuple[int, int], float]
    profile: np.ndarray

    @property
    def plain(self) -> float:
        """The largest misfit of a function itself."""
        return max((v for (_, order), v in self.values.items() if order == 0), default=0.0)


def fitted(basis: AxisBasis, cuts: Cuts) -> Fit:
    """How well an axis holds the cuts through some functions, on fresh points."""
    x, weights = basis.fresh
    coefficients = basis.projection @ cuts.values(basis.points)
    tables = basis.on_fresh(len(cuts.derivatives))
    found: dict[tuple[int, int], float] = {}
    profile = np.zeros(len(x))
    plain: dict[int, float] = {}
    for order, function in enumerate((cuts.values, *cuts.derivatives)):
        v = function(x)
        gap = v - tables[order] @ coefficients
        for c in np.unique(cuts.owners):
            mine = cuts.owners == c
            size = np.sqrt(weights @ np.sum(v[:, mine] ** 2, axis=1))
            plain.setdefault(c, float(size))
            if size > 1e-9 * plain[c] and size > 0:
                found[int(c), order] = float(np.sqrt(weights @ np.sum(gap[:, mine] ** 2, axis=1)) / size)
            if order == 0:
                largest = max(np.max(np.abs(v[:, mine])), 1e-300)
                profile = np.maximum(profile, np.max(np.abs(gap[:, mine]), axis=1) / largest)
    return Fit(found, profile)


def peaks(profile: np.ndarray) -> list[int]:
    """Where a profile is largest, and where it is at least half as large far from there: data may miss two walls alike."""
    first = int(np.argmax(profile))
    far = np.abs(np.arange(len(profile)) - first) > len(profile) // 4
    second = int(np.argmax(np.where(far, profile, 0.0)))
    return [first, second] if profile[second] > 0.5 * profile[first] else [first]


def outermost(basis: AxisBasis, place: int) -> float:
    """A fresh point, or the wall that it is the nearest one to: what is missing there is missing at the wall."""
    x, axis = basis.fresh[0], basis.chart.axis
    if not axis.periodic and place in (0, len(x) - 1):
        return axis.lower if x[place] - axis.lower < axis.upper - x[place] else axis.upper
    return float(x[place])
