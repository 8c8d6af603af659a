# SPDX-License-Identifier: MIT
"""The linear systems of a step with multipliers π (a pressure), by null spaces: [A(s)  sG; E  0] [x; π] = [r; g].

E are rows without multipliers and of one power of s: constraints such as div u = 0, and conditions. With N a basis of the null space of E
and M one of that of Gᵀ, both orthonormal,

    x = E⁺g + N w,      Mᵀ A(s) N w = Mᵀ (r − A(s) E⁺g),      π = G⁺ (r − A(s) x) / s.

E and G do not change as long as the basis and the tests stay, and Mᵀ A N has half the size of A for a flow in the plane. What no row
feels of π, the null space of G, is undetermined: a constant in the pressure. It is left at zero, the smallest norm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from itertools import pairwise
from math import prod

import numpy as np

from lrfm.integrate.schemes import Scheme
from lrfm.linalg.clock import look
from lrfm.linalg.pencil import First, Pencil, Shifted, solve_each
from lrfm.linalg.pivoted import RANK, Pivoted, product
from lrfm.linalg.room import reserve
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.gauge import fixed, gauge_fields, named
from lrfm.solver.lines.stages import LU, DenseStages, Factor, Stages, at, determined
from lrfm.solver.lines.system import System
from lrfm.solver.lines.terms import Product, Term, Varying, alike
from lrfm.spaces.axes.product import apply

MET = 1e-12  # part of the largest gap of constraints that is rounding


class Reduction:
    """Null spaces of the rows E and of the columns G of multipliers, for one basis and one set of tests."""

    def __init__(self, made_of: Sequence[Term], hard: np.ndarray, gradient: np.ndarray):
        self.made_of, self.gradient = made_of, gradient
        sizes = np.linalg.norm(hard, axis=1)
        largest = sizes.max(initial=0.0) or 1.0
        # The mean of a divergence in a periodic box is a row of rounding; it is not made large.
        self.sizes = np.where(sizes > RANK * largest, sizes, largest)
        self.rows = Pivoted.of((hard / self.sizes[:, None]).T)
        self.columns = Pivoted.of(gradient)
        self.undetermined = self.columns.null()
        self._between: dict[int, tuple[Sequence[Term], np.ndarray, np.ndarray]] = {}
        self._mass: tuple[np.ndarray, First] | None = None

    def mass(self, matrix: np.ndarray) -> First:
        """Factors of Mᵀ A₀ N, kept as long as it stays."""
        if self._mass is None or self._mass[0] is not matrix:
            self._mass = matrix, First(matrix)
        return self._mass[1]

    def between(
        self, power: int, terms: Sequence[Term], times: Callable[[Sequence[Term], np.ndarray], np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """A N and Mᵀ A N for one power; what products of axes make of it, masses and the like, stays and is kept."""
        steady = [t for t in terms if isinstance(t, Product)]
        moving = [t for t in terms if not isinstance(t, Product)]
        if power not in self._between or not alike(self._between[power][0], steady):
            inner = times(steady, self.rows.rest)
            self._between[power] = steady, inner, self.columns.rest.T @ inner
        _, inner, reduced = self._between[power]
        if not moving:
            return inner, reduced
        added = times(moving, self.rows.rest)
        return inner + added, reduced + self.columns.rest.T @ added

    def meet(self, right: np.ndarray) -> np.ndarray:
        """The smallest x with E x = right."""
        scale = self.sizes if right.ndim == 1 else self.sizes[:, None]
        return self.rows.solve_transposed(right / scale)

    def multipliers(self, right: np.ndarray) -> np.ndarray:
        """The smallest π with G π = right."""
        found = self.columns.solve(right)
        return found - product(self.undetermined, product(self.undetermined.T, found))


class SaddleParts:
    """A₀, A₁, … of all rows at one state by their terms, and what is left of them between the null spaces."""

    def __init__(self, system: System, time: float, y: np.ndarray, z: np.ndarray):
        form = system.form
        self.shape, self.top = (len(form.last), system.basis.size), form.top_power
        self.starts = np.cumsum([0, *system.sizes])
        self.terms = self._gauged(system, [*system.terms(time, y, z)], (time, y, z))
        self.multipliers = [form.last.index(c) for c in form.multipliers]
        self.fields = [i for i in range(self.shape[0]) if i not in self.multipliers]
        self.free = np.repeat(np.isin(np.arange(self.shape[0]), self.fields), self.shape[1])
        self.held = [system.held_products(c) for c in form.multipliers]
        places = self._hard_places()
        self.hard = np.repeat([k in places for k in range(len(system.sizes))], system.sizes)
        self.power = np.repeat([places.get(k, 0) for k in range(len(system.sizes))], system.sizes)
        self.soft = [t for t in self.terms if t.place not in places and t.field in self.fields]
        rigid = [t for t in self.terms if t.place in places]
        slopes = [t for t in self.terms if t.field in self.multipliers and t.power == 1]
        made_of = [*rigid, *slopes]
        if system.reduction is None or not alike(system.reduction.made_of, made_of):
            system.reduction = Reduction(made_of, self._rows(rigid), self._gradient(slopes))
            left = named(system, self.multipliers, self.held, system.reduction.undetermined)
            system.undetermined.append(left)
        self.reduction: Reduction = system.reduction
        self.asked = False  # whether factors for some length of steps were made,
        self.shared = False  # and whether the last of them are of one form for all lengths
        # What only the solution of a step asks for is made when it does: a start needs no more than the constraints.

    def _gauged(
        self, system: System, terms: list[Term], state: tuple[float, np.ndarray, np.ndarray]
    ) -> list[Term]:
        """The terms with what fixes algebraic unknowns of equations of their own (`gauge`), which is no sum of products."""
        powers = self._whole(terms) if gauge_fields(system) else []
        if not powers:
            return terms
        found: list[Term] = []
        for p, matrix in enumerate(fixed(system, powers, state)):
            for k, rows in enumerate(pairwise(self.starts)):
                for i, block in enumerate(np.split(matrix[slice(*rows)], self.shape[0], axis=1)):
                    found += [Varying(p, k, i, partial(np.copy, block))] if np.any(block) else []
        return found

    def _whole(self, terms: Iterable[Term]) -> list[np.ndarray]:
        reserve((self.top + 1.0) * self.starts[-1] * self.shape[0] * self.shape[1])
        whole = [np.zeros((self.starts[-1], *self.shape)) for _ in range(self.top + 1)]
        for t in terms:
            whole[t.power][self.starts[t.place] : self.starts[t.place + 1], t.field] += t.matrix
        return [matrix.reshape(len(matrix), -1) for matrix in whole]

    @property
    def powers(self) -> list[np.ndarray]:
        """A₀, A₁, … themselves, which nothing here needs."""
        return self._whole(self.terms)

    def product(self, power: int, rates: np.ndarray) -> np.ndarray:
        """A_p v for rates v (many, fields, R): (many, rows)."""
        found = np.zeros((self.starts[-1], len(rates)))
        for t in (t for t in self.terms if t.power == power):
            found[self.starts[t.place] : self.starts[t.place + 1]] += t.times(rates[:, t.field].T.copy())
        return found.T

    def times(self, terms: Iterable[Term], x: np.ndarray) -> np.ndarray:
        """A sum of terms without the rows E, applied to columns x (free unknowns, many): (other rows, many)."""
        places = np.cumsum(~self.hard) - 1
        found, size = np.zeros((int(np.sum(~self.hard)), x.shape[1])), self.shape[1]
        for t in terms:
            i, start = self.fields.index(t.field), places[self.starts[t.place]]
            count = self.starts[t.place + 1] - self.starts[t.place]
            found[start : start + count] += t.times(x[i * size : (i + 1) * size])
        return found

    def without_rows(self, power: int, x: np.ndarray) -> np.ndarray:
        """A_p x without the rows E, for real or complex columns."""
        columns = np.ascontiguousarray(x).view(float)
        return self.times([t for t in self.soft if t.power == power], columns).view(x.dtype)

    @cached_property
    def _between(self) -> list[tuple[np.ndarray, np.ndarray]]:
        return [
            self.reduction.between(p, [t for t in self.soft if t.power == p], self.times)
            for p in range(self.top + 1)
        ]

    @property
    def inner(self) -> list[np.ndarray]:
        """A_p N."""
        return [inner for inner, _ in self._between]

    @property
    def reduced(self) -> list[np.ndarray]:
        """Mᵀ A_p N."""
        return [reduced for _, reduced in self._between]

    def _rows(self, terms: Iterable[Term]) -> np.ndarray:
        """E on what is no multiplier."""
        places = np.cumsum(self.hard) - 1
        found = np.zeros((int(np.sum(self.hard)), len(self.fields), self.shape[1]))
        for t in terms:
            start, count = places[self.starts[t.place]], self.starts[t.place + 1] - self.starts[t.place]
            found[start : start + count, self.fields.index(t.field)] += t.matrix
        return found.reshape(len(found), -1)

    def _gradient(self, terms: Iterable[Term]) -> np.ndarray:
        """Columns of the multipliers, on the functions that they have."""
        counts = [prod(q.shape[1] for q in held) for held in self.held]
        found, starts = np.zeros((self.starts[-1], sum(counts))), np.cumsum([0, *counts])
        for t in terms:
            own = self.multipliers.index(t.field)
            block = found[self.starts[t.place] : self.starts[t.place + 1], starts[own] : starts[own + 1]]
            block += t.on(self.held[own])
        return found[~self.hard]

    def _hard_places(self) -> dict[int, int]:
        """The places whose rows are of one power of s and hold no multiplier, and that power."""
        found: dict[int, set[int]] = {}
        for t in self.terms:
            found.setdefault(t.place, set()).add(-1 if t.field in self.multipliers else t.power)
        return {
            place: powers.pop() for place, powers in found.items() if len(powers) == 1 and -1 not in powers
        }

    def gap(self, right: np.ndarray) -> float:
        """The size of the rows E, each relative to its own."""
        return float(np.linalg.norm(right[self.hard] / self.reduction.sizes[:, None]))

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

    @cached_property
    def pencil(self) -> Pencil | None:
        """Mᵀ A(s) N for any s; None where it is no A₀ + sA₁ with an A₀ to be solved with."""
        mass = self.reduction.mass(self.reduced[0]) if self.top == 1 else None
        return Pencil(mass, self.reduced[1]) if mass is not None and mass.regular else None

    def stages(self, form: Form, scheme: Scheme, step: float) -> Stages:
        """Factors for one length of steps; those of the first length are all that some matrices are asked for."""
        self.shared, self.asked = self.shared or self.asked, True
        return SaddleStages(form, scheme, self, step)

    def regular(self, s: float) -> bool:
        """Whether as many rows as unknowns are left between the null spaces, and determine these."""
        matrix = self.reduced[0] + s * sum(self.reduced[1:])
        return matrix.shape[0] == matrix.shape[1] and determined(matrix)


class SaddleFactor:
    """The reduced matrix of one s, factorized; from the second length of steps on by what serves all of them."""

    def __init__(self, parts: SaddleParts, s: complex):
        self.parts, self.s, self.real = parts, s.real if s.imag == 0 else s, s.imag == 0
        pencil = parts.pencil if parts.shared else None
        self.lu = LU(at(parts.reduced, s)) if pencil is None else pencil.factor(s)

    def inner(self, right: np.ndarray) -> np.ndarray:
        """w with Mᵀ A(s) N w = right, which may be complex where s is real."""
        if self.real and np.iscomplexobj(right):
            return self.lu.solve(np.real(right)) + 1j * self.lu.solve(np.imag(right))
        return self.lu.solve(right)

    def solve(self, right: np.ndarray) -> np.ndarray:
        """x (fields · R, …) for rows of the system."""
        columns = right.reshape(len(right), -1)
        return solved(self.parts, [self] * columns.shape[1], columns).reshape(-1, *right.shape[1:])


def solved(
    parts: SaddleParts, factors: Sequence[SaddleFactor], right: np.ndarray, met: float = 0.0
) -> np.ndarray:
    """x (fields · R, columns) for rows of the system, one factor for each column: large matrices are read once for all of them.

    Rows E whose gap is at most `met` are met.
    """
    s, reduction = np.array([f.s for f in factors]), parts.reduction
    left, x = right[~parts.hard], np.zeros((1, 1))
    if parts.gap(right) > met:
        x = reduction.meet(right[parts.hard] / s ** parts.power[parts.hard][:, None])
        left = left - sum(parts.without_rows(p, x) * s**p for p in range(parts.top + 1))
    inner = _inner(factors, product(reduction.columns.rest.T, left))
    left = left - sum(product(matrix, inner) * s**p for p, matrix in enumerate(parts.inner))
    return parts.spread(x + product(reduction.rows.rest, inner), reduction.multipliers(left) / s)


def _inner(factors: Sequence[SaddleFactor], right: np.ndarray) -> np.ndarray:
    """w for each column; those of one pencil together."""
    shifted = [f.lu for f in factors if isinstance(f.lu, Shifted)]
    if len(shifted) == len(factors):
        return solve_each(shifted, right)
    return np.column_stack([f.inner(c) for f, c in zip(factors, right.T, strict=True)])


class SaddleStages(DenseStages):
    """The same for all eigenvalues of a scheme at once."""

    largest = 0.0  # gap of the rows E that was seen

    def solve(self, residual: np.ndarray) -> np.ndarray:
        """The change of the rates (stages, fields, R) for a residual (stages, rows)."""
        right = -self.scheme.split(residual).T
        # Linear constraints are met after the first iteration, but for rounding.
        self.largest = max(self.largest, self.saddle.gap(right))
        found = solved(self.saddle, self.factors, right, MET * self.largest)
        return self.scheme.join(found.T).reshape(len(residual), len(self.form.last), -1)

    @property
    def saddle(self) -> SaddleParts:
        assert isinstance(self.parts, SaddleParts)
        return self.parts

    @property
    def factors(self) -> list[SaddleFactor]:
        return [f for f in self._factors if isinstance(f, SaddleFactor)]
