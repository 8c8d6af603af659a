# SPDX-License-Identifier: MIT
"""Whether space still holds the solution: the residual on fresh points.

ρ = rms F / rms Σ|terms of F|,  and what it would add in a step,  h · rms F / (mean |∂F/∂u_t| · rms u).
"""

from __future__ import annotations

import numpy as np

from lrfm.solver.lines.state import Residual
from lrfm.solver.lines.system import System


def residual(system: System, time: float, y: np.ndarray, z: np.ndarray, sizes: np.ndarray) -> Residual:
    """The residual of all equations at one time on fresh points; the worst of them."""
    grid, weights = system.basis.fresh
    points = system.at_times(grid, np.array([time]))
    known: dict = {}
    relative = rate = 0.0
    for own, row in zip(system.form.last, system.form.equations, strict=True):
        jets = system.jets(row.jets, grid, y[None], z[None], known)
        with np.errstate(over="ignore"):  # a march that runs away is not resolved, and says so
            gap = float(np.sqrt(weights @ row.residual(points, jets) ** 2))
            terms = float(np.sqrt(weights @ row.magnitude(points, jets) ** 2))
        relative = max(relative, gap / max(terms, 1e-300))
        slopes = system.slopes(row, grid, time, y, z)
        mass = [np.mean(np.abs(values)) for entry, values in slopes.items() if entry.rate]
        rate = max(rate, gap / max(float(np.mean(mass)) if mass else 1.0, 1e-300) / max(sizes[own], 1e-300))
    return Residual(relative, rate)
