# SPDX-License-Identifier: MIT
"""Conservation form, read off the rows of a statement:  q_t + f(q, x, t)_x = Φ(q)_xx + s(q, x, t);  in boxes  q_t + Σ_k f_k(q, x, t)_{x_k} = s.

A row  Σ_j G_j(u) u_j,t + Σ_j A_j(u, x, t) u_j,x + r(u, x, t) = 0  is one where G and A are gradients in u: G = ∇g, A = ∇f. Then
q = g(u) is conserved, and  s = f_x − r  at fixed u. So `u_t + u*u_x = 0` has the flux u²/2, and
`diff(h*v, t) + diff(h*v**2 + 9.81*h**2/2, x) = 0` conserves h v, whatever was multiplied out meanwhile. What stands before second derivatives is the gradient of Φ, where it
depends on the unknowns alone:  Φ_xx = Σ_j Φ_j u_j,xx + Σ_jk Φ_jk u_j,x u_k,x.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from lrfm.problem.algebra import (
    MINUS,
    ONE,
    ZERO,
    Call,
    Expr,
    Number,
    Power,
    Symbol,
    power,
    symbols_in,
    whole,
)
from lrfm.problem.antiderivatives import potential
from lrfm.problem.equation import Row
from lrfm.problem.expression import choice, derivative, expanded, is_zero, jumps, log, sign, substituted
from lrfm.problem.jets import FieldSymbol, GivenSymbol, Jet, JetSymbol, jet_symbol
from lrfm.problem.problem import Problem

VALUE, RATE, SLOPE, BEND = (0, 0), (0, 1), (1, 0), (2, 0)  # on an interval
Index = tuple[int, ...]


@dataclass(frozen=True)
class ConservationLaw:
    """q_t + f_x = s in conserved quantities, and the unknowns u(q) that were asked for.

    Parameters
    ----------
    fields
        Names of the unknowns, in the order of the statement.
    symbols
        Of the conserved quantities q in the formulas: those of the unknowns where these are conserved themselves.
    flux, source
        f and s, formulas in q, x, t.
    unknowns
        u(q), formulas in q.
    conserved
        g(u), formulas in the unknowns' own symbols.
    positive
        Formulas in q that have to keep the sign they begin with: bases of negative or broken powers, arguments of logarithms.
    diffused
        Φ, formulas in q; empty where nothing diffuses.
    across
        Fluxes along the other axes of a box.
    """

    fields: tuple[str, ...]
    symbols: tuple[Symbol, ...]
    flux: tuple[Expr, ...]
    source: tuple[Expr, ...]
    unknowns: tuple[Expr, ...]
    conserved: tuple[Expr, ...]
    positive: tuple[Expr, ...]
    diffused: tuple[Expr, ...] = ()
    across: tuple[tuple[Expr, ...], ...] = ()

    def along(self, axis: int) -> ConservationLaw:
        """q_t + f_axis = s, with the flux along one axis alone."""
        return replace(self, flux=(self.flux, *self.across)[axis], across=())

    @property
    def plain(self) -> bool:
        """Whether the unknowns are what is conserved."""
        return all(q == u for q, u in zip(self.symbols, self.unknowns, strict=True))


@dataclass(frozen=True)
class NotConserved:
    """Why a statement is no conservation law; `why` is a sentence about the row."""

    why: str


def conservation_law(problem: Problem) -> ConservationLaw | NotConserved:
    """The conservation form of a statement of first order in time, and of first order in space, on a box; on an interval also of second order."""
    fields = tuple(problem.fields)
    if not problem.domain.is_box or problem.functionals:
        return NotConserved("Fluxes are known for boxes, without means and values in formulas.")
    if len(problem.rows) != len(fields):
        return NotConserved("There are not as many equations as unknowns.")
    value = (0,) * (problem.domain.dimension + 1)
    unknowns = tuple(jet_symbol(Jet(field, value)) for field in fields)
    rows = [_read(row, fields, unknowns) for row in problem.rows]
    for found in rows:
        if isinstance(found, NotConserved):
            return found
    read = [found for found in rows if not isinstance(found, NotConserved)]
    return _in_conserved(fields, unknowns, tuple(found.conserved for found in read), read)


def _read(row: Row, fields: Sequence[str], unknowns: tuple[Symbol, ...]) -> _Read | NotConserved:
    """g, the fluxes, s and Φ of one row."""
    axes = range(len(row.coordinates) - 1)
    value, rate, *slopes = _orders(len(axes))
    bends = (BEND,) if len(axes) == 1 else ()
    if any(jet.field not in fields or jet.index not in (value, rate, *slopes, *bends) for jet in row.jets):
        return NotConserved(f"{row.label} has derivatives beyond those of a conservation law.")
    diffusion = _diffusion(row, unknowns)
    if isinstance(diffusion, NotConserved):
        return diffusion
    phi, expression = diffusion
    parts = {
        index: {u: expanded(derivative(expression, {_of(u, index): ONE})) for u in unknowns}
        for index in (rate, *slopes)
    }
    moving = {_of(u, index) for u in unknowns for index in (rate, *slopes, *bends)}
    if any(symbols_in(part) & moving for own in parts.values() for part in own.values()):
        return NotConserved(f"{row.label} is not linear in its derivatives, and is no conservation law.")
    if any(symbols_in(part) - {*unknowns} for part in parts[rate].values()):
        return NotConserved(f"{row.label} has rates with coefficients that depend on x or t.")
    before = [part for index in slopes for part in parts[index].values()]
    given = [s for part in before for s in symbols_in(part) if isinstance(s, GivenSymbol)]
    if any(not isinstance(s, FieldSymbol) for s in given) or any(map(jumps, before)):
        return NotConserved(f"{row.label} has a coefficient whose slope is not known, or that jumps.")
    g, fluxes = potential(parts[rate]), [potential(parts[index]) for index in slopes]
    if g is None or any(f is None for f in fluxes):
        return NotConserved(
            f"{row.label} has no flux: what stands before its derivatives is no gradient in the unknowns."
        )
    source = -substituted(expression, dict.fromkeys(moving, ZERO))
    for axis, f in zip(axes, fluxes, strict=True):
        seeds: dict[Symbol, Expr] = {Symbol(row.coordinates[axis]): ONE}
        for symbol in symbols_in(f or ZERO):
            if isinstance(symbol, FieldSymbol):
                seeds[symbol] = symbol.raised(axis) or ZERO
        source = source + derivative(f or ZERO, seeds)
    return _Read(g, tuple(f or ZERO for f in fluxes), source, phi)


@dataclass(frozen=True)
class _Read:
    """g, f along each axis, s and Φ of one row."""

    conserved: Expr
    fluxes: tuple[Expr, ...]
    source: Expr
    diffused: Expr


def _orders(dimension: int) -> list[Index]:
    """Multi-indices of values, of rates, and of slopes along each axis."""
    value = (0,) * (dimension + 1)
    return [value, (*value[:-1], 1), *((*value[:k], 1, *value[k + 1 :]) for k in range(dimension))]


def _diffusion(row: Row, unknowns: tuple[Symbol, ...]) -> tuple[Expr, Expr] | NotConserved:
    """Φ of one row, and the row without Φ_xx; none in boxes of more dimensions."""
    if len(row.coordinates) > 2:
        return ZERO, row.expression
    bends = {u: -derivative(row.expression, {_of(u, BEND): ONE}) for u in unknowns}
    if all(map(is_zero, bends.values())):
        return ZERO, row.expression
    if any(symbols_in(part) - {*unknowns} for part in bends.values()):
        return NotConserved(
            f"{row.label} has second derivatives with coefficients of more than the unknowns."
        )
    phi = potential(bends)
    if phi is None:
        return NotConserved(
            f"{row.label}: what stands before second derivatives is no gradient in the unknowns."
        )
    rest = substituted(row.expression, {_of(u, BEND): ZERO for u in unknowns})
    for u, part in bends.items():
        for v in unknowns:
            rest = rest + derivative(part, {v: ONE}) * _of(u, SLOPE) * _of(v, SLOPE)
    return phi, expanded(rest)


def _of(unknown: Symbol, index: Index) -> Symbol:
    assert isinstance(unknown, JetSymbol)
    return jet_symbol(Jet(unknown.jet.field, index))


def _in_conserved(
    fields: tuple[str, ...],
    unknowns: tuple[Symbol, ...],
    conserved: tuple[Expr, ...],
    rows: Sequence[_Read],
) -> ConservationLaw | NotConserved:
    """All rows in q; the order of q is that in which its rows determine the unknowns one after another."""
    solved: dict[Symbol, Expr] = {}
    symbols: dict[int, Symbol] = {}
    while len(solved) < len(unknowns):
        before = len(solved)
        for e, g in enumerate(conserved):
            left = [u for u in unknowns if u not in solved and u in symbols_in(g)]
            if e in symbols or len(left) != 1:
                continue
            (u,) = left
            slope = expanded(derivative(g, {u: ONE}))
            if u in symbols_in(slope):
                return NotConserved(f"What is conserved cannot be solved for `{_name(u)}`.")
            plain = is_zero(expanded(g - u))
            symbols[e] = u if plain else Symbol(f"q<{e}>")
            rest = substituted(g, {**solved, u: ZERO})
            solved[u] = u if plain else (symbols[e] - rest) * power(substituted(slope, solved), MINUS)
        if len(solved) == before:
            return NotConserved("What is conserved does not determine the unknowns one after another.")
    # Row by row of the unknowns: the quantity that determines u_j is the j-th.
    owner = {u: e for e, g in enumerate(conserved) for u in unknowns if _determines(symbols, solved, e, u)}
    order = [owner[u] for u in unknowns]
    fluxes = [
        tuple(substituted(rows[e].fluxes[k], solved) for e in order) for k in range(len(rows[0].fluxes))
    ]
    source = tuple(substituted(rows[e].source, solved) for e in order)
    diffused = tuple(substituted(rows[e].diffused, solved) for e in order)
    found = tuple(solved[u] for u in unknowns)
    return ConservationLaw(
        fields,
        tuple(symbols[e] for e in order),
        fluxes[0],
        source,
        found,
        tuple(conserved[e] for e in order),
        tuple(dict.fromkeys(p for f in (*chain(*fluxes), *source, *found) for p in _bases(f))),
        () if all(map(is_zero, diffused)) else diffused,
        tuple(fluxes[1:]),
    )


def _determines(symbols: dict[int, Symbol], solved: dict[Symbol, Expr], e: int, u: Symbol) -> bool:
    """Whether the unknown was solved for from the row's quantity."""
    q = symbols[e]
    return q == u or (
        q in symbols_in(solved[u]) and not any(q in symbols_in(s) for v, s in _before(solved, u))
    )


def _before(solved: dict[Symbol, Expr], u: Symbol) -> list[tuple[Symbol, Expr]]:
    """What was solved for earlier."""
    names = list(solved)
    return [(v, solved[v]) for v in names[: names.index(u)]]


def _name(unknown: Symbol) -> str:
    assert isinstance(unknown, JetSymbol)
    return unknown.jet.field


def _bases(expression: Expr) -> list[Expr]:
    """What must not change its sign in a formula, as a sum or a symbol that contains unknowns."""
    from lrfm.problem.algebra import postorder

    found = []
    for node in postorder(expression):
        if isinstance(node, Power) and isinstance(node.exponent, Number):
            if node.exponent.value < 0 or not whole(node.exponent):
                found.append(node.base)
        elif isinstance(node, Call) and node.function is log:
            found.append(node.args[0])
        elif isinstance(node, Call) and node.function in (choice, sign):
            continue
    return found
