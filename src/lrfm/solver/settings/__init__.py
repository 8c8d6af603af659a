# SPDX-License-Identifier: MIT
"""Parts chosen to meet a tolerance: a few scalars, found by the residual on held-out points; sizes; blocks."""

from lrfm.solver.settings.defaults import choose_parts, default_space
from lrfm.solver.settings.growth import Choice, Chooser, next_window, retune
from lrfm.solver.settings.search import Tuner
from lrfm.solver.settings.setting import Setting

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
