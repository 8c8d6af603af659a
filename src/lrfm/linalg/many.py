# SPDX-License-Identifier: MIT
"""A_k x_k = b_k for many dense matrices of one size: by LU factors, and by inverses once these are worth it.

An inverse costs three times as much as factors, and is applied to all k by one product; factors are applied one by one.
"""

from __future__ import annotations

import numpy as np

from lrfm.linalg.banded import SingularError

SMALL = 40  # unknowns up to which a call of LAPACK costs more than its work
WORTH = 16  # solutions after which an inverse has paid


class ManyMatrices:
    """Matrices (count, n, n), all of them regular."""

    def __init__(self, matrices: np.ndarray):
        self._used, self._inverse, self._factors = 0, None, []
        self._matrices = matrices
        if matrices.shape[-1] <= SMALL:
            self._invert()
            return
        from scipy.linalg import get_lapack_funcs

        factor, self._solve = get_lapack_funcs(("getrf", "getrs"), (matrices,))
        for matrix in matrices:
            lu, pivots, info = factor(matrix)
            if info != 0:
                raise SingularError("A matrix of a mode is singular.")
            self._factors.append((lu, pivots))

    @property
    def size(self) -> int:
        """How many numbers are kept."""
        return self._matrices.size

    def _invert(self) -> None:
        try:
            self._inverse = np.linalg.inv(self._matrices)
        except np.linalg.LinAlgError as error:
            raise SingularError("A matrix of a mode is singular.") from error
        if not np.all(np.isfinite(self._inverse)):
            raise SingularError("A matrix of a mode is singular.")
        self._factors = []

    def __call__(self, right: np.ndarray) -> np.ndarray:
        """The solutions for right sides (count, n, columns)."""
        self._used += 1
        if self._inverse is None and self._used > WORTH:
            self._invert()
        if self._inverse is not None:
            return self._inverse @ right
        kind = np.result_type(self._matrices, right)
        if np.iscomplexobj(right) and not np.iscomplexobj(self._matrices):
            return self(np.real(right)) + 1j * self(np.imag(right))
        found = np.empty(right.shape, dtype=kind)
        for to, own, (lu, pivots) in zip(found, right, self._factors, strict=True):
            to[...] = self._solve(lu, pivots, own)[0]
        return found
