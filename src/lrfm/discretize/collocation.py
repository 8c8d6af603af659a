# SPDX-License-Identifier: MIT
"""Collocation on cells:  F(x, t, D^a y, D^a y′) = 0 at k points of every cell,  y of class C^(m−1),  B(t, y, y′) = 0 at the ends.

A field of order m in space is a polynomial with k + m coefficients in each cell: k of its equations hold at the points of the cell, m at the
edge to the next one (de Boor, Swartz, SIAM J. Numer. Anal. 10, 1973; Ascher, Christiansen, Russell, COLSYS, 1981). Rows at edges and ends are
algebraic: nothing is differentiated in time for them. Unknowns of time alone are a border of the band matrix.

For a shift s = hλ of the time scheme the matrix is A(s) = Σ_p s^p B_p: p counts how often the rates of a field are integrated until the derivative in
question is reached; p = 0 are the rates themselves, the mass matrix. A row without rates is divided by its lowest power of s.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.linalg.banded import Banded, Bordered, PatternSolver, Solve
from lrfm.problem import Jet, Row
from lrfm.spaces.cells import Mesh, Reference

Jets = dict[Jet, np.ndarray]


@dataclass(frozen=True)
class Layout:
    """Which coefficients a statement has on a cell, and at which points its equations hold.

    Parameters
    ----------
    system
        The statement as rows in y and y′.
    count
        Points of a cell, k.
    end
        0 for Gauss points, −1 or +1 for Gauss-Radau points with the left or the right end of a cell.
    """

    system: EvolutionSystem
    count: int
    end: int = 0

    @cached_property
    def lumped(self) -> list[int]:
        """Fields of time alone."""
        s = self.system
        return [i for i, field in enumerate(s.fields) if s.first[field] in s.flat]

    @cached_property
    def spatial(self) -> list[int]:
        """All other fields."""
        return [i for i in range(len(self.system.fields)) if i not in self.lumped]

    @cached_property
    def orders(self) -> tuple[int, ...]:
        """The highest derivative in space of each field in the equations, m."""
        s = self.system
        rows = [s.equations[i] for i in self.spatial]
        found = [[jet.index[0] for row in rows for jet in row.jets if jet.whole == f] for f in s.fields]
        return tuple(0 if i in self.lumped else max(own, default=0) for i, own in enumerate(found))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Coefficients of each field in a cell, k + m; one of what depends on time alone."""
        return tuple(1 if i in self.lumped else self.count + m for i, m in enumerate(self.orders))

    @cached_property
    def size(self) -> int:
        """Coefficients kept per cell and component; fields of lower order leave the last ones zero."""
        return max(self.sizes[i] for i in self.spatial)

    @cached_property
    def highest(self) -> int:
        """The highest derivative in space that any row needs."""
        s = self.system
        rows = (*s.equations, *(c.row for c in (*s.conditions, *s.constraints)))
        return max((jet.index[0] for row in rows for jet in row.jets), default=0)

    @cached_property
    def reference(self) -> Reference:
        """Tables of one cell."""
        return Reference(self.size, self.count, self.end, max(self.highest, max(self.orders)))

    @cached_property
    def powers(self) -> dict[Jet, tuple[int, int, int, int]]:
        """Of each jet: its field, its component, its derivative in space, and its power of s."""
        s, found = self.system, {}
        for row in (*s.equations, *(c.row for c in s.conditions)):
            for jet in row.jets:
                entry = s.entry(jet)
                field, power = s.power(entry.component, entry.rate)
                found[jet] = field, entry.component, entry.index[0], power
        return found

    def check(self) -> None:
        """Refuse what cells of one dimension do not hold (Unsuited)."""
        s = self.system
        if s.problem.domain.dimension != 1 or not s.problem.domain.is_box:
            raise Unsuited("Cells are for intervals.")
        if any(jet.side for row in s.equations for jet in row.jets):
            raise Unsuited("Cells do not hold layers yet.")
        wanted = 0 if s.problem.periodic else sum(self.orders)
        if wanted != len(s.conditions):
            raise Unsuited(
                f"The equations ask for {wanted} conditions at the two ends together, and {len(s.conditions)} are given."
            )
        if self.count < max(self.orders) + 1:
            raise ValueError(f"{self.count} points are too few for derivatives of order {max(self.orders)}.")


class Pencil:
    """A(s) = Σ_p s^p B_p, linearized at one state; `mass` applies B₀ to rates."""

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

    def __init__(self, layout: Layout, mesh: Mesh):
        self.layout, self.mesh, self.system = layout, mesh, layout.system
        self.x = mesh.places(layout.reference.points)
        self.stretch = (2.0 / mesh.widths)[:, None] ** np.arange(layout.reference.at_points.shape[0])
        self._number()

    # Numbers of rows and columns ----------------------------------------------------------------------------

    def _number(self) -> None:
        layout, mesh = self.layout, self.mesh
        cells, k = mesh.size, layout.count
        self.width = sum(layout.sizes[i] for i in layout.spatial)
        edges = sum(layout.orders)
        first = 0 if mesh.periodic else sum(not c.upper for c in self.system.conditions)
        self.position = _folded(cells) if mesh.periodic else np.arange(cells)
        self.size = cells * self.width + len(layout.lumped)
        slot = self.position * self.width
        self.columns_of, offset = {}, 0
        for i in layout.spatial:
            self.columns_of[i] = slot[:, None] + offset + np.arange(layout.sizes[i])
            offset += layout.sizes[i]
        for n, i in enumerate(layout.lumped):
            self.columns_of[i] = np.full((cells, 1), cells * self.width + n)
        self.rows_of = {
            i: first + slot[:, None] + n * k + np.arange(k) for n, i in enumerate(layout.spatial)
        } | {i: np.array([[cells * self.width + n]]) for n, i in enumerate(layout.lumped)}
        self.joints = cells if mesh.periodic else cells - 1
        at = first + slot[: self.joints] + k * len(layout.spatial)
        self.rows_of_joints = at[:, None] + np.arange(edges)
        ends = [0, cells * self.width - (edges - first)]
        self.rows_of_conditions = []
        for c in self.system.conditions:
            self.rows_of_conditions.append(ends[c.upper])
            ends[c.upper] += 1

    @cached_property
    def wanted(self) -> list[Jet]:
        """What the equations ask for."""
        return list(dict.fromkeys(jet for row in self.system.equations for jet in row.jets))

    @cached_property
    def auxiliary(self) -> list[int]:
        """Components that stand for means and values in formulas."""
        return [self.system.first[f.field] for f in self.system.problem.functionals]

    @property
    def lumped(self) -> list[int]:
        """Fields of time alone."""
        return self.layout.lumped

    @property
    def filters(self) -> bool:
        """Whether the rates alone say what becomes of an error: fields of first order in time."""
        return not self.system.links

    @cached_property
    def lowest(self) -> np.ndarray:
        """The lowest power of s in each row."""
        result, powers = np.ones(self.size, dtype=int), self.layout.powers
        rows = [(self.rows_of[i].ravel(), row) for i, row in enumerate(self.system.equations)]
        rows += [
            (np.array([at]), c.row)
            for at, c in zip(self.rows_of_conditions, self.system.conditions, strict=True)
        ]
        for at, row in rows:
            result[at] = min(powers[jet][3] for jet in row.jets)
        return result

    # Values -------------------------------------------------------------------------------------------------

    def scatter(self, vector: np.ndarray) -> np.ndarray:
        """Coefficients (…, fields, cells, size) from a vector (…, n)."""
        shape = (*vector.shape[:-1], len(self.layout.sizes), self.mesh.size, self.layout.size)
        result = np.zeros(shape, dtype=vector.dtype)
        for i, size in enumerate(self.layout.sizes):
            result[..., i, :, :size] = vector[..., self.columns_of[i]]
        return result

    def gather(self, coefficients: np.ndarray) -> np.ndarray:
        """The vector (…, n) of coefficients (…, fields, cells, size)."""
        result = np.zeros((*coefficients.shape[:-3], self.size), dtype=coefficients.dtype)
        for i, size in enumerate(self.layout.sizes):
            result[..., self.columns_of[i]] = coefficients[..., i, :, :size]
        return result

    def _jets(self, wanted: Iterable[Jet], y: np.ndarray, z: np.ndarray, tables: np.ndarray) -> Jets:
        """Derivatives at tables (orders, points, size) of every cell: each (times·cells·points,)."""
        found: Jets = {}
        for jet in wanted:
            _field, component, order, power = self.layout.powers[jet]
            source = z[:, component] if power == 0 else y[:, component]
            values = source @ tables[order].T
            if order:
                values = values * self.stretch[:, order, None]
            found[jet] = values.reshape(-1)
        return found

    def _at_end(self, wanted: Iterable[Jet], y: np.ndarray, z: np.ndarray, upper: bool) -> Jets:
        """Derivatives at one end of the interval: each (times,)."""
        return self._in_cell(wanted, y, z, -1 if upper else 0, self.layout.reference.at_ends[int(upper)])

    def _at_place(self, wanted: Iterable[Jet], y: np.ndarray, z: np.ndarray, place: float) -> Jets:
        """Derivatives at a place: each (times,)."""
        return self._in_cell(wanted, y, z, *self._located(place))

    def _in_cell(
        self, wanted: Iterable[Jet], y: np.ndarray, z: np.ndarray, cell: int, tables: np.ndarray
    ) -> Jets:
        found: Jets = {}
        for jet in wanted:
            _, component, order, power = self.layout.powers[jet]
            source = z[:, component, cell] if power == 0 else y[:, component, cell]
            found[jet] = source @ tables[order] * self.stretch[cell, order]
        return found

    def _end(self, upper: bool) -> float:
        return float(self.mesh.roots[-1 if upper else 0])

    def _points(self, times: np.ndarray) -> np.ndarray:
        x = self.x.ravel()
        return np.column_stack([np.tile(x, len(times)), np.repeat(times, len(x))])

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
        left = np.arange(self.joints)
        right = (left + 1) % self.mesh.size
        unit = np.minimum(widths[left], widths[right])
        for i in self.layout.spatial:
            m, size = self.layout.orders[i], self.layout.sizes[i]
            powers = np.arange(m)
            ends = self.layout.reference.at_ends[:, :m, :size]
            before = (unit / widths[left])[:, None, None] ** powers[None, :, None] * ends[1]
            after = (unit / widths[right])[:, None, None] ** powers[None, :, None] * ends[0]
            result.append((i, before, after))
        return result

    def _gaps(self, last: np.ndarray) -> np.ndarray:
        """Jumps of the last components at the joints: (times, joints, Σ m)."""
        right = (np.arange(self.joints) + 1) % self.mesh.size
        parts = []
        for i, before, after in self._joints:
            own = last[:, i, :, : before.shape[2]]
            gap = np.matmul(before, own[:, : self.joints, :, None]) - np.matmul(after, own[:, right, :, None])
            parts.append(gap[..., 0])
        return np.concatenate(parts, axis=2)

    # Matrices -----------------------------------------------------------------------------------------------

    @cached_property
    def _pattern(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of all entries, in the order in which `linearize` makes them."""
        layout, rows, columns = self.layout, [], []

        def enter(at: np.ndarray, among: np.ndarray) -> None:
            at, among = np.broadcast_arrays(at, among)
            rows.append(at.ravel())
            columns.append(among.ravel())

        for i, row in enumerate(self.system.equations):
            for j in self._fields_in(row):
                self._enter_equation(enter, i, j)
        right = (np.arange(self.joints) + 1) % self.mesh.size
        offset = 0
        for i, before, _ in self._joints:
            m = before.shape[1]
            at = self.rows_of_joints[:, offset : offset + m, None]
            enter(at, self.columns_of[i][: self.joints, None, :])
            enter(at, self.columns_of[i][right, None, :])
            offset += m
        for at, c in zip(self.rows_of_conditions, self.system.conditions, strict=True):
            cell = -1 if c.upper else 0
            for j in self._fields_in(c.row):
                enter(np.array(at), self.columns_of[j][cell])
        assert layout is self.layout
        return np.concatenate(rows), np.concatenate(columns)

    def _enter_equation(self, enter, i: int, j: int) -> None:
        lumped = self.layout.lumped
        place = self.system.places.get(self.system.first[self.system.fields[i]])
        if i not in lumped:
            enter(self.rows_of[i][:, :, None], self.columns_of[j][:, None, :])
        elif j in lumped:
            enter(self.rows_of[i][0], self.columns_of[j][0])
        elif place is None:
            enter(self.rows_of[i][0, 0], self.columns_of[j])
        else:
            enter(self.rows_of[i][0, 0], self.columns_of[j][self._located(place)[0]])

    def _fields_in(self, row: Row) -> list[int]:
        return sorted({self.layout.powers[jet][0] for jet in row.jets})

    @property
    def rows(self) -> np.ndarray:
        """Of all entries."""
        return self._pattern[0]

    @property
    def columns(self) -> np.ndarray:
        """Of all entries."""
        return self._pattern[1]

    @cached_property
    def solver(self) -> PatternSolver:
        """Band LU; with a border a sparse one."""
        kind = Bordered if self.layout.lumped else Banded
        return kind(self.rows, self.columns, self.size)

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> Pencil:
        """A(s) at a state y (components, cells, size) with rates z of its components."""
        system, layout, top = self.system, self.layout, self.system.top_power
        y, z, times = y[None], z[None], np.array([time])
        points = self._points(times)
        jets = self._jets(self.wanted, y, z, layout.reference.at_points)
        parts: list[list[np.ndarray]] = []
        for i, row in enumerate(system.equations):
            lowest = min(layout.powers[jet][3] for jet in row.jets)
            place = system.places.get(system.first[system.fields[i]]) if i in layout.lumped else None
            if place is None:
                slopes = _slopes(row, points, jets)
                parts += [
                    self._equation_entries(i, j, row, slopes, lowest, top) for j in self._fields_in(row)
                ]
            else:
                cell, tables = self._located(place)
                at = np.array([[place, time]])
                slopes = _slopes(row, at, self._at_place(row.jets, y, z, place))
                parts += [
                    self._point_entries(j, row, slopes, lowest, top, cell, tables)
                    for j in self._fields_in(row)
                ]
        for _, before, after in self._joints:
            zero = [np.zeros(before.size)] * top
            parts += [[before.ravel(), *zero], [-after.ravel(), *zero]]
        for c in system.conditions:
            lowest = min(layout.powers[jet][3] for jet in c.row.jets)
            at = np.array([[self._end(c.upper), time]])
            slopes = _slopes(c.row, at, self._at_end(c.row.jets, y, z, c.upper))
            cell, tables = (-1 if c.upper else 0), layout.reference.at_ends[int(c.upper)]
            parts += [
                self._point_entries(j, c.row, slopes, lowest, top, cell, tables)
                for j in self._fields_in(c.row)
            ]
        return Pencil(self, np.stack([np.concatenate(found) for found in zip(*parts, strict=True)]))

    def _equation_entries(
        self, i: int, j: int, row: Row, slopes: Jets, lowest: int, top: int
    ) -> list[np.ndarray]:
        """Entries of an equation in the columns of a field, by power."""
        layout, cells = self.layout, self.mesh.size
        size, tables = layout.sizes[j], layout.reference.at_points
        whole = i in layout.lumped
        shape = (cells, layout.count, size)
        found = [np.zeros(shape) for _ in range(top + 1)]
        for jet in row.jets:
            field, _, order, power = layout.powers[jet]
            if field == j:
                c = np.broadcast_to(slopes[jet], self.x.size).reshape(self.x.shape)
                c = c * self.stretch[:, order, None]
                found[power - lowest] = found[power - lowest] + c[:, :, None] * tables[order][:, :size]
        if whole:
            weights = self._weights.reshape(self.x.shape)
            found = [np.einsum("kq,kqs->ks", weights, part) for part in found]
            if j in layout.lumped:
                found = [part.sum(axis=0) for part in found]
        return [part.ravel() for part in found]

    def _point_entries(
        self, j: int, row: Row, slopes: Jets, lowest: int, top: int, cell: int, tables: np.ndarray
    ) -> list[np.ndarray]:
        """Entries of a row that holds at one place."""
        size = self.layout.sizes[j]
        found = [np.zeros(size) for _ in range(top + 1)]
        for jet in row.jets:
            field, _, order, power = self.layout.powers[jet]
            if field == j:
                c = float(np.broadcast_to(slopes[jet], 1)[0]) * self.stretch[cell, order]
                found[power - lowest] += c * tables[order][:size]
        return found

    # Norms --------------------------------------------------------------------------------------------------

    @cached_property
    def shares(self) -> np.ndarray:
        """Each cell's part of the interval."""
        return self.mesh.widths / np.sum(self.mesh.widths)

    def norms(self, coefficients: np.ndarray) -> np.ndarray:
        """Root mean squares over the interval of (…, cells, size)."""
        return np.sqrt(np.einsum("...ks,k->...", coefficients**2, self.shares))


class Instants:
    """The rows of a discretization at some times."""

    def __init__(self, made: CellCollocation, times: np.ndarray):
        self.made, self.times = made, times
        points, places = made._points(times), made.system.places
        self._known = []
        for i, row in enumerate(made.system.equations):
            place = places.get(made.system.first[made.system.fields[i]]) if i in made.layout.lumped else None
            at = points if place is None else np.column_stack([np.full(len(times), place), times])
            self._known.append((row, place, row.known(at)))
        self._ends = [
            c.row.known(np.column_stack([np.full(len(times), made._end(c.upper)), times]))
            for c in made.system.conditions
        ]

    def residual(self, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """F of all rows: y and z are (times, components, cells, size), the result (times, n)."""
        made = self.made
        layout, system = made.layout, made.system
        result = np.zeros((len(self.times), made.size))
        shape = (len(self.times), made.mesh.size, layout.count)
        jets = made._jets(made.wanted, y, z, layout.reference.at_points)
        for i, (row, place, known) in enumerate(self._known):
            if place is not None:
                own = made._at_place(row.jets, y, z, place)
                result[:, made.rows_of[i][0, 0]] = row.residual_of(known, own)
                continue
            values = row.residual_of(known, {jet: jets[jet] for jet in row.jets})
            values = values.reshape(shape) if values.ndim else np.broadcast_to(values, shape)
            if i in layout.lumped:
                result[:, made.rows_of[i][0, 0]] = values.reshape(len(values), -1) @ made._weights
            else:
                result[:, made.rows_of[i]] = values
        result[:, made.rows_of_joints] = made._gaps(y[:, system.last])
        for at, c, known in zip(made.rows_of_conditions, system.conditions, self._ends, strict=True):
            result[:, at] = c.row.residual_of(known, made._at_end(c.row.jets, y, z, c.upper))
        return result


def _slopes(row: Row, points: np.ndarray, jets: Mapping[Jet, np.ndarray]) -> Jets:
    """∂F/∂(D^a u) at points."""
    total: Jets = dict(row.coefficients(points))
    if not row.linear:
        more = row.nonlinear(points, {jet: jets[jet] for jet in row.nonlinear_jets}, False)[1]
        for jet, c in more.items():
            total[jet] = total[jet] + c if jet in total else c
    return {jet: total.get(jet, np.zeros(())) for jet in row.jets}


def _folded(cells: int) -> np.ndarray:
    """Positions of the cells of a circle in the order 0, K − 1, 1, K − 2, …: neighbors are at most two apart, and the matrix is a band."""
    k = np.arange(cells)
    return np.where(k < (cells + 1) // 2, 2 * k, 2 * (cells - 1 - k) + 1)
