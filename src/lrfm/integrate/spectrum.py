# SPDX-License-Identifier: MIT
"""Eigenvalues of a linearized statement on cells:  (C₀ + σ C₁ + σ² C₂ + …) v = 0.

The matrices are the rows of `CellCollocation`, sorted by the power of σ: of d/dt in an evolution, where v(x) e^{σt} solves it near a steady
state, or of a number in a steady statement. Conditions and joints are rows without σ; they make infinite eigenvalues, which are left out. A
polynomial in σ is made linear by its companion (Gohberg, Lancaster, Rodman, Matrix Polynomials, 1982).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.discretize.collocation import CellCollocation
from lrfm.discretize.options import STEADY
from lrfm.integrate.stationary import CellEquations

Entries = tuple[np.ndarray, np.ndarray, list[np.ndarray]]


@dataclass(frozen=True)
class Eigenpairs:
    """Eigenvalues, and the coefficients of their functions (pairs, fields, cells, size)."""

    values: np.ndarray
    functions: np.ndarray


def by_time(made: CellCollocation, y: np.ndarray) -> Entries:
    """C_l from derivatives of order l in time, linearized at a state (components, cells, size)."""
    system = made.system
    pencil = made.linearize(system.problem.time[0], y, np.zeros_like(y))
    order = np.zeros(made.size, dtype=int)
    for i, field in enumerate(system.fields):
        order[made.numbers.columns_of[i].ravel()] = max(1, system.orders[field])
    powers = range(system.top_power + 1)
    levels = [order[made.columns] - (power + made.lowest[made.rows]) for power in powers]
    # Joints and conditions of a chain speak of its last component: a factor σ that all their entries have is none of theirs.
    common = np.full(made.size, len(powers))
    for power, level in zip(powers, levels, strict=True):
        there = pencil.entries(power) != 0
        np.minimum.at(common, made.rows[there], level[there])
    for rows in made.numbers.rows_of.values():
        common[rows.ravel()] = 0
    found = [np.zeros(len(made.rows)) for _ in powers]
    for power, level in zip(powers, levels, strict=True):
        for number in powers:
            found[number] += np.where(level - common[made.rows] == number, pencil.entries(power), 0.0)
    return made.rows, made.columns, found


def by_number(samples: Sequence[CellEquations], at: Sequence[float], u: np.ndarray) -> Entries:
    """C_p of a statement that is a polynomial in a number, from its matrices at as many values of it."""
    rows, columns, _ = samples[0].matrix(u)
    values = np.stack([equations.matrix(u)[2] for equations in samples])
    powers = np.asarray(at)[:, None] ** np.arange(len(at))
    return rows, columns, list(np.linalg.solve(powers, values))


def eigenpairs(made: CellCollocation, entries: Entries, count: int, near: complex | None) -> Eigenpairs:
    """The `count` eigenvalues nearest to a number, or those with the largest real parts."""
    rows, columns, parts = entries
    largest = max(float(np.max(np.abs(part), initial=0.0)) for part in parts)
    while len(parts) > 2 and np.max(np.abs(parts[-1])) <= STEADY.null * largest:
        parts = parts[:-1]
    degree, n = len(parts) - 1, made.size
    if degree * n <= STEADY.largest or near is None:
        values, vectors = _dense(rows, columns, parts, n)
    else:
        values, vectors = _sparse(rows, columns, parts, n, count, near)
    good = np.isfinite(values) & (np.abs(values) < 1 / STEADY.null)
    values, vectors = values[good], vectors[:, good]
    order = np.argsort(-np.real(values) if near is None else np.abs(values - near), kind="stable")
    return Eigenpairs(values[order], made.scatter(vectors[:, order].T))


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


def _dense(rows: np.ndarray, columns: np.ndarray, parts: list, n: int) -> tuple[np.ndarray, np.ndarray]:
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
        values, vectors = eig(np.block(left), np.block(right))
    return values, vectors[:n]


def _sparse(
    rows: np.ndarray, columns: np.ndarray, parts: list, n: int, count: int, near: complex
) -> tuple[np.ndarray, np.ndarray]:
    """Arnoldi's method on (A − τB)⁻¹B, τ beside the number that is looked at."""
    from scipy.sparse import bmat, csc_matrix, eye
    from scipy.sparse.linalg import LinearOperator, eigs, splu

    matrices = [csc_matrix((part, (rows, columns)), shape=(n, n)) for part in parts]
    scale = np.max([abs(m).max(axis=1).toarray().ravel() for m in matrices], axis=0)
    inverse = csc_matrix((1 / np.where(scale > 0, scale, 1.0), (np.arange(n), np.arange(n))), shape=(n, n))
    matrices = [inverse @ m for m in matrices]
    left, right = _companion(matrices, eye(n), csc_matrix((n, n)))
    a, b = csc_matrix(bmat(left)), csc_matrix(bmat(right))
    shift = complex(near) + STEADY.beside * max(abs(near), 1.0)
    solve = splu(csc_matrix(a - shift * b)).solve
    operator = LinearOperator(a.shape, lambda v: solve(b @ v), dtype=complex)
    start = np.random.default_rng(0).standard_normal(a.shape[0]) + 0j
    found, vectors = eigs(operator, k=min(count + STEADY.spare, a.shape[0] - 2), v0=start)
    with np.errstate(all="ignore"):
        return shift + 1 / found, vectors[:n]
