# SPDX-License-Identifier: MIT
"""Collocation on cells:  F(x, t, D^a y, D^a y′) = 0 at k points of every cell,  y of class C^(m−1),  B(t, y, y′) = 0 at ends and interfaces.

A field of order m in space is a polynomial with k + m coefficients in each cell: k of its equations hold at the points of the cell, m at the
edge to the next one (de Boor, Swartz, SIAM J. Numer. Anal. 10, 1973; Ascher, Christiansen, Russell, COLSYS, 1981). Rows at edges and ends are
algebraic: nothing is differentiated in time for them. Where two layers touch, what is stated there takes the place of continuity. Unknowns of time alone are a border of the band matrix.

For a shift s = hλ of the time scheme the matrix is A(s) = Σ_p s^p B_p: p counts how often the rates of a field are integrated until the derivative in
question is reached; p = 0 are the rates themselves, the mass matrix. A row without rates is divided by its lowest power of s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property

import numpy as np

from lrfm.discretize.evolution import Condition, EvolutionSystem
from lrfm.discretize.line.layout import Layout as Layout
from lrfm.discretize.line.pencil import Instants
from lrfm.discretize.line.pencil import Pencil as Pencil
from lrfm.linalg.banded import Banded, Bordered
from lrfm.problem import Jet, Row
from lrfm.problem.program import Bound
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.reference import values

Jets = dict[Jet, np.ndarray]


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
            tuple[str, int, str, int], Bound
        ] = {}  # rows that do not change in time, and their slopes, by number and count of times
        self._fixed: np.ndarray | None = None  # entries that are the same for all states
        self._instants: dict[int, Instants] = {}  # rows that do not change in time, by count of times
        self._spreads: dict[int, np.ndarray] = {}
        located = tuple(int(mesh.locate(np.array([place]))[0][0]) for place in layout.places)
        edges = tuple(int(np.argmin(np.abs(mesh.edges - c.place))) for c in self.system.conditions)
        self.numbers = layout.numbering(mesh.size, located, edges)
        self.size, self.lowest = self.numbers.size, self.numbers.lowest

    def restated(self, system: EvolutionSystem) -> CellCollocation:
        """Another statement with the same derivatives on the same cells: all tables and numbers are shared."""
        other = copy(self)
        other.layout = copy(self.layout)
        object.__setattr__(other.layout, "system", system)
        other.system = system
        other.kept, other._instants, other._fixed = {}, {}, None
        return other

    def forget(self) -> None:
        """Give up what is kept of given functions: these may have changed."""
        self.kept.clear()
        self._instants.clear()
        self._fixed = None

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
        if self.numbers.natural:
            return vector.reshape(*vector.shape[:-1], *at.shape)
        result = vector.take(at, axis=-1)
        return result if self.numbers.full else np.where(there, result, 0.0)

    def gather(self, coefficients: np.ndarray) -> np.ndarray:
        """The vector (…, n) of coefficients (…, fields, cells, size)."""
        flat = coefficients.reshape(*coefficients.shape[:-3], -1)
        return flat if self.numbers.natural else flat.take(self.numbers.places, axis=-1)

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

    def _read(self, y: np.ndarray, z: np.ndarray) -> list[np.ndarray]:
        """Derivatives that the equations ask for at the points of every cell, from those `evaluated`: each (times·cells·points,)."""
        return [(z if rate else y)[at].reshape(-1) for rate, at in self.layout.reads]

    def _at_condition(self, number: int, y: np.ndarray, z: np.ndarray) -> list[np.ndarray]:
        """Derivatives in a condition, in the order of its jets, from those `evaluated`: each (times,)."""
        return [(z if rate else y)[at] for rate, at in self.numbers.ends[number]]

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
        """The rows at some times, with all that is given there: residuals of an iteration share it, and those of all times where nothing given changes in time."""
        found = self._instants.get(len(times))
        if found is None:
            found = Instants(self, np.asarray(times, dtype=float))
            if self.keeps and self.system.autonomous:
                self._instants[len(times)] = found
        return found

    def residual(self, times: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """All rows at some times: y and z are (times, components, cells, size), the result (times, n)."""
        return self.at(times).residual(y, z)

    def _located(self, place: float) -> tuple[int, np.ndarray]:
        """The cell of a place, and the derivatives of its functions there."""
        (cell,), at = self.mesh.locate(np.array([place]))
        size, functions = self.layout.size, self.layout.functions
        orders = range(self.layout.highest + 1)
        return int(cell), np.stack([values(at, size, d, functions)[0] for d in orders])

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
            before, after = self.numbers.sides
            parts.append((left[:, before] - right[:, after]) * units)
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
        system, layout = self.system, self.layout
        entries = np.repeat(self._same(times)[None], len(times), axis=0)
        if system.linear and system.stationary:
            return [Pencil(self, values) for values in entries]
        at_y, at_z = self.derived(times, y, z)
        jets = self._read(at_y, at_z)
        for i, row in enumerate(system.equations):
            if row.stationary:
                continue
            place = layout.place_of(i)
            if place is None:
                self._enter_row(entries, i, row, times, [jets[n] for n in layout.read_by[i]])
            else:
                own = self._at_place(row.jets, y, z, place)
                self._enter_row(entries, i, row, times, list(own.values()))
        for n, c in enumerate(system.conditions):
            if not c.row.stationary:
                self._enter_condition(entries, n, c, times, self._at_condition(n, at_y, at_z))
        return [Pencil(self, values) for values in entries]

    def _same(self, times: np.ndarray) -> np.ndarray:
        """Entries (powers, entries) that no state and no time changes: of joints, and of rows that are linear with coefficients of x alone."""
        if self._fixed is None:
            entries, once = np.zeros((1, self.system.top_power + 1, len(self.rows))), times[:1]
            for i, row in enumerate(self.system.equations):
                if row.stationary:
                    self._enter_row(entries, i, row, once, [np.zeros(0)] * len(row.jets))
            for (first, second), (_, before, after) in zip(self.numbers.of_joints, self._joints, strict=True):
                entries[:, 0, first], entries[:, 0, second] = before.reshape(-1), -after.reshape(-1)
            for n, c in enumerate(self.system.conditions):
                if c.row.stationary:
                    self._enter_condition(entries, n, c, once, [np.zeros(0)] * len(c.row.jets))
            self._fixed = entries[0]
        fixed = self._fixed
        assert fixed is not None
        return fixed

    def _enter_row(
        self, entries: np.ndarray, i: int, row: Row, times: np.ndarray, jets: Sequence[np.ndarray]
    ) -> None:
        """Entries (times, powers, entries) of an equation, from the values of its jets."""
        place, lowest = self.layout.place_of(i), self.layout.lowest_of_equations[i]
        slopes = self._slopes(("row", i), row, times, place, jets)
        for part, j in self.numbers.of_equations[i]:
            if place is None:
                self._enter_equation(entries[:, :, part], i, j, slopes, lowest)
            else:
                self._enter_point(entries[:, :, part], j, slopes, lowest, *self._located(place))

    def _enter_condition(
        self, entries: np.ndarray, n: int, c: Condition, times: np.ndarray, jets: Sequence[np.ndarray]
    ) -> None:
        """Entries (times, powers, entries) of a condition, from the values of its jets."""
        seen, lowest = self.numbers.seen[n], self.layout.lowest_of_conditions[n]
        slopes = self._slopes(("end", n), c.row, times, c.place, jets)
        for part, j, cell, end in self.numbers.of_conditions[n]:
            here = {jet: slope for jet, slope in slopes.items() if seen[jet] == (cell, end)}
            self._enter_point(entries[:, :, part], j, here, lowest, cell, self.layout.reference.at_ends[end])

    def _slopes(
        self,
        name: tuple[str, int],
        row: Row,
        times: np.ndarray,
        place: float | None,
        jets: Sequence[np.ndarray],
    ) -> Jets:
        """∂F/∂(D^a u) of a row at the points of all cells, or at one place, from its jets there; linear rows do not look at these."""
        bound = self.bound((*name, "slopes"), row, times, place, Row.slopes_at)
        with np.errstate(all="ignore"):
            found = bound(jets)
        return dict(zip(row.jets, map(np.asarray, found), strict=True))

    def bound(
        self,
        name: tuple[str, int, str],
        row: Row,
        times: np.ndarray,
        place: float | None,
        made: Callable[[Row, np.ndarray], Bound],
    ) -> Bound:
        """What is `made` of a row at some times, as a function of its jets there; what does not change in time is kept."""
        key = (*name, len(times))
        found = self.kept.get(key)
        if found is None:
            at = (
                self._points(times) if place is None else np.column_stack([np.full(len(times), place), times])
            )
            found = made(row, at)
            if self.keeps and not row.time_dependent:
                self.kept[key] = found
        return found

    def _enter_equation(self, into: np.ndarray, i: int, j: int, slopes: Jets, lowest: int) -> None:
        """Entries (times, powers, entries) of an equation in the columns of a field."""
        layout, shape = self.layout, (len(into), *self.x.shape)
        size, tables, powers = layout.sizes[j], layout.reference.at_points, into.shape[1]
        whole = i in layout.lumped
        to = np.zeros((len(into), powers, self.x.size * size)) if whole else into
        for jet, slope in slopes.items():
            field, _, order, power = layout.powers[jet]
            if field == j:
                # What is one number everywhere has no times and points of its own.
                c = slope.reshape(shape) if slope.ndim else slope
                c = (c * self.stretch[:, order, None])[..., None] * tables[order][:, :size]
                to[:, power - lowest].reshape(*shape, size)[...] += c
        if whole:
            means = np.einsum("kq,tpkqs->tpks", self._weights.reshape(self.x.shape), to.reshape(-1, powers, *self.x.shape, size))  # fmt: skip
            into[...] = (means.sum(axis=2) if j in layout.lumped else means).reshape(into.shape)

    def _enter_point(
        self, into: np.ndarray, j: int, slopes: Jets, lowest: int, cell: int, tables: np.ndarray
    ) -> None:
        """Entries (times, powers, size) of a row that holds at one place."""
        size = self.layout.sizes[j]
        for jet, slope in slopes.items():
            field, _, order, power = self.layout.powers[jet]
            if field == j:
                c = slope[:, None] if slope.ndim else slope
                into[:, power - lowest] += c * (self.stretch[cell, order] * tables[order][:size])

    # Norms --------------------------------------------------------------------------------------------------

    @cached_property
    def shares(self) -> np.ndarray:
        """Each cell's part of the interval."""
        return self.mesh.widths / np.sum(self.mesh.widths)

    @cached_property
    def root_shares(self) -> np.ndarray:
        """√ of each cell's part of the interval in units of that of cells of equal width."""
        return np.sqrt(self.shares * self.mesh.size)

    def _spread(self, size: int) -> np.ndarray:
        """Each cell's part of the interval, for all coefficients of a cell."""
        if size not in self._spreads:
            self._spreads[size] = np.repeat(self.shares, size)
        return self._spreads[size]

    def norms(self, coefficients: np.ndarray) -> np.ndarray:
        """Root mean squares over the interval of (…, cells, size)."""
        squares = (coefficients * coefficients).reshape(*coefficients.shape[:-2], -1)
        return np.sqrt(squares @ self._spread(coefficients.shape[-1]))


def _slopes(row: Row, points: np.ndarray, jets: Mapping[Jet, np.ndarray]) -> Jets:
    """∂F/∂(D^a u) at points."""
    total: Jets = dict(row.coefficients(points))
    if not row.linear:
        more = row.nonlinear(points, {jet: jets[jet] for jet in row.nonlinear_jets}, False)[1]
        for jet, c in more.items():
            total[jet] = total[jet] + c if jet in total else c
    return {jet: total.get(jet, np.zeros(())) for jet in row.jets}
