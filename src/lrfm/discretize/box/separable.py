# SPDX-License-Identifier: MIT
"""The separable operator nearest to the linearized rows of a box, solved by the eigenvectors of each axis (Lynch, Rice, Thomas, Numer. Math. 6, 1964; Concus, Golub, SIAM J. Numer. Anal. 10, 1973, for coefficients that are functions).

A slope g(x, y) of a derivative along one axis is replaced by its mean over the others, g of an unknown itself by ḡ + (g_x − ḡ) + (g_y − ḡ) with the means g_x and g_y; mixed derivatives are left out. With tests W_a and conditions B_a,
R_a = (W_aᵀ; B_a), and r = ⊗R_a c, rows of fields that have the same conditions are then

    Σ_p s^p (C_p + Σ_a F_pa ⊗ D_a) r = right inside,    r = right on faces,       D_a = V Λ V⁻¹ one operator for each axis,

C_p and F_pa small matrices of the fields: one of them per product of eigenvectors. F_pa D_a is nearest to the operators of all pairs of fields; it is exact where these are numbers times one operator, as -u_xx/2 + V(x) u is of both parts of a wave function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lrfm.discretize.box.operator import BoxOperator, LinearPatch, Slope
from lrfm.discretize.options import ROUNDING, SAFEGUARDS
from lrfm.spaces.series.polynomials import along

if TYPE_CHECKING:
    from lrfm.discretize.box.galerkin import BoxGalerkin


class Separable:
    """A(s)⁻¹ nearly: the fields, or some of them, in groups that have the same conditions."""

    def __init__(self, operator: BoxOperator, some: Sequence[int] | None = None):
        made = operator.made
        fields = range(made.fields) if some is None else some
        self.made, self.groups = made, [Group(operator, own) for own in _groups(made, fields)]

    def solve(self, right: np.ndarray, weights: Sequence[complex]) -> np.ndarray:
        """Coefficients (fields, *sizes) from rows, zero of fields that are left out."""
        kind = np.result_type(right.dtype, *[type(w) for w in weights])
        found = np.zeros(right.shape, dtype=kind)
        for group in self.groups:
            found[group.fields] = group.solve(right[group.fields], weights)
        absent = self.made.tests.absent
        found[absent] = right[absent]
        return found


def _groups(made: BoxGalerkin, fields: Sequence[int]) -> list[list[int]]:
    """Fields with the same tests and conditions along all axes."""
    tests, found = made.tests, []
    axes = range(made.mesh.dimension)
    for i in fields:
        for group in found:
            j = group[0]
            same = (
                tests.inner(i, a) == tests.inner(j, a) and np.allclose(tests.rows[i, a], tests.rows[j, a])
                for a in axes
            )
            if all(same):
                group.append(i)
                break
        else:
            found.append([i])
    return found


@dataclass(frozen=True)
class Axis:
    """One axis of a group: inner tests, V⁻¹ of rows, R⁻¹V of what is found, D of what conditions give, eigenvalues."""

    inner: int
    into: np.ndarray
    back: np.ndarray
    faces: np.ndarray
    values: np.ndarray


class Group:
    """Fields that share eigenvectors."""

    def __init__(self, operator: BoxOperator, fields: list[int]):
        self.made, self.fields = operator.made, fields
        count, axes = len(fields), range(self.made.mesh.dimension)
        self._returns = [self.made.tests.returned(fields[0], a) for a in axes]
        self.numbers = np.zeros((operator.top + 1, count, count))
        blocks: list[dict[tuple[int, int, int], np.ndarray]] = [{} for _ in axes]
        for part in operator.parts:
            if part.patch.wall is not None or part.patch.field not in fields:
                continue
            for slope in part.slopes:
                if slope.field in fields:
                    key = slope.power, fields.index(part.patch.field), fields.index(slope.field)
                    self._add(blocks, key, part, slope)
        self.factors = np.zeros((len(blocks), *self.numbers.shape))
        self.axes = [self._axis(a, blocks[a]) for a in axes]
        self._bound = self._face_rows()
        self._known: dict[tuple[complex, ...], np.ndarray] = {}

    def _add(self, blocks: list[dict], key: tuple[int, int, int], part: LinearPatch, slope: Slope) -> None:
        """A slope as operators along the axes."""
        held = [a for a, n in enumerate(slope.orders) if n]
        if len(held) > 1:
            return
        values = slope.values
        if not held:
            mean = self._mean(values, ())
            self.numbers[key] += mean
            along_axes = [(a, self._mean(values, (a,)) - mean) for a in range(len(blocks)) if values.ndim]
        else:
            along_axes = [(held[0], self._mean(values, (held[0],)))]
        for a, g in along_axes:
            table = self.made._table(part.patch, a, slope.orders[a])
            own = part.patch.tests[a] @ (np.reshape(g, (-1, 1)) * table) @ self._returns[a]
            blocks[a][key] = blocks[a].get(key, 0.0) + own

    def _mean(self, values: np.ndarray, kept: tuple[int, ...]) -> np.ndarray:
        """The mean over all axes but these."""
        for a in reversed(range(values.ndim)):
            if a not in kept:
                # The first function of every axis is one: its projection is a mean.
                values = np.moveaxis(values, a, -1) @ self.made.tests.projections[a][0]
        return values

    def _axis(self, axis: int, blocks: dict[tuple[int, int, int], np.ndarray]) -> Axis:
        """D of an axis, the largest of the operators, and what the others are of it."""
        i, size = self.fields[0], self.made.sizes[axis]
        n, back = self.made.tests.inner(i, axis), self._returns[axis]
        norms = {key: np.linalg.norm(own[:, :n]) for key, own in blocks.items()}
        if not norms or max(norms.values()) == 0:
            return Axis(n, np.eye(n), back[:, :n], np.zeros((n, size - n)), np.zeros(n))
        told = blocks[max(norms, key=lambda key: norms[key])]
        inner = told[:, :n]
        for key, own in blocks.items():
            self.factors[(axis, *key)] = np.sum(own[:, :n] * inner) / np.sum(inner**2)
        values, vectors, inverse = _eigenvectors(inner)
        return Axis(n, inverse, back[:, :n] @ vectors, told[:, n:], values)

    def _face_rows(self) -> np.ndarray:
        """What rows of conditions are divided by to be those of R: (fields, *sizes), zero inside."""
        made, found = self.made, np.zeros((len(self.fields), *self.made.sizes))
        for patch in made.tests.patches:
            if patch.wall is not None and patch.field in self.fields:
                length = made.tests.length(patch.wall, patch.wall.axis)
                found[(self.fields.index(patch.field), *patch.target)] = length
        return found

    def solve(self, right: np.ndarray, weights: Sequence[complex]) -> np.ndarray:
        """Coefficients (fields, *sizes) from rows."""
        inside = (slice(None), *(slice(0, axis.inner) for axis in self.axes))
        inner, held = right[inside], None
        if np.any(right[self._bound != 0]):
            held = np.where(self._bound != 0, right / np.where(self._bound != 0, self._bound, 1.0), 0.0)
            inner = inner - self._from_faces(held, weights)
        for a, axis in enumerate(self.axes):
            inner = along(axis.into, inner, 1 + a)
        symbol = self._symbol(weights)
        if len(self.fields) == 1:
            inner = inner * symbol
        else:
            inner = np.einsum("...ij,j...->i...", symbol, inner)
        for a, axis in enumerate(self.axes):
            inner = along(axis.back, inner, 1 + a)
        if not any(np.iscomplexobj(part) for part in (right, np.array(weights))):
            inner = np.real(inner)
        if held is not None:
            for a, back in enumerate(self._returns):
                held = along(back, held, 1 + a)
            inner = inner + held
        return inner

    def _from_faces(self, held: np.ndarray, weights: Sequence[complex]) -> np.ndarray:
        """What values on faces make of the rows inside."""
        total = 0.0
        for a, axis in enumerate(self.axes):
            if not axis.faces.size:
                continue
            factor = np.tensordot(np.array(weights)[: len(self.numbers)], self.factors[a], axes=1)
            at = [slice(None), *(slice(0, other.inner) for other in self.axes)]
            at[1 + a] = slice(axis.inner, None)
            given = along(axis.faces, held[tuple(at)], 1 + a)
            total = total + np.einsum("ij,j...->i...", factor, given)
        return np.asarray(total)

    def _symbol(self, weights: Sequence[complex]) -> np.ndarray:
        """The inverse of Σ_p s^p (C_p + Σ_a F_pa λ_a): (*inner, fields, fields), or of one field (1, *inner)."""
        key = tuple(weights)
        if key not in self._known:
            w = np.array(weights)[: len(self.numbers)]
            total = np.tensordot(w, self.numbers, axes=1)
            for a, axis in enumerate(self.axes):
                shape = [-1 if b == a else 1 for b in range(len(self.axes))]
                own = axis.values.reshape(*shape, 1, 1) * np.tensordot(w, self.factors[a], axes=1)
                total = total + own
            total = np.broadcast_to(total, (*(x.inner for x in self.axes), *total.shape[-2:]))
            self._known = dict([*self._known.items()][1 - SAFEGUARDS.factors :]) | {key: _inverted(total)}
        return self._known[key]


def _inverted(symbol: np.ndarray) -> np.ndarray:
    """Inverses of small matrices; of those without one of a matrix next to it."""
    size = np.max(np.abs(symbol), axis=(-2, -1), keepdims=True)
    largest = float(np.max(size))
    unit = np.eye(symbol.shape[-1])
    if symbol.shape[-1] == 1:
        safe = np.where(size > ROUNDING.sums * largest, symbol, largest)
        return np.moveaxis(1 / safe[..., 0], -1, 0)
    bad = np.abs(np.linalg.det(symbol / np.maximum(size, 1e-300))) < ROUNDING.sums
    return np.linalg.inv(
        np.where(bad[..., None, None], np.maximum(size, ROUNDING.sums * largest) * unit, symbol)
    )


def _eigenvectors(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Λ, V and V⁻¹; of the symmetric part where V is next to singular, as that of strong transport is."""
    even = (matrix + matrix.T) / 2
    if np.max(np.abs(matrix - even)) > ROUNDING.zero * np.max(np.abs(matrix)):
        values, vectors = np.linalg.eig(matrix)
        if np.linalg.cond(vectors) < 1 / ROUNDING.small:
            return values, vectors, np.linalg.inv(vectors)
    values, vectors = np.linalg.eigh(even)
    return values, vectors, vectors.T
