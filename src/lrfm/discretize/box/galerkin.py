# SPDX-License-Identifier: MIT
"""A statement on a box with walls:  F(t, y, y′) = 0  in the coefficients of products of Legendre polynomials, all terms of it in one dense matrix.

Rows are means of products of tests and residuals on a grid of Gauss points, for equations and conditions alike (`BoxTests`). A block of the matrix is

    Σ_ij T_ri T_sj g(x_i, y_j) U_ik U_jl   =   Σ_i (T_ri U_ik) Σ_j g_ij (T_sj U_jl),

T tests, U derivatives of polynomials, g the slope of a row by one of its jets: one axis after the other (Orszag, J. Comput. Phys. 37, 1980), and products of matrices of the axes where g is a number.
"""

from __future__ import annotations

from functools import cached_property, reduce

import numpy as np

from lrfm.discretize.box.axis_tests import BoxTests, Patch
from lrfm.discretize.box.form import BoxForm
from lrfm.discretize.box.iterated import IteratedPencil
from lrfm.discretize.box.pencil import Dense, DensePencil
from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.line.collocation import Jets, _slopes
from lrfm.discretize.options import ROUNDING
from lrfm.linalg.room import reserve
from lrfm.problem import Jet
from lrfm.problem.algebra import symbols_in
from lrfm.spaces.series import Modes
from lrfm.spaces.series.polynomials import along


class BoxGalerkin:
    """The statement with so many modes."""

    filters = False
    iterative = cycled = False  # a matrix, where there is one, is full

    def __init__(self, form: BoxForm, mesh: Modes):
        self.form, self.mesh, self.system = form, mesh, form.system
        self.tests = BoxTests(form, mesh)
        self.fields, self.sizes = len(form.system.fields), self.tests.sizes
        self.size = mesh.reals * self.fields
        self.shares = np.ones(1)
        self.solver = Dense()
        self._known: tuple[float, DensePencil | IteratedPencil] | None = None
        self._tables: dict[tuple, np.ndarray] = {}
        self._reduced: dict[tuple, np.ndarray] = {}
        self.iterates = form.iterates  # as long as GMRES converges

    @property
    def undetermined(self) -> list[int]:
        """Algebraic components whose mean nothing determines."""
        return self.tests.undetermined

    @cached_property
    def auxiliary(self) -> list[int]:
        """Components that stand for means and values in formulas."""
        return [self.system.first[f.field] for f in self.system.problem.functionals if f.whole]

    # States -------------------------------------------------------------------------------------------------

    def scatter(self, vector: np.ndarray) -> np.ndarray:
        """Coefficients (…, fields, 1, reals) from a vector (…, n)."""
        own = vector.reshape(*vector.shape[:-1], self.fields, *self.sizes)
        return self._flat(own)[..., None, :]

    def gather(self, coefficients: np.ndarray) -> np.ndarray:
        """The vector (…, n) of coefficients (…, fields, 1, reals)."""
        own = self.arranged(coefficients[..., 0, :])
        return own.reshape(*coefficients.shape[:-3], -1)

    def arranged(self, reals: np.ndarray) -> np.ndarray:
        """Arrays (…, *sizes) of (…, reals): real and imaginary parts beside each other along the last circle, cosines and sines along others."""
        mesh, lead = self.mesh, reals.shape[:-1]
        if not mesh.circles:
            return reals.reshape(*lead, *self.sizes)
        modes = mesh.complexes(reals)
        for a in mesh.circles[:-1]:
            modes = along(self._real[a], modes, len(lead) + a)
        parts = np.stack([np.real(modes), np.imag(modes)], axis=len(lead) + mesh.halved + 1)
        return parts.reshape(*lead, *self.sizes)

    @cached_property
    def _real(self) -> dict[int, np.ndarray]:
        """a = c_k + c_−k of cosines and b = i (c_k − c_−k) of sines from c, along circles but the last."""
        found = {}
        for a in self.mesh.circles[:-1]:
            k = self.mesh.numbers(a)
            same, other = k[:, None] == k, (k[:, None] == -k) & (k != 0)
            found[a] = np.where(k[:, None] >= 0, same + other, 1j * (1.0 * other - same))
        return found

    def _flat(self, arrays: np.ndarray) -> np.ndarray:
        """The other way round."""
        mesh = self.mesh
        lead = arrays.shape[: arrays.ndim - mesh.dimension]
        if not mesh.circles:
            return arrays.reshape(*lead, -1)
        shape = [*mesh.shape[: mesh.halved + 1], 2, *mesh.shape[mesh.halved + 1 :]]
        parts = np.moveaxis(arrays.reshape(*lead, *shape), len(lead) + mesh.halved + 1, 0)
        modes = parts[0] + 1j * parts[1]
        for a in mesh.circles[:-1]:
            modes = along(np.linalg.inv(self._real[a]), modes, len(lead) + a)
        return mesh.flat(modes)

    def predicted(self, rates: np.ndarray) -> np.ndarray:
        """Rates as they are extended from an earlier step: every coefficient has a row."""
        return rates

    def norms(self, coefficients: np.ndarray) -> np.ndarray:
        """Root mean squares over the box of (…, 1, reals)."""
        return np.sqrt((coefficients**2) @ self.mesh.flat_weights)[..., 0]

    # Rows ---------------------------------------------------------------------------------------------------

    def _table(self, patch: Patch, axis: int, order: int) -> np.ndarray:
        """∂^order of the functions of an axis at the places of a patch."""
        key = axis, order, None if len(patch.places[axis]) > 1 else float(patch.places[axis][0])
        if key not in self._tables:
            self._tables[key] = self.tests.functions(axis, patch.places[axis], order)
        return self._tables[key]

    def tested(self, patch: Patch, axis: int, order: int) -> np.ndarray:
        """T U: what tests of a patch make of derivatives along an axis."""
        key = id(patch), axis, order
        if key not in self._reduced:
            self._reduced[key] = patch.tests[axis] @ self._table(patch, axis, order)
        return self._reduced[key]

    def _jets(self, patch: Patch, y: np.ndarray, z: np.ndarray) -> Jets:
        """Derivatives at the places of a patch, at all times one after the other; y and z are (times, components, *sizes)."""
        found: Jets = {}
        for jet in patch.row.jets:
            component, index, rate = self.system.entry(jet)
            own = (z if rate else y)[:, component]
            for a, order in enumerate(index):
                own = along(self._table(patch, a, order), own, 1 + a)
            found[jet] = own.ravel()
        return found

    def at(self, times: np.ndarray) -> BoxInstants:
        """The rows at some times."""
        return BoxInstants(self, np.asarray(times, dtype=float))

    def residual(self, times: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """F of all rows at some times: (times, n)."""
        return self.at(times).residual(y, z)

    def power(self, jet: Jet) -> tuple[int, int]:
        """The field of a jet, and the power of s with which its last rate enters it."""
        component, _, rate = self.system.entry(jet)
        return self.system.power(component, rate)

    @cached_property
    def lowest(self) -> np.ndarray:
        """The lowest power of s in each row: (n,)."""
        found = np.zeros((self.fields, *self.sizes), dtype=int)
        for patch in self.tests.patches:
            found[(patch.field, *patch.target)] = self._lowest(patch)
        absent = self.tests.absent
        for i, c in enumerate(self.system.last):
            found[i][absent[i]] = self.system.power(c, False)[1]
        return found.reshape(-1)

    def _lowest(self, patch: Patch) -> int:
        return min(self.power(jet)[1] for jet in patch.row.jets)

    # Matrices -----------------------------------------------------------------------------------------------

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> DensePencil | IteratedPencil:
        """A(s) at a state y (components, 1, reals) with rates z of its components."""
        same = self.system.linear and self.system.stationary
        if self.iterates:
            own = self.arranged(y[:, 0]), self.arranged(z[:, 0])
            return self._iterated if same else IteratedPencil(self, time, *own)
        return self.fixed if same else self.assembled(time, self.arranged(y[:, 0]), self.arranged(z[:, 0]))

    @cached_property
    def _iterated(self) -> IteratedPencil:
        """A(s) without its matrix where it is the same at all states."""
        nothing = np.zeros((len(self.system.components), *self.sizes))
        return IteratedPencil(self, self.system.problem.time[0], nothing, nothing)

    def assembled(self, time: float, y: np.ndarray, z: np.ndarray) -> DensePencil:
        """The matrix at a state (components, *sizes)."""
        return self._completed([matrix.copy() for matrix in self._numbers], time, y, z)

    @cached_property
    def fixed(self) -> DensePencil:
        """A(s) where it is the same at all states."""
        nothing = np.zeros((len(self.system.components), *self.sizes))
        return self._completed(self._numbers, self.system.problem.time[0], nothing, nothing)

    @cached_property
    def _numbers(self) -> list[np.ndarray]:
        """The part of B_p by terms with numbers before them."""
        top = self.system.top_power
        reserve((top + 2) * self.size**2)
        found = [np.zeros((self.size, self.size)) for _ in range(top + 1)]
        for patch in self.tests.patches:
            for jet, factor in patch.row.linear_part.items():
                if jet in patch.row.nonlinear_jets or symbols_in(factor):
                    continue
                number = float(patch.row.affine(patch.points[:1])[1][jet])
                self._add(found, patch, jet, self._product(patch, jet, number))
        return found

    def _completed(self, values: list[np.ndarray], time: float, y: np.ndarray, z: np.ndarray) -> DensePencil:
        """The pencil of `values` and of all terms that are not numbers times jets."""
        for patch in self.tests.patches:
            row = patch.row
            told = [j for j in row.jets if j in row.nonlinear_jets or symbols_in(row.linear_part[j])]
            if not told:
                continue
            patch.points[:, -1] = time
            slopes = _slopes(row, patch.points, self._jets(patch, y[None], z[None]))
            for jet in told:
                if np.any(slopes[jet]):
                    self._add(values, patch, jet, self._block(patch, jet, slopes[jet]))
        at = np.flatnonzero(self.tests.absent)
        for matrix in values:
            matrix[at] = 0.0
        values[0][at, at] = 1.0
        while len(values) > 2 and not np.any(values[-1]):
            values.pop()
        return DensePencil(self, values)

    def _add(self, values: list[np.ndarray], patch: Patch, jet: Jet, block: np.ndarray) -> None:
        count = self.mesh.reals
        numbers = np.arange(count).reshape(self.sizes)[patch.target].ravel() + patch.field * count
        field, power = self.power(jet)
        values[power - self._lowest(patch)][numbers, field * count : (field + 1) * count] += block

    def _factors(self, patch: Patch, jet: Jet) -> list[tuple[np.ndarray, np.ndarray]]:
        """T and U of each axis."""
        orders = self.tests.orders(jet)
        return [(t, self._table(patch, a, orders[a])) for a, t in enumerate(patch.tests)]

    def _product(self, patch: Patch, jet: Jet, number: float) -> np.ndarray:
        """Of a number."""
        return number * reduce(np.kron, [t @ u for t, u in self._factors(patch, jet)])

    def _block(self, patch: Patch, jet: Jet, slope: np.ndarray) -> np.ndarray:
        """Of a function."""
        if not slope.ndim:
            return self._product(patch, jet, float(slope))
        factors, found = self._factors(patch, jet), slope.reshape(patch.grid)
        for t, u in factors:
            both = (t.T[:, :, None] * u[:, None, :]).reshape(len(u), -1)
            found = np.tensordot(found, both, axes=(0, 0))
        shape = [n for t, u in factors for n in (len(t), u.shape[1])]
        axes = range(len(factors))
        found = found.reshape(shape).transpose([*(2 * a for a in axes), *(2 * a + 1 for a in axes)])
        return found.reshape(int(np.prod(shape[0::2])), -1)

    # A consistent start, and other numbers of modes --------------------------------------------------------------

    @cached_property
    def moves(self) -> np.ndarray:
        """Which numbers of a vector belong to fields that have rates."""
        return np.repeat([c not in self.system.algebraic for c in self.system.last], self.mesh.reals)

    def moving(self, vector: np.ndarray) -> np.ndarray:
        """A vector without algebraic unknowns."""
        return np.where(self.moves, vector, 0.0)

    @property
    def plain(self) -> bool:
        """Whether there are multipliers, and all other fields are of first order in time."""
        system = self.system
        return bool(system.multipliers) and not system.links and system.algebraic == system.multipliers

    def _rows_of(self, vector: np.ndarray, time: float) -> np.ndarray:
        """F(t, y, 0)."""
        y = self.scatter(vector)
        return self.residual(np.array([time]), y[None], np.zeros_like(y)[None])[0]

    def terms_of(self, vector: np.ndarray, time: float) -> np.ndarray:
        """All terms of the rows with rates but these."""
        return np.where(self.lowest == 0, self._rows_of(vector, time), 0.0)

    def _pencil(self, time: float) -> DensePencil | IteratedPencil:
        """Of constraints and conditions, which are linear."""
        if self._known is None or (self._known[0] != time and not self.system.autonomous):
            nothing = np.zeros((len(self.system.components), 1, self.mesh.reals))
            self._known = time, self.linearize(time, nothing, nothing)
        return self._known[1]

    def admissible(self, vector: np.ndarray, time: float) -> np.ndarray:
        """The nearest state that meets constraints and conditions."""
        pencil, given = self._pencil(time), self._rows_of(np.zeros(self.size), time)
        found = pencil.projected(np.where(self.lowest == 0, pencil.apply(vector, 0), -given))
        return self.moving(found)

    def projected(self, right: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
        """z and q with  E z + A_q q = r,  C z = 0,  B z = −g′(t)."""
        start, end = self.system.problem.time
        step = ROUNDING.small * (end - start)
        step, nothing = step if time + step <= end else -step, np.zeros(self.size)
        given = (self._rows_of(nothing, time + step) - self._rows_of(nothing, time)) / step
        found = self._pencil(time).projected(np.where(self.lowest == 0, right, -given))
        return self.moving(found), np.where(self.moves, 0.0, found)

    def corrected(self, moved: np.ndarray, before: BoxGalerkin, old: np.ndarray) -> np.ndarray:
        """A state that was moved here from other modes, changed as little as possible so that constraints hold, and conditions as they did there."""
        if not self.plain:
            return moved
        here, there = self._of_rows(moved), before._on_walls(old)
        right = np.where(self.lowest == 0, 0.0, -here)
        own = self._on_walls(moved)
        for patch, gap in zip(self.tests.patches, self._gaps(own, there, before), strict=True):
            if patch.wall is not None:
                whole = right.reshape(self.fields, *self.sizes)
                whole[(patch.field, *patch.target)] = gap
        found = self.scatter(self._pencil(self.system.problem.time[0]).projected(right))
        result = moved.copy()
        for i, c in enumerate(self.system.last):
            if c not in self.system.algebraic:
                result[c] += found[i]
        return result

    def _of_rows(self, y: np.ndarray) -> np.ndarray:
        """Constraints and conditions of a state (components, 1, reals), without what is given."""
        start = self.system.problem.time[0]
        vector = self.gather(y)
        return self._rows_of(vector, start) - self._rows_of(np.zeros(self.size), start)

    def _on_walls(self, y: np.ndarray) -> list[np.ndarray]:
        """The terms of every condition on its wall, in the functions of the axes along it: (*sizes), one along its own."""
        start, found = self.system.problem.time[0], []
        for patch in self.tests.patches:
            if patch.wall is None:
                found.append(np.zeros(()))
                continue
            patch.points[:, -1] = start
            own = self.arranged(y[:, 0])[None]
            values = patch.row.residual(patch.points, self._jets(patch, own, own))
            values = (values - sum(patch.row.source_terms(patch.points))).reshape(patch.grid)
            for a in range(self.mesh.dimension):
                values = values if a == patch.wall.axis else along(self.tests.projections[a], values, a)
            found.append(values)
        return found

    def _gaps(self, here: list[np.ndarray], there: list[np.ndarray], before: BoxGalerkin) -> list[np.ndarray]:
        """What a state lacks on every wall of what it had there, tested."""
        found = []
        for patch, new, old in zip(self.tests.patches, here, there, strict=True):
            if patch.wall is None:
                found.append(new)
                continue
            cut = tuple(slice(0, min(m, n)) for m, n in zip(new.shape, old.shape, strict=True))
            gap = -new
            gap[cut] += old[cut]
            for a in range(self.mesh.dimension):
                if a != patch.wall.axis:
                    gap = along(self.tests.rows[patch.field, a][patch.target[a]], gap, a)
            found.append(gap)
        return found

    def check(self) -> None:
        """Unsuited where a mean that is replaced asks for something that conditions do not say already: the net flux through walls is that of given velocities."""
        system = self.system
        rows = [c.row for c in system.conditions]
        held = {system.entry(j).component for row in rows for j in row.jets}
        if system.multipliers and (held & set(system.multipliers) or not all(r.linear for r in rows)):
            raise Unsuited("Beside a pressure conditions have to be linear ones of the other unknowns.")
        for c in self.undetermined:
            i = system.last.index(c)
            if c not in system.multipliers or not system.equations[i].linear:
                raise Unsuited("The mean of an equation that leaves its unknown open is not zero by itself.")
            told = self.fixed.matrices[0][self._given_rows]
            mean = self._mean_of(self.tests.patches[i])
            left = mean - told.T @ np.linalg.lstsq(told.T, mean, rcond=None)[0]
            if np.linalg.norm(left) > np.sqrt(np.finfo(float).eps) * np.linalg.norm(mean):
                raise Unsuited("Walls do not say how much flows through them, and a pressure has to.")

    @property
    def _given_rows(self) -> np.ndarray:
        """Which rows are conditions."""
        found = np.zeros((self.fields, *self.sizes), dtype=bool)
        for patch in self.tests.patches:
            if patch.wall is not None:
                found[(patch.field, *patch.target)] = True
        return found.reshape(-1)

    def _mean_of(self, patch: Patch) -> np.ndarray:
        """The first row of a patch: the mean of its terms."""
        found = np.zeros(self.size)
        for jet, factor in patch.row.linear_part.items():
            if symbols_in(factor):
                raise Unsuited("A constraint is not linear with numbers as coefficients.")
            number, j = float(patch.row.affine(patch.points[:1])[1][jet]), self.power(jet)[0]
            found[j * self.mesh.reals : (j + 1) * self.mesh.reals] += self._product(patch, jet, number)[0]
        return found


class BoxInstants:
    """The rows at some times: what is given there is evaluated once."""

    def __init__(self, made: BoxGalerkin, times: np.ndarray):
        self.made, self.times = made, times
        self._known: dict[int, dict] = {}

    def _given(self, n: int) -> dict:
        if n not in self._known:
            patch = self.made.tests.patches[n]
            points = np.tile(patch.points, (len(self.times), 1))
            points[:, -1] = np.repeat(self.times, len(patch.points))
            self._known[n] = patch.row.known(points)
        return self._known[n]

    def residual(self, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """F of all rows: y and z are (times, components, 1, reals), the result (times, n)."""
        made = self.made
        y, z = (made.arranged(v[:, :, 0]) for v in (y, z))
        found = np.zeros((len(self.times), made.fields, *made.sizes))
        for n, patch in enumerate(made.tests.patches):
            values = patch.row.residual_of(self._given(n), made._jets(patch, y, z))
            if not values.ndim and not values:
                continue
            shape = (len(self.times), *patch.grid)
            values = np.broadcast_to(values.reshape(shape) if values.ndim else values, shape)
            for a, tests in enumerate(patch.tests):
                values = along(tests, values, 1 + a)
            found[(slice(None), patch.field, *patch.target)] = values
        absent = made.tests.absent
        for i, c in enumerate(made.system.last):
            found[:, i, absent[i]] = y[:, c][:, absent[i]]
        return found.reshape(len(found), -1)
