# SPDX-License-Identifier: MIT
"""How large normal derivatives on the sides of a cell can be:  C = max ∮ c (∂v/∂n)² ds / ∫ |∇v|² dx  over its polynomials, c = ½ on sides to other cells, 1 on the boundary.

With penalties 2C the interior penalty method is coercive on every cell, whatever its form (Epshteyn, Riviere, J. Comput. Appl. Math. 206, 2007): nothing is tuned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lrfm.problem.shapes.gauss import gauss
from lrfm.spaces.cells.plane.functions import number_of, products

if TYPE_CHECKING:
    from lrfm.spaces.cells.plane.space import PlaneCells


def trace_constants(space: PlaneCells) -> np.ndarray:
    """C of each cell; whole boxes of one form are alike."""
    faces, result = space.faces, np.zeros(space.size)
    outer = np.zeros(space.size, dtype=bool)
    outer[faces.left[faces.right < 0]] = True
    whole = np.flatnonzero(space.plain)
    # Widths are halves of each other: their logarithms differ by whole numbers, or by those of the roots.
    form = np.round(np.log2(space.half[whole] / space.half[whole, :1]), 6)
    for one in np.unique(form, axis=0):
        plain = whole[np.all(form == one, axis=1)]
        half = space.half[plain[0]]
        inside, at_edge = (_box(half, space.degree, c) for c in (0.5, 1.0))
        scale = half[0] / space.half[plain, 0]
        result[plain] = np.where(outer[plain], at_edge, inside) * scale
    cut = np.flatnonzero(~space.plain)
    if len(cut):
        result[cut] = _cells(space, cut)
    return result


def _largest(sides: np.ndarray, volume: np.ndarray) -> np.ndarray:
    """The largest eigenvalue of E v = C G v without constants, of matrices (cells, n, n)."""
    lower = np.linalg.cholesky(volume[:, 1:, 1:])
    inverse = np.linalg.inv(lower)
    matrix = np.matmul(np.matmul(inverse, sides[:, 1:, 1:]), np.swapaxes(inverse, 1, 2))
    return np.linalg.eigvalsh(matrix)[:, -1]


def _box(half: np.ndarray, degree: int, share: float) -> float:
    """C of a whole box with half widths."""
    t, w = gauss(degree + 1)
    t = 2 * t - 1
    dimension = len(half)
    grid = np.stack(np.meshgrid(*[t] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)
    weights = np.prod(np.meshgrid(*[w] * dimension, indexing="ij"), axis=0).ravel() * np.prod(2 * half)
    n = number_of(degree, dimension)
    volume, sides = np.zeros((n, n)), np.zeros((n, n))
    for axis in range(dimension):
        order = tuple(int(k == axis) for k in range(dimension))
        d = products(grid, degree, order) / half[axis]
        volume += d.T @ (weights[:, None] * d)
        first = grid[:, axis] == t[0]  # the points of one layer, as those of a side
        area = weights[first] / (w[0] * 2 * half[axis])
        for end in (-1.0, 1.0):
            at = grid[first].copy()
            at[:, axis] = end
            d = products(at, degree, order) / half[axis]
            sides += share * d.T @ (area[:, None] * d)
    return float(_largest(sides[None], volume[None])[0])


def _cells(space: PlaneCells, cut: np.ndarray) -> np.ndarray:
    """C of cells of any form."""
    from scipy.sparse import csr_matrix

    n, number = space.functions, np.full(space.size, -1)
    number[cut] = np.arange(len(cut))
    volume, sides = np.zeros((len(cut), n, n)), np.zeros((len(cut), n, n))
    for batch in space.batches:
        if number[batch.cells[0]] < 0:
            continue
        weights = (batch.weights * space.areas[batch.cells][:, None])[..., None]
        at = number[batch.cells]
        for d in batch.slopes:
            volume[at] += np.matmul(np.swapaxes(d, 1, 2), weights * d)
    f, inner = space.faces, space.inner
    everything = np.arange(len(f.left))
    for cells, faces, tables in (
        (f.left, everything, space.left_tables),
        (f.right[inner], inner, space.right_tables),
    ):
        keep = np.flatnonzero(number[cells] >= 0)
        k = faces[keep]
        normal = f.normals[k]
        d = sum(
            normal[..., axis : axis + 1] * tables[order][keep] for axis, order in enumerate(space.slopes[1:])
        )
        share = np.where(f.right[k] >= 0, 0.5, 1.0)
        found = np.matmul(np.swapaxes(d, 1, 2), (share[:, None] * f.weights[k])[..., None] * d)
        gather = csr_matrix(
            (np.ones(len(k)), (number[cells[keep]], np.arange(len(k)))), shape=(len(cut), len(k))
        )
        sides += (gather @ found.reshape(len(k), n * n)).reshape(sides.shape)
    return _largest(sides, volume)
