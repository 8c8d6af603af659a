# SPDX-License-Identifier: MIT
"""Linear waves that stay the same, on many cells:  B₀ y″ + B₂ y + f = 0,  or  B₀ y′ + B₁ y + f = 0,  exactly in time, without any factorization.

With G = B₀⁻¹B₂, v = y′ and w = y″ at the start of a step, w = −B₀⁻¹(B₂ y + f),

    y(τ) = y + φ(τ) w + σ(τ) v,    y′(τ) = σ(τ) w + κ(τ) v,    κ = cos(τ√G),   σ = sin(τ√G)/√G,   φ = (1 − cos(τ√G))/G,

which are entire functions of G: sums of Chebyshev polynomials, h√λ/2 of them and some more for a step h with λ the largest eigenvalue (`lrfm.linalg.chebyshev`). A step is kept as the polynomial through K nodes; what it
misses between them is all of its error, and nothing of it is carried on. Where so many products cost more than factors do, or eigenvalues are not real, Radau IIA with the same nodes takes the step.

What is of first order in time, as transport is, has y″ = −D y′ with D = B₀⁻¹B₁: the same with G = −D², v = −B₀⁻¹(B₁ y + f) and w = −D v, in as many products as explicit stages at the limit of their stability, whose errors it
does not have. Eigenvalues of D with real parts are waves of G that grow, and limit steps: products are not larger than e of what they come to.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lrfm.integrate.schemes.radau import Iteration, Radau, StepResult
from lrfm.integrate.schemes.tableaus import PlainSteps, Scheme, radau
from lrfm.integrate.state import IntegratorState
from lrfm.linalg.chebyshev import coefficients, sums
from lrfm.rows.in_time import integrals


class Oscillations(PlainSteps):
    """Steps of any length; what is computed depends on the state and the step size alone."""

    def __init__(self, stages: int):
        self.scheme: Scheme = radau(stages)
        self._otherwise = Radau(stages)
        # Between the nodes, and before the first one.
        edges = np.concatenate([[0.0], self.scheme.nodes])
        self._between = 0.5 * (edges[1:] + edges[:-1])

    def longest(self, made: Any, state: IntegratorState) -> float:
        """That in which nothing grows by more than e; second order in time has no limit."""
        if made.system.links:
            return math.inf
        low, _, aside = made.linearize(state.time, state.y, state.z).oscillations
        fastest = max(aside, -low)
        return 1 / math.sqrt(fastest) if fastest > 0 else math.inf

    def step(
        self,
        made: Any,
        pencil: Any,
        state: IntegratorState,
        length: float,
        iteration: Iteration,
    ) -> StepResult:
        """One attempt."""
        scheme, system = self.scheme, made.system
        low, high, aside = pencil.oscillations
        chain = int(bool(system.links))
        degree = 0.5 * length * np.sqrt(high - low)
        # Eigenvalues beside the real axis make polynomials grow by exp(τ√|Im λ|) at the most.
        if length**2 * aside > 1 or not pencil.explicit(degree, (scheme.stages + 1) // 2):
            return self._otherwise.step(made, pencil, state, length, iteration)
        last = np.array(system.last)
        rates = np.zeros_like(state.y)
        if chain:
            rates[last - 1] = state.y[last]
        rows = made.residual(np.array([state.time]), state.y[None], rates[None])[0]
        told = made.lowest > 0
        jumps = made.scatter(pencil.rates(np.where(told, rows, 0.0)))[None]
        if np.any(told) and iteration.norm(jumps) > iteration.goal:
            # Data that contradict conditions come to them in an instant.
            return self._otherwise.step(made, pencil, state, length, iteration)
        bent = pencil.rates(np.where(told, 0.0, -rows))
        places = length * np.concatenate([scheme.nodes, self._between])
        table = coefficients(lambda x: _waves(places, x), low, high, int(degree) + 1)
        # (y or y′, place) by (w or v, polynomial)
        table = table.transpose(0, 2, 1, 3).reshape(2 * len(places), 2, -1)
        if chain:
            columns = pencil.turned(np.column_stack([bent, made.gather(state.y[last])]))
        else:
            moved = pencil.turned(bent[:, None])
            columns = np.column_stack([pencil.bent(moved), moved])
        found = pencil.returned(sums(pencil.acceleration, low, high, columns, table))
        if not np.all(np.isfinite(found)):
            return StepResult.failed(1, np.inf)
        own = made.scatter(found.T).reshape(2, len(places), *state.y[last].shape)
        parts = np.zeros((len(places), *state.y.shape))
        parts[:, last - chain] = own[0]
        if chain:
            parts[:, last] = own[1] - state.y[last]
        at_nodes, between = parts[: scheme.stages], parts[scheme.stages :]
        slopes = np.tensordot(np.linalg.inv(length * scheme.matrix), at_nodes, axes=1)
        taken = length * integrals(scheme.stages, self._between) @ scheme.to_legendre
        missed = between - np.tensordot(taken, slopes, axes=1)
        mean = np.sqrt(np.mean(missed**2, axis=0))
        # The end is exact, and within a step it is u that is kept, not u_t, whose short waves are larger by their frequency.
        if chain:
            mean[last] = 0.0
        values = state.y + at_nodes
        squares = length * scheme.weights @ made.norms(values) ** 2
        return StepResult(True, slopes, values[-1], np.zeros_like(mean), mean, 1, 0.0, squares, exact=True)


def _waves(places: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(φ, σ) and (σ, κ) at times for eigenvalues x of G, (2, 2, times, x); those of x < 0 grow."""
    root = np.sqrt(np.abs(x)) * places[:, None]
    with np.errstate(over="ignore"):
        near = np.where(x >= 0, np.cos(root), np.cosh(root))
        along = places[:, None] * _over(root, x)
        half = 0.5 * places[:, None] ** 2 * _over(0.5 * root, x) ** 2
    return np.array([[half, along], [along, near]])


def _over(root: np.ndarray, x: np.ndarray) -> np.ndarray:
    """sin r/r, or sinh r/r where x < 0."""
    safe = np.where(root == 0, 1.0, root)
    return np.where(root == 0, 1.0, np.where(x >= 0, np.sin(safe), np.sinh(safe)) / safe)
