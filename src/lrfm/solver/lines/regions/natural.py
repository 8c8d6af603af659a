# SPDX-License-Identifier: MIT
"""Conditions on slopes that hold by the equation itself, tested with all functions.

c (ψ, Δu) = −c (∇ψ, ∇u) + c ⟨ψ, u_n⟩,   u_n = −(C − a u_n)/a   from the condition   C = a u_n + b(u, t) = 0.

Nothing is taken by a trace, data that contradict the condition do no harm, and the matrix of −Δ is semidefinite whatever the points are.
The identity holds up to the quadrature, so there have to be more points than for conditions in a null space.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from lrfm.problem import Row
from lrfm.solver.lines.form import Condition, Entry, Form
from lrfm.solver.lines.regions.traces import Border
from lrfm.spaces.orders import MultiIndex
from lrfm.spaces.regions.basis import ScatteredGrid

PROBES = 40  # points of a part at which a condition is looked at
EXACT = 1e-9  # how normal a slope has to be


@dataclass(frozen=True)
class Natural:
    """A condition that the equation imposes: the sign of a, and the coefficient c of Δu in the equation of its component."""

    sign: float
    factor: float


@dataclass(frozen=True)
class NaturalRow:
    """A condition, the points of its part, tests there, (test functions, points), and the slopes that u_n is made of."""

    own: int
    row: Row
    grid: ScatteredGrid
    tests: np.ndarray
    slopes: Mapping[MultiIndex, np.ndarray]
    matrix: np.ndarray | None  # of all other terms in the component, where they do not change


def natural_conditions(form: Form) -> dict[int, Natural]:
    """The conditions, by number, that can be imposed so: all on slopes of components whose other conditions are on values."""
    found: dict[int, Natural] = {}
    for own, row in zip(form.last, form.equations, strict=True):
        factor = laplacian(form, own, row)
        mine = {i: c for i, c in enumerate(form.conditions) if c.own == own}
        if not factor or {c.part for c in mine.values()} != set(form.problem.domain.parts):
            continue
        signs = {i: _sign(form, c) for i, c in mine.items()}
        if None not in signs.values() and len({c.part for c in mine.values()}) == len(mine):
            found |= {i: Natural(s, factor) for i, s in signs.items() if s}
    return found


def laplacian(form: Form, own: int, row: Row) -> float:
    """c where the highest derivatives of an equation are c Δu of its own component, of first order in time; else zero."""
    dimension = form.problem.domain.dimension
    field, level = form.components[own]
    if dimension < 2 or level or form.orders[field] != 1:
        return 0.0
    second = {jet for jet in row.jets if sum(jet.index[:-1]) > 1}
    constant = form.split(row).constant
    pure = {tuple(2 * (k == j) for k in range(dimension)) for j in range(dimension)}
    own_ones = {form.entry(jet) for jet in second} == {Entry(own, index, False) for index in pure}
    values = {constant.get(jet, 0.0) for jet in second}
    return values.pop() if own_ones and len(values) == 1 else 0.0


def _sign(form: Form, condition: Condition) -> float | None:
    """The sign of a in a u_n + b(u, t); 0 for a condition on values; None for others."""
    row, entry = condition.row, form.entry
    slopes = {jet for jet in row.jets if any(jet.index[:-1])}
    if any(entry(jet).rate or jet.side for jet in row.jets) or slopes & set(row.nonlinear_jets):
        return None
    if not slopes:
        return 0.0
    if any(entry(jet).component != condition.own or sum(jet.index[:-1]) > 1 for jet in slopes):
        return None
    points, _, normals = form.problem.domain.parts[condition.part].quadrature(PROBES)
    full = np.column_stack([points, np.full(len(points), form.problem.time[0])])
    given = np.zeros_like(normals)
    for jet, values in row.affine(full)[1].items():
        if jet in slopes:
            given[:, jet.index.index(1)] += values
    along = np.sum(given * normals, axis=1)
    normal = np.max(np.abs(given - along[:, None] * normals)) <= EXACT * np.max(np.abs(along))
    same = np.all(along > 0) or np.all(along < 0)
    return float(np.sign(along[0])) if normal and same and _steady(row, slopes) else None


def _steady(row: Row, slopes: Iterable) -> bool:
    """Whether what multiplies slopes does not change in time."""
    fixed = {name for name in row.coordinates[:-1]}
    parts = [row.linear_part[jet] for jet in slopes]
    return row.stationary or all({s.name for s in part.symbols} <= fixed for part in parts)


def natural_row(
    form: Form,
    condition: Condition,
    natural: Natural,
    slopes: Mapping[Entry, np.ndarray],
    border: Border,
    grid: ScatteredGrid,
    free: np.ndarray | None,
) -> NaturalRow:
    """The tests of a condition, −c q ψ/a; test functions are those with coefficients `free`, or all."""
    zero = (0,) * form.problem.domain.dimension
    count = len(border[0])
    normal = {e.index: np.broadcast_to(v, count) for e, v in slopes.items() if any(e.index)}
    size = natural.sign * np.sqrt(sum(v**2 for v in normal.values()))
    functions = grid.tables[zero] if free is None else grid.tables[zero] @ free
    tests = functions.T * (-natural.factor * border[1] ** 2 / size)
    others = [np.broadcast_to(v, count) for e, v in slopes.items() if not any(e.index)]
    matrix = (tests * sum(others, np.zeros(count))) @ grid.tables[zero] if condition.row.stationary else None
    return NaturalRow(condition.own, condition.row, grid, tests, normal, matrix)


def stiffness(grid: ScatteredGrid, weights: np.ndarray, axis: int, free: np.ndarray | None) -> np.ndarray:
    """−(∂ψ, ∂u) along one axis, (test functions, R)."""
    dimension = grid.points.shape[1]
    table = grid.tables[tuple(int(k == axis) for k in range(dimension))]
    return -(table if free is None else table @ free).T @ (weights[:, None] * table)
