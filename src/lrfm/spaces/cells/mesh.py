# SPDX-License-Identifier: MIT
"""Cells of an interval: binary trees over fixed root cells; a cell is split into halves, two halves are joined again.

Cells that move,  x_i(t) = x_i + w_i (t − t₀),  each edge with a speed of its own, linear in between, are no tree: a cell is split where it is, and any two neighbors are joined if the edge
between them may vanish. With all w_i = 0 they stand still.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

KEEP, LEFT, RIGHT, JOIN = range(4)  # what becomes of a cell


@dataclass(frozen=True)
class Regrid:
    """How the cells of one mesh follow from those of another: for each new cell an old one, and whether it is kept, halved or joined with the next."""

    source: np.ndarray
    kind: np.ndarray

    def apply(
        self,
        coefficients: np.ndarray,
        halves: np.ndarray,
        joined: Callable[[np.ndarray, np.ndarray], np.ndarray],
    ) -> np.ndarray:
        """Coefficients (…, cells, size) on the new cells; `joined` takes those of the left and of the right halves."""
        result = coefficients[..., self.source, :]
        for side, kind in enumerate((LEFT, RIGHT)):
            among = self.kind == kind
            if among.any():
                result[..., among, :] = result[..., among, :] @ halves[side].T
        among = self.kind == JOIN
        if among.any():
            first = self.source[among]
            result[..., among, :] = joined(coefficients[..., first, :], coefficients[..., first + 1, :])
        return result


@dataclass(frozen=True)
class Mesh:
    """Cells [a + w i/2^l, a + w (i + 1)/2^l] of roots [a, a + w], from left to right.

    Parameters
    ----------
    roots
        Edges of the root cells, increasing; what must stay an edge is one of them.
    root, level, index
        Of each cell: its root, its depth l and its number i at this depth.
    periodic
        Whether the last cell is followed by the first.
    """

    roots: np.ndarray
    root: np.ndarray
    level: np.ndarray
    index: np.ndarray
    periodic: bool = False

    @staticmethod
    def of(roots: np.ndarray, periodic: bool = False) -> Mesh:
        """The root cells themselves."""
        count = len(roots) - 1
        zeros = np.zeros(count, dtype=np.int64)
        return Mesh(np.asarray(roots, dtype=float), np.arange(count), zeros, zeros, periodic)

    @staticmethod
    def common(meshes: Sequence[Mesh]) -> Mesh:
        """The coarsest mesh that holds functions of each of several with the same roots: at each place the narrowest of their cells."""
        roots, periodic = meshes[0].roots, meshes[0].periodic
        # Numbers of halves are exact in floating point.
        left = np.unique(np.concatenate([m.root + m.index / 2.0**m.level for m in meshes]))
        root = left.astype(np.int64)
        level = np.rint(-np.log2(np.diff(np.append(left, len(roots) - 1)))).astype(np.int64)
        index = np.rint((left - root) * 2.0**level).astype(np.int64)
        return Mesh(roots, root, level, index, periodic)

    @property
    def moves(self) -> bool:
        """They stay where they are within a step."""
        return False

    @cached_property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.root)

    @cached_property
    def edges(self) -> np.ndarray:
        """From left to right, one more than there are cells."""
        low, width = self.roots[self.root], np.diff(self.roots)[self.root]
        left = low + width * (self.index / 2.0**self.level)
        return np.append(left, self.roots[-1])

    @cached_property
    def widths(self) -> np.ndarray:
        """Of each cell; from its depth, without cancellation."""
        return np.diff(self.roots)[self.root] / 2.0**self.level

    @cached_property
    def tables(self) -> dict[Any, Any]:
        """What functions on these cells alone were evaluated with, for the next ones."""
        return {}

    def places(self, reference: np.ndarray) -> np.ndarray:
        """Where places ξ of the reference cell lie in each cell: (cells, places)."""
        middle = self.edges[:-1] + 0.5 * self.widths
        return middle[:, None] + 0.5 * self.widths[:, None] * reference

    def locate(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The cell of each place, and ξ in it."""
        cell = np.clip(np.searchsorted(self.edges, x, side="right") - 1, 0, self.size - 1)
        return cell, 2 * (x - self.edges[cell]) / self.widths[cell] - 1

    @cached_property
    def siblings(self) -> np.ndarray:
        """Numbers of the cells that are left halves with their right halves beside them."""
        same = (self.root[:-1] == self.root[1:]) & (self.level[:-1] == self.level[1:])
        return np.flatnonzero(
            same
            & (self.index[:-1] % 2 == 0)
            & (self.index[1:] == self.index[:-1] + 1)
            & (self.level[:-1] > 0)
        )

    def regrid(self, split: np.ndarray, join: np.ndarray) -> tuple[Mesh, Regrid]:
        """Cells marked in `split` halved, left halves marked in `join` (among `siblings`) joined with their right halves."""
        absorbed = np.zeros(self.size, dtype=bool)
        absorbed[1:] = join[:-1]
        count = np.where(absorbed, 0, np.where(split, 2, 1))
        source = np.repeat(np.arange(self.size), count)
        second = np.zeros(len(source), dtype=bool)
        second[1:] = source[1:] == source[:-1]
        kind = np.where(split[source], np.where(second, RIGHT, LEFT), np.where(join[source], JOIN, KEEP))
        level, index = self.level[source], self.index[source]
        halved = (kind == LEFT) | (kind == RIGHT)
        index = np.where(halved, 2 * index + (kind == RIGHT), np.where(kind == JOIN, index // 2, index))
        level = level + halved - (kind == JOIN)
        return Mesh(self.roots, self.root[source], level, index, self.periodic), Regrid(source, kind)


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
