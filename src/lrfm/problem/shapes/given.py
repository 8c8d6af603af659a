# SPDX-License-Identifier: MIT
"""What shapes are given: vectors of finite numbers, angles, names; each refused with a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lrfm.problem.calls import is_real
from lrfm.problem.errors import ProblemError, counted, shown


def vector(what: str, given: Sequence[Any], dimension: int) -> np.ndarray:
    """Finite numbers, one for each axis, one by one or as one list."""
    values = [*given[0]] if len(given) == 1 and np.ndim(given[0]) else [*given]
    if len(values) != dimension or not all(is_real(v) and math.isfinite(v) for v in values):
        raise ProblemError(
            f"`{what}` was given {shown(given)}; expected {counted(dimension, 'finite number')}."
        )
    return np.array(values, dtype=float)


def name_of(given: object, what: str) -> str:
    """A text."""
    if not isinstance(given, str):
        raise ProblemError(f"The name of {what} was given as {shown(given)}; expected a text.")
    return given
