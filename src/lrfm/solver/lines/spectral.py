# SPDX-License-Identifier: MIT
"""q' = G q + f solved by the eigenvectors of G: exact in time, whatever the time.

q(τ) = Σ_j p_j τʲ + Re Σ_k v_k e^{λ_k τ}.   Eigenvalues with |λ|T ≪ 1, which may lack eigenvectors (a wave that drifts), are
taken together as an invariant subspace S (ordered Schur form, Sylvester's equation), where e^{Gτ} is a short power series.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial

import numpy as np

from lrfm.linalg.clock import EIGENVALUES, look_before
from lrfm.linalg.room import reserve
from lrfm.rows.exponentials import STEEPEST
from lrfm.solver.lines.generator import Generator

SLOW = 1e-2  # |λ|T below which an eigenvalue is a part of the power series
TERMS = 24  # of this series, at most
FADED = 1e-18


@dataclass(frozen=True)
class Modes:
    """p_j (J, n), λ_k and v_k (modes, n), one of each conjugate pair; `noise` is what rounding makes of them, relative."""

    powers: np.ndarray
    rates: np.ndarray
    vectors: np.ndarray
    noise: float

    def at(self, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q and q' at times: (times, n) each."""
        waves = np.exp(tau[:, None] * self.rates)
        q, rate = np.real(waves @ self.vectors), np.real((waves * self.rates) @ self.vectors)
        for j, p in enumerate(self.powers):
            q += tau[:, None] ** j * p
            if j:
                rate += j * tau[:, None] ** (j - 1) * p
        return q, rate


def modes(made: Generator, q0: np.ndarray, duration: float) -> Modes | None:
    """The solution from q(0) = q0, or None where the eigenvectors do not make a basis."""
    found = decomposed(made, duration)
    return None if found is None else found.response(q0, made.source)


@dataclass(frozen=True)
class Decomposed:
    """G as a slow and a fast part, with eigenvalues λ and eigenvectors W of the latter: what serves all starts and sources alike."""

    slow: _Part
    fast: _Part
    values: np.ndarray
    right: np.ndarray  # R W
    inverse: np.ndarray  # W⁻¹
    defect: np.ndarray  # what rounding has done to each eigenvalue
    duration: float

    def response(self, q0: np.ndarray, f: np.ndarray) -> Modes | None:
        """The solution of q' = G q + f from q(0) = q0; None where the power series does not end."""
        values, duration = self.values, self.duration
        powers = _series(self.slow, q0, f, duration)
        if powers is None:
            return None
        driven = self.inverse @ (self.fast.left @ f) / values
        amplitudes = self.inverse @ (self.fast.left @ q0) + driven
        vectors = self.right.T * amplitudes[:, None]
        powers[0] -= np.real(self.right @ driven)
        longest = np.minimum(duration, 1.0 / np.maximum(np.abs(np.real(values)), 1e-300))
        sizes = np.linalg.norm(vectors, axis=1) * np.exp(np.maximum(np.real(values), 0) * duration)
        noise = float(np.linalg.norm(sizes * self.defect * longest) + 2e-16 * np.sum(sizes)) / max(
            float(np.linalg.norm(q0)), 1e-300
        )
        upper = np.imag(values) >= 0
        double = np.where(np.imag(values) > 0, 2.0, 1.0)
        return Modes(powers, values[upper], (double[:, None] * vectors)[upper], noise)


def decomposed(made: Generator, duration: float) -> Decomposed | None:
    """The eigenvectors of G; None where they do not make a basis, or something grows beyond all numbers."""
    try:
        slow, fast, values, w = _separated(made.matrix, duration)
        inverse = np.linalg.inv(w)
    except (np.linalg.LinAlgError, ValueError):
        return None
    if np.max(np.real(values), initial=0.0) * duration > STEEPEST:
        return None
    # Rayleigh's quotients are better than the eigenvalues by one order: their distance is what rounding has done.
    better = np.einsum("kn,nk->k", inverse @ fast.matrix, w)
    return Decomposed(slow, fast, values, fast.right @ w, inverse, np.abs(better - values), duration)


@dataclass(frozen=True)
class _Part:
    """An invariant subspace: q = R p,  p' = M p,  p = L q."""

    matrix: np.ndarray
    left: np.ndarray
    right: np.ndarray


def _separated(g: np.ndarray, duration: float) -> tuple[_Part, _Part, np.ndarray, np.ndarray]:
    """The slow subspace and the fast one, with eigenvalues and eigenvectors of the latter."""
    size = len(g)
    look_before(EIGENVALUES * size**3)
    reserve(8.0 * size**2)
    values, w = np.linalg.eig(g)
    values, w = values.astype(complex), w.astype(complex)
    if not np.any(np.abs(values) * duration < SLOW):
        none = _Part(np.zeros((0, 0)), np.zeros((0, size)), np.zeros((size, 0)))
        return none, _Part(g, np.eye(size), np.eye(size)), values, w
    from scipy.linalg import schur, solve_sylvester  # takes 0.2 s, and few solves need it

    t, z, count = schur(  # pyright: ignore[reportAssignmentType]
        g, sort=lambda re, im: np.hypot(re, im) * duration < SLOW
    )
    a, b, c = t[:count, :count], t[count:, count:], t[:count, count:]
    x = solve_sylvester(a, -b, -c)
    first, second = z[:, :count], z[:, count:]
    slow, fast = _Part(a, first.T - x @ second.T, first), _Part(b, second.T, first @ x + second)
    values, w = np.linalg.eig(b)
    return slow, fast, values.astype(complex), w.astype(complex)


def _series(part: _Part, q0: np.ndarray, f: np.ndarray, duration: float) -> np.ndarray | None:
    """p_j = Mʲ p/j! + Mʲ⁻¹ L f/j!, as far as they count within the duration: (J, n), at least one row."""
    p, source = part.left @ q0, part.left @ f
    found = [part.right @ p]
    term = part.matrix @ p + source
    largest = float(np.linalg.norm(q0))
    for j in range(1, TERMS):
        row = part.right @ term / factorial(j)
        size = float(np.linalg.norm(row)) * duration**j
        if size <= FADED * largest:
            return np.array(found)
        largest = max(largest, size)
        found.append(row)
        term = part.matrix @ term
    return None
