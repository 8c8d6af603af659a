# SPDX-License-Identifier: MIT
"""Rows of a statement whose functions are polynomials along one axis, between walls:  Σ f(k) T y_k + Wᵀ n̂_k + ĝ_k = 0  for every mode k of the other axes.

Equations are tested with polynomials w that meet the homogeneous conditions of their unknown (Galerkin), conditions stand in rows of their own:

    mean of w (Σ c Dᵃy + n) = 0  for all w of degree K with B w = 0,      B y = g at both walls.

A multiplier, such as a pressure, has the degree K − 2, and so have the tests of its constraint: with polynomials of degree K for velocities there are no
spurious pressures (Maday, Patera, Rønquist, 1987; Bernardi, Maday, Spectral Methods, 1997, section 24).
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from lrfm.discretize.box.spectral_form import Constant, SpectralForm
from lrfm.discretize.box.wall_data import GivenOnWalls, Wall, walls_of
from lrfm.discretize.evolution import Condition, EvolutionSystem, Unsuited
from lrfm.discretize.options import ROUNDING
from lrfm.problem.algebra import Symbol, symbols_in
from lrfm.problem.expression import is_zero
from lrfm.problem.program import Program
from lrfm.spaces.series import ODD, Modes, turned
from lrfm.spaces.series.polynomials import along, to_coefficients, to_values


class Term(NamedTuple):
    """f(k) T of a component, or of its rate, in the rows of one field: T is (K + 1, K + 1), f as many numbers as there are modes of the other axes."""

    row: int
    component: int
    rate: bool
    table: np.ndarray
    factor: np.ndarray


class WallRows(GivenOnWalls):
    """Tests, conditions and terms of a form with so many modes."""

    def __init__(self, form: SpectralForm, mesh: Modes):
        self.form, self.mesh, self.system = form, mesh, form.system
        (self.axis,) = form.polynomial
        self.conditions: list[list[Condition]] = [[] for _ in self.system.fields]
        for c in self.system.conditions:
            if c.axis == self.axis:
                self.conditions[self.system.last.index(c.own)].append(c)
        self.check()
        self.tests = [self._tests(i) for i in range(len(self.system.fields))]
        self.terms = self._terms()
        self.lowest = self._lowest()

    @property
    def functions(self) -> int:
        """How many polynomials there are."""
        return self.mesh.shape[self.axis]

    def check(self) -> None:
        """Unsuited where conditions are not linear with numbers as coefficients."""
        system = self.system
        multipliers = [system.last.index(c) for c in system.multipliers]
        if any(self.conditions[i] for i in multipliers):
            raise Unsuited("A pressure that is given at a wall is not held by polynomials between walls.")
        check_conditions(system, self.all_conditions)
        if any(len(own) >= self.functions for own in self.conditions):
            raise Unsuited("There are more conditions than polynomials.")

    # Tests --------------------------------------------------------------------------------------------------

    def _tests(self, i: int) -> np.ndarray:
        """Polynomials that meet the homogeneous conditions of a field, orthonormal: (K + 1, K + 1 − conditions)."""
        system, n = self.system, self.functions
        if system.last[i] in system.multipliers:
            return np.eye(n)[:, :-2]
        if not self.conditions[i]:
            return np.eye(n)
        own = np.zeros((len(self.conditions[i]), n))
        for at, condition in zip(own, self.conditions[i], strict=True):
            for c, table in functionals(self.form, self.mesh, condition):
                if c.component == condition.own:
                    at += c.factor * table
        size = np.linalg.norm(own, axis=1, keepdims=True)
        if np.any(size == 0) or np.linalg.matrix_rank(own / size) < len(own):
            raise Unsuited("Two conditions say the same of an unknown.")
        return np.linalg.qr((own / size).T, mode="complete")[0][:, len(own) :]

    @cached_property
    def tested(self) -> np.ndarray:
        """Wᵀ of every field, with zeros in the rows of conditions: (fields, K + 1, K + 1)."""
        found = np.zeros((len(self.tests), self.functions, self.functions))
        for table, w in zip(found, self.tests, strict=True):
            table[: w.shape[1]] = w.T
        return found

    # Terms --------------------------------------------------------------------------------------------------

    def _factor(self, c: Constant) -> np.ndarray:
        """c Dᵃ along the other axes, for every mode of these."""
        whole = c.factor * self.mesh.symbol(c.index, self.form.parities[c.component])[0]
        shape = [1 if a == self.axis else n for a, n in enumerate(self.mesh.shape)]
        return np.broadcast_to(whole, shape)

    def _terms(self) -> list[Term]:
        mesh, axis = self.mesh, self.axis
        sums: dict[tuple, np.ndarray] = {}
        for i, constants in enumerate(self.form.constants):
            for c in constants:
                key = i, c.component, c.rate, c.index[axis], c.profile
                sums[key] = sums.get(key, 0.0) + self._factor(c)
        found = []
        for (i, component, rate, order, profile), factor in sums.items():
            inner = mesh.slope(axis, order)
            if profile is not None:
                inner = self._times(profile) @ inner
            found.append(Term(i, component, rate, self.tested[i] @ inner, factor))
        for i, conditions in enumerate(self.conditions):
            first = self.tests[i].shape[1]
            for n, condition in enumerate(conditions):
                for c, functional in functionals(self.form, self.mesh, condition):
                    table = np.zeros((self.functions, self.functions))
                    table[first + n] = functional
                    found.append(Term(i, c.component, False, table, self._factor(c)))
        for c in self.system.multipliers:
            # The last two coefficients are zero.
            table = np.zeros((self.functions, self.functions))
            table[-2:, -2:] = np.eye(2)
            one = np.ones([1 if a == axis else n for a, n in enumerate(mesh.shape)])
            found.append(Term(self.system.last.index(c), c, False, table, one))
        return found

    def _times(self, profile) -> np.ndarray:
        """The product with a function of the coordinate, on coefficients."""
        mesh, axis = self.mesh, self.axis
        at = {Symbol(self.system.problem.domain.names[axis]): mesh.places(axis)}
        values = np.broadcast_to(Program([profile])(at)[0], (mesh.grid[axis],))
        if not np.all(np.isfinite(values)):
            raise Unsuited("A coefficient is not finite between the walls.")
        size = mesh.counts[axis], mesh.grid[axis]
        return to_coefficients(*size) @ (values[:, None] * to_values(*size))

    def _lowest(self) -> np.ndarray:
        """The lowest power of s in A(s) of every row: (fields, K + 1); zero where a rate occurs."""
        found = np.full((len(self.tests), self.functions), self.system.top_power)
        for term in self.terms:
            power = self.system.power(term.component, term.rate)[1]
            rows = np.any(term.table != 0, axis=1)
            found[term.row, rows] = np.minimum(found[term.row, rows], power)
        return found

    # Modes in which something is not there --------------------------------------------------------------------

    @cached_property
    def undetermined(self) -> list[int]:
        """Algebraic components whose mean nothing determines: only derivatives of them occur."""
        held = {c.component for row in self.form.constants for c in row if not any(c.index)}
        for own in self.conditions:
            held |= {
                c.component
                for condition in own
                for c, _ in functionals(self.form, self.mesh, condition)
                if not any(c.index)
            }
        rests = [jet for jet in self.form.jets if not any(jet.index)]
        held |= {self.system.entry(jet).component for jet in rests}
        odd = [c for c, parity in enumerate(self.form.parities) if ODD in parity]
        return [c for c in self.system.algebraic if c not in held and c not in odd]

    @cached_property
    def pinned(self) -> list[int]:
        """Fields whose equation has a mean that says nothing, and is replaced by one for the mean of the field: zero."""
        return [self.system.last.index(c) for c in self.undetermined]

    @cached_property
    def absent(self) -> list[tuple[int, int]]:
        """Fields and axes along which they are sums of sines: they have no mode zero."""
        odd = [
            (i, a)
            for i, c in enumerate(self.system.last)
            for a, q in enumerate(self.form.parities[c])
            if q == ODD
        ]
        return [(i, a) for i, a in odd if not self.mesh.periodic[a]]

    def check_means(self) -> None:
        """Unsuited where the equation that is replaced asks for something: it has to follow from homogeneous conditions."""
        for i in self.pinned:
            rows, given = [], []
            own = np.zeros((len(self.system.components), self.functions))
            at = tuple(0 for a in range(self.mesh.dimension) if a != self.axis)
            for term in self.terms:
                if term.row == i:
                    own[term.component] += np.real(np.squeeze(term.factor, self.axis)[at]) * term.table[0]
            for conditions in self.conditions:
                for condition in conditions:
                    row = np.zeros_like(own)
                    for c, functional in functionals(self.form, self.mesh, condition):
                        row[c.component] += np.real(np.squeeze(self._factor(c), self.axis)[at]) * functional
                    rows.append(row.ravel())
                    given.append(not is_zero(condition.row.source_part))
            basis = np.array(rows).T if rows else np.zeros((own.size, 0))
            parts = np.linalg.lstsq(basis, own.ravel(), rcond=None)[0]
            size = max(np.linalg.norm(own), np.finfo(float).tiny)
            moved = any(g and abs(part) > ROUNDING.zero * size for g, part in zip(given, parts, strict=True))
            if (
                moved
                or np.linalg.norm(own.ravel() - basis @ parts) > ROUNDING.zero * size
                or not is_zero(self.form.rests[i])
            ):
                raise Unsuited("The mean of an equation that leaves its unknown open is not zero by itself.")

    # Rows of states -------------------------------------------------------------------------------------------

    @property
    def lowest_rows(self) -> np.ndarray:
        """The lowest power of s of every row: (fields, *shape)."""
        own = self.lowest.reshape(-1, *[n if a == self.axis else 1 for a, n in enumerate(self.mesh.shape)])
        return np.broadcast_to(own, (len(own), *self.mesh.shape))

    def linear(self, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Linear terms of all rows: coefficients (times, components, *shape) to (times, fields, *shape)."""
        at = 1 + self.axis
        found = np.zeros((len(y), len(self.system.fields), *self.mesh.shape), dtype=self.mesh.dtype)
        for t in self.terms:
            own = (z if t.rate else y)[:, t.component]
            found[:, t.row] += t.factor * along(t.table, own, at)
        return found

    def test(self, n: np.ndarray, rows: set[int]) -> None:
        """Wᵀ of coefficients of the rest, in place."""
        for i in rows:
            n[i] = along(self.tested[i], n[i], self.axis)

    def replace(self, found: np.ndarray, y: np.ndarray, z: np.ndarray) -> None:
        """Rows that say nothing: c = 0 in their places."""
        for i in self.pinned:
            origin = [0] * self.mesh.dimension
            found[(slice(None), i, *origin)] = y[(slice(None), self.system.last[i], *origin)]
        for i, a in self.absent:
            c, moving = self.system.last[i], self.lowest[i] == 0
            at: list[slice | int] = [slice(None)] * self.mesh.dimension
            at[a] = 0
            own = self.mesh.along(self.axis, moving)
            found[(slice(None), i, *at)] = np.where(own, z[:, c], y[:, c])[(slice(None), *at)]

    # What is given at walls -----------------------------------------------------------------------------------

    @property
    def all_conditions(self) -> list[Condition]:
        """Of all fields and both walls."""
        return [c for own in self.conditions for c in own]

    @cached_property
    def _walls(self) -> dict[tuple[int, bool], Wall]:
        return walls_of(self.mesh, (self.axis,))

    def _made(self, time: float) -> np.ndarray:
        mesh, axis = self.mesh, self.axis
        found = np.zeros((len(self.tests), *mesh.shape), dtype=mesh.dtype)
        for i, conditions in enumerate(self.conditions):
            first = self.tests[i].shape[1]
            for n, condition in enumerate(conditions):
                if is_zero(condition.row.source_part):
                    continue
                wall = self._walls[axis, condition.upper]
                whole = wall.coefficients(condition, time, self._row_parity(condition))
                at: list[slice | int] = [slice(None)] * mesh.dimension
                at[axis] = 0
                to = list(at)
                to[axis] = first + n
                found[(i, *to)] = whole[tuple(at)]
        return found

    def _row_parity(self, condition: Condition) -> tuple[int, ...]:
        (c, _), *_ = functionals(self.form, self.mesh, condition)
        own = self.form.parities[c.component]
        return tuple(turned(q, n) for q, n in zip(own, c.index, strict=True))


def functionals(form: SpectralForm, mesh: Modes, condition: Condition) -> list[tuple[Constant, np.ndarray]]:
    """The terms of a condition, and each one's functional along the axis of its wall."""
    axis, found = condition.axis, []
    end = (mesh.upper if condition.upper else mesh.lower)[axis]
    for jet, factor in condition.row.linear_part.items():
        component, index, _ = form.system.entry(jet)
        number = float(np.asarray(Program([factor])({})[0]))
        table = mesh.functions(axis, np.array([end]), index[axis], form.parities[component][axis])[0]
        found.append((Constant(component, tuple(index), False, number), table))
    return found


def check_conditions(system: EvolutionSystem, conditions: list[Condition]) -> None:
    """Unsuited where conditions are not linear with numbers as coefficients."""
    for row in (c.row for c in conditions):
        if not row.linear or any(symbols_in(factor) for factor in row.linear_part.values()):
            raise Unsuited("A condition at a wall is not linear with numbers as coefficients.")
        if any(system.entry(jet).rate for jet in row.jets):
            raise Unsuited("A condition at a wall holds a rate.")
