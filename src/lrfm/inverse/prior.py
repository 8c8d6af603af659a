# SPDX-License-Identifier: MIT
"""How smooth an unknown field is, told by the data: λ maximizes the marginal likelihood of y given k ~ N(k₀, (λM)⁻¹).

−2 log p(y | λ) = yᵀy − bᵀ A⁻¹ b + log|A| − Σ_k m_k log λ_k,   A = JᵀJ + Λ,  b = Jᵀy,  y = r + J (c − c₀) the linearized data, whitened.
"""

from __future__ import annotations

import numpy as np

from lrfm.inverse.vector import Vector

RANGE = (-14.0, 14.0)  # of log₁₀ λ, relative to what the data and the prior are in balance at
SWEEPS = 3


def roots(vector: Vector) -> dict[str, np.ndarray]:
    """R with RᵀR = M for each field."""
    found = {}
    for name, field in vector.fields.items():
        values, vectors = np.linalg.eigh(field.roughness())
        found[name] = np.sqrt(np.maximum(values, 1e-14 * values[-1]))[:, None] * vectors.T
    return found


def stacked(vector: Vector, roots_of: dict[str, np.ndarray], strengths: dict[str, float]) -> np.ndarray:
    """√λ R of all fields as rows on the whole vector."""
    rows = [np.zeros((0, vector.size))]
    for name, root in roots_of.items():
        block = np.zeros((len(root), vector.size))
        block[:, vector.slice(name)] = np.sqrt(strengths[name]) * root
        rows.append(block)
    return np.concatenate(rows)


def strongest(
    vector: Vector, roots_of: dict[str, np.ndarray], slopes: np.ndarray, y: np.ndarray, before: dict[str, float] | None
) -> dict[str, float]:
    """The λ of each field with the largest marginal likelihood; whitened slopes and linearized data are given."""
    gram, b = slopes.T @ slopes, slopes.T @ y
    balance = {name: _balance(gram[vector.slice(name), vector.slice(name)], root) for name, root in roots_of.items()}
    logs = {name: 0.0 if before is None else float(np.log10(before[name] / balance[name])) for name in roots_of}

    def misfit(trial: dict[str, float]) -> float:
        prior = np.zeros_like(gram)
        total = 0.0
        for name, root in roots_of.items():
            strength = balance[name] * 10.0 ** trial[name]
            place = vector.slice(name)
            prior[place, place] = strength * root.T @ root
            total -= len(root) * np.log(strength)
        a = gram + prior
        scale = 1 / np.sqrt(np.maximum(np.diag(a), 1e-300))
        factor = np.linalg.cholesky(a * np.outer(scale, scale) + 1e-14 * np.eye(len(a)))
        half = np.linalg.solve(factor, scale * b)
        return float(y @ y - half @ half + 2 * np.sum(np.log(np.diag(factor))) - 2 * np.sum(np.log(scale)) + total)

    for _ in range(SWEEPS if len(roots_of) > 1 else 1):
        for name in roots_of:
            logs[name] = _least(lambda v, n=name: misfit({**logs, n: v}))
    return {name: balance[name] * 10.0 ** logs[name] for name in roots_of}


def _balance(gram: np.ndarray, root: np.ndarray) -> float:
    """Where the data and the prior weigh alike."""
    return float(np.trace(gram) / max(np.trace(root.T @ root), 1e-300)) or 1.0


def _least(function) -> float:
    """The minimum of a function of log₁₀ λ, on grids that become finer."""
    low, high = RANGE
    for _ in range(4):
        grid = np.linspace(low, high, 15)
        values = [function(v) for v in grid]
        best = int(np.argmin(values))
        width = grid[1] - grid[0]
        low, high = grid[best] - width, grid[best] + width
    return float(0.5 * (low + high))
