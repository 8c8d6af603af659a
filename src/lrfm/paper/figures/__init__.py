# SPDX-License-Identifier: MIT
"""The paper's figures, panel by panel, from what has been run.

Bands and bars are sample standard deviations over seeds; open markers are what the paper prints.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lrfm.paper.figures import curves, fields
from lrfm.paper.figures.style import STYLE
from lrfm.paper.plan import Plan
from lrfm.paper.summary import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES = {
    function.__name__: function
    for function in (
        curves.heat_convergence,
        curves.multiscale_1d,
        curves.stiff_sweep,
        curves.static_ablation,
        curves.tau_ablation,
        curves.block_history,
        curves.temporal_rank,
        curves.density,
        fields.main_fields,
        fields.stiff_field,
        fields.multiscale_3d,
        fields.block_field,
    )
}


def draw(name: str, results: Results, plan: Plan, folder: Path) -> Figure | None:
    """A figure by name; None when nothing of it has been run. Fields are read from `folder`."""
    import matplotlib

    with matplotlib.rc_context(STYLE):
        return FIGURES[name](results, plan, folder)
