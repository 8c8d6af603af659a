# SPDX-License-Identifier: MIT
"""The figure of eigenfunctions: one panel each, with its eigenvalue; lines on an interval, pictures in the plane."""

from pathlib import Path
from typing import Any

import numpy as np

from lrfm.solution.plot.layers import value_layers
from lrfm.solution.plot.look import LABEL, SMALL, drawing, frame, new_figure, symbol
from lrfm.solution.plot.outline import draw_outline
from lrfm.solution.plot.slices import middle_planes
from lrfm.solution.sampling import picture_points, sample

_WIDTH, _HEIGHT = 2.6, 1.7  # inches of a panel
_PICTURE = 2.6  # the same of a picture
_ACROSS = 3
_ALONG = 129  # points of a picture along each axis
_POINTS = 801
_COLORS = ("#1f5fa8", "#c2571a", "#3d8b37", "#8455a3")


def modes_figure(modes: Any, path: str | Path | None) -> Any:
    """One panel for each mode."""
    columns = min(_ACROSS, len(modes))
    rows = -(-len(modes) // columns)
    flat = modes.problem.domain.dimension == 1
    size = (_WIDTH * columns, 0.3 + (_HEIGHT if flat else _PICTURE) * rows)
    figure = new_figure(size, layout="constrained", shown=path is None)
    panels = figure.subplots(rows, columns, sharex=True, sharey=not flat, squeeze=False)
    for number, axes in enumerate(panels.ravel()):
        if number >= len(modes):
            axes.set_visible(False)
            continue
        (_curves if flat else _picture)(axes, modes, modes[number])
        axes.set_title(_title(modes[number].value), fontsize=SMALL)
    if flat and len(modes.problem.unknowns) > 1:
        panels[0, 0].legend(frameon=False, fontsize=SMALL)
    for axes in panels[-1]:
        axes.set_xlabel(f"${symbol(modes.problem.domain.names[0])}$", fontsize=LABEL)
    if path is not None:
        with drawing(path) as draft:
            figure.savefig(draft, dpi=200)
    return figure


def _curves(axes: Any, modes: Any, mode: Any) -> None:
    """Real parts as lines, imaginary ones dashed."""
    (axis,) = modes.problem.coordinates[:1]
    low, high = modes.problem.domain.axes[axis]
    x = np.linspace(low, high, _POINTS)
    for name, color in zip(modes.problem.unknowns, _COLORS * len(modes.problem.unknowns), strict=False):
        values = np.asarray(mode[name](**{axis: x}))
        axes.plot(x, np.real(values), color=color, linewidth=1.2, label=f"${symbol(name)}$")
        if np.iscomplexobj(values):
            axes.plot(x, np.imag(values), color=color, linewidth=1.0, linestyle="--")
    axes.margins(x=0)
    frame(axes)


def _picture(axes: Any, modes: Any, mode: Any) -> None:
    """The real part of the first unknown in the colors of a field, with the outline of the domain."""
    problem, name = mode.real.problem, next(iter(modes.problem.unknowns))
    space, _ = picture_points(problem, None, default=_ALONG)
    plane = middle_planes(problem, space)[0]
    values = sample(mode.real, {**plane.coordinates, "t": np.array([problem.absent["t"]])}, [name])[name]
    layer = value_layers(name, np.real(values))[0]
    plane.draw(axes, plane.flat(layer.values)[0], layer.rule(layer.values.ravel()))
    draw_outline(axes, problem.domain, 0.0)
    axes.label_outer()


def _title(value: complex | float) -> str:
    if np.imag(value) == 0:
        return f"{np.real(value):.8g}"
    return f"{np.real(value):.6g} {'-' if np.imag(value) < 0 else '+'} {abs(np.imag(value)):.6g}i"
