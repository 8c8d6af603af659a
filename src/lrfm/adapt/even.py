# SPDX-License-Identifier: MIT
"""Cells of one width: what nothing damps is held wherever it comes by, and eigenvectors are made once."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lrfm.adapt.cells import CellAdapter, Change, Progress
from lrfm.discretize.collocation import CellCollocation
from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import EXACT
from lrfm.spaces.cells import Mesh


class EvenAdapter(CellAdapter):
    """Splits all cells that are wider than the narrowest one that is asked for, and joins none."""

    def initial(self) -> tuple[Mesh, np.ndarray]:
        """Cells as narrow as the narrowest that the data need."""
        return self._even

    @cached_property
    def _even(self) -> tuple[Mesh, np.ndarray]:
        mesh, y = self._first
        while mesh.size <= EXACT.most_cells:
            change = self._down_to(mesh, np.min(mesh.widths))
            if not change.split.any():
                return mesh, y
            mesh, move = self.changed(mesh, change)
            y = move(y)
        return mesh, y

    def _down_to(self, mesh: Mesh, width: float) -> Change:
        split = mesh.widths > self.options.neighbor * width
        return Change(split, np.zeros_like(split))

    def refinement(self, mesh: Mesh, tails: np.ndarray) -> Change | None:
        rough = super().refinement(mesh, tails)
        if rough is None:
            return None
        if mesh.size >= EXACT.finer * self._even[0].size or mesh.size > EXACT.most_cells:
            raise Unsuited("Nothing damps what is finer in it than its data are.")
        return self._down_to(mesh, 0.5 * np.min(mesh.widths[rough.split]))

    def following(
        self, made: CellCollocation, state: Progress, sizes: np.ndarray, refinement: Change | None
    ) -> Change | None:
        return refinement
