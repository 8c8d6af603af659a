# SPDX-License-Identifier: MIT
"""Figures of fields: reference, L-RFM-Local, absolute error."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lrfm.paper.experiments import comparison, scales
from lrfm.paper.experiments.cells import ONE_D, TITLES
from lrfm.paper.figures.style import panels
from lrfm.paper.plan import Job, Plan
from lrfm.paper.summary import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def main_fields(results: Results, plan: Plan, folder: Path) -> Figure | None:
    jobs = dict(zip((TITLES[name] for name in ONE_D), comparison.main_fields(plan), strict=True))
    return _fields(jobs, folder)


def stiff_field(results: Results, plan: Plan, folder: Path) -> Figure | None:
    return _fields({"Allen-Cahn, ε = 1e-4": scales.stiff_field(plan)[0]}, folder)


def block_field(results: Results, plan: Plan, folder: Path) -> Figure | None:
    case = plan.case("allen-cahn-long", blocks=8)
    return _fields({"Allen-Cahn, 8 blocks": plan.solves(case, "local")[0]}, folder)


def multiscale_3d(results: Results, plan: Plan, folder: Path) -> Figure | None:
    data = _load(folder, plan.solves(plan.case("multiscale-3d"), "local")[0])
    if data is None:
        return None
    times = data["t"]
    figure, axes = panels(3, len(times), (2.1 * len(times) + 0.6, 5.8))
    rows = (("reference", "reference"), ("found", "L-RFM-Local"), ("gap", "absolute error"))
    for line, (key, title) in zip(axes, rows, strict=True):
        for i, panel in enumerate(line):
            values = data[key][:, :, 0, i]
            shared = data["reference"][:, :, 0, i]
            options = (
                {"cmap": "magma"}
                if key == "gap"
                else {"cmap": "viridis", "vmin": shared.min(), "vmax": shared.max()}
            )
            image = panel.pcolormesh(
                data["x"], data["y"], values.T, shading="auto", rasterized=True, **options
            )
            figure.colorbar(image, ax=panel, pad=0.02, shrink=0.85)
            panel.set(aspect="equal", xticks=[-1, 0, 1], yticks=[-1, 0, 1], ylabel=title if i == 0 else "")
            panel.set_title(f"t = {times[i]:g}" if key == "reference" else "")
            panel.grid(False)
    return figure


def _fields(jobs: Mapping[str, Job], folder: Path) -> Figure | None:
    """Reference, L-RFM-Local and absolute error, one row per problem."""
    found = {label: _load(folder, job) for label, job in jobs.items()}
    found = {label: data for label, data in found.items() if data is not None}
    if not found:
        return None
    figure, axes = panels(len(found), 3, (9.5, 0.4 + 2.0 * len(found)))
    for row, (label, data) in zip(axes, found.items(), strict=True):
        x, t = data["x"], data["t"]
        low, high = data["reference"].min(), data["reference"].max()
        for panel, key, title in zip(
            row, ("reference", "found", "gap"), ("reference", "L-RFM-Local", "absolute error"), strict=True
        ):
            options = {"cmap": "magma"} if key == "gap" else {"cmap": "RdBu_r", "vmin": low, "vmax": high}
            image = panel.pcolormesh(t, x, data[key], shading="auto", rasterized=True, **options)
            figure.colorbar(image, ax=panel, pad=0.02)
            panel.set(
                title=f"{label}: {title}" if key == "reference" else title,
                xlabel="t",
                ylabel="x" if key == "reference" else "",
            )
            panel.grid(False)
    return figure


def _load(folder: Path, job: Job) -> dict[str, np.ndarray] | None:
    path = folder / "fields" / f"{job.key}.npz"
    if not path.exists():
        return None
    with np.load(path) as data:
        return {name: data[name] for name in data.files}
