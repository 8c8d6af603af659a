# SPDX-License-Identifier: MIT
"""q_t + f(q)_x = s by finite volumes of the widths h, 2h, 4h, …: narrow where the solution is rough.

A stretch of cells of one width is reconstructed as cells of equal width are, with means beyond its ends that are averages of narrower cells, or halves of a wider
one as its neighbors predict them (`lrfm.spaces.cells.dyadic`). One flux goes through each edge, so that nothing is lost where widths change; all cells take the same steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.laws.boundary_flux import BoundaryFlux
from lrfm.discretize.laws.law import Law
from lrfm.discretize.laws.volumes import Volumes
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.dyadic import Dyadic


class GradedVolumes(Volumes):
    """A conservation law on cells of a dyadic grid."""

    def __init__(
        self,
        law: Law,
        grid: Dyadic,
        mesh: Mesh,
        ends: Sequence[BoundaryFlux],
        least: np.ndarray,
        system: EvolutionSystem,
    ):
        super().__init__(law, mesh, ends, least, system)
        self.ghosts = grid.ghosts(grid.sizes(mesh))

    def _with_ends(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ghosts = self.ghosts
        padded = self._continued(u)[:, ghosts.columns]
        padded[:, ghosts.places] = np.einsum("qgk,gk->qg", u[:, ghosts.sources], ghosts.weights)
        left, right = self._reconstructed(padded)
        return left[:, ghosts.kept], right[:, ghosts.kept]
