# SPDX-License-Identifier: MIT
"""A few cells that stay: what nothing damps is held wherever it comes by, and eigenfunctions are made once."""

from __future__ import annotations

import itertools
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.adapt.cells import LEAST, CellAdapter, Change, Progress
from lrfm.discretize.line.eigen_cells import EigenCells
from lrfm.spaces.cells import Mesh


@dataclass(frozen=True)
class EigenAdapter(CellAdapter):
    """Cells between singular places; `lost` is what eigenfunctions leave of the data, (fields, cells, size)."""

    lost: np.ndarray | None = None

    def leaving(self, lost: np.ndarray) -> EigenAdapter:
        """The same, knowing what is left out."""
        other = copy(self)
        object.__setattr__(other, "lost", lost)
        return other

    @cached_property
    def whole(self) -> Mesh:
        """Cells of about the same width, that have no singular place inside."""
        system = self.layout.system
        low, high = system.interval
        singular = np.array([low, *self.given.places, high])
        # Two halves, where nothing is singular; a comparison has one more cell in each part, so that no cell is as wide as before.
        more = self.options.comparison
        counts = [
            max(1, round(LEAST * (b - a) / (high - low))) + more for a, b in itertools.pairwise(singular)
        ]
        parts = [
            np.linspace(a, b, n + 1)[:-1]
            for (a, b), n in zip(itertools.pairwise(singular), counts, strict=True)
        ]
        return Mesh.of(np.append(np.concatenate(parts), high), bool(system.problem.periodic))

    @cached_property
    def start(self) -> np.ndarray | None:
        """The state at the start; None where cells leave out more than the budget of something given."""
        mesh, given = self.whole, self.given
        data = self.project(mesh, given.initial)
        functions = self.project(mesh, lambda x: given.functions(x, given.start))
        own = self._last(mesh, data, self._counted(mesh, data))
        left = np.concatenate([own, self._last(mesh, functions)])
        if np.any(np.sqrt(np.sum(left**2, axis=1)) > self._budget):
            return None
        # A kink at an edge is no reason to move it: eigenfunctions are of class C^(m−1) anyway.
        return self.project(mesh, given.initial, ends=False)

    def initial(self) -> tuple[Mesh, np.ndarray]:
        """These cells, and the data there."""
        y = self.start
        assert y is not None
        return self.whole, y

    def discretize(self, mesh: Mesh) -> EigenCells:
        """The statement on these cells."""
        return self.discretization

    @cached_property
    def discretization(self) -> EigenCells:
        """Made once, with its matrices."""
        return EigenCells(self.layout, self.whole)  # type: ignore[arg-type]

    def tails(self, made: EigenCells, y: np.ndarray, sizes: np.ndarray) -> np.ndarray:  # type: ignore[override]
        """What was left out at the start, which nothing damps and nothing adds to."""
        found = np.zeros(y.shape[:2])
        if self.lost is not None:
            system = self.layout.system
            firsts = [system.first[f] for f in system.fields]
            found[firsts] = np.sqrt(np.sum(self.lost**2, axis=-1)) / sizes[firsts, None]
        return found * np.sqrt(made.shares * made.mesh.size)

    def refinement(self, mesh: Mesh, tails: np.ndarray, y: np.ndarray | None = None) -> Change | None:
        """None: all cells were chosen at the start."""
        return None

    def following(
        self,
        made: EigenCells,
        state: Progress,
        sizes: np.ndarray,
        refinement: Change | None,  # type: ignore[override]
    ) -> Change | None:
        return None
