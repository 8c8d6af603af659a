# SPDX-License-Identifier: MIT
"""Formulas as trees of sums, products, powers and functions, brought to one order as they are built.

    a + b = b + a,   2u + 3u = 5u,   u·u = u²,   (u v)ⁿ = uⁿ vⁿ and (uᵖ)ⁿ = uᵖⁿ for whole n,   2(u + v) = 2u + 2v.

Nothing else is simplified: x·(2(u + v)) and 2(x·(u + v)) stay apart. A general computer algebra system does all of this
and takes longer to load than a small problem takes to solve. Trees that are equal have equal fingerprints, which depend on
their content only: the same text gives the same tree, the same order of its terms and the same rounding in every process.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from hashlib import blake2b
from math import frexp, isfinite, isnan, ldexp, nan
from numbers import Real


class Expr:
    """A part of a formula: its arguments, and a fingerprint by which it is found again.

    Formulas are built by the operators `+ - * / **`, by `add` and `mul` for many parts at once, and by functions.
    """

    __slots__ = ("args", "fingerprint", "label")
    rank = 0  # order of parts: numbers, symbols, powers, products, sums, functions

    def __init__(self, args: tuple[Expr, ...], own: bytes, label: str):
        self.args = args
        self.label = label
        content = b"".join([bytes([self.rank]), own, *(a.fingerprint for a in args)])
        self.fingerprint = blake2b(content, digest_size=16).digest()

    @property
    def symbols(self) -> set[Symbol]:
        """All symbols in the formula."""
        return symbols_in(self)

    def __reduce__(self) -> tuple:
        return type(self), self.args

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expr) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __add__(self, other: Expr | float) -> Expr:
        return add(self, _formula(other))

    __radd__ = __add__

    def __neg__(self) -> Expr:
        return mul(MINUS, self)

    def __sub__(self, other: Expr | float) -> Expr:
        return add(self, -_formula(other))

    def __rsub__(self, other: float) -> Expr:
        return add(_formula(other), -self)

    def __mul__(self, other: Expr | float) -> Expr:
        return mul(self, _formula(other))

    __rmul__ = __mul__

    def __pow__(self, other: Expr | float) -> Expr:
        return power(self, _formula(other))

    def __rpow__(self, other: float) -> Expr:
        return power(_formula(other), self)

    def __truediv__(self, other: Expr | float) -> Expr:
        return mul(self, power(_formula(other), MINUS))

    def __rtruediv__(self, other: float) -> Expr:
        return mul(_formula(other), power(self, MINUS))

    def __repr__(self) -> str:
        return str(self)


class Number(Expr):
    """A real number, a float; nan stands for what is not a real number, such as 1/0."""

    __slots__ = ("value",)

    def __init__(self, value: float):
        # −0 and 0 are the same number, and all nans are one.
        self.value = nan if isnan(value) else float(value) + 0.0
        super().__init__((), struct.pack("d", self.value), "")

    def __float__(self) -> float:
        return self.value

    def __eq__(self, other: object) -> bool:
        return self.value == other if isinstance(other, Real) else super().__eq__(other)

    def __hash__(self) -> int:
        return hash(self.value)

    def __reduce__(self) -> tuple:
        return number, (self.value,)

    def __str__(self) -> str:
        return str(int(self.value)) if whole(self) else repr(self.value)


class Symbol(Expr):
    """A name: a coordinate, a given function or a derivative of an unknown."""

    __slots__ = ("name",)
    rank = 1
    by_layer = False  # whether it tells in which layer of a domain a point is

    def __init__(self, name: str):
        self.name = name
        super().__init__((), name.encode(), name)

    def __reduce__(self) -> tuple:
        return Symbol, (self.name,)

    def __str__(self) -> str:
        return self.name


class Power(Expr):
    """base ** exponent."""

    __slots__ = ()
    rank = 2

    def __init__(self, base: Expr, exponent: Expr):
        super().__init__((base, exponent), b"", base.label)

    @property
    def base(self) -> Expr:
        return self.args[0]

    @property
    def exponent(self) -> Expr:
        return self.args[1]

    def __str__(self) -> str:
        return "**".join(
            str(a) if isinstance(a, Symbol | Call) or _positive(a) else f"({a})" for a in self.args
        )


class Product(Expr):
    """A product of at least two factors, a number first if there is one; made by `mul`."""

    __slots__ = ()
    rank = 3

    def __init__(self, *args: Expr):
        super().__init__(args, b"", next((a.label for a in args if a.label), ""))

    def __str__(self) -> str:
        text = "*".join(f"({a})" if isinstance(a, Sum) else str(a) for a in self.args)
        return text.replace("-1*", "-", 1) if self.args[0] == MINUS else text


class Sum(Expr):
    """A sum of at least two terms, a number first if there is one; made by `add`."""

    __slots__ = ()
    rank = 4

    def __init__(self, *args: Expr):
        super().__init__(args, b"", next((a.label for a in args if a.label), ""))

    def __str__(self) -> str:
        return " + ".join(map(str, self.args)).replace(" + -", " - ")


class Call(Expr):
    """f(arguments), made by calling a `Function`."""

    __slots__ = ("function",)
    rank = 5

    def __init__(self, function: Function, args: tuple[Expr, ...]):
        self.function = function
        super().__init__(args, function.name.encode(), function.name)

    def __reduce__(self) -> tuple:
        return _called, (self.function.name, *self.args)

    def __str__(self) -> str:
        return f"{self.function.name}({', '.join(map(str, self.args))})"


class Function:
    """A function that knows its value for numbers and ∂f/∂(each argument) as a formula, and no other property."""

    known: dict[str, Function] = {}  # noqa: RUF012

    def __init__(self, name: str, numeric: Callable, *slopes: Callable[..., Expr]):
        self.name, self.numeric, self.slopes = name, numeric, slopes
        self.known[name] = self

    def __call__(self, *arguments: Expr) -> Expr:
        numbers = [a.value for a in arguments if isinstance(a, Number)]
        if len(numbers) < len(arguments):
            return Call(self, arguments)
        from numpy import errstate

        with errstate(all="ignore"):
            return number(self.numeric(*numbers))


def _called(name: str, *arguments: Expr) -> Expr:
    return Call(Function.known[name], arguments)


def number(value: float) -> Number:
    """A number as a formula."""
    value = float(value)
    return ZERO if value == 0 else ONE if value == 1 else Number(value)


ZERO = Number(0.0)
ONE = Number(1.0)
MINUS = Number(-1.0)
HALF = Number(0.5)
NAN = Number(nan)


def _formula(value: Expr | float) -> Expr:
    return value if isinstance(value, Expr) else number(value)


def _order(part: Expr) -> tuple:
    return part.rank, part.label, part.fingerprint


def _positive(part: Expr) -> bool:
    return isinstance(part, Number) and part.value >= 0


def whole(part: Expr) -> bool:
    """Whether a formula is a whole number that a float holds exactly."""
    return isinstance(part, Number) and part.value.is_integer() and abs(part.value) <= 2**53


def split_number(term: Expr) -> tuple[float, Expr]:
    """c, X with term = c·X, the number in front and the rest."""
    if isinstance(term, Number):
        return term.value, ONE
    if isinstance(term, Product) and isinstance(term.args[0], Number):
        rest = term.args[1:]
        return term.args[0].value, rest[0] if len(rest) == 1 else Product(*rest)
    return 1.0, term


def terms_of(expression: Expr) -> tuple[Expr, ...]:
    """The terms of a sum; anything else is a sum of one."""
    return expression.args if isinstance(expression, Sum) else (expression,)


def factors_of(expression: Expr) -> tuple[Expr, ...]:
    """The factors of a product; anything else is a product of one."""
    return expression.args if isinstance(expression, Product) else (expression,)


def add(*terms: Expr) -> Expr:
    """Σ terms: one flat sum, the numbers added, c₁X + c₂X as (c₁ + c₂)X."""
    if len(terms) == 1:
        return terms[0]
    parts: dict[Expr, float] = {}
    for term in terms:
        for part in terms_of(term):
            coefficient, rest = split_number(part)
            parts[rest] = parts[rest] + coefficient if rest in parts else coefficient
    constant = parts.pop(ONE, 0.0)
    if not all(map(isfinite, (constant, *parts.values()))):
        return NAN
    kept = [scaled(c, rest) for rest, c in parts.items() if c != 0]
    kept.sort(key=_order)
    if constant != 0:
        kept.insert(0, number(constant))
    return Sum(*kept) if len(kept) > 1 else kept[0] if kept else ZERO


def scaled(coefficient: float, rest: Expr) -> Expr:
    """c·X for a part X without a number in front."""
    if coefficient == 1:
        return rest
    if isinstance(rest, Sum):
        return add(*(mul(number(coefficient), part) for part in rest.args))
    return Product(number(coefficient), *factors_of(rest))


def mul(*factors: Expr) -> Expr:
    """Π factors: one flat product, the numbers multiplied, Xᵖ Xᵠ as X^(p+q)."""
    if len(factors) == 1:
        return factors[0]
    numbers: list[float] = []
    exponents: dict[Expr, Expr] = {}
    for factor in factors:
        for part in factors_of(factor):
            if isinstance(part, Number):
                numbers.append(part.value)
                continue
            base, exponent = part.args if isinstance(part, Power) else (part, ONE)
            exponents[base] = add(exponents[base], exponent) if base in exponents else exponent
    coefficient = _multiplied(numbers)
    if coefficient == 0 or not isfinite(coefficient):
        return ZERO if coefficient == 0 else NAN
    parts = [power(base, exponent) for base, exponent in exponents.items()]
    if any(_base(part) != base for part, base in zip(parts, exponents, strict=True)):
        # √(uv)·√(uv) became uv, x⁰ became 1: such parts go through once more, each time with fewer of them.
        return mul(number(coefficient), *parts, ONE)
    if not parts:
        return number(coefficient)
    parts.sort(key=_order)
    return scaled(coefficient, Product(*parts) if len(parts) > 1 else parts[0])


def _multiplied(numbers: list[float]) -> float:
    """Π numbers, whatever their order: 1e-200 · 1e-200 · 1e400 is 1."""
    mantissa, exponent = 1.0, 0
    for value in numbers:
        mantissa, shift = frexp(mantissa * value)
        exponent += shift
        if not isfinite(mantissa):
            return nan
    try:
        return ldexp(mantissa, exponent)
    except OverflowError:
        return nan


def _base(part: Expr) -> Expr:
    return part.args[0] if isinstance(part, Power) else part


def power(base: Expr, exponent: Expr) -> Expr:
    """base^exponent; of numbers a float, nan where it is not real. A positive number leaves a bracket: √(4u) = 2√u."""
    if exponent == ONE or base == ONE:
        return base
    if exponent == ZERO:
        return ONE
    if isinstance(base, Number) and isinstance(exponent, Number):
        return _number_power(base.value, exponent.value)
    if whole(exponent) and isinstance(base, Power):
        return power(base.base, mul(base.exponent, exponent))
    if whole(exponent) and isinstance(base, Product):
        return mul(*(power(factor, exponent) for factor in base.args))
    if isinstance(base, Product) and isinstance(exponent, Number):
        coefficient, rest = split_number(base)
        if coefficient > 0 and coefficient != 1:
            return mul(_number_power(coefficient, exponent.value), power(rest, exponent))
    return Power(base, exponent)


def _number_power(base: float, exponent: float) -> Number:
    try:
        result = base**exponent
    except (OverflowError, ZeroDivisionError):
        return NAN
    return NAN if isinstance(result, complex) else number(result)


def postorder(*roots: Expr, done: set[bytes] | None = None) -> Iterator[Expr]:
    """Every different part of some formulas, arguments before the parts that contain them; not those whose fingerprints are `done`, which grows."""
    # By fingerprints: a walk asks more often whether a part was met than it meets one.
    done = set() if done is None else done
    stack = list(reversed(roots))
    while stack:
        node = stack[-1]
        if node.fingerprint in done:
            stack.pop()
            continue
        waiting = [a for a in node.args if a.fingerprint not in done] if node.args else None
        if waiting:
            waiting.reverse()
            stack += waiting
            continue
        stack.pop()
        done.add(node.fingerprint)
        yield node


def symbols_in(*expressions: Expr) -> set[Symbol]:
    """All symbols of some formulas."""
    return {node for node in postorder(*expressions) if isinstance(node, Symbol)}
