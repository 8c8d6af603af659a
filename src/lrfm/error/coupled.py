# SPDX-License-Identifier: MIT
"""Conditions that do not hold at the start through an unknown that follows from the others:  B(u₀, φ(u₀)) ≠ 0,  φ from its own equation.

Where all that a condition holds has initial data it is checked when it is stated (`lrfm.problem.checks`). A flux c_x + c φ_x = 0 holds for a constant
c and φ = 0, and fails as soon as a voltage is applied: φ has no initial data, and follows from Poisson's equation with that voltage. It is that of the solution at its start.
"""

from __future__ import annotations

import numpy as np

from lrfm.error.well_posed import TIMES
from lrfm.problem import Jet, Problem, Row
from lrfm.problem.checks import REFUSED, Contradiction, face_grid
from lrfm.rows.pieces import Piece


def contradictions(problem: Problem, piece: Piece) -> tuple[Contradiction, ...]:
    """A warning on the conditions that a solution does not meet at its start, the worst for each unknown through which it does not."""
    found: dict[tuple[str, ...], list[tuple[float, str, Row]]] = {}
    for face, rows in problem.face_rows.items():
        for row in rows:
            through = _through(problem, row)
            if through:
                size, place = _gap(problem, piece, row, face)
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


def _gap(problem: Problem, piece: Piece, row: Row, face: str) -> tuple[float, str]:
    """The largest residual of a condition at the start relative to its terms there, and where that is; zero where it is nothing beside what its terms come to, or data cannot be differentiated."""
    start, end = problem.time
    points = face_grid(problem, face, (start,))
    values = dict(piece.values(list(row.jets), points))
    for jet in row.jets:
        if _given(problem, jet):
            datum = problem.initial_data[jet.unknown, 0].derivative(jet.index[:-1])
            if datum is None:
                return 0.0, ""
            values[jet] = datum.part(points, jet.field)
    gap, terms = row.compared(points, values)
    later = face_grid(problem, face, tuple(np.linspace(start, min(end, piece.window[1]), TIMES)[1:]))
    _, reached = row.compared(later, piece.values(list(row.jets), later))
    if not all(np.all(np.isfinite(each)) for each in (gap, terms, reached)):
        return 0.0, ""
    worst = int(np.argmax(np.abs(gap)))
    size, beside = float(np.abs(gap[worst])), float(np.max(terms))
    if size <= REFUSED * max(beside, float(np.max(reached))):
        return 0.0, ""
    names = (*problem.domain.names, "t")
    place = ", ".join(f"{name}={value:g}" for name, value in zip(names, points[worst], strict=True))
    return size / beside, place


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
