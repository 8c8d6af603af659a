# SPDX-License-Identifier: MIT
"""u(x, t) = v(x − c (t − t₀), t): a piece in coordinates that move along with what travels on a circle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.problem import Jet
from lrfm.problem.frame import MovingFrame
from lrfm.rows.derived import Moved
from lrfm.rows.pieces import OnCells, Piece
from lrfm.spaces.stored import check_array


@dataclass(frozen=True)
class Framed(Moved):
    """A piece of v in a box, seen from where its frame moves."""

    frame: MovingFrame

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of fields at points (n, d + 1), time last, by the chain rule."""
        jets = list(jets)
        return self._summed(jets, self.piece.values(self._inner(jets), self.frame.back(points)))

    def on_grid(
        self, jets: Iterable[Jet], places: Sequence[np.ndarray], times: np.ndarray
    ) -> dict[Jet, np.ndarray]:
        """D^a of fields on the grid of places along each axis and times: each (times, n₁, …, n_d); a grid is one at every time."""
        jets = list(jets)
        inner = self._inner(jets)
        result = {jet: np.empty((len(times), *map(len, places))) for jet in jets}
        for i, time in enumerate(times):
            here = [self.frame.place(k, np.asarray(x), float(time)) for k, x in enumerate(places)]
            for jet, values in self._summed(jets, self.piece.on_grid(inner, here, times[i : i + 1])).items():
                result[jet][i] = values[0]
        return result

    def at_place(self, jet: Jet, place: Sequence[float], time: float) -> float:
        """D^a of a field at one point, given as plain numbers."""
        here = [float(self.frame.place(k, np.asarray(x), time)) for k, x in enumerate(place)]
        parts = self.frame.jets(jet).items()
        return sum(factor * self.piece.at_place(j, here, time) for j, factor in parts)

    def _inner(self, jets: Sequence[Jet]) -> list[Jet]:
        """The jets of v that are needed."""
        return list(dict.fromkeys(j for jet in jets for j in self.frame.jets(jet)))

    def _summed(self, jets: Sequence[Jet], inner: dict[Jet, np.ndarray]) -> dict[Jet, np.ndarray]:
        return {jet: sum(factor * inner[j] for j, factor in self.frame.jets(jet).items()) for jet in jets}  # type: ignore[misc]

    def placed(self, points: np.ndarray) -> np.ndarray:
        """Where points that were chosen for the start are by now, if they are carried along."""
        return self.frame.forth(points)

    def record(self) -> dict[str, object]:
        """The piece for a file, the frame as numbers."""
        frame = self.frame
        return {
            "piece": self.piece,
            "speeds": np.array(frame.speeds),
            "start": frame.start,
            "lower": np.array(frame.lower),
            "upper": np.array(frame.upper),
            "moved": np.array(frame.moved),
        }

    @staticmethod
    def from_record(
        piece: Piece,
        speeds: np.ndarray,
        start: float,
        lower: np.ndarray,
        upper: np.ndarray,
        moved: np.ndarray,
    ) -> Framed:
        """Build again what `record` wrote. ValueError where a frame has not one speed and two ends for each axis, or the piece none."""
        axes = int(isinstance(piece, OnCells))
        for name, part in (("speeds", speeds), ("lower", lower), ("upper", upper), ("moved", moved)):
            check_array(name, part, (axes,))
        if not axes or not np.isfinite(start) or not np.all(np.asarray(upper) > np.asarray(lower)):
            raise ValueError("a frame has no axes, no start, or no room")
        rest = (tuple(map(float, part)) for part in (lower, upper, moved))
        return Framed(piece, MovingFrame(tuple(map(float, speeds)), float(start), *rest))
