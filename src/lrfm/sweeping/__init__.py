# SPDX-License-Identifier: MIT
"""One statement, many runs: over values of its parameters, over arguments of `lrfm.solve`, over seeds."""

from lrfm.sweeping.grid import points_of, values_of
from lrfm.sweeping.sweep import Sweep, SweepRun, sweep

__all__ = ["Sweep", "SweepRun", "points_of", "sweep", "values_of"]
