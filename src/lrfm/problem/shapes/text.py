# SPDX-License-Identifier: MIT
"""Shapes as text, read and never executed: ``Box(x=(-2, 2), y=(-1, 1)) - Disk(center=(0.3, 0), radius=0.4, name="hole")``.

What Python would make of the same words with `lrfm` in front of them; statement files and the studio's page take it as a domain. The text becomes
Python's syntax tree, the tree becomes a record of plain data, and `from_record` builds the shape with all its sentences.
"""

from __future__ import annotations

import ast
import keyword
import math
from collections.abc import Mapping
from typing import Any

from lrfm.problem.constants import constant
from lrfm.problem.errors import ProblemError, listing, short, shown
from lrfm.problem.shapes.records import CHANGED, COMBINED, KINDS, from_record
from lrfm.problem.syntax import tree_of

LONGEST = 10_000
EXAMPLE = "Box(x=(-2, 2), y=(-1, 1)) - Disk(radius=0.4)"
SIGNS = {ast.BitOr: "union", ast.BitAnd: "intersection", ast.Sub: "difference"}
WRITTEN = {"union": " | ", "intersection": " & ", "difference": " - "}
# The one argument of a word that Python takes without its name.
FIRST = {"Region": "text", "Polygon": "vertices", "Prism": "base", "scaled": "by", "rotated": "angle"}


def read_shape(text: str) -> Any:
    """The domain that a text spells.

    Examples
    --------
    >>> read_shape("Disk(radius=2) & HalfSpace(normal=(0, -1), name='floor')").measure()  # doctest: +ELLIPSIS
    6.283...
    >>> read_shape("Box(x=(0, 2*pi), y=(0, 1)).part('inlet', 'x < 0.01')").names
    ('x', 'y')
    """
    return from_record(shape_record(text))


def shape_record(text: str) -> dict[str, Any]:
    """The record of the shape that a text spells."""
    if len(text) > LONGEST:
        raise ProblemError(f"A domain was given as {len(text):,} characters; at most {LONGEST:,} are read.")
    try:
        tree = tree_of(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _not_a_shape(text) from None
    try:
        return _record(tree, text)
    except RecursionError:
        raise _not_a_shape(text) from None


def as_python(record: Mapping[str, Any]) -> str:
    """A record as Python code: names of shapes with `lrfm` before them, numbers and texts, and nothing else.

    Every word comes from the tables of shapes and every value is written by `_literal`, so that no call of anything else can pass.

    >>> as_python(shape_record("Disk(radius=2) - Region('x > 1', x=(0, 2*pi), y=(0, 2))"))
    "lrfm.Disk(radius=2) - lrfm.Region('x > 1', x=(0, 6.283185307179586), y=(0, 2))"
    """
    word = {name.lower(): name for name in (*KINDS, "Prism", "Layers")}.get(str(record["shape"]).lower())
    word = word or str(record["shape"])
    given = {k: v for k, v in record.items() if k not in ("shape", "of")}
    if word in COMBINED and "of" in record:
        return WRITTEN[word].join(map(_operand, record["of"]))
    if word in CHANGED and "of" in record:
        head = f"{_operand(record['of'])}.{word}"
    elif word in (*KINDS, "Prism", "Layers"):
        head = f"lrfm.{word}"
    else:
        raise _cannot_be_written(word)
    parts = [_literal(given.pop(FIRST[word]))] if FIRST.get(word) in given else []
    if word == "shifted" and isinstance(given.get("by"), list):
        parts = [_literal(by) for by in given.pop("by")]
    parts += [f"{_name(k)}={_literal(v)}" for k, v in given.items()]
    return f"{head}({', '.join(parts)})"


def _operand(record: Mapping[str, Any]) -> str:
    return f"({as_python(record)})" if record["shape"] in COMBINED else as_python(record)


def _literal(value: object) -> str:
    """A value of a record as Python writes it; a shape inside by its own name."""
    if isinstance(value, Mapping):
        if "shape" in value:
            return as_python(value)
        return "{" + ", ".join(f"{_literal(k)}: {_literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"({', '.join(map(_literal, value))}{',' if len(value) == 1 else ''})"
    if type(value) is float and math.isfinite(value):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e6 else repr(value)
    if type(value) in (str, int, complex, bool, type(None)):
        return repr(value)
    raise _cannot_be_written(value)


def _name(word: object) -> str:
    """The name of an argument."""
    if isinstance(word, str) and word.isidentifier() and not keyword.iskeyword(word):
        return word
    raise _cannot_be_written(word)


def _cannot_be_written(what: object) -> ProblemError:
    return ProblemError(
        f"{shown(what)} in `domain` cannot be written as Python; expected numbers, texts, and the shapes {listing((*KINDS, 'Prism', 'Layers'))}."
    )


def _record(node: ast.AST, text: str) -> dict[str, Any]:
    if isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
        sign, right = SIGNS[type(node.op)], [_record(node.right, text)]
        while isinstance(node.left, ast.BinOp) and SIGNS.get(type(node.left.op)) == sign:
            node = node.left
            right.append(_record(node.right, text))
        return {"shape": sign, "of": [_record(node.left, text), *reversed(right)]}
    if not isinstance(node, ast.Call):
        raise _not_a_shape(text)
    if isinstance(node.func, ast.Attribute) and node.func.attr in CHANGED:
        word = node.func.attr
        return {"shape": word, "of": _record(node.func.value, text), **_given(node, word, text)}
    name = node.func.attr if isinstance(node.func, ast.Attribute) and _is_lrfm(node.func.value) else None
    name = node.func.id if isinstance(node.func, ast.Name) else name
    if name is None:
        raise _not_a_shape(text)
    if name == "Layers" and not node.args and all(k.arg not in (None, "shape") for k in node.keywords):
        return {"shape": name, **{str(k.arg): _record(k.value, text) for k in node.keywords}}
    return {"shape": name, **_given(node, name, text)}


def _is_lrfm(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "lrfm"


def _given(call: ast.Call, word: str, text: str) -> dict[str, Any]:
    """The arguments of one word by their names."""
    found: dict[str, Any] = {}
    plain = [_value(argument, text) for argument in call.args]
    if word == "shifted" and plain:
        found["by"] = plain[0] if len(plain) == 1 and isinstance(plain[0], list) else plain
    elif word == "part":
        found.update(zip(("name", "where"), plain, strict=False))
    elif len(plain) == 1 and word in FIRST:
        found[FIRST[word]] = plain[0]
    elif plain:
        raise ProblemError(
            f"The shape `{word}` was given {shown(ast.unparse(call))}; name what is given, such as `Disk(radius=1)`."
        )
    for named in call.keywords:
        if named.arg is None or named.arg in found or named.arg in ("shape", "of"):
            raise _not_a_shape(text)
        found[named.arg] = _value(named.value, text)
    return found


def _value(node: ast.AST, text: str) -> Any:
    """A text, a list, a table, another shape, or else a number, which may be a formula such as 2*pi."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Tuple | ast.List):
        return [_value(item, text) for item in node.elts]
    if isinstance(node, ast.Dict) and all(isinstance(k, ast.Constant) for k in node.keys):
        return {k.value: _value(v, text) for k, v in zip(node.keys, node.values, strict=True)}  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KINDS:
        return _record(node, text)
    return constant(ast.unparse(node), "A number in `domain`")


def _not_a_shape(text: str) -> ProblemError:
    return ProblemError(
        f"`domain` was given as the text `{short(text)}`; expected shapes joined by `|`, `&`, `-`, such as `{EXAMPLE}`; known are "
        f"{listing((*KINDS, 'Prism', 'Layers'))}."
    )
