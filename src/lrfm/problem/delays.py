# SPDX-License-Identifier: MIT
"""Values of unknowns in the past, u(t − τ), in ordinary equations.

Where they occur they are given: at t ≤ t₀ the initial value, later the solution itself, as far as it is known. Who integrates says which that is
(`Past.during`); without it nothing is known of the past, and rows with delays are refused rather than evaluated with something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from lrfm.problem.errors import ProblemError
from lrfm.problem.expression import Value
from lrfm.problem.jets import GivenSymbol

History = Callable[[str, np.ndarray], np.ndarray]  # of a field at some times
MOST = 8  # different delays of one statement
FORWARD = "Equations with delays are integrated forward by `lrfm.solve` alone: fits, modes, sensitivities, residuals and other engines do not know their past."


@dataclass(eq=False)
class Past:
    """The delays of one statement, and what is known of its past at present."""

    delays: set[float] = field(default_factory=set)
    number: int = field(default_factory=count().__next__)  # symbols of two statements are not the same
    _history: History | None = field(default=None, repr=False)

    @contextmanager
    def during(self, history: History) -> Iterator[None]:
        """Rows see this past."""
        before, self._history = self._history, history
        try:
            yield
        finally:
            self._history = before

    def value(self, fields: tuple[str, ...], delay: float, what: str) -> Value:
        """u(t − τ) in a formula."""
        if not delay > 0:
            raise ProblemError(
                f"{what}: the delay {delay:g} in `{fields[0].partition('.')[0]}(t - ...)` is not positive; what is to come is not known."
            )
        self.delays.add(delay)
        if len(self.delays) > MOST:
            raise ProblemError(f"{what}: there are more than {MOST} different delays.")
        return Value(*(DelayedSymbol(self, name, delay) for name in fields))

    def at(self, name: str, times: np.ndarray) -> np.ndarray:
        """A field at times of the past."""
        if self._history is None:
            raise ProblemError(FORWARD)
        return self._history(name, times)


class DelayedSymbol(GivenSymbol):
    """A field at t − τ."""

    __slots__ = ("delay", "field", "past")

    def __init__(self, past: Past, name: str, delay: float):
        self.past, self.field, self.delay = past, name, delay
        super().__init__(
            name, f"{past.number}({delay!r})", lambda points: past.at(name, points[:, -1] - delay)
        )

    def depends(self, coordinates) -> frozenset[str]:
        """Time alone."""
        return frozenset(("t",))

    def __reduce__(self) -> tuple:
        return DelayedSymbol, (self.past, self.field, self.delay)
