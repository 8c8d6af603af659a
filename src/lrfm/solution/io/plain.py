# SPDX-License-Identifier: MIT
"""Numbers that JSON lacks: inf and nan as {"$float": "inf"}, 1 + 2i as {"$complex": [1.0, 2.0]}.

A tag, not a bare string, so that the text "inf" in a document stays a text. Finite floats are written with
the shortest digits that give the same float back, so every float64 survives bit for bit.
"""

import json
import math
from typing import Any

import numpy as np


class FileFormatError(ValueError):
    """The file is damaged, foreign, or newer than this version of lrfm."""


def to_plain(value: Any) -> Any:
    """Tag the numbers that JSON lacks, in dicts with text keys, lists and tuples, at any depth."""
    if isinstance(value, dict):
        wrong = [key for key in value if not isinstance(key, str)]
        if wrong:
            raise TypeError(
                f"A document has text keys only; {wrong[0]!r} was given. Use `encode` for other keys."
            )
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    return number_to_plain(value)


def number_to_plain(value: Any) -> Any:
    """The same for one number, text or None; NumPy scalars become Python's."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": repr(value)}
    if isinstance(value, complex):
        return {"$complex": [number_to_plain(value.real), number_to_plain(value.imag)]}
    raise TypeError(
        f"{type(value).__name__} cannot be written as JSON. Use `encode` to turn objects into plain data."
    )


def dumps(document: Any) -> bytes:
    """The document as JSON that any reader accepts."""
    return json.dumps(to_plain(document), allow_nan=False, ensure_ascii=False, indent=1).encode()


def loads(text: bytes) -> Any:
    """The inverse of `dumps`; lists stay lists, and tuples have become lists."""
    try:
        return json.loads(text.decode(), object_hook=untag, parse_constant=_refuse)
    except (ValueError, RecursionError) as problem:
        raise FileFormatError(f"The document in the file is not valid: {problem}.") from problem


def untag(item: dict[str, Any]) -> Any:
    """A tagged number as the number it stands for; any other dict as it is."""
    if item.keys() == {"$float"}:
        if item["$float"] not in ("inf", "-inf", "nan"):
            raise FileFormatError(f"A tagged float is inf, -inf or nan; {item['$float']!r} was found.")
        return float(item["$float"])
    if item.keys() == {"$complex"}:
        parts = item["$complex"]
        if not isinstance(parts, list) or [type(part) for part in parts] != [float, float]:
            raise FileFormatError(f"A complex number has two floats; {parts!r} was found.")
        return complex(*parts)
    return item


def _refuse(constant: str) -> None:
    raise FileFormatError(f"{constant} is not JSON")
