# SPDX-License-Identifier: MIT
"""What a tolerance means for the parts of a run; every constant of the automatic choice that is not local to one file."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Numbers that follow from the tolerance and the order of the equations."""

    tol: float
    time_tol: float
    stages: int
    cut: float
    most: int = 700  # features along one axis
    seconds: float = 600.0

    @property
    def density(self) -> float:
        """Features per length of the scale: 0.8 (1.5 + 0.55 digits)."""
        return 0.8 * (1.5 - 0.55 * log10(self.tol))

    def count(self, lengths: float, least: int = 30) -> int:
        """How many features a scale with N lengths takes."""
        return int(min(self.most, max(least, self.density * lengths + 10)))

    @property
    def most_lengths(self) -> float:
        """The largest N that the largest number of features can serve."""
        return (self.most - 10) / self.density

    @property
    def derivative_tol(self) -> float:
        """How well derivatives are to be met, each relative to its own size."""
        return 10 * self.tol


def rules_for(tol: float, order: int, dimension: int, witness: bool = False, seconds: float = 600.0) -> Rules:
    """The rules of a draw; the witness, a second draw, has one stage less and shorter steps."""
    stages = (7 if tol < 1e-10 else 5) - witness
    # High derivatives amplify the rounding that a small cut lets in.
    cut = 1e-14 if order <= 2 and tol < 1e-9 else 1e-12
    return Rules(
        tol=tol,
        time_tol=(0.03 if witness else 0.1) * tol,
        stages=stages,
        cut=cut,
        most=700 if dimension == 1 else 160 if dimension == 2 else 60,
        seconds=seconds,
    )
