# SPDX-License-Identifier: MIT
"""Truncated SVD: c = Σ_{σᵢ > cutoff·σ₁} (uᵢᵀb / σᵢ) vᵢ, the paper's solver (Paper, below eq:weighted-ls)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from lrfm.least_squares.base import Fit, check_finite, check_shape


@dataclass(frozen=True, kw_only=True)
class TruncatedSVD:
    """Singular values below cutoff·σ₁ are discarded (LAPACK gelsd); the paper uses 1e-12."""

    cutoff: float = 1e-12

    def __post_init__(self) -> None:
        if not 0 <= self.cutoff < 1:
            raise ValueError(f"`cutoff={self.cutoff!r}` must lie in [0, 1); the paper uses 1e-12.")

    def solve(self, A: np.ndarray, b: np.ndarray, blocks: Mapping[str, slice] | None = None) -> Fit:
        """Solve by divide and conquer."""
        check_shape(A, b)
        check_finite(A, b, blocks)
        # gelsd gives no residual once it truncates, so A is kept for one product.
        x, s, rank = _gelsd(A.copy(order="F"), b, self.cutoff)
        x = x[: A.shape[1]].copy()
        smallest = s[-1] if s[-1] > 0 else np.finfo(float).tiny
        return Fit(x, float(np.linalg.norm(A @ x - b)), int(rank), float(s[0] / smallest), s)

    def flops(self, rows: int, columns: int) -> float:
        """About three QR factorizations: bidiagonalization, its divide and conquer, back-transformation."""
        return 3.0 * (2.0 * rows * columns**2 - 2.0 / 3.0 * columns**3)


def _gelsd(A: np.ndarray, b: np.ndarray, cutoff: float) -> tuple[np.ndarray, np.ndarray, int]:
    gelsd, lwork = scipy.linalg.get_lapack_funcs(("gelsd", "gelsd_lwork"), (A, b))
    work, iwork, info = lwork(A.shape[0], A.shape[1], 1, cutoff)
    x, s, rank, info = gelsd(A, b, int(work), int(iwork), cond=cutoff, overwrite_a=True, overwrite_b=False)
    if info != 0:
        raise ValueError(f"LAPACK gelsd did not converge (info {info}); use `QR()` instead.")
    return np.asarray(x).reshape(len(b)), s, rank
