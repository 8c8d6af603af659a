# SPDX-License-Identifier: MIT
"""Lines in the plane at which something given jumps or has a kink:  g(x, y) = 0 for every g that decides in ``where``, ``sign``, ``abs``, ``min``, ``max``, ``heaviside``.

Cells end there. A g that depends on time or on unknowns moves, and is left to the adaptation of cells; so is one whose own parts are switched, since these are found by themselves.
"""

from __future__ import annotations

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.options import PLANE, SAFEGUARDS, SCANS
from lrfm.problem.algebra import Call, Expr, postorder, symbols_in
from lrfm.problem.expression import absolute, choice, sign
from lrfm.problem.shapes.layers import Layers
from lrfm.problem.shapes.levels import Level
from lrfm.problem.shapes.mesh import SurfaceLevel
from lrfm.problem.shapes.shape import Shape
from lrfm.spaces.cells.plane.layered import LayeredOutline
from lrfm.spaces.cells.plane.outline import Outline
from lrfm.spaces.cells.plane.solid import Solid
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
    layers = len(problem.domain.layers) if isinstance(problem.domain, Layers) else 1
    if layers << len(found) > SAFEGUARDS.regions:
        among = f"The domain has {layers} layers, and given" if layers > 1 else "Given"
        raise Unsuited(
            f"{among} functions jump at {len(found)} lines: more than {SAFEGUARDS.regions} regions, which cells do not hold."
        )
    try:
        Sides.of(found)
    except ValueError as error:
        raise Unsuited("A line at which something given jumps cannot be written down.") from error
    return found


def lattice(dimension: int) -> np.ndarray:
    """Places of the unit square or cube at which given functions are looked at."""
    count = round(((dimension - 1) * SCANS.axis) ** (1 / dimension))
    unit = (np.arange(count) + 0.5) / count
    return np.stack(np.meshgrid(*[unit] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)


def outline_of(system: EvolutionSystem) -> Outline:
    """Arcs or surfaces of the boundary and of interfaces, and those at which something given jumps; Unsuited for what is neither a shape nor made of layers."""
    domain, dividers = system.problem.domain, dividers_of(system)
    if isinstance(domain, Layers):
        if domain.dimension == 3:
            raise Unsuited("Cells of space do not hold layers yet.")
        return LayeredOutline(domain, PLANE, dividers)
    shape = getattr(domain, "region", domain)
    if not isinstance(shape, Shape):
        raise Unsuited("Cells hold boxes, shapes and layers, and this domain is none of these.")
    if shape.dimension == 3:
        if system.problem.periodic:
            raise Unsuited("Cells of space do not hold periodic directions yet.")
        if any(isinstance(sheet.level, SurfaceLevel) for sheet in shape._sheets):
            raise Unsuited(
                "Cells of space end at surfaces with formulas, and this domain is made of triangles."
            )
        return Solid(shape, PLANE, dividers)
    along = [name in system.problem.periodic for name in domain.names]
    return Outline(shape, PLANE, dividers, (along[0], along[1]))


def _deciding(formula: Expr) -> list[Expr]:
    nodes = (n for n in postorder(formula) if isinstance(n, Call) and n.function in SWITCHES)
    return [node.args[0] for node in nodes]


def _switches(formula: Expr) -> bool:
    return any(isinstance(n, Call) and n.function in SWITCHES for n in postorder(formula))


def _crosses(level: Level, domain) -> bool:
    """Whether a level has both signs in a domain."""
    points = domain.lower + (domain.upper - domain.lower) * lattice(domain.dimension)
    values = level.values(points[domain.contains(points)])
    return bool(np.any(values > 0) and np.any(values < 0))
