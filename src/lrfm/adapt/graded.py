# SPDX-License-Identifier: MIT
"""Volumes that are narrow where the solution is rough: details are left out, the least first, while  Σ |d| H ≤ share · tol · L ‖q‖.

What is left out of means is left out again and again: cells are looked at when waves have passed some of them, and the squares of it add up to the square of a small part of the tolerance. What straight lines in cells miss of what is shown is so once. The narrowest width is that of the tolerance (`lrfm.adapt.volumes`), and decides how long steps are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lrfm.adapt.cells import Progress
from lrfm.adapt.volumes import VolumeAdapter
from lrfm.discretize.laws.graded import GradedVolumes
from lrfm.discretize.laws.volumes import minmod
from lrfm.discretize.options import PAIRS, SHOCKS, Options
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.dyadic import APART, Dyadic


@dataclass(frozen=True)
class GradedAdapter(VolumeAdapter):
    """Makes cells of the widths h, 2h, …, and follows the solution with them; while jumps of the data open there are narrower ones, where that is wanted."""

    opens: bool = False

    @cached_property
    def grid(self) -> Dyadic:
        """The narrowest cells, and how wide others may be: as in a solve with four times the least number of cells, four of which say how details fall. Cells of a comparison are halved as often, so that
        its widest cells are wider, too: what is wrong on them is no error of narrow ones, and both would share it."""
        domain = self.data.system.problem.domain
        ((low, high),) = domain.axes.values()
        levels, extra = self._levels, self.early
        groups = 4 << levels
        # Numbers of two solves keep their ratio.
        count = round(self.cells / groups) * groups if levels else self.cells
        return Dyadic(low, high, count << extra, levels + extra, bool(self.data.system.problem.periodic))

    @property
    def _levels(self) -> int:
        """How often the widest cells are halved."""
        widest = 4 * SHOCKS.least_volumes
        most = self.cells * (PAIRS.apart if self.options.comparison else 1.0)
        return max(0, int(math.log2(max(most / widest, 1))))

    @cached_property
    def early(self) -> int:
        """How often cells are halved once more while what comes out of a jump at the start is narrow: what it loses then, it never gets back. With M cells for all that waves have passed, a fan is off by its M-th part,
        and so is one that begins in an M-th part of a cell. Cells of one width stay so."""
        return math.ceil(math.log2(SHOCKS.least_volumes)) if self.opens and self._levels else 0

    def level(self, passed: float) -> int:
        """The narrowest cells that there are, as a number of halves that they are joined from, once waves have passed so much of the interval."""
        most = SHOCKS.least_volumes / (PAIRS.apart if self.options.comparison else 1.0)
        grid = self.grid
        width = passed * grid.count / most
        return min(self.early, int(math.log2(width))) if width >= 1 else 0

    @property
    def reach(self) -> int:
        """Narrowest cells that waves cross before widths are looked at again, and those from which one is reconstructed."""
        return SHOCKS.passed + APART

    @property
    def budget(self) -> float:
        """What may be left out in the mean each time: as often as a wave passes so many cells on its way through all of them."""
        return Options.minor * self.options.tol * math.sqrt(self.reach / (self.grid.count >> self.early))

    def initial(self) -> tuple[Mesh, np.ndarray]:
        """Cells, and the state there."""
        grid = self.grid
        resolved, y = self.data.resolved
        finest, narrow = self.means(resolved, y, grid.edges), np.ones(grid.count, dtype=np.int64)
        sizes = self._wanted(finest, narrow, 0, self._begins)
        mesh = grid.mesh(sizes)
        with np.errstate(all="ignore"):
            return mesh, self.discretize(mesh).shown(self.data.given.start, grid.gathered(finest, sizes))

    @property
    def _begins(self) -> np.ndarray:
        """The narrowest cells beside jumps of the data: one that stands at an edge of wide cells as well has no details, and what came of it would be split where a parabola says nothing."""
        grid, ends = self.grid, (self.grid.low, self.grid.high)
        places = np.concatenate([self.data.jumps, ends if self.data.enters else ends[:0]])
        right = np.searchsorted(grid.edges, places)
        return np.unique(np.clip(np.concatenate([right - 1, right]), 0, grid.count - 1))

    def _wanted(
        self, means: np.ndarray, sizes: np.ndarray, level: int, marked: Sequence[int] | np.ndarray = ()
    ) -> np.ndarray:
        """Sizes of cells for means on others, none of them narrower than a level; those that are marked are the narrowest."""
        if not self.grid.levels:
            return sizes
        grid, joined, own = self.grid.joined(means / self.data.start_sizes[:, None], sizes, level)
        if not grid.levels:
            return own << level
        _, details, bends = grid.finest(joined, own)
        each, shown = self.budget, Options.minor * self.options.tol
        pairs = zip(grid.counted(details, each, own), grid.counted(bends, shown, own), strict=True)
        flags = [one | two for one, two in pairs]
        flags[0][np.asarray(marked, dtype=np.int64)] = True
        return grid.around(flags, self.reach) << level

    def discretize(self, mesh: Mesh) -> GradedVolumes:
        """The law on some cells."""
        least = Options.visible * self.options.tol * self.data.start_sizes
        return GradedVolumes(self.law, self.grid, mesh, self.ends, least, self.data.system)

    def following(
        self, made: Any, state: Progress, sizes: np.ndarray, refinement: object
    ) -> np.ndarray | None:
        """Sizes of other cells: asked for every few steps of the narrowest cells that there may be, after each step that is longer, since what steepens does so in between."""
        before, level = self.grid.sizes(made.mesh), self._level(made, state)
        if not self.grid.levels or (before.min() <= 1 << level and state.steps % SHOCKS.join_every):
            return None
        after = self._wanted(state.y[..., 0], before, level)
        return None if np.array_equal(before, after) else after

    def _level(self, made: Any, state: Progress) -> int:
        if not self.early:
            return 0
        with np.errstate(all="ignore"):
            fastest = float(np.max(made.law.speeds(state.y[..., 0], made.x, state.time)))
        low, high = self.grid.low, self.grid.high
        return self.level(fastest * (state.time - self.data.given.start) / (high - low))

    def changed(self, mesh: Mesh, change: np.ndarray) -> tuple[Mesh, Callable[[np.ndarray], np.ndarray]]:
        """Cells of other sizes, and what takes means with slopes to them: totals stay, slopes of new cells are the smaller ones of both differences beside them."""
        before = self.grid.sizes(mesh)
        old, new = (np.cumsum(sizes) - sizes for sizes in (before, change))
        cell = np.searchsorted(old, new, side="right") - 1
        same = (old[cell] == new) & (before[cell] == change)
        level = int(math.log2(min(before.min(), change.min())))

        def move(arrays: np.ndarray) -> np.ndarray:
            grid, joined, own = self.grid.joined(arrays[..., 0], before, level)
            means = grid.gathered(grid.finest(joined, own)[0], change >> level)
            gaps = np.diff(means, axis=-1, prepend=means[..., :1], append=means[..., -1:])
            slopes = minmod(gaps[..., :-1], gaps[..., 1:]) / (2 * np.sqrt(3))
            kept = arrays[..., cell, :]
            means, slopes = (np.where(same, k, v) for k, v in ((kept[..., 0], means), (kept[..., 1], slopes)))
            return np.stack([means, slopes], axis=-1)

        return self.grid.mesh(change), move
