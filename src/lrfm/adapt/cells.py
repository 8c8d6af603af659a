# SPDX-License-Identifier: MIT
"""Which cells are split and which are joined, by the decay of the coefficients of the solution and of what is given.

η_k = √(h_k/L (a²_{n−2} + a²_{n−1}))/‖u‖   per cell and component;   split where η_k > budget/√K, join where the projection costs less than a hundredth of it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from lrfm.adapt.ends import met
from lrfm.adapt.given import Given
from lrfm.discretize.line.collocation import CellCollocation, Layout
from lrfm.discretize.line.moving import MovingCollocation
from lrfm.discretize.options import ROUNDING, Options
from lrfm.spaces.cells import Mesh, MovingMesh, Regrid
from lrfm.spaces.cells.reference import at_ends, at_nodes, connecting, halves, joining, merging, quadrature
from lrfm.spaces.cells.transfer import Transfer

LEAST = 2  # cells: a periodic band needs two
ENDS = np.array(
    [-1.0 + ROUNDING.zero, 1.0 - ROUNDING.zero]
)  # of a cell, a little inside: a jump stands at an end


class Progress(Protocol):
    """What joining has to know of an integration."""

    @property
    def steps(self) -> int:
        """How many were taken."""
        ...

    @property
    def y(self) -> np.ndarray:
        """The components of the solution."""
        ...

    @property
    def time(self) -> float:
        """How far it has come."""
        ...


class Change(NamedTuple):
    """Cells to be split, and left halves to be joined with their right ones."""

    split: np.ndarray
    join: np.ndarray


@dataclass(frozen=True)
class CellAdapter:
    """Makes the first cells and changes them."""

    layout: Layout
    given: Given
    options: Options

    # The first cells ----------------------------------------------------------------------------------------

    def initial(self) -> tuple[Mesh, np.ndarray]:
        """Cells on which all that is given is resolved at the start, and the state there."""
        return self._first

    def discretize(self, mesh: Mesh | MovingMesh) -> CellCollocation:
        """The statement on some cells."""
        if isinstance(mesh, MovingMesh):
            return MovingCollocation(self.layout, mesh)
        return CellCollocation(self.layout, mesh)

    @property
    def driven(self) -> np.ndarray:
        """What data make of each component at the most, where it starts from nothing."""
        return self.given.driven

    @cached_property
    def _first(self) -> tuple[Mesh, np.ndarray]:
        system = self.layout.system
        mesh = self._resolving(lambda mesh: self._left_out(mesh)[1])
        y = self._left_out(mesh)[0]
        return mesh, met(self.layout, mesh, y, self._budget) if system.links else y

    @cached_property
    def _protected(self) -> np.ndarray:
        """Edges of cells on which given functions are resolved; those that resolve data at the start are needed as long as the solution needs them."""
        return self._resolving(self._functions_left_out).edges

    def _resolving(self, left_out: Callable[[Mesh], np.ndarray]) -> Mesh:
        """Cells each of which leaves out less than its part of the budget of some functions: (functions, cells) of a mesh."""
        low, high = self.layout.system.interval
        singular = np.array([low, *self.given.places, high])
        # What is constant everywhere, as the unknowns of ordinary equations, has one cell.
        cells = self.options.first_cells if self.layout.size > 1 else 1
        parts = [np.linspace(a, b, cells + 1)[:-1] for a, b in itertools.pairwise(singular)]
        mesh = Mesh.of(np.append(np.concatenate(parts), high), bool(self.layout.system.problem.periodic))
        while True:
            rough = np.max(left_out(mesh), axis=0, initial=0.0) > self._budget / np.sqrt(mesh.size)
            rough &= mesh.level < self.options.deepest
            if not rough.any() or mesh.size > self.options.most_cells:
                return mesh
            mesh, _ = mesh.regrid(rough, np.zeros(mesh.size, dtype=bool))

    def on_cells(self, mesh: Mesh) -> np.ndarray | None:
        """The state at the start on some cells; None where they leave out more of something given than the budget, all together."""
        y, left = self._left_out(mesh)
        return None if np.any(np.sqrt(np.sum(left**2, axis=1)) > self._budget) else y

    def _left_out(self, mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
        """The state at the start on some cells, and what each of them leaves out of each function that is given: (functions, cells)."""
        plain, at = self._projected(mesh, self.given.initial)
        data, y = self._with_ends(plain.copy(), at), self._continuous(mesh, plain)
        left = [self._last(mesh, own, self._counted(mesh, own)) for own in (data, y)]
        return y, np.concatenate([*left, self._functions_left_out(mesh)])

    def _functions_left_out(self, mesh: Mesh) -> np.ndarray:
        """What each cell leaves out of each source and coefficient: (functions, cells)."""
        given = self.given
        times = [given.start, *given.named_times[:8]] if given.moving else [given.start]
        functions = [self.project(mesh, lambda x, t=t: given.functions(x, t), ends=True) for t in times]
        return np.concatenate([self._last(mesh, own) for own in functions])

    def _counted(self, mesh: Mesh, y: np.ndarray) -> np.ndarray:
        """What errors of a state are relative to at the start."""
        shares = mesh.widths / np.sum(mesh.widths)
        return self.layout.system.counted(np.sqrt(np.einsum("cks,k->c", y**2, shares)), self.options.told)

    @property
    def _budget(self) -> float:
        """What cells may leave out of what is given."""
        return self.options.tol * self.options.space_share

    def rough_cells(self, mesh: Mesh, coefficients: np.ndarray, budget: float) -> np.ndarray:
        """Cells in which some functions are not resolved, by their last coefficients."""
        left = np.max(self._last(mesh, coefficients), axis=0, initial=0.0)
        return left > budget / np.sqrt(mesh.size)

    def _last(self, mesh: Mesh, coefficients: np.ndarray, sizes: np.ndarray | None = None) -> np.ndarray:
        """√(h_k/L (a²_{n−2} + a²_{n−1}))/‖f‖ of some functions in each cell; relative to `sizes` where there are any."""
        if not len(coefficients) or coefficients.shape[-1] == 1:
            return np.zeros((len(coefficients), mesh.size))
        shares = mesh.widths / np.sum(mesh.widths)
        own = np.sqrt(np.einsum("cks,k->c", coefficients**2, shares)) if sizes is None else sizes
        tails = np.sqrt(shares * np.sum(coefficients[..., -2:] ** 2, axis=-1))
        return tails / np.where(own > 0, own, 1.0)[:, None]

    def project(self, mesh: Mesh, function, ends: bool = True) -> np.ndarray:
        """Coefficients (functions, cells, size) by least squares on Gauss points and, a little inside, the ends of each cell."""
        found, at = self._projected(mesh, function)
        return self._with_ends(found, at) if ends else found

    def _projected(self, mesh: Mesh, function) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients by Gauss points alone, and values a little inside of the ends of each cell (functions, cells, 2)."""
        size, functions = self.layout.size, self.layout.functions
        points, weights = quadrature(size, functions)
        values = function(mesh.places(np.append(points, ENDS)).ravel())
        values = values.reshape(len(values), mesh.size, len(points) + 2)
        return (values[..., :-2] * weights) @ at_nodes(size, functions), values[..., -2:]

    def _with_ends(self, found: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Coefficients with what they miss at the ends of cells in the last one: a top at an edge is seen however narrow it is."""
        own = at_ends(self.layout.size, 1, ROUNDING.zero, self.layout.functions)[:, 0]
        gap = np.max(np.abs(at - found @ own.T), axis=2)
        found[..., -1] += gap / np.max(np.abs(own[:, -1]))
        return found

    def connected(self, mesh: Mesh, data: np.ndarray) -> np.ndarray:
        """The state nearest to what is given at the start."""
        return self.held(mesh, self.given.initial)

    def held(self, mesh: Mesh, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """The state nearest to some functions of x that is of class C^(m−1)."""
        return self._continuous(mesh, self.project(mesh, function, ends=False))

    def _continuous(self, mesh: Mesh, plain: np.ndarray) -> np.ndarray:
        """The state nearest to projections: both sides of an edge meet in the middle."""
        layout, system = self.layout, self.layout.system
        for c, (field, _) in enumerate(system.components):
            i = system.fields.index(field)
            m, size = layout.orders[i], layout.sizes[i]
            plain[c, :, size:] = 0.0
            if i in layout.lumped:
                plain[c, :, 0] = plain[c, 0, 0]
            elif m:
                plain[c, :, :size] += self._corrections(mesh, plain[c, :, :size], m)
        return plain

    def _corrections(self, mesh: Mesh, own: np.ndarray, m: int) -> np.ndarray:
        """What has to be added in each cell so that derivatives below m agree at the edges."""
        size = own.shape[1]
        ends = at_ends(size, m, 0.0, self.layout.functions)
        stretch = (2.0 / mesh.widths)[:, None] ** np.arange(m)
        left, right = ((own @ ends[side].T) * stretch for side in (0, 1))
        next_ = np.arange(1, mesh.size + 1) % mesh.size
        # Near to what the narrower cell has: a gap that a wide cell closes by a slope of 1 is one of 1e5 in a cell that is so much narrower, and
        # second derivatives are of its square.
        wide, other = mesh.widths[:, None], mesh.widths[next_][:, None]
        share = other / (wide + other)
        mean = share * right + (1 - share) * left[next_]
        before = np.roll(mean, 1, axis=0)
        alone = np.isin(mesh.edges[1:], self.layout.interfaces)
        alone[-1] |= not mesh.periodic
        mean[alone], before[np.roll(alone, 1)] = right[alone], left[np.roll(alone, 1)]
        wanted = np.stack([(before - left) / stretch, (mean - right) / stretch], axis=1)
        return np.einsum("sem,kem->ks", connecting(size, m, self.layout.functions), wanted)

    # Later cells --------------------------------------------------------------------------------------------

    def _ends(self, y: np.ndarray) -> np.ndarray:
        """√(a²_{n−2} + a²_{n−1}) of each component in each cell; zero for what depends on time alone."""
        result = np.zeros(y.shape[:-1])
        for c, size in self._sized:
            result[..., c, :] = y[..., c, :, size - 2] ** 2 + y[..., c, :, size - 1] ** 2
        return np.sqrt(result)

    @cached_property
    def _sized(self) -> list[tuple[int, int]]:
        """Components that change in space, each with its number of coefficients in a cell."""
        layout, system = self.layout, self.layout.system
        numbers = [system.fields.index(field) for field, _ in system.components]
        return [(c, layout.sizes[i]) for c, i in enumerate(numbers) if i not in layout.lumped and layout.sizes[i] > 1]  # fmt: skip

    def tails(self, made: CellCollocation, y: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """η_k of each component in each cell, times √K: all cells at the budget are the budget together."""
        return self._ends(y) / sizes[:, None] * made.root_shares

    def rough(self, made: CellCollocation, y: np.ndarray) -> np.ndarray:
        """What cells leave out, as a function that they hold: as large, and as fast as points of collocation see (fields, cells, size)."""
        result = np.zeros((len(made.system.last), *y.shape[1:]))
        result[:, :, self.layout.count - 1] = self._ends(y)[made.system.last]
        return result

    def given_tails(self, made: CellCollocation, time: float) -> np.ndarray:
        """The same of given functions that move, relative to themselves."""
        standing = isinstance(made.mesh, Mesh)
        if not (self.given.moving if standing else self.given.varies):
            return np.zeros(made.mesh.size)
        # Under cells that move all functions do.
        found = self.project(made.mesh, lambda x: self.given.functions(x, time, only_moving=standing))
        own = np.maximum(made.norms(found), np.finfo(float).tiny)
        tail = np.sqrt(np.sum(found[..., -2:] ** 2, axis=-1)) / own[:, None]
        return np.max(tail, axis=0, initial=0.0) * np.sqrt(made.shares * made.mesh.size)

    def marked(self, worst: np.ndarray, budget: float, growth: np.ndarray | float = 1.0) -> np.ndarray:
        """Errors by cell as they are: all cells are to be at the budget."""
        return worst

    def refinement(self, mesh: Mesh, tails: np.ndarray, y: np.ndarray | None = None) -> Change | None:
        """Cells to be split: those above the budget, and wide neighbors of these, into which a front may move."""
        split = self._splits(mesh, tails)
        return Change(split, np.zeros_like(split)) if split.any() else None

    def following(
        self, made: CellCollocation, state: Progress, sizes: np.ndarray, refinement: Change | None
    ) -> Change | None:
        """What is split, and what can be joined beside it; joining alone has to pay for the matrices of a step."""
        mesh, options = made.mesh, self.options
        split = np.zeros(mesh.size, dtype=bool) if refinement is None else refinement.split
        if refinement is None and state.steps % options.join_every:
            return None
        join = self.joins(
            made, state.y, sizes, options.space_share * options.tol, self._protected, state.time
        )
        join &= ~split & ~np.roll(split, -1)
        if refinement is None and join.sum() * options.join_every < mesh.size:
            return None
        return Change(split, join)

    def changed(self, mesh: Any, change: Change) -> tuple[Any, Callable[[np.ndarray], np.ndarray]]:
        """Other cells, and what takes coefficients to them."""
        if isinstance(mesh, MovingMesh):
            moved = mesh.regrid(change.split, change.join)
            sizes = set(self.layout.sizes)
            moves = {size: Transfer(mesh.edges, moved.edges, size, size) for size in sizes}
            return moved, lambda arrays: self._on_edges(moves, moved.size, arrays)
        other, regrid = mesh.regrid(change.split, change.join)
        return other, lambda arrays: self.transfer(regrid, arrays)

    def _splits(self, mesh: Mesh, tails: np.ndarray) -> np.ndarray:
        if mesh.size > self.options.most_cells:
            return np.zeros(mesh.size, dtype=bool)
        rough = tails > 1
        if not rough.any():
            return rough
        wide = rough.copy()
        for shift in (1, -1):
            near = np.roll(rough, shift)
            if not mesh.periodic:
                near[0 if shift == 1 else -1] = False
            narrow = np.roll(mesh.widths, shift)
            wide |= near & (mesh.widths > self.options.neighbor * narrow)
        return wide & (mesh.level < self.options.deepest)

    def joins(
        self,
        made: CellCollocation,
        y: np.ndarray,
        sizes: np.ndarray,
        budget: float,
        protected: np.ndarray,
        time: float = 0.0,
    ) -> np.ndarray:
        """Left halves that may be joined with their right ones: what the projection changes is a hundredth of the budget.

        What is given is resolved on the first cells, the edges of which are `protected`; on cells that move it is looked at at a `time`.
        """
        mesh, join = made.mesh, np.zeros(made.mesh.size, dtype=bool)
        pairs = mesh.siblings
        if mesh.size - 1 < LEAST or not len(pairs):
            return join
        if isinstance(mesh, MovingMesh):
            protected = mesh.edges[mesh.fixed]
        middles = mesh.edges[pairs + 1]
        at = np.searchsorted(protected, middles)
        near = np.minimum(
            np.abs(protected[np.clip(at, 0, len(protected) - 1)] - middles),
            np.abs(protected[np.clip(at - 1, 0, len(protected) - 1)] - middles),
        )
        pairs = pairs[near > self.options.same_edge * mesh.widths[pairs]]
        if not len(pairs):
            return join
        cost = np.zeros(len(pairs))
        for c, (field, _) in enumerate(self.layout.system.components):
            i = self.layout.system.fields.index(field)
            if i in self.layout.lumped:
                continue
            size = self.layout.sizes[i]
            own = self._cost(mesh, y[None, c, :, :size], pairs, self.layout.orders[i])
            cost = np.maximum(cost, own[0] / sizes[c])
        if isinstance(mesh, MovingMesh) and self.given.varies:
            given = self.project(mesh, lambda x: self.given.functions(x, time))
            norms = np.maximum(made.norms(given), np.finfo(float).tiny)
            own = self._cost(mesh, given, pairs, 0) / norms[:, None]
            cost = np.maximum(cost, np.max(own, axis=0, initial=0.0))
        cost *= np.sqrt((made.shares[pairs] + made.shares[pairs + 1]) * mesh.size)
        cheap = cost < self.options.coarsen * budget
        good = np.sort(_apart(pairs[cheap][np.argsort(cost[cheap], kind="stable")]))
        join[good[: max(0, mesh.size - LEAST)]] = True
        return join

    def _cost(self, mesh: Mesh | MovingMesh, own: np.ndarray, pairs: np.ndarray, order: int) -> np.ndarray:
        """What the projection of pairs of cells onto one changes of functions (functions, cells, size), or leaves in their last coefficients: (functions, pairs)."""
        both = np.stack([own[:, pairs], own[:, pairs + 1]], axis=2)
        shares = mesh.widths[pairs] / (mesh.widths[pairs] + mesh.widths[pairs + 1])
        functions, size = self.layout.functions, own.shape[-1]
        matrices, parts = merging(size, order, shares, functions)
        whole = np.matmul(matrices, both.reshape(*both.shape[:2], 2 * size, 1))
        gaps = np.matmul(parts, whole[:, :, None])[..., 0] - both @ functions.series(size).T
        gap = np.sum(np.stack([shares, 1 - shares], axis=1) * np.sum(gaps**2, axis=3), axis=2)
        tail = np.sqrt(np.sum(whole[..., -2:, 0] ** 2, axis=2))
        # A cell that would soon be split again is not worth joining.
        return np.maximum(np.sqrt(gap), self.options.calm * tail)

    def _on_edges(self, moves: Mapping[int, Transfer], cells: int, arrays: np.ndarray) -> np.ndarray:
        """Coefficients (…, components, cells, size) on cells with other edges."""
        layout, system = self.layout, self.layout.system
        result = np.zeros((*arrays.shape[:-2], cells, arrays.shape[-1]))
        for c, (field, _) in enumerate(system.components):
            i = system.fields.index(field)
            size = layout.sizes[i]
            result[..., c, :, :size] = moves[size](arrays[..., c, :, :size], layout.orders[i])
        return result

    def transfer(self, regrid: Regrid, arrays: np.ndarray) -> np.ndarray:
        """Coefficients (…, components, cells, size) on new cells."""
        layout, system = self.layout, self.layout.system
        result = np.zeros((*arrays.shape[:-2], len(regrid.source), arrays.shape[-1]))
        for c, (field, _) in enumerate(system.components):
            i = system.fields.index(field)
            size, m = layout.sizes[i], layout.orders[i]
            together = joining(size, m, layout.functions).T
            result[..., c, :, :size] = regrid.apply(
                arrays[..., c, :, :size],
                halves(size, m, layout.functions),
                lambda left, right, together=together: np.concatenate([left, right], axis=-1) @ together,
            )
        return result


def _apart(pairs: np.ndarray) -> np.ndarray:
    """The first of some pairs of neighbors, in their order, that have no cell in common with one before them."""
    taken: set[int] = set()
    for pair in pairs.tolist():
        if pair not in taken and not {pair - 1, pair + 1} & taken:
            taken.add(pair)
    return np.array(sorted(taken), dtype=int)
