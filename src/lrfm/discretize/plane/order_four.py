# SPDX-License-Identifier: MIT
"""Statements of the fourth order as ones of the second:  w = Δu,  D Δ²u → D Δw,  b·∇Δu → b·∇w,  c Δu → c w.

Cells of the plane couple by fluxes of second order. With the symmetric form B of −Δ both equations read  M w = −B u,  M u_t = D B w,  so that  u_t = −D (M⁻¹B)² u:  damped as −D Δ² is, without a
penalty of its own (the mixed method of Ciarlet and Raviart, 1974, on discontinuous functions). A value of u and one of Δu, or their two fluxes, are conditions of u and of w; where u and its slope are given
(clamped), w has none.
"""

from __future__ import annotations

from dataclasses import replace

from lrfm.discretize.evolution import Unsuited
from lrfm.problem import Jet, Problem, Row
from lrfm.problem.algebra import ONE, ZERO, Expr, add, symbols_in
from lrfm.problem.expression import derivative, is_zero, substituted
from lrfm.problem.jets import JetSymbol, jet_symbol
from lrfm.problem.jumps import vanishes

LAPLACIAN = "lap "  # before the name of a field; no user text can contain the blank


def lowered(problem: Problem) -> Problem:
    """The statement with Δu as a field of its own for each u that is differentiated more than twice; itself where there is none. Unsuited where its derivatives are not those of Δu."""
    if problem.domain.dimension != 2:
        return problem
    tall = [
        f
        for f in problem.fields
        if any(_order(jet) > 2 for row in problem.rows for jet in row.jets if jet.field == f)
    ]
    if not tall:
        return problem
    rows = [_lowered(row, tall) for row in problem.rows]
    origin = (0,) * (problem.domain.dimension + 1)
    for field in tall:
        jet = Jet(field, origin)
        bend = add(*(jet_symbol(jet.raised(k).raised(k)) for k in range(problem.domain.dimension)))
        own = jet_symbol(Jet(f"{LAPLACIAN}{field}", origin))
        rows.append(Row(own - bend, rows[0].coordinates, f"The Laplacian of `{field}`"))
    faces = {part: tuple(_lowered(row, tall) for row in given) for part, given in problem.face_rows.items()}
    kinds = {f"{LAPLACIAN}{field}".partition(".")[0]: float for field in tall}
    other = object.__new__(Problem)
    other.__dict__.update(
        problem.__dict__
        | {
            "fields": (*problem.fields, *(f"{LAPLACIAN}{field}" for field in tall)),
            "rows": tuple(rows),
            "face_rows": faces,
            "_alphabet": replace(problem.alphabet, unknowns={**problem.alphabet.unknowns, **kinds}),
        }
    )
    return other


def laplacian_of(field: str) -> str | None:
    """The u of a w = Δu; None for other fields."""
    return field.removeprefix(LAPLACIAN) if field.startswith(LAPLACIAN) else None


def _order(jet: Jet) -> int:
    return sum(jet.index[:-1])


def _lowered(row: Row, tall: list[str]) -> Row:
    """A row with derivatives of Δu in the place of second and higher ones."""
    high = [jet for jet in row.jets if jet.field in tall and _order(jet) >= 2]
    if not high:
        return row
    slope = {jet: derivative(row.expression, {JetSymbol(jet): ONE}) for jet in high}
    if any(isinstance(s, JetSymbol) and s.jet in slope for c in slope.values() for s in symbols_in(c)):
        raise Unsuited(
            f"{row.label} is not linear in the second and higher derivatives of an unknown, and cells of the plane hold it there."
        )
    parts: list[Expr] = [substituted(row.expression, {jet_symbol(jet): ZERO for jet in high})]
    left: dict[Jet, Expr] = {}
    for jet in sorted(high, key=lambda jet: -jet.index[0]):
        left[jet] = left.get(jet, ZERO) + slope[jet]
    # u_{i,j} = w_{i−2,j} − u_{i−2,j+2}, in space − u_{i−2,j,k+2} as well, from the highest derivative along the first axis on.
    while moving := [jet for jet in left if jet.index[0] >= 2]:
        jet = max(moving, key=lambda jet: jet.index[0])
        c = left.pop(jet)
        lower = (jet.index[0] - 2, *jet.index[1:])
        parts.append(c * jet_symbol(Jet(f"{LAPLACIAN}{jet.field}", lower)))
        for axis in range(1, len(lower) - 1):
            below = Jet(jet.field, lower).raised(axis).raised(axis)
            left[below] = left.get(below, ZERO) - c
    if not all(is_zero(c) or vanishes(c) for c in left.values()):
        raise Unsuited(
            f"{row.label} has derivatives of the second or a higher order that are not those of lap(u), and cells of the plane hold these alone where the order is four."
        )
    return Row(add(*parts), row.coordinates, row.label)
