# SPDX-License-Identifier: MIT
"""The null space of a few rows, from smooth to rough: R N = 0, NᵀN = 1, N_jk = 0 for j > k + m, m the number of rows.

Conditions at an end speak loudest of the roughest functions of a basis: the row of u_xxx grows like j^6.5. An orthonormal null space made by
singular values or reflections mixes all functions, and an operator of order 4 makes eps j^8 of that in every entry of its matrix. Here the k-th
column is made of the first k + m functions alone, by one chain of rotations for each row,

N_k ← (b_{k+1} v_k − c_k N_{k+1})/c_{k+1},     v_k = Σ_{i≤k} b_i N_i / c_k,   c_k² = Σ_{i≤k} b_i²,   b = R N,

and what is smooth stays apart from what is rough, to the last digit.
"""

from __future__ import annotations

import numpy as np


def graded_null_space(rows: np.ndarray, singular: float = 0.0) -> np.ndarray:
    """N for rows (m, n) whose columns belong to functions from smooth to rough.

    Rows that depend on those before them, to `singular` of their size, take no direction away.

    >>> found = graded_null_space(np.array([[1.0, 1.0, 1.0]]))
    >>> np.round(found, 3)
    array([[ 0.707,  0.408],
           [-0.707,  0.408],
           [ 0.   , -0.816]])
    """
    found = np.eye(rows.shape[1])
    for row in rows:
        size = np.abs(row).max(initial=0.0)
        if not size:
            continue
        row = row / size
        b = row @ found
        if np.linalg.norm(b) <= singular * np.linalg.norm(row):
            continue
        found = _rotated(found, b)
    return found


def _rotated(found: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The columns without the one direction along b."""
    c = np.sqrt(np.cumsum(b**2))
    seen = c[:-1] > 0  # columns before it, of which the row does not speak, stay as they are
    before, after = np.where(seen, c[:-1], 1.0), np.where(seen, c[1:], 1.0)
    sums = np.cumsum(found[:, :-1] * b[:-1], axis=1)
    turned = sums * (b[1:] / before / after) - found[:, 1:] * (before / after)
    return np.where(seen, turned, found[:, :-1])
