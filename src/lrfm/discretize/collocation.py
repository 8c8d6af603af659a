# SPDX-License-Identifier: MIT
"""Collocation on cells:  F(x, t, D^a y, D^a y′) = 0 at k points of every cell,  y of class C^(m−1),  B(t, y, y′) = 0 at ends and interfaces.

A field of order m in space is a polynomial with k + m coefficients in each cell: k of its equations hold at the points of the cell, m at the
edge to the next one (de Boor, Swartz, SIAM J. Numer. Anal. 10, 1973; Ascher, Christiansen, Russell, COLSYS, 1981). Rows at edges and ends are
algebraic: nothing is differentiated in time for them. Where two layers touch, what is stated there takes the place of continuity. Unknowns of time alone are a border of the band matrix.

For a shift s = hλ of the time scheme the matrix is A(s) = Σ_p s^p B_p: p counts how often the rates of a field are integrated until the derivative in
question is reached; p = 0 are the rates themselves, the mass matrix. A row without rates is divided by its lowest power of s.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from functools import cached_property

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.layout import Layout as Layout
from lrfm.linalg.banded import Banded, Bordered, Solve
from lrfm.problem import Jet, Row
from lrfm.problem.program import Bound
from lrfm.spaces.cells import Mesh

Jets = dict[Jet, np.ndarray]


class Pencil:
    """A(s) = Σ_p s^p B_p, linearized at one state; `mass` applies B₀ to rates."""

    rate = 1.0  # of Newton's method, before it has shown one

    def __init__(self, discretization: CellCollocation, values: np.ndarray):
        self._made, self._values = discretization, values
        self._factors: dict[complex, Solve] = {}

    def at(self, shift: complex) -> Solve:
        """The solution of A(s) z = r; each shift is factored once."""
        if shift not in self._factors:
            shift = complex(shift) if np.imag(shift) else float(np.real(shift))
            total = self._values[0].astype(type(shift))
            for power, values in enumerate(self._values[1:], start=1):
                total = total + shift**power * values
            solve, lowest = self._made.solver.factor(total), self._made.lowest
            scale = shift ** (-lowest.astype(float))
            self._factors[shift] = lambda r: solve(r * (scale if r.ndim == 1 else scale[:, None]))
        return self._factors[shift]

    def roughly(self, shift: complex) -> Solve:
        """The same: factors cost more than their use."""
        return self.at(shift)

    def entries(self, power: int) -> np.ndarray:
        """Of B_p, in the order of `rows` and `columns`."""
        return self._values[power]

    def rates(self, right: np.ndarray) -> np.ndarray:
        """The limit s → 0: rates with given right sides, those of rows without rates differentiated in time."""
        return self._made.solver.factor(self._values[0])(right)

    def apply(self, vector: np.ndarray, power: int) -> np.ndarray:
        """B_p v of the rows in which rates occur; zero in all others."""
        made = self._made
        if power >= len(self._values):
            return np.zeros(made.size)
        found = np.bincount(made.rows, self._values[power] * vector[made.columns], minlength=made.size)
        return np.where(made.lowest == 0, found, 0.0)


class CellCollocation:
    """A statement on the cells of one mesh: residuals, matrices and norms.

    States are arrays (components, cells, size), rates (fields, cells, size); a field of time alone is the first coefficient of all cells.
    """

    keeps = True  # rows that do not change in time, since their points do not move

    def __init__(self, layout: Layout, mesh: Mesh):
        self.layout, self.mesh, self.system = layout, mesh, layout.system
        self.x = mesh.places(layout.reference.points)
        self.stretch = (2.0 / mesh.widths)[:, None] ** np.arange(layout.reference.at_points.shape[0])
        self.kept: dict[
            tuple[str, int, int], Bound
        ] = {}  # rows that do not change in time, by number and count of times
        located = tuple(int(mesh.locate(np.array([place]))[0][0]) for place in layout.places)
        edges = tuple(int(np.argmin(np.abs(mesh.edges - c.place))) for c in self.system.conditions)
        self.numbers = layout.numbering(mesh.size, located, edges)
        self.size, self.lowest = self.numbers.size, self.numbers.lowest

    def restated(self, system: EvolutionSystem) -> CellCollocation:
        """Another statement with the same derivatives on the same cells: all tables and numbers are shared."""
        other = copy(self)
        other.layout = copy(self.layout)
        object.__setattr__(other.layout, "system", system)
        other.system, other.kept = system, {}
        return other

    @cached_property
    def wanted(self) -> list[Jet]:
        """What the equations ask for."""
        return list(dict.fromkeys(jet for row in self.system.equations for jet in row.jets))

    @cached_property
    def auxiliary(self) -> list[int]:
        """Components that stand for means and values in formulas."""
        return [self.system.first[f.field] for f in self.system.problem.functionals if f.whole]

    @property
    def lumped(self) -> list[int]:
        """Fields of time alone."""
        return self.layout.lumped

    def predicted(self, rates: np.ndarray) -> np.ndarray:
        """Rates (times, fields, cells, size) as they are extended from an earlier step: what is one number for all cells stays one, since rounding that differs would be extended on and on."""
        for i in self.lumped:
            rates[:, i] = rates[:, i, -1:]
        return rates

    @property
    def filters(self) -> bool:
        """Whether the rates alone say what becomes of an error: fields of first order in time."""
        return not self.system.links

    # Values -------------------------------------------------------------------------------------------------

    def scatter(self, vector: np.ndarray) -> np.ndarray:
        """Coefficients (…, fields, cells, size) from a vector (…, n)."""
        at, there = self.numbers.columns
        result = vector[..., at]
        return result if self.numbers.full else np.where(there, result, 0.0)

    def gather(self, coefficients: np.ndarray) -> np.ndarray:
        """The vector (…, n) of coefficients (…, fields, cells, size)."""
        return coefficients.reshape(*coefficients.shape[:-3], -1)[..., self.numbers.places]

    @cached_property
    def _scales(self) -> np.ndarray:
        """(2/w)^d of each of the layout's derivatives, by cell."""
        return np.repeat(self.stretch, self.layout.count + 2, axis=1)

    def evaluated(self, coefficients: np.ndarray, highest: int | None = None) -> np.ndarray:
        """Derivatives up to some order at points and ends of all cells: (times, components, cells, (orders)·(k + 2))."""
        count = (self.layout.highest_table if highest is None else highest) + 1
        columns = count * (self.layout.count + 2)
        flat = coefficients.reshape(-1, coefficients.shape[-1]) @ self.layout.derivatives[:, :columns]
        found = flat.reshape(*coefficients.shape[:-1], columns)
        return found * self._scales[:, :columns] if count > 1 else found

    def derived(self, times: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of y and of the rates that rows ask for, at points and ends of all cells at each time."""
        return self.evaluated(y), self.evaluated(z, self.layout.rate_order)

    def _jets(self, wanted: Iterable[Jet], y: np.ndarray, z: np.ndarray) -> Jets:
        """Derivatives at the points of every cell, from those `evaluated`: each (times·cells·points,)."""
        found: Jets = {}
        k = self.layout.count
        for jet in wanted:
            _, component, order, power = self.layout.powers[jet]
            at = order * (k + 2)
            found[jet] = (z if power == 0 else y)[:, component, :, at : at + k].reshape(-1)
        return found

    def _at_condition(self, number: int, y: np.ndarray, z: np.ndarray) -> Jets:
        """Derivatives in a condition, from those `evaluated`: each (times,)."""
        found: Jets = {}
        k = self.layout.count
        for jet, (cell, end) in self.numbers.seen[number].items():
            _, component, order, power = self.layout.powers[jet]
            found[jet] = (z if power == 0 else y)[:, component, cell, order * (k + 2) + k + end]
        return found

    def _at_place(self, wanted: Iterable[Jet], y: np.ndarray, z: np.ndarray, place: float) -> Jets:
        """Derivatives at a place, from coefficients: each (times,)."""
        cell, tables = self._located(place)
        found: Jets = {}
        for jet in wanted:
            _, component, order, power = self.layout.powers[jet]
            source = (z if power == 0 else y)[:, component, cell]
            found[jet] = source @ tables[order] * self.stretch[cell, order]
        return found

    def _points(self, times: np.ndarray) -> np.ndarray:
        x = self.x.ravel()
        points = np.empty((len(times), len(x), 2))
        points[:, :, 0], points[:, :, 1] = x, times[:, None]
        return points.reshape(-1, 2)

    def at(self, times: np.ndarray) -> Instants:
        """The rows at some times, with all that is given there: residuals of an iteration share it."""
        return Instants(self, np.asarray(times, dtype=float))

    def residual(self, times: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """All rows at some times: y and z are (times, components, cells, size), the result (times, n)."""
        return self.at(times).residual(y, z)

    def _located(self, place: float) -> tuple[int, np.ndarray]:
        """The cell of a place, and the derivatives of its functions there."""
        from lrfm.spaces.cells.reference import table

        (cell,), at = self.mesh.locate(np.array([place]))
        return int(cell), np.stack(
            [table(at, self.layout.size, d)[0] for d in range(self.layout.highest + 1)]
        )

    @cached_property
    def _weights(self) -> np.ndarray:
        """Of the mean over the interval."""
        share = self.mesh.widths / np.sum(self.mesh.widths)
        return (share[:, None] * self.layout.reference.weights).ravel()

    # Joints -------------------------------------------------------------------------------------------------

    @cached_property
    def _joints(self) -> list[tuple[int, np.ndarray, np.ndarray]]:
        """Of each field: its number, and the rows (joints, m, size) of both sides, in units of the smaller cell."""
        widths, result = self.mesh.widths, []
        left, right = self.numbers.before, self.numbers.after
        unit = self._narrower
        for i in self.layout.spatial:
            m, size = self.layout.orders[i], self.layout.sizes[i]
            powers = np.arange(m)
            ends = self.layout.reference.at_ends[:, :m, :size]
            before = (unit / widths[left])[:, None, None] ** powers[None, :, None] * ends[1]
            after = (unit / widths[right])[:, None, None] ** powers[None, :, None] * ends[0]
            result.append((i, before, after))
        return result

    def _gaps(self, y: np.ndarray) -> list[np.ndarray]:
        """Jumps of the last components at the joints, from derivatives that were `evaluated`: of each field (times, joints, m)."""
        k, parts = self.layout.count, []
        for i, units in self._units:
            stop, own = units.shape[1] * (k + 2), y[:, self.system.last[i]]
            left, right = own[..., k + 1 : stop : k + 2], own[..., k : stop : k + 2]
            parts.append((left[:, self.numbers.before] - right[:, self.numbers.after]) * units)
        return parts

    @cached_property
    def _narrower(self) -> np.ndarray:
        """Width of the narrower cell at each joint, the unit of its rows."""
        return np.minimum(self.mesh.widths[self.numbers.before], self.mesh.widths[self.numbers.after])

    @cached_property
    def _units(self) -> list[tuple[int, np.ndarray]]:
        """Of each field: its number, and (w/2)^d of the smaller cell at each joint, d < m."""
        half = 0.5 * self._narrower
        return [(i, half[:, None] ** np.arange(self.layout.orders[i])) for i in self.layout.spatial]

    # Matrices -----------------------------------------------------------------------------------------------

    @property
    def rows(self) -> np.ndarray:
        """Of all entries."""
        return self.numbers.pattern[0]

    @property
    def columns(self) -> np.ndarray:
        """Of all entries."""
        return self.numbers.pattern[1]

    @property
    def solver(self) -> Banded | Bordered:
        """Of matrices with this pattern."""
        return self.numbers.solver

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> Pencil:
        """A(s) at a state y (components, cells, size) with rates z of its components."""
        return self.linearizations(np.array([time]), y[None], z[None])[0]

    def linearizations(self, times: np.ndarray, y: np.ndarray, z: np.ndarray) -> list[Pencil]:
        """A(s) at several times, with a state and rates (times, components, cells, size) for each."""
        system, layout, top = self.system, self.layout, self.system.top_power
        points = self._points(times)
        at_y, at_z = self.derived(times, y, z)
        jets = self._jets(self.wanted, at_y, at_z)
        parts: list[list[np.ndarray]] = []
        for i, row in enumerate(system.equations):
            lowest = min(layout.powers[jet][3] for jet in row.jets)
            place = system.places.get(system.first[system.fields[i]]) if i in layout.lumped else None
            if place is None:
                slopes = _slopes(row, points, jets)
                parts += [
                    self._equation_entries(i, j, row, slopes, lowest, top, len(times))
                    for j in self.numbers.fields_in(row)
                ]
            else:
                cell, tables = self._located(place)
                at = np.column_stack([np.full(len(times), place), times])
                slopes = _slopes(row, at, self._at_place(row.jets, y, z, place))
                parts += [
                    self._point_entries(j, slopes, lowest, top, cell, tables, len(times))
                    for j in self.numbers.fields_in(row)
                ]
        for _, before, after in self._joints:
            for side in (before.reshape(1, -1), -after.reshape(1, -1)):
                each = np.repeat(side, len(times), axis=0)
                parts.append([each, *[np.zeros_like(each)] * top])
        for n, c in enumerate(system.conditions):
            lowest = min(layout.powers[jet][3] for jet in c.row.jets)
            at = np.column_stack([np.full(len(times), c.place), times])
            slopes = _slopes(c.row, at, self._at_condition(n, at_y, at_z))
            seen = self.numbers.seen[n]
            for j, cell, end in self.numbers.columns_in(n):
                here = {jet: slope for jet, slope in slopes.items() if seen[jet] == (cell, end)}
                tables = layout.reference.at_ends[end]
                parts.append(self._point_entries(j, here, lowest, top, cell, tables, len(times)))
        entries = np.stack([np.concatenate(found, axis=1) for found in zip(*parts, strict=True)], axis=1)
        return [Pencil(self, values) for values in entries]

    def _equation_entries(
        self, i: int, j: int, row: Row, slopes: Jets, lowest: int, top: int, times: int
    ) -> list[np.ndarray]:
        """Entries of an equation in the columns of a field, by power: (times, entries) each."""
        layout, cells = self.layout, self.mesh.size
        size, tables = layout.sizes[j], layout.reference.at_points
        whole = i in layout.lumped
        found = [np.zeros((times, cells, layout.count, size)) for _ in range(top + 1)]
        for jet in row.jets:
            field, _, order, power = layout.powers[jet]
            if field == j:
                c = np.broadcast_to(slopes[jet], times * self.x.size).reshape(times, *self.x.shape)
                c = c * self.stretch[:, order, None]
                found[power - lowest] += c[..., None] * tables[order][:, :size]
        if whole:
            weights = self._weights.reshape(self.x.shape)
            found = [np.einsum("kq,tkqs->tks", weights, part) for part in found]
            if j in layout.lumped:
                found = [part.sum(axis=1) for part in found]
        return [part.reshape(times, -1) for part in found]

    def _point_entries(
        self, j: int, slopes: Jets, lowest: int, top: int, cell: int, tables: np.ndarray, times: int
    ) -> list[np.ndarray]:
        """Entries of a row that holds at one place, by power: (times, entries) each."""
        size = self.layout.sizes[j]
        found = [np.zeros((times, size)) for _ in range(top + 1)]
        for jet, slope in slopes.items():
            field, _, order, power = self.layout.powers[jet]
            if field == j:
                c = np.broadcast_to(slope, times) * self.stretch[cell, order]
                found[power - lowest] += c[:, None] * tables[order][:size]
        return found

    # Norms --------------------------------------------------------------------------------------------------

    @cached_property
    def shares(self) -> np.ndarray:
        """Each cell's part of the interval."""
        return self.mesh.widths / np.sum(self.mesh.widths)

    def norms(self, coefficients: np.ndarray) -> np.ndarray:
        """Root mean squares over the interval of (…, cells, size)."""
        return np.sqrt(np.einsum("...ks,...ks->...k", coefficients, coefficients) @ self.shares)


class Instants:
    """The rows of a discretization at some times."""

    def __init__(self, made: CellCollocation, times: np.ndarray):
        self.made, self.times = made, times
        layout, system = made.layout, made.system
        self._equations = []
        for i, row in enumerate(system.equations):
            place = system.places[system.first[system.fields[i]]] if i in layout.placed else None
            self._equations.append((row, place, self._bound(("row", i), row, place)))
        self._conditions = [self._bound(("end", n), c.row, c.place) for n, c in enumerate(system.conditions)]

    def _bound(self, name: tuple[str, int], row: Row, place: float | None) -> Bound:
        """F of a row as a function of its jets; what does not change in time is kept with the discretization."""
        key = (*name, len(self.times))
        if key in self.made.kept:
            return self.made.kept[key]
        times = self.times
        points = (
            self.made._points(times)
            if place is None
            else np.column_stack([np.full(len(times), place), times])
        )
        found = row.residual_at(points, list(row.jets))
        if not row.time_dependent and self.made.keeps:
            self.made.kept[key] = found
        return found

    def residual(self, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """F of all rows: y and z are (times, components, cells, size), the result (times, n)."""
        made, count = self.made, len(self.times)
        at_y, at_z = made.derived(self.times, y, z)
        jets = made._jets(made.wanted, at_y, at_z)
        parts = []
        for i, (row, place, bound) in enumerate(self._equations):
            if place is not None:
                (values,) = bound(list(made._at_place(row.jets, y, z, place).values()))
                parts.append(np.broadcast_to(values, (count,))[:, None])
                continue
            (values,) = bound([jets[jet] for jet in row.jets])
            if np.ndim(values) == 0:
                values = np.broadcast_to(values, (count * made.x.size,))
            values = values.reshape(count, -1)
            parts.append((values @ made._weights)[:, None] if i in made.lumped else values)
        parts += [gap.reshape(count, -1) for gap in made._gaps(at_y)]
        for n, bound in enumerate(self._conditions):
            (value,) = bound(list(made._at_condition(n, at_y, at_z).values()))
            parts.append(np.broadcast_to(np.asarray(value), (count,))[:, None])
        return np.concatenate(parts, axis=1)[:, made.numbers.order]


def _slopes(row: Row, points: np.ndarray, jets: Mapping[Jet, np.ndarray]) -> Jets:
    """∂F/∂(D^a u) at points."""
    total: Jets = dict(row.coefficients(points))
    if not row.linear:
        more = row.nonlinear(points, {jet: jets[jet] for jet in row.nonlinear_jets}, False)[1]
        for jet, c in more.items():
            total[jet] = total[jet] + c if jet in total else c
    return {jet: total.get(jet, np.zeros(())) for jet in row.jets}
