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


def chosen(c: Value, a: Value, b: Value) -> Value:
    """a where c > 0, else b; c is real."""
    if not c.real:
        raise NotComplex
    return Value(
        ex.choice(c.re, a.re, b.re), ex.choice(c.re, a.im, b.im) if not (a.real and b.real) else ex.ZERO
    )


def _function(
    real: Callable[[Expr], Expr], split: Callable[[Expr, Expr], tuple[Expr, Expr]] | None = None
) -> Callable:
    """f on formulas: f(x) of a real one, and the parts of f(a + ib) of a complex one where they are given."""

    def apply(z: Value) -> Value:
        if z.real:
            return Value(real(z.re))
        if split is None:
            raise NotComplex
        return Value(*split(*z))

    return apply


def _complex_log(z: Value) -> Value:
    """log|z| + i·arg z, also where z is a real formula that may be negative."""
    if z.real and isinstance(z.re, Number) and z.re.value > 0:
        return Value(ex.log(z.re))
    return Value(ex.log(square_modulus(z)) * HALF, ex.angle(z.im, z.re))


def _scaled_square(a: Expr, b: Expr) -> Expr:
    """|cosh(a + ib)|² sech² a = cos² b + tanh² a sin² b, which cannot overflow."""
    return ex.cos(b) ** 2 + ex.tanh(a) ** 2 * ex.sin(b) ** 2


def _tanh(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    below = power(_scaled_square(a, b), MINUS)
    return ex.tanh(a) * below, ex.sin(b) * ex.cos(b) * ex.sech(a) ** 2 * below


def _tan(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    re, im = _tanh(-b, a)  # tan z = −i tanh(iz)
    return im, -re


def _sech(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    scale = ex.sech(a) * power(_scaled_square(a, b), MINUS)
    return scale * ex.cos(b), -scale * ex.tanh(a) * ex.sin(b)


_exp = _function(ex.exp, lambda a, b: (ex.exp(a) * ex.cos(b), ex.exp(a) * ex.sin(b)))

TABLE: dict[str, Callable[[Value], Value]] = {
    "sin": _function(ex.sin, lambda a, b: (ex.sin(a) * ex.cosh(b), ex.cos(a) * ex.sinh(b))),
    "cos": _function(ex.cos, lambda a, b: (ex.cos(a) * ex.cosh(b), -ex.sin(a) * ex.sinh(b))),
    "tan": _function(ex.tan, _tan),
    "sinh": _function(ex.sinh, lambda a, b: (ex.sinh(a) * ex.cos(b), ex.cosh(a) * ex.sin(b))),
    "cosh": _function(ex.cosh, lambda a, b: (ex.cosh(a) * ex.cos(b), ex.sinh(a) * ex.sin(b))),
    "tanh": _function(ex.tanh, _tanh),
    "sech": _function(ex.sech, _sech),
    "exp": _exp,
    "log": _function(ex.log, lambda a, b: _complex_log(Value(a, b))),
    "sqrt": _function(lambda x: power(x, HALF), lambda a, b: complex_power(Value(a, b), Value(HALF))),
    # |z| as a square root, so that abs(psi)**2 is re² + im² again without any rule.
    "abs": _function(ex.absolute, lambda a, b: Value(power(square_modulus(Value(a, b)), HALF))),
    "conj": lambda z: Value(z.re, -z.im),
    "re": lambda z: Value(z.re),
    "im": lambda z: Value(z.im),
    **{
        f.name: _function(f)
        for f in (ex.asin, ex.acos, ex.atan, ex.asinh, ex.acosh, ex.atanh, ex.erf, ex.sign)
    },
}
