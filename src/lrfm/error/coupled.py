# SPDX-License-Identifier: MIT
"""Conditions that do not hold at the start through an unknown that follows from the others:  B(u₀, φ(u₀)) ≠ 0,  φ from its own equation.

Where all that a condition holds has initial data it is checked when it is stated (`lrfm.problem.checks`). A flux c_x + c φ_x = 0 holds for a constant
c and φ = 0, and fails as soon as a voltage is applied: φ has no initial data, and follows from Poisson's equation with that voltage. It is that of the solution at its start.
"""

from __future__ import annotations

import numpy as np

from lrfm.problem import Jet, Problem, Row
from lrfm.problem.checks import REFUSED, Contradiction, face_grid
from lrfm.rows.pieces import Piece

ROUNDING = (
    1e-6  # part of an unknown, by the length of the domain for each derivative, below which terms are nothing
)


def contradictions(problem: Problem, piece: Piece) -> tuple[Contradiction, ...]:
    """A warning on the conditions that a solution does not meet at its start, the worst for each unknown through which it does not."""
    found: dict[tuple[str, ...], list[tuple[float, str, Row]]] = {}
    for face, rows in problem.face_rows.items():
        for row in rows:
            through = _through(problem, row)
            if through:
                points = face_grid(problem, face, (problem.time[0],))
                size, place = _gap(problem, piece, row, points)
                if size > REFUSED:
                    found.setdefault(through, []).append((size, place, row))
    return tuple(_said(problem, names, *max(each, key=lambda item: item[0])) for names, each in found.items())


def _given(problem: Problem, jet: Jet) -> bool:
    return (jet.unknown, 0) in problem.initial_data


def _through(problem: Problem, row: Row) -> tuple[str, ...]:
    """The unknowns without initial data in a condition that holds others, too, and no rates or means."""
    plain = all(jet.index[-1] == 0 and jet.field in problem.fields for jet in row.jets)
    if not plain or not any(_given(problem, jet) for jet in row.jets):
        return ()
    return tuple(sorted({jet.unknown for jet in row.jets if not _given(problem, jet)}))


def _gap(problem: Problem, piece: Piece, row: Row, points: np.ndarray) -> tuple[float, str]:
    """The largest residual of a condition relative to its terms, and where that is; zero where data cannot be differentiated."""
    values, size = dict(piece.values(list(row.jets), points)), 0.0
    whole = piece.values(problem.value_jets, points)
    length = float(np.max(problem.domain.upper - problem.domain.lower))
    for jet in row.jets:
        own = next(v for other, v in whole.items() if other.field == jet.field)
        size = max(size, ROUNDING * float(np.max(np.abs(own))) / length ** sum(jet.index))
        if _given(problem, jet):
            datum = problem.initial_data[jet.unknown, 0].derivative(jet.index[:-1])
            if datum is None:
                return 0.0, ""
            values[jet] = datum.part(points, jet.field)
    gap, terms = row.compared(points, values)
    if not (np.all(np.isfinite(gap)) and np.all(np.isfinite(terms))):
        return 0.0, ""
    worst = int(np.argmax(np.abs(gap)))
    names = (*problem.domain.names, "t")
    place = ", ".join(f"{name}={value:g}" for name, value in zip(names, points[worst], strict=True))
    return float(np.abs(gap[worst]) / max(float(np.max(terms)), size, np.finfo(float).tiny)), place


def _said(problem: Problem, names: tuple[str, ...], size: float, place: str, row: Row) -> Contradiction:
    start, end = problem.time
    through = " and ".join(f"`{name}`" for name in names)
    shift = "t" if start == 0 else f"(t - {start:g})"
    text = (
        f"{row.label} and `initial` contradict each other at {place}, by {size:.2g} times their size, through {through}, which follows from its own "
        "equation at the start: a layer opens there. If what drives it is switched on, switch it on smoothly: multiply it by "
        f"`1 - exp(-({shift}/{0.01 * (end - start):.1g})**2)`; or start from data that are in balance with it."
    )
    return Contradiction(text, size)
