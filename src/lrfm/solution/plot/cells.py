# SPDX-License-Identifier: MIT
"""Edges of cells: of one axis over space and time, where a solution is split, and when cells were split and joined; of the plane at a time."""

from typing import Any

import numpy as np

from lrfm.solution.sampling import SolutionLike

EDGE = "0.35"
PARTS = 16  # of the side of a box that is cut by the boundary


def check_cells(solution: SolutionLike) -> None:
    """Refuse what has no cells to draw."""
    if len(solution.problem.domain.axes) > 2:
        raise ValueError(
            f"`cells=True` draws edges of cells of one axis, or of the plane; this domain has the axes {', '.join(solution.problem.domain.axes)}. "
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


def draw_boxes(axes: Any, solution: Any, time: float) -> None:
    """The sides of boxes at a time, as far as they lie in the domain."""
    from matplotlib.collections import LineCollection

    boxes = solution.cells(t=time)
    x0, x1, y0, y1 = boxes.T
    ends = np.concatenate([np.stack(side, axis=1) for side in ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1))])  # fmt: skip
    part = np.linspace(0.0, 1.0, PARTS + 1)[:, None]
    points = ends[:, None, :2] + part * (ends[:, 2:] - ends[:, :2])[:, None]
    middles = 0.5 * (points[:, 1:] + points[:, :-1])
    inside = solution.problem.domain.contains(middles.reshape(-1, 2)).reshape(middles.shape[:2])
    lines = np.stack([points[:, :-1], points[:, 1:]], axis=2)[inside]
    width = max(0.15, min(0.5, 40 / max(1, len(boxes))))
    axes.add_collection(LineCollection(list(lines), colors=EDGE, linewidths=width), autolim=False)


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
