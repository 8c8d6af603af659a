# SPDX-License-Identifier: MIT
"""A x = b with the factors of another matrix M near A: GMRES on M⁻¹A (Saad, Schultz, SIAM J. Sci. Stat. Comput. 7, 1986).

For A = B₀ + sB₁ and M = B₀ + s₀B₁ with a positive pencil all eigenvalues of M⁻¹A lie between 1 and s/s₀, so that a few solutions with M take the place of new factors.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lrfm.linalg.banded import Solve

Apply = Callable[[np.ndarray], np.ndarray]


def krylov(
    apply: Apply, nearby: Solve, right: np.ndarray, tolerance: float, most: int
) -> tuple[np.ndarray, int]:
    """x with ‖M⁻¹(b − A x)‖ ≤ tolerance ‖M⁻¹b‖, and the number of solutions with M; as near as `most` of them come."""
    first = nearby(right)
    size = float(np.linalg.norm(first))
    if size == 0 or not np.isfinite(size):
        return first, 1
    basis = [first / size]
    hessenberg = np.zeros((most + 1, most), dtype=first.dtype)
    found = np.zeros(0, dtype=first.dtype)
    for k in range(most):
        new = nearby(apply(basis[k]))
        for _ in range(2):  # twice is enough
            for j, q in enumerate(basis):
                part = np.vdot(q, new)
                hessenberg[j, k] += part
                new = new - part * q
        hessenberg[k + 1, k] = length = float(np.linalg.norm(new))
        wanted = np.zeros(k + 2, dtype=first.dtype)
        wanted[0] = size
        own = hessenberg[: k + 2, : k + 1]
        found = np.linalg.lstsq(own, wanted, rcond=None)[0]
        if np.linalg.norm(wanted - own @ found) <= tolerance * size or length <= 1e-14 * size:
            break
        basis.append(new / length)
    return np.array(basis[: len(found)]).T @ found, len(found) + 1
