# SPDX-License-Identifier: MIT
"""What was measured, on a statement: h_i = H(x_i, t_i, {D^a u}) for each value d_i.

∂h/∂p = Σ_a ∂H/∂(D^a u) D^a u_p + ∂H/∂p.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.inverse.data import Data
from lrfm.problem import Jet, Problem, Row
from lrfm.problem.errors import ProblemError, listing, suggest
from lrfm.problem.free import freed, slope_row
from lrfm.problem.syntax import parse
from lrfm.problem.text import translate
from lrfm.rows.pieces import Piece, values_at
from lrfm.solver.tangent.form import Direction


@dataclass(frozen=True)
class Observed:
    """Values of one real formula at points (n, d + 1); `sigma` is None where it is not known. `column` is what the user calls it."""

    column: str
    part: str  # "re" or "im"
    points: np.ndarray
    values: np.ndarray
    sigma: np.ndarray | None


def observations(problem: Problem, sets: Sequence[Data]) -> list[Observed]:
    """All data on a problem, checked against it."""
    found: list[Observed] = []
    names = (*problem.domain.names, "t")
    for data in sets:
        missing = [name for name in names if name not in data.table]
        if missing:
            raise ValueError(
                f"The data have no column {listing(missing)}; every measurement needs its place and its time."
            )
        points = np.column_stack([np.real(data.table[name]) for name in names])
        _check_inside(problem, points)
        columns = data.observed(names)
        if not columns:
            raise ValueError(
                f"The data have the columns {listing(data.table)} only; add one with values, such as `{next(iter(problem.unknowns))}`."
            )
        for column in columns:
            formula_rows(problem, column)
            values, sigma = data.table[column], data.sigma(column)
            parts = {"re": np.real(values)} | ({"im": np.imag(values)} if np.iscomplexobj(values) else {})
            found += [Observed(column, part, points, v.astype(float), sigma) for part, v in parts.items()]
    return found


def _check_inside(problem: Problem, points: np.ndarray) -> None:
    bounds = {**problem.domain.axes, "t": problem.time}
    for (name, (low, high)), column in zip(bounds.items(), points.T, strict=True):
        slack = 1e-7 * max(high - low, abs(low), abs(high))
        bad = (column < low - slack) | (column > high + slack)
        if bad.any():
            kind = "time window" if name == "t" else "domain"
            raise ValueError(
                f"Row {int(np.argmax(bad)) + 1} of the data has {name}={column[bad][0]:g}, outside of the {kind} [{low:g}, {high:g}] of the "
                "problem; leave such rows out, or enlarge the problem."
            )


def formula_rows(problem: Problem, column: str) -> dict[str, Row]:
    """The real formulas of an observed column: by part, "re" and, where it is complex, "im"."""
    what = f"The column `{column}` of the data"
    try:
        value = translate(parse(column, what), problem.alphabet, what)
    except ProblemError as error:
        near = suggest(column, [*problem.unknowns])
        raise ProblemError(
            f"{error} A column is a coordinate, or an unknown, its derivative or a formula of these.{near}"
        ) from None
    parts = {"re": value.re} | ({} if value.real else {"im": value.im})
    rows = {part: Row(formula, (*problem.domain.names, "t"), what) for part, formula in parts.items()}
    if not any(row.jets for row in rows.values()):
        raise ValueError(
            f"{what} contains no unknown of the problem ({listing(problem.unknowns)}); nothing is learned from it."
        )
    return rows


class Lens:
    """Observations of a problem along some directions: values h of pieces, and their slopes from pieces of δ."""

    def __init__(self, problem: Problem, observed: Sequence[Observed], directions: Sequence[Direction]):
        self.observed = observed
        free = list(dict.fromkeys(name for d in directions for name in d.free))
        twin = freed(problem, free) if free else problem
        self.rows: list[Row] = []
        self._explicit: list[list[Row | None]] = []
        for o in observed:
            self.rows.append(formula_rows(problem, o.column)[o.part])
            theirs = formula_rows(twin, o.column)[o.part]
            self._explicit.append([slope_row(theirs, d.seed) for d in directions])

    @property
    def linear(self) -> np.ndarray:
        """For each direction, whether observations are straight lines along it where u is: none of them bends, or holds the unknown."""
        straight = all(row.linear for row in self.rows)
        return np.array(
            [straight and all(part is None for part in parts) for parts in zip(*self._explicit, strict=True)],
            dtype=bool,
        )

    def values(self, pieces: Sequence[Piece]) -> np.ndarray:
        """h of all observations, one after the other."""
        found = [
            row.residual(o.points, values_at(pieces, row.jets, o.points))
            for o, row in zip(self.observed, self.rows, strict=True)
        ]
        return np.concatenate(found)

    def slopes(self, pieces: Sequence[Piece], tangents: Sequence[Sequence[Piece]]) -> np.ndarray:
        """∂h/∂p: (values, directions)."""
        blocks = []
        for o, row, explicit in zip(self.observed, self.rows, self._explicit, strict=True):
            jets = values_at(pieces, row.jets, o.points)
            coefficients = _coefficients(row, o.points, jets)
            block = np.zeros((len(o.points), len(tangents)))
            for i, tangent in enumerate(tangents):
                moved = values_at(tangent, list(coefficients), o.points)
                block[:, i] = sum(c * moved[jet] for jet, c in coefficients.items())
                extra = explicit[i]
                if extra is not None:
                    block[:, i] += extra.residual(o.points, values_at(pieces, extra.jets, o.points))
            blocks.append(block)
        return np.concatenate(blocks)


def _coefficients(row: Row, points: np.ndarray, jets: dict[Jet, np.ndarray]) -> dict[Jet, np.ndarray]:
    found = dict(row.affine(points)[1])
    if not row.linear:
        for jet, values in row.nonlinear(points, jets, picard=False)[1].items():
            found[jet] = found[jet] + values if jet in found else values
    return found
