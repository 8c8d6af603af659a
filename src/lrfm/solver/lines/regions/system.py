# SPDX-License-Identifier: MIT
"""The rows of a statement projected on functions of all coordinates at once: equations inside, conditions on parts of the boundary.

Tᵀ F_e(t, V y, V y') = 0,   R √q B_b(t, y, y') = 0,   T the functions without a trace, R the left inverse of the trace (`Split`).

R √q B₀ on coefficients is known: it finds those of functions with a trace. So the rows are Dᵀy + R √q (B(t, y) − B₀ y), and where a condition
is linear and does not change the difference is what is given: nothing of y is evaluated, and homogeneous conditions hold exactly.
Conditions that the equation imposes by itself (`natural`) have no rows of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.linalg.clock import look
from lrfm.linalg.room import reserve
from lrfm.problem import Row
from lrfm.solver.lines.form import Entry, Form
from lrfm.solver.lines.projected import Place, ProjectedRows
from lrfm.solver.lines.regions.natural import Natural, NaturalRow, natural_row, stiffness
from lrfm.solver.lines.regions.traces import Border, Kind
from lrfm.spaces.bases import BasisGrid
from lrfm.spaces.regions.basis import RegionBasis, ScatteredGrid, Split


@dataclass(frozen=True)
class EdgeRow:
    """One condition: its number, the points of its part, its tests there, and B₀, by the derivative it multiplies."""

    number: int
    row: Row
    grid: ScatteredGrid
    tests: np.ndarray
    start: Mapping[Entry, np.ndarray]


@dataclass(frozen=True)
class Edge:
    """The conditions that determine one component: rows with the points of their parts and their tests there."""

    own: int
    split: Split
    rows: tuple[EdgeRow, ...]
    rated: bool  # whether the trace is that of the rates

    @property
    def size(self) -> int:
        return self.split.taken.shape[1] + self.split.held.shape[1]


class RegionSystem(ProjectedRows):
    """The projected rows of a form on one basis of a region."""

    def __init__(
        self,
        form: Form,
        basis: RegionBasis,
        kinds: Sequence[Kind],
        borders: Mapping[str, Border],
        units: Sequence[Sequence[float]],
        starts: Mapping[int, Mapping[Entry, np.ndarray]],
        naturals: Mapping[int, Natural] | None = None,
    ):
        super().__init__(form, basis)
        self._naturals = naturals or {}
        self.basis: RegionBasis = basis
        self.edges: dict[int, Edge] = {}
        grids = self._grids = _grids(form, basis, borders)
        for kind, split, unit in zip(kinds, basis.splits, units, strict=True):
            # Components of one kind have the same conditions in the same order.
            for own in kind.owners:
                numbers = [
                    i for i, c in enumerate(form.conditions) if c.own == own and i not in self._naturals
                ]
                rows = tuple(_rows(form, numbers, split, unit, borders, grids, starts))
                self.edges[own] = Edge(own, split, rows, any(e.rate for row in rows for e in row.start))
        self.places: list[Place[ScatteredGrid]] = [
            self._place(own, row) for own, row in zip(form.last, form.equations, strict=True)
        ]
        self._natural_rows: list[list[NaturalRow]] = [[] for _ in self.places]
        for number, natural in self._naturals.items():
            condition = form.conditions[number]
            at, part = form.last.index(condition.own), condition.part
            given = condition, natural, starts[number], borders[part], grids[part]
            self._natural_rows[at].append(natural_row(form, *given, self.places[at].complements[0]))

    def _place(self, own: int, row: Row) -> Place[ScatteredGrid]:
        if own in self.edges:
            split = self.edges[own].split
            return Place(row, self.basis.grid, [split.tests], [split.free])
        return Place(row, self.basis.grid, [self.basis.projection], [None])

    @property
    def borders(self) -> list[BasisGrid]:
        """The points of the parts that have conditions."""
        return [*self._grids.values()]

    @property
    def owners(self) -> list[int]:
        """The component that each group of rows determines, in their order."""
        return [*self.form.last, *self.edges]

    @property
    def sizes(self) -> list[int]:
        """How many rows each group has."""
        return [*(p.size for p in self.places), *(e.size for e in self.edges.values())]

    def set_tests(self, time: float, y: np.ndarray, z: np.ndarray) -> None:
        """Nothing: tests belong to the basis."""

    # Values -------------------------------------------------------------------------------------------------

    def residual(self, times: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """All rows at several times: (times, rows)."""
        parts: list[np.ndarray] = []
        known: dict[Entry, np.ndarray] = {}
        inside: np.ndarray | None = None
        for number, place in enumerate(self.places):
            constant, row = self.form.split(place.row)
            tested = np.zeros((len(times), place.size))
            for jet, c in constant.items():
                entry = self.form.entry(jet)
                work = (z if entry.rate else y)[:, entry.component]
                tested += c * (work @ self._constant(number, place, entry.index).T)
            if row is not None:
                inside = self.at_times(place.grid, times) if inside is None else inside
                values = row.residual(inside, self.jets(row.jets, place.grid, y, z, known))
                tested += values.reshape(len(times), -1) @ place.tests[0].T
            for natural in self._natural_rows[number]:
                tested += self._flux(natural, times, y, z)
            parts.append(tested)
        for edge in self.edges.values():
            rows = {member.number: member.row for member in edge.rows}
            parts += [self._gap(edge, rows, times, y, z, edge.rated), z[:, edge.own] @ edge.split.held]
        return np.concatenate(parts, axis=1)

    def _flux(self, natural: NaturalRow, times: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """c ⟨ψ, u_n⟩ with u_n from a condition: (times, test functions)."""
        given: dict[Entry, np.ndarray] = {}
        own, row, grid = y[:, natural.own], natural.row, natural.grid
        if natural.matrix is not None:
            entries = {self.form.entry(jet) for jet in row.jets}
            none = np.zeros(len(times) * grid.size)
            given = {e: none for e in entries if e.component == natural.own}
        values = row.residual(self.at_times(grid, times), self.jets(row.jets, grid, y, z, given))
        values = values.reshape(len(times), -1)
        if natural.matrix is not None:
            return values @ natural.tests.T + own @ natural.matrix.T
        for index, c in natural.slopes.items():
            values = values - c * grid.evaluate(own, index)
        return values @ natural.tests.T

    def _gap(
        self,
        edge: Edge,
        rows: Mapping[int, Row],
        times: np.ndarray,
        y: np.ndarray,
        z: np.ndarray,
        rated: bool,
        component: int | None = None,
    ) -> np.ndarray:
        """Conditions, or other forms of them by number, against the tests of an edge: (times, taken)."""
        own = edge.own if component is None else component
        total = (z if rated else y)[:, own] @ edge.split.dual
        for member in edge.rows:
            shifts = {e.index: c for e, c in member.start.items()}
            row = rows.get(member.number)
            # A form that is missing is met by what is there.
            values = np.zeros((len(times), member.grid.size))
            given: dict[Entry, np.ndarray] = {}
            if row is not None:
                if row.stationary:
                    entries = {self.form.entry(jet) for jet in row.jets}
                    none = np.zeros(values.size)
                    given = {e: none for e in entries if e.component == own and e.rate == rated}
                jets = self.jets(row.jets, member.grid, y, z, given)
                values = values + row.residual(self.at_times(member.grid, times), jets).reshape(values.shape)
            if row is None or not row.stationary:
                for index, c in shifts.items():
                    values = values - c * member.grid.evaluate((z if rated else y)[:, own], index)
            total = total + values @ member.tests.T
        return total

    # Linearization ------------------------------------------------------------------------------------------

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> list[np.ndarray]:
        """A₀, A₁, … at a state, as for products: the rows depend on the rates X by A(s) = Σ_p sᵖ A_p."""
        total, fields = sum(self.sizes), len(self.form.last)
        reserve((self.form.top_power + 1.0) * total * fields * self.shape[1])
        powers = [np.zeros((total, fields, self.shape[1])) for _ in range(self.form.top_power + 1)]
        start = 0
        for number, place in enumerate(self.places):
            rows = slice(start, start + place.size)
            start = rows.stop
            for entry, c in self.slopes(place.row, place.grid, time, y, z).items():
                look()
                field, power = self.form.power(entry.component, entry.rate)
                if np.ndim(c) == 0:
                    powers[power][rows, field] += c * self._constant(number, place, entry.index)
                else:
                    powers[power][rows, field] += (place.tests[0] * c) @ place.grid.tables[entry.index]
            for natural in self._natural_rows[number]:
                for entry, c in self.slopes(natural.row, natural.grid, time, y, z).items():
                    field, power = self.form.power(entry.component, entry.rate)
                    if not any(entry.index):
                        powers[power][rows, field] += (natural.tests * c) @ natural.grid.tables[entry.index]
        for edge in self.edges.values():
            rows = slice(start, start + edge.split.taken.shape[1])
            field, power = self.form.power(edge.own, edge.rated)
            powers[power][rows, field] += edge.split.dual.T
            for member in edge.rows:
                for entry, c in self._rest(edge, member, time, y, z).items():
                    field, power = self.form.power(entry.component, entry.rate)
                    powers[power][rows, field] += (member.tests * c) @ member.grid.tables[entry.index]
            start = rows.stop + edge.split.held.shape[1]
            powers[0][rows.stop : start, self.form.last.index(edge.own)] += edge.split.held.T
        return [p.reshape(total, -1) for p in powers]

    def _rest(
        self, edge: Edge, member: EdgeRow, time: float, y: np.ndarray, z: np.ndarray
    ) -> dict[Entry, np.ndarray]:
        """∂F/∂(D^a u) of a condition without B₀."""
        slopes = self.slopes(member.row, member.grid, time, y, z)
        if member.row.stationary:
            return {e: c for e, c in slopes.items() if (e.component, e.rate) != (edge.own, edge.rated)}
        for entry, c in member.start.items():
            slopes[entry] = slopes.get(entry, 0.0) - c
        return slopes

    def _constant(self, number: int, place: Place[ScatteredGrid], index: tuple[int, ...]) -> np.ndarray:
        """The matrix of D^index with coefficient one."""
        key = (number, index)
        if key not in self._products and self._natural_rows[number] and sum(index) == 2:
            assert self.basis.weights is not None
            axis, free = index.index(2), place.complements[0]
            self._products[key] = stiffness(place.grid, self.basis.weights, axis, free)
        elif key not in self._products:
            self._products[key] = place.tests[0] @ place.grid.tables[index]
        return self._products[key]

    # Conditions on the start --------------------------------------------------------------------------------

    def constrain(self, time: float, y: np.ndarray, sweeps: int = 4) -> np.ndarray:
        """Coefficients that satisfy the conditions, changed only along functions with a trace, and then fitted again."""
        z, y = np.zeros_like(y), y.copy()
        for component, rows in self._constraints().items():
            edge = self.edges[self.form.last[self.form.power(component, False)[0]]]
            before, split, at = y[component].copy(), edge.split, np.array([time])
            for _ in range(2 if all(row.linear for row in rows.values()) else sweeps):
                gap = self._gap(edge, rows, at, y[None], z[None], False, component)[0]
                y[component] -= split.taken @ gap
            # What was added is taken from the others as far as they can: the nearest function with this trace.
            added = self.basis.grid.evaluate(y[component] - before, (0,) * self.basis.points.shape[1])
            y[component] -= (
                split.free
                @ np.linalg.lstsq(
                    split.tests @ self.basis.grid.tables[(0,) * self.basis.points.shape[1]] @ split.free,
                    split.tests @ added,
                    rcond=1e-12,
                )[0]
            )
        return y

    def _constraints(self) -> dict[int, dict[int, Row]]:
        """Forms of conditions without rates by the component that they determine, the first one first."""
        found: dict[int, dict[int, Row]] = {}
        for condition in self.form.constraints:
            if condition.number in self._naturals:
                continue
            field = self.form.components[condition.own][0]
            spoken = max(self.form.entry(j).component for j in condition.row.jets if j.whole == field)
            found.setdefault(spoken, {})[condition.number] = condition.row
        return dict(sorted(found.items()))


def _grids(form: Form, basis: RegionBasis, borders: Mapping[str, Border]) -> dict[str, ScatteredGrid]:
    """The functions on the points of each part, with the derivatives that its conditions need."""
    found = {}
    for part, (points, _) in borders.items():
        rows = [c.row for c in (*form.conditions, *form.constraints) if c.part == part]
        zero = (0,) * form.problem.domain.dimension
        indices = {zero, *(form.entry(jet).index for row in rows for jet in row.jets)}
        found[part] = basis.at(points, sorted(indices))
    return found


def _rows(
    form: Form,
    numbers: Sequence[int],
    split: Split,
    units: Sequence[float],
    borders: Mapping[str, Border],
    grids: Mapping[str, ScatteredGrid],
    starts: Mapping[int, Mapping[Entry, np.ndarray]],
) -> Iterator[EdgeRow]:
    """The conditions of one component with their shares of the tests."""
    first = 0
    for number, unit in zip(numbers, units, strict=True):
        condition = form.conditions[number]
        root = borders[condition.part][1]
        tests = split.rows[:, first : first + len(root)] * (root / unit)
        first += len(root)
        yield EdgeRow(number, condition.row, grids[condition.part], tests, starts[number])
