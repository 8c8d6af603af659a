# SPDX-License-Identifier: MIT
r"""Formulas typeset: ``u_t = eps*u_xx - u**3`` becomes ``u_{t} = \varepsilon\, u_{xx} - u^{3}``.

Only what TeX and matplotlib's mathtext have in common is used.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from lrfm.problem.errors import ProblemError
from lrfm.problem.names import split_subscript
from lrfm.problem.syntax import parse

_SMALL = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega"
_CAPITAL = "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
GREEK = frozenset(f"{_SMALL} {_CAPITAL}".split())
_PLAIN = {"sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "min", "max"}
_NABLA = {"grad": "", "div": r" \cdot", "curl": r" \times"}
_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(1, 6)  # how tightly a part holds together


def letter(text: str) -> str:
    r"""One name without subscript.

    >>> letter("psi"), letter("u"), letter("speed"), letter("eps")
    ('\\psi', 'u', '\\mathrm{speed}', '\\varepsilon')
    """
    if text == "eps":
        return r"\varepsilon"
    if text in GREEK:
        return f"\\{text}"
    if len(text) == 1 or text.isdigit():
        return text
    return f"\\mathrm{{{text.replace('_', chr(92) + '_')}}}"


def name(text: str) -> str:
    r"""A name with what follows `_`, or digits at its end, as a subscript.

    >>> name("u_xx"), name("rho_b"), name("u1"), name("k")
    ('u_{xx}', '\\rho_{b}', 'u_{1}', 'k')
    """
    head, _, tail = text.rpartition("_")
    if not head and (match := re.fullmatch(r"(\D+)(\d+)", text)):
        head, tail = match.groups()
    if not head:
        return letter(text)
    inside = tail if set(tail) <= set("xyztn") else letter(tail)
    return f"{name(head) if '_' in head else letter(head)}_{{{inside}}}"


def formula(text: str, coordinates: Sequence[str] = ("x", "t")) -> str:
    r"""A formula; what cannot be read is shown as it is.

    >>> formula("-u_xx**2/(2*eps) + sin(pi*x)*(1 + u)")
    '\\frac{- u_{xx}^{2}}{2\\, \\varepsilon} + \\sin(\\pi\\, x)\\, (1 + u)'
    """
    try:
        return _Writer(coordinates).write(parse(text, "The formula"))[0]
    except (ProblemError, NotImplementedError):
        return f"\\mathrm{{{plain(text)}}}"


def plain(text: str) -> str:
    """Any text with the characters that mean something to TeX left out or escaped."""
    kept = "".join(c for c in text if c.isprintable() and c not in "\\{}$^~")
    return re.sub(r"([_%&#])", r"\\\1", kept[:200])


def equation(text: str, coordinates: Sequence[str] = ("x", "t")) -> str:
    r"""Both sides of an equation.

    >>> equation("u_t = D*lap(u)")
    'u_{t} = D\\, \\Delta u'
    """
    return " = ".join(formula(side, coordinates) for side in text.split("="))


class _Writer:
    def __init__(self, coordinates: Sequence[str]):
        self.coordinates = coordinates

    def write(self, node: ast.expr) -> tuple[str, int]:
        """The text of a part, and how tightly it holds together."""
        if isinstance(node, ast.Constant):
            return self._number(node.value), _ATOM
        if isinstance(node, ast.Name):
            return self._name(node.id), _ATOM
        if isinstance(node, ast.UnaryOp):
            inner = self._at_least(node.operand, _PRODUCT)
            return (f"- {inner}", _SUM) if isinstance(node.op, ast.USub) else (inner, _PRODUCT)
        if isinstance(node, ast.BinOp):
            return self._binary(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._call(node.func.id, node.args)
        if isinstance(node, ast.Tuple):
            return f"({', '.join(self.write(part)[0] for part in node.elts)})", _ATOM
        if isinstance(node, ast.Compare):
            sign = " > " if isinstance(node.ops[0], ast.Gt) else " < "
            return sign.join(self.write(part)[0] for part in (node.left, *node.comparators)), _SUM
        raise NotImplementedError

    def _at_least(self, node: ast.expr, strength: int) -> str:
        text, own = self.write(node)
        return text if own >= strength else f"({text})"

    def _binary(self, node: ast.BinOp) -> tuple[str, int]:
        if isinstance(node.op, ast.Add):
            return f"{self._at_least(node.left, _SUM)} + {self._at_least(node.right, _SUM)}", _SUM
        if isinstance(node.op, ast.Sub):
            return f"{self._at_least(node.left, _SUM)} - {self._at_least(node.right, _PRODUCT)}", _SUM
        if isinstance(node.op, ast.Mult):
            left, right = self._at_least(node.left, _PRODUCT), self._at_least(node.right, _PRODUCT)
            between = r" \cdot " if right[:1].isdigit() else r"\, "
            return f"{left}{between}{right}", _PRODUCT
        if isinstance(node.op, ast.Div):
            return f"\\frac{{{self.write(node.left)[0]}}}{{{self.write(node.right)[0]}}}", _ATOM
        if isinstance(node.op, ast.Pow):
            base, own = self.write(node.left)
            base = base if own == _ATOM and not base.startswith(r"\frac") else f"({base})"
            return f"{base}^{{{self.write(node.right)[0]}}}", _POWER
        raise NotImplementedError

    def _call(self, function: str, arguments: list[ast.expr]) -> tuple[str, int]:
        inside = [self.write(a)[0] for a in arguments]
        if function == "sqrt":
            return f"\\sqrt{{{inside[0]}}}", _ATOM
        if function == "abs":
            return f"|{inside[0]}|", _ATOM
        if function == "where":
            return (
                rf"\left\{{{inside[1]}\ \mathrm{{where}}\ {inside[0]},\ \mathrm{{else}}\ {inside[2]}\right\}}",
                _ATOM,
            )
        if function == "lap":
            return f"\\Delta {self._at_least(arguments[0], _ATOM)}", _PRODUCT
        if function in _NABLA and len(arguments) == 1:
            return f"\\nabla{_NABLA[function]} {self._at_least(arguments[0], _ATOM)}", _PRODUCT
        if function == "dot" and len(arguments) == 2:
            return (
                rf"{self._at_least(arguments[0], _POWER)} \cdot {self._at_least(arguments[1], _POWER)}",
                _PRODUCT,
            )
        if function == "diff":
            by = r" \partial ".join(inside[1:])
            power = f"^{{{len(inside) - 1}}}" if len(inside) > 2 else ""
            return (
                f"\\frac{{\\partial{power}}}{{\\partial {by}}} {self._at_least(arguments[0], _ATOM)}",
                _PRODUCT,
            )
        head = f"\\{function}" if function in _PLAIN else f"\\mathrm{{{function}}}"
        return f"{head}({', '.join(inside)})", _ATOM

    def _name(self, text: str) -> str:
        split = split_subscript(text, (*self.coordinates, "n"))
        return f"{name(split[0])}_{{{''.join(map(letter, split[1]))}}}" if split else name(text)

    def _number(self, value: object) -> str:
        if isinstance(value, complex):
            return r"\mathrm{i}" if value == 1j else f"{value.imag:g}\\, \\mathrm{{i}}"
        digits, _, exponent = f"{value:.12g}".partition("e")
        if not exponent:
            return digits
        power = f"10^{{{int(exponent)}}}"
        return power if digits == "1" else f"{digits} \\cdot {power}"
