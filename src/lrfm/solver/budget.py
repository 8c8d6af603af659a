# SPDX-License-Identifier: MIT
"""Limits of a solve, and who looks at the clock."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field


class OutOfTime(Exception):
    """The clock has run out in the middle of a computation that can be done without."""


@dataclass(frozen=True)
class Budget:
    """Limits of a solve: features over all fields, seconds."""

    features: int = 4000
    seconds: float = math.inf
    began: float = field(default_factory=time.perf_counter)

    @property
    def spent(self) -> float:
        """Seconds since the solve began."""
        return time.perf_counter() - self.began

    @property
    def left(self) -> float:
        """Seconds until no further solve is begun."""
        return self.seconds - self.spent

    @property
    def overdrawn(self) -> bool:
        """Whether it is time to do without what is only useful: twice the limit has passed."""
        return self.left < -self.seconds

    def in_time(self) -> bool:
        """Whether something more may be begun."""
        return self.left > 0

    def spell(self, limit: str) -> str:
        """``max_seconds=60``: a limit as the user gave it."""
        return f"{limit}={self.seconds if limit == 'max_seconds' else self.features:g}"


@dataclass(frozen=True)
class Watch:
    """Looks at the clock between steps, and breaks off what can be done without.

    `expendable`: there is an answer already, so nothing new is worth more than the limit. `optional`: a second draw, which is worth
    up to twice the limit, since without it nothing can be claimed.
    """

    budget: Budget
    expendable: bool = False
    optional: bool = False

    def check(self) -> None:
        """Raise `OutOfTime` when it is time to stop."""
        late = self.expendable and not self.budget.in_time()
        if late or (self.optional and self.budget.overdrawn):
            raise OutOfTime
