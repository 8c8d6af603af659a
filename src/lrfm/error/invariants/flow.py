# SPDX-License-Identifier: MIT
"""The equations solved for their highest time derivative: ∂ₜᵐu = R(x, t, u, …), m = 1 or 2, the same for all unknowns."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lrfm.problem import Jet, Problem


class Flow:
    """R at points; `possible` is False where a row does not have this form (mixed or nonlinear time derivatives)."""

    def __init__(self, problem: Problem):
        self.problem = problem
        orders = set(problem.time_orders.values())
        self.order = max(orders)
        zeros = (0,) * problem.domain.dimension
        self.top = [Jet(field, (*zeros, self.order)) for field in problem.fields]
        jets = {jet for row in problem.rows for jet in row.jets}
        self.possible = (
            len(orders) == 1
            and self.order <= 2
            and not any(j.index[-1] and j not in self.top and any(j.index[:-1]) for j in jets)
            and not any(jet in self.top for row in problem.rows for jet in row.nonlinear_jets)
        )
        self.jets = sorted(jets - set(self.top))

    def __call__(self, points: np.ndarray, jets: Mapping[Jet, np.ndarray]) -> np.ndarray:
        """R for every field, (fields, points), from the values of all lower jets."""
        known = {**jets, **{jet: np.zeros(len(points)) for jet in self.top}}
        rows = self.problem.rows
        rest = np.stack([row.residual(points, {j: known[j] for j in row.jets}) for row in rows])
        factors = [
            (r, self.top.index(jet), factor)
            for r, row in enumerate(rows)
            for jet, factor in row.coefficients(points).items()
            if jet in self.top
        ]
        # One matrix for all points where its entries are numbers.
        places = (len(points),) if any(np.ndim(factor) for *_, factor in factors) else ()
        matrix = np.zeros((*places, len(rows), len(self.top)))
        for r, column, factor in factors:
            matrix[..., r, column] = factor
        if not places:
            return (
                rest / -matrix[0, 0] if matrix.size == 1 and matrix.all() else -np.linalg.solve(matrix, rest)
            )
        return -np.linalg.solve(matrix, rest.T[..., None])[..., 0].T
