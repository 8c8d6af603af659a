# SPDX-License-Identifier: MIT
"""Places of an interval at which a flux is continuous and its coefficient is not:  [u] = 0,  [k u_x] = 0  where k jumps in ∂ₓ(k u_x).

The derivative of the flux is f(x) ∂ₓ(k u_x) + b u_xx = a u_xx + … + f δ(x − x₀) [k] u_x. With both coefficients on either side, a± = f± k± + b and d± = f± [k], and ρ = d₊/d₋ = f₊/f₋,

    a₊ − ρ a₋ = d₊,      a₊ u_x(x₀+) − ρ a₋ u_x(x₀−) = 0.

The first says that the jump of a is that of a flux, and the second is the condition: what is multiplied by δ has to vanish. An equation without δ has d = 0 and ρ = 1: where a does not jump
slopes of other fields may still do so, and its own condition balances them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from lrfm.discretize.options import ROUNDING
from lrfm.problem import Jet, Problem, Row
from lrfm.problem.algebra import ONE, ZERO, Call, Expr, Symbol, add, number, postorder, symbols_in
from lrfm.problem.expression import choice, delta, derivative, is_zero, rewritten, sign, substituted
from lrfm.problem.jets import SIDE, JetSymbol, jet_symbol
from lrfm.problem.jumps import vanishes
from lrfm.problem.landmarks import zeros
from lrfm.problem.program import Program

BELOW, ABOVE = "below", "above"  # names of the two sides of a place


class InnerFlux(NamedTuple):
    """A row that holds at a place inside of the interval, and the field that it determines there."""

    row: Row
    field: str
    place: float


class NoFlux(ValueError):
    """What jumps is not the coefficient of a flux; the message says why."""


def inner_fluxes(problem: Problem, equations: Mapping[str, Row], low: float, high: float) -> list[InnerFlux]:
    """As many conditions at each place at which a flux is continuous as there are orders in space; `equations` by the field that each is paired with. NoFlux where there are none."""
    orders = {f: 0 for f in equations}
    for row in equations.values():
        for jet in row.jets:
            if jet.whole in orders:
                orders[jet.whole] = max(orders[jet.whole], jet.index[0])
    found: list[InnerFlux] = []
    for place in _places(problem, equations.values(), low, high):
        if max(orders.values()) > 2:
            raise NoFlux("beside derivatives of third order or higher other conditions hold where it jumps")
        for field, row in equations.items():
            found += _conditions(problem, field, row, orders[field], place, ROUNDING.zero * (high - low))
    return found


def _places(problem: Problem, rows: Iterable[Row], low: float, high: float) -> list[float]:
    """Zeros of what decides, inside of the interval, each once."""
    (name,) = problem.domain.names
    deciding = dict.fromkeys(g for row in rows for g in _deltas(row.expression))
    if any(symbols_in(g) != {Symbol(name)} for g in deciding):
        raise NoFlux("it moves with the domain")
    at = np.sort([place for g in deciding for place in zeros(g, name, low, high)])
    near = ROUNDING.zero * (high - low)
    at = at[(at > low + near) & (at < high - near)]
    return at[np.append(True, np.diff(at) > near)].tolist() if len(at) else []


def _deltas(expression: Expr) -> list[Expr]:
    return [n.args[0] for n in postorder(expression) if isinstance(n, Call) and n.function is delta]


def _conditions(
    problem: Problem, field: str, row: Row, order: int, place: float, near: float
) -> list[InnerFlux]:
    """[u] = 0, and the balance of fluxes of the equation of u."""
    found = []
    if order:
        zero = Jet(field, (0, 0))
        gap = _seen(jet_symbol(zero), ABOVE) - _seen(jet_symbol(zero), BELOW)
        found.append(_row(gap, field, f"continuity of `{field.partition('.')[0]}`", row, place))
    above, below = (_side(row, place, near * way) for way in (1, -1))
    if order < 2:
        if above.highest or below.highest:
            raise NoFlux("second derivatives stand in an equation that has none of the unknown it determines")
        return found
    flux = _flux(above, below, field)
    return [*found, _row(flux, field, "continuity of the flux", row, place)]


def _row(formula: Expr, field: str, said: str, row: Row, place: float) -> InnerFlux:
    name = row.coordinates[0]
    return InnerFlux(
        Row(formula, row.coordinates, f"{row.label}, {said} at {name} = {place:g}"), field, place
    )


class _Side(NamedTuple):
    """Coefficients on one side of a place: a of second derivatives, by these, and d, what δ is multiplied by."""

    highest: dict[Jet, Expr]
    single: Expr


def _side(row: Row, place: float, way: float) -> _Side:
    """The coefficients of a row at a place, with what its switches choose at a distance `way` from it."""
    x = Symbol(row.coordinates[0])
    deltas = dict.fromkeys(_deltas(row.expression))
    marks = {g: Symbol(f"<delta {n}>") for n, g in enumerate(deltas)}
    plain = _chosen(row.expression, x, place, way, marks)
    single = []
    for g, mark in marks.items():
        if _at(g, x, place + way) * _at(g, x, place - way) < 0:
            speed = abs(_at(derivative(g, {x: ONE}), x, place))
            single.append(derivative(plain, {mark: ONE}) * number(1 / speed))
    nothing: dict[Expr, Expr] = {mark: ZERO for mark in marks.values()}
    regular = substituted(plain, nothing)
    second = [jet for jet in row.jets if jet.index[0] == 2]
    here: dict[Expr, Expr] = {x: number(place)}
    highest = {jet: substituted(derivative(regular, {JetSymbol(jet): ONE}), here) for jet in second}
    if any(isinstance(s, JetSymbol) and s.jet.index[0] == 2 for c in highest.values() for s in symbols_in(c)):
        raise NoFlux("the equation is not linear in second derivatives")
    return _Side(highest, substituted(add(*single), here))


def _chosen(expression: Expr, x: Symbol, place: float, way: float, marks: Mapping[Expr, Symbol]) -> Expr:
    """A formula with what its switches on x choose beside a place, and with symbols for δ."""

    def chosen(node: Expr, args: tuple[Expr, ...]) -> Expr | None:
        kind = node.function if isinstance(node, Call) else None
        if kind is delta:
            return marks[node.args[0]]
        if kind not in (choice, sign) or symbols_in(node.args[0]) != {x}:
            return None
        upper, lower = args[1:] if kind is choice else (ONE, -ONE)
        return upper if _at(node.args[0], x, place + way) > 0 else lower

    return rewritten(expression, chosen)


def _at(g: Expr, x: Symbol, place: float) -> float:
    return float(Program([g])({x: np.array(place)})[0])


def _flux(above: _Side, below: _Side, field: str) -> Expr:
    """Σ a₊ u_x(x₀+) − ρ a₋ u_x(x₀−)."""
    slopes = {jet: jet_symbol(Jet(jet.field, (1, *jet.index[1:]))) for jet in above.highest}

    def linear(side: _Side) -> dict[Jet, Expr]:
        found = {jet: derivative(side.single, {slope: ONE}) for jet, slope in slopes.items()}
        if not vanishes(side.single - add(*(found[jet] * slope for jet, slope in slopes.items()))):
            raise NoFlux("more jumps there than coefficients of second derivatives")
        return found

    up, down = linear(above), linear(below)
    told = next((jet for jet in slopes if not is_zero(down[jet])), None)
    ratio = ONE if told is None or vanishes(up[told] - down[told]) else up[told] / down[told]
    gaps = {jet: above.highest[jet] - ratio * below.highest[jet] - up[jet] for jet in slopes}
    if not all(map(vanishes, gaps.values())):
        alone = {jet.whole for jet in slopes} == {field}
        if told is None and alone:  # a(x) u_xx with a that jumps: u_x does not
            jet = next(iter(slopes))
            return _seen(slopes[jet], ABOVE) - _seen(slopes[jet], BELOW)
        raise NoFlux("coefficients of second derivatives jump there that are not those of one flux")
    one = add(*(_seen(c * slopes[jet], ABOVE) for jet, c in above.highest.items()))
    other = add(*(_seen(ratio * c * slopes[jet], BELOW) for jet, c in below.highest.items()))
    return one - other


def _seen(formula: Expr, side: str) -> Expr:
    """A formula with unknowns as they are on one side."""
    jets = [s.jet for s in symbols_in(formula) if isinstance(s, JetSymbol)]
    return substituted(
        formula, {jet_symbol(j): jet_symbol(Jet(f"{j.field}{SIDE}{side}", j.index)) for j in jets}
    )
