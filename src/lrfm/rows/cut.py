# SPDX-License-Identifier: MIT
"""A piece that ends earlier than it was computed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrfm.problem import Jet, Row
from lrfm.rows.pieces import OnCells, Piece


@dataclass(frozen=True)
class Cut:
    """u up to a time `end`, at which something happened."""

    piece: Piece
    end: float

    @staticmethod
    def from_record(piece: Any, end: float) -> Cut:
        """Build again what `record` wrote; ValueError where its parts do not belong together."""
        window = getattr(piece, "window", None)
        if window is None or not window[0] < end <= window[1]:
            raise ValueError("a piece is cut where it is not")
        return Cut(piece, float(end))

    def record(self) -> dict[str, object]:
        """The piece and where it ends."""
        return {"piece": self.piece, "end": self.end}

    @property
    def window(self) -> tuple[float, float]:
        return self.piece.window[0], self.end

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of fields at points."""
        return self.piece.values(jets, points)

    def residual(self, row: Row, points: np.ndarray) -> np.ndarray:
        """F of one row at points."""
        return self.piece.residual(row, points)

    def cells_at(self, time: float) -> np.ndarray:
        """Edges of the cells at a time; none where there are no cells."""
        return self.piece.cells_at(time) if isinstance(self.piece, OnCells) else np.zeros(0)
