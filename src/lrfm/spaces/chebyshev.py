# SPDX-License-Identifier: MIT
"""Chebyshev polynomials by products: T_{m+j} = 2 T_m T_j − T_{m−j}, so that every pass doubles how many are known."""

from __future__ import annotations

import numpy as np


def chebyshev(z: np.ndarray, count: int) -> np.ndarray:
    """T₀, T₁, … at places, one row each, outside of [−1, 1], too: (count, places)."""
    table = np.empty((max(count, 2), len(z)))
    table[0], table[1] = 1.0, z
    known = 1  # the last of them
    while known + 1 < count:
        more = min(known, count - 1 - known)
        part = table[known + 1 : known + more + 1]
        np.multiply(table[1 : more + 1], 2 * table[known], out=part)
        part -= table[known - more : known][::-1]
        known += more
    return table[:count]
