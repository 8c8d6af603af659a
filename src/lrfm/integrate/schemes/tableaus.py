# SPDX-License-Identifier: MIT
"""Collocation in time with K stages: a_m(t) is a polynomial of degree K on each step.

y(t₀ + cᵢh) = y₀ + h Σ_j A_ij y'(t₀ + c_j h),   A_ij = ∫₀^{cᵢ} ℓ_j,   ℓ_j the Lagrange polynomials of the nodes.

Radau IIA (order 2K − 1, the last node is the end) damps what is fast; Gauss (order 2K) conserves. With A = S diag(λ) S⁻¹
the linear system of all stages splits into one per eigenvalue, and conjugate eigenvalues share theirs. `PlainSteps` is what schemes have in common unless they say otherwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from lrfm.discretize.options import ROUNDING
from lrfm.integrate.state import IntegratorState
from lrfm.rows.in_time import integrals

TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True)
class Scheme:
    """Nodes c, matrix A, weights b, and what transforms between values at nodes and Legendre coefficients."""

    name: str
    nodes: np.ndarray
    matrix: np.ndarray
    weights: np.ndarray
    eigenvalues: np.ndarray  # one of each conjugate pair
    vectors: np.ndarray  # columns of S for them
    inverse: np.ndarray  # rows of S⁻¹ for them
    to_legendre: np.ndarray

    @cached_property
    def stages(self) -> int:
        return len(self.nodes)

    @property
    def words(self) -> str:
        return f"{self.name}, {self.stages} stages"

    def split(self, residual: np.ndarray) -> np.ndarray:
        """S⁻¹ r along the stages: one right-hand side per eigenvalue."""
        return self.inverse @ residual

    def join(self, parts: np.ndarray) -> np.ndarray:
        """S z along the stages, with the conjugate eigenvalues' parts added: real."""
        return np.real(self._doubled @ parts)

    @cached_property
    def _doubled(self) -> np.ndarray:
        """Columns of S, doubled for conjugate pairs."""
        return self.vectors * np.where(np.imag(self.eigenvalues) != 0, 2.0, 1.0)

    def lagrange(self, at: np.ndarray) -> np.ndarray:
        """ℓ_j(τ) = Π_{i≠j} (τ − cᵢ)/(c_j − cᵢ) at places of the step (0 … 1, or beyond): (places, stages)."""
        apart, own = at[:, None, None] - self.nodes, np.arange(self.stages)
        apart = np.repeat(apart, self.stages, axis=1)
        apart[:, own, own] = 1.0
        return np.multiply.reduce(apart, axis=2) * self._barycentric

    @cached_property
    def _barycentric(self) -> np.ndarray:
        """1/Π_{i≠j} (c_j − cᵢ)."""
        apart = self.nodes[:, None] - self.nodes
        np.fill_diagonal(apart, 1.0)
        return 1.0 / np.prod(apart, axis=1)

    @cached_property
    def taylor(self) -> np.ndarray:
        """p^(k)(1)/k! for k < K of the polynomial through values at the nodes, for a step of length one: (orders, stages)."""
        found, left = [], self.to_legendre
        for k in range(self.stages):
            found.append(legendre.legval(1.0, left) / math.factorial(k))
            left = 2 * legendre.legder(left, axis=0)
        return np.stack(found)

    def beyond(self, rates: np.ndarray, reach: float) -> np.ndarray:
        """p^(k)(1)/k! of the polynomial through rates (stages, components, …), without those by which it is no guess any more at 1 + reach.

        What is left out after the order m is about the next term. Terms that grow, as those of a transient that a step has crossed do, say nothing about what follows: of each component so many are kept that the
        next one is the smallest, as in a series that converges asymptotically; beyond the last one they go on as they did.
        """
        terms = (self.taylor @ rates.reshape(len(rates), -1)).reshape(*rates.shape[:2], -1)
        if self.stages == 1:
            return terms.reshape(rates.shape)
        orders = np.arange(self.stages)
        sizes = np.empty((self.stages + 1, terms.shape[1]))
        np.sqrt(np.einsum("kcs,kcs->kc", terms, terms), out=sizes[:-1])
        sizes[:-1] *= (reach**orders)[:, None]
        sizes[-1] = sizes[-2] * (sizes[-2] / np.maximum(np.maximum(sizes[-2], sizes[-3]), TINY))
        terms[orders[:, None] > sizes[1:].argmin(axis=0)] = 0.0
        return terms.reshape(rates.shape)

    def extended(self, rates: np.ndarray, at: np.ndarray) -> np.ndarray:
        """The polynomial through rates at the nodes, at other places of the step (0 … 1, or beyond)."""
        return self.lagrange(at) @ rates


def legendre_table(z: np.ndarray, count: int) -> np.ndarray:
    """P₀, P₁, … at places, (places, count):  (k + 1) P_{k+1} = (2k + 1) z P_k − k P_{k−1}."""
    table = np.ones((len(z), count))
    table[:, 1:2] = z[:, None]
    for k in range(1, count - 1):
        table[:, k + 1] = ((2 * k + 1) * z * table[:, k] - k * table[:, k - 1]) / (k + 1)
    return table


@lru_cache(maxsize=32)
def radau(stages: int) -> Scheme:
    """Radau IIA: zeros of P_K − P_{K−1}, shifted to (0, 1]."""
    polynomial = np.zeros(stages + 1)
    polynomial[stages], polynomial[stages - 1] = 1.0, -1.0
    nodes = np.sort(legendre.legroots(polynomial).real)
    nodes[-1] = 1.0
    return _scheme("Radau", stages, (1 + nodes) / 2)


@lru_cache(maxsize=32)
def gauss(stages: int) -> Scheme:
    """Gauss: zeros of P_K, shifted to (0, 1)."""
    return _scheme("Gauss", stages, (1 + np.sort(legendre.leggauss(stages)[0])) / 2)


def _scheme(name: str, stages: int, nodes: np.ndarray) -> Scheme:
    to_legendre = np.linalg.inv(legendre.legvander(2 * nodes - 1, stages - 1))
    matrix = integrals(stages, nodes) @ to_legendre
    weights = (integrals(stages, np.ones(1)) @ to_legendre)[0]
    values, vectors = np.linalg.eig(matrix)
    values = np.where(np.abs(np.imag(values)) < ROUNDING.sums, np.real(values) + 0j, values)
    upper = np.imag(values) >= 0
    inverse = np.linalg.inv(vectors)
    return Scheme(name, nodes, matrix, weights, values[upper], vectors[:, upper], inverse[upper], to_legendre)


class PlainSteps:
    """The parts of `TimeScheme` beside the step itself."""

    def longest(self, made: Any, state: IntegratorState) -> float:
        """None: implicit and exponential steps may be of any length."""
        return math.inf

    def beside(self, made: Any, length: float, gain: float, stages: int) -> float:
        """h₁ g^(−1/(K + 1)): the error in time of a step is O(h^(K+1))."""
        return length * gain ** (-1 / (stages + 1))

    def quantized(self, length: float) -> float:
        """Any step size: no matrices are kept by it."""
        return length

    def kept(self, rates: np.ndarray) -> np.ndarray:
        """All of them, in all digits."""
        return rates

    def middle(self, state: IntegratorState, length: float) -> tuple[float, np.ndarray, np.ndarray]:
        """The state itself: nothing is linearized elsewhere."""
        return state.time, state.y, state.z

    def begun(
        self, made: Any, start: np.ndarray, rates: np.ndarray, length: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """As it is: algebraic unknowns are consistent from the start, or there are none."""
        return start, rates
