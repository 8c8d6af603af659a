# SPDX-License-Identifier: MIT
"""An open end of a flow:  ν ∂u_k/∂n = p n_k  for every component, the natural condition of the equations ("do nothing"; Heywood, Rannacher, Turek, Int. J. Numer. Methods Fluids 22, 1996).

Written as ``"outflow"``. It is read off the equations: with  F = Σ A_ij ∂_i∂_j u + c·∇p + …  it is  Σ n_i (A_ij ∂_j u + c_i p) = 0,  on a part of any direction. Unknowns that the pressure does
not drive, such as a temperature, have no flux by diffusion there.
"""

from __future__ import annotations

from collections.abc import Sequence

from lrfm.problem.algebra import ONE, ZERO, Expr, add, number, symbols_in
from lrfm.problem.equation import Row
from lrfm.problem.expression import derivative, is_zero
from lrfm.problem.jets import Jet, JetSymbol, jets_among
from lrfm.problem.shapes.protocol import Domain

OUTFLOW = "outflow"


def flux_of(row: Row, axes: int) -> list[Expr] | None:
    """qᵢ = Σⱼ Aᵢⱼ ∂ⱼu for every axis; Aᵢⱼ is half of the coefficient of a mixed derivative. None where the row is not linear in second derivatives."""
    flux: list[list[Expr]] = [[] for _ in range(axes)]
    for jet in row.jets:
        if sum(jet.index[:-1]) != 2:
            continue
        coefficient = derivative(row.expression, {JetSymbol(jet): ONE})
        if any(sum(other.index[:-1]) > 1 for other in jets_among(symbols_in(coefficient))):
            return None
        places = [i for i, n in enumerate(jet.index[:-1]) for _ in range(n)]
        for i in set(places):
            lowered = Jet(jet.field, tuple(n - (k == i) for k, n in enumerate(jet.index)))
            flux[i].append(number(1 / len(set(places))) * coefficient * JetSymbol(lowered))
    return [add(*terms) if terms else ZERO for terms in flux]


def pressures(rows: Sequence[Row]) -> list[str]:
    """Fields of which equations hold first derivatives in space and nothing else, where one equation is a divergence: a sum of first derivatives of others."""
    jets = {jet for row in rows for jet in row.jets}
    found = [
        field
        for field in dict.fromkeys(jet.field for row in rows for jet in row.jets)
        if all(sum(j.index) == 1 and not j.index[-1] for j in jets if j.field == field)
    ]
    return [
        field
        for field in found
        if any(
            row.jets and all(sum(j.index) == 1 and not j.index[-1] and j.field != field for j in row.jets)
            for row in rows
        )
    ]


def velocities(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """Fields whose divergence Σ_k ∂u_k/∂x_k, times a number, is given where there is a pressure: they are the components of one vector, in units of each other."""
    if not pressures(rows):
        return []
    found = []
    for row in rows:
        first = all(sum(j.index) == 1 and not j.index[-1] for j in row.jets)
        if not first or not row.linear or len(row.jets) < 2:
            continue
        axes, numbers = [j.index.index(1) for j in row.jets], [row.linear_part[j] for j in row.jets]
        fields = [j.field for j in row.jets]
        apart = len(set(axes)) == len(set(fields)) == len(row.jets)
        if apart and not numbers[0].symbols and all(is_zero(n - numbers[0]) for n in numbers):
            found.append(tuple(field for _, field in sorted(zip(axes, fields, strict=True))))
    return found


def outflow_rows(name: str, rows: Sequence[Row], domain: Domain) -> tuple[Row, ...] | None:
    """The conditions on one part; None where the equations have no pressure."""
    driving, normal = pressures(rows), domain.parts[name].normal
    if len(driving) != 1:
        return None
    found = []
    for row in rows:
        flux = flux_of(row, domain.dimension)
        if flux is None or all(map(is_zero, flux)):
            continue
        zero = (0,) * (domain.dimension + 1)
        terms = [n * q for n, q in zip(normal, flux, strict=True)]
        for jet in row.jets:
            if jet.field in driving:
                slope = derivative(row.expression, {JetSymbol(jet): ONE})
                terms.append(normal[jet.index.index(1)] * slope * JetSymbol(Jet(jet.field, zero)))
        found.append(Row(add(*terms), row.coordinates, f"`boundary` on `{name}`"))
    return tuple(found)
