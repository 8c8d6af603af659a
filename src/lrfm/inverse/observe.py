# SPDX-License-Identifier: MIT
"""What was measured, on a statement: h_i = H(x_i, t_i, {D^a u}) for each value d_i.

∂h/∂p = Σ_a ∂H/∂(D^a u) D^a u_p + ∂H/∂p.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lrfm.inverse.data import Data
from lrfm.problem import Jet, Problem, Row
from lrfm.problem.errors import ProblemError, listing, suggest
from lrfm.problem.free import Slope, freed, slope_row
from lrfm.problem.syntax import parse
from lrfm.problem.text import translate
from lrfm.problem.variations import Direction
from lrfm.rows.pieces import Piece, values_at

SLACK = 1e-7  # of a coordinate, relative to its axis


@dataclass(frozen=True)
class Observed:
    """Values of one real formula at points (n, d + 1); `sigma` is None where it is not known. `column` is what the user calls it.

    A formula with a normal derivative has its values on one `face`.
    """

    column: str
    part: str  # "re" or "im"
    points: np.ndarray
    values: np.ndarray
    sigma: np.ndarray | None
    face: str = ""


def observations(problem: Problem, sets: Sequence[Data]) -> list[Observed]:
    """All data on a problem, checked against it."""
    found: list[Observed] = []
    names = problem.coordinates
    for data in sets:
        missing = [name for name in names if name not in data.table]
        if missing:
            raise ValueError(
                f"The data have no column {listing(missing)}; every measurement needs {' and '.join(_needed(problem))}."
            )
        points = _points(problem, data)
        _check_inside(problem, points)
        columns = data.observed(names)
        if not columns:
            raise ValueError(
                f"The data have the columns {listing(data.table)} only; add one with values, such as `{next(iter(problem.unknowns))}`."
            )
        for column in columns:
            values, sigma = data.table[column], data.sigma(column)
            parts = {"re": np.real(values)} | ({"im": np.imag(values)} if np.iscomplexobj(values) else {})
            for face, here in _faces(problem, column, points):
                formula_rows(problem, column, face)
                own = None if sigma is None else sigma[here]
                found += [
                    Observed(column, part, points[here], v[here].astype(float), own, face)
                    for part, v in parts.items()
                ]
    return found


def _needed(problem: Problem) -> list[str]:
    """What a measurement is told by."""
    return [*([] if problem.ordinary else ["its place"]), *([] if problem.steady else ["its time"])]


def _points(problem: Problem, data: Data) -> np.ndarray:
    """Places and times (n, d + 1) of a set; coordinates that the statement does not have are what stands for them."""
    count = len(next(iter(data.table.values())))
    absent = {name: np.full(count, value) for name, value in problem.absent.items()}
    names = (*problem.domain.names, "t")
    return np.column_stack([absent[n] if n in absent else np.real(data.table[n]) for n in names])


def _faces(problem: Problem, column: str, points: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """Where a formula has its values: anywhere, or, with a normal derivative, on which face each of them."""
    letters = [
        name.partition("_")[2]
        for name in re.findall(r"\w+", column)
        if name.partition("_")[0] in problem.unknowns
    ]
    if not any("n" in word for word in letters) or "n" in problem.domain.names:
        return [("", np.arange(len(points)))]
    if not problem.domain.is_box:
        raise ValueError(
            f"The column `{column}` holds a normal derivative; on domains that are no boxes give `u_x` and the like."
        )
    left, found = np.ones(len(points), dtype=bool), []
    for k, (name, (low, high)) in enumerate(problem.domain.axes.items()):
        for face, end in ((f"{name}-", low), (f"{name}+", high)):
            here = left & (np.abs(points[:, k] - end) <= SLACK * max(high - low, abs(low), abs(high)))
            left &= ~here
            found += [(face, np.flatnonzero(here))] if here.any() else []
    if left.any():
        raise ValueError(
            f"Row {int(np.argmax(left)) + 1} of the data has a value of `{column}`, a normal derivative, at a place that is on no face of the domain."
        )
    return found


def _check_inside(problem: Problem, points: np.ndarray) -> None:
    bounds = {**problem.domain.axes, "t": problem.time}
    for (name, (low, high)), column in zip(bounds.items(), points.T, strict=True):
        slack = SLACK * max(high - low, abs(low), abs(high))
        bad = (column < low - slack) | (column > high + slack)
        if bad.any():
            kind = "time window" if name == "t" else "domain"
            raise ValueError(
                f"Row {int(np.argmax(bad)) + 1} of the data has {name}={column[bad][0]:g}, outside of the {kind} [{low:g}, {high:g}] of the "
                "problem; leave such rows out, or enlarge the problem."
            )


def formula_rows(problem: Problem, column: str, face: str = "") -> dict[str, Row]:
    """The real formulas of an observed column, on a face if it has one: by part, "re" and, where it is complex, "im"."""
    what = f"The column `{column}` of the data"
    alphabet = (
        replace(problem.alphabet, normal=problem.domain.parts[face].normal) if face else problem.alphabet
    )
    try:
        value = translate(parse(column, what), alphabet, what)
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
        self._explicit: list[list[Slope | None]] = []
        for o in observed:
            self.rows.append(formula_rows(problem, o.column, o.face)[o.part])
            theirs = formula_rows(twin, o.column, o.face)[o.part]
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
