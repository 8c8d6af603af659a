# SPDX-License-Identifier: MIT
"""What is given on walls, in the modes of the axes along them:  ĝ(t) and dĝ/dt in the rows of conditions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from lrfm.discretize.evolution import Condition, EvolutionSystem, Unsuited
from lrfm.discretize.options import ROUNDING
from lrfm.spaces.series import Modes, Parity


class Wall:
    """What is given on one wall, in the modes of the other axes."""

    def __init__(self, mesh: Modes, axis: int, upper: bool):
        self.axis, counts = axis, [0 if a == axis else k for a, k in enumerate(mesh.counts)]
        self.mesh = replace(mesh, counts=tuple(counts))
        self.points = np.column_stack([self.mesh.points(), np.zeros(int(np.prod(self.mesh.grid)))])
        self.points[:, axis] = (mesh.upper if upper else mesh.lower)[axis]

    def coefficients(self, condition: Condition, time: float, parity: Parity) -> np.ndarray:
        """Of what a condition gives, with one function across: (*shape)."""
        self.points[:, -1] = time
        values = sum(condition.row.source_terms(self.points))
        if not np.all(np.isfinite(values)):
            raise Unsuited("What is given at a wall is not finite.")
        return self.mesh.coefficients(
            np.broadcast_to(values, len(self.points)).reshape(self.mesh.grid), parity
        )


def walls_of(mesh: Modes, axes: Sequence[int]) -> dict[tuple[int, bool], Wall]:
    """The walls of some axes, by axis and side."""
    return {(a, upper): Wall(mesh, a, upper) for a in axes for upper in (False, True)}


class GivenOnWalls(ABC):
    """Rows with conditions at walls; what is given there is made once where it does not change in time."""

    system: EvolutionSystem

    @property
    @abstractmethod
    def all_conditions(self) -> list[Condition]:
        """Of all fields and walls."""

    @abstractmethod
    def _made(self, time: float) -> np.ndarray:
        """ĝ at a time."""

    @cached_property
    def _steady(self) -> np.ndarray | None:
        """ĝ where it does not change in time."""
        moving = any(c.row.time_dependent for c in self.all_conditions)
        return None if moving else self._made(self.system.problem.time[0])

    def given(self, time: float) -> np.ndarray:
        """ĝ in the rows of conditions: (fields, *shape)."""
        return self._made(time) if self._steady is None else self._steady

    def given_rate(self, time: float) -> np.ndarray:
        """dĝ/dt, by a difference over a part of the time span on the side that lies in it."""
        if self._steady is not None:
            return np.zeros_like(self._steady)
        start, end = self.system.problem.time
        step = ROUNDING.small * (end - start)
        step = step if time + step <= end else -step
        return (self._made(time + step) - self._made(time)) / step
