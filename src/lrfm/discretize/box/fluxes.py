# SPDX-License-Identifier: MIT
"""Terms written as derivatives of something simpler:  Σ terms = Σ_a Dᵃ G_a(u):  u u_x = (u²/2)_x,  3u²u_xx + 6u u_x² = (u³)_xx.

On a grid G takes one transform per unknown, and its derivatives are products with numbers. The form is found term by term, from the highest derivatives on: c u^p Dᵃu, with
other factors that are not differentiated, is the first term of Dᵃ(c u^{p+1}/(p + 1)). It is used where it needs fewer transforms. What is carried by a velocity without divergence is a flux with f times
the constraint added:  u f_x + v f_y + f (u_x + v_y) = (uf)_x + (vf)_y.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from lrfm.discretize.options import ROUNDING, SAFEGUARDS
from lrfm.problem.algebra import Expr, Number, Power, Product, Sum, add, mul, number, power
from lrfm.problem.jets import Jet, JetSymbol
from lrfm.spaces.orders import MultiIndex

Monomial = tuple[tuple[Jet, int], ...]  # jets with their powers, sorted
Polynomial = dict[Monomial, float]
Symbols = tuple[tuple[MultiIndex, float], ...]  # Σ factor Dᵃ


def as_fluxes(
    rest: Expr, dimension: int, constraints: Sequence[Polynomial] = ()
) -> list[tuple[Symbols, Expr]]:
    """Pairs (Σ c Dᵃ, G) whose sum is the rest, where the constraints, linear with numbers as coefficients, are zero."""
    plain: list[tuple[Symbols, Expr]] = [((((0,) * dimension, 1.0),), rest)]
    polynomial = _polynomial(rest)
    if polynomial is None:
        return plain
    polynomial = {m: c for m, c in polynomial.items() if c}
    found = _integrated(dict(polynomial), dimension)
    for constraint in constraints if found is None else ():
        with_it = _integrated(_carried(polynomial, constraint), dimension)
        found = with_it if found is None else found
    if found is None or _cost(found) >= len({jet for m in polynomial for jet, _ in m}) + 1:
        return plain
    return [(symbols, _formula(dict(g))) for g, symbols in found.items()]


def shared(formulas: Sequence[Expr]) -> list[tuple[float, float, Expr]]:
    """c, s and G with c + sG for each formula, so that those of several equations which differ by numbers alone, u²v and 1 − u²v, take one transform; 0, 1 and the formula itself where it has no such partner."""
    parts = [_monic(formula) for formula in formulas]
    often = Counter(part[2] for part in parts if part is not None)
    common = {key: _formula(dict(key)) for key, count in often.items() if count > 1}
    return [
        (part[0], part[1], common[part[2]]) if part is not None and part[2] in common else (0.0, 1.0, formula)
        for part, formula in zip(parts, formulas, strict=True)
    ]


def _monic(formula: Expr) -> tuple[float, float, tuple[tuple[Monomial, float], ...]] | None:
    """c, s and the items of G, whose first coefficient is one; None where a formula is no polynomial, or a number."""
    polynomial = {m: c for m, c in (_polynomial(formula) or {}).items() if c}
    alone = polynomial.pop((), 0.0)
    if not polynomial:
        return None
    scale = polynomial[min(polynomial)]
    return alone, scale, tuple(sorted((m, c / scale) for m, c in polynomial.items()))


def _cost(found: Mapping[tuple, Symbols]) -> int:
    """Transforms: one per unknown, and one per G."""
    return len({jet for g in found for m, _ in g for jet, _ in m}) + len(found)


def _polynomial(expression: Expr) -> Polynomial | None:
    """An expression as a polynomial of jets with numbers as coefficients; None where it is none."""
    if isinstance(expression, Number):
        return {(): expression.value}
    if isinstance(expression, JetSymbol):
        return {((expression.jet, 1),): 1.0}
    if isinstance(expression, Sum):
        total: Polynomial = {}
        for part in expression.args:
            own = _polynomial(part)
            if own is None:
                return None
            for m, c in own.items():
                total[m] = total.get(m, 0.0) + c
        return total if len(total) <= SAFEGUARDS.terms else None
    if isinstance(expression, Product):
        factors = [_polynomial(a) for a in expression.args]
        return None if any(f is None for f in factors) else _product([f for f in factors if f is not None])
    if isinstance(expression, Power) and isinstance(expression.exponent, Number):
        n, base = expression.exponent.value, _polynomial(expression.base)
        if base is None or n != round(n) or not 0 < n <= SAFEGUARDS.terms:
            return None
        return _product([base] * int(n))
    return None


def _product(factors: list[Polynomial]) -> Polynomial | None:
    result: Polynomial = {(): 1.0}
    for factor in factors:
        if len(result) * len(factor) > SAFEGUARDS.terms:
            return None
        new: Polynomial = {}
        for m, c in result.items():
            for n, d in factor.items():
                key = _times(m, n)
                new[key] = new.get(key, 0.0) + c * d
        result = new
    return result


def _times(m: Monomial, n: Monomial) -> Monomial:
    powers = dict(m)
    for jet, p in n:
        powers[jet] = powers.get(jet, 0) + p
    return tuple(sorted(powers.items()))


def _derivative(polynomial: Polynomial, axis: int) -> Polynomial:
    result: Polynomial = {}
    for m, c in polynomial.items():
        for jet, p in m:
            others = [(j, q - (j == jet)) for j, q in m]
            key = _times(tuple((j, q) for j, q in others if q), ((jet.raised(axis), 1),))
            result[key] = result.get(key, 0.0) + c * p
    return result


def _integrated(left: Polynomial, dimension: int) -> dict[tuple, Symbols] | None:
    """G, as items of a polynomial, with the derivatives that stand before it; None where some term is no derivative."""
    fluxes: dict[MultiIndex, Polynomial] = {}
    order = lambda m: max((sum(jet.index) for jet, _ in m), default=0)  # noqa: E731
    for _ in range(SAFEGUARDS.terms):
        moving = [m for m in left if order(m) > 0]
        if not moving:
            break
        top = max(map(order, moving))
        chosen = [m for m in moving if order(m) == top and _single(m)]
        if not chosen:
            return None
        m = chosen[0]
        high = next(jet for jet, _ in m if sum(jet.index))
        low = Jet(high.field, (0,) * len(high.index))
        index = high.index[:-1]
        if high.index[-1]:
            return None
        rest = tuple((j, p) for j, p in m if j != high)
        g = _times(rest, ((low, 1),))
        factor = left[m] / dict(g)[low]
        own = fluxes.setdefault(index, {})
        own[g] = own.get(g, 0.0) + factor
        expanded: Polynomial = {g: factor}
        for axis, n in enumerate(index):
            for _ in range(n):
                expanded = _derivative(expanded, axis)
        size = max(map(abs, left.values()))
        for key, c in expanded.items():
            left[key] = left.get(key, 0.0) - c
            if abs(left[key]) <= ROUNDING.sums * size:
                del left[key]
    else:
        return None
    if left:
        own = fluxes.setdefault((0,) * dimension, {})
        for m, c in left.items():
            own[m] = own.get(m, 0.0) + c
    grouped: dict[tuple, list[tuple[MultiIndex, float]]] = {}
    for index, g in fluxes.items():
        scale = g[min(g)]
        key = tuple(sorted((m, c / scale) for m, c in g.items()))
        grouped.setdefault(key, []).append((index, scale))
    return {g: tuple(symbols) for g, symbols in grouped.items()}


def _carried(polynomial: Polynomial, constraint: Polynomial) -> Polynomial:
    """A polynomial plus s f Σ c_a ∂_a u_a for every f that is carried by all u_a alike:  s c_a u_a ∂_a f  are among its terms."""
    result, velocity = dict(polynomial), []
    for ((jet, _),), c in constraint.items():
        axes = [a for a, n in enumerate(jet.index) if n]
        if len(axes) != 1 or jet.index[axes[0]] != 1:
            return result
        velocity.append((Jet(jet.field, (0,) * len(jet.index)), axes[0], c))
    for f in {Jet(jet.field, (0,) * len(jet.index)) for m in polynomial for jet, _ in m}:
        factors = {
            polynomial.get(_times(((u, 1),), ((f.raised(axis), 1),)), 0.0) / c for u, axis, c in velocity
        }
        if len(factors) == 1:
            (factor,) = factors
            for m, c in constraint.items():
                key = _times(m, ((f, 1),))
                result[key] = result.get(key, 0.0) + factor * c
    return {m: c for m, c in result.items() if c}


def _single(m: Monomial) -> bool:
    """Whether one factor alone is differentiated, and once."""
    moving = [(jet, p) for jet, p in m if sum(jet.index)]
    return len(moving) == 1 and moving[0][1] == 1


def _formula(polynomial: Polynomial) -> Expr:
    terms = [
        mul(number(c), *(power(JetSymbol(jet), number(float(p))) for jet, p in m))
        for m, c in polynomial.items()
    ]
    return add(*terms) if terms else number(0.0)
