# SPDX-License-Identifier: MIT
"""One statement, many runs: over values of its parameters, over arguments of `lrfm.solve`, over seeds."""

from lrfm.parallel.sweeps.grid import points_of, values_of
from lrfm.parallel.sweeps.sweep import Sweep, SweepRun, sweep

__all__ = ["Sweep", "SweepRun", "points_of", "sweep", "values_of"]
