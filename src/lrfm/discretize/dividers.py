# SPDX-License-Identifier: MIT
"""Lines in the plane at which something given jumps or has a kink:  g(x, y) = 0 for every g that decides in ``where``, ``sign``, ``abs``, ``min``, ``max``, ``heaviside``.

Cells end there. A g that depends on time or on unknowns moves, and is left to the adaptation of cells; so is one whose own parts are switched, since these are found by themselves.
"""

from __future__ import annotations

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.options import PLANE
from lrfm.problem.algebra import Call, Expr, postorder, symbols_in
from lrfm.problem.expression import absolute, choice, sign
from lrfm.problem.shapes.levels import Level
from lrfm.spaces.cells.plane.stored import Sides

SWITCHES = (absolute, sign, choice)


def dividers_of(system: EvolutionSystem) -> list[Level]:
    """The level sets that cross the domain."""
    problem = system.problem
    names = problem.domain.names
    formulas = [row.expression for row in system.equations]
    formulas += [part for datum in problem.initial_data.values() for part in (datum.value or ())]
    deciding = dict.fromkeys(g for formula in formulas for g in _deciding(formula))
    found: list[Level] = []
    for g in deciding:
        if {s.name for s in symbols_in(g)} <= set(names) and symbols_in(g) and not _switches(g):
            level = Level(g, names)
            if _crosses(level, problem.domain):
                found.append(level)
    if len(found) > PLANE.dividers:
        raise Unsuited(
            f"Given functions jump at {len(found)} lines, and cells are divided by {PLANE.dividers} at most."
        )
    try:
        Sides.of(found)
    except ValueError as error:
        raise Unsuited("A line at which something given jumps cannot be written down.") from error
    return found


def _deciding(formula: Expr) -> list[Expr]:
    nodes = (n for n in postorder(formula) if isinstance(n, Call) and n.function in SWITCHES)
    return [node.args[0] for node in nodes]


def _switches(formula: Expr) -> bool:
    return any(isinstance(n, Call) and n.function in SWITCHES for n in postorder(formula))


def _crosses(level: Level, domain) -> bool:
    """Whether a level has both signs in a domain."""
    unit = (np.arange(PLANE.scan) + 0.5) / PLANE.scan
    grid = np.stack(np.meshgrid(unit, unit, indexing="ij"), axis=-1).reshape(-1, 2)
    points = domain.lower + (domain.upper - domain.lower) * grid
    values = level.values(points[domain.contains(points)])
    return bool(np.any(values > 0) and np.any(values < 0))
