# SPDX-License-Identifier: MIT
"""The front door of pictures: one call draws what fits the number of axes."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lrfm.solution.io.whole import suffix_of
from lrfm.solution.plot.look import drawing
from lrfm.solution.plot.sampling import SolutionLike, chosen_times, chosen_unknowns, picture_points
from lrfm.solution.plot.slices import slices_figure
from lrfm.solution.plot.spacetime import spacetime_figure

SUFFIXES = (".png", ".pdf", ".svg")
_MOST_TIMES = 12  # more do not fit on a page


def plot(
    solution: SolutionLike,
    path: str | os.PathLike | None = None,
    *,
    unknown: str | Sequence[str] | None = None,
    times: int | float | Iterable[float] | None = None,
    resolution: int | Mapping[str, int] | None = None,
    error: bool = False,
) -> Any:
    """Draw a solution and return the matplotlib `Figure`; write it to `path` (png, pdf or svg) if given.

    One axis: u(x, t) over space and time, and its profiles. Two axes: pictures at chosen times. Three or
    more: the same in planes through the middle of the domain. A complex unknown shows |ψ| and arg ψ.

    Parameters
    ----------
    unknown: name or names to draw; all by default, one row each.
    times: how many equidistant times, or which ones, for profiles and pictures; at most 12.
    resolution: points per axis, one int for all or a dict by name; with one axis, "t" counts the times in the
        field.
    error: add log10|u - u_ref|; needs `reference` in the problem.
    """
    if path is not None:
        suffix_of(path, SUFFIXES)
    problem = solution.problem
    names = chosen_unknowns(solution, unknown)
    flat = len(problem.domain.axes) == 1
    moments = chosen_times(problem, times, count=5)
    if moments.size > _MOST_TIMES:
        raise ValueError(
            f"`times` asks for {moments.size} times; a figure shows at most {_MOST_TIMES}. "
            "Choose fewer, or use `animate`."
        )
    space, rows = picture_points(problem, resolution, default=301 if flat else 129)
    if flat:
        figure = spacetime_figure(solution, names, space, moments, rows=rows, error=error)
    else:
        figure = slices_figure(solution, names, space, moments, error=error)
    if path is not None:
        with drawing(path) as draft:
            figure.savefig(draft, dpi=200)
    return figure
