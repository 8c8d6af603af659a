# SPDX-License-Identifier: MIT
"""The figure of a problem with one axis: u(x, t) over space and time, and its profiles at chosen times."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lrfm.solution.plot.cells import EDGE, draw_cells
from lrfm.solution.plot.errors import error_layers, has_estimate, sample_estimate
from lrfm.solution.plot.layers import Layer, dressed, profile_parts, value_layers
from lrfm.solution.plot.look import (
    LABEL,
    SMALL,
    Look,
    colorbar,
    frame,
    image,
    new_figure,
    number,
    symbol,
    time_colors,
)
from lrfm.solution.plot.outline import draw_interfaces
from lrfm.solution.sampling import Coordinates, SolutionLike, sample, time_span

_FIELD, _PROFILE = 2.7, 2.5  # inches
_ROW, _COMPLEX_ROW = 2.4, 3.2
BAND = 0.25  # opacity of bands of the error
_SLOTS = 3  # a row of the figure is three slots high, one for each profile of a complex unknown


def spacetime_figure(
    solution: SolutionLike,
    names: Sequence[str],
    space: Coordinates,
    times: np.ndarray,
    *,
    rows: int,
    error: bool,
    cells: bool,
    look: Look,
) -> Any:
    """One row per unknown: field(s), error on request, profiles. `rows` counts the times in a field."""
    (axis, x), (start, end) = next(iter(space.items())), time_span(solution)
    t = np.linspace(start, end, rows)
    fields = sample(solution, {**space, "t": t}, names)
    profiles = sample(solution, {**space, "t": times}, names)
    layers = {name: dressed(value_layers(name, fields[name]), look) for name in names}
    for name, layer in (error_layers(solution, {**space, "t": t}, fields) if error else {}).items():
        layers[name].append(layer)
    banded = error and solution.problem.reference is None and has_estimate(solution)
    errors = sample_estimate(solution, {**space, "t": times}, names) if banded else {}

    widths = [_FIELD] * max(len(row) for row in layers.values()) + [_PROFILE]
    heights = [_COMPLEX_ROW if np.iscomplexobj(fields[name]) else _ROW for name in names]
    figure = new_figure((sum(widths), sum(heights)), layout="constrained", shown=look.shown)
    slots = np.repeat(heights, _SLOTS)
    grid = figure.add_gridspec(slots.size, len(widths), width_ratios=widths, height_ratios=slots)
    lowest, panels = [], []
    for row, name in enumerate(names):
        band = slice(_SLOTS * row, _SLOTS * (row + 1))
        lowest = [figure.add_subplot(grid[band, column]) for column in range(len(layers[name]))]
        for axes, layer in zip(lowest, layers[name], strict=True):
            _field(axes, x, t, layer, heights[row])
            _mark_edges(axes, solution)
            if cells:
                draw_cells(axes, solution, t)
            draw_interfaces(axes, solution.problem.domain)
        _mark_times(lowest[0], times)
        # an unknown with fewer fields than its neighbors gives the room to its profiles
        panels = _profiles(figure, grid, band, len(lowest), x, times, profile_parts(name, profiles[name]))
        _bands(panels[0], x, profiles[name], errors.get(name))
        for axes in panels:
            draw_interfaces(axes, solution.problem.domain)
        lowest.append(panels[-1])
    for axes in lowest:
        axes.set_xlabel(f"${symbol(axis)}$", fontsize=LABEL)
    # The times in a margin of their own, so that they never cover a curve.
    handles, _ = panels[0].get_legend_handles_labels()
    figure.legend(
        handles=[*handles, *_marks(solution, cells=cells, bands=bool(errors))],
        loc="outside right upper",
        frameon=False,
        fontsize=SMALL,
        handlelength=1.2,
    )
    return figure


def field_in(
    axes: Any,
    solution: SolutionLike,
    name: str,
    space: Coordinates,
    rows: int,
    look: Look,
    *,
    cells: bool = False,
) -> None:
    """u(x, t), or |ψ|, in axes of somebody else."""
    (axis, x), (start, end) = next(iter(space.items())), time_span(solution)
    t = np.linspace(start, end, rows)
    layer = dressed(value_layers(name, sample(solution, {**space, "t": t}, [name])[name]), look)[0]
    height = axes.get_window_extent().height / axes.figure.dpi
    _field(axes, x, t, layer, height + 0.6)
    if cells:
        draw_cells(axes, solution, t)
    axes.set_xlabel(f"${symbol(axis)}$", fontsize=LABEL)


def _marks(solution: SolutionLike, *, cells: bool, bands: bool) -> list[Any]:
    """What the marks in a field mean, for the legend."""
    from matplotlib.lines import Line2D
    from matplotlib.markers import CARETLEFT, MarkerStyle
    from matplotlib.patches import Patch

    marks: list[Any] = [
        Line2D(
            [],
            [],
            color="0.3",
            marker=MarkerStyle(CARETLEFT),
            markersize=4,
            linestyle="",
            label="times of profiles",
        )
    ]
    if _edges(solution).size:
        marks.append(
            Line2D([], [], color="0.5", linewidth=0.8, linestyle=(0, (4, 3)), label="end of a block")
        )
    if cells:
        marks.append(Line2D([], [], color=EDGE, linewidth=0.8, label="edges of cells"))
    if bands:
        marks.append(Patch(facecolor="0.5", alpha=BAND, label="estimated error"))
    return marks


def _field(axes: Any, x: np.ndarray, t: np.ndarray, layer: Layer, height: float) -> None:
    scale = layer.scale
    picture = image(axes, x, t, layer.values, scale, layer.opacity)
    colorbar(picture, axes, scale, height=height - 0.6, pad=0.03)
    axes.set_title(layer.label, fontsize=LABEL)
    axes.set_ylabel("$t$", fontsize=LABEL)


def _edges(solution: SolutionLike) -> np.ndarray:
    """Times at which one block in space and time ends and the next begins; other engines have no blocks."""
    report = getattr(solution, "report", None)  # a combination of solutions has none
    blocks = getattr(report, "method", "space-time") == "space-time"
    return np.asarray(getattr(solution, "block_edges", ()) if blocks else (), dtype=float)[1:-1]


def _bands(axes: Any, x: np.ndarray, values: np.ndarray, errors: np.ndarray | None) -> None:
    """u ± |e| around the curves of u; around |ψ| of a complex unknown."""
    if errors is None:
        return
    sizes = np.abs(values) if np.iscomplexobj(values) else values
    for curve, error, color in zip(sizes, np.abs(errors), time_colors(len(sizes)), strict=True):
        axes.fill_between(x, curve - error, curve + error, color=color, alpha=BAND, linewidth=0)


def _mark_edges(axes: Any, solution: SolutionLike) -> None:
    """A thin line where one block in time ends and the next begins; thinner when there are many."""
    edges = _edges(solution)
    for edge in edges:
        axes.axhline(edge, color="0.5", linewidth=min(0.5, 6 / edges.size), linestyle=(0, (4, 3)))


def _mark_times(axes: Any, times: np.ndarray) -> None:
    """A small arrow at the edge of the field for each profile, in the color of its curve."""
    from matplotlib.markers import CARETLEFT

    for time, color in zip(times, time_colors(times.size), strict=True):
        axes.plot(
            *([1.0], [time]),
            transform=axes.get_yaxis_transform(),
            marker=CARETLEFT,
            markersize=4,
            color=color,
            clip_on=False,
        )


def _profiles(
    figure: Any,
    grid: Any,
    band: slice,
    column: int,
    x: np.ndarray,
    times: np.ndarray,
    parts: list[tuple[str, np.ndarray]],
) -> list[Any]:
    """One panel per part (u, or |ψ|, Re ψ, Im ψ), stacked over one axis."""
    step = _SLOTS // len(parts)
    starts = range(band.start, band.stop, step)
    panels = [figure.add_subplot(grid[start : start + step, column:]) for start in starts]
    for axes, (label, values) in zip(panels, parts, strict=True):
        for curve, time, color in zip(values, times, time_colors(times.size), strict=True):
            axes.plot(x, curve, color=color, linewidth=1.1, label=f"$t = {number(time)}$")
        frame(axes)
        axes.set_xlim(x[0], x[-1])
        axes.set_ylabel(label, fontsize=LABEL)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in panels[:-1]:
        axes.tick_params(labelbottom=False)
    return panels
