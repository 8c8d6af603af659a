# SPDX-License-Identifier: MIT
"""Householder QR, columns scaled, with a tiny ridge: c = D argmin ‖A D y − b‖² + ρ²n‖y‖², D = diag(1/‖a_j‖).

No truncation: directions that a cutoff would discard still carry digits (TSVD at 1e-12 costs up to two of
them). The ridge only keeps R away from exact singularity.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log2, prod

import numpy as np

from lrfm.linalg.lapack import dtrtrs
from lrfm.problem.calls import naming
from lrfm.spacetime.least_squares import device, householder
from lrfm.spacetime.least_squares.backends import Array, backend_of
from lrfm.spacetime.least_squares.base import (
    Fit,
    RowGroups,
    SystemSize,
    check_fraction,
    check_system,
    column_norms,
    condition_number,
)
from lrfm.spacetime.least_squares.column_groups import GroupedMatrix, Matrix
from lrfm.spacetime.least_squares.multifrontal import (
    SINGULAR,
    FrontalFactorization,
    factor_grouped,
    solve_grouped,
)

EPS = np.finfo(float).eps
DEPENDENT = 8.0  # ridges on the diagonal of R that still count as none


@naming
@dataclass(frozen=True, kw_only=True)
class QR:
    """Column-scaled Householder QR with ridge ρ√n: the solver used unless another is given.

    Parameters
    ----------
    ridge
        ρ, relative to columns of norm one.
    condition
        Whether to compute the singular values of A, too, at the price of a second factorization.

    Examples
    --------
    >>> import numpy as np
    >>> import lrfm
    >>> A = np.vander(np.linspace(0.0, 1.0, 20), 4)
    >>> fit = lrfm.QR(condition=True).solve(A.copy(), A @ [1.0, 2.0, 3.0, 4.0])
    >>> fit.coefficients.round(9), fit.rank, round(fit.condition)
    (array([1., 2., 3., 4.]), 4, 109)
    """

    ridge: float = 1e-15
    condition: bool = False

    def __post_init__(self) -> None:
        check_fraction("ridge", self.ridge, "1e-15 is the default")

    def solve(self, A: Matrix, b: np.ndarray, row_groups: RowGroups | None = None) -> Fit:
        """Factor A in place (it is overwritten) and solve by back substitution."""
        check_system(A, b, row_groups)
        if isinstance(A, GroupedMatrix):
            return self._with_condition(solve_grouped(A, b, self.ridge), A)
        factored = self.factor(A)
        return replace(factored.solve(b), factored=factored)

    def _with_condition(self, fit: Fit, A: GroupedMatrix) -> Fit:
        """Singular values need the dense matrix: for study, not for size."""
        if not self.condition:
            return fit
        singular = np.linalg.svd(A.toarray(), compute_uv=False)
        return replace(fit, condition=condition_number(singular), singular_values=singular)

    def factor(self, A: Matrix) -> DenseFactorization | FrontalFactorization:
        """Factor once, for many right-hand sides; A is overwritten."""
        if isinstance(A, GroupedMatrix):
            return factor_grouped(A, self.ridge)
        A = np.asfortranarray(A) if isinstance(A, np.ndarray) else A
        scale = column_norms(A)
        singular = _singular_values(A, scale) if self.condition else None
        ridge = self.ridge * np.sqrt(A.shape[1])
        A /= backend_of(A).asarray(scale)
        reflections, L = _factor(A, ridge)
        return DenseFactorization(reflections, L, scale, ridge, singular)

    def flops(self, rows: int, columns: int) -> float:
        """2mn², the ridge included; 2mn² − ⅔n³ would be the bare factorization."""
        return 2.0 * rows * columns**2

    def doubles(self, rows: int, columns: int) -> int:
        """A itself, a triangle, a panel and its products."""
        return rows * columns + columns**2 + householder.WIDE * (rows + 3 * columns)

    def cost(self, size: SystemSize) -> tuple[float, float]:
        """Those of the dense matrix, or of the fronts where these are less.

        With w columns per patch and K patches along each axis, nested dissection holds about 3ᵈ w² a patch in one dimension,
        log₂ K times that in two and K/2 in three; flops are 84 w³ a patch in one dimension, 250 K w³ in two, 500 K³ w³ in three.
        """
        doubles, flops = self.doubles(size.rows, size.columns), self.flops(size.rows, size.columns)
        cut = sorted(count for count in size.patches if count > 1)
        if not cut:
            return doubles, flops
        total, longest = prod(size.patches), cut[-2] if len(cut) > 1 else 1
        width, axes = size.columns / total, min(len(cut), 3)
        held = 3.0**axes * (1.0, log2(longest) + 1, 0.5 * longest)[axes - 1] * width**2 * total
        work = (84.0, 250.0 * longest, 500.0 * longest**3)[axes - 1] * width**3 * total
        return min(doubles, size.entries + held), min(flops, work)


@dataclass(frozen=True)
class DenseFactorization:
    """[ρ√n I; A D] = Q [Lᵀ; 0]: what is needed to solve for any b."""

    reflections: householder.Reflections | device.DeviceReflections
    L: np.ndarray
    scale: np.ndarray
    ridge: float
    singular: np.ndarray | None

    def solve(self, b: np.ndarray) -> Fit:
        """argmin ‖A c − b‖ with the ridge on the scaled coefficients; one column of c for each column of b."""
        z, rest = self.reflections.transposed(b)
        c, ridge = self.back(z)
        # The lower part holds the residual of the ridge rows, too.
        residual = np.sqrt(np.maximum(np.sum(rest**2, axis=0) - ridge, 0.0))[()]
        # A column that depends on others has little more than the ridge on the diagonal.
        kept = np.abs(np.diag(self.L)) > max(len(z) * EPS, DEPENDENT * self.ridge)
        condition = None if self.singular is None else condition_number(self.singular)
        return Fit(c, residual, int(np.count_nonzero(kept)), condition, self.singular)

    def back(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """D R⁻¹z, and the square of what the ridge rows leave."""
        with np.errstate(all="ignore"):
            y, info = dtrtrs(self.L, z, lower=1, trans=1)
        if info != 0 or not np.all(np.isfinite(y)):
            raise ValueError(SINGULAR)
        return (y.T / self.scale).T, self.ridge**2 * np.sum(y**2, axis=0)


def _factor(A: Array, ridge: float) -> tuple[householder.Reflections | device.DeviceReflections, np.ndarray]:
    if not isinstance(A, np.ndarray):
        return device.factor(A, ridge)
    L = np.zeros((A.shape[1], A.shape[1]), order="F")
    np.fill_diagonal(L, ridge)
    return householder.factor(A, L), L


def _singular_values(A: Array, scale: np.ndarray) -> np.ndarray:
    """Those of A itself, from a factorization of its own without ridge: for study, not for speed."""
    copy = backend_of(A).copy(A)
    copy /= backend_of(A).asarray(scale)
    _, L = _factor(copy, 0.0)
    return np.linalg.svd(L.T * scale, compute_uv=False)
