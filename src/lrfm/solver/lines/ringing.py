# SPDX-License-Identifier: MIT
"""Whether a step that no basis holds is to be shortened, and what shortening has brought so far.

A step asks for what is born within it, and a shorter one asks for less. Not so for a kink that travels, nor where layers are thinner the
earlier they are looked at: there a shorter step leaves the residual as it is, and time is better spent on functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrfm.solver.lines.state import Residual, Step

RINGING = 0.03  # residual, relative to its terms, from which a step shows nothing of the solution
NOTICED = 10.0  # tolerances that it adds to the solution
LOWERED = 0.7  # residual of a shortened step, relative to that before, from which shortening brought nothing,
ALIKE = 2.0  # and how much larger another one has to be before it is tried again
SHORTEST = 1e-7  # least step, in parts of the whole time, to which such steps are shortened
STILL = 12  # steps that show nothing of the solution after which a march stands still
FELL = 0.3  # residual of the last of them, relative to the largest, from which on it falls
GROWN = 10.0  # if they have grown by less than this
HOPELESS = 1e-6  # and are shorter than this part of what is left


@dataclass
class Ringing:
    """The residual of the step that was shortened last, until one is kept, and the largest one that shortening did not lower."""

    before: float = np.inf
    futile: float = 0.0

    def shortens(self, found: Residual, added: float, share: float) -> bool:
        """Whether a step of this residual is shortened, which adds so many tolerances and takes a share of the whole time."""
        if found.relative > LOWERED * self.before:
            self.futile = max(self.futile, found.relative)
        if found.relative <= max(RINGING, ALIKE * self.futile) or added <= NOTICED or share <= SHORTEST:
            return False
        self.before = found.relative
        return True

    def kept(self) -> None:
        """A step was kept: the next one stands for itself."""
        self.before = np.inf

    def held(self) -> None:
        """A basis holds the solution: what was in vain before may help again."""
        self.futile = 0.0


def stands_still(steps: Sequence[Any], share: float) -> bool:
    """Whether steps that show nothing of the solution stay as short as they are, a share of what is left of which millions would be needed."""
    last = steps[-STILL:]
    if share > HOPELESS or len(last) < STILL or last[-1].length > GROWN * min(step.length for step in last):
        return False
    # A layer that opens is resolved better and better.
    found = [step.residual.relative for step in last]
    return (
        all(isinstance(step, Step) for step in last)
        and min(found) > RINGING
        and found[-1] > FELL * max(found)
    )
