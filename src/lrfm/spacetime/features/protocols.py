# SPDX-License-Identifier: MIT
"""What a trial space must offer: `TrialSpace` before features are drawn, `SampledSpace` afterwards.

A class of your own that has these methods can be given as `lrfm.SpaceTime(space=...)`; nothing else has to know of it. A sampled space
inherits from `SampledSpace` what follows from its derivative matrices.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lrfm.spaces.orders import MultiIndex
from lrfm.spacetime.least_squares.backends import NUMPY, Array, Backend

Jets = dict[MultiIndex, Array]


@dataclass(frozen=True)
class Counts:
    """Features of one field, in how many patches along each axis, and how far these overlap in units of their distance."""

    features: int
    patches: tuple[int, ...] = (1,)
    overlap: float = 0.0

    @property
    def seen(self) -> float:
        """The share of the points that lie in a patch: Π (1 + 2 overlap)/Kᵢ."""
        share = 1.0
        for count in self.patches:
            share *= min(1.0, (1.0 + 2.0 * self.overlap) / count) if count > 1 else 1.0
        return share


class SampledSpace(Protocol):
    """Trial functions Φ₁, …, Φ_P of (x, t) with derivatives of every order.

    To be written: `size`, `jets` and `starting`. The rest describes a global space; a local one says more.
    """

    size: int
    """Number of trial functions, P."""

    def jets(self, points: np.ndarray, orders: Iterable[MultiIndex], xp: Backend = NUMPY) -> Jets:
        """Derivative matrices {order: (points, P)} at points (N, axes + 1), time last in points and orders."""
        ...

    def starting(self, start: float) -> SampledSpace:
        """The same functions on a window that begins at another time."""
        ...

    def combine(self, points: np.ndarray, orders: Iterable[MultiIndex], coefficients: np.ndarray) -> Jets:
        """{order: Σ_q c_q DᵃΦ_q(points)} for coefficients (P,) or (P, k)."""
        return {order: matrix @ coefficients for order, matrix in self.jets(points, orders).items()}

    def tail(self, count: int) -> tuple[SampledSpace, np.ndarray]:
        """About `count` functions of every patch that are enough for a first guess, and their columns; here all of them."""
        return self, np.arange(self.size)

    def by_patch(self) -> list[tuple[SampledSpace, slice, np.ndarray]]:
        """Each patch as a space of its own, with its columns and a point in it."""
        return [(self, slice(0, self.size), np.zeros(1))]

    def supports(self, points: np.ndarray) -> list[np.ndarray | slice]:
        """For each patch the numbers of the points at which it is not zero; a slice where these are all."""
        return [slice(None)]


class TrialSpace(Protocol):
    """A trial space before its features are drawn: a frozen set of options."""

    @property
    def needs_periodic_rows(self) -> bool:
        """Whether functions are not periodic by themselves, so that rows must match opposite faces (the paper's way)."""
        ...

    def counts(self, axes: int) -> Counts:
        """How many features a field will have on so many space axes."""
        ...

    def sample(
        self,
        names: tuple[str, ...],
        lower: np.ndarray,
        upper: np.ndarray,
        periodic: tuple[bool, ...],
        window: tuple[float, float],
        rng: np.random.Generator,
    ) -> SampledSpace:
        """Draw the features for a box, given by its axes, and a time window."""
        ...
