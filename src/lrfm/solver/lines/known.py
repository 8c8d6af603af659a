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

from lrfm.problem.checks import corner
from lrfm.rows.framed import in_frame
from lrfm.rows.pieces import Piece
from lrfm.solver.lines.state import State
from lrfm.spaces.axes.axis import Law
from lrfm.spaces.axes.chart import Chart
from lrfm.spaces.axes.product import ProductBasis

Charts = tuple[tuple[Chart, float], ...]  # of each axis, with a number of modes in it


@dataclass(frozen=True)
class Known:
    """The charts of each basis, the times from which on they were used, and the length of the first step, if there was one."""

    charts: tuple[Charts, ...] = ()
    begins: tuple[float, ...] = ()
    length: float | None = None

    @staticmethod
    def of(pieces: Sequence[Piece]) -> Known:
        """What was chosen for some pieces; nothing where they have no charts."""
        found: list[Charts] = []
        for piece in pieces:
            basis = getattr(in_frame(piece), "basis", None)
            if not isinstance(basis, ProductBasis):
                return Known()
            # A basis that was read from a file does not know what it was made for, but how many functions came of it.
            found.append(tuple((a.chart, a.modes or max(1.0, Law().modes(a.rank))) for a in basis.axes))
        edges: Any = getattr(in_frame(pieces[0]), "edges", None) if pieces else None
        length = None if edges is None else float(edges[1] - edges[0])
        return Known(tuple(found), tuple(piece.window[0] for piece in pieces), length)

    def __bool__(self) -> bool:
        return bool(self.charts)

    def first(self, chooser: Any) -> Any | None:
        """A basis for the data; None where nothing is known, or it does not hold them.

        Nor where they contradict the conditions: charts that were drawn for what the first step of a layer showed would resolve the
        layer from its first moment on. They are taken once this step shows it.
        """
        if not self or corner(chooser.form.problem) > chooser.rules.tol:
            return None
        return chooser.like(self.charts[0])

    def next(self, chooser: Any, state: State, first: bool) -> Any | None:
        """A basis in the charts that were used from about this time on; None where they are in use already, or do not hold the state."""
        if not self:
            return None
        time = state.time + 0.5 * state.length
        charts = self.charts[max(0, int(np.searchsorted(self.begins, time, side="right")) - 1)]
        axes = getattr(state.basis, "axes", ())
        if all(_equal(axis.chart, chart) for axis, (chart, _) in zip(axes, charts, strict=False)):
            return None
        return chooser.like(charts, None if first else (state.basis, [state.coefficients]))


def _equal(one: Chart, two: Chart) -> bool:
    parts = ("centers", "widths", "strengths")
    return all(np.array_equal(getattr(one, name), getattr(two, name)) for name in parts)


NOTHING = Known()
