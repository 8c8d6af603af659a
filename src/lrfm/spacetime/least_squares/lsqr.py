# SPDX-License-Identifier: MIT
"""LSQR on orthonormal column groups:  A_k = U_k S_k V_kᵀ,  y = argmin ‖Σ_k U_k y_k − b‖,  c_k = V_k S_k⁻¹ y_k.

The iteration is SciPy's (Paige and Saunders 1982). A patch by itself may be as ill-conditioned as it likes: its columns are made
orthonormal first, and directions with σ ≤ filter·σ_max are left out. What the steps have to find out are the overlaps of the
patches. Memory is that of A, and time is a pass over A for each step; a factorization keeps more and asks for no steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from lrfm.problem.calls import naming
from lrfm.spacetime.least_squares.base import (
    Fit,
    RowGroups,
    SystemSize,
    check_fraction,
    check_positive,
    check_system,
)
from lrfm.spacetime.least_squares.column_groups import ColumnGroup, GroupedMatrix, Matrix, groups_of

EPS = np.finfo(float).eps
STEPS_GUESS = 500  # steps that a plan counts with
LIMIT = 7  # SciPy's number for an iteration that `steps` has ended


@naming
@dataclass(frozen=True, kw_only=True)
class LSQR:
    """Iterative least squares for many patches: the least memory of all solvers.

    Parameters
    ----------
    steps
        At most so many steps, each a pass over the matrix.
    filter
        Directions of a patch with singular values below filter·σ_max are left out.

    Examples
    --------
    >>> import numpy as np
    >>> import lrfm
    >>> A = np.vander(np.linspace(0.0, 1.0, 20), 4)
    >>> lrfm.LSQR().solve(A.copy(), A @ [1.0, 2.0, 3.0, 4.0]).coefficients.round(9)
    array([1., 2., 3., 4.])
    """

    steps: int = 5000
    filter: float = 1e-13

    def __post_init__(self) -> None:
        check_fraction("filter", self.filter, "1e-13 is the default")
        check_positive("steps", self.steps)

    def solve(self, A: Matrix, b: np.ndarray, row_groups: RowGroups | None = None) -> Fit:
        """Make the groups orthonormal (A is overwritten), then iterate until ‖Aᵀr‖ is rounding."""
        from scipy.sparse.linalg import aslinearoperator, lsqr  # takes 40 ms, and few solves need it

        check_system(A, b, row_groups)
        bases, backs, first = [], [], 0
        for group in groups_of(A):
            U, back = _orthonormal(group.values, self.filter)
            bases.append(ColumnGroup(group.rows, slice(first, first + U.shape[1]), U))
            backs.append((group.columns, back))
            first += U.shape[1]
        basis = GroupedMatrix((len(b), first), bases, np.zeros((len(bases), 1)))
        # Nothing is left to gain once ‖Aᵀr‖ is rounding beside ‖A‖‖r‖.
        y, why, _, residual, *_ = lsqr(
            aslinearoperator(basis), b, atol=EPS, btol=EPS, conlim=0.0, iter_lim=self.steps
        )
        c = np.zeros(A.shape[1])
        for here, (columns, back) in zip(bases, backs, strict=True):
            c[columns] = back @ y[here.columns]
        stopped = f"LSQR was stopped by `steps={self.steps}`; allow more of them, or use `QR()`"
        return Fit(c, float(residual), first, note=stopped if why == LIMIT else "")

    def flops(self, rows: int, columns: int) -> float:
        """Singular vectors of one patch of this size: about 6mn² + 20n³ (Golub and Van Loan, table 8.6.1)."""
        return 6.0 * rows * columns**2 + 20.0 * columns**3

    def doubles(self, rows: int, columns: int) -> int:
        """One patch of this size, its singular vectors, and vectors of the iteration."""
        return 2 * rows * columns + 2 * columns**2 + 4 * rows

    def cost(self, size: SystemSize) -> tuple[float, float]:
        """One patch after the other, then two passes over all entries in each step."""
        count = prod(size.patches)
        patch = max(1, round(size.rows * size.seen)), max(1, size.columns // count)
        passes = 4.0 * size.entries * (min(self.steps, STEPS_GUESS) if count > 1 else 1)
        copied = size.entries if size.repeated else 0.0
        return copied + self.doubles(*patch), count * self.flops(*patch) + passes


def _orthonormal(values: np.ndarray, cut: float) -> tuple[np.ndarray, np.ndarray]:
    """U, in the place of the values since many groups must not be there twice, and V S⁻¹ back to coefficients."""
    U, s, Vt = np.linalg.svd(values, full_matrices=False)
    kept = int(np.count_nonzero(s > cut * s.max(initial=0.0)))
    basis = values[:, :kept]
    basis[:] = U[:, :kept]
    return basis, Vt[:kept].T / s[:kept]
