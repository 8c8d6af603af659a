# SPDX-License-Identifier: MIT
"""What is left of a start that contradicts the conditions.

‖e(t)‖ ≈ m (t₁/t)^{3/4},   m = ‖u(t₀) − u₀‖,   t₁ the first step:   what is missing in a corner of width δ = √t₁ at a wall is a dipole of
strength δ², and m = δ^{1/2}. Over the window T that is m √(t₁/T), so that steps may add as much where this is a small part of the tolerance.
Functions that do not hold a corner ripple far from it as well: m² was what remained of a start, m³ is what the corner itself leaves.
Only for equations that damp all short waves: a string keeps its kink.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

CLOSE = 0.3  # misfit of a start that is not asked to be closer, in square roots of the tolerance
SHARE = 0.03  # of the tolerance, which is what steps may add over the window beside what the start has missed
OPENS = 10.0  # misfit of the start, in tolerances, from which on it is a layer and not what functions leave out everywhere
CONTRADICTED = 2.0  # misfit relative to that without conditions from which on these have made it, and any tolerance of it is a layer
DECAY = 0.75
RISEN, FALLEN = (
    3.0,
    10.0,
)  # residuals relative to a floor, and a floor relative to them, that are still the same
AGED = 2.0  # growth of the time since the start after which a floor is no longer believed: layers grow with its square root


@dataclass
class Layer:
    """What is known of a layer: how long the first step was, and which residual no basis lowered, until when that is believed."""

    forgets: bool
    window: tuple[float, float]
    tol: float
    opened: float = 0.0
    floor: float = 0.0
    aged: float = math.inf
    held: float = math.inf  # misfit of the data on the first basis without conditions

    def _least(self, misfit: float) -> float:
        """The misfit from which on there is a layer: a jump that is fitted badly is everywhere, a contradiction at a wall."""
        return self.tol if misfit > CONTRADICTED * self.held else OPENS * self.tol

    def opens(self, misfit: float) -> bool:
        """Whether a layer begins with the next step: data and conditions contradict each other, and short waves are damped."""
        return self.forgets and not self.opened and misfit > self._least(misfit)

    def left(self, misfit: float, time: float) -> float:
        """What a step that ends at a time may add; nothing where waves last."""
        if not self.forgets or misfit <= self._least(misfit):
            return 0.0
        (start, end), passed = self.window, time - self.window[0]
        first = self.opened or passed
        most = min(misfit, SHARE * self.tol * math.sqrt((end - start) / first))
        return most * min(1.0, first / passed) ** DECAY

    def believe(self, floor: float, time: float) -> None:
        """No basis that was tried left less of the equations than this, up to a time; later ones may, where layers grow.

        Nor does a first step from rest, of which all terms are small, show what a basis leaves of later ones.
        """
        self.floor = floor
        start = self.window[0]
        self.aged = start + AGED * (time - start) if self.forgets or not self.opened else math.inf

    def floor_at(self, time: float) -> float:
        """The residual that no basis lowers, as far as it is known for a time."""
        return self.floor if time < self.aged else 0.0

    def explains(self, residual: float, time: float) -> bool:
        """Whether a residual is one that no basis lowers, as far as it is known for a time; one far below it is another one."""
        floor = self.floor_at(time)
        return floor / FALLEN <= residual <= RISEN * floor


def close_enough(tol: float, forgets: bool) -> float | None:
    """The misfit of a start that will not be seen later; None where all of it will."""
    return CLOSE * math.sqrt(tol) if forgets else None
