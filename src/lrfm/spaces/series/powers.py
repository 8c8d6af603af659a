# SPDX-License-Identifier: MIT
"""1, z, …, z^K of many numbers: the values of Fourier modes at any places."""

from __future__ import annotations

import numpy as np


def powers(z: np.ndarray, highest: int) -> np.ndarray:
    """1, z, …, z^K of numbers: (places, K + 1); each by few products, so that rounding stays small."""
    table = np.empty((len(z), highest + 1), dtype=complex)
    table[:, 0] = 1.0
    done = 1
    while done <= highest:
        more = min(done, highest + 1 - done)
        table[:, done : done + more] = table[:, :more] * (table[:, done - 1] * z)[:, None]
        done += more
    return table
