# SPDX-License-Identifier: MIT
"""How smooth an unknown field is, told by the data: λ, and the order of the prior, maximize the marginal likelihood of y, k ~ N(k₀, (λM)⁻¹).

−2 log p(y | λ) = yᵀy − bᵀ A⁻¹ b + log|A| − Σ_k m_k log λ_k,   A = JᵀJ + Λ,  b = Jᵀy,  y = r + J (c − c₀) the linearized data, whitened.
"""

from __future__ import annotations

import numpy as np

from lrfm.inverse.vector import Vector

RANGE = (-14.0, 14.0)  # of log₁₀ λ, relative to what the data and the prior are in balance at
SWEEPS = 3
ORDERS = (2, 3, 4, 6)  # of the derivatives whose squares are penalized; the data choose one
CONTRADICTED = 3.84  # rise of −2 log p at the ends of an interval of 95 %


def roots(vector: Vector, order: float) -> dict[str, np.ndarray]:
    """R with RᵀR = G (G⁻¹ M)^(order/2) for each field: squares of derivatives of that order instead of the second."""
    found = {}
    for name, field in vector.fields.items():
        rough, plain = field.roughness()
        half = np.linalg.cholesky(plain)
        inverse = np.linalg.inv(half)
        values, vectors = np.linalg.eigh(inverse @ rough @ inverse.T)
        values = np.maximum(values, 1e-14 * values[-1])
        found[name] = (values ** (order / 4))[:, None] * (vectors.T @ half.T)
    return found


def stacked(vector: Vector, roots_of: dict[str, np.ndarray], strengths: dict[str, float]) -> np.ndarray:
    """√λ R of all fields as rows on the whole vector."""
    rows = [np.zeros((0, vector.size))]
    for name, root in roots_of.items():
        block = np.zeros((len(root), vector.size))
        block[:, vector.slice(name)] = np.sqrt(strengths[name]) * root
        rows.append(block)
    return np.concatenate(rows)


class Evidence:
    """−2 log p(y | λ) of whitened slopes and linearized data, as a function of log₁₀ λ relative to a balance of both."""

    def __init__(self, vector: Vector, roots_of: dict[str, np.ndarray], slopes: np.ndarray, y: np.ndarray):
        self.vector, self.roots = vector, roots_of
        self.gram, self.b, self.square = slopes.T @ slopes, slopes.T @ y, float(y @ y)
        places = {name: vector.slice(name) for name in roots_of}
        self.balance = {
            name: _balance(self.gram[places[name], places[name]], root) for name, root in roots_of.items()
        }

    def __call__(self, logs: dict[str, float]) -> float:
        prior, total = np.zeros_like(self.gram), 0.0
        for name, root in self.roots.items():
            strength, place = self.balance[name] * 10.0 ** logs[name], self.vector.slice(name)
            prior[place, place] = strength * root.T @ root
            total -= len(root) * np.log(strength)
        a = self.gram + prior
        scale = 1 / np.sqrt(np.maximum(np.diag(a), 1e-300))
        factor = np.linalg.cholesky(a * np.outer(scale, scale) + 1e-14 * np.eye(len(a)))
        half = np.linalg.solve(factor, scale * self.b)
        logarithm = 2 * np.sum(np.log(np.diag(factor))) - 2 * np.sum(np.log(scale))
        return float(self.square - half @ half + logarithm + total)

    def likeliest(self) -> dict[str, float]:
        """The logarithms with the largest marginal likelihood."""
        logs = dict.fromkeys(self.roots, 0.0)
        for _ in range(SWEEPS if len(logs) > 1 else 1):
            for name in logs:
                logs[name] = _least(lambda v, n=name: self({**logs, n: v}))
        return logs

    def weakest(self, logs: dict[str, float]) -> dict[str, float]:
        """The weakest priors that the data do not contradict at 95 %: bands are made with these.

        Where data see little of a field they hardly know how rough it is either.
        """
        found = dict(logs)
        for name in logs:
            limit, low, high = self(logs) + CONTRADICTED, RANGE[0], logs[name]
            for _ in range(30):
                middle = 0.5 * (low + high)
                low, high = (low, middle) if self({**logs, name: middle}) <= limit else (middle, high)
            found[name] = high
        return found

    def strengths(self, logs: dict[str, float]) -> dict[str, float]:
        """λ of each field."""
        return {name: self.balance[name] * 10.0**v for name, v in logs.items()}


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
