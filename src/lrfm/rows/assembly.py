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

from lrfm.linalg.backends import NUMPY, Array, Backend
from lrfm.linalg.column_groups import ColumnBlock, ColumnBlocks
from lrfm.problem import Jet, MultiIndex, Problem, Row
from lrfm.problem.jets import JetSymbol
from lrfm.rows.patches import Piece, TrialSpace, column_slices, cut, numbers_of

CHUNK_BYTES = 64 * 2**20  # derivative matrices of one chunk of rows
CACHED = 2**15  # numbers of a temporary that stays in the cache


@dataclass(frozen=True)
class Block:
    """One row form sampled at many points; with `partner`, the jump of its jets from partner to points."""

    label: str
    row: Row
    points: np.ndarray
    weight: float | np.ndarray = 1.0
    partner: np.ndarray | None = None


@dataclass(frozen=True)
class Condition:
    """∂ₜᵏ of a field takes given values at points (initial data, the trace of an earlier block)."""

    label: str
    jet: Jet
    points: np.ndarray
    values: np.ndarray
    weight: float = 1.0


@dataclass
class _Nonlinear:
    """A block's nonlinear part with the derivative matrices it needs, per jet and piece."""

    block: Block
    rows: slice
    matrices: dict[Jet, list[tuple[Piece, Array]]]


class System:
    """The weighted rows of one window as functions of the coefficients c.

    Columns are ordered field by field; each uses the trial space given for it. `rows_of` names row blocks.
    """

    def __init__(
        self,
        spaces: Mapping[str, TrialSpace],
        blocks: Sequence[Block],
        conditions: Sequence[Condition] = (),
        xp: Backend = NUMPY,
    ):
        self.xp = xp
        self.spaces = dict(spaces)
        self.columns = column_slices(self.spaces)
        self.blocks, self.conditions = tuple(blocks), tuple(conditions)
        count = sum(len(b.points) for b in (*self.blocks, *self.conditions))
        self.shape = (count, sum(space.size for space in self.spaces.values()))
        self.target = np.zeros(count)
        self.weights = np.ones(count)
        self.rows_of: dict[str, slice] = {}
        self._nonlinear: list[_Nonlinear] = []
        self._places: list[tuple[Block, slice]] = []
        self._assemble()

    @property
    def linear(self) -> bool:
        return not self._nonlinear

    @property
    def matrix(self) -> Array | ColumnBlocks:
        """The rows at c = 0: a plain array of the backend where one patch is all there is."""
        return self._matrix([piece.values for piece in self._pieces])

    def release(self) -> None:
        """Forget the matrix: a factorization has overwritten it."""
        self._pieces = []

    def _matrix(self, values: Sequence[Array]) -> Array | ColumnBlocks:
        if len(values) == 1:
            return values[0]
        # The QR over patches takes small matrices apart and is NumPy's.
        held = map(self.xp.to_numpy, values)
        blocks = [ColumnBlock(p.rows, p.columns, v) for p, v in zip(self._pieces, held, strict=True)]
        matrix = ColumnBlocks(self.shape, blocks, np.array([p.place for p in self._pieces]))
        local = len(values) > len({p.owner for p in self._pieces})
        return matrix if local else matrix.toarray()

    # Once per window ----------------------------------------------------------------------------------------

    def _assemble(self) -> None:
        groups, start = [], 0
        for group in by_points(self.blocks):
            slices = []
            for block in group:
                rows = slice(start, start + len(block.points))
                start = rows.stop
                self._name(block.label, rows)
                self.weights[rows] = block.weight
                slices.append(rows)
                self._places.append((block, rows))
            groups.append((group, slices))
        held = []
        for condition in self.conditions:
            rows = slice(start, start + len(condition.points))
            start = rows.stop
            self._name(condition.label, rows)
            self.weights[rows] = condition.weight
            self.target[rows] = condition.values
            held.append((condition, rows))
        seen = [(_key(g[0]), g[0].points, g[0].partner, rows) for g, rows in groups]
        seen += [(_key(c), c.points, None, [rows]) for c, rows in held]
        self._pieces = cut(self.spaces, seen, self.xp)
        for group, slices in groups:
            self._assemble_group(group, slices)
        for condition, rows in held:
            self._assemble_condition(condition, rows)
        for piece in self._pieces:
            weights = self.xp.asarray(self.weights[piece.rows])
            for column in piece.values.T:
                column *= weights
        self.target *= self.weights

    def _name(self, label: str, rows: slice) -> None:
        known = self.rows_of.get(label)
        self.rows_of[label] = slice(known.start, rows.stop) if known and known.stop == rows.start else rows

    def _assemble_group(self, group: Sequence[Block], slices: Sequence[slice]) -> None:
        """Assemble the blocks that share points, piece by piece and chunk by chunk, each derivative matrix once."""
        key = _key(group[0])
        wanted = self._wanted(group)
        kept = [_Nonlinear(b, rows, {}) for b, rows in zip(group, slices, strict=True) if not b.row.linear]
        self._nonlinear += kept
        affine = []
        for block, rows in zip(group, slices, strict=True):
            source, coefficients = block.row.affine(block.points)
            self.target[rows] = -source
            affine.append((block, rows, coefficients))
        for piece in self._pieces:
            orders = wanted.get(piece.owner, [])
            numbers = numbers_of(piece.inside[key], len(group[0].points))
            if not orders or not len(numbers):
                continue
            for item in kept:
                for jet in item.block.row.nonlinear_jets:
                    if jet.field in piece.fields:
                        matrix = self.xp.empty((piece.space.size, len(numbers))).T
                        item.matrices.setdefault(jet, []).append((piece, matrix))
            step = max(64, CHUNK_BYTES // max(1, 8 * len(orders) * piece.space.size))
            for first in range(0, len(numbers), step):
                part = slice(first, min(first + step, len(numbers)))
                jets = self._jets(piece, group[0], numbers[part], orders)
                for _, rows, coefficients in affine:
                    self._affine_rows(piece, rows, part, numbers[part], coefficients, jets)
                for item in kept:
                    for jet, pairs in item.matrices.items():
                        if pairs[-1][0] is piece:
                            pairs[-1][1][part] = jets[jet.index]

    def _wanted(self, group: Sequence[Block]) -> dict[int, list[MultiIndex]]:
        found: dict[int, set[MultiIndex]] = {}
        for jet in (j for block in group for j in block.row.jets):
            found.setdefault(id(self.spaces[jet.field]), set()).add(jet.index)
        return {owner: sorted(orders) for owner, orders in found.items()}

    def _jets(self, piece: Piece, block: Block, numbers: np.ndarray, orders: list[MultiIndex]) -> dict:
        values = piece.space.jets(block.points[numbers], orders, self.xp)
        if block.partner is not None:
            other = piece.space.jets(block.partner[numbers], orders, self.xp)
            for order in orders:
                values[order] -= other[order]
        return values

    def _affine_rows(
        self, piece: Piece, rows: slice, part: slice, numbers: np.ndarray, coefficients: dict, jets: dict
    ) -> None:
        start = piece.start[rows.start]
        for jet, coefficient in coefficients.items():
            if jet.field in piece.fields:
                target = piece.values[start + part.start : start + part.stop, piece.fields[jet.field]]
                self._add_rows(target, _at(coefficient, numbers), jets[jet.index])

    def _assemble_condition(self, condition: Condition, rows: slice) -> None:
        field, order = condition.jet
        for piece in self._pieces:
            if field in piece.fields:
                inside = piece.inside[_key(condition)]
                jets = piece.space.jets(condition.points[inside], [order], self.xp)
                piece.values[piece.run(rows.start, len(jets[order])), piece.fields[field]] = jets[order]

    # Every step ---------------------------------------------------------------------------------------------

    def _jet_values(self, item: _Nonlinear, c: np.ndarray) -> dict[Jet, np.ndarray]:
        key = _key(item.block)
        values = {jet: np.zeros(len(item.block.points)) for jet in item.block.row.nonlinear_jets}
        for jet, pairs in item.matrices.items():
            for piece, matrix in pairs:
                here = self._product(matrix, c[piece.columns[piece.fields[jet.field]]])
                values[jet][piece.inside[key]] += here
        return values

    def _product(self, matrix: Array, c: np.ndarray) -> np.ndarray:
        return self.xp.to_numpy(matrix @ self.xp.asarray(c))

    def linearize(self, c: np.ndarray, picard: bool = False) -> tuple[Array | ColumnBlocks, np.ndarray]:
        """The system J c ≈ b at the current coefficients: Newton's, or Picard's with frozen factors."""
        entries = {id(piece): self.xp.copy(piece.values) for piece in self._pieces}
        b = self.target.copy()
        for item in self._nonlinear:
            values = self._jet_values(item, c)
            N, coefficients = item.block.row.nonlinear(item.block.points, values, picard)
            weight = self.weights[item.rows]
            known = -N
            for jet, coefficient in coefficients.items():
                known = known + coefficient * values[jet]
                self._add(entries, item, jet, np.broadcast_to(coefficient * weight, weight.shape))
            b[item.rows] += weight * known
        return self._matrix([entries[id(piece)] for piece in self._pieces]), b

    def _add(self, entries: dict, item: _Nonlinear, jet: Jet, scale: np.ndarray) -> None:
        key = _key(item.block)
        for piece, matrix in item.matrices.get(jet, ()):
            run = piece.run(item.rows.start, len(matrix))
            self._add_rows(entries[id(piece)][run, piece.fields[jet.field]], scale[piece.inside[key]], matrix)

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
        for piece in self._pieces:
            r[piece.rows] += self._product(piece.values, c[piece.columns])
        r -= self.target
        for item in self._nonlinear:
            values = self._jet_values(item, c)
            N, _ = item.block.row.nonlinear(item.block.points, values, False)
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

        `rows` replace those of the blocks one by one: the same coefficients with other sources.
        """
        instead = {
            id(b): row for b, row in zip(self.blocks, rows or [b.row for b in self.blocks], strict=True)
        }
        b = np.zeros_like(self.target)
        for block, places in self._places:
            later = block.points.copy()
            later[:, -1] += shift
            b[places] = -instead[id(block)].affine(later)[0]
        return b * self.weights

    def residual_by_block(self, c: np.ndarray) -> dict[str, float]:
        """Root mean square of the unweighted residual, per named block."""
        r = self.residual(c) / self.weights
        return {label: float(np.sqrt(np.mean(r[rows] ** 2))) for label, rows in self.rows_of.items()}


def _key(rows: Block | Condition) -> tuple[int, int]:
    """Which points these are: the arrays themselves, since blocks share them."""
    return id(rows.points), id(getattr(rows, "partner", None))


def _at(values: np.ndarray | float, numbers: np.ndarray) -> np.ndarray:
    values = np.asarray(values, dtype=float)
    return values[numbers] if values.size > 1 else values


def by_points(blocks: Sequence[Block]) -> list[list[Block]]:
    """Blocks that share points in one group; those of one name together, so that one slice covers them."""
    groups: dict[tuple[int, int], dict[str, list[Block]]] = {}
    for block in blocks:
        group = groups.setdefault(_key(block), {})
        group.setdefault(block.label, []).append(block)
    return [[block for named in group.values() for block in named] for group in groups.values()]


def equation_blocks(problem: Problem, points: np.ndarray, weight: float | np.ndarray) -> list[Block]:
    """The equations at interior points."""
    return [Block(row.label, row, points, weight) for row in problem.rows]


def boundary_blocks(
    problem: Problem,
    pairs: Sequence[tuple[np.ndarray, np.ndarray]],
    weights: Sequence[float],
    periodic_rows: bool,
) -> list[Block]:
    """Conditions on faces; and, where the trial space is not periodic itself, the match of opposite faces."""
    blocks = []
    coordinates = (*problem.domain.names, "t")
    for axis, (name, (lower, upper)) in enumerate(zip(problem.domain.names, pairs, strict=True)):
        if name not in problem.periodic:
            for face, points in ((f"{name}-", lower), (f"{name}+", upper)):
                blocks += [Block(r.label, r, points, weights[axis]) for r in problem.face_rows[face]]
        elif periodic_rows:
            blocks += [
                Block(f"periodic match in `{name}`", row, upper, weights[axis], lower)
                for row in periodic_match(problem, axis, coordinates)
            ]
    return blocks


def periodic_match(problem: Problem, axis: int, coordinates: tuple[str, ...]) -> list[Row]:
    """∂ᵏu(upper) − ∂ᵏu(lower) = 0 for k below the order of the equation along the axis, for each field."""
    rows = []
    for field in problem.fields:
        for order in range(max(1, problem.space_order(axis, field))):
            index = tuple(order if i == axis else 0 for i in range(len(coordinates)))
            rows.append(Row(JetSymbol(Jet(field, index)), coordinates, "periodic match"))
    return rows
