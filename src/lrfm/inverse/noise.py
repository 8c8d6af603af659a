# SPDX-License-Identifier: MIT
"""The noise of data: σ as it was given, or found from the misfit of each set and column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lrfm.inverse.observe import Observed
from lrfm.inverse.search import Task


@dataclass(frozen=True)
class Groups:
    """Data by column and set: each with σ given, or to be found."""

    slices: list[slice]
    known: list[bool]
    columns: list[str]

    @staticmethod
    def of(observed: Sequence[Observed]) -> Groups:
        ends = np.cumsum([0, *(len(o.values) for o in observed)])
        slices = [slice(int(a), int(b)) for a, b in pairwise(ends)]
        return Groups(slices, [o.sigma is not None for o in observed], [o.column for o in observed])

    def first(self, observed: Sequence[Observed]) -> np.ndarray:
        """σ to begin with: as given, or the spread of the values."""
        found = [
            o.sigma
            if o.sigma is not None
            else np.full(
                len(o.values), max(float(np.std(o.values)), 1e-3 * float(np.max(np.abs(o.values))), 1e-300)
            )
            for o in observed
        ]
        return np.concatenate(found)

    def again(self, task: Task, h: np.ndarray, used: float) -> np.ndarray:
        """σ from the misfit of each group; `used` is the number of unknowns that the data have paid for."""
        sigma, gap = task.sigma.copy(), task.data - h
        for place, known in zip(self.slices, self.known, strict=True):
            if not known:
                count = place.stop - place.start
                part = gap[place]
                free = max(count - used * count / len(gap), 1.0)
                spread = (
                    1.4826 * np.median(np.abs(part))
                    if task.loss.robust
                    else math.sqrt(float(part @ part) / free)
                )
                sigma[place] = max(spread, 1e-12 * float(np.max(np.abs(task.data[place]))), 1e-300)
        return sigma
