# SPDX-License-Identifier: MIT
"""A x = b with the factors of another matrix M near A: GMRES on M⁻¹A (Saad, Schultz, SIAM J. Sci. Stat. Comput. 7, 1986).

Several matrices A_k = c_k M + (1 − c_k) B share one space, that of K = M⁻¹B and all of their right sides (block GMRES, Saad, Iterative Methods for Sparse Linear Systems, 2003, section 6.12):
M⁻¹A_k = c_k I + (1 − c_k) K, and each takes from it what is nearest. Right sides that are much alike then help each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lrfm.linalg.deadline import check_deadline

Apply = Callable[[np.ndarray], np.ndarray]


def krylov(
    apply: Apply, first: np.ndarray, tolerance: float, most: int, patience: int | None = None
) -> tuple[np.ndarray, int]:
    """x with ‖M⁻¹(b − A x)‖ ≤ tolerance ‖M⁻¹b‖ from M⁻¹A as a function and M⁻¹b, and how often the function was called; as near as `most` calls come.

    From `patience` calls on it ends, as after `most`, where digits come too slowly for all of them to be there by then.
    """
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
        check_deadline()
        new, known = apply(basis[k - 1]), basis[:k]
        for _ in range(2):  # twice is enough
            parts = known.conj() @ new
            hessenberg[:k, k - 1] += parts
            new = new - parts @ known
        hessenberg[k, k - 1] = length = float(np.linalg.norm(new))
        own = hessenberg[: k + 1, :k]
        found = np.linalg.lstsq(own, wanted[: k + 1], rcond=None)[0]
        left = float(np.linalg.norm(wanted[: k + 1] - own @ found)) / size
        if left <= tolerance or length <= 1e-14 * size:
            break
        if patience is not None and k >= patience and left ** (most / k) > tolerance:
            return found @ basis[: len(found)], most
        basis[k] = new / length
    return found @ basis[: len(found)], k


def shared_krylov(
    apply: Apply, firsts: Sequence[np.ndarray], ratios: Sequence[complex], tolerance: float, most: int
) -> tuple[list[np.ndarray], bool]:
    """x_k with ‖g_k − (c_k I + (1 − c_k) K) x_k‖ ≤ tolerance ‖g_k‖ from K as a real function of columns, g_k = `firsts` and c_k = `ratios`, real or complex; and whether all are as near as that after `most` calls."""
    sizes = [float(np.linalg.norm(g)) for g in firsts]
    parts = [part for g in firsts for part in ((np.real(g), np.imag(g)) if np.iscomplexobj(g) else (g,))]
    basis, first = _orthonormal(np.column_stack(parts), max(sizes))
    steps = [basis]
    hessenberg = np.zeros((basis.shape[1], 0))
    found: list[np.ndarray] = [np.zeros(0)] * len(firsts)
    done = not basis.shape[1]
    for _ in range(most if not done else 0):
        check_deadline()
        new, known = apply(steps[-1]), basis
        columns = np.zeros((known.shape[1], new.shape[1]))
        scale = float(np.linalg.norm(new))
        for _ in range(2):  # twice is enough
            along = known.T @ new
            columns += along
            new = new - known @ along
        more, below = _orthonormal(new, scale)
        hessenberg = np.block(
            [[hessenberg, columns], [np.zeros((more.shape[1], hessenberg.shape[1])), below]]
        )
        wide = hessenberg.shape[1]
        unit, place, done = np.eye(len(hessenberg), wide), 0, True
        for k, (g, c) in enumerate(zip(firsts, ratios, strict=True)):
            own = first[:, place] if not np.iscomplexobj(g) else first[:, place] + 1j * first[:, place + 1]
            place += 2 if np.iscomplexobj(g) else 1
            wanted = np.concatenate([own, np.zeros(len(hessenberg) - len(own))])
            small = c * unit + (1 - c) * hessenberg
            found[k], left = _nearest(small, wanted)
            done &= left <= tolerance * sizes[k]
        if done or not more.shape[1]:
            done = True
            break
        steps.append(more)
        basis = np.column_stack([basis, more])
    return [basis[:, : len(x)] @ x if len(x) else g for x, g in zip(found, firsts, strict=True)], done


def _nearest(matrix: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, float]:
    """x with the least ‖b − A x‖, and that, for a small matrix of full rank."""
    from scipy.linalg import get_lapack_funcs

    (gels,) = get_lapack_funcs(("gels",), (matrix, right))
    found = gels(matrix, right)[1]
    wide = matrix.shape[1]
    return found[:wide], float(np.linalg.norm(found[wide:]))


def _orthonormal(columns: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Q and R of columns = Q R, without what is rounding beside a scale."""
    from scipy.linalg import qr

    found: Any = qr(columns, mode="economic", pivoting=True)
    q, r, order = found
    rank = int(np.sum(np.abs(np.diag(r)) > 1e-13 * scale))
    back = np.empty_like(r)
    back[:, order] = r
    return q[:, :rank], back[:rank]
