# SPDX-License-Identifier: MIT
"""Vectors of components in formulas:  grad u = (∂_x u, ∂_y u, …),  div F = Σ ∂_a F_a,  a·b = Σ a_k b_k,  curl F,  (a·grad) F = dot(a, grad(F)).

A syntax tree with vectors becomes one without: `grad(u)` a tuple of `diff(u, x)`, `(u, v)` itself, sums and multiples of vectors those of their
parts. In coordinates of a symmetry with the measure c r^d, whose unit vectors are those of r, phi and z,

    grad u = (u_r, u_phi/r),   div F = r^-d ∂_r(r^d F_r) + ∂_phi F_phi/r + ∂_z F_z.

A gradient of a vector has the derivatives by each coordinate as its parts, so that dot(a, grad(F)) = Σ a_k ∂_k F.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from lrfm.problem.errors import ProblemError, counted, short
from lrfm.problem.names import VECTORS

Parts = list[Any]  # of a vector: trees, or lists of them
NORMAL = "n"


def has_vectors(tree: ast.AST) -> bool:
    """Whether there is anything to expand: an operator on vectors, or a function of one. A comma alone is a slip."""
    calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
    return any(n.func.id in VECTORS or any(isinstance(a, ast.Tuple) for a in n.args) for n in calls)  # type: ignore[attr-defined]


def scalar(tree: ast.expr, axes: Sequence[str], symmetry: Any, what: str, normal: bool = False) -> ast.expr:
    """The same formula without vectors; ProblemError where it is one itself."""
    if not has_vectors(tree):
        return tree
    found = _Expansion(axes, symmetry, what, normal).visit(tree)
    if isinstance(found, list):
        raise ProblemError(
            f"{what}: `{short(ast.unparse(tree))}` is a vector, where a number is expected; take a part of it, `dot(...)`, `div(...)` or `abs(...)`."
        )
    found = ast.copy_location(found, tree)
    found.text = getattr(tree, "text", "")  # type: ignore[attr-defined]
    return found


def equations(
    left: ast.expr, right: ast.expr, axes: Sequence[str], symmetry: Any, what: str
) -> list[str] | None:
    """An equation of vectors as one for each part; None for one of numbers."""
    if not (has_vectors(left) or has_vectors(right)):
        return None
    one: Any
    other: Any
    one, other = (_Expansion(axes, symmetry, what, False).visit(side) for side in (left, right))
    if not isinstance(one, list) and not isinstance(other, list):
        return None
    one, other = (
        [ast.Constant(0)] * len(axes) if isinstance(side, ast.Constant) and side.value == 0 else side
        for side in (one, other)
    )
    if not isinstance(one, list) or not isinstance(other, list) or len(one) != len(other):
        raise ProblemError(
            f"{what} has {_told(one)} on its left and {_told(other)} on its right side; both must be alike."
        )
    return [f"{ast.unparse(a)} = {ast.unparse(b)}" for a, b in zip(one, other, strict=True)]


def _told(side: object) -> str:
    return f"a vector of {counted(len(side), 'part')}" if isinstance(side, list) else "a number"


class _Expansion:
    def __init__(self, axes: Sequence[str], symmetry: Any, what: str, normal: bool):
        self.axes, self.symmetry, self.what, self.normal = list(axes), symmetry, what, normal

    def visit(self, node: ast.expr) -> Any:
        """A tree of numbers, or the parts of a vector."""
        if isinstance(node, ast.Tuple):
            return [self.visit(part) for part in node.elts]
        if isinstance(node, ast.Name) and node.id == NORMAL and self.normal:
            return [ast.Name(f"n_{a}") for a in self.axes]
        if isinstance(node, ast.UnaryOp):
            return _each(self.visit(node.operand), lambda e: ast.UnaryOp(node.op, e))
        if isinstance(node, ast.BinOp):
            return self._binary(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._call(node, node.func.id)
        return node

    def _binary(self, node: ast.BinOp) -> Any:
        left: Any = self.visit(node.left)
        right: Any = self.visit(node.right)
        if isinstance(left, list) and isinstance(right, list):
            if isinstance(node.op, ast.Add | ast.Sub) and len(left) == len(right):
                return [ast.BinOp(a, node.op, b) for a, b in zip(left, right, strict=True)]
            if isinstance(node.op, ast.Mult):
                raise self._wrong(
                    node,
                    "is a product of two vectors; write `dot(a, b)`"
                    + (", or `u_n` for the derivative along the outward normal" if self.normal else ""),
                )
            raise self._wrong(node, "joins two vectors in a way that has no meaning")
        if isinstance(left, list) and isinstance(node.op, ast.Mult | ast.Div):
            return _each(left, lambda e: ast.BinOp(e, node.op, right))
        factor: Any = left
        if isinstance(right, list) and isinstance(node.op, ast.Mult):
            return _each(right, lambda e: ast.BinOp(factor, node.op, e))
        if isinstance(left, list) or isinstance(right, list):
            raise self._wrong(
                node, "joins a vector and a number; only products and quotients of them have a meaning"
            )
        return ast.copy_location(ast.BinOp(left, node.op, right), node)

    def _call(self, node: ast.Call, name: str) -> Any:
        given: list[Any] = [self.visit(a) for a in node.args]
        if name in VECTORS and (len(given) != VECTORS[name]):
            given = [given] if name in ("div", "curl") and len(given) > 1 else given
            if len(given) != VECTORS[name]:
                raise self._wrong(
                    node, f"has {counted(len(given), 'argument')}; `{name}` takes {VECTORS[name]}"
                )
        if name == "grad":
            return self._grad(given[0])
        if name == "div":
            return self._div(self._vector(given[0], node))
        if name == "dot":
            one, other = (self._vector(g, node) for g in given)
            return reduce(_plus, (_each(b, lambda e, a=a: ast.BinOp(a, ast.Mult(), e)) for a, b in zip(one, other, strict=True)))  # fmt: skip
        if name == "curl":
            return self._curl(given[0], node)
        if name in ("lap", "diff") and given and isinstance(given[0], list):
            if name == "lap" and self.symmetry is not None:
                raise self._wrong(
                    node,
                    "is the Laplacian of a vector, whose parts are joined in these coordinates; write its parts out",
                )
            return _each(given[0], lambda e: ast.Call(node.func, [e, *given[1:]], []))
        if name == "abs" and isinstance(given[0], list):
            squares = reduce(_plus, (ast.BinOp(e, ast.Pow(), ast.Constant(2)) for e in given[0]))
            return ast.Call(ast.Name("sqrt"), [squares], [])
        if any(isinstance(g, list) for g in given):
            raise self._wrong(node, "is a function of a vector; it has a meaning for numbers")
        return ast.copy_location(ast.Call(node.func, given, node.keywords), node)

    def _grad(self, value: Any) -> Parts:
        parts = [_each(value, lambda e, a=a: _diff(e, a)) for a in self.axes]
        if self.symmetry is None:
            return parts
        if isinstance(value, list):
            raise ProblemError(
                f"{self.what}: the gradient of a vector in coordinates='{self.symmetry.kind}' joins its parts; write them out."
            )
        r = ast.Name("r")
        return [
            ast.BinOp(p, ast.Div(), r) if a == "phi" else p for a, p in zip(self.axes, parts, strict=True)
        ]

    def _div(self, value: Parts) -> ast.expr:
        terms = []
        for a, part in zip(self.axes, value, strict=True):
            if isinstance(part, list):
                raise ProblemError(f"{self.what}: `div` has a matrix in it; write its parts out.")
            if self.symmetry is not None and a == "r":
                weight = ast.BinOp(ast.Name("r"), ast.Pow(), ast.Constant(self.symmetry.power))
                part = _diff(ast.BinOp(weight, ast.Mult(), part), a)
                terms.append(ast.BinOp(part, ast.Div(), weight))
            else:
                slope = _diff(part, a)
                terms.append(ast.BinOp(slope, ast.Div(), ast.Name("r")) if self.symmetry is not None and a == "phi" else slope)  # fmt: skip
        return reduce(_plus, terms)

    def _curl(self, value: Any, node: ast.Call) -> Any:
        if self.symmetry is not None or len(self.axes) not in (2, 3):
            raise self._wrong(node, "is a curl, which is there in two and three Cartesian coordinates")
        if len(self.axes) == 2 and not isinstance(value, list):
            return [_diff(value, self.axes[1]), ast.UnaryOp(ast.USub(), _diff(value, self.axes[0]))]
        v = self._vector(value, node)
        minus = lambda i, j: ast.BinOp(_diff(v[j], self.axes[i]), ast.Sub(), _diff(v[i], self.axes[j]))  # noqa: E731
        return minus(0, 1) if len(v) == 2 else [minus(1, 2), minus(2, 0), minus(0, 1)]

    def _vector(self, value: Any, node: ast.Call) -> Parts:
        """A vector with a part for each axis."""
        if not isinstance(value, list) and len(self.axes) == 1:
            return [value]
        if not isinstance(value, list):
            raise self._wrong(
                node, f"asks for a vector, such as `grad(u)` or `({', '.join('uvw'[: len(self.axes)])})`"
            )
        if len(value) != len(self.axes):
            raise self._wrong(
                node,
                f"has a vector of {counted(len(value), 'part')}, and there are {counted(len(self.axes), 'coordinate')}",
            )
        return value

    def _wrong(self, node: ast.expr, said: str) -> ProblemError:
        return ProblemError(f"{self.what}: `{short(ast.unparse(node))}` {said}.")


def _each(value: Any, made: Callable[[Any], ast.expr]) -> Any:
    """The same of every part of a vector."""
    return [_each(part, made) for part in value] if isinstance(value, list) else made(value)


def _plus(one: Any, other: Any) -> Any:
    if isinstance(one, list):
        return [_plus(a, b) for a, b in zip(one, other, strict=True)]
    return ast.BinOp(one, ast.Add(), other)


def _diff(e: ast.expr, axis: str) -> ast.expr:
    return ast.Call(ast.Name("diff"), [e, ast.Name(axis)], [])
