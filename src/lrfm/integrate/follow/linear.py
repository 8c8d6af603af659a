# SPDX-License-Identifier: MIT
"""One step of   ∂F/∂y δ + ∂F/∂y′ δ′ + r = 0   along a computed solution, for many right-hand sides r at once.

Collocation in time as in `lrfm.integrate.schemes.radau`, with the derivatives of F at every stage. The matrix of one of them, A(hλ) for each eigenvalue λ of the scheme, is factored and
serves all stages and all right-hand sides; where the derivatives are the same at all stages this is exact, elsewhere it is iterated. Arrays of δ are
(right-hand sides, components, cells, size), with the stages before them where there are some.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from lrfm.discretize.line.collocation import CellCollocation, Pencil
from lrfm.discretize.options import ROUNDING
from lrfm.integrate.schemes.radau import embedded
from lrfm.integrate.schemes.tableaus import Scheme

Links = dict[int, np.ndarray]  # of a chain: what its rates have beside the next component


@dataclass(frozen=True)
class LinearResult:
    """What came of a step: δ at its end, rates of all components at the stages, whether the iteration converged."""

    end: np.ndarray = field(repr=False)
    rates: np.ndarray = field(repr=False)
    converged: bool
    iterations: int


class Applied:
    """Σ_p B_p δ_p at several stages: p = 0 the rates of the last components, p = 1 these themselves, and so on along chains."""

    def __init__(self, made: CellCollocation, pencils: Sequence[Pencil]):
        self._made, top = made, made.system.top_power
        order, pattern = _pattern(made, len(pencils))
        lowest = made.lowest[made.rows]
        self._matrices = []
        for power in range(top + 1):
            data = [self._undivided(pencil, lowest, power)[order] for pencil in pencils]
            matrix = copy(pattern)
            matrix.data = np.concatenate(data)
            self._matrices.append(matrix)

    @staticmethod
    def _undivided(pencil: Pencil, lowest: np.ndarray, power: int) -> np.ndarray:
        """Entries of a power of s: a row without rates was divided by its lowest one."""
        parts = [np.where(lowest == power - q, pencil.entries(q), 0.0) for q in range(power + 1)]
        return np.sum(parts, axis=0)

    def __call__(self, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """All rows: y and z are (stages, right-hand sides, components, cells, size), the result (stages, n, right-hand sides)."""
        made, total = self._made, None
        stages, sides = y.shape[:2]
        for power, matrix in enumerate(self._matrices):
            part = made.gather(self._at_power(y, z, power))  # (stages, sides, n)
            found = matrix @ np.ascontiguousarray(part.swapaxes(1, 2)).reshape(-1, sides)
            total = found if total is None else total + found
        assert total is not None
        return total.reshape(stages, made.size, sides)

    def _at_power(self, y: np.ndarray, z: np.ndarray, power: int) -> np.ndarray:
        """The component of each field that a power of s leads to; zero where a chain is shorter."""
        system = self._made.system
        if power == 0:
            return z[:, :, system.last]
        parts = []
        for last, name in zip(system.last, system.fields, strict=True):
            c = last - (power - 1)
            parts.append(y[:, :, c] if c >= system.first[name] else np.zeros_like(y[:, :, last]))
        return np.stack(parts, axis=2)


def _pattern(made: CellCollocation, count: int) -> tuple[np.ndarray, Any]:
    """The order of the entries by rows, and a matrix of so many blocks with them; made once for a mesh."""
    from scipy.sparse import csr_matrix

    known = made.__dict__.setdefault("_patterns", {})
    if count not in known:
        n, order = made.size, np.argsort(made.rows, kind="stable")
        total, columns = len(order), made.columns[order]
        begins = np.searchsorted(made.rows[order], np.arange(n))
        indices = np.concatenate([columns + k * n for k in range(count)])
        pointers = np.append(np.concatenate([begins + k * total for k in range(count)]), count * total)
        data = np.zeros(count * total)
        known[count] = order, csr_matrix((data, indices, pointers), shape=(count * n, count * n))
    return known[count]


def completed(
    made: CellCollocation, start: np.ndarray, rates: np.ndarray, integral: np.ndarray, links: Links
) -> tuple[np.ndarray, np.ndarray]:
    """δ and δ′ of all components at the stages from the rates of the last ones; `integral` is h A."""
    system, shape = made.system, (len(rates), *start.shape)
    y, z = np.empty(shape), np.empty(shape)
    for c in reversed(range(len(system.components))):
        if c in system.last:
            z[:, :, c] = rates[:, :, system.last.index(c)]
        else:
            z[:, :, c] = y[:, :, c + 1] + links.get(c, 0.0)
        y[:, :, c] = start[:, c] + np.tensordot(integral, z[:, :, c], axes=1)
    return y, z


def told(sizes: np.ndarray) -> np.ndarray:
    """Sizes (right-hand sides, components) that are told from zero beside the others of the same right-hand side."""
    least = ROUNDING.zero * np.max(sizes, axis=1, keepdims=True, initial=0.0)
    return np.maximum(sizes, np.maximum(least, np.finfo(float).tiny))


class LinearStep:
    """The stages of one step: what is linearized there, and the factors that serve them."""

    def __init__(
        self, made: CellCollocation, scheme: Scheme, length: float, pencils: Sequence[Pencil], near: Pencil
    ):
        self.made, self.scheme, self.length, self.near = made, scheme, length, near
        self.exact = len(pencils) == 1
        self.applied = Applied(made, list(pencils) * (scheme.stages if self.exact else 1))

    def solve(
        self,
        start: np.ndarray,
        right: np.ndarray,
        links: Links,
        guess: np.ndarray,
        sizes: np.ndarray,
        goal: float,
        most: int,
    ) -> LinearResult:
        """δ with  L δ + r = 0  at the stages:  r is (stages, n, right-hand sides), `sizes` (right-hand sides, components) say what errors are relative to.

        `guess` are rates of the last components, (stages, right-hand sides, fields, cells, size).
        """
        made, h, integral = self.made, self.length, self.length * self.scheme.matrix
        rates, converged, count, last, rate = guess, False, 0, np.inf, 1.0
        while count < most:
            count += 1
            y, z = completed(made, start, rates, integral, links)
            change = self._solved(self.applied(y, z) + right)
            rates = rates + change
            sizes = np.maximum(sizes, np.max(made.norms(y), axis=0))
            size = float(np.max(h * made.norms(change) / told(sizes)[:, made.system.last], initial=0.0))
            if not np.isfinite(size) or (size > 2 * last and size > goal):
                break
            rate = size / last if last < np.inf and last > 0 else rate
            left = size * (rate / (1 - rate) if rate < 0.5 else 1.0)
            if self.exact or left <= goal:
                converged = True
                break
            last = size
        y, z = completed(made, start, rates, integral, links)
        return LinearResult(y[-1], z, converged, count)

    def _solved(self, residual: np.ndarray) -> np.ndarray:
        """What rates change by: one system for each eigenvalue of the scheme."""
        scheme, (stages, n, sides) = self.scheme, residual.shape
        parts = scheme.split(-residual.reshape(stages, -1)).reshape(-1, n, sides)
        found = np.empty(parts.shape, dtype=complex)
        for k, shift in enumerate(self.length * scheme.eigenvalues):
            if np.imag(shift) == 0:
                found[k] = self.near.at(float(np.real(shift)))(np.ascontiguousarray(np.real(parts[k])))
            else:
                found[k] = self.near.at(complex(shift))(parts[k])
        joined = scheme.join(found.reshape(len(found), -1)).reshape(stages, n, sides)
        return self.made.scatter(joined.swapaxes(1, 2))

    @cached_property
    def _mass(self) -> Applied:
        return Applied(self.made, [self.near])

    def error(self, slope: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ŷ − y₁ of every component, filtered by the matrix of the step (`lrfm.integrate.schemes.radau`), and as it is; `slope` are rates at the start."""
        made, h = self.made, self.length
        system, (gamma, weights) = made.system, embedded(self.scheme.stages)
        delta = gamma * slope + np.tensordot(weights, rates, axes=1)
        below = np.zeros_like(delta)
        for c in system.links:
            if c + 1 in system.last:
                below[:, c] = delta[:, c]
        inner = np.zeros_like(delta)
        inner[:, system.last] = delta[:, system.last]
        # B₀ d, and of chains −hγ B₂ d of the component below.
        right = self._mass(-h * gamma * below[None], inner[None])[0]
        right[made.lowest > 0] = 0.0
        error = np.zeros_like(delta)
        found = self.near.at(h * gamma)(np.ascontiguousarray(right))
        error[:, system.last] = h * made.scatter(found.T)
        for c in sorted(system.links, reverse=True):
            error[:, c] = h * delta[:, c] + h * gamma * error[:, c + 1]
        return error, h * delta
