# SPDX-License-Identifier: MIT
"""Texts of the page's fields in pieces: lines, entries, numbers; and how values are spelled in files, scripts and fields."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from lrfm.problem import ProblemError
from lrfm.problem.errors import shown


class StudioError(ValueError):
    """A field that cannot be read; `field` and `line` say which one."""

    def __init__(self, message: str, field: str = "equation", line: int = 0):
        super().__init__(message)
        self.field, self.line = field, line


def short(value: float) -> str:
    """A number in as few digits as name it, and multiples of π as such."""
    for whole in (1, 2, 3, 4, 6, 8, 10, 20, 0.5):
        if abs(value) == whole * math.pi:
            return f"{'-' if value < 0 else ''}{'' if whole == 1 else f'{whole:g}*'}pi"
    return repr(int(value)) if float(value).is_integer() and abs(value) < 1e6 else repr(float(value))


def lines(text: str) -> list[tuple[int, str]]:
    """Lines that say something, with their numbers; what follows a # is a remark."""
    stripped = ((number, line.partition("#")[0].strip()) for number, line in enumerate(text.splitlines()))
    return [(number, line) for number, line in stripped if line]


def table(text: str, field: str, example: str) -> dict[str, str]:
    """Entries ``name = text``, one per line."""
    found: dict[str, str] = {}
    for line, entry in lines(text):
        name, sign, value = entry.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise StudioError(f"Cannot read {entry!r}; write {example}, one per line.", field, line)
        if name.strip() in found:
            raise StudioError(f"{name.strip()} is given twice.", field, line)
        found[name.strip()] = value.strip()
    return found


def by_layer(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Entries such as k.wire and k.coat as one table under k.

    >>> by_layer({"k.wire": 50, "k.coat": 1, "c": 2})
    {'k': {'wire': 50, 'coat': 1}, 'c': 2}
    """
    found: dict[str, Any] = {}
    for name, value in flat.items():
        whole, dot, layer = name.partition(".")
        if dot and isinstance(found.setdefault(whole, {}), dict):
            found[whole][layer] = value
        else:
            found[name] = value
    return found


def at_layer(nested: Mapping[str, Any], name: str) -> Any:
    """The entry that `by_layer` has put elsewhere."""
    whole, dot, layer = name.partition(".")
    found = nested.get(whole) if dot else nested.get(name)
    return found.get(layer) if dot and isinstance(found, Mapping) else found


def numbers(text: str, field: str, line: int, example: str) -> list[float]:
    parts = text.strip().strip("[]()").split(",")
    if len(parts) != 2:
        raise StudioError(
            f"Two numbers are expected, such as {example}; given is {shown(text)}.", field, line
        )
    return [number(part, field, line) for part in parts]


def number(text: str, field: str, line: int) -> float:
    """A number, or a formula without names such as 2*pi."""
    from lrfm.problem.alphabet import Alphabet
    from lrfm.problem.syntax import parse as parse_formula
    from lrfm.problem.text import translate

    try:
        value = translate(parse_formula(text.strip(), "The number"), Alphabet((), {}), "The number").number
    except ProblemError as error:
        raise StudioError(str(error), field, line) from None
    if value is None or value.imag or not math.isfinite(value.real):
        raise StudioError(f"{text.strip()!r} is not a real number.", field, line)
    return value.real


def folded(shape: str) -> str:
    """The text of a shape with a line for each of the shapes that it is combined of.

    >>> print(folded("Box(x=(-2, 2), y=(-1, 1)) - Disk(radius=0.4)"))
    Box(x=(-2, 2), y=(-1, 1))
      - Disk(radius=0.4)
    """
    told, depth, quote = "", 0, ""
    for k, letter in enumerate(shape):
        if quote or letter in "'\"":
            quote = "" if letter == quote else quote or letter
        depth += 0 if quote else (letter in "([") - (letter in ")]")
        joins = not quote and depth == 0 and shape[k : k + 3] in (" - ", " | ", " & ")
        told += "\n  " if joins else letter
    return told


def plain(text: str) -> float | str:
    """A number where it is one."""
    try:
        return float(text)
    except ValueError:
        return text


def span(ends: list[float]) -> str:
    """Two numbers as Python writes them."""
    return ", ".join(_code(end) for end in ends)


def _code(value: float) -> str:
    return repr(int(value)) if value.is_integer() and abs(value) < 1e6 else repr(value)


def key(name: str) -> str:
    """A key of a TOML file."""
    return name if re.fullmatch(r"[A-Za-z0-9_]+", name) else json.dumps(name, ensure_ascii=False)


def toml(value: Any) -> str:
    """A value of a TOML file."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key(name)} = {toml(item)}" for name, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
