# SPDX-License-Identifier: MIT
"""e₂ = ‖u − u⋆‖₂/‖u⋆‖₂ and e_∞ = ‖u − u⋆‖_∞/‖u⋆‖_∞ on a fixed grid. Paper, eq:metrics.

Real and imaginary parts count as components of one long vector.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lrfm.problem import Problem
from lrfm.solution.reference import Coordinates, grid_points, reference_values, relative_l2, relative_linf
from lrfm.solution.solution import Solution

GRIDS = {1: (101, 41), 2: (21, 13), 3: (11, 11)}  # points per space axis and times, by dimension


def grid(problem: Problem) -> Coordinates:
    """The evaluation grid: equidistant, ends included, one open array per coordinate."""
    return grid_points(problem, *GRIDS[problem.domain.dimension])


def errors(solution: Solution) -> dict[str, Any]:
    """Relative L² and L^∞ over space and time, at the final time, and the history of the L² error."""
    at = grid(solution.problem)
    exact = reference_values(solution.problem, at)
    found = {name: solution[name](**at) for name in exact}
    u, v = (
        np.stack([part(w) for w in values.values() for part in (np.real, np.imag)])
        for values in (found, exact)
    )
    history = [relative_l2(u[..., k], v[..., k]) for k in range(u.shape[-1])]
    return {
        "l2": relative_l2(u, v),
        "linf": relative_linf(u, v),
        "final": history[-1],
        "history": [float(f"{e:.3e}") for e in history],
        "times": np.ravel(at["t"])[: u.shape[-1]].tolist(),
    }
