# SPDX-License-Identifier: MIT
"""What charts that follow a solution cost, and what they lose: m steps on each of them, a share of the time.

√(m/(m + R)):   m steps on a chart and a redraw, as costly as R of them, take as long as m steps without a chart, which cost the square of the functions.
tol · m h/T:    what may be lost where a chart is left, since it is carried on, and lost again with the next one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lrfm.spaces.axes.product import ProductBasis
from lrfm.spaces.bases import Basis

if TYPE_CHECKING:
    from lrfm.solver.lines.form import Form
    from lrfm.solver.lines.state import Counts

REDRAW = 6.0  # price of a redraw, in steps on its basis
FOLLOWING = 0.7  # score of a chart that was left before, relative to that of none, up to which another one is worth it at most


@dataclass(frozen=True)
class Ride:
    """How many steps a chart has lasted on the way, and which part of the whole time, in the mean."""

    steps: float = np.inf
    part: float = 1.0

    @property
    def worth(self) -> float:
        """The score of another chart, relative to that of none, up to which it is worth it."""
        return (
            FOLLOWING if np.isinf(self.steps) else min(FOLLOWING, np.sqrt(self.steps / (self.steps + REDRAW)))
        )


def charted(basis: Basis) -> bool:
    """Whether functions of one axis have a chart with kernels; products have rules of their own."""
    return isinstance(basis, ProductBasis) and not basis.separable and bool(len(basis.axes[0].chart.centers))


def ride_of(counts: Counts, form: Form) -> Ride:
    """What is known after some steps on charts that were left; where short waves are damped, what is lost with one is forgotten."""
    if not counts.left:
        return Ride()
    start, end = form.problem.time
    part = 1.0 if form.forgets else min(1.0, counts.rode / counts.left / (end - start))
    return Ride(counts.ridden / counts.left, part)
