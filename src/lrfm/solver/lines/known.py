# SPDX-License-Identifier: MIT
"""What a march of a nearby statement has chosen, so that the next one need not look for it: charts, modes, the first step.

Only the search is saved. Features are drawn anew, data are fitted and looked at on fresh points, every step is judged, and the error is
estimated from two draws as always.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrfm.rows.pieces import Piece
from lrfm.spaces.axes.axis import Law
from lrfm.spaces.axes.chart import Chart
from lrfm.spaces.axes.product import ProductBasis

Charts = tuple[tuple[Chart, float], ...]  # of each axis, with a number of modes in it


@dataclass(frozen=True)
class Known:
    """The charts of each basis, the times from which on they were used, and the length of the first step, if there was one."""

    charts: tuple[Charts, ...]
    begins: tuple[float, ...]
    length: float | None = None

    @staticmethod
    def of(pieces: Sequence[Piece]) -> Known | None:
        """What was chosen for some pieces; None where that is nothing to begin with."""
        found: list[Charts] = []
        for piece in pieces:
            basis = getattr(piece, "basis", None)
            if not isinstance(basis, ProductBasis):
                return None
            # A basis that was read from a file does not know what it was made for, but how many functions came of it.
            found.append(tuple((a.chart, a.modes or max(1.0, Law().modes(a.rank))) for a in basis.axes))
        if not found:
            return None
        edges: Any = getattr(pieces[0], "edges", None)
        length = None if edges is None else float(edges[1] - edges[0])
        return Known(tuple(found), tuple(piece.window[0] for piece in pieces), length)

    def after(self, time: float, basis: Any) -> Charts | None:
        """The charts that were used at a time; None where a basis has them already."""
        found = self.charts[max(0, int(np.searchsorted(self.begins, time, side="right")) - 1)]
        same = all(_equal(axis.chart, chart) for axis, (chart, _) in zip(basis.axes, found, strict=True))
        return None if same else found


def _equal(one: Chart, two: Chart) -> bool:
    parts = ("centers", "widths", "strengths")
    return all(np.array_equal(getattr(one, name), getattr(two, name)) for name in parts)
