# SPDX-License-Identifier: MIT
"""Functions of a sparse matrix G with a real spectrum in (a, b), for many parameters τ at once:

    f_τ(G) w = Σ_k c_k(τ) T_k(X) w,    X = (2G − (a + b) I)/(b − a),    c_k by interpolation at Chebyshev points.

Of cos(τ√G) and its relatives, which are entire, c_k falls faster than any power beyond k = τ√(b − a)/2 (Tal-Ezer, Kosloff, J. Chem. Phys. 81, 1984): as many products with G as an explicit scheme at the limit of its stability has.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Apply = Callable[[np.ndarray], np.ndarray]
Functions = Callable[[np.ndarray], np.ndarray]

VECTORS = 30  # of Arnoldi's method: the largest eigenvalue of six thousand is known to 1e-4 then
ROOM = 0.01  # of the largest Ritz value, beyond it
TOGETHER = 16  # polynomials that are summed up at once: a product of matrices


def spectral_range(apply: Apply, weights: np.ndarray) -> tuple[float, float, float]:
    """The ends of the real parts of all eigenvalues, with room at the upper one, and the largest imaginary part: Ritz values of Arnoldi's method in the norm √Σ w v².

    Where G is symmetric in that norm they come from inside, those at the upper end first; zero is between the ends.
    """
    most, size = min(VECTORS, len(weights)), len(weights)
    vectors, hessenberg = np.empty((size, most + 1), order="F"), np.zeros((most + 1, most))
    # The same vector for the same cells: what is computed depends on nothing else.
    new, left = np.random.default_rng(0).standard_normal(size), 0.0
    for m in range(most + 1):
        for _ in range(2):  # twice is enough
            along = vectors[:, :m].T @ (weights * new)
            new = new - vectors[:, :m] @ along
            if m:
                hessenberg[:m, m - 1] += along
        left = float(np.sqrt(np.sum(weights * new**2)))
        if m == most or not np.isfinite(left) or left == 0:
            most = m
            break
        if m:
            hessenberg[m, m - 1] = left
        vectors[:, m] = new / left
        new = apply(vectors[:, m])
    found = np.linalg.eigvals(hessenberg[:most, :most]) if most else np.zeros(1)
    # No room at the lower end: functions that oscillate above zero grow below, and polynomials beyond an end as little as they do.
    low, high = min(float(np.min(found.real)), 0.0), (1 + ROOM) * float(np.max(np.abs(found)))
    return low, high, float(np.max(np.abs(found.imag)))


def coefficients(functions: Functions, low: float, high: float, degree: int) -> np.ndarray:
    """c_k of functions (x,) → (…, x), to rounding: (…, degree + 1), with as many as they need from some degree on."""
    while True:
        count = 2 * degree
        angle = np.pi * (np.arange(count) + 0.5) / count
        values = functions(0.5 * (low + high) + 0.5 * (high - low) * np.cos(angle))
        found = 2 / count * values @ np.cos(np.outer(angle, np.arange(count)))
        found[..., 0] *= 0.5
        # Sums of so many numbers are not known any better.
        rounding = count * np.finfo(float).eps * np.max(np.abs(values), axis=-1, keepdims=True)
        seen = np.abs(found) > rounding
        last = int(np.max(np.flatnonzero(seen.reshape(-1, count).any(axis=0)), initial=0))
        if last < count - 2:
            return found[..., : last + 1]
        degree *= 2


def sums(apply: Apply, low: float, high: float, vectors: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Σ_j Σ_k c_jk T_k(X) w_j of vectors (n, j) for a table (m, j, k): (n, m)."""
    middle, scale = 0.5 * (low + high), 2 / (high - low)
    shifted = lambda v: scale * (apply(v) - middle * v)  # noqa: E731
    count = table.shape[-1]
    result = np.zeros((len(vectors), len(table)))
    kept: list[np.ndarray] = []
    before, now = np.zeros_like(vectors), vectors
    for k in range(count):
        kept.append(now)
        if len(kept) == TOGETHER or k + 1 == count:
            own = table[:, :, k + 1 - len(kept) : k + 1].transpose(0, 2, 1).reshape(len(table), -1)
            result += np.concatenate(kept, axis=1) @ own.T
            kept = []
        if k + 1 < count:
            before, now = now, (shifted(now) if k == 0 else 2 * shifted(now) - before)
    return result
