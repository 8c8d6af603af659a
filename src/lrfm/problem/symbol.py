# SPDX-License-Identifier: MIT
"""Whether short waves grow without bound: the symbol of the linearized equations.

Insert u = û exp(λt + ik·x) with frozen coefficients: Σ_a c_a λ^{a_t} (ik)^{a_x} û = 0. A well-posed problem has Re λ bounded
for all k; Re λ → ∞ as |k| → ∞ (diffusion with the wrong sign, an equation that is elliptic in time) is Hadamard's
instability, which no solver can follow and no residual shows.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lrfm.problem.equation import Row
from lrfm.problem.jets import Jet

WAVES = 1e4  # waves along an axis at which the asymptotics are read off
RELATIVE = 1e-6  # part of λ that must be real growth


def unstable_axis(
    rows: tuple[Row, ...],
    fields: tuple[str, ...],
    lengths: np.ndarray,
    duration: float,
    points: np.ndarray,
    jets: Mapping[Jet, np.ndarray],
) -> int | None:
    """First axis along which the shortest waves grow by more than e¹⁰⁰ within `duration`; None if there is none.

    `jets` are the values, at the points, of the derivatives in nonlinear terms.
    """
    coefficients = [_coefficients(row, points, jets) for row in rows]
    for axis, length in enumerate(lengths):
        k = 2.0 * np.pi * WAVES / length
        for i in range(len(points)):
            matrices = _polynomial(coefficients, fields, axis, k, i)
            rates = _eigenvalues(matrices)
            growth = np.real(rates)[(np.real(rates) > RELATIVE * np.abs(rates)) & np.isfinite(rates)]
            if growth.size and growth.max() * duration > 100.0:
                return axis
    return None


def _coefficients(row: Row, points: np.ndarray, jets: Mapping[Jet, np.ndarray]) -> dict[Jet, np.ndarray]:
    _, total = row.affine(points)
    total = {jet: np.broadcast_to(c, (len(points),)) for jet, c in total.items()}
    if not row.linear:
        for jet, c in row.nonlinear(points, {j: jets[j] for j in row.nonlinear_jets}, False)[1].items():
            total[jet] = total.get(jet, 0.0) + np.broadcast_to(c, (len(points),))
    return total


def _polynomial(
    coefficients: list[dict[Jet, np.ndarray]], fields: tuple[str, ...], axis: int, k: float, point: int
) -> list[np.ndarray]:
    """Matrices A_m of Σ_m A_m λᵐ for a wave along one axis."""
    order = max(jet.index[-1] for row in coefficients for jet in row)
    matrices = [np.zeros((len(coefficients), len(fields)), dtype=complex) for _ in range(order + 1)]
    for r, row in enumerate(coefficients):
        for jet, values in row.items():
            spatial = jet.index[:-1]
            if any(n for i, n in enumerate(spatial) if i != axis):
                continue
            power = (1, 1j, -1, -1j)[spatial[axis] % 4] * k ** spatial[axis]
            matrices[jet.index[-1]][r, fields.index(jet.field)] += values[point] * power
    return matrices


def _eigenvalues(matrices: list[np.ndarray]) -> np.ndarray:
    """Roots λ of det Σ A_m λᵐ = 0; fields without a time derivative are eliminated first."""
    *lower, top = matrices
    n, order = top.shape[0], len(lower)
    if top.shape[0] != top.shape[1] or order == 0:
        return np.zeros(0, dtype=complex)
    companion = [[np.zeros((n * (order - 1), n)), np.eye(n * (order - 1))], [-m for m in lower]]
    A, B = np.block(companion), np.eye(n * order, dtype=complex)
    B[n * (order - 1) :, n * (order - 1) :] = top
    free, constraint = np.abs(B).sum(axis=0) > 0, np.abs(B).sum(axis=1) == 0
    try:
        eliminated = np.linalg.solve(A[np.ix_(constraint, ~free)], A[np.ix_(constraint, free)])
        reduced = A[np.ix_(~constraint, free)] - A[np.ix_(~constraint, ~free)] @ eliminated
        return np.linalg.eigvals(np.linalg.solve(B[np.ix_(~constraint, free)], reduced))
    except np.linalg.LinAlgError:
        return np.zeros(0, dtype=complex)
