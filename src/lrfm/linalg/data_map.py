# SPDX-License-Identifier: MIT
"""Coefficients as a function of the data in some rows, the others given:

    c = D R⁻¹ (z + K d),   K = (Qᵀ)_{·, rows},   z = Qᵀ[0; b] of the other rows.

K is a part of an orthogonal matrix, so that nothing is amplified before the back substitution and c is as good as that of a solve of its
own. R⁻¹K as one matrix would not be: its columns answer to jumps at single points with coefficients as large as the condition number,
whose sum is rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lrfm.linalg.base import Factorization
from lrfm.linalg.qr import Factored

CHUNK = 256  # columns of K made at once


@dataclass(frozen=True)
class Others:
    """What the other rows contribute: b itself, z and ‖b‖²."""

    b: np.ndarray
    z: np.ndarray | None
    square: float


class DataMap:
    """The map d → c for a factored matrix with m rows, of which `rows` hold the data."""

    def __init__(self, factored: Factorization, rows: slice, m: int):
        self.factored, self.rows, self.m = factored, rows, m
        # A factorization over patches does not show its Q; it solves for one right-hand side after another.
        self.K = self._columns() if isinstance(factored, Factored) else None

    def _columns(self) -> np.ndarray:
        numbers = np.arange(self.rows.start, self.rows.stop)
        K = np.empty((len(self.factored.scale), len(numbers)), order="F")
        for first in range(0, len(numbers), CHUNK):
            run = numbers[first : first + CHUNK]
            unit = np.zeros((self.m, len(run)), order="F")
            unit[run, np.arange(len(run))] = 1.0
            K[:, first : first + len(run)] = self.factored.reflections.transposed(unit)[0]
        return K

    def others(self, b: np.ndarray) -> Others:
        """Prepare a right-hand side that is zero in the rows of the data."""
        z = None if self.K is None else self.factored.reflections.transposed(b)[0]
        return Others(b, z, float(b @ b))

    def solve(self, others: Others, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(c, ‖A c − b‖/‖b‖) for d of shape (rows,) or (rows, k); the ratio is no better known than to 1e-8."""
        square = others.square + np.sum(d**2, axis=0)
        if self.K is None:
            c, left = self._one_by_one(others.b, d)
        else:
            z = (self.K @ d + others.z.reshape(-1, *(1,) * (d.ndim - 1))).reshape(-1, *d.shape[1:])
            c, ridge = self.factored.back(np.asfortranarray(z))
            left = np.maximum(square - np.sum(z**2, axis=0) - ridge, 0.0)
        with np.errstate(all="ignore"):
            return c, np.where(square > 0, np.sqrt(left / square), 0.0)

    def _one_by_one(self, b: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        fits = []
        for column in d.reshape(len(d), -1).T:
            whole = b.copy()
            whole[self.rows] = column
            fits.append(self.factored.solve(whole))
        c = np.column_stack([fit.coefficients for fit in fits]).reshape(-1, *d.shape[1:])
        return c, np.array([fit.residual**2 for fit in fits]).reshape(d.shape[1:])
