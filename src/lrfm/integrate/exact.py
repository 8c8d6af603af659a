# SPDX-License-Identifier: MIT
"""Linear equations that stay the same in time, exactly:  y′(t₀ + τ) = e^{Gτ} y′(t₀),  y = y₀ + ∫ y′,  whatever the step size.

Rows without rates say C y′ = 0: y′ = N q with N an orthonormal basis of the null space of C. The others, P₀ N q′ + P₁ N q = 0, or P₀ N q″ + P₁ N q′ + P₂ N q = 0 for
chains u, u_t, make q′ = G q, and eigenvectors of G do the rest; without P₁ those of −(P₀N)⁻¹ P₂N with cosines and sines (Higham, Functions of Matrices, 2008, sections 4.5
and 12). Sources that stay are in y′(t₀) alone. A step keeps y′ as a polynomial in time: its last coefficients are the error of the step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrfm.discretize.collocation import CellCollocation, Pencil
from lrfm.discretize.options import EXACT
from lrfm.integrate.plain_steps import PlainSteps
from lrfm.integrate.radau import Norm, StepResult
from lrfm.integrate.schemes import Scheme, radau
from lrfm.integrate.start import consistent_start
from lrfm.integrate.state import IntegratorState
from lrfm.linalg.clock import EIGENVALUES, look_before


@dataclass(frozen=True)
class Modes:
    """q(τ) of q′ = G q, or of q″ = M q where `turning`, by eigenvalues and eigenvectors."""

    free: np.ndarray  # N
    values: np.ndarray
    vectors: np.ndarray
    inverse: np.ndarray
    defect: np.ndarray  # what rounding has done to each eigenvalue
    turning: bool

    @property
    def size(self) -> int:
        """How many functions are free."""
        return self.free.shape[1]

    def inside(self, levels: list[np.ndarray]) -> np.ndarray:
        """q of y′ of each level of a chain, (n,) each: (size,), or (2·size,)."""
        return np.concatenate([self.free.T @ level for level in levels])

    def at(self, tau: np.ndarray, q: np.ndarray) -> np.ndarray:
        """q at some times after it was what is given, (times, …)."""
        if not self.turning:
            waves = np.exp(np.multiply.outer(tau, self.values)) * (self.inverse @ q)
            return np.real(waves @ self.vectors.T)
        a, b = (self.inverse @ part for part in np.split(q, 2))
        turned = np.sqrt(-self.values.astype(complex))
        angle = np.multiply.outer(tau, turned)
        # sin(ωτ)/ω is τ where ω = 0: what drifts.
        small = np.abs(turned) < np.finfo(float).tiny
        over = np.where(small, tau[:, None], np.sin(angle) / np.where(small, 1.0, turned))
        first = np.cos(angle) * a + over * b
        second = np.cos(angle) * b - turned * np.sin(angle) * a
        return np.real(np.concatenate([first @ self.vectors.T, second @ self.vectors.T], axis=1))

    def calmed(self, q: np.ndarray, size: Callable[[np.ndarray], float], goal: float) -> np.ndarray:
        """q without the fastest modes, as far as these together move y by no more than a goal: rounding and what cells leave out, which Radau's scheme would damp.

        `size` measures ∫ y′ of the last components, of modes (n,).
        """
        parts = np.split(q, 2) if self.turning else [q]
        fast = np.sqrt(np.abs(self.values)) if self.turning else np.abs(self.values)
        last = slice(
            self.size * (len(self.vectors) // self.size - 1), None
        )  # of the last components among the coordinates
        amplitudes = [self.inverse @ part for part in parts]
        # q of the last components: b cos ωτ − a ω sin ωτ, or c e^{λτ}; its integral is that over ω.
        moved = (
            np.hypot(np.abs(amplitudes[0]) * fast, np.abs(amplitudes[1]))
            if self.turning
            else np.abs(amplitudes[0])
        )
        total, kept = 0.0, np.ones(len(fast), dtype=bool)
        for k in np.argsort(-fast):
            if fast[k] == 0 or moved[k] == 0:
                continue
            shape = self.free @ self.vectors[last, k] * (moved[k] / fast[k])
            total += np.hypot(size(np.real(shape)), size(np.imag(shape)))
            if total > goal:
                break
            kept[k] = False
        return np.concatenate([np.real(self.vectors @ (kept * part)) for part in amplitudes])

    def noise(self, q: np.ndarray, duration: float) -> float:
        """What rounding makes of q within a time, relative to it: cancellation of eigenvectors, phases of eigenvalues, and what grows."""
        if self.turning:
            turned = np.sqrt(-self.values.astype(complex))
            growth, off = np.abs(np.imag(turned)), self.defect / np.maximum(2 * np.abs(turned), 1 / duration)
        else:
            growth, off = np.maximum(np.real(self.values), 0.0), self.defect
        grown = np.exp(np.minimum(growth * duration, EXACT.steepest))
        parts = np.split(q, 2) if self.turning else [q]
        each = np.linalg.norm(self.vectors, axis=0) * grown * (np.finfo(float).eps + off * duration)
        return float(max(each @ np.abs(self.inverse @ p) / max(np.linalg.norm(p), 1e-300) for p in parts))


def plain(system: Any) -> bool:
    """Whether a system is of the kind that `Modes` are for: linear and the same at all times, one order in time, nothing algebraic, no means."""
    orders = set(system.orders.values())
    same = system.linear and system.stationary and system.autonomous
    return same and orders in ({1}, {2}) and not system.flat and not system.algebraic


def modes_of(made: CellCollocation, pencil: Pencil, largest: float = np.inf) -> Modes | None:
    """The eigenvectors of a statement on some cells; None where rates do not follow from the state, conditions hold several levels of a chain, or the matrix is larger."""
    order, moving = made.system.top_power, made.lowest == 0
    matrices = []
    for power in range(order + 1):
        matrix = np.zeros((made.size, made.size))
        matrix[made.rows, made.columns] = pencil.entries(power)
        matrices.append(matrix)
    if any(np.any(matrix[~moving]) for matrix in matrices[1:]):
        return None
    held = matrices[0][~moving]
    turning = order == 2 and not np.any(matrices[1][moving])
    size = int(np.sum(moving)) * (1 if turning else order)
    if size > largest:
        return None
    look_before(EIGENVALUES * size**3)
    scale = np.maximum(np.linalg.norm(held, axis=1, keepdims=True), 1e-300)
    free = np.linalg.qr((held / scale).T, mode="complete")[0][:, len(held) :]
    try:
        first = matrices[0][moving] @ free
        found = [-np.linalg.solve(first, matrix[moving] @ free) for matrix in matrices[1:]]
        if turning:
            matrix = found[1]
        elif order == 2:
            none, one = np.zeros_like(found[0]), np.eye(len(found[0]))
            matrix = np.block([[none, one], [found[1], found[0]]])
        else:
            matrix = found[0]
        values, vectors = np.linalg.eig(matrix)
        inverse = np.linalg.inv(vectors)
    except np.linalg.LinAlgError:
        return None
    # Rayleigh's quotients are better than the eigenvalues by one order.
    better = np.einsum("kn,nk->k", inverse @ matrix, vectors)
    return Modes(free, better, vectors, inverse, np.abs(better - values), turning)


class Exact(PlainSteps):
    """Steps of exponentials, kept as polynomials through K nodes; matrices up to `largest` are worth to be decomposed at the start."""

    def __init__(self, stages: int, largest: float = np.inf):
        self.scheme: Scheme = radau(stages)
        self.largest = largest
        self._kept: tuple[Any, Modes] | None = None

    def modes(self, made: CellCollocation, pencil: Pencil) -> Modes | None:
        """Those of the cells, made once."""
        if self._kept is None or self._kept[0] is not made.mesh:
            # On later cells there is no way back, and these are at most a few times as many.
            found = modes_of(made, pencil, self.largest if self._kept is None else np.inf)
            if found is None:
                return None
            self._kept = made.mesh, found
        return self._kept[1]

    def step(
        self,
        made: CellCollocation,
        pencil: Pencil,
        state: IntegratorState,
        length: float,
        norm: Norm,
        goal: float,
        most: int,
        known_rate: float,
    ) -> StepResult:
        """The rates at the nodes, and what the polynomial through them leaves out."""
        found = self.modes(made, pencil)
        if found is None:
            return StepResult.failed(1, np.inf)
        # New cells have rates of their own.
        new = state.time == state.regridded
        z = consistent_start(made, state.time, state.y, length)[1] if new else state.z
        levels = self.levels(made)
        q = found.inside([made.gather(z[own]) for own in levels])
        if new:
            q = found.calmed(q, lambda vector: norm(made.scatter(vector)), goal)
        q = found.at(length * self.scheme.nodes, q)
        rates = np.zeros((self.scheme.stages, *z.shape))
        for own, part in zip(levels, np.split(q, len(levels), axis=1), strict=True):
            rates[:, own] = made.scatter(part @ found.free.T)
        end = state.y + length * np.tensordot(self.scheme.weights, rates, axes=1)
        last = np.tensordot(self.scheme.to_legendre[-2:], rates, axes=1)
        # ∫ P_s = (P_{s+1} − P_{s−1})/(2s + 1) over half the length.
        error = 0.5 * length * np.sum(np.abs(last), axis=0) / (2 * self.scheme.stages - 1)
        within = state.y + length * np.tensordot(self.scheme.matrix, rates, axes=1)
        squares = length * self.scheme.weights @ made.norms(within) ** 2
        return StepResult(bool(np.all(np.isfinite(end))), rates, end, error, error, 1, 0.0, squares)

    @staticmethod
    def levels(made: CellCollocation) -> list[list[int]]:
        """Components by their level in a chain, fields in order."""
        system = made.system
        return [
            [c for c, (_, own) in enumerate(system.components) if own == level]
            for level in range(system.top_power)
        ]
