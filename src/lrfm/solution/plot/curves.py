# SPDX-License-Identifier: MIT
"""The figure of what depends on one coordinate: unknowns of ordinary equations over t, steady ones over x."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lrfm.solution.plot.look import LABEL, NO_ERROR, SMALL, Look, frame, new_figure, symbol
from lrfm.solution.sampling import SolutionLike, axis_points, sample_reference

_WIDTH, _HEIGHT = 5.2, 1.9  # inches of a panel
_POINTS = 2001  # along the coordinate: fronts and spikes are drawn, too
_COLORS = ("#1f5fa8", "#c2571a")  # of a real curve or a real part, and of an imaginary part


def curves_figure(
    solution: SolutionLike, names: Sequence[str], along: str, count: int | None, *, error: bool, look: Look
) -> Any:
    """One panel per unknown, one below the other; errors, on request, in panels beside them."""
    points = _points(solution, along, count)
    columns = 2 if error else 1
    figure = new_figure(
        (_WIDTH * columns, 0.5 + _HEIGHT * len(names)), layout="constrained", shown=look.shown
    )
    panels = np.reshape(figure.subplots(len(names), columns, sharex=True, squeeze=False), (-1, columns))
    exact = _exact(solution, along, points, names) if error else {}
    for row, name in zip(panels, names, strict=True):
        values = np.asarray(solution[name](**{along: points}))
        _draw(row[0], points, values, name)
        if error:
            gap = np.maximum(np.abs(values - exact[name]), NO_ERROR)
            row[1].plot(points, np.log10(gap), color=_COLORS[0], linewidth=1.2)
            row[1].set_ylabel(
                f"$\\log_{{10}}|{symbol(name)} - {symbol(name)}_\\mathrm{{ref}}|$", fontsize=LABEL
            )
            row[1].margins(x=0)
            frame(row[1])
    for axes in panels[-1]:
        axes.set_xlabel(f"${symbol(along)}$", fontsize=LABEL)
    return figure


def curve_in(axes: Any, solution: SolutionLike, name: str, along: str, count: int | None) -> None:
    """One unknown in axes of somebody else."""
    points = _points(solution, along, count)
    _draw(axes, points, np.asarray(solution[name](**{along: points})), name)
    axes.set_xlabel(f"${symbol(along)}$", fontsize=LABEL)


def _points(solution: Any, along: str, count: int | None) -> np.ndarray:
    (low,), (high,) = solution._ends
    places = axis_points(along, _POINTS if count is None else count, (low, high))
    inner = solution.block_edges if along == "t" else solution.cells(t=solution.problem.absent["t"])
    # Edges of cells are places at which something may be thin.
    return np.union1d(places, inner[(inner >= low) & (inner <= high)]) if count is None else places


def _exact(
    solution: SolutionLike, along: str, points: np.ndarray, names: Sequence[str]
) -> dict[str, np.ndarray]:
    if along == "t":
        return sample_reference(solution, {"t": points}, names)
    still = np.array([solution.problem.absent["t"]])
    return {name: v[0] for name, v in sample_reference(solution, {along: points, "t": still}, names).items()}


def _draw(axes: Any, points: np.ndarray, values: np.ndarray, name: str) -> None:
    letter = symbol(name)
    if np.iscomplexobj(values):
        for part, color, word in zip((np.real(values), np.imag(values)), _COLORS, ("Re", "Im"), strict=True):
            axes.plot(points, part, color=color, linewidth=1.2, label=f"$\\mathrm{{{word}}}\\,{letter}$")
        axes.legend(frameon=False, fontsize=SMALL)
    else:
        axes.plot(points, values, color=_COLORS[0], linewidth=1.2)
    axes.set_ylabel(f"${letter}$", fontsize=LABEL)
    axes.margins(x=0)
    frame(axes)
