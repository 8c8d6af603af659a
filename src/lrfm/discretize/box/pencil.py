# SPDX-License-Identifier: MIT
"""A(s) = Σ_p s^p B_p of a box, one dense matrix of all unknowns: factors of real shifts serve for complex ones nearby, as those of cells do."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lrfm.discretize.options import SAFEGUARDS
from lrfm.discretize.plane.pencil import SparsePencil
from lrfm.linalg.banded import SingularError, Solve
from lrfm.linalg.lapack import lu_factor, lu_solve
from lrfm.linalg.room import reserve
from lrfm.spaces.series.polynomials import along

if TYPE_CHECKING:
    from lrfm.discretize.box.galerkin import BoxGalerkin


class Dense:
    """LU factors of full matrices."""

    def factor(self, matrix: np.ndarray) -> Solve:
        """x of A x = b as a function of b; SingularError where there is none. The matrix is overwritten."""
        reserve(matrix.size * (2 if np.iscomplexobj(matrix) else 1))
        # The transpose is in the order of LAPACK as it stands.
        factors = lu_factor(matrix.T)
        pivots = np.abs(np.diagonal(factors[0]))
        if not np.all(np.isfinite(pivots)) or pivots.min(initial=np.inf) == 0:
            raise SingularError("The matrix of a box is singular.")
        return lambda right: lu_solve(factors, right, trans=1)


class DensePencil(SparsePencil):
    """Linearized at one state; `values` are B_p with the lowest power of s of every row taken out."""

    def __init__(self, made: BoxGalerkin, values: list[np.ndarray]):
        super().__init__(made, values)  # pyright: ignore[reportArgumentType]

    @property
    def matrices(self) -> list[np.ndarray]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """B_p."""
        return self._values  # pyright: ignore[reportReturnType]

    def rates(self, right: np.ndarray) -> np.ndarray:
        """The limit s → 0."""
        return self._made.solver.factor(self._values[0].copy())(right)

    def apply(self, vector: np.ndarray, power: int) -> np.ndarray:
        """B_p v of the rows in which rates occur; zero in all others."""
        if power >= len(self._values):
            return np.zeros(len(vector))
        return np.where(self._made.lowest == 0, self._values[power] @ vector, 0.0)

    def _own(self, shift: complex) -> bool:
        """Whether a shift has factors of its own: those of a small matrix do."""
        return self._made.size <= SAFEGUARDS.dense or super()._own(shift)

    def _rates_of(self, vector: np.ndarray) -> np.ndarray:
        """B₀ v, of real and imaginary parts one by one: the matrix stays real."""
        return along(self._values[0], vector, 0)

    @cached_property
    def projected(self) -> Solve:
        """z and q with  E z + A_q q = r  in the rows with rates, and the other rows of z alone, as a function of r."""
        made, total = self._made, self._values[0].copy()
        moving, free = made.lowest == 0, ~made.moves  # pyright: ignore[reportAttributeAccessIssue]
        total[np.ix_(moving, free)] += self._values[1][np.ix_(moving, free)]
        return made.solver.factor(total)
