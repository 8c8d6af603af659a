# SPDX-License-Identifier: MIT
"""Which boxes are split, along which axes, and which are joined, by the decay of the coefficients of cells.

With E_d = √Σ a² over the coefficients of degree d, two degrees together (what is even or odd has every second one only), a cell of degree p leaves out about

    η² = (E_p² + E_{p−1}²) (ρ⁴ + ρ⁸ + … + ρ^(2p)),    ρ = min(1, √(E_p² + E_{p−1}²)/√(E_{p−1}² + E_{p−2}²)):

the coefficients decay on as they did. In units of √(|Ω|/|K|) ‖u‖;  a cell is split where η > budget/√n for n cells, along the axes whose part of it is not minor: with the exponents i, j of a
coefficient it is a² i/(i + j) and a² j/(i + j).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lrfm.adapt.cells import Progress
from lrfm.adapt.plane_given import PlaneGiven
from lrfm.adapt.plane_moved import Moved
from lrfm.discretize.options import PLANE, ROUNDING, SAFEGUARDS, Options
from lrfm.discretize.plane.galerkin import PlaneGalerkin
from lrfm.discretize.plane.layout import PlaneLayout
from lrfm.discretize.plane.order_four import laplacian_of
from lrfm.linalg.deadline import check_deadline
from lrfm.problem.shapes.gauss import gauss
from lrfm.spaces.cells.plane.cuts import bent
from lrfm.spaces.cells.plane.functions import exponents, number_of
from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.solid import Solid
from lrfm.spaces.cells.plane.solid_cuts import solid_cuts
from lrfm.spaces.cells.plane.space import PlaneCells

Function = Callable[[np.ndarray], np.ndarray]


class TooMany(Exception):
    """The first cells have more unknowns than others that hold the same."""


class PlaneChange(NamedTuple):
    """Leaves to be split and leaves to be joined, by axis (leaves, d); or degrees that all cells get more."""

    split: np.ndarray
    join: np.ndarray
    raised: int = 0


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
        return PlaneGalerkin(self._of_degree(mesh.degree), mesh)

    def _of_degree(self, degree: int) -> PlaneLayout:
        """The statement with polynomials of another degree."""
        if degree == self.layout.degree:
            return self.layout
        if degree not in self._raised:
            self._raised[degree] = replace(self.layout, degree=degree)
        return self._raised[degree]

    @cached_property
    def _raised(self) -> dict[int, PlaneLayout]:
        return {}

    @cached_property
    def _first_made(self) -> PlaneGalerkin:
        return PlaneGalerkin(self.layout, self._first[0])

    def space(self, mesh: PlaneMesh, degree: int | None = None) -> PlaneCells:
        """Cells on the leaves of a quadtree, with polynomials of the degree of the layout, or of another one."""
        return PlaneCells(self.layout.outline, mesh, self.layout.degree if degree is None else degree)

    @property
    def stretched(self) -> bool:
        """Whether boxes may be longer along one axis: in the plane, where neither a pressure nor a Laplacian is an unknown of its own, and short waves are damped."""
        system = self.layout.system
        whole = not system.algebraic and not any(laplacian_of(f) for f in system.fields)
        return self.layout.dimension == 2 and whole and not system.undamped

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

    def beside(self, other: PlaneMesh, raised: int = 0) -> tuple[PlaneCells, np.ndarray]:
        """Cells about as small as those of another solve, whose functions they need not hold: these jump where its cells meet; with as many degrees more. And the initial state on them."""
        mesh = self._lasting.mesh
        while mesh.leaves <= self._most:
            middles = 0.5 * (mesh.boxes[:, 0::2] + mesh.boxes[:, 1::2])
            # Those at the rim of a shifted grid may lie beyond the other one.
            at = other.locate(np.clip(middles, other.low, other.high))
            marked = mesh.widths > np.sqrt(2) * other.widths[at]
            marked &= (mesh.depth < self.deepest)[:, None]
            if not marked.any():
                break
            mesh = mesh.split(marked)
        space = self.space(mesh, self.layout.degree + raised)
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
            marked &= mesh.depth < self.deepest
            if not marked.any():
                break
            mesh = mesh.split(marked)
        return mesh

    def _bent(self, mesh: PlaneMesh) -> np.ndarray:
        """Leaves in which a curve or a surface turns too much."""
        outline = self.layout.outline
        return solid_cuts(outline, mesh).bent if isinstance(outline, Solid) else bent(outline, mesh)

    # Where a limit ends a solve, its comparison goes on: on the same cells it would agree on what both leave out.

    @property
    def _most(self) -> int:
        """Cells at most; in a comparison more, by one halving of all of them."""
        most = SAFEGUARDS.boxes if self.layout.dimension == 2 else SAFEGUARDS.cells
        return most * 2**self.layout.dimension if self.options.comparison else most

    @cached_property
    def deepest(self) -> int:
        """How often a box is halved at the most; in a first solve less often, so that h^α of the smallest is twice as large as in the comparison: at corners with r^α, and √h at a jump that no formula names."""
        least = min([0.5, *(power for _, power in self.layout.singular)])
        less = 0 if self.options.comparison else int(np.ceil(1 / least))
        return max(1, SAFEGUARDS.box_depth - less)

    def _resolving(
        self, space: PlaneCells, functions: Sequence[Function], even: bool = False
    ) -> tuple[PlaneCells, np.ndarray]:
        """Cells that are split until they hold some functions, and the coefficients of the first of these.

        With `even` all are of one size: short waves that are not damped get everywhere.
        """
        budget = self.options.tol * self.options.space_share
        while True:
            check_deadline()
            found = [space.project(f) for f in functions]
            rough = np.zeros((space.size, space.dimension), dtype=bool)
            for f, own in zip(functions, found, strict=True):
                rough |= self._rough(space, own, f, budget)
            marked = self._leaves(space, rough)
            marked[space.bent] = True
            depth = space.mesh.depth
            if even and (marked.any() or np.ptp(depth)):
                marked[:] = ((depth < depth.max()) | ~np.ptp(depth).astype(bool))[:, None]
            marked &= (depth < self.deepest)[:, None]
            if not marked.any() or space.size > self._most:
                return space, found[0]
            space = self.space(space.mesh.split(marked))
            if space.size * space.functions > self.unknowns:
                raise TooMany

    def _at_corners(self, mesh: PlaneMesh, budget: float, parts: np.ndarray | None = None) -> np.ndarray:
        """Leaves at corners with r^α, α < 1, that are not small enough yet: they spoil the solution everywhere by c (h/L)^(2α), more than they leave out; c = 1 where `parts` does not say how much of it there is.

        In the corner itself two solves miss c h^α, with one sign, and what they agree on is not seen. Boxes are halved, so that h is known to a factor of two only: with a quarter of the budget, which a comparison
        has anyhow, its h^α may be 0.8 of the first one's; with a sixteenth it is half of it or less, whatever α < 1.
        """
        budget /= Options.closer if self.options.comparison else 1.0
        marked = np.zeros(mesh.leaves, dtype=bool)
        extent = float(np.max(self.layout.outline.high - self.layout.outline.low))
        for k, (point, power) in enumerate(self.layout.singular):
            share = budget if parts is None else budget / max(float(parts[k]), budget)
            near = self._beside(mesh, point)
            marked |= near & (np.max(mesh.widths, axis=1) > extent * share ** (1 / (2 * power)))
        return marked

    def _beside(self, mesh: PlaneMesh, point: np.ndarray) -> np.ndarray:
        """Which leaves have a point in them or on their rim."""
        around = self.layout.outline.beside
        return np.all(
            (mesh.boxes[:, 0::2] <= point + around) & (mesh.boxes[:, 1::2] >= point - around), axis=1
        )

    def at_corners(self, space: PlaneCells, budget: float, y: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Leaves that are too large for what of c (r/L)^α is in a state: c is at most what its cells at the corner leave out, over what they leave out of (r/L)^α.

        A smooth state has next to nothing of it: coefficients that vanish with the data are not told by the equations (Babuška, Miller, Int. J. Numer. Methods Engrg. 20, 1984, integrate for them; here only a bound is wanted).
        """
        extent = float(np.max(self.layout.outline.high - self.layout.outline.low))
        cells, left = space.pieces >> 8, self._ends(space, y) / sizes[:, None]
        parts = np.ones(len(self.layout.singular))
        for k, (point, power) in enumerate(self.layout.singular):
            own = np.unique(space.owner[self._beside(space.mesh, point)[cells]])
            unit = space.project(
                lambda x, p=point, a=power: (np.linalg.norm(x - p, axis=1)[None] / extent) ** a
            )
            known = self._ends(space, unit)[0, own]
            worst = np.max(left[:, own], axis=0) / np.maximum(known, np.finfo(float).tiny)
            parts[k] = min(1.0, float(np.max(worst, initial=0.0)))
        return self._at_corners(space.mesh, budget, parts)

    def _rough(self, space: PlaneCells, found: np.ndarray, function, budget: float) -> np.ndarray:
        """Cells in which some functions are not resolved, by their last coefficients, and by what they are at other places; along which axes, (cells, d)."""
        if not len(found):
            return np.zeros((space.size, space.dimension), dtype=bool)
        sizes = np.sqrt(np.einsum("cks,k->c", found**2, space.shares))
        sizes = np.where(sizes > 0, sizes, 1.0)
        tails = np.max(np.sqrt(space.shares * self._ends(space, found) ** 2) / sizes[:, None], axis=0)
        cell = space.frame.locate(self.given.places)
        gap = np.abs(space.values(found, self.given.places) - function(self.given.places))
        # At a jump itself a function has any of two values.
        apart = np.all(
            [np.abs(d.values(self.given.places)) > ROUNDING.zero for d in self.layout.outline.between], axis=0
        )
        gap = np.where(np.isfinite(gap) & apart, gap, 0.0) * np.sqrt(space.shares[cell])
        if self.layout.system.undamped:
            gap /= self._tops(space, cell)
        gap = np.max(gap / sizes[:, None], axis=0)
        axes, seen = self._axes(space, found, sizes), np.zeros(space.size)
        np.maximum.at(seen, cell, gap)
        unseen = np.flatnonzero((seen > tails) & self.stretched)
        order = np.argsort(gap)
        worst = np.zeros(space.size, dtype=int)
        worst[cell[order]] = order
        if len(unseen):
            axes[unseen] = self._through(space, unseen, self.given.places[worst[unseen]], function)
        total = self.marked(np.maximum(tails, seen) * np.sqrt(space.size), budget)
        return axes & (total > budget)[:, None]

    def _tops(self, space: PlaneCells, cell: np.ndarray) -> np.ndarray:
        """√Σ φ_i(x)² of the last two degrees at the places of given functions, of known cells:  |Σ a_i φ_i(x)| ≤ √(Σ a_i²) √(Σ φ_i(x)²).

        What cells leave out has as many times its mean at the places at which it is largest. Taken for the mean itself, a pulse in a stadium asked for 464 cells of degree 8, where 116 missed it by 1.3e-4 and their coefficients said 1.5e-4.
        So where boxes are all of one size, and one halving is a halving of all of them. Elsewhere it is one of a few boxes, and what is right at places has slopes that are: a ball at 1e-2 lost 3 percent of the flux through its surface.
        """
        places, total = self.given.places, np.zeros(len(cell))
        table = space.frame.table(cell, places)
        for own in np.flatnonzero(space.degrees >= space.degree - 1):
            one = np.zeros((space.size, space.functions))
            one[:, own] = 1.0
            total += np.einsum("mn,mn->m", space.in_products(one)[cell], table) ** 2
        return np.sqrt(np.maximum(total, 1.0))

    def _axes(self, space: PlaneCells, found: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """The axes along which what cells leave out is not minor, (cells, d)."""
        if not self.stretched:
            return np.ones((space.size, space.dimension), dtype=bool)
        squares, powers = space.in_products(found) ** 2, np.array(exponents(space.degree, space.dimension))
        shares = powers / np.maximum(np.sum(powers, axis=0), 1)
        parts = [np.max(self._tail(space, squares * s) / sizes[:, None], axis=0, initial=0.0) for s in shares]
        return (np.array(parts) >= Options.minor * np.max(parts, axis=0)).T

    def _through(
        self, space: PlaneCells, cells: np.ndarray, places: np.ndarray, function: Function
    ) -> np.ndarray:
        """The same where coefficients do not show what is at a place of each cell: the axes along which no polynomial holds the function on the line through it."""
        nodes = 2 * gauss(space.count)[0] - 1
        middle, half = space.middle[cells], np.maximum(space.half[cells], np.finfo(float).tiny)
        at = np.clip((places - middle) / half, -1.0, 1.0)
        parts = []
        for axis in range(space.dimension):
            z = np.column_stack([np.tile(nodes, (len(cells), 1)), at[:, axis]])
            points = np.repeat(places[:, None], z.shape[1], axis=1)
            points[..., axis] = middle[:, None, axis] + half[:, None, axis] * z
            points[:, -1] = places
            values = function(points.reshape(-1, space.dimension)).reshape(-1, *z.shape)
            values = np.where(np.isfinite(values), values, 0.0)
            basis = np.linalg.qr(np.polynomial.legendre.legvander(z, space.degree))[0]
            left = values - np.einsum("kpi,kqi,ckq->ckp", basis, basis, values)
            scale = np.maximum(np.max(np.abs(values), axis=(1, 2)), np.finfo(float).tiny)
            parts.append(np.max(np.abs(left) / scale[:, None, None], axis=(0, 2)))
        return (np.array(parts) >= Options.minor * np.max(parts, axis=0)).T

    def _leaves(self, space: PlaneCells, cells: np.ndarray) -> np.ndarray:
        """The leaves of cells that are marked by axes, without those that are small beside the largest of their cell."""
        leaf = space.pieces >> 8
        level = np.sum(space.mesh.level[leaf], axis=1)
        coarse = np.full(space.size, np.iinfo(np.int64).max)
        np.minimum.at(coarse, space.owner, level)
        marked = np.zeros(space.mesh.level.shape, dtype=bool)
        largest = level == coarse[space.owner]
        np.logical_or.at(marked, leaf[largest], cells[space.owner[largest]])
        return marked

    # Later cells --------------------------------------------------------------------------------------------

    @staticmethod
    def _ends(space: PlaneCells, found: np.ndarray) -> np.ndarray:
        """η of functions (…, cells, size), without its unit: (…, cells)."""
        return PlaneAdapter._tail(space, found**2)

    @staticmethod
    def _tail(space: PlaneCells, squares: np.ndarray) -> np.ndarray:
        """The same of squares of coefficients."""
        p, (last, before) = space.degree, PlaneAdapter._pairs(space, squares, 2)
        ratio = np.minimum(1.0, last / np.maximum(before, np.finfo(float).tiny))
        # As many pairs of degrees as there are below: what decays like a power of the degree, or not at all, as a layer that is thinner than the cell, is in all of them.
        return np.sqrt(last * sum(ratio ** (2 * k) for k in range(1, p // 2 + 1)))

    @staticmethod
    def _pairs(space: PlaneCells, squares: np.ndarray, count: int) -> list[np.ndarray]:
        """E_d² + E_{d−1}² of the last degrees."""
        last = range(space.degree, space.degree - count - 1, -1)
        energy = [np.sum(squares[..., space.degrees == d], axis=-1) for d in last]
        return [one + two for one, two in pairwise(energy)]

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

    def marked(self, worst: np.ndarray, budget: float, growth: np.ndarray | float = 1.0) -> np.ndarray:
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

    def refinement(
        self, mesh: PlaneCells, tails: np.ndarray, y: np.ndarray | None = None
    ) -> PlaneChange | None:
        """Leaves to be split: those of cells above the budget, along the axes that a state asks for."""
        if mesh.size > self._most:
            return None
        axes = np.ones((mesh.size, mesh.dimension), dtype=bool)
        if y is not None and y.size:
            sizes = np.sqrt(np.einsum("cks,k->c", y**2, mesh.shares))
            axes = self._axes(mesh, y, np.where(sizes > 0, sizes, np.inf))
        split = self._leaves(mesh, axes & (tails > 1)[:, None])
        if not self.layout.system.forgets:
            split |= mesh.mesh.around(np.any(split, axis=1))[:, None]  # what travels is in the next box soon
        split &= (mesh.mesh.depth < self.deepest)[:, None]
        if not split.any():
            return None
        nothing = np.zeros_like(split)
        raised = self._degrees(mesh, float(np.max(tails)), y, float(np.mean(np.any(split, axis=1))))
        return PlaneChange(nothing, nothing, raised) if raised else PlaneChange(split, nothing)

    def _degrees(self, mesh: PlaneCells, excess: float, y: np.ndarray | None, part: float) -> int:
        """By how many degrees all cells are raised in the place of a split, so that half of the budget is left; 0 where halving all of them takes fewer unknowns, or no degree does it.

        Only where short waves are not damped, and all boxes are of one size: what some cells have to hold now, others will, unless something stays in its place, for which some are split already. A pulse in a stadium on 116 cells of degree 8, too few by a third of the budget, came to 427 by splits: five times the
        unknowns of degree 9, with eigenvalues four times as large. With coefficients that decay as they do, k degrees more leave η ρ^k of each cell. And where nothing moves and all is linear (what Newton's method finds on few cells has other layers than what it comes to: a cavity at Re = 100 took three times as long), if that costs less than q times as many boxes, which a split of a part of them makes: by nested dissection
        q^(3(d − 1)/d) times as much to factor, and with n′ for n functions (n′/n)³.
        """
        system = self.layout.system
        standing = system.problem.steady and system.linear
        if (
            not (standing or (system.undamped and not system.algebraic))
            or y is None
            or np.ptp(mesh.mesh.depth)
        ):
            return 0
        cost, share = 2.0**mesh.dimension, 0.5
        if standing:
            cost, share = (1 + (cost - 1) * part) ** (1 - 1 / mesh.dimension), 1.0
        squares = y[[c for c, (_, level) in enumerate(system.components) if not level]] ** 2
        sizes = np.sum(squares * mesh.shares[:, None], axis=(1, 2))
        left = self._tail(mesh, squares) ** 2 * (mesh.shares / np.where(sizes > 0, sizes, np.inf)[:, None])
        # Over two degrees, and over four: what is even or odd seems not to decay from one to the next, and what decays like a power of the degree does so now and then.
        last, *earlier = self._pairs(mesh, squares, 5)[::2]
        rates = [
            (last / np.maximum(one, np.finfo(float).tiny)) ** (0.5 / (k + 1)) for k, one in enumerate(earlier)
        ]
        ratio = np.minimum(1.0, np.max(rates, axis=0))
        there = np.max(np.sum(left, axis=1))
        most = SAFEGUARDS.degree + PLANE.raised + self.options.comparison
        for more in range(1, most - mesh.degree + 1):
            if number_of(mesh.degree + more, mesh.dimension) > cost * mesh.functions:
                break
            left = left * ratio
            if excess**2 * np.max(np.sum(left, axis=1)) <= share**2 * there:
                return more
        return 0

    def following(
        self, made: PlaneGalerkin, state: Progress, sizes: np.ndarray, refinement: PlaneChange | None
    ) -> PlaneChange | None:
        """What is split, and what can be joined beside it; joining alone has to pay for the matrices of a step."""
        options, mesh = self.options, made.mesh
        if self.layout.system.undamped or (refinement is None and state.steps % options.join_every):
            return refinement
        join = self._joins(made, state.y, sizes)
        if refinement is None:
            if self._saved(mesh, join) * options.join_every < mesh.size:
                return None
            return PlaneChange(np.zeros_like(join), join)
        return PlaneChange(refinement.split, join & ~np.any(refinement.split, axis=1)[:, None])

    def _together(self, mesh: PlaneMesh, join: np.ndarray) -> PlaneMesh:
        """The mesh with some leaves joined: halves along an axis where boxes may be stretched, else all parts of a box or none."""
        return mesh.join(join if self.stretched else np.all(join, axis=1))

    def _saved(self, space: PlaneCells, join: np.ndarray) -> int:
        """By how many boxes in the domain fewer there are if some leaves are joined, as far as their neighbors let them."""
        leaves = np.unique(space.pieces >> 8)
        boxes = space.mesh.boxes[leaves]
        joined = self._together(space.mesh, join)
        return len(leaves) - len(np.unique(joined.locate(0.5 * (boxes[:, 0::2] + boxes[:, 1::2]))))

    def _joins(self, made: PlaneGalerkin, y: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Leaves of cells that would hold the solution in a box of twice the size along an axis, in which coefficients of degree d along it are 2^d times as large."""
        space, first = made.mesh, self._lasting.mesh
        powers = np.array(exponents(space.degree, space.dimension))
        whole = self._calm(made, y, sizes, space.degrees)
        parts = (
            np.array([self._calm(made, y, sizes, own) for own in powers]) if self.stretched else whole[None]
        )
        calm = parts < 1
        # Along both axes coefficients grow by both factors.
        calm &= (whole < 1) | (parts == np.min(parts, axis=0))
        rough = np.zeros(space.mesh.level.shape, dtype=bool)
        np.logical_or.at(rough, space.pieces >> 8, ~calm.T[space.owner])
        at = first.locate(0.5 * (space.mesh.boxes[:, 0::2] + space.mesh.boxes[:, 1::2]))
        deeper = space.mesh.level > first.level[at]
        return ~rough & (deeper if self.stretched else np.all(deeper, axis=1)[:, None])

    def _calm(self, made: PlaneGalerkin, y: np.ndarray, sizes: np.ndarray, powers: np.ndarray) -> np.ndarray:
        """What cells would leave out whose coefficients are 2^k times as large, in units of what joining may cost."""
        tails = (
            self._ends(made.mesh, y * 2.0**powers) / sizes[:, None] * np.sqrt(made.shares * made.mesh.size)
        )
        return np.max(tails, axis=0) / (Options.minor * self.options.space_share * self.options.tol)

    def changed(
        self, mesh: PlaneCells, change: PlaneChange
    ) -> tuple[PlaneCells, Callable[[np.ndarray], np.ndarray]]:
        """Other cells, and what takes coefficients to them."""
        leaves = mesh.mesh
        if change.raised:
            other = self.space(leaves, mesh.degree + change.raised)
        elif change.join.any():
            joined = self._together(leaves, change.join)
            split = np.flatnonzero(np.any(change.split, axis=1))
            at = joined.find(leaves.level[split], leaves.index[split])
            marked = np.zeros(joined.level.shape, dtype=bool)
            marked[at[at >= 0]] = change.split[split[at >= 0]]
            other = self.space(joined.split(marked), mesh.degree)
        else:
            other = self.space(leaves.split(change.split), mesh.degree)
        return other, Moved(mesh, other)
