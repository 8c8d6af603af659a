# SPDX-License-Identifier: MIT
"""What configurations are given: checked once, refused with a sentence, frozen."""

from collections.abc import Sequence
from math import isfinite
from numbers import Real

import numpy as np


def readonly(values) -> np.ndarray:
    """A read-only copy, so that what was sampled cannot change later."""
    array = np.array(values, order="C")
    array.setflags(write=False)
    return array


def check_count(name: str, value) -> None:
    """A positive integer."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"`{name}={value!r}` is not a positive integer; give a count of at least 1.")


def check_number(name: str, value, *, positive: bool = False) -> None:
    """A finite number, not negative, and not zero if `positive`."""
    if not is_number(value) or value < 0 or (positive and value == 0):
        kind = "a positive number" if positive else "a non-negative number"
        raise ValueError(f"`{name}={value!r}` is not {kind}; give one finite value.")


def check_range(name: str, value, *, positive: bool = False, strict: bool = False) -> None:
    """A pair (low, high) of finite numbers with low ≤ high, or low < high if `strict`."""
    if not is_pair(value):
        raise ValueError(f"`{name}={value!r}` is not a range; give a pair of finite numbers (low, high).")
    low, high = value
    if low > high or (strict and low == high):
        raise ValueError(
            f"`{name}={value!r}` is not increasing; give (low, high) with low {'<' if strict else '≤'} high."
        )
    if positive and low <= 0:
        raise ValueError(f"`{name}={value!r}` is not positive; give (low, high) with 0 < low < high.")


def check_choice(name: str, value, choices: Sequence[str]) -> None:
    """One of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"`{name}={value!r}` is unknown; choose one of {', '.join(map(repr, choices))}.")


def is_number(value) -> bool:
    """Whether the value is a finite number."""
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
    except OverflowError:  # a whole number beyond the range of doubles
        return False


def is_pair(value) -> bool:
    """Whether the value is a pair of finite numbers."""
    return isinstance(value, tuple | list | np.ndarray) and len(value) == 2 and all(map(is_number, value))


def tuples(value):
    """Lists and arrays as nested tuples, everything else as it is: what a frozen configuration stores."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return tuple(tuples(v) for v in value) if isinstance(value, tuple | list) else value


def check_weights(name: str, value) -> None:
    """A positive number, or several."""
    for v in value if isinstance(value, tuple) else (value,):
        check_number(name, v, positive=True)
    if value == ():
        raise ValueError(f"`{name}=()` is empty; give one positive number, or one per axis.")


def spread_weights(name: str, value, axes: Sequence[str]) -> np.ndarray:
    """One weight range per axis."""
    if isinstance(value, tuple) and len(value) != len(axes):
        raise ValueError(
            f"`{name}={value!r}` has {len(value)} entries for the {len(axes)} axes {', '.join(axes)}; "
            "give one number for all, or one per axis."
        )
    return np.broadcast_to(np.asarray(value, dtype=float), (len(axes),))
