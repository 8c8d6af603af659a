# SPDX-License-Identifier: MIT
"""Bounds of the error of a computed solution, from its defect and the energy estimate of its statement:  ‖u − u_h‖ ≤ what the defect is, and how fast errors may grow."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lrfm.error.bounds.energy import Energy, refused
from lrfm.error.bounds.walk import Walk
from lrfm.error.bounds.waves import WaveEnergy, WaveWalk
from lrfm.problem import Problem
from lrfm.rows.cell_steps import CellSteps
from lrfm.rows.framed import Framed
from lrfm.rows.pieces import Piece

ROUNDED = 1e-12  # added to all bounds: what is evaluated is rounded


def energy_of(problem: Problem) -> Energy:
    """The energy estimate of a statement; a ProblemError where none is known."""
    return WaveEnergy(problem) if 2 in problem.time_orders.values() else Energy(problem)


def bounded(problem: Problem, pieces: Sequence[Piece]) -> dict[str, float]:
    """Bounds of the relative L² error over space and time of each unknown; infinite where they are not below one."""
    if len(pieces) == 1 and isinstance(pieces[0], Framed):
        if isinstance(energy_of(problem), WaveEnergy):
            raise refused("the wave was solved in a frame that moves with it, in which it has no energy.")
        return bounded(pieces[0].frame.statement(problem), [pieces[0].piece])
    energy, piece = energy_of(problem), pieces[0]
    if len(pieces) != 1 or not isinstance(piece, CellSteps) or set(piece.fields) != set(energy.fields):
        raise refused("the solution is not one of cells.")
    walk = WaveWalk(energy, piece) if isinstance(energy, WaveEnergy) else Walk(energy, piece)
    error, sizes = walk.total()
    found = {}
    for name in problem.unknowns:
        own = math.sqrt(sum(sizes[energy.fields.index(f)] for f in problem.fields_of(name)))
        found[name] = error / (own - error) + ROUNDED if error < 0.5 * own else math.inf
    return found


__all__ = ["bounded", "energy_of"]
