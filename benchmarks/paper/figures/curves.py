# SPDX-License-Identifier: MIT
"""Figures of errors and condition numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from paper.experiments import comparison, costs, scales, theorems, verification
from paper.figures.style import bars, legend, line, log_axes, panels, table
from paper.plan import Plan, data_file
from paper.summary import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def heat_convergence(results: Results, plan: Plan, folder: Path) -> Figure:
    _, _, cells = table(verification.heat_convergence, results, plan)
    figure, axes = panels(1, 2, (9.5, 3.4))
    for K in (1, 2, 4, 8):
        for panel, scale in ((axes[0, 0], 1), (axes[0, 1], K)):
            series = [cells[f"K = {K}, M = {M}", "Rel. L2"] for M in (25, 50, 100)]
            line(panel, [scale * M for M in (25, 50, 100)], series, f"K = {K}")
    log_axes(
        axes[0, 0], "features per patch M", "relative L2 error", "Heat 1D: features per patch", (25, 50, 100)
    )
    log_axes(axes[0, 1], "P = K M", "", "Heat 1D: readout dimension", (25, 50, 100, 200, 400, 800))
    legend(axes[0, 1])
    return figure


def multiscale_1d(results: Results, plan: Plan, folder: Path) -> Figure:
    figure, axes = panels(1, 2, (10.5, 3.6))
    for panel, number, sizes, title in (
        (axes[0, 0], 0, (40, 80, 160, 320, 640), "uniform sampling (the paper's text)"),
        (axes[0, 1], 1, (160, 640), "times graded towards t = 0"),
    ):
        _, columns, cells = table(scales.multiscale_1d, results, plan, number)
        for column in columns:
            line(panel, sizes, [cells.get((f"P = {P}", column)) for P in sizes], column)
        log_axes(panel, "readout dimension P", "relative L2 error" if number == 0 else "", title, sizes)
    legend(axes[0, 1], axes[0, 0])
    low, high = zip(*(panel.get_ylim() for panel in axes[0]), strict=True)
    for panel in axes[0]:
        panel.set_ylim(min(low), max(high))
    return figure


def stiff_sweep(results: Results, plan: Plan, folder: Path) -> Figure:
    figure, axes = panels(1, 2, (10.5, 3.6))
    for panel, number, label in ((axes[0, 0], 0, "relative L2 error"), (axes[0, 1], 1, "condition number")):
        _, columns, cells = table(scales.stiff_sweep, results, plan, number)
        for column in columns:
            line(
                panel,
                [float(e) for e in scales.EPS],
                [cells.get((f"ε = {e}", column)) for e in scales.EPS],
                column,
            )
        log_axes(panel, "ε", label, f"Allen-Cahn, {label}")
        panel.invert_xaxis()
    legend(axes[0, 1], axes[0, 0])
    return figure


def static_ablation(results: Results, plan: Plan, folder: Path) -> Figure:
    rows, columns, cells = table(comparison.static_ablation, results, plan)
    figure, axes = panels(1, 1, (7.5, 3.4))
    bars(axes[0, 0], rows, columns, cells)
    axes[0, 0].set_title("Liquid features and their frozen t = 0 response")
    return figure


def tau_ablation(results: Results, plan: Plan, folder: Path) -> Figure:
    rows, columns, cells = table(comparison.tau_ablation, results, plan)
    figure, axes = panels(1, 1, (6.0, 3.4))
    bars(axes[0, 0], rows, columns[:1], cells)
    axes[0, 0].set_title("Allen-Cahn, L-RFM-Local: laws of τ/T")
    return figure


def block_history(results: Results, plan: Plan, folder: Path) -> Figure:
    figure, axes = panels(1, 1, (6.4, 3.6))
    panel = axes[0, 0]
    for color, blocks in zip(("#1f77b4", "#ff7f0e", "#2ca02c"), (1, 4, 8), strict=True):
        for jobs, style, label in (
            (plan.solves(plan.case("allen-cahn-long", blocks=blocks), "local"), "-", f"B = {blocks}"),
            (costs.tuned_march(plan, blocks), ":", f"B = {blocks}, tuned"),
        ):
            runs = [results[j.key]["values"] for j in jobs if j.key in results and results[j.key]["ok"]]
            if not runs:
                continue
            history = np.array([r["history"] for r in runs])[:, 1:]
            mean, spread = history.mean(axis=0), history.std(axis=0, ddof=1) if len(runs) > 1 else 0.0
            times = runs[0]["times"][1:]
            panel.plot(times, mean, style, color=color, label=label)
            panel.fill_between(
                times,
                np.maximum(mean - spread, history.min(axis=0)),
                mean + spread,
                color=color,
                alpha=0.15,
                lw=0,
            )
        printed = data_file("published")["block_marching"][str(blocks)]["l2"][0]
        panel.plot([2.0], [printed], marker="o", mfc="none", mec=color, ms=7)
    panel.set(
        yscale="log",
        xlabel="t",
        ylabel="relative L2 error",
        title="Allen-Cahn to T = 2, 320 features per block",
    )
    legend(panel)
    return figure


def temporal_rank(results: Results, plan: Plan, folder: Path) -> Figure:
    figure, axes = panels(1, 2, (9.0, 3.3))
    _, _, cells = table(theorems.temporal_rank, results, plan, 1)
    deltas = [10.0**-p for p in range(7)]
    for column in ("κ(V)", "Error with one rate"):
        line(axes[0, 0], deltas, [cells[f"δ = 1e-{p}", column] for p in range(7)], column)
    log_axes(axes[0, 0], "distance δ of two rates", "", "Two rates 1 and 1 + δ")
    axes[0, 0].legend()
    _, _, cells = table(theorems.temporal_rank, results, plan, 0)
    for column in ("κ(V)", "Error with all J rates", "Error with one rate"):
        line(axes[0, 1], (2, 4, 8, 16), [cells[f"J = {J}", column] for J in (2, 4, 8, 16)], column)
    log_axes(axes[0, 1], "number of rates J", "", "J rates, τ/T log-uniform on [0.05, 20]", (2, 4, 8, 16))
    axes[0, 1].legend()
    return figure


def density(results: Results, plan: Plan, folder: Path) -> Figure:
    figure, axes = panels(1, 2, (9.0, 3.3))
    for panel, number, letter, title in (
        (axes[0, 0], 0, "J", "span of J exponentials"),
        (axes[0, 1], 1, "P", "span of P ridge-exponential features"),
    ):
        rows, columns, cells = table(theorems.density, results, plan, number)
        sizes = [int(row.split("=")[1]) for row in rows]
        for column in columns:
            line(panel, sizes, [cells.get((row, column)) for row in rows], column)
        log_axes(panel, letter, "relative error, sup norm" if number == 0 else "", title, sizes)
        panel.legend()
    return figure
