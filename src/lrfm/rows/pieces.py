# SPDX-License-Identifier: MIT
"""A solution as pieces in time: what everybody after the solver needs to know of an engine's answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from lrfm.problem import Jet, Row


class Piece(Protocol):
    """u on an interval of time: it can be evaluated there, with every derivative, and no more is known of it."""

    @property
    def window(self) -> tuple[float, float]:
        """Where in time it holds."""
        ...

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """Dᵃu at points (n, axes + 1), time last."""
        ...

    def residual(self, row: Row, points: np.ndarray) -> np.ndarray:
        """F(x, t, {Dᵃu}) of one row at points."""
        ...


def values_at(pieces: Sequence[Piece], jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
    """Dᵃu at points, each from the piece that covers its time; the later one where two meet."""
    jets = list(jets)
    if len(pieces) == 1:
        return pieces[0].values(jets, points)
    owner = np.searchsorted([p.window[1] for p in pieces[:-1]], points[:, -1], side="right")
    result = {jet: np.empty(len(points)) for jet in jets}
    order = np.argsort(owner, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(owner[order])) + 1) if len(points) else ():
        for jet, values in pieces[int(owner[places[0]])].values(jets, points[places]).items():
            result[jet][places] = values
    return result
