# SPDX-License-Identifier: MIT
"""Cells of the plane and of space: pieces of boxes between arcs or surfaces, small ones joined with a neighbor, with their points, functions and faces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.linalg.deadline import check_deadline
from lrfm.linalg.room import NOTICED
from lrfm.problem.shapes.gauss import gauss
from lrfm.spaces.cells.plane.blocks import together
from lrfm.spaces.cells.plane.frame import PlaneFrame, piece_key
from lrfm.spaces.cells.plane.functions import degrees, number_of, products, triangular
from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.outline import Outline
from lrfm.spaces.cells.plane.rules import rules
from lrfm.spaces.cells.plane.solid import Solid
from lrfm.spaces.cells.plane.solid_rules import solid_rules
from lrfm.spaces.cells.plane.traces import trace_constants

Order = tuple[int, ...]


def slopes_of(dimension: int) -> tuple[Order, ...]:
    """A function and its derivatives along the axes, as orders."""
    return ((0,) * dimension, *(tuple(int(k == axis) for k in range(dimension)) for axis in range(dimension)))


@dataclass(frozen=True)
class Batch:
    """Cells with equally many points: (cells, points, d), weights with sum one in each cell; tables (cells or 1, points, functions)."""

    cells: np.ndarray
    points: np.ndarray
    weights: np.ndarray
    values: np.ndarray
    differentiated: Callable[[], tuple[np.ndarray, ...]]

    @cached_property
    def slopes(self) -> tuple[np.ndarray, ...]:
        """Derivatives along the axes, made when they are asked for: cells that are split at once need none."""
        return self.differentiated()


@dataclass(frozen=True)
class FaceSet:
    """Faces between two cells, or on the boundary (right = −1); weights by length or area; `part` is −1 where no conditions are given; the right cell has its points at `points + offset`."""

    left: np.ndarray
    right: np.ndarray
    part: np.ndarray
    points: np.ndarray
    weights: np.ndarray
    normals: np.ndarray
    offset: np.ndarray

    @property
    def beyond(self) -> np.ndarray:
        """Points as the right cell has them."""
        return self.points + self.offset[:, None]

    def stacked(self, lines: int) -> FaceSet:
        """As many lines of points between the same two cells as one face: few large products of matrices instead of many small ones."""
        at, real, first = together([self.part, self.right, self.left], lines)
        m = len(first)
        return FaceSet(
            self.left[first],
            self.right[first],
            self.part[first],
            self.points[at].reshape(m, -1, self.points.shape[-1]),
            (self.weights[at] * real[..., None]).reshape(m, -1),
            self.normals[at].reshape(m, -1, self.normals.shape[-1]),
            self.offset[at[:, 0]],
        )


class PlaneCells:
    """The cells of one mesh, of the plane or of space.

    Parameters
    ----------
    outline, mesh
        Arcs or surfaces, and boxes.
    degree
        Of the polynomials.
    """

    moves = False  # they stay where they are within a step

    def __init__(self, outline: Outline, mesh: PlaneMesh, degree: int):
        self.outline, self.mesh, self.degree = outline, mesh, degree
        self.dimension = mesh.dimension
        self.functions = number_of(degree, self.dimension)
        numbers = outline.numbers
        self.count = degree + numbers.points_more - self.dimension
        made = (
            solid_rules(outline, mesh, self.count)
            if isinstance(outline, Solid)
            else rules(outline, mesh, self.count)
        )
        leaves, leaf_region, volume, faces, self.bent = made
        piece = np.concatenate([piece_key(leaves, leaf_region), piece_key(volume.leaf, volume.region)])
        self.pieces, number = np.unique(piece, return_inverse=True)
        whole, blocks = number[: len(leaves)], number[len(leaves) :]
        area = np.bincount(blocks, volume.weights.sum(axis=1), len(self.pieces)).astype(float)
        area[whole] += np.prod(mesh.widths[leaves], axis=1)
        left, right = self._number(faces.left), self._number(faces.right)
        beside = ~np.any(faces.offset, axis=1)  # around a periodic axis pieces are apart
        self.owner = self._joined(area, left[beside], right[beside], faces.weights[beside].sum(axis=1))
        self.size = int(self.owner.max()) + 1
        self.areas = np.bincount(self.owner, area, self.size)
        self._place(volume, blocks, whole, leaves)
        one, two = np.where(left >= 0, self.owner[left], -1), np.where(right >= 0, self.owner[right], -1)
        keep = (one != two) & (one >= 0)
        self.faces = FaceSet(
            one[keep],
            two[keep],
            faces.part[keep],
            faces.points[keep],
            faces.weights[keep],
            faces.normals[keep],
            faces.offset[keep],
        )
        if self.dimension == 3:
            self.faces = self.faces.stacked(self.count)

    def _number(self, pieces: np.ndarray) -> np.ndarray:
        """Numbers of pieces given by leaf and region; −1 for none."""
        keys = piece_key(pieces[:, 0], pieces[:, 1])
        at = np.clip(np.searchsorted(self.pieces, keys), 0, len(self.pieces) - 1)
        return np.where((self.pieces[at] == keys) & (pieces[:, 0] >= 0), at, -1)

    def _joined(
        self, area: np.ndarray, left: np.ndarray, right: np.ndarray, length: np.ndarray
    ) -> np.ndarray:
        """The cell of each piece: small ones go with the large neighbor of their region with which they share the longest side."""
        leaf, region = self.pieces >> 8, self.pieces & 255
        share = area / np.prod(self.mesh.widths[leaf], axis=1)
        both = (left >= 0) & (right >= 0)
        both[both] = region[left[both]] == region[right[both]]
        a, b, w = left[both], right[both], length[both]
        a, b, w = np.concatenate([a, b]), np.concatenate([b, a]), np.concatenate([w, w])
        order = np.argsort(a, kind="stable")
        a, b, w = a[order], b[order], w[order]
        first, last = (
            np.searchsorted(a, np.arange(len(area))),
            np.searchsorted(a, np.arange(len(area)), side="right"),
        )
        owner = np.arange(len(area))
        small = np.flatnonzero(share < self.outline.numbers.small)
        for k in small[np.argsort(-share[small])]:
            near, sides = b[first[k] : last[k]], w[first[k] : last[k]]
            if not len(near):
                continue
            total = {}
            for n, s in zip(near.tolist(), sides.tolist(), strict=True):
                total[n] = total.get(n, 0.0) + s
            # Large ones first; a small one has gone with another before it, if it is larger.
            best = max(
                total, key=lambda n: (share[n] >= self.outline.numbers.small, share[n] > share[k], total[n])
            )
            if owner[best] != k:
                owner[k] = owner[best]
        for _ in range(8):
            owner = owner[owner]
        return np.unique(owner, return_inverse=True)[1]

    def _place(self, volume, blocks: np.ndarray, whole: np.ndarray, leaves: np.ndarray) -> None:
        """Middles and extents of cells, and their points in batches."""
        count, mesh = self.count, self.mesh
        pieces_of = np.bincount(self.owner, minlength=self.size)
        cell = self.owner[whole]
        self.plain = np.zeros(self.size, dtype=bool)
        alone = pieces_of[cell] == 1
        self.plain[cell[alone]] = True
        d, orders = self.dimension, slopes_of(self.dimension)
        self.middle, self.half = np.zeros((self.size, d)), np.zeros((self.size, d))
        boxes = mesh.boxes[leaves]
        middle = 0.5 * (boxes[:, 0::2] + boxes[:, 1::2])
        self.middle[cell[alone]], self.half[cell[alone]] = middle[alone], 0.5 * mesh.widths[leaves[alone]]
        self.batches: list[Batch] = []
        t, w = gauss(count)
        xi = 2 * t - 1
        grid = np.stack(np.meshgrid(*[xi] * d, indexing="ij"), axis=-1).reshape(-1, d)
        weight = np.prod(np.meshgrid(*[w] * d, indexing="ij"), axis=0).ravel()
        table = {order: products(grid, self.degree, order) for order in orders}
        for level in np.unique(mesh.level[leaves[alone]], axis=0):
            among = np.flatnonzero(alone & np.all(mesh.level[leaves] == level, axis=1))
            half = 0.5 * mesh.widths[leaves[among[0]]]
            points = middle[among][:, None, :] + half * grid
            slopes = tuple(table[order][None] / half[k] for k, order in enumerate(orders[1:]))
            weights = np.broadcast_to(weight, (len(among), len(weight)))
            known = table[orders[0]][None]
            self.batches.append(Batch(cell[among], points, weights, known, lambda s=slopes: s))
        # All other cells: blocks of their pieces, whole leaves among them as blocks of columns.
        other = np.flatnonzero(~alone)
        points = [
            volume.points,
            (middle[other][:, None, :] + 0.5 * mesh.widths[leaves[other]][:, None, :] * grid).reshape(
                -1, count, d
            ),
        ]
        weights = [
            volume.weights,
            (np.prod(mesh.widths[leaves[other]], axis=1)[:, None] * weight).reshape(-1, count),
        ]
        owner = np.concatenate([self.owner[blocks], np.repeat(cell[other], count ** (d - 1))])
        self._cut_batches(np.concatenate(points), np.concatenate(weights), owner)

    def _cut_batches(self, points: np.ndarray, weights: np.ndarray, owner: np.ndarray) -> None:
        """Cells that are no whole boxes, padded by points of weight zero to some common numbers."""
        self.triangle = np.zeros((self.size, 0, 0))
        self.cut_number = np.full(self.size, -1)
        if not len(owner):
            self.triangle = np.zeros((0, self.functions, self.functions))
            return
        order = np.argsort(owner, kind="stable")
        points, weights, owner = points[order], weights[order], owner[order]
        cells, first, blocks = np.unique(owner, return_index=True, return_counts=True)
        # Parts of rounding are not worth a point.
        d = self.dimension
        flat = points.reshape(-1, d)
        low = np.minimum.reduceat(flat, first * self.count)
        high = np.maximum.reduceat(flat, first * self.count)
        self.middle[cells], self.half[cells] = 0.5 * (low + high), np.maximum(0.5 * (high - low), 1e-300)
        self.cut_number[cells] = np.arange(len(cells))
        self.triangle = np.zeros((len(cells), self.functions, self.functions))
        bucket = np.ceil(np.log(blocks) / np.log(self.outline.numbers.together)).astype(int)
        for kind in np.unique(bucket):
            among = np.flatnonzero(bucket == kind)
            most = int(blocks[among].max())
            at = first[among][:, None] + np.minimum(np.arange(most), blocks[among][:, None] - 1)
            real = np.arange(most) < blocks[among][:, None]
            p = points[at].reshape(len(among), -1, d)
            w = (weights[at] * real[..., None]).reshape(len(among), -1)
            w = w / w.sum(axis=1, keepdims=True)
            own = cells[among]
            z = (p - self.middle[own][:, None]) / self.half[own][:, None]
            values, t = self._orthonormal(z, w)
            self.triangle[self.cut_number[own]] = t

            def slopes(z: np.ndarray = z, t: np.ndarray = t, half: np.ndarray = self.half[own]):
                orders = enumerate(slopes_of(d)[1:])
                return tuple(
                    np.matmul(products(z, self.degree, o), t) / half[:, k, None, None] for k, o in orders
                )

            self.batches.append(Batch(own, p, w, values, slopes))

    def _orthonormal(self, places: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values at places (cells, points, d) of functions that weights make orthonormal on each cell, and the triangles that make them: some cells at a time, since high degrees take seconds."""
        cells, points, _ = places.shape
        values = np.empty((cells, points, self.functions))
        triangles = np.empty((cells, self.functions, self.functions))
        for part in np.array_split(np.arange(cells), min(cells, -(-values.size // NOTICED))):
            check_deadline()
            raw = products(places[part], self.degree)
            triangles[part] = triangular(raw, weights[part])
            np.matmul(raw, triangles[part], out=values[part[0] : part[-1] + 1])
        return values, triangles

    # Functions anywhere -------------------------------------------------------------------------------------

    @cached_property
    def frame(self) -> PlaneFrame:
        """The functions alone."""
        regions = self.outline.locator
        return PlaneFrame(self.mesh, self.degree, self.pieces, self.owner, self.middle, self.half, regions)

    @cached_property
    def materials(self) -> np.ndarray:
        """The number of the named part of the domain that each cell lies in."""
        result = np.zeros(self.size, dtype=int)
        result[self.owner] = (self.pieces & 255) % self.outline.materials
        return result

    def table(self, cells: np.ndarray, points: np.ndarray, order: Order = ()) -> np.ndarray:
        """∂x^a ∂y^b … of the functions of cells (m,) at points (m, n, d) of each: (m, n, functions)."""
        found = self.frame.table(cells, points, order)
        cut = np.flatnonzero(self.cut_number[cells] >= 0)
        if len(cut):
            found[cut] = np.matmul(found[cut], self.triangle[self.cut_number[cells[cut]]])
        return found

    def in_products(self, coefficients: np.ndarray) -> np.ndarray:
        """Coefficients (…, cells, size) of the products of Legendre polynomials: R⁻¹ a."""
        result = coefficients.copy()
        cut = np.flatnonzero(self.cut_number >= 0)
        result[..., cut, :] = np.einsum(
            "kij,...kj->...ki", self.triangle[self.cut_number[cut]], result[..., cut, :]
        )
        return result

    def values(self, coefficients: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Functions (…, cells, size) at points (m, d): (…, m)."""
        cell = self.frame.locate(points)
        return np.einsum(
            "...mn,mn->...m", self.in_products(coefficients)[..., cell, :], self.frame.table(cell, points)
        )

    @property
    def slopes(self) -> tuple[Order, ...]:
        """A function and its derivatives along the axes, as orders."""
        return slopes_of(self.dimension)

    @cached_property
    def inner(self) -> np.ndarray:
        """Numbers of the faces between two cells."""
        return np.flatnonzero(self.faces.right >= 0)

    @cached_property
    def left_tables(self) -> dict[Order, np.ndarray]:
        """Functions and slopes of the left cell of each face."""
        return {order: self.table(self.faces.left, self.faces.points, order) for order in self.slopes}

    @cached_property
    def right_tables(self) -> dict[Order, np.ndarray]:
        """The same of the right cell, of faces between two cells."""
        f, k = self.faces, self.inner
        return {order: self.table(f.right[k], f.beyond[k], order) for order in self.slopes}

    @cached_property
    def traces(self) -> np.ndarray:
        """C of each cell."""
        return trace_constants(self)

    @cached_property
    def shares(self) -> np.ndarray:
        """Each cell's part of the domain."""
        return self.areas / np.sum(self.areas)

    @property
    def degrees(self) -> np.ndarray:
        """Total degree of each function."""
        return degrees(self.degree, self.dimension)

    def project(self, function) -> np.ndarray:
        """Coefficients (functions, cells, size) of given functions, (points, d) → (functions, points)."""
        result = None
        for batch in self.batches:
            values = function(batch.points.reshape(-1, self.dimension))
            values = values.reshape(len(values), *batch.weights.shape) * batch.weights
            if result is None:
                result = np.zeros((len(values), self.size, self.functions))
            result[:, batch.cells] = np.matmul(values[:, :, None, :], batch.values)[:, :, 0, :]
        assert result is not None
        return result
