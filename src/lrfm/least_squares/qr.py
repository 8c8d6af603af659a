# SPDX-License-Identifier: MIT
"""Householder QR, columns scaled, with a tiny ridge: c = D argmin ‖A D y − b‖² + ρ²n‖y‖², D = diag(1/‖a_j‖).

No truncation: directions that a cutoff would discard still carry digits (TSVD at 1e-12 costs up to two of
them). The ridge only keeps R away from exact singularity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg
from scipy.linalg import lapack

from lrfm.column_blocks import ColumnBlocks
from lrfm.least_squares.base import (
    Fit,
    check_finite,
    check_fraction,
    check_shape,
    column_norms,
    condition_number,
)
from lrfm.least_squares.multifrontal import BlockFactored, solve_blocks

EPS = np.finfo(float).eps
PANEL = 32  # block size of the triangular-pentagonal update; LAPACK's own default for QR


@dataclass(frozen=True, kw_only=True)
class QR:
    """Column-scaled Householder QR with ridge ρ√n; `condition=True` adds the singular values of A."""

    ridge: float = 1e-15
    condition: bool = False

    def __post_init__(self) -> None:
        check_fraction("ridge", self.ridge, "1e-15 is the default")

    def solve(
        self, A: np.ndarray | ColumnBlocks, b: np.ndarray, blocks: Mapping[str, slice] | None = None
    ) -> Fit:
        """Factor A in place (it is overwritten) and solve by back substitution."""
        check_shape(A, b)
        check_finite(A, b, blocks)
        if isinstance(A, ColumnBlocks):
            return self._with_condition(solve_blocks(A, b, self.ridge), A)
        return self.factor(A).solve(b)

    def _with_condition(self, fit: Fit, A: ColumnBlocks) -> Fit:
        """Singular values need the dense matrix: for study, not for size."""
        if not self.condition:
            return fit
        singular = scipy.linalg.svdvals(A.toarray(), check_finite=False)
        return replace(fit, condition=condition_number(singular), singular_values=singular)

    def factor(self, A: np.ndarray | ColumnBlocks) -> Factored | BlockFactored:
        """Factor once, for many right-hand sides; A is overwritten."""
        if isinstance(A, ColumnBlocks):
            return BlockFactored(A, self.ridge)
        A = np.asfortranarray(A)
        n = A.shape[1]
        scale = column_norms(A)
        A /= scale
        lwork, _ = lapack.dgeqrf_lwork(*A.shape)
        A, tau, _, _ = lapack.dgeqrf(A, lwork=int(lwork), overwrite_a=1)
        R = np.triu(A[:n])
        singular = scipy.linalg.svdvals(R * scale, check_finite=False) if self.condition else None
        return Factored(A, tau, R, scale, singular, _ridged(R, self.ridge) if self.ridge > 0 else None)

    def flops(self, rows: int, columns: int) -> float:
        """2mn² − ⅔n³ for the factorization and ⅔n³ for the ridge."""
        return 2.0 * rows * columns**2

    def doubles(self, rows: int, columns: int) -> int:
        """A itself, and triangles."""
        return rows * columns + 4 * columns**2


@dataclass(frozen=True)
class Factored:
    """A D = Q R, and the QR of R stacked on the ridge: what is needed to solve for any b."""

    reflectors: np.ndarray
    tau: np.ndarray
    R: np.ndarray
    scale: np.ndarray
    singular: np.ndarray | None
    ridged: tuple[np.ndarray, np.ndarray, np.ndarray] | None

    def solve(self, b: np.ndarray) -> Fit:
        """argmin ‖A c − b‖ with the ridge on the scaled coefficients."""
        n = len(self.R)
        z = apply_transpose(self.reflectors, self.tau, b)
        y = self._triangle(z[:n])
        # What the ridge leaves of R y = z belongs to the residual too.
        residual = float(np.hypot(np.linalg.norm(z[n:]), np.linalg.norm(self.R @ y - z[:n])))
        rank = int(np.count_nonzero(np.abs(np.diag(self.R)) > n * EPS))
        condition = None if self.singular is None else condition_number(self.singular)
        return Fit(y / self.scale, residual, rank, condition, self.singular)

    def _triangle(self, z: np.ndarray) -> np.ndarray:
        triangle, top = self.R, z
        if self.ridged is not None:
            triangle, below, T = self.ridged
            n = len(z)
            zero = np.zeros((n, 1), order="F")
            top = lapack.dtpmqrt(n, below, T, z.reshape(n, 1), zero, side="L", trans="T")[0][:, 0]
        with np.errstate(all="ignore"):
            y, info = lapack.dtrtrs(triangle, top)
        if info != 0 or not np.all(np.isfinite(y)):
            raise ValueError(
                "The least-squares matrix is exactly singular; use a positive `ridge` or `TruncatedSVD()`."
            )
        return y


def _ridged(R: np.ndarray, ridge: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """QR of the two stacked triangles [R; ρ√n I], in LAPACK's compact form."""
    n = len(R)
    below = np.zeros((n, n), order="F")
    np.fill_diagonal(below, ridge * np.sqrt(n))
    triangle, below, T, _ = lapack.dtpqrt(
        n, min(PANEL, n), R.copy(order="F"), below, overwrite_a=1, overwrite_b=1
    )
    return triangle, below, T


def apply_transpose(reflectors: np.ndarray, tau: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Qᵀb from LAPACK's compact form."""
    column = np.array(b, dtype=float, order="F").reshape(-1, 1)
    _, work, _ = lapack.dormqr("L", "T", reflectors, tau, column, -1)
    z, _, _ = lapack.dormqr("L", "T", reflectors, tau, column, int(work[0]), overwrite_c=1)
    return z[:, 0]
