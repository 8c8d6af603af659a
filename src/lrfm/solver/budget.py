# SPDX-License-Identifier: MIT
"""Limits of a solve, and who looks at the clock."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from lrfm.linalg.processes import agreed

GRACE = 0.05  # part of the limit by which what is under way may exceed it,
LAST = 0.12  # and the estimate, without which two integrations were for nothing

LEAST = 1.0  # seconds that another method is given, whatever is left
SHORTEST = 0.5  # seconds in which nothing is broken off: modules are loaded in them


class OutOfTime(Exception):
    """The clock has run out in the middle of a computation."""


def now() -> float:
    """Seconds by the clock that limits are counted with: the wall's. Tests count processor time, which others on the machine do not use up."""
    return time.perf_counter()


@dataclass(frozen=True)
class Budget:
    """Limits of a solve: features over all fields, seconds."""

    features: int = 4000
    seconds: float = math.inf
    began: float = field(default_factory=lambda: now())  # looked up when it is called
    given: float | None = None  # the limit as the user gave it, where `seconds` are what is left of it

    @property
    def spent(self) -> float:
        """Seconds since the solve began, by the clock of the first process where several share it."""
        return agreed(now() - self.began)

    @property
    def left(self) -> float:
        """Seconds until no further solve is begun."""
        return self.seconds - self.spent

    def stop(self, ahead: float = 0.0) -> None:
        """Raise `OutOfTime` when nothing may go on: what is under way is given a little more than the limit.

        `ahead` are seconds of something that cannot be broken off; it is not begun where it would end too late.
        """
        if self.spent + ahead > max((1 + GRACE) * self.seconds, SHORTEST):
            raise OutOfTime

    def end(self, ahead: float = 0.0) -> None:
        """Raise `OutOfTime` when not even an estimate may go on."""
        if self.spent + ahead > max((1 + LAST) * self.seconds, SHORTEST):
            raise OutOfTime

    def in_time(self) -> bool:
        """Whether something more may be begun."""
        return self.left > 0

    def rest(self) -> Budget:
        """What is left, a second at least, for another way to solve the same; its limit is still called by what was given."""
        left = max(self.left, LEAST) if math.isfinite(self.left) else math.inf
        return Budget(self.features, left, given=self.given or self.seconds)

    def spell(self, limit: str) -> str:
        """``max_seconds=60``: a limit as the user gave it."""
        return f"{limit}={(self.given or self.seconds) if limit == 'max_seconds' else self.features:g}"


@dataclass(frozen=True)
class Watch:
    """Looks at the clock between steps, breaks off what can be done without, and tells how far it is.

    `expendable`: there is an answer already, so nothing new is worth more than the limit. `optional`: a second draw, which is given
    somewhat more, since without it nothing can be claimed. `tell(done, total)` is for engines whose windows take long.
    """

    budget: Budget
    expendable: bool = False
    optional: bool = False
    tell: Callable[[int, int], None] | None = None

    def in_time(self) -> bool:
        """Whether an integration that can be cut short may go on; a second draw is given somewhat more time."""
        return self.budget.left > (-GRACE * self.budget.seconds if self.optional else 0.0)

    def check(self) -> None:
        """Raise `OutOfTime` when it is time to stop."""
        if self.expendable and not self.budget.in_time():
            raise OutOfTime
        self.budget.stop()
