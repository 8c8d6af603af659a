# SPDX-License-Identifier: MIT
"""Functions from their derivatives:  f(u) with ∂f/∂u_j = A_j(u),  where Σ_j A_j du_j is exact.

Products of powers of unknowns are integrated term by term. A function of one unknown of any other form is integrated by quadrature.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.polynomial import legendre

from lrfm.problem.algebra import (
    MINUS,
    ONE,
    ZERO,
    Call,
    Expr,
    Function,
    Number,
    Power,
    Symbol,
    add,
    factors_of,
    mul,
    power,
    split_number,
    symbols_in,
    terms_of,
)
from lrfm.problem.expression import derivative, expanded, is_zero, log, substituted
from lrfm.problem.program import Program

NODES = 10  # of a panel of quadrature: exact to rounding for what is smooth on it
LEAST = 1e-3  # largest value up to which panels are not made narrower
PANELS = 64  # on the range of values that is looked at
ROUNDING = 1e-12  # part of the largest number of a sum that is taken for zero


def potential(slopes: Mapping[Symbol, Expr]) -> Expr | None:
    """f with ∂f/∂u = slopes[u] for all unknowns u, zero of the integration where nothing says otherwise; None where no such f is found.

    >>> u, v = Symbol("u"), Symbol("v")
    >>> print(potential({u: v, v: u}))
    u*v
    >>> print(potential({u: v, v: ZERO}))
    None
    """
    names = list(slopes)
    rest = {name: expanded(slope) for name, slope in slopes.items()}
    least = ROUNDING * max(abs(split_number(t)[0]) for part in rest.values() for t in terms_of(part))
    total: Expr = ZERO
    for name in names:
        found = _integrated(rest[name], name, names)
        if found is None:
            return _of_one(slopes)
        total = add(total, found)
        rest = {
            other: _rounded(expanded(add(rest[other], -derivative(found, {other: ONE}))), least)
            for other in names
        }
    return total if all(map(is_zero, rest.values())) else None


def _rounded(expression: Expr, least: float) -> Expr:
    """A sum without terms whose numbers are rounding errors: (1.4 − 1)/2 is not 0.2."""
    return add(ZERO, *(term for term in terms_of(expression) if abs(split_number(term)[0]) > least))


def _integrated(expression: Expr, name: Symbol, names: Sequence[Symbol]) -> Expr | None:
    """∫ expression d(name), a sum of products of powers of unknowns."""
    terms = []
    for term in terms_of(expression):
        exponent: Expr = ZERO
        others: list[Expr] = []
        for factor in factors_of(term):
            base, own = factor.args if isinstance(factor, Power) else (factor, ONE)
            if base == name and not symbols_in(own) & {*names}:
                exponent = own
            elif symbols_in(factor) & {*names} and not (base in names and isinstance(own, Number)):
                return None
            else:
                others.append(factor)
        if exponent == MINUS:
            grown = log(name)
        else:
            raised = add(exponent, ONE)
            grown = power(raised, MINUS) * power(name, raised)
        terms.append(mul(grown, *others))
    return add(ZERO, *terms)


def _of_one(slopes: Mapping[Symbol, Expr]) -> Expr | None:
    """f where the slopes speak of one unknown, and of nothing else."""
    moving = {name: slope for name, slope in slopes.items() if not is_zero(slope)}
    if len(moving) != 1:
        return None
    ((name, slope),) = moving.items()
    return None if symbols_in(slope) != {name} else Call(Quadrature(slope, name), (name,))


class Quadrature(Function):
    """f(u) = ∫₀ᵘ f′, f′ given as a formula: a polynomial on each of some panels of equal width, exact to rounding where f′ is smooth."""

    def __init__(self, slope: Expr, name: Symbol):
        # Not one of the functions that texts can name: its own slope makes it.
        self.name = f"integral of {slope}"
        self.slopes: tuple[Callable[..., Expr], ...] = (lambda u: substituted(slope, {name: u}),)
        self.numeric = Panels(Program([slope]), name)


class Panels:
    """∫₀ᵘ of a program on panels that cover all values up to a power of two; the same numbers for the same values, whatever came before."""

    def __init__(self, program: Program, name: Symbol):
        self.program, self.name = program, name
        self._known: dict[float, np.ndarray] = {}

    def __call__(self, u: np.ndarray) -> np.ndarray:
        at = np.asarray(u, dtype=float)
        finite = np.where(np.isfinite(at), at, 0.0)
        reach = 2.0 ** math.ceil(math.log2(max(float(np.max(np.abs(finite), initial=0.0)), LEAST)))
        if reach not in self._known:
            self._known[reach] = self._table(reach)
        scaled = (finite / reach + 1.0) * PANELS
        number = np.minimum(scaled.astype(int), 2 * PANELS - 1)
        place = 2.0 * (scaled - number) - 1.0
        rows = self._known[reach][:, number]
        value = rows[-1]
        for row in rows[-2::-1]:
            value = value * place + row
        return np.where(np.isfinite(at), value, np.nan)

    def _table(self, reach: float) -> np.ndarray:
        """Powers of the place in a panel, the panels from −reach to reach: (powers, panels)."""
        points, weights = legendre.leggauss(NODES)
        edges = reach * np.linspace(-1.0, 1.0, 2 * PANELS + 1)
        half = 0.5 * np.diff(edges)[:, None]
        (found,) = self.program({self.name: (edges[:-1, None] + half * (1 + points)).ravel()})
        values = np.broadcast_to(found, half.size * NODES).reshape(-1, NODES)
        series = (values * weights) @ legendre.legvander(points, NODES - 1) * (np.arange(NODES) + 0.5)
        integral = half.T * legendre.legint(series.T, lbnd=-1)
        totals = np.concatenate([[0.0], np.cumsum(legendre.legval(1.0, integral))])
        powers = np.stack([legendre.leg2poly(column) for column in integral.T], axis=1)
        powers[0] += totals[:-1] - totals[PANELS]
        return powers
