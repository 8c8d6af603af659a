# SPDX-License-Identifier: MIT
"""Pictures of a solution: `plot` draws a figure, `animate` a movie.

A solution is seen through `sampling.SolutionLike` only. Matplotlib is imported inside the functions that
draw, and its global state (`rcParams`, `pyplot`) is never touched.
"""

from lrfm.plot.figure import plot as plot
from lrfm.plot.movie import animate as animate

__all__ = ["animate", "plot"]
