# SPDX-License-Identifier: MIT
"""Cells that move:  x_i(t) = x_i + w_i (t − t₀),  each edge with a speed of its own, linear in between.

They are no tree: a cell is split where it is, and any two neighbors are joined if the edge between them may vanish. With all w_i = 0 they stand still.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from lrfm.spaces.cells.mesh import Mesh


@dataclass(frozen=True)
class MovingMesh:
    """Cells of an interval with edges that move from a time on.

    Parameters
    ----------
    edges, speeds
        Where the edges are at the time `since`, increasing, and how fast they move.
    fixed
        Which of them stay where they are: the ends of the interval, interfaces, singular points of coefficients.
    since
        The time t₀.
    periodic
        Whether the last cell is followed by the first.
    """

    edges: np.ndarray
    speeds: np.ndarray
    fixed: np.ndarray
    since: float
    periodic: bool = False

    @staticmethod
    def of(mesh: Mesh | MovingMesh, since: float, fixed: np.ndarray) -> MovingMesh:
        """The cells of a mesh, which may move from now on; `fixed` are places of edges that stay."""
        if isinstance(mesh, MovingMesh):
            return mesh
        stay = np.zeros(mesh.size + 1, dtype=bool)
        stay[[0, -1]] = True
        stay[[int(np.argmin(np.abs(mesh.edges - place))) for place in fixed]] = True
        return MovingMesh(mesh.edges, np.zeros(mesh.size + 1), stay, since, mesh.periodic)

    @cached_property
    def moves(self) -> bool:
        """Whether any edge does."""
        return bool(np.any(self.speeds))

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.edges) - 1

    @cached_property
    def widths(self) -> np.ndarray:
        """Of each cell, at the time `since`."""
        return np.diff(self.edges)

    @cached_property
    def level(self) -> np.ndarray:
        """How often the interval would have to be halved for cells as narrow."""
        return np.log2((self.edges[-1] - self.edges[0]) / self.widths)

    @cached_property
    def tables(self) -> dict[Any, Any]:
        """What functions on these cells alone were evaluated with."""
        return {}

    def places(self, reference: np.ndarray) -> np.ndarray:
        """Where places ξ of the reference cell lie in each cell: (cells, places)."""
        return self.edges[:-1, None] + 0.5 * self.widths[:, None] * (1 + reference)

    def locate(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The cell of each place, and ξ in it."""
        cell = np.clip(np.searchsorted(self.edges, x, side="right") - 1, 0, self.size - 1)
        return cell, 2 * (x - self.edges[cell]) / self.widths[cell] - 1

    def at(self, time: float) -> MovingMesh:
        """The same cells as they are at another time."""
        if not self.moves:
            return self
        return replace(self, edges=self.edges + (time - self.since) * self.speeds, since=time)

    def speeds_at(self, reference: np.ndarray) -> np.ndarray:
        """Of places ξ of the reference cell in each cell: (cells, places)."""
        return between(self.speeds, reference)

    @cached_property
    def siblings(self) -> np.ndarray:
        """Numbers of the cells that may be joined with the next."""
        return np.flatnonzero(~self.fixed[1:-1])

    def regrid(self, split: np.ndarray, join: np.ndarray) -> MovingMesh:
        """Cells marked in `split` halved where they are, those marked in `join` (among `siblings`) joined with the next."""
        keep = np.append(True, ~join)
        keep[-1] = True
        middle = 0.5 * (self.edges[:-1] + self.edges[1:])[split]
        speed = 0.5 * (self.speeds[:-1] + self.speeds[1:])[split]
        edges = np.append(self.edges[keep], middle)
        order = np.argsort(edges)
        speeds = np.append(self.speeds[keep], speed)[order]
        fixed = np.append(self.fixed[keep], np.zeros(len(middle), dtype=bool))[order]
        return MovingMesh(edges[order], speeds, fixed, self.since, self.periodic)


def between(at_edges: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """A continuous function that is linear in each cell, at places ξ of all cells: (cells, places)."""
    half = 0.5 * (1 + reference)
    return at_edges[:-1, None] * (1 - half) + at_edges[1:, None] * half
