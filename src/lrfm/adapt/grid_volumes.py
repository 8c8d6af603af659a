# SPDX-License-Identifier: MIT
"""Volumes of a conservation law in a box: as many as the variation of its data asks for, as on an interval (`lrfm.adapt.volumes`).

    h = tol ∫|q₀| / TV(q₀),   TV(q₀) = Σ_k ∫|∂_k q₀|.

is the width of the narrowest ones. Others are wider, as long as what is left out comes to a small part of the tolerance in the mean (`lrfm.spaces.cells.graded`); this is asked for after each step.
Means of cells are integrals by Gauss' formula, of cells that are halved along all axes where two formulas differ or a formula names a place.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from lrfm.adapt.cells import Progress
from lrfm.adapt.given_box import GivenOnBox
from lrfm.adapt.volumes import EqualCells
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.laws.face_flux import FaceFlux
from lrfm.discretize.laws.grid_volumes import GridVolumes
from lrfm.discretize.laws.law import Law
from lrfm.discretize.options import PAIRS, ROUNDING, SCAN, SCANS, SHOCKS, Options
from lrfm.linalg.deadline import check_deadline
from lrfm.problem.conservation import ConservationLaw
from lrfm.problem.landmarks import landmarks
from lrfm.spaces.cells.graded import graded, moved
from lrfm.spaces.cells.reference import nodes
from lrfm.spaces.cells.tree import Tree


class _Scan(NamedTuple):
    """Places in the middles of cells of one width: the lower corner, these widths, the places (axes, n)."""

    lower: np.ndarray
    widths: np.ndarray
    centers: np.ndarray


@dataclass(frozen=True)
class GridAdapter(EqualCells):
    """Makes cells in a box, and follows the solution with them."""

    system: EvolutionSystem
    form: ConservationLaw
    given: GivenOnBox
    options: Options
    sizes: np.ndarray | None = None

    @cached_property
    def laws(self) -> tuple[Law, ...]:
        """The law along each axis, ready to be evaluated."""
        axes = range(self.system.problem.domain.dimension)
        return tuple(Law(self.form.along(axis), self._coordinates) for axis in axes)

    @property
    def _coordinates(self) -> tuple[str, ...]:
        return (*self.system.problem.domain.names, "t")

    @cached_property
    def faces(self) -> tuple[tuple[FaceFlux, FaceFlux], ...]:
        """Fluxes through the lower and the upper face along each axis."""
        rows, names = self.system.problem.face_rows, self.system.problem.domain.names

        def flux(axis: int, sign: str) -> FaceFlux:
            face = f"{names[axis]}{sign}"
            side = -1 if sign == "-" else 1
            return FaceFlux(self.laws[axis], rows.get(face, ()), face, side, self._coordinates)

        return tuple((flux(axis, "-"), flux(axis, "+")) for axis in range(len(names)))

    @property
    def driven(self) -> np.ndarray:
        """Nothing is known of what starts from nothing."""
        return np.zeros(len(self.form.fields))

    # Data ---------------------------------------------------------------------------------------------------

    def conserved(self, places: np.ndarray) -> np.ndarray:
        """What is conserved at the start, at places (axes, n): (quantities, n)."""
        problem, start = self.system.problem, self.given.start
        points = np.column_stack([*places, np.full(places.shape[1], start)])
        u = np.stack([problem.initial_data[field, 0].part(points, field) for field in self.form.fields])
        with np.errstate(all="ignore"):
            return self.laws[0].conserved(u, places, start)

    @cached_property
    def _scanned(self) -> tuple[_Scan, np.ndarray]:
        """Places of a coarse look at the data, and these there, (quantities, n₁, …)."""
        box = self.system.problem.domain
        count = round((SCANS.axis * np.sqrt(SCANS.axis)) ** (1 / box.dimension))
        widths = (box.upper - box.lower) / count
        own = [low + w * (np.arange(count) + 0.5) for low, w in zip(box.lower, widths, strict=True)]
        centers = np.stack([x.ravel() for x in np.meshgrid(*own, indexing="ij")])
        shape = (count,) * box.dimension
        return _Scan(box.lower, widths, centers), self.conserved(centers).reshape(-1, *shape)

    @cached_property
    def start_sizes(self) -> np.ndarray:
        """Means of |q| at the start, of all quantities together where one is zero."""
        if self.sizes is not None:
            return self.sizes
        own = np.mean(np.abs(self._scanned[1]), axis=tuple(range(1, len(self.laws) + 1)))
        return np.where(own > 0, own, max(float(np.max(own)), np.finfo(float).tiny))

    @cached_property
    def variation(self) -> float:
        """TV(q₀)/∫|q₀| of the quantity that varies most, in units of 1/length."""
        grid, values = self._scanned
        total = np.zeros(len(values))
        for axis, width in enumerate(grid.widths):
            gaps = np.abs(np.diff(values, axis=axis + 1))
            total += np.sum(gaps, axis=tuple(range(1, values.ndim))) / width
        box = self.system.problem.domain
        least = 1.0 / float(np.max(box.upper - box.lower))
        return max(float(np.max(total / grid.centers.shape[1] / self.start_sizes)), least)

    @property
    def jumps(self) -> bool:
        """Whether initial data jump: between two places that come as near as rounding allows they still differ."""
        grid, values = self._scanned
        for axis in range(len(grid.widths)):
            gaps = np.max(np.abs(np.diff(values, axis=axis + 1)) / self._columns(values.ndim), axis=0)
            at = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
            low = np.array([grid.lower[k] + grid.widths[k] * (i + 0.5) for k, i in enumerate(at)])
            high = low.copy()
            high[axis] += grid.widths[axis]
            if self._gap_between(low, high) > SCAN.same:
                return True
        return False

    def _columns(self, dimensions: int) -> np.ndarray:
        return self.start_sizes.reshape(-1, *(1,) * (dimensions - 1))

    def _gap_between(self, low: np.ndarray, high: np.ndarray) -> float:
        """What is left of a difference of data after the steeper half has been taken again and again."""
        q = self.conserved(np.column_stack([low, high]))
        for _ in range(round(-math.log2(ROUNDING.root))):
            middle = 0.5 * (low + high)
            here = self.conserved(middle[:, None])[:, 0]
            first, second = (np.max(np.abs(q[:, k] - here) / self.start_sizes) for k in (0, 1))
            if first >= second:
                high, q = middle, np.column_stack([q[:, 0], here])
            else:
                low, q = middle, np.column_stack([here, q[:, 1]])
        return float(np.max(np.abs(q[:, 1] - q[:, 0]) / self.start_sizes))

    def meet(self) -> bool:
        """Whether the speeds of waves at the start fall along an axis so fast that some meet within the time span."""
        grid, values = self._scanned
        start, end = self.system.problem.time
        q = values.reshape(len(values), -1)
        for axis, law in enumerate(self.laws):
            if law.linear:
                continue
            with np.errstate(all="ignore"):
                speeds, _ = law.waves_at(q, grid.centers, start)
            speeds = np.sort(speeds, axis=1).T.reshape(-1, *values.shape[1:])
            steepest = float(np.min(np.diff(speeds, axis=axis + 1), initial=0.0)) / grid.widths[axis]
            if np.isfinite(steepest) and -steepest * (end - start) > 1:
                return True
        return False

    # Cells --------------------------------------------------------------------------------------------------

    @cached_property
    def coarsest(self) -> Tree:
        """The widest cells, so many along each axis as in a solve with twice the least number of cells; in a comparison fewer, so that two solves share no widths."""
        box = self.system.problem.domain
        blocks = self._wanted / Tree.side / (1 << self.depth)
        periodic = tuple(name in self.system.problem.periodic for name in box.names)
        roots = tuple(max(1, round(n)) for n in blocks)
        return Tree(tuple(map(float, box.lower)), tuple(map(float, box.upper)), roots, periodic)

    @property
    def depth(self) -> int:
        """How often the widest cells may be halved: as often in a comparison."""
        widest = 2 * SHOCKS.least_volumes
        most = float(np.min(self._wanted)) * (PAIRS.apart if self.options.comparison else 1.0)
        return max(0, int(math.log2(max(most / widest, 1.0))))

    @property
    def _wanted(self) -> np.ndarray:
        """Along each axis, how many of the narrowest cells would fill the box."""
        box = self.system.problem.domain
        return (box.upper - box.lower) * self.variation / self.options.tol

    def initial(self) -> tuple[Tree, np.ndarray]:
        """Cells, and the state there: means are those of the data wherever there are new cells."""
        tree = self.coarsest
        with np.errstate(all="ignore"):
            means = self._means(tree)
            for _ in range(2 * self.depth):
                wanted = self.wanted(tree, means)
                # What has been seen to be narrow stays so until all has been.
                both = tree.with_blocks(
                    [_blocks(tree, k) | _blocks(wanted, k) for k in range(self.depth + 1)]
                )
                if both.same_as(tree):
                    break
                tree, means = both, self._means(both)
            if self.depth:
                wanted = self.wanted(tree, means)
                tree, means = wanted, moved(tree, wanted, means)
            wrong = self._without_states(means, tree.centers)
            if wrong:
                raise Unsuited(wrong)
            return tree, self.discretize(tree).shown(self.given.start, means)

    @property
    def no_states(self) -> str:
        """A sentence about data that are no states of the law, at places of a coarse look at them; none where all are."""
        places, values = self._scanned
        return self._without_states(values.reshape(len(values), -1), places.centers)

    def _without_states(self, q: np.ndarray, x: np.ndarray) -> str:
        with np.errstate(all="ignore"):
            if all([law.begin(q, x, self.given.start) for law in self.laws]):
                return ""
            found = self.laws[0].speeds(q, x, self.given.start)
        at = x[:, int(np.argmin(np.isfinite(found)))]
        where = ", ".join(f"{n} = {place:.3g}" for n, place in zip(self._coordinates, at, strict=False))
        return (
            f"Near {where} the initial data are no state of this conservation law: what must keep its sign, such as a depth or a density, vanishes or changes "
            "it there, or speeds of waves are not real."
        )

    def _means(self, tree: Tree) -> np.ndarray:
        """Of what is conserved, (quantities, cells)."""
        box, problem = self.system.problem.domain, self.system.problem
        formulas = [part for datum in problem.initial_data.values() for part in datum.value or ()]
        named = landmarks(formulas, box.names, box.lower, box.upper)
        inside = np.zeros(tree.size, dtype=bool)
        if len(named):
            # What is narrow there may lie beside a face: cells within half a width, too.
            half = 0.5 * tree.cell_widths[:, tree.locate(named)[0]].T
            for signs in product((-1, 0, 1), repeat=tree.dimension):
                beside = np.clip(named + np.array(signs) * half, tree.lower, tree.upper)
                inside[tree.locate(beside)[0]] = True
        allowed = self.options.space_share * self.options.tol * self.start_sizes
        corner, parts = np.arange(tree.side, dtype=float), []
        marks = tree.per_level(inside)
        for k in range(len(tree.levels)):
            lower = tree.places(k, [corner] * tree.dimension)
            flat = lower.reshape(tree.dimension, -1)
            found = _integrated(self.conserved, flat, tree.widths(k), allowed, marks[k].ravel())
            parts.append(found.reshape(-1, *lower.shape[1:]))
        return tree.joined(parts)

    def discretize(self, mesh: Tree) -> GridVolumes:
        """The law on some cells."""
        least = Options.visible * self.options.tol * self.start_sizes
        return GridVolumes(self.laws, mesh, self.faces, least, self.system)

    # Widths that follow the solution ------------------------------------------------------------------------

    def wanted(self, tree: Tree, means: np.ndarray) -> Tree:
        """The cells that the rule asks for, from means on others."""
        if not self.depth:
            return tree
        scaled = means / self.start_sizes[:, None]
        # In the time of a step that is kept waves come so far.
        passed = math.ceil(SHOCKS.volume_steps * SHOCKS.volume_courant)
        return graded(tree, scaled, self.depth, Options.minor * self.options.tol, passed)

    def following(
        self, made: GridVolumes, state: Progress, sizes: np.ndarray, refinement: object
    ) -> Tree | None:
        """Other cells: asked for after each step, which takes a hundredth of its time."""
        after = self.wanted(made.mesh, state.y[..., 0])
        return None if after.same_as(made.mesh) else after

    def changed(self, mesh: Tree, change: Tree) -> tuple[Tree, Callable[[np.ndarray], np.ndarray]]:
        """Other cells, and what takes means with slopes to them: totals stay, slopes of cells that were halved are those of the wide ones, and of what was joined the means of both."""

        def move(arrays: np.ndarray) -> np.ndarray:
            flat = np.moveaxis(arrays, -1, 0).reshape(-1, arrays.shape[-2])
            made = moved(mesh, change, flat)
            shape = arrays.shape[-1:] + arrays.shape[:-2]
            return np.ascontiguousarray(np.moveaxis(made.reshape(*shape, -1), 0, -1))

        return change, move


def _blocks(tree: Tree, level: int) -> np.ndarray:
    """Which blocks of a level there are, with an entry for each that there could be."""
    if level > tree.depth:
        return np.zeros(tuple(n << level for n in tree.roots), dtype=bool)
    return tree.dense(level, np.ones(tree.levels[level].size, dtype=bool))


def _integrated(
    function: Callable[[np.ndarray], np.ndarray],
    lower: np.ndarray,
    widths: np.ndarray,
    allowed: np.ndarray,
    inside: np.ndarray,
    depth: int = 0,
) -> np.ndarray:
    """Means over boxes of one size, (axes, boxes) their lower corners: where Gauss' formulas with two and three points differ by more than is allowed, over their 2^d halves, and so on.

    What jumps is followed to a part of a cell: a cell that holds a jump is wrong by more than that.
    """
    check_deadline()
    fine = _gauss(function, lower, widths, 3)
    gap = np.abs(fine - _gauss(function, lower, widths, 2))
    todo = np.flatnonzero(np.any(gap > allowed[:, None], axis=0) | inside)
    if len(todo) and depth < SHOCKS.halvings:
        d, half = len(lower), 0.5 * widths
        corners = np.stack(np.meshgrid(*[[0.0, 1.0]] * d, indexing="ij")).reshape(d, -1) * half[:, None]
        parts = (lower[:, todo, None] + corners[:, None, :]).reshape(d, -1)
        again = np.repeat(inside[todo], corners.shape[1])
        means = _integrated(function, parts, half, allowed, again, depth + 1)
        fine[:, todo] = np.mean(means.reshape(len(fine), len(todo), -1), axis=2)
    return fine


def _gauss(
    function: Callable[[np.ndarray], np.ndarray], lower: np.ndarray, widths: np.ndarray, count: int
) -> np.ndarray:
    """Means by Gauss' formula with some points along each axis, (quantities, boxes)."""
    d = len(lower)
    points, weights = nodes(count, 0)
    unit = np.stack(np.meshgrid(*[0.5 * (points + 1)] * d, indexing="ij")).reshape(d, -1)
    weight = np.prod(np.stack(np.meshgrid(*[weights] * d, indexing="ij")).reshape(d, -1), axis=0)
    places = (lower[:, :, None] + (unit * widths[:, None])[:, None, :]).reshape(d, -1)
    values = function(places)
    return values.reshape(len(values), lower.shape[1], -1) @ weight
