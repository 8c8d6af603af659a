# SPDX-License-Identifier: MIT
"""Figures of fields: reference, L-RFM-Local, absolute error."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from paper.experiments import comparison, scales
from paper.experiments.cells import ONE_D, TITLES
from paper.figures.style import panels
from paper.plan import Job, Plan
from paper.summary import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = {"reference": "reference", "found": "L-RFM-Local", "gap": "absolute error"}


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
    for line, (key, title) in zip(axes, SHOWN.items(), strict=True):
        for i, panel in enumerate(line):
            values, exact = (data[name][:, :, 0, i].T for name in (key, "reference"))
            _image(figure, panel, data["x"], data["y"], values, exact, key, "viridis")
            panel.set(aspect="equal", xticks=[-1, 0, 1], yticks=[-1, 0, 1], ylabel=title if i == 0 else "")
            panel.set_title(f"t = {times[i]:g}" if key == "reference" else "")
    return figure


def _fields(jobs: Mapping[str, Job], folder: Path) -> Figure | None:
    """Reference, L-RFM-Local and absolute error, one row per problem."""
    found = {label: data for label, job in jobs.items() if (data := _load(folder, job)) is not None}
    if not found:
        return None
    figure, axes = panels(len(found), 3, (9.5, 0.4 + 2.0 * len(found)))
    for row, (label, data) in zip(axes, found.items(), strict=True):
        for panel, (key, title) in zip(row, SHOWN.items(), strict=True):
            _image(figure, panel, data["t"], data["x"], data[key], data["reference"], key, "RdBu_r")
            first = key == "reference"
            panel.set(title=f"{label}: {title}" if first else title, xlabel="t", ylabel="x" if first else "")
    return figure


def _image(
    figure: Figure,
    panel: Any,
    x: np.ndarray,
    y: np.ndarray,
    values: np.ndarray,
    exact: np.ndarray,
    key: str,
    colors: str,
) -> None:
    """One field with its color bar; solution and reference share their colors."""
    shared = {"cmap": "magma"} if key == "gap" else {"cmap": colors, "vmin": exact.min(), "vmax": exact.max()}
    image = panel.pcolormesh(x, y, values, shading="auto", rasterized=True, **shared)
    figure.colorbar(image, ax=panel, pad=0.02)
    panel.grid(False)


def _load(folder: Path, job: Job) -> dict[str, np.ndarray] | None:
    path = folder / "fields" / f"{job.key}.npz"
    if not path.exists():
        return None
    with np.load(path) as data:
        return {name: data[name] for name in data.files}
