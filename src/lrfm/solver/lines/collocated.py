# SPDX-License-Identifier: MIT
"""q' = G q + f by collocation: the stages of a step are linear systems (I − hλG) z = r, and no point is looked at.

Steps follow the decay of the Legendre coefficients of q', as those of the march do. Once they stay equal, all that are left are
taken at once: q_{i+1} = E q_i + e, and the states i = m … 2m − 1 are those of i = 0 … m − 1, times Eᵐ. Where nothing is damped,
|Re λ| T ≤ 1 for all eigenvalues of G, these are Gauss' steps: they conserve what the equations conserve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.integrate.schemes import Scheme, gauss
from lrfm.linalg.clock import look
from lrfm.linalg.lapack import lu_factor, lu_solve
from lrfm.solver.lines.generator import Generator
from lrfm.solver.lines.spectral import Decomposed

SAME = 12  # equal steps after which the others are taken at once
LARGEST = 30_000_000  # numbers of all steps together
MOST = 4000  # steps of different lengths
REFINED = 1  # corrections of the stages for rounding
UNDAMPED = 1.0  # |Re λ| T


@dataclass(frozen=True)
class Run:
    """Steps of one scheme: edges (N + 1), states (N + 1, n), rates at the stages (N, K, n)."""

    scheme: Scheme
    edges: np.ndarray
    states: np.ndarray
    rates: np.ndarray


class _Factors:
    """(I − hλG)⁻¹ for the eigenvalues λ of a scheme, by LU."""

    def __init__(self, matrix: np.ndarray, scheme: Scheme, step: float):
        one = np.eye(len(matrix))
        self._factors = [
            lu_factor(one - step * (v.real if v.imag == 0 else v) * matrix) for v in scheme.eigenvalues
        ]

    def solve(self, k: int, right: np.ndarray) -> np.ndarray:
        return lu_solve(self._factors[k], right)


class _Spectrum:
    """The same by eigenvectors of G, which serve steps of all lengths: W (1 − hλΛ)⁻¹ W⁻¹, and a small matrix for what is slow."""

    def __init__(self, found: Decomposed, scheme: Scheme, step: float):
        self.found, self._shifts = found, step * scheme.eigenvalues

    def solve(self, k: int, right: np.ndarray) -> np.ndarray:
        found, s = self.found, self._shifts[k]
        inside = found.inverse @ (found.fast.left @ right)
        result = found.right @ (inside / (1.0 - s * found.values)[:, None])
        if len(found.slow.matrix):
            slow = np.eye(len(found.slow.matrix)) - s * found.slow.matrix
            result = result + found.slow.right @ np.linalg.solve(slow, found.slow.left @ right)
        return result if s.imag or np.iscomplexobj(right) else result.real


class _Solver:
    """The stages of steps of one length: rates (…, K, n) of states (…, n)."""

    def __init__(self, made: Generator, scheme: Scheme, step: float, known: Decomposed | None = None):
        self.made, self.scheme, self.step = made, scheme, step
        look()
        self._inverse = (
            _Factors(made.matrix, scheme, step) if known is None else _Spectrum(known, scheme, step)
        )

    def rates(self, states: np.ndarray) -> np.ndarray:
        """z_i = G (q + h Σ_j A_ij z_j) + f, by the eigenvectors of A; columns are states.

        The eigenvectors of many stages lie close to each other: what rounding has left over is solved for once more. So is what the
        eigenvectors of G leave, where they are known.
        """
        g, f, a = self.made.matrix, self.made.source[:, None], self.step * self.scheme.matrix
        shape = (self.scheme.stages, *states.shape)
        found = self._solved(np.broadcast_to(g @ states + f, shape))
        for _ in range(REFINED):
            values = states + (a @ found.reshape(len(a), -1)).reshape(shape)
            found = found + self._solved(g @ values + f - found)
        return found

    def _solved(self, right: np.ndarray) -> np.ndarray:
        """x with x_i − h G Σ_j A_ij x_j = r_i, (K, n, columns)."""
        split = self.scheme.split(right.reshape(len(right), -1)).reshape(-1, *right.shape[1:])
        parts = np.empty_like(split)
        for k in range(len(parts)):
            parts[k] = self._inverse.solve(k, split[k])
        return self.scheme.join(parts.reshape(len(parts), -1)).reshape(right.shape)

    def smooth(self, tail: np.ndarray) -> np.ndarray:
        """(I − hλ₀G)⁻¹ v for rows v, λ₀ the real eigenvalue: what is fast is damped as the scheme damps it."""
        for k, value in enumerate(self.scheme.eigenvalues):
            if value.imag == 0:
                return self._inverse.solve(k, tail.T).T
        return tail


class Control:
    """The error of a step in time, relative to the largest size that each field has had."""

    def __init__(self, made: Generator, firsts: Sequence[int], sizes: np.ndarray, least: np.ndarray):
        rows = made.free.reshape(len(made.sizes), -1, made.free.shape[1])
        self.rows = [made.sizes[c, 0] * rows[c] for c in firsts]
        self.fixed = [made.sizes[c, 0] * made.fixed.reshape(len(made.sizes), -1)[c] for c in firsts]
        self.sizes, self.least = sizes[list(firsts)].copy(), least[list(firsts)]

    def see(self, state: np.ndarray) -> None:
        for i, (rows, fixed) in enumerate(zip(self.rows, self.fixed, strict=True)):
            self.sizes[i] = max(self.sizes[i], float(np.linalg.norm(rows @ state + fixed)))

    def error(self, solver: _Solver, rates: np.ndarray) -> float:
        """h |c_K| / 4K times the decay of the coefficients c_k of q'."""
        count, h = solver.scheme.stages, solver.step
        tail = solver.smooth(solver.scheme.to_legendre[-3:] @ rates)
        worst = 0.0
        for rows, size, least in zip(self.rows, self.sizes, self.least, strict=True):
            norms = h * np.linalg.norm(tail @ rows.T, axis=1) / (4 * np.arange(count - 2, count + 1))
            if norms[2] == 0.0:
                continue  # nothing moves, whatever its size
            third, second, top = np.maximum(norms, 1e-300)
            decay = min(1.0, max(top / second, second / third))
            worst = max(worst, top * decay / max(size, least * self.sizes.max(), 1e-300))
        return worst


def collocated(
    made: Generator,
    scheme: Scheme,
    q0: np.ndarray,
    duration: float,
    first: float,
    tol: float,
    control: Control,
    known: Decomposed | None = None,
) -> Run | None:
    """Steps from q(0) = q0 to the end; None where they are too many. `known` are eigenvectors of the matrix, if they are good enough."""
    t, h, q, solver = 0.0, first, q0, None
    edges, states, rates = [0.0], [q0], []
    while t < duration * (1 - 1e-13):
        count = max(1, int(np.ceil((duration - t) / h - 1e-6)))
        fitted = (duration - t) / count
        h = h if abs(fitted - h) < 1e-6 * h and count > 1 else fitted
        if solver is None or abs(solver.step - h) > 1e-12 * h:
            solver = _Solver(made, scheme, h, known)
        found = solver.rates(q[:, None])[:, :, 0]
        end = q + h * (scheme.weights @ found)
        control.see(end)
        error = control.error(solver, found)
        factor = min(4.0, max(0.03, 0.85 * (tol / max(error, 1e-300)) ** (1 / (scheme.stages + 1))))
        if error > 2 * tol and h > 1e-13 * duration:
            h *= min(factor, 0.8)
            continue
        t, q = float(t + h), end
        edges.append(t)
        states.append(q)
        rates.append(found)
        if len(edges) > MOST or not np.all(np.isfinite(q)):
            return None
        if factor > 1.6 or factor < 0.95:
            h *= min(factor, 3.0)
        elif _repeats(edges, h, duration, len(q)):
            rest = _equal(made, scheme, q, duration - t, h)
            if rest is None:
                return None
            return _joined(Run(scheme, np.array(edges), np.array(states), np.array(rates)), rest)
    return Run(scheme, np.array([*edges[:-1], duration]), np.array(states), np.array(rates))


def _repeats(edges: list[float], h: float, duration: float, size: int) -> bool:
    """Whether the last steps were equal and many are left: one matrix for all of them costs as many as there are unknowns."""
    if len(edges) <= SAME or (duration - edges[-1]) / h < max(4 * SAME, size):
        return False
    return bool(np.all(np.abs(np.diff(edges[-SAME - 1 :]) - h) < 1e-6 * h))


def _equal(made: Generator, scheme: Scheme, q: np.ndarray, duration: float, h: float) -> Run | None:
    """All steps that are left, at once."""
    count, size = round(duration / h), len(q)
    if count * (scheme.stages + 1) * size > LARGEST:
        return None
    if np.max(np.abs(np.linalg.eigvals(made.matrix).real)) * duration <= UNDAMPED:
        scheme = gauss(scheme.stages)
    solver = _Solver(made, scheme, duration / count)
    unit = solver.rates(np.column_stack([np.zeros(size), np.eye(size)]))  # (K, n, 1 + n)
    constant, matrix = unit[:, :, 0], unit[:, :, 1:] - unit[:, :, :1]
    # One more row and column carry the constant e.
    power = np.eye(size + 1)
    power[:-1, :-1] += solver.step * np.tensordot(scheme.weights, matrix, axes=1)
    power[:-1, -1] = solver.step * (scheme.weights @ constant)
    states = np.append(q, 1.0)[None]
    while len(states) <= count:
        states = np.concatenate([states, states @ power.T])
        power = power @ power
    states = states[: count + 1, :-1]
    rates = (states[:-1] @ matrix.reshape(-1, size).T).reshape(count, -1, size) + constant
    return Run(scheme, np.linspace(0.0, duration, count + 1), states, rates)


def _joined(one: Run, other: Run) -> Run:
    """Rates of both as those at the nodes of the second scheme: polynomials of one degree."""
    moved = np.linalg.solve(other.scheme.to_legendre, one.scheme.to_legendre)
    rates = np.concatenate([moved @ one.rates, other.rates])
    edges = np.concatenate([one.edges, one.edges[-1] + other.edges[1:]])
    return Run(other.scheme, edges, np.concatenate([one.states, other.states[1:]]), rates)
