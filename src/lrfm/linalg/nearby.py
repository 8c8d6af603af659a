# SPDX-License-Identifier: MIT
"""A x = b with the factors of another matrix M near A: GMRES on M⁻¹A (Saad, Schultz, SIAM J. Sci. Stat. Comput. 7, 1986)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Apply = Callable[[np.ndarray], np.ndarray]


def krylov(apply: Apply, first: np.ndarray, tolerance: float, most: int) -> tuple[np.ndarray, int]:
    """x with ‖M⁻¹(b − A x)‖ ≤ tolerance ‖M⁻¹b‖ from M⁻¹A as a function and M⁻¹b, and how often the function was called; as near as `most` calls come."""
    size = float(np.linalg.norm(first))
    if size == 0 or not np.isfinite(size):
        return first, 0
    basis = np.empty((most + 1, len(first)), dtype=first.dtype)
    basis[0] = first / size
    hessenberg = np.zeros((most + 1, most), dtype=first.dtype)
    wanted = np.zeros(most + 1, dtype=first.dtype)
    wanted[0] = size
    found, k = np.zeros(0, dtype=first.dtype), 0
    for k in range(1, most + 1):
        new, known = apply(basis[k - 1]), basis[:k]
        for _ in range(2):  # twice is enough
            parts = known.conj() @ new
            hessenberg[:k, k - 1] += parts
            new = new - parts @ known
        hessenberg[k, k - 1] = length = float(np.linalg.norm(new))
        own = hessenberg[: k + 1, :k]
        found = np.linalg.lstsq(own, wanted[: k + 1], rcond=None)[0]
        if np.linalg.norm(wanted[: k + 1] - own @ found) <= tolerance * size or length <= 1e-14 * size:
            break
        basis[k] = new / length
    return found @ basis[: len(found)], k
