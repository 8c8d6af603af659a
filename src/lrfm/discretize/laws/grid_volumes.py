# SPDX-License-Identifier: MIT
"""q_t + Σ_k f_k(q)_{x_k} = s by finite volumes in a box:  q̄′ = Σ_k (F̂_k⁻ − F̂_k⁺)/h_k + s(q̄),  on cells of the widths h, 2h, 4h, ….

Axis by axis it is the scheme of an interval (`volumes.py`): values at both sides of a face by WENO-Z along the axis, the flux of Harten, Lax and van Leer between them. A flux in the middle of
a face stands for its mean, which is of second order where the solution is smooth and no loss where it jumps (Zhang, Zhang, Shu, J. Comput. Phys. 230, 2011). Explicit steps are stable while
h Σ_k |λ_k|/h_k is at most the Courant number (LeVeque, Finite Volume Methods for Hyperbolic Problems, 2002, section 20.3).

Each block of cells is padded with means beyond its faces (`lrfm.spaces.cells.padded`) and is then alone; through a face between cells of two widths goes what the narrow ones say, so that totals are kept
(Berger, Colella, J. Comput. Phys. 82, 1989). All cells take the same steps.

A state is (quantities, cells, 1 + axes): the mean of a cell, and its slopes for who looks at it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.laws.face_flux import FaceFlux
from lrfm.discretize.laws.flux_cells import NotAdmissible
from lrfm.discretize.laws.law import Law
from lrfm.discretize.laws.volumes import limited, minmod, weighted
from lrfm.discretize.options import SAFEGUARDS
from lrfm.spaces.cells.padded import GHOSTS, padded, restricted
from lrfm.spaces.cells.tree import OUTSIDE, Tree, reduced

TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True)
class GridBounds:
    """Bounds of speeds of waves at each cell, down and up along each axis, by level (2·axes, n + 2·GHOSTS, …, blocks), the largest at faces of the box, and the time in which the fastest wave crosses a cell."""

    speeds: list[np.ndarray]
    at_walls: Mapping[tuple[int, int], np.ndarray]
    crossing: float


class _Part(NamedTuple):
    """Some leaves of one level: numbers of the first and of the one after the last."""

    level: int
    first: int
    last: int


class _Wall(NamedTuple):
    """A face of the box: its axis, 0 below and 1 above, by level the leaves that touch it; the cells that do, the middles of their faces, and their width across it."""

    axis: int
    side: int
    leaves: list[np.ndarray]
    cells: np.ndarray
    places: np.ndarray
    widths: np.ndarray


class GridVolumes:
    """A conservation law on cells of a tree; `least` is the jump of each quantity between cells from which it is a shock."""

    filters = False  # nothing is said of what is damped

    def __init__(
        self,
        laws: Sequence[Law],
        mesh: Tree,
        faces: Sequence[tuple[FaceFlux, FaceFlux]],
        least: np.ndarray,
        system: EvolutionSystem,
    ):
        self.laws, self.mesh, self.faces, self.least, self.system = laws, mesh, faces, least, system
        self.lumped: list[int] = []  # no unknowns of time alone,
        self.auxiliary: list[int] = []  # and no means and values in formulas
        self._ends = weighted if all(law.convex for law in laws) else limited
        self._fixed = all(law.fixed for law in laws)

    @property
    def shares(self) -> np.ndarray:
        """Each cell's part of the box."""
        return self.mesh.shares

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> None:
        """Explicit steps have no matrix."""

    def norms(self, coefficients: np.ndarray) -> np.ndarray:
        """Means of |q̄| over the box of (…, cells, 1 + axes)."""
        return np.abs(coefficients[..., 0]) @ self.shares

    def _parts(self, quantities: int) -> Iterator[_Part]:
        """A few leaves at a time: what is between means and rates stays in the cache."""
        tree = self.mesh
        numbers = quantities * (tree.side + 2 * GHOSTS) ** tree.dimension
        many = max(1, SAFEGUARDS.in_cache // numbers)
        for k, level in enumerate(tree.levels):
            for first in range(0, level.leaves, many):
                yield _Part(k, first, min(first + many, level.leaves))

    def shown(self, time: float, means: np.ndarray) -> np.ndarray:
        """Means with slopes along each axis: the smaller one of two halves of a cell; less where a corner of the cell were beyond its neighbors (Barth, Jespersen, AIAA 89-0366), none where it were no state."""
        tree, d = self.mesh, self.mesh.dimension
        wide = padded(tree, restricted(tree, means))
        slopes = [np.empty((d, len(means), *(tree.side,) * d, level.leaves)) for level in tree.levels]
        for part in self._parts(len(means)):
            slopes[part.level][..., part.first : part.last] = self._slopes(
                part, time, wide[part.level][..., part.first : part.last]
            )
        halves = tree.joined(slopes)
        law = self.laws[0]
        if law.form.positive:
            reach = np.sum(np.abs(halves), axis=0)
            wrong = np.zeros(tree.size, dtype=bool)
            for sign in (-1, 1):
                wrong |= ~np.isfinite(law.speeds(means + sign * reach, tree.centers, time))
            halves[..., wrong] = 0.0
        return np.stack([means, *(halves / np.sqrt(3))], axis=-1)

    def _slopes(self, part: _Part, time: float, q: np.ndarray) -> np.ndarray:
        d, inner = self.mesh.dimension, slice(GHOSTS, -GHOSTS)
        own = q[(slice(None), *(inner,) * d)]
        halves, room, total = [], None, np.zeros_like(own)
        up, down = np.zeros_like(own), np.zeros_like(own)
        u = self._unknowns(part, q, time)
        for axis in range(d):
            low, high = self._at_ends(part, axis, time, u)
            cut = (slice(None),) * (1 + axis) + (slice(1, -1),)
            half = minmod(high[cut] - own, own - low[cut])
            row = _along(q, axis, d)
            for beyond in (-1, 1):
                cut = (slice(None),) * (1 + axis) + (slice(GHOSTS + beyond, beyond - GHOSTS),)
                gap = row[cut] - own
                up, down = np.maximum(up, gap), np.maximum(down, -gap)
            halves.append(half)
            total += np.abs(half)
        room = np.minimum(up, down)
        share = np.where(total > room, room / np.maximum(total, TINY), 1.0)
        return np.stack([share * half for half in halves])

    # The right-hand side ------------------------------------------------------------------------------------

    def rates(self, time: float, q: np.ndarray, bounds: GridBounds | None = None) -> np.ndarray:
        """q̄′; bounds of wave speeds are those of q, or of a state that it follows from within a step."""
        bounds = self.bounds(time, q) if bounds is None else bounds
        tree, law = self.mesh, self.laws[0]
        n, d = tree.side, tree.dimension
        wide = padded(tree, restricted(tree, q))
        rates = [np.empty((len(q), *(n,) * d, level.leaves)) for level in tree.levels]
        # By level and axis, fluxes through the lower and the upper faces of blocks, and states on their inner sides.
        outer, inner = (
            [
                [np.empty((2, len(q), *(n,) * (d - 1), level.leaves)) for _ in range(d)]
                for level in tree.levels
            ]
            for _ in range(2)
        )
        for part in self._parts(len(q)):
            k, here = part.level, slice(part.first, part.last)
            u, widths = self._unknowns(part, wide[k][..., here], time), tree.widths(k)
            own = rates[k][..., here]
            for axis in range(d):
                states = _along(wide[k][..., here], axis, d)
                through, below, above = self._through(
                    part, axis, time, u, states, bounds.speeds[k][..., here]
                )
                for kept, ends in ((outer, (through, through)), (inner, (above, below))):
                    for side, values in enumerate(ends):
                        kept[k][axis][side, ..., here] = np.moveaxis(values, 1 + axis, 1)[:, -side]
                change = -np.diff(through, axis=1 + axis) / widths[axis]
                if axis:
                    own += change
                else:
                    own[...] = change
        self._balance(rates, outer)
        made = tree.joined(rates)
        for wall in self._walls:
            self._meet(wall, time, made, outer, inner, bounds)
        if law.source is not None:
            made += law.source(q, tree.centers, time)
        return made

    def _balance(self, rates: list[np.ndarray], outer: list[list[np.ndarray]]) -> None:
        """Fluxes through faces with narrower cells beyond them are the means of theirs."""
        tree, d = self.mesh, self.mesh.dimension
        n = tree.side
        for k, level in enumerate(tree.levels[:-1]):
            widths = tree.widths(k)
            for axis, sides in enumerate(level.neighbors):
                for side, beside in enumerate(sides):
                    beyond = beside[: level.leaves]
                    here = np.flatnonzero(beyond >= level.leaves)
                    if not len(here):
                        continue
                    own = outer[k][axis][side][..., here]
                    fine, other = np.empty_like(own), outer[k + 1][axis][1 - side]
                    for bits, children in level.children.items():
                        if bits[axis] == side:
                            continue  # the half that is farther away
                        across = [b for j, b in enumerate(bits) if j != axis]
                        cut = tuple(slice(b * n // 2, (b + 1) * n // 2) for b in across)
                        fluxes = other[..., children[beyond[here] - level.leaves]]
                        fine[(slice(None), *cut)] = reduced(fluxes, d - 1, _mean)
                    last = np.moveaxis(rates[k], 1 + axis, 1)[:, -side]
                    last[..., here] += (1 - 2 * side) * (fine - own) / widths[axis]

    def _unknowns(self, part: _Part, q: np.ndarray, time: float) -> np.ndarray:
        """The unknowns of the statement in padded blocks."""
        law = self.laws[0]
        if law.form.plain:
            return q
        offsets = np.arange(-GHOSTS, self.mesh.side + GHOSTS) + 0.5
        x = self._places(part, [offsets] * self.mesh.dimension)
        return law.primitive(q.reshape(len(q), -1), x, time).reshape(q.shape)

    def _places(self, part: _Part, offsets: Sequence[np.ndarray]) -> np.ndarray:
        """Places in some leaves, (axes, places); nothing looks at them where no formula holds one."""
        if self._fixed:
            return np.empty((self.mesh.dimension, 0))
        found = self.mesh.places(part.level, offsets)[..., part.first : part.last]
        return found.reshape(self.mesh.dimension, -1)

    def _offsets(self, axis: int, along: np.ndarray) -> list[np.ndarray]:
        middle = np.arange(self.mesh.side) + 0.5
        return [along if k == axis else middle for k in range(self.mesh.dimension)]

    def _at_ends(self, part: _Part, axis: int, time: float, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q at the lower and the upper ends of cells along an axis, one beyond each face among them."""
        law = self.laws[axis]
        found = self._ends(_along(u, axis, self.mesh.dimension), 1 + axis)
        if law.form.plain:
            return found
        cells, ends = np.arange(-1, self.mesh.side + 1), []
        for values, end in zip(found, (0, 1), strict=True):
            x = self._places(part, self._offsets(axis, cells + end))
            ends.append(law.conserved(values.reshape(len(u), -1), x, time).reshape(values.shape))
        return ends[0], ends[1]

    def _through(
        self, part: _Part, axis: int, time: float, u: np.ndarray, q: np.ndarray, speeds: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """F̂ through all faces along an axis, (quantities, …, n + 1, …, leaves), and the states below and above them."""
        law, along = self.laws[axis], 1 + axis

        def at(values: np.ndarray, low: int, high: int | None) -> np.ndarray:
            return values[(slice(None),) * along + (slice(low, high),)]

        low, high = self._at_ends(part, axis, time, u)
        below, above = at(high, 0, -1), at(low, 1, None)
        x = self._places(part, self._offsets(axis, np.arange(self.mesh.side + 1)))
        f_below, f_above = self._flux(law, below, x, time), self._flux(law, above, x, time)
        if not np.isfinite(f_below.sum() + f_above.sum()):
            # Values at the ends of a cell that are no states give way to its mean.
            means = at(q, GHOSTS - 1, 1 - GHOSTS)
            wrong = ~np.isfinite(f_below.sum(axis=0)), ~np.isfinite(f_above.sum(axis=0))
            below, above = (
                np.where(wrong[0], at(means, 0, -1), below),
                np.where(wrong[1], at(means, 1, None), above),
            )
            f_below, f_above = self._flux(law, below, x, time), self._flux(law, above, x, time)
            if not np.isfinite(f_below.sum() + f_above.sum()):
                raise NotAdmissible
        slow, fast = self._face_speeds(axis, speeds)
        through = (fast * f_below - slow * f_above + (slow * fast) * (above - below)) / (fast - slow)
        return through, below, above

    # Faces of the box ---------------------------------------------------------------------------------------

    @cached_property
    def _walls(self) -> list[_Wall]:
        """Those that are no circles."""
        tree, found = self.mesh, []
        numbers, widths = tree.per_level(np.arange(tree.size)), tree.cell_widths
        for axis in range(tree.dimension):
            for side in (0, 1) if not tree.periodic[axis] else ():
                leaves, cells = [], []
                for level, own in zip(tree.levels, numbers, strict=True):
                    beside = level.neighbors[axis][side][: level.leaves]
                    leaves.append(np.flatnonzero(beside == OUTSIDE))
                    cells.append(np.moveaxis(own, axis, 0)[-side][..., leaves[-1]].ravel())
                every = np.concatenate(cells)
                places = tree.centers[:, every]
                places[axis] = tree.upper[axis] if side else tree.lower[axis]
                found.append(_Wall(axis, side, leaves, every, places, widths[axis, every]))
        return found

    def _meet(
        self,
        wall: _Wall,
        time: float,
        rates: np.ndarray,
        outer: list[list[np.ndarray]],
        inner: list[list[np.ndarray]],
        bounds: GridBounds,
    ) -> None:
        """Fluxes through a face of the box are those that its conditions let through."""
        axis, side = wall.axis, wall.side

        def at_wall(values: list[list[np.ndarray]]) -> np.ndarray:
            parts = [
                own[axis][side][..., leaves].reshape(len(rates), -1)
                for own, leaves in zip(values, wall.leaves, strict=True)
            ]
            return np.concatenate(parts, axis=1)

        flux = self.faces[axis][-side]
        own, through = at_wall(inner), at_wall(outer)
        f = self.laws[axis].flux_of_states(own, wall.places, time)
        met = flux(own, f, bounds.at_walls[axis, side], wall.places, time)
        rates[:, wall.cells] += (1 - 2 * side) * (met - through) / wall.widths

    @staticmethod
    def _flux(law: Law, q: np.ndarray, x: np.ndarray, time: float) -> np.ndarray:
        return law.flux_of_states(q.reshape(len(q), -1), x, time).reshape(q.shape)

    # Speeds of waves ----------------------------------------------------------------------------------------

    def _face_speeds(self, axis: int, speeds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest speed of two cells on either side of each face: in a step waves come no farther."""
        d, n = self.mesh.dimension, self.mesh.side
        row = _along(speeds[2 * axis : 2 * axis + 2], axis, d)

        def at(low: int, high: int) -> np.ndarray:
            return row[(slice(None),) * (1 + axis) + (slice(low, high),)]

        pairs = np.maximum(at(GHOSTS - 2, n + GHOSTS + 1), at(GHOSTS - 1, n + GHOSTS + 2))
        cut = (slice(None),) * (1 + axis)
        both = np.maximum(pairs[(*cut, slice(0, n + 1))], pairs[(*cut, slice(2, n + 3))])
        return np.minimum(-both[0], 0.0), np.maximum(both[1], TINY)

    def bounds(self, time: float, q: np.ndarray) -> GridBounds:
        """Bounds of the speeds of waves, from means."""
        tree, d = self.mesh, self.mesh.dimension
        speeds, total = np.empty((2 * d, tree.size)), np.zeros(tree.size)
        at_walls: dict[tuple[int, int], np.ndarray] = {}
        wide = None if all(law.convex for law in self.laws) else padded(tree, restricted(tree, q))
        for axis, law in enumerate(self.laws):
            _, low, high = law.flux_and_waves(q, tree.centers, time)
            if not np.isfinite(low.sum() + high.sum()):
                raise NotAdmissible
            if wide is not None:
                low, high = self._between(axis, time, wide, low, high)
            low, high = low.copy(), high.copy()
            for wall in self._walls:
                if wall.axis == axis:
                    # What conditions let in.
                    cells, flux = wall.cells, self.faces[axis][-wall.side]
                    speed = np.maximum(-low[cells], high[cells])
                    at_walls[axis, wall.side] = fast = flux.speed(q[:, cells], speed, wall.places, time)
                    low[cells], high[cells] = np.minimum(low[cells], -fast), np.maximum(high[cells], fast)
            speeds[2 * axis], speeds[2 * axis + 1] = -low, high
            total += np.maximum(-low, high) / tree.cell_widths[axis]
        found = padded(tree, restricted(tree, speeds, np.maximum), flat=True)
        return GridBounds(found, at_walls, 1.0 / max(float(np.max(total)), TINY))

    def _between(
        self, axis: int, time: float, wide: list[np.ndarray], low: np.ndarray, high: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same with states between two cells, where the flux is not quadratic; each counts for both."""
        law, tree, apart = self.laws[axis], self.mesh, float(np.min(self.least))
        own = zip(tree.per_level(low), tree.per_level(high), strict=True)
        lows, highs = [], []
        for k, (least, most) in enumerate(own):
            leaves = tree.levels[k].leaves
            row = _along(wide[k][..., :leaves], axis, tree.dimension)
            cut, n = (slice(None),) * (1 + axis), tree.side
            pair = [row[(*cut, slice(GHOSTS - 1 + j, n + GHOSTS + j))] for j in (0, 1)]
            x = tree.places(k, self._offsets(axis, np.arange(tree.side + 1))).reshape(tree.dimension, -1)
            here, there = (q.reshape(len(q), -1) for q in pair)
            found = law.waves_between(here, there, x, time, apart)
            slow, fast = (a.reshape(pair[0].shape[1:]) for a in found)
            first, second = ((*cut[1:], cells) for cells in (slice(0, -1), slice(1, None)))
            lows.append(np.minimum(least, np.minimum(slow[first], slow[second])))
            highs.append(np.maximum(most, np.maximum(fast[first], fast[second])))
        return tree.joined(lows), tree.joined(highs)

    def entering(self, time: float, q: np.ndarray, still: float) -> tuple[str, int, int] | None:
        """A face through which more waves come in than it has conditions: its name, these numbers; below the part `still` of the fastest speed nothing comes in."""
        for wall in self._walls:
            fastest = float(np.max(self.laws[wall.axis].speeds(q, self.mesh.centers, time)))
            flux = self.faces[wall.axis][-wall.side]
            found = flux.entering(q[:, wall.cells], wall.places, time, still * fastest)
            if found > flux.count:
                return flux.name, flux.count, found
        return None


def _along(u: np.ndarray, axis: int, dimension: int) -> np.ndarray:
    """Padded blocks without what lies beyond faces along other axes."""
    inner = slice(GHOSTS, -GHOSTS)
    return u[(slice(None), *(slice(None) if k == axis else inner for k in range(dimension)))]


def _mean(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return 0.5 * (a + b)
