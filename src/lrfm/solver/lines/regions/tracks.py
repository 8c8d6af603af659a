# SPDX-License-Identifier: MIT
"""Bases of one kind of functions that grow, and what two of them say about the next.

away = ‖end of the steps on one basis − on the one before‖;   what is left after the last one: away · away/away before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lrfm.solver.lines.regions.features import Draught, Extras
from lrfm.solver.lines.regions.pilot import Pilot
from lrfm.solver.lines.regions.system import RegionSystem
from lrfm.spaces.regions.basis import RegionBasis

FALLS = 0.5  # misfit relative to that of a smaller basis; one that falls less is of data that conditions contradict
LEFT = 0.25  # of all functions that are to be left to the equations before a kind with layers is judged
SAFE = 2.0  # times what is left of residuals
FIRST = 0.3  # by how much a first enlargement is taken to lower the error


@dataclass(frozen=True)
class Found:
    """A basis that was tried."""

    draught: Draught
    basis: RegionBasis | None
    system: RegionSystem | None
    pilot: Pilot
    trouble: str = ""


class Track:
    """Bases with the same kinds of functions, growing."""

    def __init__(self, extras: Extras) -> None:
        self.extras = extras
        self.last: Found | None = None
        self._away, self._expected, self._falls = np.inf, np.inf, True
        self.passed_on = 1.0
        self.settled = False  # whether the last one has the slopes of the one before

    def add(self, found: Found) -> None:
        """The next one: how far its steps end from those of the one before, and what is left after it."""
        if self.last is not None:
            self.settled = found.draught.slope == self.last.draught.slope
            away = found.pilot.away(self.last.pilot)
            # The ends of the last pilot were wrong by this much, and its residual added that much.
            self.passed_on = min(1.0, SAFE * away / max(self.last.pilot.residual, 1e-300))
            self._expected = away * (min(1.0, away / self._away) if np.isfinite(self._away) else FIRST)
            self._away = away
            # A misfit that does not fall is one of the data, not of the basis.
            self._falls = found.pilot.misfit <= FALLS * self.last.pilot.misfit
        self.last = found

    @property
    def score(self) -> float:
        return np.inf if self.last is None else self.last.pilot.score

    @property
    def rank(self) -> float:
        """What is compared where layers open at the start: they leave a residual in every basis, and those that hold them the largest."""
        return np.inf if self.begins else self._away

    @property
    def begins(self) -> bool:
        """Whether it is too small to hold all that its kind is made of, beside what the conditions take."""
        if self.last is None:
            return False
        basis, walls = self.last.basis, bool(self.last.draught.extras.walls)
        if basis is None:
            return walls or not self.last.draught.complete
        left = min((split.free.shape[1] for split in basis.splits), default=basis.size)
        return (walls and left < LEFT * basis.size) or not self.last.draught.complete

    def done(self, tol: float) -> bool:
        """Whether a larger basis is not needed."""
        if self.last is None or not np.isfinite(self._expected):
            return False
        return self._expected <= 0.2 * tol and (self.last.pilot.misfit <= 0.3 * tol or not self._falls)
