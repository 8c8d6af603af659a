# SPDX-License-Identifier: MIT
"""The front door of pictures: one call draws what fits the number of axes."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lrfm.problem.calls import naming
from lrfm.solution.io.whole import suffix_of
from lrfm.solution.plot.cells import check_cells
from lrfm.solution.plot.curves import curve_in, curves_figure
from lrfm.solution.plot.look import LABEL, Look, drawing
from lrfm.solution.plot.slices import slice_in, slices_figure
from lrfm.solution.plot.spacetime import field_in, spacetime_figure
from lrfm.solution.sampling import SolutionLike, chosen_times, chosen_unknowns, picture_points

SUFFIXES = (".png", ".pdf", ".svg")
_MOST_TIMES = 12  # more do not fit on a page


@naming
def plot(
    solution: SolutionLike,
    what: str | os.PathLike | Sequence[str] | None = None,
    path: str | os.PathLike | None = None,
    *,
    unknown: str | Sequence[str] | None = None,
    times: int | float | Iterable[float] | None = None,
    resolution: int | Mapping[str, int] | None = None,
    error: bool = False,
    cells: bool = False,
    ax: Any = None,
    cmap: str | None = None,
    size: tuple[float, float] | None = None,
    title: str | None = None,
    scale: str = "all",
) -> Any:
    """Draw a solution and return the matplotlib `Figure`; write it to `path` (png, pdf or svg) if given.

    Ordinary equations and steady solutions with one axis: curves. One axis: u(x, t) over space and time, and its profiles. Two axes: pictures at chosen times. Three or
    more: the same in planes through the middle of the domain. A complex unknown shows |ψ| and arg ψ.

    Parameters
    ----------
    what: unknowns, derivatives or formulas to draw (``"u_x**2"``); all unknowns by default, one row each. A name that ends in png,
        pdf or svg is the path.
    unknown: the same under its older name.
    times: how many equidistant times, or which ones, for profiles and pictures; at most 12.
    resolution: points per axis, one int for all or a dict by name; with one axis, "t" counts the times in the
        field.
    error: add log10|u - u_ref|, where the problem has a `reference`; else the error that the solution estimates, where it knows it as a function, with
        bands around the profiles.
    cells: draw the edges of the cells: over space and time, or of two axes in each picture.
    ax: draw one quantity into these axes instead, over space and time or at one of `times` (the last), and return them.
    cmap, size, title: name of a color map, inches, a line above the figure.
    scale: ``"all"``, one color scale for all times, or ``"each"``, values relative to the largest one of their time.
    """
    if isinstance(what, os.PathLike) or (isinstance(what, str) and re.search(r"\.[A-Za-z]{2,5}$", what)):
        what, path = None, what
    if path is not None:
        suffix_of(path, SUFFIXES)
    if scale not in ("all", "each"):
        raise ValueError(f"`scale={scale!r}` is not known; use 'all' or 'each'.")
    if cells:
        check_cells(solution)
    problem = solution.problem
    names = chosen_unknowns(solution, what if unknown is None else unknown)
    flat = len(problem.domain.axes) == 1
    moments = chosen_times(solution, times, count=5)
    if moments.size > _MOST_TIMES:
        raise ValueError(
            f"`times` asks for {moments.size} times; a figure shows at most {_MOST_TIMES}. "
            "Choose fewer, or use `animate`."
        )
    space, rows = picture_points(problem, resolution, default=301 if flat else 129)
    look = Look(cmap=cmap, each=scale == "each", shown=path is None)
    if problem.ordinary or (problem.steady and flat):
        return _curves(solution, names, resolution, error, ax, look, path, title, size)
    if ax is not None:
        if flat:
            field_in(ax, solution, _one(names), space, rows, look, cells=cells)
        else:
            slice_in(ax, solution, _one(names), space, moments[-1], look, cells=cells)
        return ax
    if flat:
        figure = spacetime_figure(
            solution, names, space, moments, rows=rows, error=error, cells=cells, look=look
        )
    else:
        figure = slices_figure(solution, names, space, moments, error=error, cells=cells, look=look)
    return _finished(figure, path, title, size)


def _curves(
    solution: SolutionLike,
    names: Sequence[str],
    resolution: int | Mapping[str, int] | None,
    error: bool,
    ax: Any,
    look: Look,
    path: str | os.PathLike | None,
    title: str | None,
    size: tuple[float, float] | None,
) -> Any:
    """Curves over the one coordinate there is: time, or an axis of a steady solution."""
    if not solution.problem.coordinates:
        raise ValueError(
            "A rest state of ordinary equations is a number for each unknown, with nothing to draw it over; print `solution()`, or draw how it depends on a "
            "parameter, `lrfm.branch(problem, ...).plot()`."
        )
    (name,) = solution.problem.coordinates
    count = resolution.get(name) if isinstance(resolution, Mapping) else resolution
    if ax is not None:
        curve_in(ax, solution, _one(names), name, count)
        return ax
    figure = curves_figure(solution, names, name, count, error=error, look=look)
    return _finished(figure, path, title, size)


def _one(names: Sequence[str]) -> str:
    if len(names) > 1:
        raise ValueError(
            f'`ax=` has room for one quantity; there are {", ".join(names)}. Say which: plot("{names[0]}", ax=ax).'
        )
    return names[0]


def _finished(
    figure: Any, path: str | os.PathLike | None, title: str | None, size: tuple[float, float] | None
) -> Any:
    """With its title and size, and in a file where one is named."""
    if title is not None:
        figure.suptitle(title, fontsize=LABEL + 2)
    if size is not None:
        figure.set_size_inches(*size)
    if path is not None:
        with drawing(path) as draft:
            figure.savefig(draft, dpi=200)
    return figure
