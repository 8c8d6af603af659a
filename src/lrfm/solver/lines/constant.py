# SPDX-License-Identifier: MIT
"""An equation as its terms with constant coefficients, which are matrices on coefficients, and a rest for the grid.

F = Σ_a c_a D^a u + G:   P D^a V are products of small matrices, so that only G has to be evaluated on the points of the box.
"""

from __future__ import annotations

from typing import NamedTuple

from lrfm.problem import Jet, Row
from lrfm.problem.algebra import Expr, add, symbols_in
from lrfm.problem.expression import is_zero
from lrfm.problem.jets import JetSymbol
from lrfm.problem.program import Program


class Split(NamedTuple):
    """c_a by jet, and the row of G; None where nothing is left."""

    constant: dict[Jet, float]
    rest: Row | None


def split(row: Row) -> Split:
    """Take the linear terms with constant coefficients out of a row."""
    fixed = {jet: c for jet, c in row.linear_part.items() if not symbols_in(c)}
    others = [c * JetSymbol(jet) for jet, c in row.linear_part.items() if jet not in fixed]
    left = add(row.source_part, *others, row.nonlinear_part)
    rest = None if is_zero(left) else Row(left, row.coordinates, row.label)
    return Split({jet: _number(c) for jet, c in fixed.items()}, rest)


def _number(expression: Expr) -> float:
    return float(Program([expression])({})[0])
