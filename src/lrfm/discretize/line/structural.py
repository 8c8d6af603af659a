# SPDX-License-Identifier: MIT
"""Equations on an interval that have to be differentiated before they determine their unknowns: Pryce's Σ-method (BIT 41, 2001) along the axis.

With the highest derivative σ_ij of the field j in the equation i, and the assignment of equations to fields with the largest sum, the smallest c, d ≥ 0 with

    d_j − c_i ≥ σ_ij,      d_j − c_i = σ_ij  on the assignment

say that the equation i, differentiated c_i times, belongs to fields of the orders d_j; it holds itself where it and its derivatives below c_i do so at one end. The statement asks for Σ d_j − Σ c_i
conditions. Velocity and pressure of a shear flow, ν u″ − … − iαp = 0, ν v″ − … − p′ = 0, iαu + v′ = 0, have d = (2, 2, 1), c = (0, 0, 1): four conditions, and none of the pressure.
"""

from __future__ import annotations

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.problem import Problem, Row
from lrfm.problem.text import total_derivative

ABSENT = -np.inf  # σ of a field that does not occur


class StandingLine(EvolutionSystem):
    """A steady statement on an interval, its equations differentiated as often as they have to be."""

    def _stated(self, problem: Problem) -> Problem:
        return differentiated(problem)


def differentiated(problem: Problem) -> Problem:
    """The same statement with equations that determine its fields; as it is where these do. Unsuited where there are too few conditions, or too many."""
    given = sum(map(len, problem.face_rows.values()))
    if problem.functionals or problem.periodic or not problem.domain.is_box:
        return problem
    sigma = _orders(problem)
    if np.sum(np.max(sigma, axis=0)) == given:
        return problem
    found = offsets(sigma)
    if found is None or not found[0].any():
        return problem
    if (wanted := np.sum(found[1]) - np.sum(found[0])) != given:
        raise Unsuited(
            f"The equations ask for {wanted} conditions at the two ends together, and {given} are given."
        )
    (axis,) = problem.domain.names
    rows, ends = [], []
    for row, times in zip(problem.rows, found[0], strict=True):
        for _ in range(times):
            ends.append(row)
            formula = total_derivative(row.expression, axis, problem.alphabet, row.label)
            row = Row(formula, row.coordinates, row.label)
        rows.append(row)
    lower = f"{axis}-"
    faces = {**problem.face_rows, lower: (*problem.face_rows[lower], *ends)}
    return problem.restated(rows=tuple(rows), face_rows=faces)


def _orders(problem: Problem) -> np.ndarray:
    """σ: (equations, fields)."""
    sigma = np.full((len(problem.rows), len(problem.fields)), ABSENT)
    for i, row in enumerate(problem.rows):
        for jet in row.jets:
            j = problem.fields.index(jet.whole)
            sigma[i, j] = max(sigma[i, j], jet.index[0])
    return sigma


def offsets(sigma: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The smallest c and d of a square σ; None where no assignment has a field in each equation.

    >>> c, d = offsets(np.array([[2, ABSENT, 0], [ABSENT, 2, 1], [0, 1, ABSENT]]))
    >>> c.tolist(), d.tolist()
    ([0, 0, 1], [2, 2, 1])
    """
    from scipy.optimize import linear_sum_assignment

    size = len(sigma)
    most = 1 + size * max(0.0, float(np.max(sigma)))  # what is absent costs more than all others bring
    rows, columns = linear_sum_assignment(np.where(np.isfinite(sigma), sigma, -most), maximize=True)
    own = sigma[rows, columns]
    if not np.all(np.isfinite(own)):
        return None
    c = np.zeros(size)
    for _ in range(size * int(most)):  # c grows until it suffices; each round raises one at least
        d = np.max(sigma + c[:, None], axis=0)
        following = d[columns] - own
        if np.array_equal(following, c):
            return c.astype(int), d.astype(int)
        c = following
    return None
