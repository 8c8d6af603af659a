# SPDX-License-Identifier: MIT
"""Arithmetic and functions on pairs re + i·im, so that a complex equation becomes two real ones by construction."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy
from sympy import Expr

from lrfm.problem import expression as ex
from lrfm.problem.expression import ONE, ZERO, Value


class NotComplex(TypeError):
    """A function that is defined here for real arguments only was given a complex one."""


def plus(terms: Sequence[Value]) -> Value:
    """Σ z, real and imaginary parts each as one flat sum."""
    return Value(sympy.Add(*(z.re for z in terms)), sympy.Add(*(z.im for z in terms)))


def times(z: Value, w: Value) -> Value:
    """(a + ib)(c + id) = (ac − bd) + i(ad + bc)."""
    if z.real and w.real:
        return Value(z.re * w.re)
    return Value(z.re * w.re - z.im * w.im, z.re * w.im + z.im * w.re)


def square_modulus(z: Value) -> Expr:
    """|z|² = re² + im²."""
    return z.re**2 + z.im**2


def reciprocal(z: Value) -> Value:
    """1/z = z̄ / |z|²."""
    if z.real:
        return Value(real_power(z.re, -ONE))
    modulus = real_power(square_modulus(z), -ONE)
    return Value(z.re * modulus, -z.im * modulus)


def real_power(base: Expr, exponent: Expr) -> Expr:
    """x^p; a number is raised as a float so that it stays one."""
    if base.is_Integer and exponent == -1 and abs(base) != 1:
        return sympy.Float(1.0 / float(base))
    return sympy.Pow(base, exponent)


def complex_power(base: Value, exponent: Value) -> Value:
    """zⁿ by repeated squaring for integer n, exp(w log z) otherwise."""
    if not (exponent.real and exponent.re.is_Integer and abs(exponent.re) <= 16):
        return _exp(times(exponent, _log(base)))
    n = int(exponent.re)
    result, factor = Value(ONE), base if n >= 0 else reciprocal(base)
    n = abs(n)
    while n:
        if n & 1:
            result = times(result, factor)
        factor, n = times(factor, factor) if n > 1 else factor, n >> 1
    return result


def _real_only(function: Callable[[Expr], Expr]) -> Callable[[Value], Value]:
    def apply(z: Value) -> Value:
        if not z.real:
            raise NotComplex
        return Value(function(z.re))

    return apply


def _exp(z: Value) -> Value:
    if z.real:
        return Value(ex.exp(z.re))
    return Value(ex.exp(z.re) * ex.cos(z.im), ex.exp(z.re) * ex.sin(z.im))


def _log(z: Value) -> Value:
    if z.real:
        return Value(ex.log(z.re))
    return Value(ex.log(square_modulus(z)) / 2, ex.angle(z.im, z.re))


def _sqrt(z: Value) -> Value:
    if z.real:
        return Value(sympy.Pow(z.re, sympy.Rational(1, 2)))
    return complex_power(z, Value(sympy.Float(0.5)))


def _sinh(z: Value) -> Value:
    if z.real:
        return Value(ex.sinh(z.re))
    return Value(ex.sinh(z.re) * ex.cos(z.im), ex.cosh(z.re) * ex.sin(z.im))


def _cosh(z: Value) -> Value:
    if z.real:
        return Value(ex.cosh(z.re))
    return Value(ex.cosh(z.re) * ex.cos(z.im), ex.sinh(z.re) * ex.sin(z.im))


def _sin(z: Value) -> Value:
    if z.real:
        return Value(ex.sin(z.re))
    return Value(ex.sin(z.re) * ex.cosh(z.im), ex.cos(z.re) * ex.sinh(z.im))


def _cos(z: Value) -> Value:
    if z.real:
        return Value(ex.cos(z.re))
    return Value(ex.cos(z.re) * ex.cosh(z.im), -ex.sin(z.re) * ex.sinh(z.im))


def _quotient(real: Callable[[Expr], Expr], above: Callable, below: Callable) -> Callable[[Value], Value]:
    return lambda z: Value(real(z.re)) if z.real else times(above(z), reciprocal(below(z)))


def _abs(z: Value) -> Value:
    # |z| as a square root, so that abs(psi)**2 is re² + im² again without any rule.
    return Value(ex.absolute(z.re)) if z.real else Value(sympy.Pow(square_modulus(z), sympy.Rational(1, 2)))


TABLE: dict[str, Callable[[Value], Value]] = {
    "sin": _sin,
    "cos": _cos,
    "tan": _quotient(ex.tan, _sin, _cos),
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": _quotient(ex.tanh, _sinh, _cosh),
    "sech": _quotient(ex.sech, lambda z: Value(ONE), _cosh),
    "exp": _exp,
    "log": _log,
    "sqrt": _sqrt,
    "abs": _abs,
    "conj": lambda z: Value(z.re, -z.im),
    "re": lambda z: Value(z.re),
    "im": lambda z: Value(z.im if not z.real else ZERO),
    "asin": _real_only(ex.asin),
    "acos": _real_only(ex.acos),
    "atan": _real_only(ex.atan),
    "erf": _real_only(ex.erf),
    "sign": _real_only(ex.sign),
}
