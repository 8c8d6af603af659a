# SPDX-License-Identifier: MIT
"""Arithmetic and functions on pairs re + i·im: a complex equation becomes two real ones by construction."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lrfm.problem import expression as ex
from lrfm.problem.algebra import HALF, MINUS, ONE, Expr, Number, add, mul, power, whole
from lrfm.problem.expression import Value

MAX_SQUARINGS_POWER = 16  # zⁿ is multiplied out up to this n, and written exp(n log z) above


class NotComplex(TypeError):
    """A function that is defined here for real arguments only was given a complex one."""


def plus(terms: Sequence[Value]) -> Value:
    """Σ z, real and imaginary parts each as one flat sum."""
    return Value(add(*(z.re for z in terms)), add(*(z.im for z in terms)))


def minus(z: Value) -> Value:
    """−z."""
    return Value(-z.re, -z.im)


def times(z: Value, w: Value) -> Value:
    """(a + ib)(c + id) = (ac − bd) + i(ad + bc)."""
    if z.real and w.real:
        return Value(z.re * w.re)
    return Value(z.re * w.re - z.im * w.im, z.re * w.im + z.im * w.re)


def product(factors: Sequence[Value]) -> Value:
    """Π z: real factors in one product, complex ones pair by pair: n² terms for n factors, not 2ⁿ."""
    real = [z.re for z in factors if z.real]
    pending = [z for z in factors if not z.real]
    while len(pending) > 1:
        pairs = [times(z, w) for z, w in zip(pending[::2], pending[1::2], strict=False)]
        pending = pairs + ([pending[-1]] if len(pending) % 2 else [])
    result = Value(mul(*real))
    return times(result, pending[0]) if pending else result


def square_modulus(z: Value) -> Expr:
    """|z|² = re² + im²."""
    return z.re**2 + z.im**2


def reciprocal(z: Value) -> Value:
    """1/z = z̄ / |z|²."""
    if z.real:
        return Value(power(z.re, MINUS))
    modulus = power(square_modulus(z), MINUS)
    return Value(z.re * modulus, -z.im * modulus)


def complex_power(base: Value, exponent: Value) -> Value:
    """zⁿ by repeated squaring for small whole n, exp(w log z) otherwise."""
    fixed = exponent.number
    if fixed is None or not whole(exponent.re) or fixed.imag or abs(fixed) > MAX_SQUARINGS_POWER:
        return _exp(times(exponent, _complex_log(base)))
    n = int(fixed.real)
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
    return Value(ex.log(z.re)) if z.real else _complex_log(z)


def _complex_log(z: Value) -> Value:
    """log|z| + i·arg z, also where z is a real formula that may be negative."""
    if z.real and isinstance(z.re, Number) and z.re.value > 0:
        return Value(ex.log(z.re))
    return Value(ex.log(square_modulus(z)) * HALF, ex.angle(z.im, z.re))


def _sqrt(z: Value) -> Value:
    return Value(power(z.re, HALF)) if z.real else complex_power(z, Value(HALF))


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


def _scaled_square(a: Expr, b: Expr) -> Expr:
    """|cosh(a + ib)|² sech² a = cos² b + tanh² a sin² b, which cannot overflow."""
    return ex.cos(b) ** 2 + ex.tanh(a) ** 2 * ex.sin(b) ** 2


def _tanh(z: Value) -> Value:
    if z.real:
        return Value(ex.tanh(z.re))
    a, b = z
    below = power(_scaled_square(a, b), MINUS)
    return Value(ex.tanh(a) * below, ex.sin(b) * ex.cos(b) * ex.sech(a) ** 2 * below)


def _tan(z: Value) -> Value:
    if z.real:
        return Value(ex.tan(z.re))
    turned = _tanh(Value(-z.im, z.re))  # tan z = −i tanh(iz)
    return Value(turned.im, -turned.re)


def _sech(z: Value) -> Value:
    if z.real:
        return Value(ex.sech(z.re))
    a, b = z
    scale = ex.sech(a) * power(_scaled_square(a, b), MINUS)
    return Value(scale * ex.cos(b), -scale * ex.tanh(a) * ex.sin(b))


def _abs(z: Value) -> Value:
    # |z| as a square root, so that abs(psi)**2 is re² + im² again without any rule.
    return Value(ex.absolute(z.re)) if z.real else Value(power(square_modulus(z), HALF))


TABLE: dict[str, Callable[[Value], Value]] = {
    "sin": _sin,
    "cos": _cos,
    "tan": _tan,
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": _tanh,
    "sech": _sech,
    "exp": _exp,
    "log": _log,
    "sqrt": _sqrt,
    "abs": _abs,
    "conj": lambda z: Value(z.re, -z.im),
    "re": lambda z: Value(z.re),
    "im": lambda z: Value(z.im),
    "asin": _real_only(ex.asin),
    "acos": _real_only(ex.acos),
    "atan": _real_only(ex.atan),
    "asinh": _real_only(ex.asinh),
    "acosh": _real_only(ex.acosh),
    "atanh": _real_only(ex.atanh),
    "erf": _real_only(ex.erf),
    "sign": _real_only(ex.sign),
}
