# SPDX-License-Identifier: MIT
"""From text to a set: ``x**2 + 4*y**2 < 1 and y > -0.3``; each inequality l < r is the set φ = l − r < 0.

The text goes through the same sieves as an equation; nothing in it is executed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from lrfm.problem.algebra import Expr, Number
from lrfm.problem.alphabet import Alphabet
from lrfm.problem.errors import ProblemError, listing, short
from lrfm.problem.expression import Value
from lrfm.problem.shapes.kinds import Below
from lrfm.problem.shapes.tree import Both, Either, Simple, Tree
from lrfm.problem.syntax import MAX_DEPTH, check_text, parse, tree_of
from lrfm.problem.text import translate

EXAMPLE = "x**2 + 4*y**2 < 1 and y > -0.3"
_SIGN = {ast.Lt: 1, ast.LtE: 1, ast.Gt: -1, ast.GtE: -1}


@dataclass(frozen=True)
class Difference:
    """φ = ±(left − right) at given coordinates."""

    left: ast.expr
    right: ast.expr
    sign: int
    names: tuple[str, ...]
    parameters: Mapping[str, Value]
    what: str

    def __call__(self, at: Sequence[Expr]) -> Expr:
        known = {**self.parameters, **{n: Value(x) for n, x in zip(self.names, at, strict=True)}}
        sides = [translate(side, Alphabet((), known), self.what) for side in (self.left, self.right)]
        if not all(side.real for side in sides):
            raise ProblemError(
                f"{self.what} compares complex numbers; compare real ones, such as `abs(...)`."
            )
        return self.sign * (sides[0].re - sides[1].re)


def read_set(
    text: str, names: Sequence[str], parameters: Mapping[str, Value], what: str, own: Sequence[str] = ()
) -> Tree:
    """The set that a text describes; its sheets are called like their inequalities, or by their `own` names."""
    check_text(text, what, EXAMPLE)
    _check(text, what)
    text = " ".join(text.split())
    try:
        tree = tree_of(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _not_read(text, what) from None
    found: list[Simple] = []
    whole = _visit(tree, text, tuple(names), parameters, what, found, own, 0)
    if own and len(own) != len(found):
        raise ProblemError(
            f"{what} has {len(found)} inequalities, and `names` has {len(own)} names; give one for each, in order."
        )
    return whole


def _check(text: str, what: str) -> None:
    bad = re.search(r"[^\w\s+\-*/().,<>=]", text)
    if bad:
        advice = {"&": "write `and`", "|": "write `or`", "^": "write powers with `**`"}.get(
            bad[0], "an inequality has letters, digits, brackets, `+ - * / **`, `<` and `>`"
        )
        raise ProblemError(f"{what}, `{short(text)}`, contains the character `{bad[0]}`; {advice}.")
    if not re.search(r"[<>]", text):
        raise ProblemError(
            f"{what}, `{short(text)}`, is not an inequality; write one with `<` or `>`, such as `{EXAMPLE}`."
        )


def _not_read(text: str, what: str) -> ProblemError:
    return ProblemError(
        f"{what}, `{short(text)}`, cannot be read; expected inequalities joined by `and` and `or`, such as `{EXAMPLE}`."
    )


def _visit(
    node: ast.expr,
    text: str,
    names: tuple[str, ...],
    parameters: Mapping[str, Value],
    what: str,
    found: list[Simple],
    own: Sequence[str],
    depth: int,
) -> Tree:
    if depth > MAX_DEPTH:
        raise ProblemError(f"{what}, `{short(text)}`, is nested too deeply; split it into several shapes.")
    if isinstance(node, ast.BoolOp):
        parts = [_visit(v, text, names, parameters, what, found, own, depth + 1) for v in node.values]
        return reduce(Both if isinstance(node.op, ast.And) else Either, parts)
    if not isinstance(node, ast.Compare):
        raise _not_read(text, what)
    sides, sets = [node.left, *node.comparators], []
    for left, op, right in zip(sides, node.ops, sides[1:], strict=False):
        if type(op) not in _SIGN:
            raise ProblemError(
                f"{what}, `{short(text)}`, compares with something other than `<` and `>`; an equality has no inside."
            )
        sets.append(_simple(left, right, _SIGN[type(op)], text, names, parameters, what, found, own))
    return reduce(Both, sets)


def _simple(
    left: ast.expr,
    right: ast.expr,
    sign: int,
    text: str,
    names: tuple[str, ...],
    parameters: Mapping[str, Value],
    what: str,
    found: list[Simple],
    own: Sequence[str],
) -> Simple:
    texts = [ast.get_source_segment(text, side) or "" for side in (left, right)]
    said = f" {'<' if sign > 0 else '>'} ".join(texts)
    label = own[len(found)] if len(found) < len(own) else said
    # Parsed once more on its own, so that what is wrong with it is said as for any formula.
    first, second = (parse(side, f"{what}: `{short(said)}`") for side in texts)
    function = Difference(first, second, sign, names, parameters, f"{what}: `{short(said)}`")
    kind = Below(len(names), function, label)
    simple = Simple(kind, names, None, np.eye(len(names)), np.zeros(len(names)))
    if isinstance(simple.levels[0].formula, Number):
        raise ProblemError(
            f"{what}: `{short(said)}` does not depend on {listing(names)}; it is true everywhere or nowhere."
        )
    found.append(simple)
    return simple
