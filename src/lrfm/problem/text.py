# SPDX-License-Identifier: MIT
"""From text to formulas, through a whitelist over Python's `ast`: text is parsed, never executed.

A name is a coordinate, a parameter, an unknown, or an unknown with a subscript: ``u_xxt`` is ∂ₓ²∂ₜu, ``u_n`` on a
face its outward normal derivative. ``lap(e)`` and ``diff(e, x)`` are total derivatives, so that ``lap(u**3 - u)`` is
written as on paper. A complex unknown is split here: every formula is a pair re + i·im of real ones.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import sympy
from sympy import Expr, Symbol

from lrfm.problem import functions
from lrfm.problem.domain import Face
from lrfm.problem.errors import ProblemError, listing, suggest
from lrfm.problem.expression import ONE, ZERO, Value, size
from lrfm.problem.jets import Jet, jet_symbol

MAX_CHARACTERS = 10_000
MAX_NODES = 2_000
MAX_DEPTH = 60
MAX_EXPONENT = 1_000
MAX_DIFFERENTIATED = 2_000
DERIVATIVES = ("lap", "diff")
CONSTANTS = {"pi": math.pi}

HINTS = {
    ast.Compare: "comparisons are not part of an equation; write `lhs = rhs`",
    ast.BitXor: "`^` is not a power; write `**`",
    ast.Attribute: "dots are not allowed; use the function's plain name, such as `sin(x)`",
    ast.Subscript: "square brackets are not allowed; write derivatives as `u_xx`",
    ast.Lambda: "give a NumPy function through `parameters` instead",
    ast.IfExp: "give a NumPy function through `parameters` instead",
    ast.FloorDiv: "use `/`",
    ast.Mod: "it has no derivative; give a NumPy function through `parameters` instead",
}


def split_equation(text: str, what: str) -> tuple[str, str]:
    """Split ``lhs = rhs`` at its one equals sign."""
    check_text(text, what)
    if re.search(r"[<>!=]=|[<>]", text):
        raise ProblemError(f"{what}, `{_short(text)}`, contains a comparison; write one plain `=`: `lhs = rhs`.")
    sides = text.split("=")
    if len(sides) != 2:
        found = "no `=`" if len(sides) == 1 else f"{len(sides) - 1} times `=`"
        raise ProblemError(f"{what}, `{_short(text)}`, has {found}; expected `lhs = rhs`, such as `u_t = u_xx`.")
    return sides[0], sides[1]


def check_text(text: str, what: str) -> None:
    """Refuse what is not text, or too much of it."""
    if not isinstance(text, str):
        raise ProblemError(f"{what} was given as {type(text).__name__}; expected text such as `u_t = u_xx`.")
    if len(text) > MAX_CHARACTERS:
        raise ProblemError(
            f"{what} has {len(text):,} characters; the limit is {MAX_CHARACTERS:,}. "
            "Move long data into a NumPy function given through `parameters`."
        )


def parse(text: str, what: str) -> ast.expr:
    """Parse one formula into a syntax tree of bounded size and depth."""
    check_text(text, what)
    deep = f"{what}, `{_short(text)}`, is nested too deeply; the limit is {MAX_DEPTH} levels. Split it up."
    nesting = 0
    for character in text:
        nesting += (character in "([{") - (character in ")]}")
        if nesting > MAX_DEPTH:
            raise ProblemError(deep)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval").body
    except (RecursionError, MemoryError):
        raise ProblemError(deep) from None
    except (SyntaxError, ValueError) as error:
        where = getattr(error, "offset", None)
        place = f" near `{_short(text.strip()[max(0, where - 8) : where + 8])}`" if where else ""
        raise ProblemError(
            f"{what}, `{_short(text)}`, cannot be read as a formula{place}; "
            "write products with `*` and powers with `**`."
        ) from None
    nodes = sum(1 for _ in ast.walk(tree))
    if nodes > MAX_NODES:
        raise ProblemError(
            f"{what} has {nodes:,} parts; the limit is {MAX_NODES:,}. Move long data into a function in `parameters`."
        )
    return tree


def names_in(tree: ast.expr) -> list[str]:
    """Names used in a formula in the order of the text, other than those of functions."""
    called = {n.func for n in ast.walk(tree) if isinstance(n, ast.Call)}
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n not in called]
    return list(dict.fromkeys(n.id for n in sorted(found, key=lambda n: (n.lineno, n.col_offset))))


def differentiated_names(tree: ast.expr) -> set[str]:
    """Plain names inside ``lap(...)`` or as first argument of ``diff(...)``."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in DERIVATIVES and node.args:
            found.update(names_in(node.args[0]))
    return found


def split_subscript(name: str, letters: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """Split ``u_xxt`` into (``u``, (x, x, t)); None when the subscript is not made of the given letters."""
    base, underscore, subscript = name.rpartition("_")
    if not (underscore and base and subscript):
        return None
    pattern = "|".join(sorted(map(re.escape, letters), key=len, reverse=True))
    if not re.fullmatch(f"(?:{pattern})+", subscript):
        return None
    return base, tuple(re.findall(pattern, subscript))


@dataclass(frozen=True)
class Alphabet:
    """What names mean: coordinates, parameters, unknowns and, on a face, the normal.

    A parameter that is a function is a symbol; `data` says how to evaluate it at points.
    """

    axes: tuple[str, ...]
    parameters: Mapping[str, Value] = field(default_factory=dict)
    unknowns: Mapping[str, type] = field(default_factory=dict)
    data: Mapping[Symbol, Callable[[np.ndarray], np.ndarray]] = field(default_factory=dict)
    face: Face | None = None

    @property
    def coordinates(self) -> tuple[str, ...]:
        return (*self.axes, "t")

    @property
    def letters(self) -> tuple[str, ...]:
        return self.coordinates if self.face is None else (*self.coordinates, "n")

    @property
    def names(self) -> list[str]:
        return [*self.coordinates, *self.parameters, *self.unknowns, *CONSTANTS]

    def unknown(self, name: str, letters: Sequence[str] = ()) -> Value:
        """∂^a of an unknown, as one real symbol or as a pair."""
        index = [0] * len(self.coordinates)
        factor = 1
        for letter in letters:
            if letter == "n":
                index[self.face.axis] += 1
                factor *= self.face.sign
            else:
                index[self.coordinates.index(letter)] += 1
        parts = [jet_symbol(Jet(part, tuple(index))) for part in fields_of(name, self.unknowns[name])]
        return Value(*(factor * part for part in parts))

    def resolve(self, name: str, what: str) -> Value:
        """Meaning of one name, or a sentence with the names that exist."""
        if name in self.coordinates:
            return Value(Symbol(name))
        if name in self.parameters:
            return self.parameters[name]
        if name in self.unknowns:
            return self.unknown(name)
        if name in CONSTANTS:
            return Value(sympy.Float(CONSTANTS[name]))
        split = split_subscript(name, self.letters)
        if split and split[0] in self.unknowns:
            return self.unknown(*split)
        raise ProblemError(self._unknown_name(name, what))

    def _unknown_name(self, name: str, what: str) -> str:
        base, _, subscript = name.rpartition("_")
        if base in self.unknowns and subscript == "n" and self.face is None:
            return f"{what}: `{name}` is a normal derivative, which exists on a face only; name the axis instead."
        if base in self.unknowns:
            return (
                f"{what}: `{name}` differentiates `{base}` by `{subscript}`; "
                f"the coordinates are {listing(self.coordinates)}."
            )
        hint = f" It is a function; call it as `{name}(...)`." if name in functions.TABLE else suggest(name, self.names)
        return (
            f"{what}: the name `{name}` is not known; known are {listing(self.names)}.{hint} "
            "Constants and given functions go into `parameters`."
        )


def fields_of(name: str, kind: type) -> tuple[str, ...]:
    """Real scalar fields of an unknown: itself, or its real and imaginary part."""
    return (f"{name}.re", f"{name}.im") if kind is complex else (name,)


def translate(tree: ast.expr, alphabet: Alphabet, what: str) -> Value:
    """Build the formula of a syntax tree; anything outside the whitelist is refused by name."""
    return _Translator(alphabet, what).visit(tree, 0)


class _Translator:
    def __init__(self, alphabet: Alphabet, what: str):
        self.alphabet = alphabet
        self.what = what

    def visit(self, node: ast.expr, depth: int) -> Value:
        if depth > MAX_DEPTH:
            raise ProblemError(f"{self.what} is nested too deeply; the limit is {MAX_DEPTH} levels. Split it up.")
        if isinstance(node, ast.Constant):
            return self._number(node.value)
        if isinstance(node, ast.Name):
            return self.alphabet.resolve(node.id, self.what)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
            value = self.visit(node.operand, depth + 1)
            return value if isinstance(node.op, ast.UAdd) else functions.times(Value(-ONE), value)
        if isinstance(node, ast.BinOp):
            return self._binary(node, depth)
        if isinstance(node, ast.Call):
            return self._call(node, depth)
        raise self._refuse(node)

    def _refuse(self, node: ast.AST) -> ProblemError:
        kind = type(node).__name__
        hint = HINTS.get(type(node), "only numbers, names, + - * / ** and functions are allowed")
        return ProblemError(f"{self.what}: {kind} is not part of the language of equations; {hint}.")

    def _number(self, value: object) -> Value:
        if isinstance(value, bool) or not isinstance(value, int | float | complex):
            raise ProblemError(f"{self.what}: {value!r} is not a number; only numbers, names and functions are allowed.")
        if isinstance(value, complex):
            return Value(self._real(value.real), self._real(value.imag))
        return Value(self._real(value))

    def _real(self, value: float) -> Expr:
        if isinstance(value, int) and abs(value) <= 2**53:
            return sympy.Integer(value)
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise ProblemError(f"{self.what}: a number in it is too large; numbers must be below 1e308.")
        return sympy.Integer(int(number)) if number.is_integer() and abs(number) < 2**53 else sympy.Float(number)

    def _binary(self, node: ast.BinOp, depth: int) -> Value:
        if isinstance(node.op, ast.Add | ast.Sub):
            return self._total(node, depth)
        if isinstance(node.op, ast.Mult | ast.Div):
            return self._products(node, depth)
        if isinstance(node.op, ast.Pow):
            return self._power(self.visit(node.left, depth + 1), self.visit(node.right, depth + 1))
        raise self._refuse(node.op)

    def _total(self, node: ast.expr, depth: int) -> Value:
        # A sum of many terms is one flat Add: adding them one by one would cost their number squared.
        terms: list[Value] = []
        while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            right = self.visit(node.right, depth + 1)
            terms.append(right if isinstance(node.op, ast.Add) else functions.times(Value(-ONE), right))
            node = node.left
        terms.append(self.visit(node, depth + 1))
        return self._finite(functions.plus(terms[::-1]))

    def _products(self, node: ast.expr, depth: int) -> Value:
        factors: list[Value] = []
        while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
            right = self.visit(node.right, depth + 1)
            factors.append(right if isinstance(node.op, ast.Mult) else self._reciprocal(right))
            node = node.left
        product = self.visit(node, depth + 1)
        reals = [f.re for f in [product, *factors[::-1]] if f.real]
        result = Value(sympy.Mul(*map(self._tame, reals))) if reals else Value(ONE)
        for factor in [product, *factors[::-1]]:
            if not factor.real:
                result = functions.times(result, factor)
        return self._finite(result)

    def _reciprocal(self, value: Value) -> Value:
        if value.re == 0 and value.im == 0:
            raise ProblemError(f"{self.what}: it divides by zero.")
        return functions.reciprocal(Value(self._tame(value.re), self._tame(value.im)))

    def _tame(self, expression: Expr) -> Expr:
        """Turn fractions and long integers into floats, so that exact arithmetic cannot grow."""
        if expression.is_Rational and (not expression.is_Integer or abs(expression.p) > 2**53):
            return self._real(float(expression))
        return expression

    def _finite(self, value: Value) -> Value:
        for part in value:
            if part.is_number and not (part.is_comparable and math.isfinite(part)):
                raise ProblemError(f"{self.what}: a number in it overflows or is not defined.")
        return Value(self._tame(value.re), self._tame(value.im))

    def _power(self, base: Value, exponent: Value) -> Value:
        if base.real and exponent.real and base.re.is_Number and exponent.re.is_Number:
            try:
                number = float(base.re) ** float(exponent.re)
            except (OverflowError, ZeroDivisionError):
                raise ProblemError(f"{self.what}: `{base.re}**{exponent.re}` is too large or not defined.") from None
            return self._number(number)
        if exponent.real and exponent.re.is_Integer and abs(exponent.re) > MAX_EXPONENT:
            raise ProblemError(f"{self.what}: the power {exponent.re} is too high; the limit is {MAX_EXPONENT}.")
        if base.real and exponent.real:
            # c·X to a power: the number c is raised as a float, exact integers could fill the memory.
            coefficient, rest = base.re.as_coeff_Mul()
            if exponent.re.is_Number and coefficient is not ONE and coefficient.is_positive:
                number = self._power(Value(coefficient), exponent)
                return functions.times(number, Value(functions.real_power(rest, exponent.re)))
            return Value(functions.real_power(base.re, exponent.re))
        return functions.complex_power(base, exponent)

    def _call(self, node: ast.Call, depth: int) -> Value:
        if not isinstance(node.func, ast.Name):
            raise self._refuse(node.func)
        name = node.func.id
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise ProblemError(f"{self.what}: `{name}` takes plain arguments only.")
        if name in DERIVATIVES:
            return self._derivative(name, node, depth)
        if name not in functions.TABLE:
            valid = [*functions.TABLE, *DERIVATIVES]
            raise ProblemError(
                f"{self.what}: the function `{name}` is not known; known are {listing(valid)}.{suggest(name, valid)}"
            )
        if len(node.args) != 1:
            raise ProblemError(f"{self.what}: `{name}` takes 1 argument and was given {len(node.args)}.")
        try:
            return self._finite(functions.TABLE[name](self.visit(node.args[0], depth + 1)))
        except functions.NotComplex:
            raise ProblemError(f"{self.what}: `{name}` of a complex argument is not supported.") from None

    def _derivative(self, name: str, node: ast.Call, depth: int) -> Value:
        if not node.args or (name == "lap" and len(node.args) != 1):
            raise ProblemError(f"{self.what}: write `lap(u)` or `diff(u, x)`.")
        value = self.visit(node.args[0], depth + 1)
        if name == "lap":
            terms = [self._total_derivative(self._total_derivative(value, a), a) for a in self.alphabet.axes]
            return functions.plus(terms)
        letters = [a.id if isinstance(a, ast.Name) else "?" for a in node.args[1:]]
        bad = [a for a in letters if a not in self.alphabet.coordinates]
        if bad or not letters:
            raise ProblemError(
                f"{self.what}: `diff(e, x)` differentiates by coordinates, which are "
                f"{listing(self.alphabet.coordinates)}."
            )
        for letter in letters:
            value = self._total_derivative(value, letter)
        return value

    def _total_derivative(self, value: Value, letter: str) -> Value:
        return Value(*(total_derivative(part, letter, self.alphabet, self.what) for part in value))


def total_derivative(expression: Expr, letter: str, alphabet: Alphabet, what: str) -> Expr:
    """D_x F = ∂F/∂x + Σ_a ∂F/∂(D^a u) · D^{a+x} u."""
    if size(expression) > MAX_DIFFERENTIATED:
        raise ProblemError(f"{what}: the formula inside a derivative is too long; write the derivative out.")
    position = alphabet.coordinates.index(letter)
    terms = [expression.diff(Symbol(letter))]
    for symbol in sorted(expression.free_symbols, key=str):
        jet = Jet.of(symbol)
        if jet is not None:
            terms.append(expression.diff(symbol) * jet_symbol(jet.raised(position)))
        elif symbol.name not in alphabet.coordinates:
            raise ProblemError(
                f"{what}: `{symbol.name.split('.')[0]}` is a given function and cannot be differentiated inside a "
                "formula; give its derivative as a further parameter and write the terms out."
            )
    return sympy.Add(*terms) if expression is not ZERO else ZERO


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."
