# SPDX-License-Identifier: MIT
"""Equations whose coefficients have a pole at an end:  u_t = u_xx + (2/x) u_x + s  becomes  x u_t = x u_xx + 2 u_x + x s.

Nothing in them is infinite then: what is given is held by polynomials, where 1/x on (0, 1) never is, however narrow the cells. A regular singular point of an
equation of second order (Bessel's, Legendre's) has solutions that are smooth there, and conditions that pick them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from lrfm.problem.algebra import (
    ONE,
    ZERO,
    Expr,
    Number,
    Power,
    Symbol,
    add,
    factors_of,
    mul,
    number,
    postorder,
    power,
    symbols_in,
    terms_of,
    whole,
)
from lrfm.problem.equation import Row
from lrfm.problem.expression import derivative, expanded
from lrfm.problem.jets import JetSymbol
from lrfm.problem.program import Program

PLACES = 101  # at which a sign is looked at


def cleared(row: Row, bases: Iterable[Expr], least: int = 0) -> Row:
    """Π bᵏ F without negative powers of formulas b among the factors of its terms, k at least `least` where there are any; else the row itself."""
    terms = terms_of(expanded(row.expression))
    lowest = [(b, min(_exponent(term, b) for term in terms)) for b in bases]
    by = mul(ONE, *(power(b, number(float(max(least, math.ceil(-n))))) for b, n in lowest if n < 0))
    if by == ONE:
        return row
    return Row(add(ZERO, *(mul(by, term) for term in terms)), row.coordinates, row.label)


def without_poles(row: Row, axes: Mapping[str, tuple[float, float]]) -> Row:
    """An equation of second or higher order along the one axis there is, multiplied by what vanishes at an end of it and stands in denominators."""
    if len(axes) != 1 or all(jet.index[0] < 2 for jet in row.jets):
        return row
    ((name, ends),) = axes.items()
    x = Symbol(name)
    bases = [
        node.base
        for node in postorder(row.expression)
        if isinstance(node, Power)
        and isinstance(node.exponent, Number)
        and whole(node.exponent)
        and node.exponent.value < 0
        and symbols_in(node.base) == {x}
        and _at_an_end(node.base, x, ends)
    ]
    return cleared(row, bases)


def without_poles_of_rates(row: Row) -> Row:
    """An equation of one axis, multiplied by formulas of unknowns that stand in denominators of what rates are multiplied by: (1 + f′(c)) c_t with f = 2c/(1 + 3c).

    A state that swings below the pole, as polynomials beside a jump do, has no capacity without an end then.
    """
    if not any(_divides(node) for node in postorder(row.pattern)):
        return row  # nothing is multiplied out for nothing
    bases = [
        factor.base
        for term in terms_of(expanded(row.expression))
        if any(isinstance(s, JetSymbol) and s.jet.index[-1] for s in symbols_in(term))
        for factor in factors_of(term)
        if isinstance(factor, Power) and _divides(factor)
    ]
    return cleared(row, dict.fromkeys(bases))


def _divides(node: Expr) -> bool:
    """Whether it is one over a formula of unknowns."""
    under = isinstance(node, Power) and isinstance(node.exponent, Number) and node.exponent.value < 0
    return under and any(isinstance(s, JetSymbol) for s in symbols_in(node.args[0]))


def _at_an_end(formula: Expr, x: Symbol, ends: tuple[float, float]) -> bool:
    """Whether a formula of x is zero at an end, |b| ≤ ε |x b′|, and has one sign inside: what vanishes there is a pole that nothing removes."""
    found = Program([formula, derivative(formula, {x: ONE})])({x: np.linspace(*ends, PLACES)})
    values, slopes = (np.broadcast_to(v, (PLACES,)) for v in found)
    most = 4 * np.finfo(float).eps * max(map(abs, ends))
    if not (np.isfinite(values).all() and np.isfinite(slopes).all()):
        return False
    zero = np.abs(values[[0, -1]]) <= most * np.abs(slopes[[0, -1]])
    return bool(zero.any() and (np.all(values[1:-1] > 0) or np.all(values[1:-1] < 0)))


def _exponent(term: Expr, base: Expr) -> float:
    """The power of a formula in a product."""
    total = 0.0
    for factor in factors_of(term):
        if factor == base:
            total += 1.0
        elif isinstance(factor, Power) and factor.base == base and isinstance(factor.exponent, Number):
            total += factor.exponent.value
    return total
