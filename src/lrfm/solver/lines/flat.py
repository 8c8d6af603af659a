# SPDX-License-Identifier: MIT
"""Components that do not depend on every axis: means, values at a place, unknowns of time alone.

Along an axis on which it does not depend a component is a multiple of the constant function, and so are the tests of its equation: of m − e = 0 only
∫ (m − e) dx = 0 is left, which says m = mean(e). On all coefficients x = E ξ, and A(s) E is square: a border around the matrix of the fields.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from lrfm.solver.lines.form import Form, Unsuited
from lrfm.spaces.axes.product import apply

if TYPE_CHECKING:
    from lrfm.solver.lines.projected import ProjectedRows
    from lrfm.solver.lines.system import System
    from lrfm.spaces.axes.axis import AxisBasis


def in_one_piece(form: Form, unknowns: int, most: int) -> bool:
    """Whether there are such components: a border is solved with all it surrounds, as far as that is possible."""
    if form.flat and unknowns > most:
        raise Unsuited(
            f"A step has {unknowns} unknowns, and with means or unknowns of time alone at most {most} are solved in one piece. Ask for "
            "less (`tol`)."
        )
    return bool(form.flat)


def constant(functions: AxisBasis) -> np.ndarray:
    """The constant function as a column of coefficients of norm one."""
    found = functions.projection @ np.ones(len(functions.points))
    return found[:, None] / np.linalg.norm(found)


def columns(system: ProjectedRows) -> np.ndarray | None:
    """E (fields · R, unknowns): the functions that fields are made of; None where all are made of all."""
    if not system.form.flat:
        return None
    blocks = [reduce(np.kron, system.held_products(own)) for own in system.form.last]
    found = np.zeros((sum(len(b) for b in blocks), sum(b.shape[1] for b in blocks)))
    row = column = 0
    for block in blocks:
        found[row : row + len(block), column : column + block.shape[1]] = block
        row, column = row + len(block), column + block.shape[1]
    return found


def flattened(system: ProjectedRows, y: np.ndarray) -> np.ndarray:
    """Coefficients (…, components, R) projected on the functions that their components are made of."""
    found = y.copy() if system.form.flat else y
    for c in system.form.flat:
        held = system.held_products(c)
        found[..., c, :] = apply(held, apply([q.T for q in held], y[..., c, :]))
    return found


def through(system: System, component: int, time: float, y: np.ndarray, z: np.ndarray) -> np.ndarray | float:
    """How a mean, or a value at a place, follows the components (components, R), in one dimension; 0 where it follows none."""
    form = system.form
    known = {form.first[f.field]: f for f in form.problem.functionals}
    if component not in known or len(system.basis.axes) != 1:
        return 0.0
    row, place = known[component].row, known[component].place
    grid = system.basis.grid if place is None else system.slice(0, place)
    rule = system.basis.axes[0]
    weights = (constant(rule).T @ rule.projection)[0] if place is None else np.ones(1)
    found = np.zeros(system.shape)
    for entry, values in system.slopes(row, grid, time, y, z).items():
        if entry.component not in form.flat and not entry.rate:
            found[entry.component] -= (weights / weights.sum() * values) @ grid.tables[0][entry.index[0]]
    return found
