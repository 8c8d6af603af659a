# SPDX-License-Identifier: MIT
"""How large the components of a system are in a solution of another statement like it."""

from __future__ import annotations

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.options import SCANS
from lrfm.error.marks import scattered
from lrfm.problem import Jet
from lrfm.solution.solution import Solution


def sizes_of(system: EvolutionSystem, solution: Solution) -> np.ndarray:
    """Root mean squares over space and time of the components of a system, as a solution has them; zero for means and values in formulas."""
    rng, sizes = np.random.default_rng(0), np.zeros(len(system.components))
    still = (0,) * system.problem.domain.dimension
    own = {
        c: Jet(f, (*still, n)) for c, (f, n) in enumerate(system.components) if f in system.original.fields
    }
    for piece in solution.pieces:
        points = scattered(solution.problem.domain, piece.window, SCANS.points, rng)
        values = piece.values(own.values(), points)
        share = (piece.window[1] - piece.window[0]) / (system.problem.time[1] - system.problem.time[0])
        for c, jet in own.items():
            sizes[c] += share * float(np.mean(values[jet] ** 2))
    return np.sqrt(sizes)
