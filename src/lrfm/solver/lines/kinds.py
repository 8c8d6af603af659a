# SPDX-License-Identifier: MIT
"""Which kind of linear systems the stages of a step are: [A(hλ)] x = r in one piece, axis by axis, or between null spaces.

In one piece up to DENSE unknowns, and wherever there is one axis; products of axes by what is separable in them, where Newton stands still coupled by Krylov's
method, at last in one piece again; with a multiplier, such as a pressure, between null spaces.
"""

from __future__ import annotations

from collections.abc import Callable

from lrfm.solver.lines.flat import in_one_piece
from lrfm.solver.lines.krylov import Coupled
from lrfm.solver.lines.projected import ProjectedRows
from lrfm.solver.lines.saddle import SaddleParts
from lrfm.solver.lines.separable import Separable, total_size
from lrfm.solver.lines.stages import DenseParts

DENSE = 700  # unknowns of a stage up to which products are solved by one factorization
LARGEST = 3600  # unknowns up to which this is possible at all

Parts = Separable | DenseParts | SaddleParts
Linear = Callable[..., Parts]  # products are all that some of them take, and all that they are given


def kind_for(system: ProjectedRows, large_ones: Linear) -> Linear:
    """How the linear systems of a step are solved; `large_ones` serves products that are too large for one piece."""
    form, size = system.form, total_size(system)
    large = system.basis.separable and size > DENSE and not in_one_piece(form, size, LARGEST)
    return SaddleParts if form.multipliers else large_ones if large else DenseParts


def stronger_than(parts: Parts | None, system: ProjectedRows) -> Linear | None:
    """The next of the kinds of linear systems: separable, coupled, dense; None where there is no other."""
    if not isinstance(parts, Separable):
        return None
    if not isinstance(parts, Coupled):
        return Coupled
    return DenseParts if total_size(system) <= LARGEST and not parts.shared else None
