# SPDX-License-Identifier: MIT
"""Tests of a box along each axis:  R_a = (W_aᵀ; B_a)  of each field, W_a the polynomials that meet the homogeneous conditions B_a of the two walls.

Equations are tested with products of W_a. A condition on a wall of the axis a is tested with W_b of the axes before a and with all of R_b of the axes after it, so that edges and corners are told once:

    W ⊗ W: equations,    B ⊗ R: conditions along the first axis,    W ⊗ B: along the second.

A mean is a field of constants, whose row is tested with a constant; a value has its row at one place. All are *patches*: a row, places along each axis (one on a wall), and what tests make of values there. A multiplier has the degree K − 2 along axes with walls and no conditions (Bernardi, Maday, Spectral Methods, 1997, section 24).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.discretize.box.form import BoxForm
from lrfm.discretize.evolution import Condition, Unsuited
from lrfm.problem import Jet, Row
from lrfm.problem.algebra import symbols_in
from lrfm.problem.program import Program
from lrfm.spaces.series import EVEN, NEITHER, Modes
from lrfm.spaces.series.polynomials import to_coefficients


@dataclass(frozen=True)
class Patch:
    """A row of one field at products of places, and its tests: matrices (rows, places) along each axis."""

    field: int
    row: Row
    places: tuple[np.ndarray, ...]
    tests: tuple[np.ndarray, ...]
    target: tuple[slice, ...]  # which rows of the field these are
    wall: Condition | None = None

    @cached_property
    def points(self) -> np.ndarray:
        """All places and a column for the time."""
        grids = np.meshgrid(*self.places, indexing="ij")
        return np.column_stack([*(g.ravel() for g in grids), np.zeros(grids[0].size)])

    @property
    def grid(self) -> tuple[int, ...]:
        return tuple(map(len, self.places))


class BoxTests:
    """Tests and patches with so many modes."""

    def __init__(self, form: BoxForm, mesh: Modes):
        self.form, self.mesh, self.system = form, mesh, form.system
        fields, axes = range(len(self.system.fields)), range(mesh.dimension)
        self.sizes = tuple(2 * n if a == mesh.halved else n for a, n in enumerate(mesh.shape))
        self.conditions: dict[tuple[int, int], list[Condition]] = {(i, a): [] for i in fields for a in axes}
        for c in self.system.conditions:
            self.conditions[self.system.last.index(c.own), c.axis].append(c)
        self.rows = {key: self._rows(*key) for key in self.conditions}

    # Axes ---------------------------------------------------------------------------------------------------

    def functions(self, axis: int, places: np.ndarray, order: int) -> np.ndarray:
        """∂^order of the functions of an axis at places, (places, functions): of a circle cosines and then sines, of the halved one those of real and of imaginary parts in turn."""
        mesh = self.mesh
        if not mesh.periodic[axis]:
            return mesh.functions(axis, places, order, NEITHER)
        waves, k = mesh.functions(axis, places, order, EVEN), mesh.numbers(axis)
        if axis != mesh.halved:
            return np.where(k >= 0, np.real(waves), np.imag(waves[:, np.abs(k)]))
        waves = waves * np.where(k > 0, 2.0, 1.0)
        found = np.empty((len(places), 2 * waves.shape[1]))
        found[:, 0::2], found[:, 1::2] = np.real(waves), -np.imag(waves)
        return found

    @cached_property
    def projections(self) -> list[np.ndarray]:
        """Coefficients of values on the grid of each axis: (functions, places)."""
        found = []
        for a, (k, count) in enumerate(zip(self.mesh.counts, self.mesh.grid, strict=True)):
            if not self.mesh.periodic[a]:
                found.append(to_coefficients(k, count))
                continue
            # Mean squares are 1 of a constant and ½ of others; those of the halved axis are twice as large.
            size = np.where(self.mesh.numbers(a) == 0, 1.0, 2.0)
            size = np.repeat(1 / size, 2) if a == self.mesh.halved else size
            found.append(size[:, None] * self.functions(a, self.mesh.places(a), 0).T / count)
        return found

    def multiplier(self, i: int) -> bool:
        """Whether a field is a multiplier: its last two polynomials are not there."""
        return self.system.last[i] in self.system.multipliers

    def constant(self, i: int, axis: int) -> bool:
        """Whether a field does not depend on an axis: a mean, a value, an unknown of time alone."""
        return axis in self.system.flat.get(self.system.last[i], ())

    def inner(self, i: int, axis: int) -> int:
        """How many tests an axis has beside conditions."""
        if self.constant(i, axis):
            return 1
        if self.multiplier(i) and not self.mesh.periodic[axis]:
            return self.sizes[axis] - 2
        return self.sizes[axis] - len(self.conditions[i, axis])

    def _functional(self, condition: Condition, axis: int) -> np.ndarray:
        """What a condition says of its own field along its axis, on coefficients: terms with numbers, or else its highest derivative there."""
        mesh, entry = self.mesh, self.system.entry
        end = np.array([(mesh.upper if condition.upper else mesh.lower)[axis]])
        own = [j for j in condition.row.jets if entry(j).component == condition.own]
        straight = [j for j in own if not any(n for a, n in enumerate(entry(j).index) if a != axis)]
        found = np.zeros(self.sizes[axis])
        for jet in straight:
            factor = condition.row.linear_part.get(jet)
            if factor is not None and not symbols_in(factor) and not entry(jet).rate:
                number = float(np.asarray(Program([factor])({})[0]))
                found += number * self.functions(axis, end, entry(jet).index[axis])[0]
        if not np.any(found):
            # A flux where it says nothing of the field itself, such as a pressure in its place.
            order = max((entry(j).index[axis] for j in own), default=1)
            found = self.functions(axis, end, order)[0]
        return found

    def length(self, condition: Condition, axis: int) -> float:
        """The norm of a condition: in R it has the length one."""
        return float(np.linalg.norm(self._functional(condition, axis)))

    def _rows(self, i: int, axis: int) -> np.ndarray:
        """R of an axis."""
        if self.multiplier(i) and self.conditions[i, axis]:
            raise Unsuited("A pressure that is given at a wall is not held by polynomials between walls.")
        own = np.array([self._functional(c, axis) for c in self.conditions[i, axis]])
        own = own / np.linalg.norm(own, axis=1, keepdims=True) if len(own) else own
        if not len(own):
            return np.eye(self.sizes[axis])
        if len(own) >= self.sizes[axis] or np.linalg.matrix_rank(own) < len(own):
            raise Unsuited("Two conditions say the same of an unknown.")
        inner = np.linalg.qr(own.T, mode="complete")[0][:, len(own) :]
        return np.vstack([inner.T, own])

    def returned(self, i: int, axis: int) -> np.ndarray:
        """R⁻¹ = (W, Bᵀ(BBᵀ)⁻¹) of an axis."""
        n, rows = self.sizes[axis] - len(self.conditions[i, axis]), self.rows[i, axis]
        return np.hstack([rows[:n].T, np.linalg.pinv(rows[n:])]) if n < len(rows) else rows.T

    # Patches ------------------------------------------------------------------------------------------------

    @cached_property
    def patches(self) -> list[Patch]:
        """Equations, and conditions on walls."""
        mesh, axes, found = self.mesh, range(self.mesh.dimension), []
        whole = tuple(mesh.places(a) for a in axes)
        for i, row in enumerate(self.system.equations):
            inner = [self.inner(i, a) for a in axes]
            tests = [self.rows[i, a][: inner[a]] @ self.projections[a] for a in axes]
            places, at = list(whole), self.system.places.get(self.system.first[self.system.fields[i]])
            if at is not None:
                (axis,) = (a for a in axes if self.constant(i, a))
                places[axis], tests[axis] = np.array([at]), np.ones((1, 1))
            target = tuple(slice(0, n) for n in inner)
            found.append(Patch(i, row, tuple(places), tuple(tests), target))
        for (i, axis), conditions in self.conditions.items():
            for n, condition in enumerate(conditions):
                found.append(self._on_wall(i, axis, n, condition, whole))
        return found

    def _on_wall(
        self, i: int, axis: int, n: int, condition: Condition, whole: tuple[np.ndarray, ...]
    ) -> Patch:
        end = np.array([(self.mesh.upper if condition.upper else self.mesh.lower)[axis]])
        places, tests, target = list(whole), [], []
        places[axis] = end
        for b in range(self.mesh.dimension):
            if b == axis:
                first = self.inner(i, b) + n
                tests.append(np.ones((1, 1)))
                target.append(slice(first, first + 1))
            else:
                count = self.inner(i, b) if b < axis else self.sizes[b]
                tests.append(self.rows[i, b][:count] @ self.projections[b])
                target.append(slice(0, count))
        return Patch(i, condition.row, tuple(places), tuple(tests), tuple(target), condition)

    @cached_property
    def absent(self) -> np.ndarray:
        """Rows c = 0: of polynomials that a multiplier or a constant has not, of the imaginary part of a mean, and of means that nothing determines; (fields, *sizes)."""
        found = np.zeros((len(self.system.fields), *self.sizes), dtype=bool)
        for i in range(len(found)):
            for a, p in enumerate(self.mesh.periodic):
                along = np.arange(self.sizes[a])
                none = along == 1 if a == self.mesh.halved else along < 0
                if self.constant(i, a) or (self.multiplier(i) and not p):
                    none = along >= self.inner(i, a)
                found[i] |= none.reshape([-1 if b == a else 1 for b in range(self.mesh.dimension)])
        for c in self.undetermined:
            found[(self.system.last.index(c), *[0] * self.mesh.dimension)] = True
        return found

    @cached_property
    def undetermined(self) -> list[int]:
        """Algebraic components of which only derivatives occur."""
        entry, rows = self.system.entry, [p.row for p in self.patches]
        held = {entry(j).component for row in rows for j in row.jets if not any(entry(j).index)}
        return [c for c in self.system.algebraic if c not in held]

    def orders(self, jet: Jet) -> tuple[int, ...]:
        """Derivatives of a jet along each axis."""
        return tuple(self.system.entry(jet).index)
