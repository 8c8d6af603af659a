# SPDX-License-Identifier: MIT
"""The figure of a branch: the largest value of each unknown over the parameter."""

from pathlib import Path
from typing import Any

import numpy as np

from lrfm.solution.plot.look import LABEL, SMALL, drawing, frame, new_figure, symbol

_WIDTH, _HEIGHT = 4.6, 2.9  # inches of a panel
_LINE, _MARK = "#1f5fa8", "#c2571a"


def branch_figure(branch: Any, path: str | Path | None) -> Any:
    """One panel per unknown."""
    names = list(branch.sizes)
    figure = new_figure((_WIDTH * len(names), _HEIGHT), layout="constrained", shown=path is None)
    for axes, name in zip(np.ravel(figure.subplots(1, len(names), squeeze=False)), names, strict=True):
        sizes = branch.sizes[name]
        axes.plot(branch.values, sizes, color=_LINE, linewidth=1.3)
        for turns, marker, word in ((branch.folds, "o", "fold"), (branch.bifurcations, "x", "bifurcation")):
            for number, turn in enumerate(turns):
                height = np.interp(0.5, [0, 1], sizes[turn.after : turn.after + 2])
                label = f"{word} at {turn.value:.8g}" if number < 3 else None
                axes.plot([turn.value], [height], marker, color=_MARK, markersize=5, label=label)
        if branch.folds or branch.bifurcations:
            axes.legend(frameon=False, fontsize=SMALL)
        axes.set_xlabel(f"${symbol(branch.parameter)}$", fontsize=LABEL)
        axes.set_ylabel(f"largest ${symbol(name)}$", fontsize=LABEL)
        frame(axes)
    if path is not None:
        with drawing(path) as draft:
            figure.savefig(draft, dpi=200)
    return figure
