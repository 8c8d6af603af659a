# SPDX-License-Identifier: MIT
"""Rows of a statement whose functions are polynomials along several axes, and their matrices by diagonalization (Lynch, Rice, Thomas, Numer. Math. 6, 1964).

With tests W_a and conditions B_a of each axis, R_a = (W_aᵀ; B_a), a state in *row coordinates* is r = ⊗R_a c: means with tests of all axes, and, on faces, conditions. Then

    interior:  (e + s f_k) r + s Σ_a (L_a r + C_a r_face) = right,     L_a = W_aᵀ G_a W_a,   C_a = W_aᵀ G_a B_aᵀ(B_a B_aᵀ)⁻¹,      faces:  r = what is given,

G_a the even derivatives along the axis. L_a are symmetric, L_a = V Λ Vᵀ, so that A(s)⁻¹ is two products per axis and a division. What is not of this form stays in the rest.
"""

from __future__ import annotations

import itertools
from functools import cached_property

import numpy as np

from lrfm.discretize.box.spectral_form import SpectralForm
from lrfm.discretize.box.wall_data import GivenOnWalls, Wall, walls_of
from lrfm.discretize.box.wall_rows import check_conditions, functionals
from lrfm.discretize.evolution import Condition, Unsuited
from lrfm.discretize.options import ROUNDING
from lrfm.linalg.banded import Solve
from lrfm.problem.expression import is_zero
from lrfm.spaces.series import ODD, Modes
from lrfm.spaces.series.polynomials import along


class BoxRows(GivenOnWalls):
    """Tests, conditions and matrices of each axis with polynomials, for every field."""

    undetermined: tuple[int, ...] = ()

    def __init__(self, form: SpectralForm, mesh: Modes):
        self.form, self.mesh, self.system = form, mesh, form.system
        if self.system.algebraic:
            raise Unsuited("Polynomials along several axes are for unknowns with rates of their own.")
        self.axes = form.polynomial
        self.conditions: dict[tuple[int, int], list[Condition]] = {
            (i, a): [] for i in range(len(self.system.fields)) for a in self.axes
        }
        for c in self.system.conditions:
            if c.axis in self.axes:
                self.conditions[self.system.last.index(c.own), c.axis].append(c)
        check_conditions(self.system, self.all_conditions)
        self.tests = {key: self._tests(*key) for key in self.conditions}
        self._split()

    def check_means(self) -> None:
        """Nothing is replaced."""

    # Axes ---------------------------------------------------------------------------------------------------

    def _functionals(self, i: int, axis: int) -> np.ndarray:
        """B of an axis: (conditions, K + 1), each of length one."""
        found = np.zeros((len(self.conditions[i, axis]), self.mesh.shape[axis]))
        for row, condition in zip(found, self.conditions[i, axis], strict=True):
            for c, functional in functionals(self.form, self.mesh, condition):
                if c.component != condition.own or any(n for a, n in enumerate(c.index) if a != axis):
                    raise Unsuited(
                        "A condition on a face holds other unknowns, or derivatives along the face."
                    )
                row += c.factor * functional
        return found

    def _tests(self, i: int, axis: int) -> np.ndarray:
        """R of an axis: orthonormal polynomials that meet the conditions, then the conditions."""
        own = self._functionals(i, axis)
        if np.linalg.matrix_rank(own) < len(own):
            raise Unsuited("Two conditions say the same of an unknown.")
        inner = np.linalg.qr(own.T, mode="complete")[0][:, len(own) :] if len(own) else np.eye(own.shape[1])
        return np.vstack([inner.T, own])

    def inner(self, i: int, axis: int) -> int:
        """How many tests an axis has."""
        return self.mesh.shape[axis] - len(self.conditions[i, axis])

    @cached_property
    def back(self) -> dict[tuple[int, int], np.ndarray]:
        """R⁻¹ = (W, Bᵀ(BBᵀ)⁻¹) of each field and axis."""
        found = {}
        for key, r in self.tests.items():
            n = self.inner(*key)
            found[key] = np.hstack([r[:n].T, np.linalg.pinv(r[n:])])
        return found

    def _split(self) -> None:
        """e of each field, and by power of s f_k of each field and G_a of each of its axes, from the linear terms."""
        mesh, fields = self.mesh, range(len(self.system.fields))
        self.powers = range(1, self.system.top_power + 1)
        self.masses = np.zeros(len(fields))
        self.factors = np.zeros((len(self.powers) + 1, len(fields), *mesh.shape))
        self.slopes = {
            key: np.zeros((len(self.powers) + 1, mesh.shape[key[1]], mesh.shape[key[1]]))
            for key in self.conditions
        }
        for i in fields:
            for c in self.form.constants[i]:
                across = [a for a in self.axes if c.index[a]]
                power = self.system.power(c.component, c.rate)[1]
                if c.rate:
                    self.masses[i] += c.factor
                elif across:
                    own = c.factor * mesh.slope(across[0], c.index[across[0]])
                    self.slopes[i, across[0]][power] += own
                else:
                    symbol = c.factor * mesh.symbol(c.index, self.form.parities[c.component])[0]
                    self.factors[power, i] += np.real(symbol)
            if self.masses[i] == 0:
                raise Unsuited("A field has no rate of its own.")

    # Row coordinates ------------------------------------------------------------------------------------------

    def turned(self, coefficients: np.ndarray, i: int) -> np.ndarray:
        """⊗R_a c of a field, (*shape)."""
        for a in self.axes:
            coefficients = along(self.tests[i, a], coefficients, a)
        return coefficients

    def returned(self, rows: np.ndarray, i: int) -> np.ndarray:
        """The other way round."""
        for a in self.axes:
            rows = along(self.back[i, a], rows, a)
        return rows

    @cached_property
    def faces(self) -> np.ndarray:
        """Which rows of each field are conditions: (fields, *shape)."""
        found = np.zeros((len(self.system.fields), *self.mesh.shape), dtype=bool)
        for (i, a), _ in self.tests.items():
            found[i] |= self.mesh.along(a, np.arange(self.mesh.shape[a]) >= self.inner(i, a))
        return found

    @property
    def lowest_rows(self) -> np.ndarray:
        """The lowest power of s of every row."""
        return self.faces.astype(int)

    def linear(self, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Linear terms of all rows: coefficients (times, components, *shape) to (times, fields, *shape)."""
        found = np.zeros((len(y), len(self.system.fields), *self.mesh.shape), dtype=y.dtype)
        for t, (i, last) in itertools.product(range(len(y)), enumerate(self.system.last)):
            own = self.masses[i] * z[t, last]
            for power in self.powers[: self.levels(i)]:
                own = own + self.part(y[t, last - power + 1], i, power)
            found[t, i] = np.where(self.faces[i], self.turned(y[t, last], i), self.turned(own, i))
        return found

    def levels(self, i: int) -> int:
        """How many components a field has: its order in time."""
        return max(1, self.system.orders[self.system.fields[i]])

    def part(self, coefficients: np.ndarray, i: int, power: int) -> np.ndarray:
        """The terms of one power of s of a field on coefficients (*shape, …)."""
        more = coefficients.ndim - self.mesh.dimension
        found = self.factors[power, i].reshape(*self.mesh.shape, *[1] * more) * coefficients
        for a in self.axes:
            if np.any(self.slopes[i, a][power]):
                found = found + along(self.slopes[i, a][power], coefficients, a)
        return found

    def test(self, n: np.ndarray, rows: set[int]) -> None:
        """Coefficients of the rest to rows, in place."""
        for i in rows:
            n[i] = np.where(self.faces[i], 0.0, self.turned(n[i], i))

    def replace(self, found: np.ndarray, y: np.ndarray, z: np.ndarray) -> None:
        """Mode zero of sines is not there."""
        for i, c in enumerate(self.system.last):
            for a, parity in enumerate(self.form.parities[c]):
                if parity == ODD:
                    at: list[slice | int] = [slice(None)] * self.mesh.dimension
                    at[a] = 0
                    own = np.where(self.faces[i], y[:, c], self.masses[i] * z[:, c])
                    found[(slice(None), i, *at)] = own[(slice(None), *at)]

    # What is given on faces -----------------------------------------------------------------------------------

    @property
    def all_conditions(self) -> list[Condition]:
        """Of all fields and faces."""
        return [c for own in self.conditions.values() for c in own]

    @cached_property
    def _walls(self) -> dict[tuple[int, bool], Wall]:
        return walls_of(self.mesh, self.axes)

    def _made(self, time: float) -> np.ndarray:
        mesh = self.mesh
        found = np.zeros((len(self.system.fields), *mesh.shape), dtype=mesh.dtype)
        for (i, axis), conditions in reversed(list(self.conditions.items())):
            for n, condition in enumerate(conditions):
                at: list[slice | int] = [slice(None)] * mesh.dimension
                at[axis] = self.inner(i, axis) + n
                if is_zero(condition.row.source_part):
                    found[(i, *at)] = 0.0
                    continue
                wall = self._walls[axis, condition.upper]
                whole = wall.coefficients(condition, time, self.form.parities[condition.own])
                for a in self.axes:
                    whole = along(self.tests[i, a], whole, a) if a != axis else whole
                first = list(at)
                first[axis] = 0
                found[(i, *at)] = whole[tuple(first)]
        return found


class BoxPencil:
    """A(s) by the eigenvectors of each axis."""

    rate = 1.0  # of Newton's method: not known beforehand, since a rest is left out

    def __init__(self, rows: BoxRows):
        self.rows, self.mesh = rows, rows.mesh
        self.vectors: dict[tuple[int, int], np.ndarray] = {}
        self.couplings: dict[tuple[int, int], np.ndarray] = {}
        self.symbols = rows.factors.copy()
        for (i, a), r in rows.tests.items():
            n = rows.inner(i, a)
            whole = r @ rows.slopes[i, a] @ rows.back[i, a]
            inner = whole[:, :n, :n]
            full = np.eye(len(r))
            full[:n, :n] = np.linalg.eigh(self._told(inner))[1]
            turned = full[:n, :n].T @ inner @ full[:n, :n]
            values = np.diagonal(turned, axis1=1, axis2=2)
            if np.max(np.abs(turned - values[:, None] * np.eye(n)), initial=0.0) > ROUNDING.zero * _size(
                inner
            ):
                raise Unsuited("The operators along an axis have no common eigenvectors with its conditions.")
            self.vectors[i, a], self.couplings[i, a] = full, np.zeros_like(whole)
            self.couplings[i, a][:, :n, n:] = whole[:, :n, n:]
            for power in rows.powers:
                own = np.append(values[power], np.zeros(len(r) - n))
                self.symbols[power, i] += self.mesh.along(a, own)

    @staticmethod
    def _told(inner: np.ndarray) -> np.ndarray:
        """The operator along an axis whose eigenvectors are those of all powers: the largest one; Unsuited where it is not symmetric."""
        own = max(inner, key=_size)
        if np.max(np.abs(own - own.T), initial=0.0) > ROUNDING.zero * _size(own):
            raise Unsuited("The operator along an axis is not symmetric with its conditions.")
        return (own + own.T) / 2

    def _fields(self, vector: np.ndarray) -> np.ndarray:
        """A vector (n,) as arrays (fields, *shape, parts)."""
        return vector.reshape(self.symbols.shape[1], *self.mesh.shape, -1)

    def _solved(self, right: np.ndarray, shift: complex, faces: float | complex) -> np.ndarray:
        """Row coordinates with the interior of A(s) z = r, and s^faces z = r on faces, to coefficients."""
        rows, found = self.rows, []
        weights = np.array([shift**p for p in (0, *rows.powers)])
        for i, own in enumerate(self._fields(right)):
            bound = rows.faces[i][..., None]
            held = np.where(bound, own / faces, 0.0)
            inner = np.where(bound, 0.0, own)
            for a in rows.axes:
                coupling = np.tensordot(weights, self.couplings[i, a], axes=1)
                inner = inner - np.where(bound, 0.0, along(coupling, held, a))
            for a in rows.axes:
                inner = along(self.vectors[i, a].T, inner, a)
            inner = inner / (rows.masses[i] + np.tensordot(weights, self.symbols[:, i], axes=1))[..., None]
            for a in rows.axes:
                inner = along(self.vectors[i, a], inner, a)
            found.append(rows.returned(np.where(bound, held, inner), i))
        return np.stack(found).reshape(-1)

    def at(self, shift: complex) -> Solve:
        """The solution of A(s) z = r."""
        s = complex(shift) if np.imag(shift) else float(np.real(shift))
        return lambda right: self._solved(right, s, s)

    roughly = at  # nothing is saved by fewer digits

    def rates(self, right: np.ndarray) -> np.ndarray:
        """The limit s → 0: rates, those of conditions differentiated in time."""
        return self._solved(right, 0.0, 1.0)

    projected = rates

    def apply(self, vector: np.ndarray, power: int) -> np.ndarray:
        """B_p v of the rows in which rates occur; zero in all others."""
        rows, found = self.rows, []
        for i, own in enumerate(self._fields(vector)):
            if power == 0:
                part = rows.masses[i] * own
            else:
                part = rows.part(own, i, power) if power in rows.powers else 0.0 * own
            found.append(np.where(rows.faces[i][..., None], 0.0, rows.turned(part, i)))
        return np.stack(found).reshape(-1)


def _size(matrices: np.ndarray) -> float:
    """The largest entry."""
    return max(float(np.max(np.abs(matrices), initial=0.0)), np.finfo(float).tiny)
