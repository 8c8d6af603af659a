# SPDX-License-Identifier: MIT
"""What pieces that are made of steps in a row share, whatever their space: the span of time, names of fields, the step of a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from lrfm.problem import Jet, Row


class InSteps(ABC):
    """Steps in a row with real `fields` between `edges` in time."""

    fields: tuple[str, ...]
    edges: np.ndarray

    @abstractmethod
    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of fields at points, time last."""

    @abstractmethod
    def record(self) -> Mapping[str, Any]:
        """The piece as plain arrays and numbers for a file."""

    @property
    def window(self) -> tuple[float, float]:
        return float(self.edges[0]), float(self.edges[-1])

    @property
    def steps(self) -> int:
        """How many there are."""
        return len(self.edges) - 1

    def number(self, field: str) -> int:
        """Which of the fields it is; KeyError for one that is not here."""
        if field not in self.fields:
            raise KeyError(field)
        return self.fields.index(field)

    def _by_step(self, times: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """Each step that is asked for, with the numbers of the times that lie in it."""
        owner = np.searchsorted(self.edges[1:-1], times, side="right")
        order = np.argsort(owner, kind="stable")
        for numbers in np.split(order, np.flatnonzero(np.diff(owner[order])) + 1) if len(times) else ():
            yield int(owner[numbers[0]]), numbers

    def at_place(self, jet: Jet, place: Sequence[float], time: float) -> float:
        """D^a of a field at one point, given as plain numbers."""
        return float(self.values([jet], np.array([[*place, time]]))[jet][0])

    def residual(self, row: Row, points: np.ndarray) -> np.ndarray:
        """F(x, t, {D^a u}) of one row at points."""
        return row.residual(points, self.values(row.jets, points))
