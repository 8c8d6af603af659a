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
from lrfm.discretize.options import ROUNDING
from lrfm.problem import Problem, Row
from lrfm.problem.algebra import ZERO
from lrfm.problem.checks import face_grid, interior_grid
from lrfm.problem.expression import substituted
from lrfm.problem.jets import jet_symbol
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
    if given < np.sum(np.max(sigma, axis=0)):
        problem = with_singular_ends(problem)
        given = sum(map(len, problem.face_rows.values()))
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


def with_singular_ends(problem: Problem) -> Problem:
    """The same statement with equations as conditions where their highest derivatives vanish: −2u′ + λu = 0 at x = 1 keeps solutions of ((1 − x²) u′)′ + λu = 0 smooth there.

    Only at ends of which nothing is said.
    """
    faces, inside = dict(problem.face_rows), interior_grid(problem.domain, problem.time)
    for face, given in problem.face_rows.items():
        if not given:
            place = face_grid(problem, face, problem.time[:1])[:1]
            made = (_without_highest(row, place, inside) for row in problem.rows)
            faces[face] = tuple(row for row in made if row is not None)
    return problem.restated(face_rows=faces)


def _without_highest(row: Row, place: np.ndarray, inside: np.ndarray) -> Row | None:
    """What is left of a row at a place at which its highest derivatives have coefficients of zero; None where they do not."""
    order = max(jet.index[0] for jet in row.jets)
    highest = [jet for jet in row.jets if jet.index[0] == order]
    if order == 0 or any(jet in row.nonlinear_jets for jet in highest):
        return None
    there, usual = row.affine(place)[1], row.affine(inside)[1]
    if any(np.max(np.abs(there[j])) > ROUNDING.zero * np.max(np.abs(usual[j])) for j in highest):
        return None
    left = substituted(row.expression, {jet_symbol(jet): ZERO for jet in highest})
    found = Row(left, row.coordinates, row.label)
    return found if found.jets else None


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
