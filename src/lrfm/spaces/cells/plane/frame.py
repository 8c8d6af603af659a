# SPDX-License-Identifier: MIT
"""The functions of cells without their points and faces: what values anywhere need, and what a file keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from lrfm.spaces.cells.plane.functions import number_of, products
from lrfm.spaces.cells.plane.mesh import PlaneMesh


@dataclass(frozen=True, eq=False)
class PlaneFrame:
    """Products of Legendre polynomials on pieces of the leaves of a mesh; a cell of many points shares them with its orthonormal functions.

    Parameters
    ----------
    mesh, degree
        Boxes, and the degree of polynomials.
    pieces, owner
        Regions of leaves, as one number each (`piece_key`), in order, and the cell that each belongs to.
    middle, half
        Of each cell, (cells, d): the box in whose coordinates its polynomials are written.
    regions
        The number of the region of each point; None where there is one region.
    """

    mesh: PlaneMesh
    degree: int
    pieces: np.ndarray
    owner: np.ndarray
    middle: np.ndarray
    half: np.ndarray
    regions: Callable[[np.ndarray], np.ndarray] | None = field(default=None, repr=False)

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.middle)

    @property
    def functions(self) -> int:
        """Polynomials of a cell."""
        return number_of(self.degree, self.mesh.dimension)

    def numbers(self, leaf: np.ndarray, region: np.ndarray) -> np.ndarray:
        """Numbers of pieces; −1 for none."""
        keys = piece_key(leaf, region)
        at = np.clip(np.searchsorted(self.pieces, keys), 0, len(self.pieces) - 1)
        return np.where((self.pieces[at] == keys) & (leaf >= 0), at, -1)

    def locate(self, points: np.ndarray) -> np.ndarray:
        """The cell of each point; for points outside a near one."""
        leaf = self.mesh.locate(points)
        region = np.zeros(len(points), dtype=int) if self.regions is None else self.regions(points)
        found = self.numbers(leaf, np.maximum(region, 0))
        cell = np.where(found >= 0, self.owner[found], -1)
        lost = np.flatnonzero(cell < 0)
        if len(lost):
            cell[lost] = self._nearest.query(points[lost])[1]
        return cell

    @cached_property
    def _nearest(self) -> Any:
        from scipy.spatial import KDTree

        return KDTree(self.middle)

    def table(self, cells: np.ndarray, points: np.ndarray, order: tuple[int, ...] = ()) -> np.ndarray:
        """∂x^a ∂y^b … of the products of Legendre polynomials of cells (m,) at points (m, …, d) of each: (m, …, functions)."""
        shape = (len(cells), *(1,) * (points.ndim - 2), self.mesh.dimension)
        z = (points - self.middle[cells].reshape(shape)) / self.half[cells].reshape(shape)
        found = products(z, self.degree, order)
        if not any(order):
            return found
        scale = np.prod(self.half[cells] ** -np.array(order, dtype=float), axis=1)
        return found * scale.reshape(*shape[:-1], 1)


def piece_key(leaf: np.ndarray, region: np.ndarray) -> np.ndarray:
    """One number for a region of a leaf."""
    return (leaf.astype(np.int64) << 8) + region
