# SPDX-License-Identifier: MIT
"""Which boxes are split into 2^d and which are joined, by the decay of the coefficients of cells.

With E_d = √Σ a² over the coefficients of degree d, two degrees together (what is even or odd has every second one only), a cell of degree p leaves out about

    η = √(E_p² + E_{p−1}²) ρ²,    ρ = min(1, √(E_p² + E_{p−1}²)/√(E_{p−1}² + E_{p−2}²)):

the coefficients decay on as they did. In units of √(|Ω|/|K|) ‖u‖;  a cell is split where η > budget/√n for n cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lrfm.adapt.cells import Progress
from lrfm.adapt.plane_given import PlaneGiven
from lrfm.discretize.galerkin import PlaneGalerkin
from lrfm.discretize.options import PLANE, ROUNDING, SAFEGUARDS, Options
from lrfm.discretize.plane_layout import PlaneLayout
from lrfm.linalg.clock import look
from lrfm.spaces.cells.plane.cuts import bent
from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.solid import Solid
from lrfm.spaces.cells.plane.solid_cuts import solid_cuts
from lrfm.spaces.cells.plane.space import PlaneCells

Function = Callable[[np.ndarray], np.ndarray]


class TooMany(Exception):
    """The first cells have more unknowns than others that hold the same."""


class PlaneChange(NamedTuple):
    """Leaves to be split into four, and leaves of which four are joined."""

    split: np.ndarray
    join: np.ndarray


@dataclass(frozen=True, eq=False)
class PlaneAdapter:
    """Makes the first cells and changes them."""

    layout: PlaneLayout
    given: PlaneGiven
    options: Options
    unknowns: float = np.inf  # of a field, above which the first cells are not worth having

    def initial(self) -> tuple[PlaneCells, np.ndarray]:
        """Cells on which all that is given is resolved at the start, and the state there."""
        return self._first

    def held(self, mesh: PlaneCells, function: Function) -> np.ndarray:
        """The state nearest to some functions of places, (n, 2) → (components, n)."""
        return mesh.project(function)

    def discretize(self, mesh: PlaneCells) -> PlaneGalerkin:
        """The statement on some cells; made once on the first ones."""
        if "_first" in self.__dict__ and mesh is self._first[0]:
            return self._first_made
        return PlaneGalerkin(self.layout, mesh)

    @cached_property
    def _first_made(self) -> PlaneGalerkin:
        return PlaneGalerkin(self.layout, self._first[0])

    def space(self, mesh: PlaneMesh) -> PlaneCells:
        """Cells on the leaves of a quadtree."""
        return PlaneCells(self.layout.outline, mesh, self.layout.degree)

    @property
    def driven(self) -> np.ndarray:
        """What data make of each component at the most, where it starts from nothing."""
        return self.given.driven

    # The first cells ----------------------------------------------------------------------------------------

    def _roots(self) -> PlaneMesh:
        """Root boxes: of the domain's bounding box, or shifted and of another size for a comparison."""
        low, high = self.layout.outline.low, self.layout.outline.high
        extent = high - low
        side = 0.5 * float(np.max(extent))
        around = np.array(self.layout.outline.periodic)
        # Around an axis no box may be its own neighbor, and boxes fit the period.
        grid = np.maximum(1 + around, np.round(extent / side)).astype(int)
        if not self.options.comparison:
            return PlaneMesh.of(low, high, tuple(grid.tolist()))
        root = np.where(around, extent / np.ceil(grid / PLANE.size), PLANE.size * extent / grid)
        first = np.where(around, low, low - PLANE.shift * root)
        grid = np.where(around, np.round(extent / root), np.ceil((high - first) / root)).astype(int)
        return PlaneMesh.of(first, first + root * grid, tuple(grid.tolist()))

    @cached_property
    def _first(self) -> tuple[PlaneCells, np.ndarray]:
        return self._resolving(self._lasting, [self.given.initial], even=self.layout.system.undamped)

    def beside(self, other: PlaneMesh) -> tuple[PlaneCells, np.ndarray]:
        """Cells about as small as those of another solve, whose functions they need not hold: these jump where its cells meet. And the initial state on them."""
        mesh, wide = self._lasting.mesh, np.max(other.widths, axis=1)
        while mesh.leaves <= self._most:
            middles = 0.5 * (mesh.boxes[:, 0::2] + mesh.boxes[:, 1::2])
            # Those at the rim of a shifted grid may lie beyond the other one.
            at = other.locate(np.clip(middles, other.low, other.high))
            marked = (np.max(mesh.widths, axis=1) > np.sqrt(2) * wide[at]) & (
                mesh.level < SAFEGUARDS.box_depth
            )
            if not marked.any():
                break
            mesh = mesh.split(marked)
        space = self.space(mesh)
        return space, space.project(self.given.initial)

    @cached_property
    def _lasting(self) -> PlaneCells:
        """Cells on which sources and coefficients are resolved, and no curve turns within a box: they are not joined later."""
        times = [self.given.start, *self.given.times[:8]] if self.given.moving else [self.given.start]
        functions = [lambda x, t=t: self.given.functions(x, t) for t in times]
        return self._resolving(self.space(self._straight(self._roots())), functions)[0]

    def _straight(self, mesh: PlaneMesh) -> PlaneMesh:
        """Boxes in which no curve turns, small ones at corners: before anything is integrated on them."""
        budget = self.options.tol * self.options.space_share
        while mesh.leaves <= self._most:
            marked = self._at_corners(mesh, budget)
            marked[self._bent(mesh)] = True
            marked &= mesh.level < SAFEGUARDS.box_depth
            if not marked.any():
                break
            mesh = mesh.split(marked)
        return mesh

    def _bent(self, mesh: PlaneMesh) -> np.ndarray:
        """Leaves in which a curve or a surface turns too much."""
        outline = self.layout.outline
        return solid_cuts(outline, mesh).bent if isinstance(outline, Solid) else bent(outline, mesh)

    @property
    def _most(self) -> int:
        """Cells at most."""
        return SAFEGUARDS.boxes if self.layout.dimension == 2 else SAFEGUARDS.cells

    def _resolving(
        self, space: PlaneCells, functions: Sequence[Function], even: bool = False
    ) -> tuple[PlaneCells, np.ndarray]:
        """Cells that are split until they hold some functions, and the coefficients of the first of these.

        With `even` all are of one size: short waves that are not damped get everywhere.
        """
        budget = self.options.tol * self.options.space_share
        while True:
            look()
            found = [space.project(f) for f in functions]
            rough = np.zeros(space.size, dtype=bool)
            for f, own in zip(functions, found, strict=True):
                rough |= self._rough(space, own, f, budget)
            marked = self._leaves(space, rough)
            marked[space.bent] = True
            if even and (marked.any() or np.ptp(space.mesh.level)):
                marked = (space.mesh.level < space.mesh.level.max()) | ~np.ptp(space.mesh.level).astype(bool)
            marked &= space.mesh.level < SAFEGUARDS.box_depth
            if not marked.any() or space.size > self._most:
                return space, found[0]
            space = self.space(space.mesh.split(marked))
            if space.size * space.functions > self.unknowns:
                raise TooMany

    def _at_corners(self, mesh: PlaneMesh, budget: float) -> np.ndarray:
        """Leaves at corners with r^α, α < 1, that are not small enough yet: they spoil the solution everywhere by (h/L)^(2α), more than they leave out."""
        marked = np.zeros(mesh.leaves, dtype=bool)
        extent = float(np.max(self.layout.outline.high - self.layout.outline.low))
        for point, power in self.layout.singular:
            size = extent * budget ** (1 / (2 * power))
            near = np.all(
                (mesh.boxes[:, 0::2] <= point + self.layout.outline.beside)
                & (mesh.boxes[:, 1::2] >= point - self.layout.outline.beside),
                axis=1,
            )
            marked |= near & (np.max(mesh.widths, axis=1) > size)
        return marked

    def _rough(self, space: PlaneCells, found: np.ndarray, function, budget: float) -> np.ndarray:
        """Cells in which some functions are not resolved, by their last coefficients, and by what they are at other places."""
        if not len(found):
            return np.zeros(space.size, dtype=bool)
        sizes = np.sqrt(np.einsum("cks,k->c", found**2, space.shares))
        sizes = np.where(sizes > 0, sizes, 1.0)
        tails = np.sqrt(space.shares * self._ends(space, found) ** 2)
        cell = space.frame.locate(self.given.places)
        gap = np.abs(space.values(found, self.given.places) - function(self.given.places))
        # At a jump itself a function has any of two values.
        apart = np.all(
            [np.abs(d.values(self.given.places)) > ROUNDING.zero for d in self.layout.outline.between], axis=0
        )
        gap = np.where(np.isfinite(gap) & apart, gap, 0.0) * np.sqrt(space.shares[cell])
        for own, more in zip(tails, gap, strict=True):
            np.maximum.at(own, cell, more)
        worst = np.max(tails / sizes[:, None], axis=0) * np.sqrt(space.size)
        return self.marked(worst, budget) > budget

    def _leaves(self, space: PlaneCells, cells: np.ndarray) -> np.ndarray:
        """The leaves of marked cells, without those that are small beside the largest of their cell."""
        leaf = space.pieces >> 8
        level = space.mesh.level[leaf]
        coarse = np.full(space.size, np.iinfo(np.int64).max)
        np.minimum.at(coarse, space.owner, level)
        marked = np.zeros(space.mesh.leaves, dtype=bool)
        marked[leaf[cells[space.owner] & (level == coarse[space.owner])]] = True
        return marked

    # Later cells --------------------------------------------------------------------------------------------

    @staticmethod
    def _ends(space: PlaneCells, found: np.ndarray) -> np.ndarray:
        """η of functions (…, cells, size), without its unit: (…, cells)."""
        squares, p = found**2, space.degree
        energy = [np.sum(squares[..., space.degrees == d], axis=-1) for d in (p, p - 1, p - 2)]
        last, before = energy[0] + energy[1], energy[1] + energy[2]
        ratio = np.minimum(1.0, last / np.maximum(before, np.finfo(float).tiny))
        return np.sqrt(last) * ratio

    def tails(self, made: PlaneGalerkin, y: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """η_k of each component in each cell, times √n: all cells at the budget are the budget together.

        Of a chain u, u_t, … it is u that counts: what is missing in u_t comes to 1/ω of it there, and ω is larger than that of all that is held.
        """
        found = self._ends(made.mesh, y) / sizes[:, None] * np.sqrt(made.shares * made.mesh.size)
        later = [c for c, (_, level) in enumerate(made.system.components) if level]
        found[later] = 0.0
        return found

    def rough(self, made: PlaneGalerkin, y: np.ndarray) -> np.ndarray:
        """What cells leave out as a function that they hold: as large, and as fast as their highest degree."""
        own = y[made.system.last]
        high = np.where(made.mesh.degrees >= made.mesh.degree - 1, own, 0.0)
        size = np.sqrt(np.sum(high**2, axis=-1, keepdims=True))
        wanted = self._ends(made.mesh, own)[..., None]
        return high * np.where(size > 0, wanted / np.where(size > 0, size, 1.0), 0.0)

    def given_tails(self, made: PlaneGalerkin, time: float) -> np.ndarray:
        """The same of given functions that move, relative to themselves."""
        if not self.given.moving:
            return np.zeros(made.mesh.size)
        found = made.mesh.project(lambda x: self.given.functions(x, time, only_moving=True))
        own = np.maximum(made.norms(found), np.finfo(float).tiny)
        tail = self._ends(made.mesh, found) / own[:, None]
        return np.max(tail, axis=0, initial=0.0) * np.sqrt(made.shares * made.mesh.size)

    def marked(self, worst: np.ndarray, budget: float) -> np.ndarray:
        """Errors by cell such that the largest is that of all cells together, and those are above the budget without which the rest is below it."""
        own = worst / np.sqrt(len(worst))
        total = float(np.sqrt(np.sum(own**2)))
        if total <= budget:
            return own * (total / max(float(np.max(own)), np.finfo(float).tiny))
        order = np.argsort(own)
        kept = np.sqrt(np.cumsum(own[order] ** 2)) <= budget / 2
        result = own * (total / float(np.max(own)))
        small, large = order[kept], order[~kept]
        result[small] = np.minimum(result[small], budget)
        result[large] = np.maximum(result[large], budget * (1 + ROUNDING.zero))
        return result

    def refinement(self, mesh: PlaneCells, tails: np.ndarray) -> PlaneChange | None:
        """Leaves to be split: those of cells above the budget."""
        if mesh.size > self._most:
            return None
        split = self._leaves(mesh, tails > 1)
        if not self.layout.system.forgets:
            split = mesh.mesh.around(split)  # what travels is in the next box soon
        split &= mesh.mesh.level < SAFEGUARDS.box_depth
        return PlaneChange(split, np.zeros_like(split)) if split.any() else None

    def following(
        self, made: PlaneGalerkin, state: Progress, sizes: np.ndarray, refinement: PlaneChange | None
    ) -> PlaneChange | None:
        """What is split, and what can be joined beside it; joining alone has to pay for the matrices of a step."""
        options, mesh = self.options, made.mesh
        if self.layout.system.undamped or (refinement is None and state.steps % options.join_every):
            return refinement
        join = self._joins(made, state.y, sizes)
        if refinement is None:
            if self._saved(mesh, join) * options.worth_joining < mesh.size:
                return None
            return PlaneChange(np.zeros_like(join), join)
        return PlaneChange(refinement.split, join & ~refinement.split)

    @staticmethod
    def _saved(space: PlaneCells, join: np.ndarray) -> int:
        """By how many boxes in the domain fewer there are if some leaves are joined, as far as their neighbors let them."""
        leaves = np.unique(space.pieces >> 8)
        boxes = space.mesh.boxes[leaves]
        joined = space.mesh.join(join)
        return len(leaves) - len(np.unique(joined.locate(0.5 * (boxes[:, 0::2] + boxes[:, 1::2]))))

    def _joins(self, made: PlaneGalerkin, y: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Leaves of cells that would hold the solution in a box of twice the size, in which coefficients of degree d are 2^d times as large."""
        space = made.mesh
        grown = y * 2.0**space.degrees
        tails = self._ends(space, grown) / sizes[:, None] * np.sqrt(made.shares * space.size)
        budget = self.options.space_share * self.options.tol
        calm = np.max(tails, axis=0) < Options.minor * budget
        rough = np.zeros(space.mesh.leaves, dtype=bool)
        rough[(space.pieces >> 8)[~calm[space.owner]]] = True
        first = self._lasting.mesh
        at = first.locate(0.5 * (space.mesh.boxes[:, 0::2] + space.mesh.boxes[:, 1::2]))
        return ~rough & (space.mesh.level > first.level[at])

    def changed(
        self, mesh: PlaneCells, change: PlaneChange
    ) -> tuple[PlaneCells, Callable[[np.ndarray], np.ndarray]]:
        """Other cells, and what takes coefficients to them."""
        leaves = mesh.mesh
        if change.join.any():
            joined = leaves.join(change.join)
            at = joined.find(leaves.level[change.split], leaves.index[change.split])
            marked = np.zeros(joined.leaves, dtype=bool)
            marked[at[at >= 0]] = True
            other = self.space(joined.split(marked))
        else:
            other = self.space(leaves.split(change.split))
        return other, Moved(mesh, other)


class Moved:
    """Takes coefficients from some cells to others: copies where a cell is the same, projections elsewhere."""

    def __init__(self, before: PlaneCells, after: PlaneCells):
        self.before, self.after = before, after
        old, new = _signatures(before), _signatures(after)
        pairs = [(k, old[key]) for key, k in new.items() if key in old]
        same = np.array(pairs, dtype=int).reshape(-1, 2)
        self.to, self.source = same[:, 0], same[:, 1]
        self.fresh = np.ones(after.size, dtype=bool)
        self.fresh[self.to] = False

    def __call__(self, arrays: np.ndarray) -> np.ndarray:
        """(…, cells, size) on the new cells."""
        before, after = self.before, self.after
        flat = arrays.reshape(-1, *arrays.shape[-2:])
        result = np.zeros((len(flat), after.size, after.functions))
        result[:, self.to] = flat[:, self.source]
        for batch in after.batches:
            among = np.flatnonzero(self.fresh[batch.cells])
            if not len(among):
                continue
            points, weights = batch.points[among], batch.weights[among]
            values = before.values(flat, points.reshape(-1, after.dimension)).reshape(
                len(flat), *weights.shape
            )
            table = batch.values if len(batch.values) == 1 else batch.values[among]
            result[:, batch.cells[among]] = np.matmul((values * weights)[:, :, None, :], table)[:, :, 0]
        return result.reshape(*arrays.shape[:-2], after.size, after.functions)


def _signatures(space: PlaneCells) -> dict[tuple[int, ...], int]:
    """Cells by the boxes and regions that they are made of."""
    leaf = space.pieces >> 8
    keys = (space.mesh.keys(space.mesh.level[leaf], space.mesh.index[leaf]) << 8) + (space.pieces & 255)
    order = np.lexsort([keys, space.owner])
    keys, owner = keys[order], space.owner[order]
    starts = np.flatnonzero(np.append(True, np.diff(owner) > 0))
    ends = np.append(starts[1:], len(keys))
    values = keys.tolist()
    return {
        tuple(values[a:b]): k for k, (a, b) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True))
    }
