# SPDX-License-Identifier: MIT
"""Formulas as MathML, which browsers draw by themselves: ``u_t = eps*u_xx`` becomes what a book would print.

The tree is the one of `lrfm.problem.syntax`, made from text that is never executed; names are escaped.
"""

from __future__ import annotations

import ast
import math
from html import escape

from lrfm.problem.errors import ProblemError
from lrfm.problem.syntax import parse, split_equation

GREEK = dict(
    zip(
        ["alpha", "beta", "gamma", "delta", "eps", "epsilon", "zeta", "eta", "theta", "kappa", "lam", "lambda_", "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega"],
        "αβγδεεζηθκλλμνξπρστφχψω",
        strict=True,
    )
)  # fmt: skip
WEAK, SUM, PRODUCT, SIGN, POWER, ATOM = range(6)  # how strongly the parts of a formula hold together

_NABLA = {"grad": "", "div": "<mo>⋅</mo>", "curl": "<mo>×</mo>"}


def equation(text: str) -> str:
    """``lhs = rhs`` as one <math> element.

    >>> equation("u_t = u_xx")[:38]
    '<math display="block"><mrow><msub><mi>'
    """
    left, right = split_equation(text, "The equation")
    return f'<math display="block">{formula(left)}<mo>=</mo>{formula(right)}</math>'


def formula(text: str) -> str:
    """One side, without the <math> around it."""
    return f"<mrow>{_draw(parse(text, 'The formula'))[0]}</mrow>"


def readable(text: str) -> str | None:
    """An equation or formula as a <math> element; None where it cannot be read (yet)."""
    try:
        return equation(text) if "=" in text else f"<math>{formula(text)}</math>"
    except (ProblemError, RecursionError):
        return None


def _draw(node: ast.expr) -> tuple[str, int]:
    """(MathML, strength) of a tree."""
    match node:
        case ast.Constant(value=value):
            return _constant(value)
        case ast.Name(id=name):
            return _name(name), ATOM
        case ast.UnaryOp(op=op, operand=operand):
            sign = "−" if isinstance(op, ast.USub) else "+"
            return f"<mo>{sign}</mo>{_held(operand, PRODUCT)}", SUM
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(left, op, right)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _call(name, arguments)
        case ast.Tuple(elts=parts):
            return _brackets("<mo>,</mo>".join(_draw(part)[0] for part in parts)), ATOM
    return f"<mtext>{escape(ast.unparse(node))}</mtext>", ATOM


def _held(node: ast.expr, least: int) -> str:
    """A part, in brackets where it would fall apart."""
    text, strength = _draw(node)
    return text if strength >= least else _brackets(text)


def _brackets(text: str, left: str = "(", right: str = ")") -> str:
    return f'<mrow><mo stretchy="true">{left}</mo>{text}<mo stretchy="true">{right}</mo></mrow>'


def _constant(value: object) -> tuple[str, int]:
    if isinstance(value, complex):
        factor = "" if value.imag == 1 else f"<mn>{value.imag:g}</mn>"
        return f"{factor}<mi>i</mi>", ATOM if not factor else PRODUCT
    digits = escape(str(value))
    if isinstance(value, float):
        if not math.isfinite(value):  # 1e999
            return "<mi>∞</mi>", ATOM
        mantissa, _, power = f"{value:.11e}".partition("e")
        plain = not value or -3 <= int(power) < 5
        digits = f"{value:.12g}" if plain else f"{float(mantissa):g}e{int(power)}"
    mantissa, e, exponent = digits.partition("e")
    if not e:
        return f"<mn>{digits}</mn>", ATOM
    factor = "" if mantissa == "1" else f"<mn>{mantissa}</mn><mo>⋅</mo>"
    minus = "<mo>−</mo>" if exponent.startswith("-") else ""
    power = f"<msup><mn>10</mn><mrow>{minus}<mn>{int(exponent.lstrip('+-'))}</mn></mrow></msup>"
    return factor + power, PRODUCT if factor else ATOM


def _name(name: str) -> str:
    base, _, subscript = name.partition("_")
    symbol = f"<mi>{escape(GREEK.get(base, base))}</mi>"
    if not subscript or not base:
        return symbol
    # A name of several letters is set upright; derivatives are several names of one letter.
    parts = subscript if set(subscript) <= set("xyzrtns") else [GREEK.get(subscript, subscript)]
    below = "".join(f"<mi>{escape(part)}</mi>" for part in parts)
    return f"<msub>{symbol}{below if len(parts) == 1 else f'<mrow>{below}</mrow>'}</msub>"


def _binary(left: ast.expr, op: ast.operator, right: ast.expr) -> tuple[str, int]:
    if isinstance(op, ast.Add | ast.Sub):
        sign = "+" if isinstance(op, ast.Add) else "−"
        return f"{_held(left, SUM)}<mo>{sign}</mo>{_held(right, PRODUCT)}", SUM
    if isinstance(op, ast.Div):
        return f"<mfrac><mrow>{_draw(left)[0]}</mrow><mrow>{_draw(right)[0]}</mrow></mfrac>", POWER
    if isinstance(op, ast.Pow):
        return f"<msup><mrow>{_held(left, ATOM)}</mrow><mrow>{_draw(right)[0]}</mrow></msup>", POWER
    dot = (
        "<mo>⋅</mo>" if isinstance(right, ast.Constant) else '<mo lspace="0.1em" rspace="0.1em">&#8290;</mo>'
    )
    first = _draw(left)[0] if isinstance(left, ast.UnaryOp) else _held(left, PRODUCT)
    # A sign in front of a product belongs to all of it, as in a sum.
    return f"{first}{dot}{_held(right, PRODUCT)}", SUM if isinstance(left, ast.UnaryOp) else PRODUCT


def _call(name: str, arguments: list[ast.expr]) -> tuple[str, int]:
    inside = "<mo>,</mo>".join(_draw(argument)[0] for argument in arguments)
    if name == "sqrt":
        return f"<msqrt><mrow>{inside}</mrow></msqrt>", ATOM
    if name == "abs":
        return _brackets(inside, "|", "|"), ATOM
    if name == "exp":
        return f"<msup><mi>e</mi><mrow>{inside}</mrow></msup>", POWER
    if name == "lap" and len(arguments) == 1:
        return f"<mi>Δ</mi>{_held(arguments[0], ATOM)}", PRODUCT
    if name in _NABLA and len(arguments) == 1:
        return f"<mo>∇</mo>{_NABLA[name]}{_held(arguments[0], ATOM)}", PRODUCT
    if name == "dot" and len(arguments) == 2:
        return f"{_held(arguments[0], POWER)}<mo>⋅</mo>{_held(arguments[1], POWER)}", PRODUCT
    if name == "diff" and len(arguments) > 1:
        letters = "".join(_draw(argument)[0] for argument in arguments[1:])
        return f"<msub><mo>∂</mo><mrow>{letters}</mrow></msub>{_held(arguments[0], ATOM)}", PRODUCT
    return f'<mi mathvariant="normal">{escape(name)}</mi>{_brackets(inside)}', ATOM
