# SPDX-License-Identifier: MIT
"""Polynomials of one cell:  φ_j(ξ) = √(2j + 1) P_j(ξ) on [−1, 1],  ½ ∫ φ_i φ_j dξ = δ_ij.

With them the mean square of Σ a_j φ_j over a cell is Σ a_j², whatever the cell's size. A polynomial of a cell is one of each of its halves, so that
splitting is exact; joining two halves is the projection that keeps values and derivatives below the order m at both ends, so that
functions of class C^(m−1) stay so.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.polynomial import legendre


@lru_cache(maxsize=256)
def _derivatives(size: int, order: int) -> np.ndarray:
    """Legendre coefficients of d^order φ_j/dξ^order: (size, size), one column per function."""
    scaled = np.diag(_norms(size))
    if order >= size:
        return np.zeros((size, size))
    lowered = legendre.legder(scaled, order, axis=0)
    return np.vstack([lowered, np.zeros((size - len(lowered), size))])


def table(places: np.ndarray, size: int, order: int = 0) -> np.ndarray:
    """d^order φ_j/dξ^order at places ξ of the reference cell: (places, size);  (k + 1) P_{k+1} = (2k + 1) ξ P_k − k P_{k−1}."""
    z = np.asarray(places, dtype=float)
    found = np.empty((size, *z.shape))
    found[0] = 1.0
    if size > 1:
        found[1] = z
    # One function after the other, each in a row of its own: places are many, functions are few.
    for k in range(1, size - 1):
        own = np.multiply(z, found[k], out=found[k + 1])
        own *= (2 * k + 1) / (k + 1)
        own -= k / (k + 1) * found[k - 1]
    if order:
        return np.moveaxis(found, 0, -1) @ _derivatives(size, order)
    found *= _norms(size).reshape(-1, *(1,) * z.ndim)
    return np.moveaxis(found, 0, -1)


@lru_cache(maxsize=256)
def lowering(size: int, order: int) -> np.ndarray:
    """Coefficients a D of the derivative dᵃ/dξᵃ Σ a_j φ_j: D, (size, size)."""
    return (_derivatives(size, order) / _norms(size)[:, None]).T


@lru_cache(maxsize=64)
def _norms(size: int) -> np.ndarray:
    """√(2j + 1)."""
    return np.sqrt(2 * np.arange(size) + 1.0)


@lru_cache(maxsize=64)
def at_nodes(size: int) -> np.ndarray:
    """φ_j at the Gauss points of as many functions: (size, size)."""
    return table(nodes(size, 0)[0], size)


@lru_cache(maxsize=64)
def slopes_at_nodes(size: int) -> np.ndarray:
    """φ_j′ at the same points: (size, size)."""
    return table(nodes(size, 0)[0], size, 1)


@lru_cache(maxsize=256)
def at_ends(size: int, orders: int, inside: float = 0.0) -> np.ndarray:
    """Derivatives below some order at both ends of a cell, or a little inside of them: (2, orders, size)."""
    ends = np.array([-1.0 + inside, 1.0 - inside])
    return np.stack([table(ends, size, d) for d in range(orders)], axis=1)


@lru_cache(maxsize=64)
def nodes(count: int, end: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights on [−1, 1], weights with sum one: Gauss (end = 0), Gauss-Radau with the left (−1) or the right end (+1)."""
    if end == 0:
        points, weights = legendre.leggauss(count)
        return points, weights / 2
    polynomial = np.zeros(count + 1)
    polynomial[count], polynomial[count - 1] = 1.0, -float(end)
    points = np.sort(legendre.legroots(polynomial).real)
    points[-1 if end > 0 else 0] = float(end)
    weights = np.linalg.solve(legendre.legvander(points, count - 1).T, np.eye(count)[0])
    return points, weights


@lru_cache(maxsize=64)
def _at_points(size: int, count: int, end: int, orders: int) -> np.ndarray:
    """Derivatives up to some order at points of collocation: (orders + 1, count, size)."""
    points, _ = nodes(count, end)
    return np.stack([table(points, size, d) for d in range(orders + 1)])


class Reference:
    """Tables of the polynomials of one cell with `size` coefficients, collocated at `count` points."""

    def __init__(self, size: int, count: int, end: int, orders: int):
        self.size, self.count = size, count
        self.points, self.weights = nodes(count, end)
        self.at_points = _at_points(size, count, end, orders)
        self.at_ends = at_ends(size, orders + 1)
        self.halves = halves(size)


@lru_cache(maxsize=64)
def halves(size: int) -> np.ndarray:
    """Coefficients on the left and the right half of a cell from those on the cell: (2, size, size), exact."""
    points, weights = nodes(size, 0)
    here = table(points, size)
    parts = [here.T @ (weights[:, None] * table(0.5 * (points + side), size)) for side in (-1.0, 1.0)]
    return np.triu(np.stack(parts))  # a polynomial of low degree has low degree on its halves


@lru_cache(maxsize=64)
def joining(size: int, order: int) -> np.ndarray:
    """Coefficients on a cell from those on its halves, (size, 2·size): the nearest polynomial with the same derivatives below `order` at the ends."""
    left, right = halves(size)
    nearest = 0.5 * np.hstack([left.T, right.T])
    if order == 0:
        return nearest
    ends = np.array([-1.0, 1.0])
    own = np.vstack([table(ends, size, d) for d in range(order)])
    wanted = np.zeros((2 * order, 2 * size))
    for d in range(order):
        at = 2.0**d * table(ends, size, d)  # a half is half as long: its ξ runs twice as fast
        wanted[2 * d, :size], wanted[2 * d + 1, size:] = at[0], at[1]
    return nearest + np.linalg.pinv(own) @ (wanted - own @ nearest)


def merging(size: int, order: int, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same for two neighbors of any widths, the left one with a given share of both: (pairs, size, 2·size); and from a cell to its two parts, (pairs, 2, size, size), exact."""
    if np.all(shares == 0.5):
        return joining(size, order)[None], halves(size)[None]
    (points, weights), here = nodes(size, 0), at_nodes(size)
    share = np.stack([shares, 1 - shares], axis=1)
    left = share[:, :1] * (1 + points) - 1
    right = 1 - share[:, 1:] * (1 - points)
    whole = table(np.stack([left, right], axis=1).ravel(), size).reshape(len(shares), 2, size, size)
    parts = np.einsum("qi,q,psqj->psij", here, weights, whole)
    nearest = np.einsum("ps,psij->pjsi", share, parts)
    if order:
        own = at_ends(size, order)
        scale = share[:, :, None] ** -np.arange(order)  # a part is shorter: its ξ runs faster
        wanted = np.einsum("psd,sdi,sr->psdri", scale, own, np.eye(2))
        gap = wanted - np.einsum("sdj,pjri->psdri", own, nearest)
        nearest = nearest + np.einsum("jsd,psdri->pjri", connecting(size, order), gap)
    return nearest.reshape(len(shares), size, 2 * size), parts


@lru_cache(maxsize=64)
def connecting(size: int, order: int) -> np.ndarray:
    """The smallest polynomial with given derivatives below `order` at the left and the right end: (size, 2, order)."""
    ends = np.array([-1.0, 1.0])
    own = np.stack([table(ends, size, d) for d in range(order)], axis=1).reshape(2 * order, size)
    return np.linalg.pinv(own).reshape(size, 2, order)
