# SPDX-License-Identifier: MIT
"""Formulas as SymPy trees that are only ever built, differentiated and evaluated: never simplified or executed.

Every function is opaque to SymPy (it knows the derivative and nothing else), and symbols carry no assumptions, so
that no rule of SymPy's can start to factor or to solve what a user wrote. Evaluation walks the tree with NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import sympy
from sympy import Expr, Symbol

ZERO = sympy.S.Zero
ONE = sympy.S.One


class Value(NamedTuple):
    """A complex formula as the pair re + i·im of real ones; im is exactly 0 for a real formula."""

    re: Expr
    im: Expr = ZERO

    @property
    def real(self) -> bool:
        return self.im is ZERO or self.im == 0


def _sech(x: np.ndarray) -> np.ndarray:
    return 2.0 * np.exp(-np.abs(x)) / (1.0 + np.exp(-2.0 * np.abs(x)))


def _erf(x: np.ndarray) -> np.ndarray:
    from scipy.special import erf

    return erf(x)


def _opaque(name: str, derivative: Callable[[Expr], Expr]) -> type[sympy.Function]:
    """A SymPy function of one argument that has a derivative and no other property."""

    def fdiff(self: sympy.Function, argindex: int = 1) -> Expr:
        return derivative(self.args[0])

    def evaluate(cls: type, x: Expr) -> Expr | None:
        # Of a number it is a number; of anything else it stays as written.
        if not x.is_Number:
            return None
        with np.errstate(all="ignore"):
            return sympy.Float(float(NUMERIC[cls](float(x))))

    return type(name, (sympy.Function,), {"nargs": (1,), "fdiff": fdiff, "eval": classmethod(evaluate)})


sin = _opaque("sin", lambda x: cos(x))
cos = _opaque("cos", lambda x: -sin(x))
tan = _opaque("tan", lambda x: 1 + tan(x) ** 2)
exp = _opaque("exp", lambda x: exp(x))
log = _opaque("log", lambda x: 1 / x)
sinh = _opaque("sinh", lambda x: cosh(x))
cosh = _opaque("cosh", lambda x: sinh(x))
tanh = _opaque("tanh", lambda x: 1 - tanh(x) ** 2)
sech = _opaque("sech", lambda x: -sech(x) * tanh(x))
asin = _opaque("asin", lambda x: (1 - x**2) ** sympy.Rational(-1, 2))
acos = _opaque("acos", lambda x: -((1 - x**2) ** sympy.Rational(-1, 2)))
atan = _opaque("atan", lambda x: 1 / (1 + x**2))
erf = _opaque("erf", lambda x: sympy.Float(2 / np.sqrt(np.pi)) * exp(-(x**2)))
absolute = _opaque("absolute", lambda x: sign(x))
sign = _opaque("sign", lambda x: ZERO)


class angle(sympy.Function):
    """arg(x + iy), the angle of the point (x, y)."""

    nargs = (2,)

    @classmethod
    def eval(cls, y: Expr, x: Expr) -> None:
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        y, x = self.args
        return x / (x**2 + y**2) if argindex == 1 else -y / (x**2 + y**2)


NUMERIC: dict[type, Callable] = {
    sin: np.sin, cos: np.cos, tan: np.tan, exp: np.exp, log: np.log, sinh: np.sinh, cosh: np.cosh, tanh: np.tanh,
    sech: _sech, asin: np.arcsin, acos: np.arccos, atan: np.arctan, erf: _erf, absolute: np.abs, sign: np.sign,
    angle: np.arctan2,
}  # fmt: skip


def size(expression: Expr) -> int:
    """Number of nodes of a formula, counted as a tree."""
    return sum(1 for _ in sympy.preorder_traversal(expression))


class Program:
    """Several formulas compiled to one list of NumPy steps, common parts evaluated once.

    A step is (function, positions of its arguments); inputs and constants come first. There is no generated code.
    """

    def __init__(self, outputs: Sequence[Expr]):
        self._place: dict[Expr, int] = {}
        self._constants: list[tuple[int, float]] = []
        self._inputs: list[tuple[int, Symbol]] = []
        self._steps: list[tuple[int, Callable, tuple[int, ...]]] = []
        self._outputs = [self._visit(e) for e in outputs]
        self.symbols = frozenset(s for _, s in self._inputs)

    def _visit(self, root: Expr) -> int:
        # An explicit stack: a user's formula may be deeper than Python's own.
        stack = [root]
        while stack:
            node = stack[-1]
            if node in self._place:
                stack.pop()
                continue
            if node.is_Symbol or node.is_Number or node.is_NumberSymbol:
                self._leaf(stack.pop())
                continue
            operands = _operands(node)
            waiting = [a for a in operands if a not in self._place]
            if waiting:
                stack.extend(waiting)
                continue
            place = self._place[stack.pop()] = len(self._place)
            self._steps.append((place, _operation(node), tuple(self._place[a] for a in operands)))
        return self._place[root]

    def _leaf(self, node: Expr) -> None:
        place = self._place[node] = len(self._place)
        if node.is_Symbol:
            self._inputs.append((place, node))
        else:
            self._constants.append((place, float(node)))

    def __call__(self, values: Mapping[Symbol, np.ndarray | float]) -> list[np.ndarray | float]:
        """Evaluate all outputs; a formula without inputs gives a plain number."""
        register: list = [None] * len(self._place)
        for place, number in self._constants:
            register[place] = number
        for place, symbol in self._inputs:
            register[place] = values[symbol]
        with np.errstate(all="ignore"):
            for place, function, operands in self._steps:
                register[place] = function(*(register[o] for o in operands))
        return [register[o] for o in self._outputs]


def _operands(node: Expr) -> tuple[Expr, ...]:
    if node.is_Pow and node.exp.is_Number:
        return (node.base,)
    return node.args


def _operation(node: Expr) -> Callable:
    if node.is_Add:
        return _sum
    if node.is_Mul:
        return _product
    if node.is_Pow:
        if not node.exp.is_Number:
            return np.power
        return _power(float(node.exp))
    return NUMERIC[type(node)]


def _sum(*terms: np.ndarray | float) -> np.ndarray | float:
    total = terms[0] + terms[1]
    for term in terms[2:]:
        total = total + term
    return total


def _product(*factors: np.ndarray | float) -> np.ndarray | float:
    total = factors[0] * factors[1]
    for factor in factors[2:]:
        total = total * factor
    return total


def _power(exponent: float) -> Callable:
    special = {2.0: lambda x: x * x, 3.0: lambda x: x * x * x, -1.0: lambda x: np.divide(1.0, x), 0.5: np.sqrt}
    if exponent in special:
        return special[exponent]
    # A float base: NumPy refuses negative integer powers of integers.
    return lambda x: np.power(np.asarray(x, dtype=float), exponent)


def jets_in(expression: Expr, jets: Iterable[Symbol]) -> set[Symbol]:
    """The symbols of `jets` that occur in a formula."""
    return expression.free_symbols & set(jets)
