# SPDX-License-Identifier: MIT
"""The strip of pictures at the top of the README: some statements, each solved with a tolerance and nothing else.

Results: benchmarks/results/strip.png.

    python benchmarks/strip.py
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import harness
import matplotlib as mpl
import numpy as np

import lrfm

TOL = 1e-6
LATE = 0.62  # of the time span, for what is shown in the plane


@dataclass(frozen=True)
class Picture:
    """A statement with its title, and how its field is colored."""

    title: str
    problem: lrfm.Problem
    colors: str = "RdBu_r"


PICTURES = (
    Picture(
        r"$u_t + u\,u_x = \frac{0.01}{\pi}\,u_{xx}$",
        lrfm.Problem(
            "u_t + u*u_x = 0.01/pi*u_xx",
            domain=lrfm.Box(x=(-1, 1)),
            time=(0, 1),
            initial="-sin(pi*x)",
            boundary="u = 0",
        ),
    ),
    Picture("Cahn-Hilliard", lrfm.catalog.get("cahn-hilliard")),
    Picture("Kuramoto-Sivashinsky", lrfm.catalog.get("kuramoto-sivashinsky")),
    Picture(
        r"$u_{tt} = \Delta u$",
        lrfm.Problem(
            "u_tt = lap(u)",
            domain=lrfm.Box(x=(0, 1), y=(0, 1)),
            time=(0, 1),
            initial={"u": "exp(12*(cos(pi*x) + cos(pi*y) - 2))", "u_t": "0"},
            boundary="u_n = 0",
        ),
    ),
)


def panel(axes: Any, picture: Picture) -> None:
    """The field over space and time, or over the plane at a late time, with the error that is claimed."""
    solution = lrfm.solve(picture.problem, tol=TOL)
    (a, b), (x, y) = solution.problem.time, [*solution.problem.domain.axes, "t"][:2]
    ends = {**solution.problem.domain.axes, "t": (a, b)}
    place = {axis: np.mean(span) for axis, span in ends.items()} | {"t": a + LATE * (b - a)}
    across, up = (np.linspace(*ends[axis], 401) for axis in (x, y))
    field = solution[solution.unknowns[0]](**(place | {x: across[:, None], y: up[None, :]}))
    field = np.abs(field) if np.iscomplexobj(field) else field
    size = np.abs(field).max()
    limits = {"vmin": -size, "vmax": size} if picture.colors == "RdBu_r" else {}
    extent = (*ends[x], *ends[y])
    axes.imshow(field.T, origin="lower", aspect="auto", extent=extent, cmap=picture.colors, **limits)
    axes.set_title(picture.title, fontsize=11)
    axes.set_xlabel(f"{x}    estimated error {solution.report.error_estimate:.0e}", fontsize=9)
    axes.set_ylabel(y, fontsize=9, rotation=0)
    axes.locator_params(nbins=5)
    axes.tick_params(labelsize=7)


def main() -> None:
    """Solve and draw."""
    mpl.use("Agg")
    from matplotlib import pyplot

    figure, row = pyplot.subplots(1, len(PICTURES), figsize=(12, 2.9), layout="constrained")
    for axes, picture in zip(row, PICTURES, strict=True):
        panel(axes, picture)
    figure.savefig(harness.RESULTS / "strip.png", dpi=110)


if __name__ == "__main__":
    main()
