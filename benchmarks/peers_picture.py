# SPDX-License-Identifier: MIT
"""Error against seconds, one small panel per problem."""

from __future__ import annotations

from pathlib import Path

from peers_report import LEVEL, PROBLEMS, Point, Rows, points

# Okabe and Ito's colors, told apart by the color-blind; and a marker each.
LOOK = {
    "lrfm, tolerance": ("#0072B2", "o"),
    "lrfm, parts": ("#56B4E9", "s"),
    "py-pde, class": ("#D55E00", "^"),
    "py-pde, expression": ("#E69F00", "v"),
    "spectral": ("#009E73", "D"),
    "DeepXDE": ("#CC79A7", ""),
}


def front(found: list[Point], clock: str) -> list[Point]:
    """The answers that no faster one beats in error."""
    kept: list[Point] = []
    for point in sorted(found, key=lambda p: (getattr(p, clock), p.error)):
        if not kept or point.error < kept[-1].error:
            kept.append(point)
    return kept


def pictures(rows: Rows, path: Path) -> None:
    """Small multiples, one per problem: in a fresh process, and the solve alone."""
    _picture(rows, "fresh", "seconds in a fresh process", path)
    _picture(rows, "solve", "seconds without imports and compilation", path.with_stem(f"{path.stem}-solve"))


def _picture(rows: Rows, clock: str, label: str, path: Path) -> None:
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(2, 4, figsize=(13, 6.4), sharex=True, sharey=True, layout="constrained")
    for axes, (problem, title) in zip(grid.flat, PROBLEMS.items(), strict=True):
        for contender, (color, marker) in LOOK.items():
            found = points(rows, problem, contender)
            best = front(found, clock)
            axes.plot(
                [getattr(p, clock) for p in best], [p.error for p in best], color=color, lw=1.6, zorder=2
            )
            if marker:
                axes.plot(
                    [getattr(p, clock) for p in found],
                    [p.error for p in found],
                    marker,
                    color=color,
                    ms=5,
                    mec="white",
                    mew=0.5,
                    zorder=3,
                )
        axes.axhline(LEVEL, color="0.75", lw=0.8, zorder=1)
        axes.set(xscale="log", yscale="log", ylim=(1e-14, 3))
        axes.set_title(title, fontsize=10)
        axes.grid(color="0.92", lw=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    figure.supxlabel(label, fontsize=10)
    figure.supylabel("relative L² error at four times", fontsize=10)
    handles = [
        plt.Line2D([], [], color=color, marker=marker or None, ms=5, mec="white", label=name)
        for name, (color, marker) in LOOK.items()
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(LOOK), frameon=False, fontsize=9)
    figure.savefig(path, dpi=150)
    plt.close(figure)
