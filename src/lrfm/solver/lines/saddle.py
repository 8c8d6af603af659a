# SPDX-License-Identifier: MIT
"""The linear systems of a step with multipliers π (a pressure), by null spaces: [A(s)  sG; E  0] [x; π] = [r; g].

E are rows without multipliers and of one power of s: constraints such as div u = 0, and conditions. With N a basis of the null space of E
and M one of that of Gᵀ, both orthonormal,

    x = E⁺g + N w,      Mᵀ A(s) N w = Mᵀ (r − A(s) E⁺g),      π = G⁺ (r − A(s) x) / s.

E and G do not change as long as the basis and the tests stay, and Mᵀ A N has half the size of A for a flow in the plane. What no row
feels of π, the null space of G, is undetermined: a constant in the pressure. It is left at zero, the smallest norm.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod

import numpy as np

from lrfm.linalg.clock import look
from lrfm.linalg.pivoted import RANK, Pivoted, product
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.gauge import fixed, named
from lrfm.solver.lines.schemes import Scheme
from lrfm.solver.lines.stages import LU, DenseStages, Factor, Stages, at, determined
from lrfm.solver.lines.system import System
from lrfm.spaces.axes.product import apply


class Reduction:
    """Null spaces of the rows E and of the columns G of multipliers, for one basis and one set of tests."""

    def __init__(self, hard: np.ndarray, gradient: np.ndarray):
        self.hard, self.gradient = hard, gradient
        sizes = np.linalg.norm(hard, axis=1)
        largest = sizes.max(initial=0.0) or 1.0
        # The mean of a divergence in a periodic box is a row of rounding; it is not made large.
        self.sizes = np.where(sizes > RANK * largest, sizes, largest)
        self.rows = Pivoted.of((hard / self.sizes[:, None]).T)
        self.columns = Pivoted.of(gradient)
        self.undetermined = self.columns.null()
        self._between: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}

    def between(self, power: int, matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A N and Mᵀ A N for one power; masses and the like, which stay, are kept."""
        if power not in self._between or not np.array_equal(self._between[power][0], matrix):
            inner = matrix @ self.rows.rest
            self._between[power] = matrix, inner, self.columns.rest.T @ inner
        return self._between[power][1:]

    def fits(self, hard: np.ndarray, gradient: np.ndarray) -> bool:
        return np.array_equal(self.hard, hard) and np.array_equal(self.gradient, gradient)

    def meet(self, right: np.ndarray) -> np.ndarray:
        """The smallest x with E x = right."""
        scale = self.sizes if right.ndim == 1 else self.sizes[:, None]
        return self.rows.solve_transposed(right / scale)

    def multipliers(self, right: np.ndarray) -> np.ndarray:
        """The smallest π with G π = right."""
        found = self.columns.solve(right)
        return found - product(self.undetermined, product(self.undetermined.T, found))


class SaddleParts:
    """A₀, A₁, … of all rows at one state, and what is left of them between the null spaces."""

    def __init__(self, system: System, time: float, y: np.ndarray, z: np.ndarray):
        self.powers, form = fixed(system, system.linearize(time, y, z)), system.form
        self.shape = (len(form.last), system.basis.size)
        self.multipliers = [form.last.index(c) for c in form.multipliers]
        self.free = np.repeat(~np.isin(np.arange(self.shape[0]), self.multipliers), self.shape[1])
        self.held = [system.held_products(c) for c in form.multipliers]
        gradient = self._gradient()
        self.hard, self.power = self._hard_rows(gradient)
        rows, numbers = np.flatnonzero(self.hard), self.power[self.hard]
        hard = np.empty((len(rows), int(np.sum(self.free))))
        for p, matrix in enumerate(self.powers):
            hard[numbers == p] = matrix[np.ix_(rows[numbers == p], self.free)]
        gradient = gradient[~self.hard]
        if system.reduction is None or not system.reduction.fits(hard, gradient):
            system.reduction = Reduction(hard, gradient)
            left = named(system, self.multipliers, self.held, system.reduction.undetermined)
            system.undetermined.append(left)
        self.reduction: Reduction = system.reduction
        # What only the solution of a step asks for is made when it does: a start needs no more than the constraints.

    @cached_property
    def soft(self) -> list[np.ndarray]:
        """A_p on what is no multiplier, without the rows E."""
        return [p[np.ix_(~self.hard, self.free)] for p in self.powers]

    @cached_property
    def inner(self) -> list[np.ndarray]:
        """A_p N."""
        return [self.reduction.between(p, matrix)[0] for p, matrix in enumerate(self.soft)]

    @cached_property
    def reduced(self) -> list[np.ndarray]:
        """Mᵀ A_p N."""
        return [self.reduction.between(p, matrix)[1] for p, matrix in enumerate(self.soft)]

    def _gradient(self) -> np.ndarray:
        """Columns of the multipliers, on the functions that they have."""
        blocks = self.powers[1].reshape(-1, *self.shape)
        parts = [
            apply([q.T for q in held], blocks[:, i])
            for i, held in zip(self.multipliers, self.held, strict=True)
        ]
        return np.concatenate(parts, axis=1)

    def _hard_rows(self, gradient: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which rows are of one power of s and hold no multiplier, and that power."""
        free = [i for i in range(self.shape[0]) if i not in self.multipliers]
        blocks = [p.reshape(-1, *self.shape) for p in self.powers]
        # Field by field nothing is copied.
        used = np.array([np.any([np.any(b[:, i], axis=1) for i in free], axis=0) for b in blocks])
        return (used.sum(axis=0) == 1) & ~np.any(gradient, axis=1), np.argmax(used, axis=0)

    def spread(self, x: np.ndarray, pi: np.ndarray) -> np.ndarray:
        """All coefficients (fields · R, …) from those of other fields and of the multipliers' own functions."""
        found = np.zeros((*self.shape, *x.shape[1:]), np.result_type(x, pi))
        found.reshape(-1, *x.shape[1:])[self.free] = x
        start = 0
        for i, held in zip(self.multipliers, self.held, strict=True):
            count = prod(q.shape[1] for q in held)
            found[i] = apply(held, pi[start : start + count].T).T
            start += count
        return found.reshape(-1, *x.shape[1:])

    def factor(self, s: complex) -> Factor:
        look()
        return SaddleFactor(self, s)

    def stages(self, form: Form, scheme: Scheme, step: float) -> Stages:
        return SaddleStages(form, scheme, self, step)

    def regular(self, s: float) -> bool:
        """Whether as many rows as unknowns are left between the null spaces, and determine these."""
        matrix = self.reduced[0] + s * sum(self.reduced[1:])
        return matrix.shape[0] == matrix.shape[1] and determined(matrix)


class SaddleFactor:
    """The reduced matrix of one s, factorized."""

    def __init__(self, parts: SaddleParts, s: complex):
        self.parts, self.s, self.real = parts, s.real if s.imag == 0 else s, s.imag == 0
        self._lu = LU(at(parts.reduced, s))

    def inner(self, right: np.ndarray) -> np.ndarray:
        """w with Mᵀ A(s) N w = right, which may be complex where s is real."""
        if self.real and np.iscomplexobj(right):
            return self._lu.solve(np.real(right)) + 1j * self._lu.solve(np.imag(right))
        return self._lu.solve(right)

    def solve(self, right: np.ndarray) -> np.ndarray:
        """x (fields · R, …) for rows of the system."""
        columns = right.reshape(len(right), -1)
        return solved(self.parts, [self] * columns.shape[1], columns).reshape(-1, *right.shape[1:])


def solved(parts: SaddleParts, factors: Sequence[SaddleFactor], right: np.ndarray) -> np.ndarray:
    """x (fields · R, columns) for rows of the system, one factor for each column: large matrices are read once for all of them."""
    s, reduction = np.array([f.s for f in factors]), parts.reduction
    x = reduction.meet(right[parts.hard] / s ** parts.power[parts.hard][:, None])
    left = right[~parts.hard]
    if np.any(x):
        left = left - sum(product(matrix, x) * s**p for p, matrix in enumerate(parts.soft))
    tested = product(reduction.columns.rest.T, left)
    inner = np.column_stack([f.inner(c) for f, c in zip(factors, tested.T, strict=True)])
    left = left - sum(product(matrix, inner) * s**p for p, matrix in enumerate(parts.inner))
    return parts.spread(x + product(reduction.rows.rest, inner), reduction.multipliers(left) / s)


class SaddleStages(DenseStages):
    """The same for all eigenvalues of a scheme at once."""

    def solve(self, residual: np.ndarray) -> np.ndarray:
        """The change of the rates (stages, fields, R) for a residual (stages, rows)."""
        found = solved(self.saddle, self.factors, -self.scheme.split(residual).T)
        return self.scheme.join(found.T).reshape(len(residual), len(self.form.last), -1)

    @property
    def saddle(self) -> SaddleParts:
        assert isinstance(self.parts, SaddleParts)
        return self.parts

    @property
    def factors(self) -> list[SaddleFactor]:
        return [f for f in self._factors if isinstance(f, SaddleFactor)]
