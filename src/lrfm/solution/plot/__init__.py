# SPDX-License-Identifier: MIT
"""Pictures of a solution: `plot` draws a figure, `animate` a movie.

A solution is seen through `sampling.SolutionLike` only. Matplotlib is imported inside the functions that
draw, and its global state (`rcParams`, `pyplot`) is never touched. The two names are loaded when they are
first used: `files` needs a helper of this room at every solve.
"""

from importlib import import_module

_HOME = {"animate": "movie", "plot": "figure"}

__all__ = ["animate", "plot"]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'lrfm.solution.plot' has no attribute {name!r}")
    return getattr(import_module(f"lrfm.solution.plot.{_HOME[name]}"), name)
