# SPDX-License-Identifier: MIT
"""Conditions where two layers of a layered domain touch:  [u] = 0  and  [q·n] = 0,  unless something else is said.

The flux q is read off the equation, F = Σ Aᵢⱼ ∂ᵢ∂ⱼu + …: qᵢ = Σⱼ Aᵢⱼ ∂ⱼu on each side with its own parameters, which is k ∇u for ``k*lap(u)``
and for ``diff(k*u_x, x)``. Terms of first order that are not part of ∇·q have to be the same on both sides; else whether their
flux is continuous, too, is for the user to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from lrfm.problem.algebra import ONE, Expr, Symbol, add
from lrfm.problem.alphabet import Alphabet
from lrfm.problem.boundary import CONTINUOUS
from lrfm.problem.conditions import face_rows, read_conditions
from lrfm.problem.equation import Row
from lrfm.problem.errors import ProblemError, Spelled, short
from lrfm.problem.expression import derivative, is_zero
from lrfm.problem.jets import SIDE, GivenSymbol, Jet, JetSymbol
from lrfm.problem.names import JUMP
from lrfm.problem.outflow import OUTFLOW, flux_of, outflow_rows
from lrfm.problem.program import Program
from lrfm.problem.shapes.protocol import Domain, Layered, is_layered
from lrfm.problem.text import total_derivative

ASKED = 7  # points of an interface at which terms of first order are compared
SAME = 1e-9

Equations = Callable[[Alphabet], Sequence[Row]]


def part_rows(
    name: str, condition: object, alphabet: Alphabet, domain: Domain, equations: Equations
) -> tuple[Row, ...]:
    """Rows on one part of the boundary, or on an interface."""
    if is_layered(domain) and name in domain.interfaces:
        return interface_rows(name, condition, alphabet, domain, equations)
    if isinstance(condition, str) and condition.strip().lower() == OUTFLOW and not is_layered(domain):
        open_end = outflow_rows(name, equations(alphabet), domain)
        if open_end is not None:
            return open_end
    return face_rows(name, condition, alphabet, domain)


def interface_rows(
    name: str, condition: object, alphabet: Alphabet, domain: Layered, equations: Equations
) -> tuple[Row, ...]:
    """Rows on one interface; `equations` reads the equations with the names of one layer."""
    if condition is None:
        return ()
    what = f"`boundary` on the interface `{name}`"
    normal = domain.parts[name].normal
    sides = {
        layer: replace(alphabet.of(layer, seen=True), normal=normal) for layer in domain.interfaces[name]
    }
    several = isinstance(condition, Sequence) and not isinstance(condition, str | bytes)
    given = condition if several else [condition]
    rows: list[Row] = []
    for one in given:  # pyright: ignore[reportGeneralTypeIssues, reportOptionalIterable]  (a sequence, or one of them)
        if isinstance(one, str) and one.strip() == CONTINUOUS:
            rows += continuous(name, alphabet, sides, domain, equations)
        else:
            local = replace(_shared(alphabet, sides), sides=sides, normal=normal)
            rows += read_conditions(_written(one, what), local, what)
    for row in rows:
        _check_sides(row, what, sides)
    return tuple(rows)


def _written(condition: object, what: str) -> object:
    """A text without `=` says that what it is does not jump."""
    if not isinstance(condition, str):
        raise ProblemError(
            f"{what} was given as {condition!r}; expected texts such as `u.core - u.shell = 0`, or `k*u_n` for what is continuous."
        )
    return condition if "=" in condition else f"{JUMP}({condition}) = 0"


def _shared(alphabet: Alphabet, sides: dict[str, Alphabet]) -> Alphabet:
    """What names mean without a side: parameters that have one value."""
    one, other = (side.parameters for side in sides.values())
    return replace(
        alphabet, parameters={n: v for n, v in one.items() if other.get(n) == v}, unknowns=alphabet.unknowns
    )


def _check_sides(row: Row, what: str, sides: dict[str, Alphabet]) -> None:
    for jet in row.jets:
        if not jet.side:
            raise ProblemError(
                f"{what} uses `{jet.unknown}`, which has two values there; say which side is meant, "
                + " or ".join(f"`{jet.unknown}.{layer}`" for layer in sides)
                + f", or write `{JUMP}(...)`, the first less the second."
            )


def continuous(
    name: str, alphabet: Alphabet, sides: dict[str, Alphabet], domain: Layered, equations: Equations
) -> list[Row]:
    """u and its flux have no jump."""
    rows = [equations(side) for side in sides.values()]
    what = f"The interface `{name}`"
    orders: dict[str, int] = {}
    for row in rows[0]:
        for jet in row.jets:
            orders[jet.whole] = max(orders.get(jet.whole, 0), sum(jet.index[:-1]))
    for order in orders.values():
        if order not in (0, 2):
            raise _unread(name, f"the equations are of order {order} in space", sides)
    zero, (first, second) = (0,) * (domain.dimension + 1), sides
    found = [
        Row(
            JetSymbol(Jet(f"{f}{SIDE}{first}", zero)) - JetSymbol(Jet(f"{f}{SIDE}{second}", zero)),
            alphabet.coordinates,
            f"{what}, continuity of `{f.partition('.')[0]}`",
        )
        for f, order in orders.items()
        if order == 2
    ]
    for pair in zip(*rows, strict=True):
        fluxes = [_flux(row, side, name, sides) for row, side in zip(pair, sides.values(), strict=True)]
        if all(is_zero(component) for flux in fluxes for component in flux):
            continue
        _check_first_order(name, pair, fluxes, sides, domain)
        normal = domain.parts[name].normal
        one, other = (add(*(n * q for n, q in zip(normal, flux, strict=True))) for flux in fluxes)
        found.append(Row(one - other, alphabet.coordinates, f"{what}, continuity of the flux"))
    return found


def _flux(row: Row, side: Alphabet, name: str, sides: dict[str, Alphabet]) -> list[Expr]:
    """qᵢ = Σⱼ Aᵢⱼ ∂ⱼu for every axis; Aᵢⱼ is half of the coefficient of a mixed derivative."""
    flux = flux_of(row, len(side.axes))
    if flux is None:
        raise _unread(name, "the equations are not linear in second derivatives", sides)
    return flux


def _check_first_order(
    name: str, rows: Sequence[Row], fluxes: Sequence[list[Expr]], sides: dict[str, Alphabet], domain: Layered
) -> None:
    """∂(F − ∇·q)/∂(∂ᵢu) must not differ: a flux of its own would be continuous, or not."""
    points = domain.parts[name].quadrature(ASKED).points
    rng = np.random.default_rng(0)
    full = np.column_stack([points, rng.random(len(points))])
    drawn: dict[tuple[str, tuple[int, ...]], np.ndarray] = {}
    found: list[dict[tuple[str, tuple[int, ...]], np.ndarray]] = []
    for row, flux, side in zip(rows, fluxes, sides.values(), strict=True):
        try:
            spread = [total_derivative(q, a, side, row.label) for q, a in zip(flux, side.axes, strict=True)]
        except ProblemError:
            raise _unread(
                name, "a coefficient is a function whose derivatives are not known", sides
            ) from None
        rest = add(row.expression, *(-part for part in spread))
        jets = [jet for jet in row.jets if sum(jet.index[:-1]) == 1]
        program = Program([derivative(rest, {JetSymbol(jet): ONE}) for jet in jets])
        values: dict[Symbol, np.ndarray] = {Symbol(c): full[:, i] for i, c in enumerate(row.coordinates)}
        for symbol in program.symbols:
            if isinstance(symbol, JetSymbol):
                key = symbol.jet.whole, symbol.jet.index
                values[symbol] = drawn.setdefault(key, rng.normal(size=len(full)))
            elif isinstance(symbol, GivenSymbol):
                values[symbol] = symbol.function(full)
        found.append({(j.whole, j.index): np.asarray(v) for j, v in zip(jets, program(values), strict=True)})
    for key in {*found[0], *found[1]}:
        one, other = (np.broadcast_to(f.get(key, 0.0), (len(full),)) for f in found)
        if np.max(np.abs(one - other)) > SAME * max(1.0, np.max(np.abs(one))):
            raise _unread(
                name, f"their terms in first derivatives of `{key[0]}` differ on its two sides", sides
            )


def _unread(name: str, why: str, sides: dict[str, Alphabet]) -> ProblemError:
    first, second = sides
    unknown = next(iter(next(iter(sides.values())).unknowns))
    return ProblemError(
        f"What is continuous at the interface `{name}` cannot be read off the equations: {why}. Say it in `boundary`, such as ",
        Spelled(
            f"`'{name}': ['{unknown}', 'k*{unknown}_n']`", f'`"{name}" = ["{unknown}", "k*{unknown}_n"]`'
        ),
        f" for what does not jump, or `{short(unknown)}.{first} = ...{unknown}.{second}...`.",
    )
