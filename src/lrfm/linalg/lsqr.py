# SPDX-License-Identifier: MIT
"""LSQR on orthonormal patches:  A_k = U_k S_k V_kᵀ,  y = argmin ‖Σ_k U_k y_k − b‖,  c_k = V_k S_k⁻¹ y_k.

Golub and Kahan's bidiagonalization as Paige and Saunders (1982) use it. A patch by itself may be as ill-conditioned as it likes:
its columns are made orthonormal first, and directions with σ ≤ filter·σ_max are left out. What the steps have to find out are the
overlaps of the patches. Memory is that of A, and time is a pass over A for each step; a factorization keeps more and asks for no steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot, sqrt
from numbers import Integral

import numpy as np

from lrfm.linalg.backends import Array, backend_of
from lrfm.linalg.base import Fit, check_finite, check_fraction, check_shape
from lrfm.linalg.column_groups import ColumnBlock, ColumnBlocks

EPS = np.finfo(float).eps


@dataclass(frozen=True, kw_only=True)
class LSQR:
    """Iterative least squares for many patches; at most `steps` steps, directions below filter·σ_max of a patch left out."""

    steps: int = 5000
    filter: float = 1e-13

    def __post_init__(self) -> None:
        check_fraction("filter", self.filter, "1e-13 is the default")
        if not isinstance(self.steps, Integral) or isinstance(self.steps, bool) or self.steps < 1:
            raise ValueError(f"`steps={self.steps!r}` must be a positive whole number.")

    def solve(self, A: Array | ColumnBlocks, b: np.ndarray, blocks: Mapping[str, slice] | None = None) -> Fit:
        """Make the patches orthonormal (A is overwritten), then iterate until ‖Aᵀr‖ is rounding."""
        check_shape(A, b)
        check_finite(A, b, blocks)
        patches = [_orthonormal(block, self.filter) for block in _blocks(A)]
        y, residual, settled = _bidiagonalized(patches, b, self.steps)
        c, first = np.zeros(A.shape[1]), 0
        for patch in patches:
            c[patch.columns] = patch.back @ y[first : first + patch.size]
            first += patch.size
        note = (
            "" if settled else f"LSQR was stopped by `steps={self.steps}`; allow more of them, or use `QR()`"
        )
        return Fit(c, residual, len(y), note=note)

    def flops(self, rows: int, columns: int) -> float:
        """Singular vectors of one patch of this size: about 6mn² + 20n³ (Golub and Van Loan, table 8.6.1)."""
        return 6.0 * rows * columns**2 + 20.0 * columns**3

    def doubles(self, rows: int, columns: int) -> int:
        """One patch of this size, its singular vectors, and vectors of the iteration."""
        return 2 * rows * columns + 2 * columns**2 + 4 * rows


@dataclass(frozen=True)
class _Patch:
    """U in the rows of a patch, and V S⁻¹ to its coefficients."""

    rows: np.ndarray | slice
    columns: np.ndarray | slice
    U: np.ndarray
    back: np.ndarray

    @property
    def size(self) -> int:
        return self.U.shape[1]


def _blocks(A: Array | ColumnBlocks) -> list[ColumnBlock]:
    """A matrix without patches is one patch."""
    if isinstance(A, ColumnBlocks):
        return list(A.blocks)
    return [ColumnBlock(slice(None), slice(None), backend_of(A).to_numpy(A))]


def _orthonormal(block: ColumnBlock, cut: float) -> _Patch:
    U, s, Vt = np.linalg.svd(block.values, full_matrices=False)
    kept = int(np.count_nonzero(s > cut * s.max(initial=0.0)))
    # In the place of the block: many patches must not be there twice.
    basis = block.values[:, :kept]
    basis[:] = U[:, :kept]
    return _Patch(block.rows, block.columns, basis, Vt[:kept].T / s[:kept])


def _forward(patches: list[_Patch], y: np.ndarray, rows: int) -> np.ndarray:
    result, first = np.zeros(rows), 0
    for patch in patches:
        result[patch.rows] += patch.U @ y[first : first + patch.size]
        first += patch.size
    return result


def _backward(patches: list[_Patch], r: np.ndarray) -> np.ndarray:
    return np.concatenate([patch.U.T @ r[patch.rows] for patch in patches])


def _unit(vector: np.ndarray) -> tuple[float, np.ndarray]:
    size = float(np.linalg.norm(vector))
    return size, vector / size if size > 0 else vector


def _bidiagonalized(patches: list[_Patch], b: np.ndarray, most: int) -> tuple[np.ndarray, float, bool]:
    """β₁u₁ = b, βu⁺ = Av − αu, αv⁺ = Aᵀu⁺ − βv, and the bidiagonal system solved by rotations as it grows."""
    beta, u = _unit(b)
    alpha, v = _unit(_backward(patches, u))
    y, w = np.zeros(len(v)), v.copy()
    phi, rho, norm = beta, alpha, 0.0
    for _ in range(most):
        if alpha == 0 or phi == 0:
            break
        beta, u = _unit(_forward(patches, v, len(b)) - alpha * u)
        norm = sqrt(norm**2 + alpha**2 + beta**2)  # ‖A‖ so far: ‖b‖ is no part of it
        alpha, v = _unit(_backward(patches, u) - beta * v)
        diagonal = hypot(rho, beta)
        cosine, sine = rho / diagonal, beta / diagonal
        y += (cosine * phi / diagonal) * w
        w = v - (sine * alpha / diagonal) * w
        phi, rho = sine * phi, -cosine * alpha
        # ‖Aᵀr‖ = φ α |c|: nothing is left to gain once it is rounding beside ‖A‖‖r‖.
        if alpha * abs(cosine) <= EPS * norm:
            break
    else:
        return y, abs(phi), False
    return y, abs(phi), True
