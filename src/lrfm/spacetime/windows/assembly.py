# SPDX-License-Identifier: MIT
"""The one place where physics meets features.

A row F = Σ_a L_a D^a u + s + N(u) at a point becomes, with u = Σ_q c_q Φ_q (Paper, eq:unified-ansatz),

    J = Σ_a (L_a + ∂N/∂(D^a u)) D^a Φ,    b = J c − F(u) = −s − N + Σ_a ∂N/∂(D^a u) D^a u

so that the next iterate solves J c ≈ b (Paper, eq:lin-system). What does not depend on c is assembled once
per window; each step then costs one product per nonlinear jet and one pass over the matrix.

A local space is assembled patch by patch on the rows that see the patch, never as a dense matrix; a global space is one
patch that all rows see. Matrices live on the device of a backend; c, b, coefficients and weights of rows are NumPy's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.linalg.deadline import check_deadline
from lrfm.problem import Jet, MultiIndex, Row
from lrfm.spacetime.features import SampledSpace
from lrfm.spacetime.least_squares.backends import NUMPY, Array, Backend
from lrfm.spacetime.least_squares.column_groups import ColumnGroup, GroupedMatrix, Matrix
from lrfm.spacetime.windows.groups import Condition, RowGroup, in_order, key_of
from lrfm.spacetime.windows.patches import PatchColumns, PointSet, column_slices, numbers_of, patch_columns

CHUNK_BYTES = 64 * 2**20  # derivative matrices of one chunk of rows
CACHED = 2**15  # numbers of a temporary that stays in the cache


@dataclass
class _Nonlinear:
    """The nonlinear part of a row group with the derivative matrices it needs, per jet and patch."""

    group: RowGroup
    rows: slice
    matrices: dict[Jet, list[tuple[PatchColumns, Array]]]


class System:
    """The weighted rows of one window as functions of the coefficients c.

    Columns are ordered field by field; each uses the trial space given for it. `rows_of` names the rows of each row group.
    """

    def __init__(
        self,
        spaces: Mapping[str, SampledSpace],
        groups: Sequence[RowGroup],
        conditions: Sequence[Condition] = (),
        xp: Backend = NUMPY,
    ):
        self.xp = xp
        self.spaces = dict(spaces)
        self.columns = column_slices(self.spaces)
        self.groups, self.conditions = tuple(groups), tuple(conditions)
        count = sum(len(group.points) for group in (*self.groups, *self.conditions))
        self.shape = (count, sum(space.size for space in self.spaces.values()))
        self.target = np.zeros(count)
        self.weights = np.ones(count)
        self.rows_of: dict[str, slice] = {}
        self._nonlinear: list[_Nonlinear] = []
        self._places: list[tuple[RowGroup | Condition, slice]] = []
        self._assemble()

    @property
    def linear(self) -> bool:
        return not self._nonlinear

    @property
    def matrix(self) -> Matrix:
        """The rows at c = 0: a plain array of the backend where one patch is all there is."""
        return self._matrix([patch.values for patch in self._patches])

    def release(self) -> None:
        """Forget the matrix: a factorization has overwritten it."""
        self._patches = []

    def _matrix(self, values: Sequence[Array]) -> Matrix:
        if len(values) == 1:
            return values[0]
        # The QR over patches takes small matrices apart and is NumPy's.
        held = map(self.xp.to_numpy, values)
        groups = [ColumnGroup(p.rows, p.columns, v) for p, v in zip(self._patches, held, strict=True)]
        matrix = GroupedMatrix(self.shape, groups, np.array([p.place for p in self._patches]))
        local = len(values) > len({p.owner for p in self._patches})
        return matrix if local else matrix.toarray()

    # Once per window ----------------------------------------------------------------------------------------

    def _assemble(self) -> None:
        start = 0
        sets: list[tuple[list[RowGroup | Condition], PointSet]] = []
        for together in in_order(self.groups, self.conditions):
            slices = []
            for group in together:
                rows = slice(start, start + len(group.points))
                start = rows.stop
                self._name(group.label, rows)
                self.weights[rows] = group.weight
                slices.append(rows)
                self._places.append((group, rows))
            first = together[0]
            sets.append((together, PointSet(key_of(first), first.points, first.partner, slices)))
        self._patches = patch_columns(self.spaces, [where for _, where in sets], self.xp)
        for together, where in sets:
            self._assemble_set(together, where)
        for patch in self._patches:
            weights = self.xp.asarray(self.weights[patch.rows])
            for column in patch.values.T:
                column *= weights
        self.target *= self.weights

    def _name(self, label: str, rows: slice) -> None:
        known = self.rows_of.get(label)
        self.rows_of[label] = slice(known.start, rows.stop) if known and known.stop == rows.start else rows

    def _assemble_set(self, together: Sequence[RowGroup | Condition], where: PointSet) -> None:
        """Assemble the row groups that share points, patch by patch and chunk by chunk, each derivative matrix once."""
        affine, kept = [], []
        for group, rows in zip(together, where.rows, strict=True):
            source, coefficients = group.affine()
            self.target[rows] = -source
            affine.append((rows, coefficients))
            if isinstance(group, RowGroup) and not group.row.linear:
                kept.append(_Nonlinear(group, rows, {}))
        self._nonlinear += kept
        wanted = self._wanted(together)
        for patch in self._patches:
            orders = wanted.get(patch.owner, [])
            numbers = numbers_of(patch.inside[where.key], len(where.points))
            if not orders or not len(numbers):
                continue
            for item in kept:
                for jet in item.group.row.nonlinear_jets:
                    if jet.field in patch.fields:
                        matrix = self.xp.empty((patch.space.size, len(numbers))).T
                        item.matrices.setdefault(jet, []).append((patch, matrix))
            step = max(64, CHUNK_BYTES // max(1, 8 * len(orders) * patch.space.size))
            for first in range(0, len(numbers), step):
                check_deadline()
                part = slice(first, min(first + step, len(numbers)))
                jets = self._jets(patch, where, numbers[part], orders)
                for rows, coefficients in affine:
                    self._affine_rows(patch, rows, part, numbers[part], coefficients, jets)
                for item in kept:
                    for jet, pairs in item.matrices.items():
                        if pairs[-1][0] is patch:
                            pairs[-1][1][part] = jets[jet.index]

    def _wanted(self, together: Sequence[RowGroup | Condition]) -> dict[int, list[MultiIndex]]:
        found: dict[int, set[MultiIndex]] = {}
        for jet in (j for group in together for j in group.jets):
            found.setdefault(id(self.spaces[jet.field]), set()).add(jet.index)
        return {owner: sorted(orders) for owner, orders in found.items()}

    def _jets(
        self, patch: PatchColumns, where: PointSet, numbers: np.ndarray, orders: list[MultiIndex]
    ) -> dict:
        values = patch.space.jets(where.points[numbers], orders, self.xp)
        if where.partner is not None:
            other = patch.space.jets(where.partner[numbers], orders, self.xp)
            for order in orders:
                values[order] -= other[order]
        return values

    def _affine_rows(
        self,
        patch: PatchColumns,
        rows: slice,
        part: slice,
        numbers: np.ndarray,
        coefficients: Mapping[Jet, np.ndarray | float],
        jets: dict,
    ) -> None:
        start = patch.start[rows.start]
        for jet, coefficient in coefficients.items():
            if jet.field in patch.fields:
                target = patch.values[start + part.start : start + part.stop, patch.fields[jet.field]]
                self._add_rows(target, _at(coefficient, numbers), jets[jet.index])

    # Every step ---------------------------------------------------------------------------------------------

    def _jet_values(self, item: _Nonlinear, c: np.ndarray) -> dict[Jet, np.ndarray]:
        key = key_of(item.group)
        values = {jet: np.zeros(len(item.group.points)) for jet in item.group.row.nonlinear_jets}
        for jet, pairs in item.matrices.items():
            for patch, matrix in pairs:
                here = self._product(matrix, c[patch.columns[patch.fields[jet.field]]])
                values[jet][patch.inside[key]] += here
        return values

    def _product(self, matrix: Array, c: np.ndarray) -> np.ndarray:
        return self.xp.to_numpy(matrix @ self.xp.asarray(c))

    def linearize(self, c: np.ndarray, picard: bool = False) -> tuple[Matrix, np.ndarray]:
        """The system J c ≈ b at the current coefficients: Newton's, or Picard's with frozen factors."""
        entries = {id(patch): self.xp.copy(patch.values) for patch in self._patches}
        b = self.target.copy()
        for item in self._nonlinear:
            values = self._jet_values(item, c)
            N, coefficients = item.group.row.nonlinear(item.group.points, values, picard)
            weight = self.weights[item.rows]
            known = -N
            for jet, coefficient in coefficients.items():
                known = known + coefficient * values[jet]
                self._add(entries, item, jet, np.broadcast_to(coefficient * weight, weight.shape))
            b[item.rows] += weight * known
        return self._matrix([entries[id(patch)] for patch in self._patches]), b

    def _add(self, entries: dict, item: _Nonlinear, jet: Jet, scale: np.ndarray) -> None:
        key = key_of(item.group)
        for patch, matrix in item.matrices.get(jet, ()):
            run = patch.run(item.rows.start, len(matrix))
            self._add_rows(entries[id(patch)][run, patch.fields[jet.field]], scale[patch.inside[key]], matrix)

    def _add_rows(self, target: Array, scale: np.ndarray, matrix: Array) -> None:
        """target += diag(scale)·matrix, some columns at a time: what is in between stays in the cache."""
        # Transposed views are C-contiguous rows: the product runs along memory.
        target, source, here = target.T, matrix.T, self.xp.asarray(scale)
        step = max(1, CACHED // max(1, target.shape[1]))
        for first in range(0, len(source), step):
            target[first : first + step] += here * source[first : first + step]

    def residual(self, c: np.ndarray) -> np.ndarray:
        """Weighted F(u) of all rows."""
        r = np.zeros(len(self.target))
        for patch in self._patches:
            r[patch.rows] += self._product(patch.values, c[patch.columns])
        r -= self.target
        for item in self._nonlinear:
            values = self._jet_values(item, c)
            N, _ = item.group.row.nonlinear(item.group.points, values, False)
            r[item.rows] += self.weights[item.rows] * N
        return r

    def target_at(self, shift: float, values: Sequence[np.ndarray]) -> np.ndarray:
        """b of the same rows a time `shift` later, with other values of the conditions (linear rows only)."""
        b, held = self.sources(shift), self.condition_rows
        b[held] = np.concatenate(list(values)) * self.weights[held]
        return b

    @property
    def condition_rows(self) -> slice:
        """The last rows, those of the conditions."""
        return slice(self.shape[0] - sum(len(c.points) for c in self.conditions), self.shape[0])

    def sources(self, shift: float, rows: Sequence[Row] | None = None) -> np.ndarray:
        """b of the same rows a time `shift` later, zero for the conditions.

        `rows` replace those of the row groups one by one: the same coefficients with other sources.
        """
        own = rows or [group.row for group in self.groups]
        row_of = {id(group): row for group, row in zip(self.groups, own, strict=True)}
        b = np.zeros_like(self.target)
        for group, places in self._places:
            if id(group) in row_of:
                later = group.points.copy()
                later[:, -1] += shift
                b[places] = -row_of[id(group)].affine(later)[0]
        return b * self.weights

    def residual_by_group(self, c: np.ndarray) -> dict[str, float]:
        """Root mean square of the unweighted residual, per named row group."""
        return mean_squares(self.residual(c) / self.weights, self.rows_of)


def mean_squares(r: np.ndarray, rows_of: Mapping[str, np.ndarray | slice]) -> dict[str, float]:
    """Root mean square over the rows of each name."""
    return {label: float(np.sqrt(np.mean(r[rows] ** 2))) for label, rows in rows_of.items()}


def _at(values: np.ndarray | float, numbers: np.ndarray) -> np.ndarray:
    values = np.asarray(values, dtype=float)
    return values[numbers] if values.size > 1 else values
