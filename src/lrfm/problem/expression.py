# SPDX-License-Identifier: MIT
"""The functions a formula may contain, and what is done with formulas: derivatives, and their length.

A walk over a formula visits a part that occurs several times once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from typing import Any, NamedTuple

import numpy as np

from lrfm.problem.algebra import (
    HALF,
    ONE,
    ZERO,
    Call,
    Expr,
    Function,
    Number,
    Power,
    Product,
    Sum,
    Symbol,
    add,
    factors_of,
    mul,
    number,
    postorder,
    power,
    split_number,
    symbols_in,
    terms_of,
    whole,
)

MOST_TERMS = 400  # of a product that is multiplied out


class Value(NamedTuple):
    """A complex formula as the pair re + i·im of real ones; im is exactly 0 for a real formula."""

    re: Expr
    im: Expr = ZERO

    @property
    def real(self) -> bool:
        return is_zero(self.im)

    @property
    def number(self) -> complex | None:
        """The number that a formula without symbols is; None for any other."""
        re, im = self
        return complex(re.value, im.value) if isinstance(re, Number) and isinstance(im, Number) else None


def is_zero(expression: Expr) -> bool:
    """Whether a formula is the number 0."""
    return expression == ZERO


def _erf(x: np.ndarray) -> np.ndarray:
    # Loading SciPy's special functions takes a tenth of the time in which a small problem is solved.
    from scipy.special import erf

    return erf(x)


def _sech(x: np.ndarray) -> np.ndarray:
    return 2.0 * np.exp(-np.abs(x)) / (1.0 + np.exp(-2.0 * np.abs(x)))


sin = Function("sin", np.sin, lambda x: cos(x))
cos = Function("cos", np.cos, lambda x: -sin(x))
tan = Function("tan", np.tan, lambda x: 1 + tan(x) ** 2)
exp = Function("exp", np.exp, lambda x: exp(x))
log = Function("log", np.log, lambda x: 1 / x)
sinh = Function("sinh", np.sinh, lambda x: cosh(x))
cosh = Function("cosh", np.cosh, lambda x: sinh(x))
tanh = Function("tanh", np.tanh, lambda x: 1 - tanh(x) ** 2)
sech = Function("sech", _sech, lambda x: -sech(x) * tanh(x))
asin = Function("asin", np.arcsin, lambda x: (1 - x**2) ** -HALF)
acos = Function("acos", np.arccos, lambda x: -((1 - x**2) ** -HALF))
atan = Function("atan", np.arctan, lambda x: 1 / (1 + x**2))
asinh = Function("asinh", np.arcsinh, lambda x: (1 + x**2) ** -HALF)
acosh = Function("acosh", np.arccosh, lambda x: (x - 1) ** -HALF * (x + 1) ** -HALF)
atanh = Function("atanh", np.arctanh, lambda x: 1 / (1 - x**2))
erf = Function("erf", _erf, lambda x: 2 / np.sqrt(np.pi) * exp(-(x**2)))
absolute = Function("absolute", np.abs, lambda x: sign(x))
sign = Function("sign", np.sign, lambda x: ZERO)
# arg(x + iy), the angle of the point (x, y)
angle = Function("angle", np.arctan2, lambda y, x: x / (x**2 + y**2), lambda y, x: -y / (x**2 + y**2))


# a where c > 0, else b; what is not chosen may be anything, nan too
choice = Function("choice", lambda c, a, b: np.where(np.asarray(c) > 0, a, b), *[lambda c, a, b: ZERO] * 3)


def _undifferentiated(g: Expr) -> Expr:
    raise ArithmeticError("Dirac's delta is not differentiated.")


# Dirac's δ(g): what the derivative of a jump at g = 0 has beside the slopes of its parts. At points it is zero; only what knows weak forms makes something of it.
delta = Function("delta", lambda g: np.zeros_like(np.asarray(g, dtype=float)), _undifferentiated)


def has_delta(expression: Expr) -> bool:
    """Whether a formula is a distribution: a function at points, and more on lines."""
    return any(isinstance(node, Call) and node.function is delta for node in postorder(expression))


def jumps(expression: Expr, *met: Set[Symbol]) -> bool:
    """Whether a formula switches between parts that do not meet: a − b is no multiple of the c that decides.

    Where symbols of one of the sets that are `met` decide alone, it does not count.
    """
    for node in postorder(expression):
        if not (isinstance(node, Call) and node.function in (choice, sign)):
            continue
        c = node.args[0]
        if any(symbols_in(c) <= known for known in met) or (isinstance(c, Symbol) and c.by_layer):
            continue
        gap = node.args[1] - node.args[2] if node.function is choice else ONE
        meets = split_number(gap)[1] == split_number(c)[1]
        if not (meets or any(is_zero(part) for part in (gap, gap - c, gap + c))):
            return True
    return False


def derivative(
    expression: Expr, seed: Mapping[Symbol, Expr], numbers: Mapping[Symbol, Expr] | None = None
) -> Expr:
    """Σ_s ∂F/∂s · seed(s), by the chain rule; where symbols stand for numbers, at these numbers."""
    slope: dict[bytes, Expr] = {}
    value: dict[bytes, Expr] = {}
    for node in postorder(expression):
        key = node.fingerprint
        if isinstance(node, Symbol):
            slope[key], value[key] = seed.get(node, ZERO), (numbers or {}).get(node, node)
            continue
        args = tuple(value[a.fingerprint] for a in node.args) if numbers else node.args
        slope[key] = _rule(node, args, [slope[a.fingerprint] for a in node.args])
        if numbers:
            value[key] = rebuilt(node, args)
    return slope[expression.fingerprint]


def rewritten(expression: Expr, other: Callable[[Expr, tuple[Expr, ...]], Expr | None]) -> Expr:
    """A formula with some of its parts exchanged, the innermost first: `other` is given a part and its new arguments; None keeps it, with these."""
    made: dict[Expr, Expr] = {}
    for node in postorder(expression):
        args = tuple(made[a] for a in node.args)
        found = other(node, args)
        made[node] = rebuilt(node, args) if found is None else found
    return made[expression]


def substituted(expression: Expr, by: Mapping[Any, Expr]) -> Expr:
    """A formula with other formulas in the place of some of its parts."""
    return rewritten(expression, lambda node, args: by.get(node))


def expanded(expression: Expr) -> Expr:
    """Products of sums, and whole powers of sums, multiplied out."""
    found: list[Expr] = []
    for term in terms_of(expression):
        products: list[list[Expr]] = [[]]
        for factor in factors_of(term):
            parts = _summands(factor)
            if len(products) * len(parts) > MOST_TERMS:
                return expression
            products = [[*product, part] for product in products for part in parts]
        found += [mul(ONE, *product) for product in products]
    result = add(ZERO, *found)
    return result if result == expression else expanded(result)


def _summands(factor: Expr) -> tuple[Expr, ...]:
    if isinstance(factor, Sum):
        return factor.args
    if isinstance(factor, Power) and isinstance(factor.base, Sum):
        exponent = factor.exponent
        if whole(exponent) and isinstance(exponent, Number) and 2 <= exponent.value <= 6:
            rest = power(factor.base, number(exponent.value - 1))
            return tuple(mul(part, rest) for part in factor.base.args)
    return (factor,)


def rebuilt(node: Expr, args: tuple[Expr, ...]) -> Expr:
    """The same part of a formula with other arguments."""
    if all(new is old for new, old in zip(args, node.args, strict=True)):
        return node
    if isinstance(node, Power):
        return power(*args)
    if isinstance(node, Product):
        return mul(*args)
    return node.function(*args) if isinstance(node, Call) else add(*args)


def _rule(node: Expr, args: tuple[Expr, ...], slopes: list[Expr]) -> Expr:
    moving = [(i, s) for i, s in enumerate(slopes) if s is not ZERO and not is_zero(s)]
    if not moving:
        return ZERO
    if isinstance(node, Sum):
        return add(*slopes)
    if isinstance(node, Product):
        return add(*(mul(s, *args[:i], *args[i + 1 :]) for i, s in moving))
    if isinstance(node, Power):
        base, exponent = args
        by_base = exponent * base ** (exponent - 1) * slopes[0]
        return by_base if is_zero(slopes[1]) else by_base + base**exponent * log(base) * slopes[1]
    assert isinstance(node, Call)
    if node.function is choice:  # not a sum of slopes: 0 times what is not chosen may be nan
        return choice(args[0], slopes[1], slopes[2])
    return add(*(node.function.slopes[i](*args) * s for i, s in moving))


class Extent(NamedTuple):
    """The length of a formula written out: its parts, its depth, and a bound for its derivative's parts."""

    size: int
    depth: int
    slope: int


class Extents:
    """Extents of formulas that are made of each other: each part is measured once.

    `active` says by which symbols they will be differentiated.
    """

    def __init__(self, active: Callable[[Symbol], bool] = lambda symbol: True):
        self._active = active
        self._known: dict[bytes, Extent] = {}
        self._done: set[bytes] = set()

    def __call__(self, expression: Expr) -> Extent:
        for node in postorder(expression, done=self._done):
            parts = [self._known[a.fingerprint] for a in node.args]
            self._known[node.fingerprint] = self._measured(node, parts)
        return self._known[expression.fingerprint]

    def _measured(self, node: Expr, parts: list[Extent]) -> Extent:
        size = 1 + sum(p.size for p in parts)
        if isinstance(node, Symbol):
            slope = int(self._active(node))
        elif isinstance(node, Product):
            slope = sum(p.slope + size - p.size for p in parts if p.slope)
        else:
            moving = sum(p.slope for p in parts)
            slope = moving + (0 if isinstance(node, Sum) or not moving else size + 4)
        return Extent(size, 1 + max((p.depth for p in parts), default=0), slope)


def extent(expression: Expr, active: Callable[[Symbol], bool] = lambda symbol: True) -> Extent:
    """Measure a formula without writing it out; `active` says by which symbols it will be differentiated."""
    return Extents(active)(expression)
