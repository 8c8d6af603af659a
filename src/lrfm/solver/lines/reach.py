# SPDX-License-Identifier: MIT
"""How large what starts from nothing is going to be:  min(T ‖u_t‖, 0.01 of the largest unknown),  T the time that is left.

A product of a reaction is nothing at first. Measured by itself its rounding would look steep; measured by a hundredth of its parent, what is
made of a ten thousandth of it would be missed altogether. Its rate tells which of the two it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

DRIVEN = 1e-2  # least size of what starts from nothing, relative to the largest field, as long as its rate is not known
ROUNDING = 1e-13  # of the largest field: what counts is large enough for a tolerance of it to be more


@dataclass
class Reach:
    """T ‖y'‖ of every component, as steps have shown it; at first none has."""

    tol: float
    driven: np.ndarray  # which components start from nothing
    firsts: Sequence[int]  # the components that are fields, not rates of them
    together: bool = False  # whether a multiplier, such as a pressure, ties the fields together: then the rate of each has rounding of all
    rates: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @cached_property
    def _some(self) -> bool:
        """Whether any component starts from nothing."""
        return bool(np.any(self.driven))

    @property
    def rounding(self) -> float:
        """The least size, relative to the largest field, of which a tolerance is above rounding."""
        return DRIVEN if self.together else min(DRIVEN, ROUNDING / self.tol)

    def seen(self, rates: np.ndarray, left: float) -> None:
        """Rates (stages, components, R) of a step, with the time that is left from its start."""
        found = left * np.linalg.norm(rates, axis=2).max(axis=0)
        if np.all(np.isfinite(found)):
            self.rates = np.maximum(self.rates, found) if len(self.rates) else found

    def scales(self, sizes: np.ndarray) -> np.ndarray:
        """The size that each component counts with."""
        if not self._some:
            return sizes
        return np.maximum(sizes, self._least(self._largest(sizes)))

    def unseen(self, sizes: np.ndarray) -> np.ndarray:
        """What is rounding of the largest field in one that starts from nothing: it may stay nothing, and be solved for to all digits."""
        return np.where(self.driven, ROUNDING * self._largest(sizes), 0.0)

    def shares(self, sizes: np.ndarray) -> np.ndarray:
        """The least range of each component, relative to the largest one."""
        if not self._some:
            return np.full(len(self.driven), DRIVEN)
        largest = self._largest(sizes)
        return np.where(self.driven & (largest > 0), self._least(largest) / max(largest, 1e-300), DRIVEN)

    def drowned(self, sizes: np.ndarray) -> bool:
        """Whether something that starts from nothing stays so small that terms of others may hide all of its equation."""
        return self._some and bool(np.any(self.driven & (sizes < DRIVEN * self._largest(sizes))))

    def _largest(self, sizes: np.ndarray) -> float:
        return float(sizes[list(self.firsts)].max())

    def _least(self, largest: float) -> np.ndarray:
        known = self.rates if len(self.rates) else np.full(len(self.driven), np.inf)
        return np.where(self.driven, np.clip(known, self.rounding * largest, DRIVEN * largest), 0.0)
