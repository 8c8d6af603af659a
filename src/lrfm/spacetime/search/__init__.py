# SPDX-License-Identifier: MIT
"""Parts chosen to meet a tolerance: a few scalars, found by the residual on held-out points; sizes; blocks."""

from lrfm.spacetime.search.defaults import choose_parts, default_space
from lrfm.spacetime.search.growth import Choice, Chooser, next_window, retune
from lrfm.spacetime.search.search import Tuner
from lrfm.spacetime.search.setting import Setting

__all__ = [
    "Choice",
    "Chooser",
    "Setting",
    "Tuner",
    "choose_parts",
    "default_space",
    "next_window",
    "retune",
]
