# SPDX-License-Identifier: MIT
"""e₂ = ‖u − u⋆‖₂/‖u⋆‖₂ and e_∞ = ‖u − u⋆‖_∞/‖u⋆‖_∞ on a fixed grid. Paper, eq:metrics.

Real and imaginary parts count as components of one long vector.
"""

from __future__ import annotations

import numpy as np

from lrfm.problem import Problem
from lrfm.solution.solution import Solution, reference_values

GRIDS = {1: (101, 41), 2: (21, 13), 3: (11, 11)}  # points per space axis and times, by dimension


def grid(problem: Problem) -> dict[str, np.ndarray]:
    """The evaluation grid: equidistant, ends included, one open array per coordinate."""
    points, times = GRIDS[problem.domain.dimension]
    axes = {name: np.linspace(*ends, points) for name, ends in problem.domain.axes.items()}
    axes["t"] = np.linspace(*problem.time, times)
    return dict(zip(axes, np.meshgrid(*axes.values(), indexing="ij"), strict=True))


def errors(solution: Solution) -> dict[str, object]:
    """Relative L² and L^∞ over space and time, at the final time, and the history of the L² error."""
    at = grid(solution.problem)
    exact = np.stack(_parts(reference_values(solution.problem, at)))
    found = np.stack(_parts({name: solution[name](**at) for name in solution.unknowns}))
    return compare(found, exact) | {"times": at["t"].reshape(-1, at["t"].shape[-1])[0].tolist()}


def compare(found: np.ndarray, exact: np.ndarray) -> dict[str, object]:
    """Errors of two fields (components, space…, times)."""
    gap = found - exact
    axes = tuple(range(gap.ndim - 1))
    with np.errstate(all="ignore"):
        history = np.sqrt(np.sum(gap**2, axis=axes) / np.sum(exact**2, axis=axes))
    return {
        "l2": float(np.linalg.norm(gap) / np.linalg.norm(exact)),
        "linf": float(np.abs(gap).max() / np.abs(exact).max()),
        "final": float(history[-1]),
        "history": [float(f"{e:.3e}") for e in history],
    }


def _parts(fields: dict[str, np.ndarray]) -> list[np.ndarray]:
    return [part for v in fields.values() for part in ((v.real, v.imag) if np.iscomplexobj(v) else (v,))]
