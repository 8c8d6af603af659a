# SPDX-License-Identifier: MIT
"""A time at which something happens."""

from typing import NamedTuple


class Crossing(NamedTuple):
    """A time at which something happens, and its estimated error: NaN where there is no comparison solve."""

    t: float
    error: float
