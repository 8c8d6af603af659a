# SPDX-License-Identifier: MIT
"""Truncated SVD: c = Σ_{σᵢ > cutoff·σ₁} (uᵢᵀb / σᵢ) vᵢ, the paper's solver (Paper, below eq:weighted-ls)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lrfm.linalg.lapack import dgelsd, dgelsd_lwork
from lrfm.problem.calls import naming
from lrfm.spacetime.least_squares import device
from lrfm.spacetime.least_squares.backends import Array
from lrfm.spacetime.least_squares.base import Fit, RowGroups, check_fraction, check_system, condition_number
from lrfm.spacetime.least_squares.column_groups import Matrix, dense


@naming
@dataclass(frozen=True, kw_only=True)
class TruncatedSVD:
    """Least squares of least norm (LAPACK gelsd), the paper's solver.

    Parameters
    ----------
    cutoff
        Singular values below cutoff·σ₁ are discarded; the paper uses 1e-12.

    Examples
    --------
    >>> import numpy as np
    >>> import lrfm
    >>> A = np.ones((5, 2))  # two equal columns: the least norm shares the answer between them
    >>> lrfm.TruncatedSVD().solve(A, np.full(5, 3.0)).coefficients.round(9)
    array([1.5, 1.5])
    """

    cutoff: float = 1e-12

    def __post_init__(self) -> None:
        check_fraction("cutoff", self.cutoff, "the paper uses 1e-12")

    def solve(self, A: Matrix, b: np.ndarray, row_groups: RowGroups | None = None) -> Fit:
        """Solve by divide and conquer."""
        check_system(A, b, row_groups)
        A, b, rest = _reduced(dense(A), b)
        # gelsd gives no residual once it truncates, so A is kept for one product.
        x, s, rank = _gelsd(A.copy(order="F"), b, self.cutoff)
        x = x[: A.shape[1]].copy()
        residual = float(np.hypot(np.linalg.norm(A @ x - b), np.linalg.norm(rest)))
        return Fit(x, residual, int(rank), condition_number(s), s)

    def flops(self, rows: int, columns: int) -> float:
        """About three QR factorizations: bidiagonalization, its divide and conquer, back-transformation."""
        return 3.0 * (2.0 * rows * columns**2 - 2.0 / 3.0 * columns**3)

    def doubles(self, rows: int, columns: int) -> int:
        """A, the copy that is factored, and workspace."""
        return 2 * rows * columns + 4 * columns**2


def _reduced(A: Array, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """‖A x − b‖² = ‖R x − z‖² + ‖rest‖² for rows on a device, which are reduced there; NumPy's are left as they are."""
    if isinstance(A, np.ndarray):
        return A, b, np.zeros(0)
    reflections, L = device.factor(A, 0.0)
    return L.T, *reflections.transposed(b)


def _gelsd(A: np.ndarray, b: np.ndarray, cutoff: float) -> tuple[np.ndarray, np.ndarray, int]:
    work, iwork, info = dgelsd_lwork(A.shape[0], A.shape[1], 1, cutoff)
    x, s, rank, info = dgelsd(A, b, int(work), int(iwork), cond=cutoff, overwrite_a=True, overwrite_b=False)
    if info != 0:
        raise ValueError(f"LAPACK gelsd did not converge (info {info}); use `QR()` instead.")
    return np.asarray(x).reshape(len(b)), s, rank
