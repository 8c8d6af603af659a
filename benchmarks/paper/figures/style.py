# SPDX-License-Identifier: MIT
"""How the figures look: colors and markers per method, lines with bands, bars with the paper's marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from paper.plan import Plan
from paper.summary import Results, Summary, grouped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = {
    "ST-RFM-SoV": "#7f7f7f",
    "ST-RFM-STC": "#bc8f5f",
    "PIELM": "#9467bd",
    "L-RFM-Local": "#1f77b4",
    "L-RFM-Global": "#d62728",
    "tuned": "#2ca02c",
}
MARKERS = dict(zip(COLORS, "s^Dov*", strict=True))
STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "figure.constrained_layout.use": True,
}


def panels(rows: int, columns: int, size: tuple[float, float]) -> tuple[Figure, np.ndarray]:
    """A figure and its axes, always a matrix of them."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size)
    return figure, np.atleast_2d(figure.subplots(rows, columns))


def table(cells: Callable, results: Results, plan: Plan, number: int = 0):
    """Rows, columns and summaries of one table of an experiment."""
    return list(grouped(Summary.of(cell, results) for cell in cells(plan)).values())[number]


def line(
    axes: Axes, x: Sequence[float], summaries: Sequence[Summary | None], label: str, paper: bool = True
) -> None:
    """Mean with a band, and the paper's printed values as open markers."""
    found = [(a, s) for a, s in zip(x, summaries, strict=True) if s is not None and s.values]
    color, marker = COLORS.get(label), MARKERS.get(label, "o")
    if found:
        at, mean = [a for a, _ in found], np.array([s.mean for _, s in found])
        low = np.array([min(s.values) for _, s in found])
        spread = np.nan_to_num([s.deviation for _, s in found])
        (line,) = axes.plot(at, mean, marker=marker, ms=4, lw=1.3, label=label, color=color)
        # A band that would reach below zero ends at the smallest value instead.
        axes.fill_between(
            at,
            np.where(mean > spread, mean - spread, low),
            mean + spread,
            color=line.get_color(),
            alpha=0.15,
            lw=0,
        )
        color = line.get_color()
    printed = [
        (a, s.cell.paper[0]) for a, s in zip(x, summaries, strict=True) if s is not None and s.cell.paper
    ]
    if printed and paper:
        axes.plot(
            *zip(*printed, strict=True), marker=marker, ms=7, mfc="none", mec=color, ls="none", alpha=0.8
        )


def legend(axes: Axes, source: Axes | None = None) -> None:
    """A legend beside the last panel, of the curves of `source`, and a word on the open markers."""
    handles, labels = (source or axes).get_legend_handles_labels()
    paper = axes.plot([], [], marker="o", ms=7, mfc="none", mec="0.4", ls="none")
    handles, labels = [*handles, *paper], [*labels, "paper (printed mean)"]
    axes.legend(handles, labels, loc="center left", bbox_to_anchor=(1.0, 0.5))


def log_axes(axes: Axes, x: str, y: str, title: str, ticks: Sequence[float] | None = None) -> None:
    """Logarithmic axes with their names; `ticks` of x where they are few."""
    axes.set(xscale="log", yscale="log", xlabel=x, ylabel=y, title=title)
    if ticks is not None:
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_xticks([], minor=True)


def bars(
    axes: Axes, rows: Sequence[str], columns: Sequence[str], cells: Mapping[tuple[str, str], Summary]
) -> None:
    """Bars of means with deviations, one group per row, and the paper's means as diamonds."""
    width = 0.8 / len(columns)
    palette = {"Rel. L2": "#1f77b4", "frozen": "#ff7f0e"} | COLORS
    for i, column in enumerate(columns):
        x = np.arange(len(rows)) + (i - 0.5 * (len(columns) - 1)) * width
        found = [cells.get((row, column)) for row in rows]
        mean = np.array([s.mean if s is not None and s.values else np.nan for s in found])
        spread = np.array([s.deviation if s is not None and len(s.values) > 1 else 0.0 for s in found])
        bars = np.stack([np.minimum(spread, 0.9 * np.nan_to_num(mean)), spread])
        axes.bar(x, mean, width, yerr=bars, color=palette.get(column), label=column, error_kw={"lw": 0.8})
        printed = [
            (a, s.cell.paper[0]) for a, s in zip(x, found, strict=True) if s is not None and s.cell.paper
        ]
        if printed:
            label = "paper" if i == 0 else None
            axes.plot(
                *zip(*printed, strict=True), ls="none", marker="D", mfc="none", mec="black", ms=6, label=label
            )
    axes.set(yscale="log", ylabel="relative L2 error")
    axes.set_xticks(range(len(rows)), [r.replace(" as printed", "").replace(" ", "\n", 1) for r in rows])
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
