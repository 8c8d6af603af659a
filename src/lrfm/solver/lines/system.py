# SPDX-License-Identifier: MIT
"""The rows of a statement projected on a basis: as many as there are coefficients.

Cᵀ P F_e(t, V y, V y') = 0   and   B_b(t, y, y') = 0,
C = the orthogonal complement of the rows of the conditions (in coefficients, where the basis is orthonormal). Trial functions are
all functions; only the tests lose as many directions as there are conditions. For homogeneous linear conditions this is the
null-space method, for all others a square system without weights, lifts or penalties.

In products: C_k is the complement for the two faces of axis k. Equations are tested with C₁ ⊗ C₂ ⊗ …; a condition on a face of
axis k is projected on the functions of the other axes, with C_j for j < k and all of them for j > k. By counting this is square.

The tests of the constraint of a multiplier (`Form`) are FEWER functions less along each axis than the others: with as many as a velocity has, a
pressure would have parts that no velocity feels; with fewer, as where a given pressure took directions from these tests, too, velocities would
be free that divergence forbids. A multiplier has so many functions, and one more for each of its conditions on the axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, reduce

import numpy as np

from lrfm.linalg.clock import look
from lrfm.linalg.graded import graded_null_space
from lrfm.linalg.room import reserve
from lrfm.problem import Jet
from lrfm.solver.lines.constant import Split
from lrfm.solver.lines.flat import constant, through
from lrfm.solver.lines.form import Condition, Entry, Form
from lrfm.solver.lines.projected import Coefficients, Place, ProjectedRows
from lrfm.solver.lines.terms import Product, Term, Varying, weighted
from lrfm.spaces.axes.product import Grid, ProductBasis, along, apply
from lrfm.spaces.bases import BasisGrid

SETTLED = 1e-15  # change of coefficients, relative, that is none
FEWER = 2  # functions of a multiplier along an axis, less than those of other fields


class System(ProjectedRows):
    """The projected rows of a form on one basis; tests belong to the state they were last set at."""

    def __init__(self, form: Form, basis: ProductBasis):
        super().__init__(form, basis)
        self.basis: ProductBasis = basis
        self.faces = {(c.axis, c.upper): basis.face(c.axis, c.upper) for c in form.conditions}
        self.places: list[Place[Grid]] = []
        self._end_rows: dict[int, dict[int, dict[int, np.ndarray]]] = {}
        self._slices: dict[tuple[int, float], Grid] = {}
        self._stamped: dict[tuple[int, int], np.ndarray] = {}

    @property
    def borders(self) -> list[BasisGrid]:
        """The faces that have conditions."""
        return [*self.faces.values()]

    @property
    def owners(self) -> list[int]:
        """The component that each group of rows determines, in their order."""
        return [*self.form.last, *(c.own for c in self.form.conditions)]

    @property
    def sizes(self) -> list[int]:
        """How many rows each group has."""
        return [place.size for place in self.places]

    # Values -------------------------------------------------------------------------------------------------

    def _moments(self, grid: Grid, times: np.ndarray) -> np.ndarray:
        """`at_times` in an array that the next call changes: iterations ask for the same grid again and again."""
        key = id(grid), len(times)
        if key not in self._stamped:
            self._stamped[key] = self.at_times(grid, times)
        points = self._stamped[key]
        points[:, -1].reshape(len(times), -1)[:] = times[:, None]
        return points

    def residual(self, times: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """All rows at several times: (times, rows)."""
        parts: list[np.ndarray] = []
        known: dict[int, dict[Entry, np.ndarray]] = {}
        points: dict[int, np.ndarray] = {}
        for place in self.places:
            name = id(place.grid)
            constant, row = self.form.split(place.row) if place.face is None else Split({}, place.row)
            tested = self._on_coefficients(place, constant, y, z) if constant else 0.0
            if row is not None:
                if name not in points:
                    points[name] = self._moments(place.grid, times)
                jets = self.jets(row.jets, place.grid, y, z, known.setdefault(name, {}))
                values = row.residual(points[name], jets).reshape(len(times), -1)
                tested = tested + apply(place.tests, values)
            parts.append(np.asarray(tested))
        return np.concatenate(parts, axis=1)

    def _on_coefficients(
        self, place: Place[Grid], constant: dict[Jet, float], y: np.ndarray, z: np.ndarray
    ) -> np.ndarray:
        """Cᵀ Σ_a c_a (P D^a V) y: terms with constant coefficients, without the grid."""
        shape, total = self.basis.shape, np.zeros((len(y), self.shape[1]))
        for jet, c in constant.items():
            entry = self.form.entry(jet)
            work = c * (z if entry.rate else y)[:, entry.component]
            for k, n in enumerate(entry.index):
                work = along(k, self.basis.matrices[k][n], work, shape) if n else work
            total += work
        kept = [np.eye(n) if c is None else c.T for c, n in zip(place.complements, shape, strict=True)]
        return total if all(c is None for c in place.complements) else apply(kept, total)

    # Tests --------------------------------------------------------------------------------------------------

    def set_tests(self, time: float, y: np.ndarray, z: np.ndarray) -> None:
        """Make the complements of the conditions, linearized at a state (components, R); once where they are the same at all of them."""
        if self.places and not self.form.flat and all(c.row.stationary for c in self.form.conditions):
            return
        axes = self.basis.axes
        complements = {own: self._complements(own, time, y, z) for own in self.form.last}
        self.places = []
        for own, row in zip(self.form.last, self.form.equations, strict=True):
            tests = [_tested(c, a.projection) for c, a in zip(complements[own], axes, strict=True)]
            where = self.form.places.get(own)
            if where is None:
                self.places.append(Place(row, self.basis.grid, tests, complements[own]))
                continue
            (k,) = self.form.flat[own]
            tests[k] = np.ones((1, 1))
            self.places.append(Place(row, self.slice(k, where), tests, complements[own], k))
        for condition in self.form.conditions:
            k, tests, own = condition.axis, [], condition.own
            first = self._first_axes(own)
            kept = [
                c if first.index(j) < first.index(k) else self.held(own, j)
                for j, c in enumerate(complements[own])
            ]
            for j, axis in enumerate(axes):
                tests.append(np.ones((1, 1)) if j == k else _tested(kept[j], axis.projection))
            self.places.append(Place(condition.row, self.faces[k, condition.upper], tests, kept, k))
        self._products.clear()
        self._end_rows = {id(c): self._end_powers(c, time, y, z) for c in self.form.conditions}

    def _first_axes(self, own: int) -> list[int]:
        """The axes in the order in which their conditions take functions from each other's tests: those with multipliers last.

        A multiplier has no more functions along a face than the tests that are left there.
        """
        entry, late = self.form.entry, set()
        for c in self.form.conditions:
            if c.own == own and own not in {entry(jet).component for jet in c.row.jets}:
                late.add(c.axis)
        return sorted(range(len(self.basis.axes)), key=lambda k: k in late)

    def _complements(self, own: int, time: float, y: np.ndarray, z: np.ndarray) -> list[np.ndarray | None]:
        """C_k for each axis: what is orthogonal to the rows of the conditions on one component; None for all."""
        result: list[np.ndarray | None] = []
        for k in range(len(self.basis.axes)):
            held = self.held(own, k)
            members = [c for c in self.form.conditions if c.axis == k and c.own == own]
            rows = [self._end_row(c, time, y, z, self._speaks) for c in members]
            # What stands for a condition that a field lacks is about a multiplier there.
            rows = [row[own] if np.any(row[own]) else row.sum(axis=0) for row in rows]
            rows = rows if held is None else [row @ held for row in rows]
            rows = [row / np.linalg.norm(row) for row in rows if np.any(row)]
            if len(rows) != len(members):
                raise np.linalg.LinAlgError("a condition does not determine its component")
            full = graded_null_space(np.array(rows)) if rows else None
            result.append(full if held is None else held if full is None else held @ full)
        return result

    def held(self, own: int, axis: int) -> np.ndarray | None:
        """The functions of one axis that a component is made of, as orthonormal columns; None for all.

        The smoothest come first in a basis, and the very first is the constant (`make_basis`): what equations leave undetermined has to
        be one of the functions to be seen as such. It is all there is along an axis on which the component does not depend.
        """
        flat = axis in self.form.flat.get(own, ())
        if own not in self.form.multipliers and not flat:
            return None
        functions = self.basis.axes[axis]
        if flat:
            return constant(functions)
        given = sum(c.axis == axis and c.own == own for c in self.form.conditions)
        return np.eye(functions.rank)[:, : functions.rank - max(0, FEWER - given)]

    def slice(self, axis: int, place: float) -> Grid:
        """The grid at one place along an axis, made once: values of the same grid are shared."""
        if (axis, place) not in self._slices:
            self._slices[axis, place] = self.basis.slice(axis, place)
        return self._slices[axis, place]

    def held_products(self, own: int) -> list[np.ndarray]:
        """These functions along each axis."""
        held = [self.held(own, k) for k in range(len(self.basis.axes))]
        return [np.eye(n) if q is None else q for q, n in zip(held, self.basis.shape, strict=True)]

    @staticmethod
    def _speaks(entry: Entry, rated: bool) -> bool:
        """Which terms of a condition make its test row: those with rates where there are any."""
        return entry.rate == rated

    def _end_row(
        self,
        condition: Condition,
        time: float,
        y: np.ndarray,
        z: np.ndarray,
        counts: Callable[[Entry, bool], bool],
    ) -> np.ndarray:
        """A condition, linearized and averaged along its face, as a row (components, r_k) on the functions of its axis."""
        k, face = condition.axis, self.faces[condition.axis, condition.upper]
        slopes = self.slopes(condition.row, face, time, y, z)
        row = np.zeros((self.shape[0], self.basis.shape[k]))
        rated = any(entry.rate for entry in slopes)
        for entry, values in slopes.items():
            along = all(n == 0 for j, n in enumerate(entry.index) if j != k)
            if along and counts(entry, rated) and entry.component in self.form.flat:
                row += np.mean(values) * through(self, entry.component, time, y, z)
            elif along and counts(entry, rated):
                row[entry.component] += np.mean(values) * face.tables[k][entry.index[k]][0]
        return row

    def linear_row(self, condition: Condition, time: float, y: np.ndarray) -> np.ndarray:
        """A condition without rates as a row (components, r_k), all its terms."""
        return self._end_row(condition, time, y, np.zeros_like(y), lambda entry, rated: True)

    def end_row_at(self, condition: Condition, s: complex) -> np.ndarray:
        """Σ_p sᵖ of the averaged row of a condition on the rates of its own field: what it determines in one stage."""
        field = self.form.last.index(condition.own)
        row = np.zeros(self.basis.shape[condition.axis], complex)
        for power, part in self._end_rows[id(condition)].get(field, {}).items():
            row = row + s**power * part
        return row

    def _end_powers(
        self, condition: Condition, time: float, y: np.ndarray, z: np.ndarray
    ) -> dict[int, dict[int, np.ndarray]]:
        """The averaged row of a condition by field and power of hλ."""
        k, face = condition.axis, self.faces[condition.axis, condition.upper]
        found: dict[int, dict[int, np.ndarray]] = {}
        for entry, values in self.slopes(condition.row, face, time, y, z).items():
            if all(n == 0 for j, n in enumerate(entry.index) if j != k):
                field, power = self.form.power(entry.component, entry.rate)
                part = np.mean(values) * face.tables[k][entry.index[k]][0]
                mine = found.setdefault(field, {})
                mine[power] = mine.get(power, 0.0) + part
        return found

    # Linearization ------------------------------------------------------------------------------------------

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> list[np.ndarray]:
        """A₀, A₁, … at a state: the rows depend on the rates X of the last components by A(s) = Σ_p sᵖ A_p.

        In one stage with s = hλ a rate enters as X, the last component of a chain as sX, the one before as s²X. Each A_p is
        (rows, fields · R).
        """
        total, fields = sum(self.sizes), len(self.form.last)
        reserve((self.form.top_power + 1.0) * total * fields * self.shape[1])
        powers = [np.zeros((total, fields, self.shape[1])) for _ in range(self.form.top_power + 1)]
        starts = np.cumsum([0, *self.sizes])
        for term in self.terms(time, y, z):
            look()
            rows = slice(starts[term.place], starts[term.place + 1])
            powers[term.power][rows, term.field] += (
                self._constant(term) * term.coefficient if isinstance(term, Product) else term.matrix
            )
        return [p.reshape(total, -1) for p in powers]

    def terms(self, time: float, y: np.ndarray, z: np.ndarray) -> Iterator[Term]:
        """The terms of these matrices, those with constant coefficients as products; none whose coefficients are zero."""
        for number, place in enumerate(self.places):
            slopes = self.slopes(place.row, place.grid, time, y, z)
            for (component, rate), group in _grouped(slopes).items():
                field, power = self.form.power(component, rate)
                where, counted = (power, number, field), [(index, c) for index, c in group if np.any(c)]
                for index, c in counted:
                    if np.ndim(c) == 0:
                        yield Product(*where, index, float(c), self._factors(place, index))
                varying = [(index, c) for index, c in counted if np.ndim(c)]
                if varying:
                    yield Varying(*where, partial(weighted, place, varying))

    def _factors(self, place: Place[Grid], index: tuple[int, ...]) -> tuple[np.ndarray, ...]:
        """The matrix of D^index with coefficient one, axis by axis."""
        factors = []
        for k, n in enumerate(index):
            matrix = self.basis.matrices[k][n] if k != place.face else place.grid.tables[k][n]
            kept = place.complements[k]
            factors.append(matrix if kept is None or k == place.face else kept.T @ matrix)
        return tuple(factors)

    def _constant(self, term: Product) -> np.ndarray:
        """The matrix of a derivative with coefficient one, kept as long as the tests are."""
        key = (term.place, term.index)
        if key not in self._products:
            self._products[key] = reduce(np.kron, term.factors)
        return self._products[key]

    # Conditions on the start --------------------------------------------------------------------------------

    def constrain(self, time: float, y: np.ndarray, sweeps: int = 4) -> np.ndarray:
        """The nearest coefficients that satisfy the conditions: y ← y − B⁺(B y − g), axis by axis."""
        if not self.form.constraints:
            return y
        z = np.zeros_like(y)
        known: dict[int, np.ndarray] = {}
        for _ in range(sweeps):
            before = y
            for k in range(len(self.basis.axes)):
                members = [c for c in self.form.constraints if c.axis == k]
                if members:
                    y = y - self._correction(k, members, time, y, z, known)
            if np.linalg.norm(y - before) <= SETTLED * np.linalg.norm(y):
                break
        return y

    def _correction(
        self,
        k: int,
        members: list[Condition],
        time: float,
        y: np.ndarray,
        z: np.ndarray,
        known: dict[int, np.ndarray],
    ) -> np.ndarray:
        """B⁺(B y − g) of the conditions on one axis; rows of linear ones are kept in `known`."""
        rows, gaps = [], []
        tests = [a.projection if j != k else np.ones((1, 1)) for j, a in enumerate(self.basis.axes)]
        for c in members:
            face = self.faces[k, c.upper]
            jets = self.jets(c.row.jets, face, y[None], z[None], {})
            row = known[id(c)] if id(c) in known else self.linear_row(c, time, y).ravel()
            if c.row.linear:
                known[id(c)] = row
            size = max(float(np.linalg.norm(row)), 1e-300)
            values = c.row.residual(self.at_times(face, np.array([time])), jets)
            rows.append(row / size)
            gaps.append(apply(tests, values[None])[0] / size)
        step = np.linalg.lstsq(np.array(rows), np.array(gaps), rcond=1e-12)[0]
        count, shape = self.shape[0], self.basis.shape
        others = [n for j, n in enumerate(shape) if j != k]
        moved = np.moveaxis(step.reshape(count, shape[k], *others), 1, k + 1)
        return moved.reshape(self.shape)


def _tested(complement: np.ndarray | None, projection: np.ndarray) -> np.ndarray:
    return projection if complement is None else complement.T @ projection


def _grouped(slopes: Coefficients) -> dict[tuple[int, bool], list[tuple[tuple[int, ...], np.ndarray]]]:
    groups: dict[tuple[int, bool], list[tuple[tuple[int, ...], np.ndarray]]] = {}
    for entry, values in slopes.items():
        groups.setdefault((entry.component, entry.rate), []).append((entry.index, values))
    return groups
