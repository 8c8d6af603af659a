# SPDX-License-Identifier: MIT
"""The paper's figures, panel by panel, from what has been run. Bands and bars are sample standard deviations over seeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lrfm.reproduce import study
from lrfm.reproduce.plan import Job, Plan
from lrfm.reproduce.summary import Results, Summary, summarize
from lrfm.reproduce.tables import grouped

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
STYLE = {
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
NO_DATA = "not run"

Folder = Path


def draw(name: str, results: Results, plan: Plan, folder: Folder) -> Figure | None:
    """A figure by name; None when nothing of it has been run. Fields are read from `folder`."""
    import matplotlib

    with matplotlib.rc_context(STYLE):
        return FIGURES[name](results, plan, folder)


def _figure(rows: int, columns: int, size: tuple[float, float]):
    from matplotlib.figure import Figure

    figure = Figure(figsize=size)
    return figure, np.atleast_2d(figure.subplots(rows, columns))


def _table(cells: Callable, results: Results, plan: Plan, number: int = 0):
    """Rows, columns and summaries of one table of an experiment."""
    return list(grouped(summarize(cells(plan), results)).values())[number]


def _line(axes: Axes, x: Sequence[float], summaries: Sequence[Summary | None], label: str, paper: bool = True) -> None:
    """Mean with a band, and the paper's printed values as open markers."""
    found = [(a, s) for a, s in zip(x, summaries, strict=True) if s is not None and s.values]
    color, marker = COLORS.get(label), MARKERS.get(label, "o")
    if found:
        at, mean = [a for a, _ in found], np.array([s.mean for _, s in found])
        low = np.array([min(s.values) for _, s in found])
        spread = np.nan_to_num([s.deviation for _, s in found])
        (line,) = axes.plot(at, mean, marker=marker, ms=4, lw=1.3, label=label, color=color)
        # A band that would reach below zero ends at the smallest value instead.
        axes.fill_between(at, np.where(mean > spread, mean - spread, low), mean + spread, color=line.get_color(), alpha=0.15, lw=0)
        color = line.get_color()
    printed = [(a, s.cell.paper[0]) for a, s in zip(x, summaries, strict=True) if s is not None and s.cell.paper]
    if printed and paper:
        axes.plot(*zip(*printed, strict=True), marker=marker, ms=7, mfc="none", mec=color, ls="none", alpha=0.8)


def _note_paper(axes: Axes) -> None:
    axes.plot([], [], marker="o", ms=7, mfc="none", mec="0.4", ls="none", label="paper (printed mean)")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def heat_convergence(results: Results, plan: Plan, folder: Folder) -> Figure:
    rows, _, cells = _table(study.heat_convergence, results, plan)
    figure, axes = _figure(1, 2, (9.5, 3.4))
    for K in (1, 2, 4, 8):
        for panel, scale in ((axes[0, 0], 1), (axes[0, 1], K)):
            series = [cells[f"K = {K}, M = {M}", "Rel. L2"] for M in (25, 50, 100)]
            _line(panel, [scale * M for M in (25, 50, 100)], series, f"K = {K}")
    _scales(axes[0, 0], "features per patch M", "relative L2 error", "Heat 1D: features per patch", (25, 50, 100))
    _scales(axes[0, 1], "P = K M", "", "Heat 1D: readout dimension", (25, 50, 100, 200, 400, 800))
    _note_paper(axes[0, 1])
    return figure


def _scales(axes: Axes, x: str, y: str, title: str, ticks: Sequence[float] | None = None) -> None:
    axes.set(xscale="log", yscale="log", xlabel=x, ylabel=y, title=title)
    if ticks is not None:
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_xticks([], minor=True)


def multiscale_1d(results: Results, plan: Plan, folder: Folder) -> Figure:
    figure, axes = _figure(1, 2, (10.5, 3.6))
    for panel, number, sizes, title in (
        (axes[0, 0], 0, (40, 80, 160, 320, 640), "uniform sampling (the paper's text)"),
        (axes[0, 1], 1, (160, 640), "times graded towards t = 0"),
    ):
        _, columns, cells = _table(study.multiscale_1d, results, plan, number)
        for column in columns:
            _line(panel, sizes, [cells.get((f"P = {P}", column)) for P in sizes], column)
        _scales(panel, "readout dimension P", "relative L2 error" if number == 0 else "", title, sizes)
    _note_paper(axes[0, 1])
    low, high = zip(*(panel.get_ylim() for panel in axes[0]), strict=True)
    for panel in axes[0]:
        panel.set_ylim(min(low), max(high))
    return figure


def stiff_sweep(results: Results, plan: Plan, folder: Folder) -> Figure:
    figure, axes = _figure(1, 2, (10.5, 3.6))
    for panel, number, label in ((axes[0, 0], 0, "relative L2 error"), (axes[0, 1], 1, "condition number")):
        _, columns, cells = _table(study.stiff_sweep, results, plan, number)
        for column in columns:
            _line(panel, [float(e) for e in study.EPS], [cells.get((f"ε = {e}", column)) for e in study.EPS], column)
        _scales(panel, "ε", label, f"Allen-Cahn, {label}")
        panel.invert_xaxis()
    handles, labels = axes[0, 0].get_legend_handles_labels()
    axes[0, 1].legend(handles, labels, loc="center left", bbox_to_anchor=(1.0, 0.5), title="open: paper")
    return figure


def static_ablation(results: Results, plan: Plan, folder: Folder) -> Figure:
    rows, columns, cells = _table(study.static_ablation, results, plan)
    figure, axes = _figure(1, 1, (7.5, 3.4))
    _bars(axes[0, 0], rows, columns, cells)
    axes[0, 0].set_title("Liquid features and their frozen t = 0 response")
    return figure


def tau_ablation(results: Results, plan: Plan, folder: Folder) -> Figure:
    rows, columns, cells = _table(study.tau_ablation, results, plan)
    figure, axes = _figure(1, 1, (6.0, 3.4))
    _bars(axes[0, 0], rows, columns[:1], cells)
    axes[0, 0].set_title("Allen-Cahn, L-RFM-Local: laws of τ/T")
    return figure


def _bars(axes: Axes, rows: Sequence[str], columns: Sequence[str], cells: Mapping[tuple[str, str], Summary]) -> None:
    width = 0.8 / len(columns)
    palette = {"Rel. L2": "#1f77b4", "frozen": "#ff7f0e"} | COLORS
    for i, column in enumerate(columns):
        x = np.arange(len(rows)) + (i - 0.5 * (len(columns) - 1)) * width
        found = [cells.get((row, column)) for row in rows]
        mean = np.array([s.mean if s is not None and s.values else np.nan for s in found])
        spread = np.array([s.deviation if s is not None and len(s.values) > 1 else 0.0 for s in found])
        bars = np.stack([np.minimum(spread, 0.9 * np.nan_to_num(mean)), spread])
        axes.bar(x, mean, width, yerr=bars, color=palette.get(column), label=column, error_kw={"lw": 0.8})
        printed = [(a, s.cell.paper[0]) for a, s in zip(x, found, strict=True) if s is not None and s.cell.paper]
        if printed:
            label = "paper" if i == 0 else None
            axes.plot(*zip(*printed, strict=True), ls="none", marker="D", mfc="none", mec="black", ms=6, label=label)
    axes.set(yscale="log", ylabel="relative L2 error")
    axes.set_xticks(range(len(rows)), [r.replace(" as printed", "") for r in rows], rotation=12)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def main_fields(results: Results, plan: Plan, folder: Folder) -> Figure | None:
    jobs = {study.TITLES[n]: plan.solves(plan.case(n), "local")[0] for n in study.ONE_D}
    return _fields(jobs, folder)


def stiff_field(results: Results, plan: Plan, folder: Folder) -> Figure | None:
    return _fields({"Allen-Cahn, ε = 1e-4": study.stiff_field(plan)[0]}, folder)


def block_field(results: Results, plan: Plan, folder: Folder) -> Figure | None:
    case = plan.case("allen-cahn-long", blocks=8)
    return _fields({"Allen-Cahn, 8 blocks": plan.solves(case, "local")[0]}, folder)


def _fields(jobs: Mapping[str, Job], folder: Folder) -> Figure | None:
    """Reference, L-RFM-Local and absolute error, one row per problem."""
    found = {label: _load(folder, job) for label, job in jobs.items()}
    found = {label: data for label, data in found.items() if data is not None}
    if not found:
        return None
    figure, axes = _figure(len(found), 3, (9.5, 0.4 + 2.0 * len(found)))
    for row, (label, data) in zip(axes, found.items(), strict=True):
        x, t = data["x"], data["t"]
        low, high = data["reference"].min(), data["reference"].max()
        for panel, key, title in zip(row, ("reference", "found", "gap"), ("reference", "L-RFM-Local", "absolute error"), strict=True):
            options = {"cmap": "magma"} if key == "gap" else {"cmap": "RdBu_r", "vmin": low, "vmax": high}
            image = panel.pcolormesh(t, x, data[key], shading="auto", rasterized=True, **options)
            figure.colorbar(image, ax=panel, pad=0.02)
            panel.set(title=f"{label}: {title}" if key == "reference" else title, xlabel="t", ylabel="x" if key == "reference" else "")
            panel.grid(False)
    return figure


def _load(folder: Folder, job: Job) -> dict[str, np.ndarray] | None:
    path = folder / "fields" / f"{job.key}.npz"
    if not path.exists():
        return None
    with np.load(path) as data:
        return {name: data[name] for name in data.files}


def multiscale_3d(results: Results, plan: Plan, folder: Folder) -> Figure | None:
    data = _load(folder, plan.solves(plan.case("multiscale-3d"), "local")[0])
    if data is None:
        return None
    times = data["t"]
    figure, axes = _figure(3, len(times), (2.1 * len(times) + 0.6, 5.8))
    rows = (("reference", "reference"), ("found", "L-RFM-Local"), ("gap", "absolute error"))
    for line, (key, title) in zip(axes, rows, strict=True):
        for i, panel in enumerate(line):
            values = data[key][:, :, 0, i]
            shared = data["reference"][:, :, 0, i]
            options = {"cmap": "magma"} if key == "gap" else {"cmap": "viridis", "vmin": shared.min(), "vmax": shared.max()}
            image = panel.pcolormesh(data["x"], data["y"], values.T, shading="auto", rasterized=True, **options)
            figure.colorbar(image, ax=panel, pad=0.02, shrink=0.85)
            panel.set(aspect="equal", xticks=[-1, 0, 1], yticks=[-1, 0, 1], ylabel=title if i == 0 else "")
            panel.set_title(f"t = {times[i]:g}" if key == "reference" else "")
            panel.grid(False)
    return figure


def block_history(results: Results, plan: Plan, folder: Folder) -> Figure:
    figure, axes = _figure(1, 1, (6.4, 3.6))
    panel = axes[0, 0]
    for color, blocks in zip(("#1f77b4", "#ff7f0e", "#2ca02c"), (1, 4, 8), strict=True):
        for jobs, style, label in (
            (plan.solves(plan.case("allen-cahn-long", blocks=blocks), "local"), "-", f"B = {blocks}"),
            (plan.tuned("allen-cahn-long", blocks=blocks), ":", f"B = {blocks}, tuned"),
        ):
            runs = [results[j.key]["values"] for j in jobs if j.key in results and results[j.key]["ok"]]
            if not runs:
                continue
            history = np.array([r["history"] for r in runs])[:, 1:]
            mean, spread = history.mean(axis=0), history.std(axis=0, ddof=1) if len(runs) > 1 else 0.0
            times = runs[0]["times"][1:]
            panel.plot(times, mean, style, color=color, label=label)
            panel.fill_between(times, np.maximum(mean - spread, history.min(axis=0)), mean + spread, color=color, alpha=0.15, lw=0)
        printed = study.published()["block_marching"][str(blocks)]["l2"][0]
        panel.plot([2.0], [printed], marker="o", mfc="none", mec=color, ms=7)
    panel.set(yscale="log", xlabel="t", ylabel="relative L2 error", title="Allen-Cahn to T = 2, 320 features per block")
    _note_paper(panel)
    return figure


def temporal_rank(results: Results, plan: Plan, folder: Folder) -> Figure:
    figure, axes = _figure(1, 2, (9.0, 3.3))
    _, _, cells = _table(study.temporal_rank, results, plan, 1)
    deltas = [10.0**-p for p in range(7)]
    for column in ("κ(V)", "Error with one rate"):
        _line(axes[0, 0], deltas, [cells[f"δ = 1e-{p}", column] for p in range(7)], column)
    _scales(axes[0, 0], "distance δ of two rates", "", "Two rates 1 and 1 + δ")
    axes[0, 0].legend()
    _, columns, cells = _table(study.temporal_rank, results, plan, 0)
    for column in ("κ(V)", "Error with all J rates", "Error with one rate"):
        _line(axes[0, 1], (2, 4, 8, 16), [cells[f"J = {J}", column] for J in (2, 4, 8, 16)], column)
    _scales(axes[0, 1], "number of rates J", "", "J rates, τ/T log-uniform on [0.05, 20]", (2, 4, 8, 16))
    axes[0, 1].legend()
    return figure


def density(results: Results, plan: Plan, folder: Folder) -> Figure:
    figure, axes = _figure(1, 2, (9.0, 3.3))
    for panel, number, letter, title in (
        (axes[0, 0], 0, "J", "span of J exponentials"),
        (axes[0, 1], 1, "P", "span of P ridge-exponential features"),
    ):
        rows, columns, cells = _table(study.density, results, plan, number)
        sizes = [int(row.split("=")[1]) for row in rows]
        for column in columns:
            _line(panel, sizes, [cells.get((row, column)) for row in rows], column)
        _scales(panel, letter, "relative error, sup norm" if number == 0 else "", title, sizes)
        panel.legend()
    return figure


FIGURES = {
    f.__name__: f
    for f in (
        heat_convergence,
        multiscale_1d,
        stiff_sweep,
        static_ablation,
        tau_ablation,
        main_fields,
        stiff_field,
        multiscale_3d,
        block_history,
        block_field,
        temporal_rank,
        density,
    )
}
