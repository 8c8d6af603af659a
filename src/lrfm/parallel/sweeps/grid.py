# SPDX-License-Identifier: MIT
"""Values along each axis of a sweep, and their product.

``a,b,c``: these; ``a:b:n``: n values from a to b, a·(b/a)^(k/(n−1)) where both are positive and differ by more than a
factor of ten, a + (b − a)·k/(n−1) otherwise; ``log:a:b:n`` and ``lin:a:b:n`` say which.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

DECADE = 10.0  # ratio of the ends above which spacing is logarithmic
MOST = 10_000  # values of one axis
SHAPES = ("log", "lin")
EXPECTED = "expected values such as 1,2,5 or a range such as 1e-4:1e-1:7 (from : to : how many)"

Number = int | float


def points_of(grid: Mapping[str, str | Sequence[Number]]) -> list[dict[str, Number]]:
    """All combinations, the last axis running fastest; one point without coordinates for an empty grid."""
    axes = {name: values_of(name, values) for name, values in grid.items()}
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def values_of(name: str, given: str | Sequence[Number]) -> list[Number]:
    """The values of one axis, each once."""
    values = (
        _read(name, given)
        if isinstance(given, str)
        else np.atleast_1d(np.asarray(given, dtype=object)).tolist()
    )
    plain = [
        v.item() if isinstance(v, np.generic) else v for v in values
    ]  # JSON does not know NumPy's numbers
    for value in plain:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError(f"The grid of `{name}` has the value {value!r}; {EXPECTED}.")
    if not 0 < len(plain) <= MOST:
        raise ValueError(f"The grid of `{name}` has {len(plain)} values; expected 1 to {MOST}.")
    return list(dict.fromkeys(plain))


def _read(name: str, text: str) -> list[Number]:
    shape, colon, rest = text.strip().partition(":")
    shape, rest = (shape.lower(), rest) if colon and shape.lower() in SHAPES else ("", text)
    try:
        if ":" not in rest and not shape:
            return [_number(part) for part in rest.split(",") if part.strip()]
        first, last, count = rest.split(":")
        return _range(name, text, shape, _number(first), _number(last), int(count))
    except ValueError as error:
        if str(error).startswith("The grid"):
            raise
        raise ValueError(f"The grid of `{name}` is {text!r}; {EXPECTED}.") from None


def _number(text: str) -> Number:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _range(name: str, text: str, shape: str, first: Number, last: Number, count: int) -> list[Number]:
    if not 1 <= count <= MOST or (count == 1 and first != last):
        raise ValueError(
            f"The grid of `{name}` is {text!r}, {count} values from {first:g} to {last:g}; expected 2 to {MOST} of them."
        )
    positive = first > 0 and last > 0
    if shape == "log" and not positive:
        raise ValueError(f"The grid of `{name}` is {text!r}; logarithmic spacing needs two positive ends.")
    wide = positive and max(first, last) / min(first, last) > DECADE
    values = (np.geomspace if shape == "log" or (wide and not shape) else np.linspace)(first, last, count)
    # An argument that counts something, given by whole numbers, is counted in whole numbers.
    whole = name.startswith("solve.") and isinstance(first, int) and isinstance(last, int)
    return [round(v) if whole else v for v in values.tolist()]
