# SPDX-License-Identifier: MIT
"""The figure of eigenfunctions on an interval: one panel each, with its eigenvalue."""

from pathlib import Path
from typing import Any

import numpy as np

from lrfm.solution.plot.look import LABEL, SMALL, drawing, frame, new_figure, symbol

_WIDTH, _HEIGHT = 2.6, 1.7  # inches of a panel
_ACROSS = 3
_POINTS = 801
_COLORS = ("#1f5fa8", "#c2571a", "#3d8b37", "#8455a3")


def modes_figure(modes: Any, path: str | Path | None) -> Any:
    """One panel for each mode; real parts as lines, imaginary ones dashed."""
    (axis,) = modes.problem.coordinates[:1]
    low, high = modes.problem.domain.axes[axis]
    x = np.linspace(low, high, _POINTS)
    columns = min(_ACROSS, len(modes))
    rows = -(-len(modes) // columns)
    figure = new_figure((_WIDTH * columns, 0.3 + _HEIGHT * rows), layout="constrained", shown=path is None)
    panels = figure.subplots(rows, columns, sharex=True, squeeze=False)
    for number, axes in enumerate(panels.ravel()):
        if number >= len(modes):
            axes.set_visible(False)
            continue
        mode = modes[number]
        for name, color in zip(modes.problem.unknowns, _COLORS * len(modes.problem.unknowns), strict=False):
            values = np.asarray(mode[name](**{axis: x}))
            axes.plot(x, np.real(values), color=color, linewidth=1.2, label=f"${symbol(name)}$")
            if np.iscomplexobj(values):
                axes.plot(x, np.imag(values), color=color, linewidth=1.0, linestyle="--")
        axes.set_title(_title(mode.value), fontsize=SMALL)
        axes.margins(x=0)
        frame(axes)
    if len(modes.problem.unknowns) > 1:
        panels[0, 0].legend(frameon=False, fontsize=SMALL)
    for axes in panels[-1]:
        axes.set_xlabel(f"${symbol(axis)}$", fontsize=LABEL)
    if path is not None:
        with drawing(path) as draft:
            figure.savefig(draft, dpi=200)
    return figure


def _title(value: complex | float) -> str:
    if np.imag(value) == 0:
        return f"{np.real(value):.8g}"
    return f"{np.real(value):.6g} {'-' if np.imag(value) < 0 else '+'} {abs(np.imag(value)):.6g}i"
