# SPDX-License-Identifier: MIT
"""Some fields of a piece under other names, and in other units:  u(x, t) = c v(x, t)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrfm.problem import Jet, Problem, Row
from lrfm.problem.variations import Direction, moved
from lrfm.rows.pieces import OnCells, Piece


@dataclass(frozen=True)
class Selected:
    """Fields of a piece by their new names, all multiplied by a factor."""

    piece: Piece
    fields: Mapping[str, str]
    factor: float

    @staticmethod
    def from_record(piece: Any, names: Any, others: Any, factor: float) -> Selected:
        """Build again what `record` wrote; ValueError where its parts do not belong together."""
        names, others = [str(n) for n in names], [str(n) for n in others]
        held = getattr(piece, "fields", None)
        if (
            len(names) != len(others)
            or not np.isfinite(factor)
            or held is None
            or not set(others) <= set(held)
        ):
            raise ValueError("fields are taken from a piece that does not have them")
        return Selected(piece, dict(zip(names, others, strict=True)), float(factor))

    def record(self) -> dict[str, object]:
        """The piece, and which of its fields are meant."""
        return {
            "piece": self.piece,
            "names": list(self.fields),
            "others": list(self.fields.values()),
            "factor": self.factor,
        }

    @property
    def window(self) -> tuple[float, float]:
        return self.piece.window

    @property
    def edges(self) -> np.ndarray:
        """Ends of steps."""
        return self.piece.edges  # type: ignore[attr-defined]

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """Dᵃ of fields at points; KeyError for one that was not taken."""
        wanted = {jet: Jet(self.fields[jet.field], jet.index) for jet in jets}
        found = self.piece.values(wanted.values(), points)
        return {jet: self.factor * found[other] for jet, other in wanted.items()}

    def residual(self, row: Row, points: np.ndarray) -> np.ndarray:
        """F of one row at points."""
        return row.residual(points, self.values(row.jets, points))

    def cells_at(self, time: float) -> np.ndarray:
        """Edges of the cells at a time; none where there are no cells."""
        return self.piece.cells_at(time) if isinstance(self.piece, OnCells) else np.zeros(0)


def variations_of(problem: Problem, piece: Piece, directions: Sequence[Direction]) -> list[list[Piece]]:
    """δ along each direction, from a piece that holds them beside u, under the names of the fields of u."""
    return [
        [Selected(piece, {f: moved(f, i) for f in problem.fields}, 1 / direction.scale(problem))]
        for i, direction in enumerate(directions)
    ]
