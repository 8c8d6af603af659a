# SPDX-License-Identifier: MIT
"""What counts as a real number: one that a double can hold."""

from __future__ import annotations

import math
from numbers import Real
from typing import TypeGuard


def is_real(value: object) -> TypeGuard[float]:
    """Whether something is a real number that a double can hold, infinities among them.

    >>> is_real(2), is_real(float("inf")), is_real(True), is_real(float("nan")), is_real(10**400)
    (True, True, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return not math.isnan(float(value))
    except OverflowError:  # a whole number of more than 308 digits
        return False
