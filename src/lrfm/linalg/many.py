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
    """Matrices (count, n, n), all of them regular; `size` is how many real numbers are kept."""

    def __init__(self, matrices: np.ndarray):
        self._used, self._inverse, self._factors = 0, None, []
        self.size, self._kind = matrices.nbytes // 8, matrices.dtype
        if matrices.shape[-1] <= SMALL:
            try:
                self._inverse = _finite(np.linalg.inv(matrices))
            except np.linalg.LinAlgError as error:
                raise SingularError("A matrix of a mode is singular.") from error
            return
        from scipy.linalg import get_lapack_funcs

        factor, self._solve, self._invert = get_lapack_funcs(("getrf", "getrs", "getri"), (matrices,))
        for matrix in matrices:
            lu, pivots, info = factor(matrix)
            if info != 0:
                raise SingularError("A matrix of a mode is singular.")
            self._factors.append((lu, pivots))

    def _inverted(self) -> np.ndarray:
        """Inverses in the place of factors; the matrices themselves are not kept."""
        n = len(self._factors[0][1])
        found = np.empty((len(self._factors), n, n), dtype=self._kind)
        for to, (lu, pivots) in zip(found, self._factors, strict=True):
            to[...] = self._invert(lu, pivots, lwork=n * n, overwrite_lu=True)[0]
        self._factors = []
        return _finite(found)

    def __call__(self, right: np.ndarray) -> np.ndarray:
        """The solutions for right sides (count, n, columns)."""
        self._used += 1
        if self._inverse is None and self._used > WORTH:
            self._inverse = self._inverted()
        if self._inverse is not None:
            return self._inverse @ right
        kind = np.result_type(self._kind, right)
        if np.iscomplexobj(right) and self._kind.kind != "c":
            return self(np.real(right)) + 1j * self(np.imag(right))
        found = np.empty(right.shape, dtype=kind)
        for to, own, (lu, pivots) in zip(found, right, self._factors, strict=True):
            to[...] = self._solve(lu, pivots, own)[0]
        return found


def _finite(inverses: np.ndarray) -> np.ndarray:
    if not np.all(np.isfinite(inverses)):
        raise SingularError("A matrix of a mode is singular.")
    return inverses
