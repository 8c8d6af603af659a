# SPDX-License-Identifier: MIT
"""The figure of a problem with one axis: u(x, t) over space and time, and its profiles at chosen times."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lrfm.solution.plot.layers import Layer, dressed, error_layer, profile_parts, value_layers
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
from lrfm.solution.plot.sampling import Coordinates, SolutionLike, sample, sample_reference, time_span

_FIELD, _PROFILE = 2.7, 2.5  # inches
_ROW, _COMPLEX_ROW = 2.4, 3.2
_BAND = 0.5  # of the range of a profile, the width of the widest band of errors at the most
_SLOTS = 3  # a row of the figure is three slots high, one for each profile of a complex unknown


def spacetime_figure(
    solution: SolutionLike,
    names: Sequence[str],
    space: Coordinates,
    times: np.ndarray,
    *,
    rows: int,
    error: bool,
    band: bool = False,
    look: Look,
) -> Any:
    """One row per unknown: field(s), error on request, profiles. `rows` counts the times in a field."""
    (axis, x), (start, end) = next(iter(space.items())), time_span(solution)
    t = np.linspace(start, end, rows)
    fields = sample(solution, {**space, "t": t}, names)
    profiles = sample(solution, {**space, "t": times}, names)
    reference = sample_reference(solution, {**space, "t": t}, names) if error else {}
    bands = _errors(solution, {**space, "t": times}, names, profiles) if band else {}
    layers = {name: dressed(value_layers(name, fields[name]), look) for name in names}
    for name in reference:
        layers[name].append(error_layer(name, fields[name], reference[name]))

    widths = [_FIELD] * max(len(row) for row in layers.values()) + [_PROFILE]
    heights = [_COMPLEX_ROW if np.iscomplexobj(fields[name]) else _ROW for name in names]
    figure = new_figure((sum(widths), sum(heights)), layout="constrained", shown=look.shown)
    slots = np.repeat(heights, _SLOTS)
    grid = figure.add_gridspec(slots.size, len(widths), width_ratios=widths, height_ratios=slots)
    lowest, panels = [], []
    for row, name in enumerate(names):
        height = slice(_SLOTS * row, _SLOTS * (row + 1))
        lowest = [figure.add_subplot(grid[height, column]) for column in range(len(layers[name]))]
        for axes, layer in zip(lowest, layers[name], strict=True):
            _field(axes, x, t, layer, heights[row])
            _mark_edges(axes, solution)
            draw_interfaces(axes, solution.problem.domain)
        _mark_times(lowest[0], times)
        # an unknown with fewer fields than its neighbors gives the room to its profiles
        parts = profile_parts(name, profiles[name])
        panels = _profiles(figure, grid, height, len(lowest), x, times, parts)
        if name in bands:
            _draw_bands(panels, x, times, parts, bands[name])
        for axes in panels:
            draw_interfaces(axes, solution.problem.domain)
        lowest.append(panels[-1])
    for axes in lowest:
        axes.set_xlabel(f"${symbol(axis)}$", fontsize=LABEL)
    # The times in a margin of their own, so that they never cover a curve.
    handles, _ = panels[0].get_legend_handles_labels()
    figure.legend(
        handles=[*handles, *_marks(solution)],
        loc="outside right upper",
        frameon=False,
        fontsize=SMALL,
        handlelength=1.2,
    )
    return figure


def _errors(
    solution: Any, coordinates: Coordinates, names: Sequence[str], values: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """What the error of a solution changes each quantity by."""
    corrected = sample(solution + solution.error_field, coordinates, names)
    return {name: corrected[name] - values[name] for name in names}


def _draw_bands(
    panels: Sequence[Any],
    x: np.ndarray,
    times: np.ndarray,
    parts: list[tuple[str, np.ndarray]],
    errors: np.ndarray,
) -> None:
    """Bands of the error around curves, so many times larger that the widest is a part of the panel."""
    largest = float(np.max(np.abs(errors), initial=0.0))
    for axes, (_, values) in zip(panels, parts, strict=True):
        room = float(np.ptp(values)) or 1.0
        power = math.floor(math.log10(_BAND * room / largest)) if largest > 0 else 0
        for curve, error, color in zip(values, errors, time_colors(times.size), strict=True):
            width = 10.0**power * np.abs(error)
            axes.fill_between(x, curve - width, curve + width, color=color, alpha=0.25, linewidth=0)
        label = f"error $\\times 10^{{{power}}}$" if power else "error"
        axes.fill_between([], [], [], color="0.5", alpha=0.25, linewidth=0, label=label)


def field_in(axes: Any, solution: SolutionLike, name: str, space: Coordinates, rows: int, look: Look) -> None:
    """u(x, t), or |ψ|, in axes of somebody else."""
    (axis, x), (start, end) = next(iter(space.items())), time_span(solution)
    t = np.linspace(start, end, rows)
    layer = dressed(value_layers(name, sample(solution, {**space, "t": t}, [name])[name]), look)[0]
    height = axes.get_window_extent().height / axes.figure.dpi
    _field(axes, x, t, layer, height + 0.6)
    axes.set_xlabel(f"${symbol(axis)}$", fontsize=LABEL)


def _marks(solution: SolutionLike) -> list[Any]:
    """What the marks in a field mean, for the legend."""
    from matplotlib.lines import Line2D
    from matplotlib.markers import CARETLEFT, MarkerStyle

    marks = [
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
    if len(getattr(solution, "block_edges", ())) > 2:
        marks.append(
            Line2D([], [], color="0.5", linewidth=0.8, linestyle=(0, (4, 3)), label="end of a block")
        )
    return marks


def _field(axes: Any, x: np.ndarray, t: np.ndarray, layer: Layer, height: float) -> None:
    scale = layer.scale
    picture = image(axes, x, t, layer.values, scale)
    colorbar(picture, axes, scale, height=height - 0.6, pad=0.03)
    axes.set_title(layer.label, fontsize=LABEL)
    axes.set_ylabel("$t$", fontsize=LABEL)


def _mark_edges(axes: Any, solution: SolutionLike) -> None:
    """A thin line where one block in time ends and the next begins; thinner when there are many."""
    edges = np.asarray(getattr(solution, "block_edges", ()), dtype=float)[1:-1]
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
