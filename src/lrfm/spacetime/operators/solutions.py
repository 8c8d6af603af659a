# SPDX-License-Identifier: MIT
"""Many solutions on the same trial functions: features are evaluated once for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lrfm.linalg.threads import one_thread
from lrfm.problem import Problem
from lrfm.solution.piece import Piece
from lrfm.solution.solution import Solution
from lrfm.solver.operators.data import ManySolutions
from lrfm.spacetime.windows.expansion import Expansion
from lrfm.spacetime.windows.patches import column_slices

if TYPE_CHECKING:
    from lrfm.spacetime.operators.maps import Operator


class Solutions(ManySolutions):
    """Solutions by number, or all at once: a call gives values of shape (k, ...).

    `misfit` holds ‖A c − b‖/‖b‖ of each, down to 1e-8: how well equations and data are met.
    """

    def __init__(
        self,
        operator: Operator,
        problems: Sequence[Problem | None] | None,
        coefficients: Sequence[np.ndarray],
        misfit: np.ndarray,
    ):
        self._operator, self._problems, self._coefficients = operator, problems, coefficients
        self.misfit = misfit
        self._first = self[0]

    def __len__(self) -> int:
        return self._coefficients[0].shape[1]

    @property
    def problem(self) -> Problem:  # type: ignore[override]
        return self._operator.problem

    def solution(self, number: int) -> Solution:
        problem = self._problems[number] if self._problems else None
        columns = [c[:, number] for c in self._coefficients]
        return self._operator.answer(
            problem or self.problem, columns, float(self.misfit[number]), problem is None
        )

    @one_thread
    def __call__(
        self, *, outside: bool = False, **coordinates: float | np.ndarray
    ) -> np.ndarray | dict[str, np.ndarray]:
        """Values of all solutions at the same points; for several unknowns a dictionary by name."""
        places = self._first._places(coordinates, outside)
        matrices = {id(piece): c for piece, c in zip(self._first.pieces, self._coefficients, strict=True)}

        def values(piece: Piece, at: np.ndarray) -> np.ndarray:
            assert isinstance(piece, Expansion)
            order, rows = (0,) * at.shape[1], []
            for field, columns in column_slices(piece.spaces).items():
                sums = piece.spaces[field].combine(at, [order], matrices[id(piece)][columns])
                rows.append(sums[order].T)
            return np.concatenate(rows)

        fields = np.split(self._first._evaluate(places.points, values), len(self.problem.fields))
        return self.unknowns(dict(zip(self.problem.fields, fields, strict=True)), places.shape)
