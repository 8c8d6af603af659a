# SPDX-License-Identifier: MIT
"""The one place where physics meets features.

A row F = Σ_a L_a D^a u + s + N(u) at a point becomes, with u = Σ_q c_q Φ_q (Paper, eq:unified-ansatz),

    J = Σ_a (L_a + ∂N/∂(D^a u)) D^a Φ,    b = J c − F(u) = −s − N + Σ_a ∂N/∂(D^a u) D^a u

so that the next iterate solves J c ≈ b (Paper, eq:lin-system). What does not depend on c is assembled once
per window; each step then costs one product per nonlinear jet and one pass over the matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lrfm.problem import Jet, MultiIndex, Problem, Row
from lrfm.problem.jets import jet_symbol

CHUNK_BYTES = 64 * 2**20  # derivative matrices of one chunk of rows


class TrialSpace(Protocol):
    """What assembly needs of a trial space."""

    size: int

    def jets(self, points: np.ndarray, orders: Sequence[MultiIndex]) -> dict[MultiIndex, np.ndarray]: ...


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
    """A block's nonlinear part with the derivative matrices it needs."""

    block: Block
    rows: slice
    matrices: dict[Jet, np.ndarray]


class System:
    """The weighted rows of one window as functions of the coefficients c.

    Columns are ordered field by field; each uses the trial space given for it. `rows_of` names row blocks.
    """

    def __init__(
        self, spaces: Mapping[str, TrialSpace], blocks: Sequence[Block], conditions: Sequence[Condition] = ()
    ):
        self.spaces = dict(spaces)
        self.columns = column_slices(self.spaces)
        self.blocks, self.conditions = tuple(blocks), tuple(conditions)
        count = sum(len(b.points) for b in (*self.blocks, *self.conditions))
        width = sum(space.size for space in self.spaces.values())
        self.matrix = np.zeros((count, width), order="F")
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
    def shape(self) -> tuple[int, int]:
        return self.matrix.shape

    # Once per window ----------------------------------------------------------------------------------------

    def _assemble(self) -> None:
        start = 0
        for group in _by_points(self.blocks):
            slices = []
            for block in group:
                rows = slice(start, start + len(block.points))
                start = rows.stop
                self._name(block.label, rows)
                self.weights[rows] = block.weight
                slices.append(rows)
                self._places.append((block, rows))
            self._assemble_group(group, slices)
        for condition in self.conditions:
            rows = slice(start, start + len(condition.points))
            start = rows.stop
            self._name(condition.label, rows)
            self.weights[rows] = condition.weight
            field, order = condition.jet
            jets = self.spaces[field].jets(condition.points, [order])
            self.matrix[rows, self.columns[field]] = jets[order]
            self.target[rows] = condition.values
        for column in self.matrix.T:
            column *= self.weights
        self.target *= self.weights

    def _name(self, label: str, rows: slice) -> None:
        known = self.rows_of.get(label)
        self.rows_of[label] = slice(known.start, rows.stop) if known and known.stop == rows.start else rows

    def _assemble_group(self, group: Sequence[Block], slices: Sequence[slice]) -> None:
        """Assemble the blocks that share points, chunk by chunk, each derivative matrix computed once."""
        wanted = self._wanted(group)
        kept = [
            _Nonlinear(b, rows, self._empty(b))
            for b, rows in zip(group, slices, strict=True)
            if not b.row.linear
        ]
        self._nonlinear += kept
        matrices = sum(len(orders) * space.size for space, orders in wanted)
        count = len(group[0].points)
        step = max(64, CHUNK_BYTES // max(1, 8 * matrices))
        for first in range(0, count, step):
            part = slice(first, min(first + step, count))
            jets = self._jets(group[0], part, wanted)
            for block, rows in zip(group, slices, strict=True):
                self._affine_rows(block, rows, part, jets)
            for item in kept:
                for jet, matrix in item.matrices.items():
                    matrix[part] = jets[id(self.spaces[jet.field]), jet.index]

    def _wanted(self, group: Sequence[Block]) -> list[tuple[TrialSpace, list[MultiIndex]]]:
        found: dict[int, tuple[TrialSpace, set[MultiIndex]]] = {}
        for jet in (j for block in group for j in block.row.jets):
            space = self.spaces[jet.field]
            found.setdefault(id(space), (space, set()))[1].add(jet.index)
        return [(space, sorted(orders)) for space, orders in found.values()]

    def _empty(self, block: Block) -> dict[Jet, np.ndarray]:
        shape = lambda jet: (len(block.points), self.spaces[jet.field].size)  # noqa: E731
        return {jet: np.empty(shape(jet), order="F") for jet in block.row.nonlinear_jets}

    def _jets(self, block: Block, part: slice, wanted: list) -> dict[tuple[int, MultiIndex], np.ndarray]:
        jets = {}
        for space, orders in wanted:
            values = space.jets(block.points[part], orders)
            if block.partner is not None:
                other = space.jets(block.partner[part], orders)
                for order in orders:
                    values[order] -= other[order]
            jets |= {(id(space), order): values[order] for order in orders}
        return jets

    def _affine_rows(self, block: Block, rows: slice, part: slice, jets: dict) -> None:
        here = slice(rows.start + part.start, rows.start + part.stop)
        source, coefficients = block.row.affine(block.points[part])
        self.target[here] = -source
        for jet, coefficient in coefficients.items():
            target = self.matrix[here, self.columns[jet.field]]
            target += coefficient.reshape(-1, 1) * jets[id(self.spaces[jet.field]), jet.index]

    # Every step ---------------------------------------------------------------------------------------------

    def _jet_values(self, item: _Nonlinear, c: np.ndarray) -> dict[Jet, np.ndarray]:
        return {jet: matrix @ c[self.columns[jet.field]] for jet, matrix in item.matrices.items()}

    def linearize(self, c: np.ndarray, picard: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """The system J c ≈ b at the current coefficients: Newton's, or Picard's with frozen factors."""
        J, b = self.matrix.copy(order="F"), self.target.copy()
        for item in self._nonlinear:
            values = self._jet_values(item, c)
            N, coefficients = item.block.row.nonlinear(item.block.points, values, picard)
            weight = self.weights[item.rows]
            known = -N
            for jet, coefficient in coefficients.items():
                known = known + coefficient * values[jet]
                self._add(J, item, jet, coefficient * weight)
            b[item.rows] += weight * known
        return J, b

    def _add(self, J: np.ndarray, item: _Nonlinear, jet: Jet, scale: np.ndarray) -> None:
        # Transposed views are C-contiguous rows: the product runs along memory, one column of J at a time.
        target, matrix = J[item.rows, self.columns[jet.field]].T, item.matrices[jet].T
        scale = np.broadcast_to(scale, (matrix.shape[1],))
        step = max(1, 2**18 // max(1, matrix.shape[1]))
        for first in range(0, len(matrix), step):
            target[first : first + step] += scale * matrix[first : first + step]

    def residual(self, c: np.ndarray) -> np.ndarray:
        """Weighted F(u) of all rows."""
        r = self.matrix @ c - self.target
        for item in self._nonlinear:
            values = self._jet_values(item, c)
            N, _ = item.block.row.nonlinear(item.block.points, values, False)
            r[item.rows] += self.weights[item.rows] * N
        return r

    def target_at(self, shift: float, values: Sequence[np.ndarray]) -> np.ndarray:
        """b of the same rows a time `shift` later, with other values of the conditions (linear rows only)."""
        b = np.empty_like(self.target)
        for block, rows in self._places:
            later = block.points.copy()
            later[:, -1] += shift
            b[rows] = -block.row.affine(later)[0]
        start = len(b) - sum(len(v) for v in values)
        b[start:] = np.concatenate(list(values))
        return b * self.weights

    def residual_by_block(self, c: np.ndarray) -> dict[str, float]:
        """Root mean square of the unweighted residual, per named block."""
        r = self.residual(c) / self.weights
        return {label: float(np.sqrt(np.mean(r[rows] ** 2))) for label, rows in self.rows_of.items()}


def column_slices(spaces: Mapping[str, TrialSpace]) -> dict[str, slice]:
    """Columns of each field in the coefficient vector."""
    slices, start = {}, 0
    for field, space in spaces.items():
        slices[field] = slice(start, start + space.size)
        start += space.size
    return slices


def _by_points(blocks: Sequence[Block]) -> list[list[Block]]:
    """Blocks that share points in one group; those of one name together, so that one slice covers them."""
    groups: dict[tuple[int, int], dict[str, list[Block]]] = {}
    for block in blocks:
        group = groups.setdefault((id(block.points), id(block.partner)), {})
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
            rows.append(Row(jet_symbol(Jet(field, index)), coordinates, {}, "periodic match"))
    return rows
