# SPDX-License-Identifier: MIT
"""Edges of cells over space and time: where a solution of one axis is split, and when cells were split and joined."""

from typing import Any

import numpy as np

from lrfm.solution.sampling import SolutionLike

EDGE = "0.35"


def check_cells(solution: SolutionLike) -> None:
    """Refuse what has no cells to draw."""
    if len(solution.problem.domain.axes) != 1:
        raise ValueError(
            f"`cells=True` draws edges of cells over one axis and time; this domain has the axes {', '.join(solution.problem.domain.axes)}. "
            "Leave it out."
        )
    start = float(solution.problem.time[0])
    if not hasattr(solution, "cells") or not len(solution.cells(t=start)):  # pyright: ignore[reportAttributeAccessIssue]
        raise ValueError(
            "`cells=True` draws edges of cells, and this solution is made of functions of the whole domain. Leave it out, "
            'or solve with method=lrfm.Lines(space="cells").'
        )


def draw_cells(axes: Any, solution: SolutionLike, times: np.ndarray) -> None:
    """Each edge as a thin line over the times at which it is one."""
    from matplotlib.collections import LineCollection

    lines = [[(x, start), (x, end)] for x, start, end in edges_in_time(solution, times)]
    width = min(0.5, 40 / max(1, len(lines)))
    axes.add_collection(LineCollection(lines, colors=EDGE, linewidths=max(0.15, width)), autolim=False)


def edges_in_time(solution: Any, times: np.ndarray) -> list[tuple[float, float, float]]:
    """(x, from, to) of every edge, as far as some equidistant times know; halfway between two of them it changes."""
    borders = np.concatenate([times[:1], 0.5 * (times[1:] + times[:-1]), times[-1:]])
    since: dict[float, float] = {}
    found: list[tuple[float, float, float]] = []
    for number, time in enumerate(times):
        now = set(np.asarray(solution.cells(t=float(time)), dtype=float).tolist())
        for x in [x for x in since if x not in now]:
            found.append((x, since.pop(x), float(borders[number])))
        for x in now - since.keys():
            since[x] = float(borders[number])
    return found + [(x, start, float(times[-1])) for x, start in since.items()]
