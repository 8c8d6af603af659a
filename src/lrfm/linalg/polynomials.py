# SPDX-License-Identifier: MIT
"""(C₀ + σ C₁ + … + σ^d C_d) v = 0 by its companion: A w = σ B w with w = (v, σv, …) (Gohberg, Lancaster, Rodman, Matrix Polynomials, 1982).

Matrices are given by entries at common rows and columns; rows are divided by their largest entry, since they may have different units.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lrfm.linalg.banded import PatternSolver


def _pair(found: Any) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and vectors, which SciPy returns among other forms."""
    values, vectors = found
    return values, vectors


def _companion(matrices: list, eye, zero) -> tuple[list[list], list[list]]:
    """Blocks of A and B with A w = σ B w,  w = (v, σv, …)."""
    degree = len(matrices) - 1
    left = [[zero] * degree for _ in range(degree)]
    right = [[zero] * degree for _ in range(degree)]
    for k in range(degree - 1):
        left[k][k + 1], right[k][k] = eye, eye
    for k in range(degree):
        left[-1][k] = -matrices[k]
    right[-1][-1] = matrices[-1]
    return left, right


def dense_pairs(rows: np.ndarray, columns: np.ndarray, parts: list, n: int) -> tuple[np.ndarray, np.ndarray]:
    """All eigenvalues, and the first blocks of their vectors."""
    from scipy.linalg import eig

    matrices = []
    for part in parts:
        matrix = np.zeros((n, n))
        np.add.at(matrix, (rows, columns), part)
        matrices.append(matrix)
    # Rows of different units: each is divided by its largest entry.
    scale = np.max([np.max(np.abs(m), axis=1) for m in matrices], axis=0)
    matrices = [m / np.where(scale > 0, scale, 1.0)[:, None] for m in matrices]
    left, right = _companion(matrices, np.eye(n), np.zeros((n, n)))
    with np.errstate(all="ignore"):
        values, vectors = _pair(eig(np.block(left), np.block(right)))
    return values, vectors[:n]


def pairs_near(
    rows: np.ndarray,
    columns: np.ndarray,
    parts: list,
    solver: PatternSolver,
    n: int,
    count: int,
    shift: complex,
) -> tuple[np.ndarray, np.ndarray]:
    """Those nearest to a number τ that is no eigenvalue, and the first blocks of their vectors: Arnoldi's method on (A − τB)⁻¹B.

    With Q_k = C_k + τ C_{k+1} + … the companion is solved by factors of Q₀ = Σ τ^k C_k alone:  −Q₀ v₁ = b_d + Σ_k Q_k b_k,  v_{k+1} = τ v_k + b_k.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

    degree = len(parts) - 1
    scale = np.zeros(n)
    for part in parts:
        np.maximum.at(scale, rows, np.abs(part))
    inverse = (1 / np.where(scale > 0, scale, 1.0))[rows]
    shift = complex(shift) if np.imag(shift) else float(np.real(shift))
    sums = [parts[-1] * inverse]
    for part in reversed(parts[:-1]):
        sums.append(part * inverse + shift * sums[-1])
    sums.reverse()  # Q₀, …, Q_d
    solve = solver.factor(np.ascontiguousarray(sums[0].astype(type(shift))))
    inner = [csr_matrix((q, (rows, columns)), shape=(n, n)) for q in sums[1:]]
    last = csr_matrix((parts[-1] * inverse, (rows, columns)), shape=(n, n))
    dtype = complex if isinstance(shift, complex) else float

    def applied(w: np.ndarray) -> np.ndarray:
        blocks = w.reshape(degree, n)
        right = last @ blocks[-1]
        for k in range(degree - 1):
            right = right + inner[k] @ blocks[k]
        found = [solve(-right.astype(dtype))]
        for k in range(degree - 1):
            found.append(blocks[k] + shift * found[-1])
        return np.concatenate(found)

    size = degree * n
    operator: Any = LinearOperator((size, size), matvec=applied, dtype=dtype)  # type: ignore[call-arg]
    start = np.random.default_rng(0).standard_normal(size).astype(dtype)
    try:
        found, vectors = _pair(eigs(operator, k=min(count, size - 2), v0=start))
    except (
        ArpackNoConvergence
    ) as error:  # those that did are as good as ever; who needs more asks on other cells
        found, vectors = error.eigenvalues, error.eigenvectors
    with np.errstate(all="ignore"):
        return np.asarray(shift + 1 / found), vectors[:n]
