# SPDX-License-Identifier: MIT
"""By what one piece differs from another:  e(x, t) = v(x, t) − u(x, t)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrfm.problem import Jet, Row
from lrfm.rows.pieces import Piece


@dataclass(frozen=True)
class Gap:
    """v − u of two solves of one statement over the same time."""

    piece: Piece
    other: Piece

    @staticmethod
    def from_record(piece: Any, other: Any) -> Gap:
        """Build again what `record` wrote; ValueError where the two are not over the same time."""
        ends = [getattr(p, "window", None) for p in (piece, other)]
        if None in ends or not np.allclose(ends[0], ends[1]):  # type: ignore[arg-type]
            raise ValueError("two pieces differ where only one of them is")
        return Gap(piece, other)

    def record(self) -> dict[str, object]:
        """Both pieces."""
        return {"piece": self.piece, "other": self.other}

    @property
    def window(self) -> tuple[float, float]:
        return self.piece.window

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """Dᵃ of fields at points."""
        jets = list(jets)
        u, v = (p.values(jets, points) for p in (self.piece, self.other))
        return {jet: v[jet] - u[jet] for jet in jets}

    def residual(self, row: Row, points: np.ndarray) -> np.ndarray:
        """F of one row at points."""
        return row.residual(points, self.values(row.jets, points))
