# SPDX-License-Identifier: MIT
"""Cells of one width: what nothing damps is held wherever it comes by, and eigenvectors are made once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.adapt.cells import CellAdapter, Change, Progress
from lrfm.adapt.ends import met
from lrfm.discretize.collocation import CellCollocation
from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import EXACT
from lrfm.spaces.cells import Mesh


@dataclass(frozen=True)
class EvenAdapter(CellAdapter):
    """Splits all cells that are wider than the narrowest one that is asked for, and joins none; the first ones are halved so many times more than data ask for."""

    halvings: int = 0

    def initial(self) -> tuple[Mesh, np.ndarray]:
        """Cells as narrow as the narrowest that the data need."""
        return self._even

    @cached_property
    def _even(self) -> tuple[Mesh, np.ndarray]:
        mesh, _ = self._first
        left = self.halvings
        while mesh.size <= EXACT.most_cells:
            split = self._down_to(mesh, np.min(mesh.widths)).split
            if not split.any():
                if not left:
                    break
                left, split = left - 1, np.ones_like(split)
            mesh, _ = mesh.regrid(split, np.zeros_like(split))
        # Data anew: what wider cells leave out is a kink at each of their edges.
        y = self.connected(mesh, np.empty(0))
        budget = self.options.tol * self.options.space_share
        return mesh, met(self.layout, mesh, y, budget) if self.layout.system.links else y

    def _down_to(self, mesh: Mesh, width: float) -> Change:
        split = mesh.widths > self.options.neighbor * width
        return Change(split, np.zeros_like(split))

    def refinement(self, mesh: Mesh, tails: np.ndarray) -> Change | None:
        # Twice the budget is no reason for twice the cells: what waves leave out comes and goes.
        rough = super().refinement(mesh, tails / self.options.overshoot)
        if rough is None:
            return None
        if mesh.size >= EXACT.finer * self._even[0].size or mesh.size > EXACT.most_cells:
            raise Unsuited("Nothing damps what is finer in it than its data are.")
        return self._down_to(mesh, 0.5 * np.min(mesh.widths[rough.split]))

    def following(
        self, made: CellCollocation, state: Progress, sizes: np.ndarray, refinement: Change | None
    ) -> Change | None:
        return refinement
