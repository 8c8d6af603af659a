# SPDX-License-Identifier: MIT
"""u(x, t) = v(ξ, t): a piece of v in coordinates ξ(x, t) of its own; what such pieces have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrfm.problem import Jet, Row


@dataclass(frozen=True)
class Moved(ABC):
    """A piece, seen from where its coordinates are carried."""

    piece: Any  # Any: one of the pieces that a file may hold

    @property
    def window(self) -> tuple[float, float]:
        return self.piece.window

    @property
    def steps(self) -> int:
        """How many there are."""
        return self.piece.steps

    @abstractmethod
    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of fields at points (n, d + 1), time last, by the chain rule."""

    def residual(self, row: Row, points: np.ndarray) -> np.ndarray:
        """F(x, t, {D^a u}) of one row at points."""
        return row.residual(points, self.values(row.jets, points))
