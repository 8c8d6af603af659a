# SPDX-License-Identifier: MIT
"""Formulas as SymPy trees that are only built, differentiated and evaluated: never simplified or executed.

Every function is opaque to SymPy (it knows the derivative and nothing else), and symbols carry no
assumptions, so that no rule of SymPy's can start to factor or to solve what a user wrote. A walk over a
formula visits a part that occurs several times once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import sympy
from sympy import Expr, Symbol

ZERO = sympy.S.Zero
ONE = sympy.S.One
HALF = sympy.S.Half


class Value(NamedTuple):
    """A complex formula as the pair re + i·im of real ones; im is exactly 0 for a real formula."""

    re: Expr
    im: Expr = ZERO

    @property
    def real(self) -> bool:
        return is_zero(self.im)


def is_zero(expression: Expr) -> bool:
    """Whether a formula is the number 0; SymPy's own `==` tells 0.0 from 0."""
    return expression.is_Number and float(expression) == 0


def number(value: float) -> Expr:
    """A number as SymPy sees it: whole ones stay exact while a float can hold them, nothing else does."""
    value = float(value)
    return sympy.Integer(int(value)) if value.is_integer() and abs(value) <= 2**53 else sympy.Float(value)


def _erf(x: np.ndarray) -> np.ndarray:
    # Loading SciPy's special functions takes a tenth of the time in which a small problem is solved.
    from scipy.special import erf

    return erf(x)


def _sech(x: np.ndarray) -> np.ndarray:
    return 2.0 * np.exp(-np.abs(x)) / (1.0 + np.exp(-2.0 * np.abs(x)))


def _opaque(name: str, *slopes: Callable[..., Expr]) -> type[sympy.Function]:
    """A SymPy function that has a derivative with respect to each argument and no other property."""

    def fdiff(self: sympy.Function, argindex: int = 1) -> Expr:
        return slopes[argindex - 1](*self.args)

    def evaluate(cls: type, *arguments: Expr) -> Expr | None:
        # Of numbers it is a number; of anything else it stays as written.
        if not all(x.is_Number for x in arguments):
            return None
        with np.errstate(all="ignore"):
            return number(NUMERIC[cls](*map(float, arguments)))

    return type(
        name, (sympy.Function,), {"nargs": (len(slopes),), "fdiff": fdiff, "eval": classmethod(evaluate)}
    )


sin = _opaque("sin", lambda x: cos(x))
cos = _opaque("cos", lambda x: -sin(x))
tan = _opaque("tan", lambda x: 1 + tan(x) ** 2)
exp = _opaque("exp", lambda x: exp(x))
log = _opaque("log", lambda x: 1 / x)
sinh = _opaque("sinh", lambda x: cosh(x))
cosh = _opaque("cosh", lambda x: sinh(x))
tanh = _opaque("tanh", lambda x: 1 - tanh(x) ** 2)
sech = _opaque("sech", lambda x: -sech(x) * tanh(x))
asin = _opaque("asin", lambda x: (1 - x**2) ** -HALF)
acos = _opaque("acos", lambda x: -((1 - x**2) ** -HALF))
atan = _opaque("atan", lambda x: 1 / (1 + x**2))
asinh = _opaque("asinh", lambda x: (1 + x**2) ** -HALF)
acosh = _opaque("acosh", lambda x: (x - 1) ** -HALF * (x + 1) ** -HALF)
atanh = _opaque("atanh", lambda x: 1 / (1 - x**2))
erf = _opaque("erf", lambda x: sympy.Float(2 / np.sqrt(np.pi)) * exp(-(x**2)))
absolute = _opaque("absolute", lambda x: sign(x))
sign = _opaque("sign", lambda x: ZERO)
# arg(x + iy), the angle of the point (x, y)
angle = _opaque("angle", lambda y, x: x / (x**2 + y**2), lambda y, x: -y / (x**2 + y**2))

NUMERIC: dict[type, Callable] = {
    sin: np.sin, cos: np.cos, tan: np.tan, exp: np.exp, log: np.log, sinh: np.sinh, cosh: np.cosh,
    tanh: np.tanh, sech: _sech, asin: np.arcsin, acos: np.arccos, atan: np.arctan,
    asinh: np.arcsinh, acosh: np.arccosh, atanh: np.arctanh, erf: _erf,
    absolute: np.abs, sign: np.sign, angle: np.arctan2,
}  # fmt: skip


def postorder(*roots: Expr) -> Iterator[Expr]:
    """Every different part of some formulas, arguments before the parts that contain them."""
    done: set[Expr] = set()
    stack = list(reversed(roots))
    while stack:
        node = stack[-1]
        waiting = [a for a in node.args if a not in done] if node not in done else []
        if waiting:
            stack.extend(reversed(waiting))
            continue
        stack.pop()
        if node not in done:
            done.add(node)
            yield node


def symbols_in(*expressions: Expr) -> set[Symbol]:
    """All symbols of some formulas."""
    return {node for node in postorder(*expressions) if node.is_Symbol}


def derivative(expression: Expr, seed: Mapping[Symbol, Expr]) -> Expr:
    """Σ_s ∂F/∂s · seed(s), by the chain rule."""
    slope: dict[Expr, Expr] = {}
    for node in postorder(expression):
        slope[node] = seed.get(node, ZERO) if node.is_Symbol else _rule(node, [slope[a] for a in node.args])
    return slope[expression]


def _rule(node: Expr, slopes: list[Expr]) -> Expr:
    if all(s is ZERO for s in slopes):
        return ZERO
    if node.is_Add:
        return sympy.Add(*slopes)
    if node.is_Mul:
        others = [(*node.args[:i], *node.args[i + 1 :]) for i in range(len(slopes))]
        return sympy.Add(*(sympy.Mul(s, *o) for s, o in zip(slopes, others, strict=True) if s is not ZERO))
    if node.is_Pow:
        base, exponent = node.args
        by_base = ZERO if slopes[0] is ZERO else exponent * base ** (exponent - 1) * slopes[0]
        return by_base if slopes[1] is ZERO else by_base + node * log(base) * slopes[1]
    return sympy.Add(*(node.fdiff(i) * s for i, s in enumerate(slopes, 1) if s is not ZERO))


class Extent(NamedTuple):
    """The length of a formula written out: its parts, its depth, and a bound for its derivative's parts."""

    size: int
    depth: int
    slope: int


def extent(expression: Expr, active: Callable[[Symbol], bool] = lambda symbol: True) -> Extent:
    """Measure a formula without writing it out; `active` says by which symbols it will be differentiated."""
    known: dict[Expr, Extent] = {}
    for node in postorder(expression):
        parts = [known[a] for a in node.args]
        size = 1 + sum(p.size for p in parts)
        if node.is_Symbol:
            slope = int(active(node))
        elif node.is_Mul:
            slope = sum(p.slope + size - p.size for p in parts if p.slope)
        else:
            moving = sum(p.slope for p in parts)
            slope = moving + (0 if node.is_Add or not moving else size + 4)
        known[node] = Extent(size, 1 + max((p.depth for p in parts), default=0), slope)
    return known[expression]
