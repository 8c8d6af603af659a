# SPDX-License-Identifier: MIT
"""What is tried, one attempt after the other, until the tolerance is met."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from lrfm.solution.solution import Solution
from lrfm.solver.budget import Watch
from lrfm.solver.engine import Engine

DEFAULT_TOL = 1e-6


class Attempt(Protocol):
    """An engine ready to integrate, and in words how it was chosen."""

    @property
    def choice(self) -> object:
        """The settings that were searched for it; None where nothing was."""
        ...

    @property
    def asked(self) -> Mapping[str, Any]:
        """What the search was asked for."""
        ...

    def engine(self, watch: Watch) -> Engine[Any]:
        """The engine of the first draw; `watch` looks at the clock."""
        ...

    def check_memory(self, limit: str | int | None, estimate: bool) -> None:
        """Refuse what does not fit."""
        ...

    def words(self, seconds: float) -> tuple[str, ...]:
        """How it was chosen, after a solve of so many seconds."""
        ...


class Attempts(Protocol):
    """A series of attempts that learns from each of them."""

    @property
    def tol(self) -> float | None:
        """The tolerance that an estimate must reach; None: whatever the size gives."""
        ...

    def __iter__(self) -> Iterator[Attempt]: ...

    def enough(self, solution: Solution) -> bool:
        """Whether nothing better is to be tried."""
        ...

    def learn(self, solution: Solution) -> None:
        """Take note of an attempt that was not enough."""
        ...

    @property
    def stopped(self) -> str:
        """The limit that ended the series before the tolerance was met; empty where none did."""
        ...


def better(new: Solution, old: Solution | None) -> bool:
    """Whether an estimate is smaller, or is one at all."""
    if old is None:
        return True
    ours, theirs = new.report.error_estimate, old.report.error_estimate
    return not math.isnan(ours) and not theirs <= ours
