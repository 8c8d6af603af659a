# SPDX-License-Identifier: MIT
"""The paper's figures, panel by panel, from what has been run.

Bands and bars are sample standard deviations over seeds; open markers are what the paper prints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from paper.figures import curves, fields
from paper.figures.style import STYLE
from paper.plan import Experiment, Plan
from paper.summary import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 140
# By experiment: names of files, and the functions that draw them; None where nothing of it has been run.
FIGURES: dict[str, dict[str, Callable[[Results, Plan, Path], Figure | None]]] = {
    "heat-convergence": {"heat-convergence": curves.heat_convergence},
    "main-fields": {"main-fields": fields.main_fields},
    "multiscale-1d": {"multiscale-1d": curves.multiscale_1d},
    "stiff-sweep": {"stiff-sweep": curves.stiff_sweep},
    "stiff-field": {"stiff-field": fields.stiff_field},
    "static-ablation": {"static-ablation": curves.static_ablation},
    "tau-ablation": {"tau-ablation": curves.tau_ablation},
    "multiscale-3d": {"multiscale-3d": fields.multiscale_3d},
    "block-marching": {"block-marching": curves.block_history, "block-marching-field": fields.block_field},
    "temporal-rank": {"temporal-rank": curves.temporal_rank},
    "density": {"density": curves.density},
}


def draw(experiment: Experiment, plan: Plan, folder: Path, results: Results) -> Iterator[str]:
    """Write each figure of an experiment that has data, as PNG and PDF; the names of the files. Fields are read from `folder`."""
    import matplotlib

    if not any(job.key in results for job in experiment.jobs(plan)):
        return
    for name, function in FIGURES.get(experiment.name, {}).items():
        with matplotlib.rc_context(STYLE):
            figure = function(results, plan, folder)
            if figure is not None:
                for suffix in ("png", "pdf"):
                    figure.savefig(folder / "figures" / f"{name}.{suffix}", dpi=DPI)
                yield name
