# SPDX-License-Identifier: MIT
"""Coefficients as a function of the data d in some rows, with everything else in b fixed:

    c = D R⁻¹ (z + K d),   K = (Qᵀ)_{·, rows},   z = Qᵀ[0; b] of the fixed rows.

K is a part of an orthogonal matrix, so that nothing is amplified before the back substitution and c is as good as that of a solve of its
own. R⁻¹K as one matrix would not be: its columns answer to jumps at single points with coefficients as large as the condition number,
whose sum is rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lrfm.spacetime.least_squares.base import Factorization
from lrfm.spacetime.least_squares.qr import DenseFactorization

CHUNK = 256  # columns of K made at once


@dataclass(frozen=True)
class FixedRows:
    """What the fixed rows contribute: b itself, z (where there is a Q to make it) and ‖b‖²."""

    b: np.ndarray
    z: np.ndarray | None
    square: float


class DataMap:
    """The map d → c for a factored matrix with m rows, of which `rows` hold the data."""

    def __init__(self, factored: Factorization, rows: slice, m: int):
        self.factored, self.rows, self.m = factored, rows, m
        # A factorization over patches does not show its Q; it solves for whole right-hand sides.
        self.dense = factored if isinstance(factored, DenseFactorization) else None
        self.K = None if self.dense is None else self._columns(self.dense)

    def _columns(self, factored: DenseFactorization) -> np.ndarray:
        numbers = np.arange(self.rows.start, self.rows.stop)
        K = np.empty((len(factored.scale), len(numbers)), order="F")
        for first in range(0, len(numbers), CHUNK):
            run = numbers[first : first + CHUNK]
            unit = np.zeros((self.m, len(run)), order="F")
            unit[run, np.arange(len(run))] = 1.0
            K[:, first : first + len(run)] = factored.reflections.transposed(unit)[0]
        return K

    def fixed(self, b: np.ndarray) -> FixedRows:
        """Prepare a right-hand side that is zero in the rows of the data."""
        z = None if self.dense is None else self.dense.reflections.transposed(b)[0]
        return FixedRows(b, z, float(b @ b))

    def solve(self, fixed: FixedRows, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(c, ‖A c − b‖/‖b‖) for d of shape (rows,) or (rows, k); the ratio is no better known than to 1e-8."""
        square = fixed.square + np.sum(d**2, axis=0)
        if self.dense is None or self.K is None or fixed.z is None:
            whole = np.repeat(fixed.b[:, None], d.size // len(d), axis=1).reshape(-1, *d.shape[1:])
            whole[self.rows] = d
            fit = self.factored.solve(whole)
            c, left = fit.coefficients, fit.residual**2
        else:
            z = (self.K @ d + fixed.z.reshape(-1, *(1,) * (d.ndim - 1))).reshape(-1, *d.shape[1:])
            c, ridge = self.dense.back(np.asfortranarray(z))
            left = np.maximum(square - np.sum(z**2, axis=0) - ridge, 0.0)
        with np.errstate(all="ignore"):
            return c, np.where(square > 0, np.sqrt(left / square), 0.0)
