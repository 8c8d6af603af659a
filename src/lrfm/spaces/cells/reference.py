# SPDX-License-Identifier: MIT
"""Tables of the functions of one cell, which are polynomials √(2j + 1) P_j(ξ) on [−1, 1] or sums of such:  ½ ∫ φ_i φ_j dξ = δ_ij.

With them the mean square of Σ a_j φ_j over a cell is Σ a_j², whatever the cell's size. Splitting a cell and joining two halves are the projections that keep
values and derivatives below the order m at both ends, so that functions of class C^(m−1) stay so. A polynomial of a cell is one of each of its halves: for these splitting is exact.

Any such functions, φ_j = Σ_i C_ij √(2i + 1) P_i with CᵀC = 1 and φ_0 = 1, are known by their Legendre coefficients C, so that values, derivatives, halves and ends of all of them are those of polynomials,
times C; and what is solved in them is handed on as Legendre series. With C = 1 they are the polynomials themselves.

The spans of the first n functions are nested, and of less and less weight: what the last coefficients of a function come to is what a smaller span leaves out of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.polynomial import legendre


class CellFunctions(Protocol):
    """Orthonormal functions of the cell's own coordinate, the first of them 1; equal ones are interchangeable, as keys of tables too."""

    def series(self, size: int) -> np.ndarray:
        """C of the first `size` functions: (terms, size), orthonormal columns; those of fewer functions are the first of them."""
        ...

    def enough(self, size: int, part: float) -> int:
        """How many take the place of `size` polynomials: at least as many, of a straight line a smaller span than theirs leaves out such a part at the most; else cells have to be narrow for nothing."""
        ...

    def words(self, size: int) -> str:
        """What so many of them are called in a report."""
        ...

    def __hash__(self) -> int: ...


@dataclass(frozen=True)
class Polynomials:
    """Legendre polynomials: splitting a cell is exact, since a polynomial of a cell is one of each of its halves."""

    def series(self, size: int) -> np.ndarray:
        """The identity."""
        return _identity(size)

    def enough(self, size: int, part: float) -> int:
        """As many."""
        return size

    def words(self, size: int) -> str:
        """Their degree."""
        return f"polynomials of degree {size - 1}"


POLYNOMIALS = Polynomials()


@dataclass(frozen=True)
class RandomFeatures:
    """Frozen random features tanh(w (ξ − c)) beside 1, made orthonormal: the left singular vectors of `count` of them, in the order of their singular values.

    w and c are uniform in (−1, 1): with twice the slope 16 functions hold sin(2ξ) to 2e-7 instead of 3e-10, with less they are nearer to polynomials. A feature is analytic
    up to the poles c ± iπ/(2w), so that it is a Legendre series of few terms to rounding: ρ^(−terms) = ε with ρ = a + √(1 + a²), a = π/2 (Trefethen, Approximation theory
    and approximation practice, chapter 8).

    Singular vectors are nested and ordered by weight as polynomials are by degree. The features one after another would not be: the last one is as steep as the first.
    """

    seed: int
    count: int

    def series(self, size: int) -> np.ndarray:
        """1, and the first singular vectors."""
        whole = _singular(self)
        if size > whole.shape[1]:
            raise ValueError(
                f"{size} features of a cell are more than can be told from rounding, {whole.shape[1]}."
            )
        return whole[:, :size]

    def enough(self, size: int, part: float) -> int:
        """By the last two coefficients of ξ, as errors of cells are told; all that there are, if these are too few."""
        line = _singular(self)[1]
        left_out = np.hypot(line[:-1], line[1:])
        found = np.flatnonzero(left_out <= part)
        return min(max(size, int(found[0]) + 2 if len(found) else len(line)), len(line))

    def words(self, size: int) -> str:
        """Their number."""
        return f"{size} random features, tanh, orthonormal on each cell"

    @property
    def terms(self) -> int:
        """Legendre polynomials that hold them to rounding."""
        pole = math.pi / 2
        return math.ceil(-math.log(np.finfo(float).eps) / math.log(pole + math.hypot(1, pole)))


@lru_cache(maxsize=64)
def _identity(size: int) -> np.ndarray:
    return np.eye(size)


@lru_cache(maxsize=16)
def _singular(features: RandomFeatures) -> np.ndarray:
    """Legendre coefficients of 1 and of the singular vectors that are told from rounding, (terms, functions)."""
    rng, terms = np.random.default_rng(features.seed), features.terms
    slopes = rng.uniform(-1.0, 1.0, features.count)
    centers = rng.uniform(-1.0, 1.0, features.count)
    points, weights = legendre.leggauss(terms)
    here = legendre.legvander(points, terms - 1) * np.sqrt(2 * np.arange(terms) + 1.0)
    drawn = (here * (0.5 * weights)[:, None]).T @ np.tanh(slopes * (points[:, None] - centers))
    left, values, _ = np.linalg.svd(
        drawn[1:], full_matrices=False
    )  # without their means, which are multiples of 1
    left = left[:, values > np.finfo(float).eps * values[0]]
    left *= np.where(
        np.sum(left * np.sqrt(2 * np.arange(1, terms) + 1.0)[:, None], axis=0) < 0, -1.0, 1.0
    )  # φ_j(1) > 0
    found = np.zeros((terms, left.shape[1] + 1))
    found[0, 0], found[1:, 1:] = 1.0, left
    return found


# Tables -----------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _derivatives(size: int, order: int) -> np.ndarray:
    """Legendre coefficients of d^order φ_j/dξ^order: (size, size), one column per function."""
    scaled = np.diag(_norms(size))
    if order >= size:
        return np.zeros((size, size))
    lowered = legendre.legder(scaled, order, axis=0)
    return np.vstack([lowered, np.zeros((size - len(lowered), size))])


def table(places: np.ndarray, size: int, order: int = 0) -> np.ndarray:
    """d^order/dξ^order of the polynomials √(2j + 1) P_j at places ξ of the reference cell: (places, size);  (k + 1) P_{k+1} = (2k + 1) ξ P_k − k P_{k−1}."""
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


def values(
    places: np.ndarray, size: int, order: int = 0, functions: CellFunctions = POLYNOMIALS
) -> np.ndarray:
    """d^order φ_j/dξ^order of any functions at places ξ of the reference cell: (places, size)."""
    series = functions.series(size)
    return table(places, len(series), order) @ series


def quadrature(size: int, functions: CellFunctions = POLYNOMIALS) -> tuple[np.ndarray, np.ndarray]:
    """Gauss points and weights by which products of these functions are integrated: as many as polynomials hold them."""
    return nodes(len(functions.series(size)), 0)


@lru_cache(maxsize=64)
def at_nodes(size: int, functions: CellFunctions = POLYNOMIALS) -> np.ndarray:
    """φ_j at the points of this quadrature: (points, size)."""
    return values(quadrature(size, functions)[0], size, 0, functions)


@lru_cache(maxsize=64)
def slopes_at_nodes(size: int) -> np.ndarray:
    """Derivatives of polynomials at the same points: (size, size)."""
    return table(nodes(size, 0)[0], size, 1)


@lru_cache(maxsize=256)
def at_ends(
    size: int, orders: int, inside: float = 0.0, functions: CellFunctions = POLYNOMIALS
) -> np.ndarray:
    """Derivatives below some order at both ends of a cell, or a little inside of them: (2, orders, size)."""
    ends = np.array([-1.0 + inside, 1.0 - inside])
    return np.stack([values(ends, size, d, functions) for d in range(orders)], axis=1)


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
def _at_points(size: int, count: int, end: int, orders: int, functions: CellFunctions) -> np.ndarray:
    """Derivatives up to some order at points of collocation: (orders + 1, count, size)."""
    points, _ = nodes(count, end)
    return np.stack([values(points, size, d, functions) for d in range(orders + 1)])


class Reference:
    """Tables of `size` functions of one cell, collocated at `count` points."""

    def __init__(self, size: int, count: int, end: int, orders: int, functions: CellFunctions = POLYNOMIALS):
        self.size, self.count = size, count
        self.points, self.weights = nodes(count, end)
        self.at_points = _at_points(size, count, end, orders, functions)
        self.at_ends = at_ends(size, orders + 1, 0.0, functions)


@lru_cache(maxsize=64)
def _halved(size: int, functions: CellFunctions) -> np.ndarray:
    """Legendre coefficients on the left and the right half of a cell from coefficients on the cell: (2, terms, size), exact."""
    series = functions.series(size)
    terms = len(series)
    points, weights = nodes(terms, 0)
    here = table(points, terms)
    parts = [here.T @ (weights[:, None] * table(0.5 * (points + side), terms)) for side in (-1.0, 1.0)]
    return np.triu(np.stack(parts)) @ series  # a polynomial of low degree has low degree on its halves


@lru_cache(maxsize=64)
def halves(size: int, order: int = 0, functions: CellFunctions = POLYNOMIALS) -> np.ndarray:
    """Coefficients on the left and the right half of a cell from those on the cell, (2, size, size): the nearest functions with the same derivatives below `order` at the ends."""
    series, exact = functions.series(size), _halved(size, functions)
    nearest = series.T @ exact
    if order == 0:
        return nearest
    ends = np.array([-1.0, 1.0])
    left_out = exact - series @ nearest  # nothing of polynomials
    gaps = np.stack([table(ends, len(series), d) @ left_out for d in range(order)], axis=2)
    return nearest + np.einsum("ked,sedj->skj", connecting(size, order, functions), gaps)


@lru_cache(maxsize=64)
def joining(size: int, order: int, functions: CellFunctions = POLYNOMIALS) -> np.ndarray:
    """Coefficients on a cell from those on its halves, (size, 2·size): the nearest function with the same derivatives below `order` at the ends."""
    left, right = halves(size, 0, functions)
    nearest = 0.5 * np.hstack([left.T, right.T])
    if order == 0:
        return nearest
    ends = np.array([-1.0, 1.0])
    at_both = [values(ends, size, d, functions) for d in range(order)]
    own = np.vstack(at_both)
    wanted = np.zeros((2 * order, 2 * size))
    for d, at in enumerate(at_both):
        # A half is half as long: its ξ runs twice as fast.
        wanted[2 * d, :size], wanted[2 * d + 1, size:] = 2.0**d * at[0], 2.0**d * at[1]
    return nearest + np.linalg.pinv(own) @ (wanted - own @ nearest)


def merging(
    size: int, order: int, shares: np.ndarray, functions: CellFunctions = POLYNOMIALS
) -> tuple[np.ndarray, np.ndarray]:
    """The same for two neighbors of any widths, the left one with a given share of both: (pairs, size, 2·size); and from a cell to Legendre coefficients on its two parts, (pairs, 2, terms, size), exact."""
    if np.all(shares == 0.5):
        return joining(size, order, functions)[None], _halved(size, functions)[None]
    series = functions.series(size)
    (points, weights), here = quadrature(size, functions), at_nodes(len(series))
    share = np.stack([shares, 1 - shares], axis=1)
    left = share[:, :1] * (1 + points) - 1
    right = 1 - share[:, 1:] * (1 - points)
    places = np.stack([left, right], axis=1)
    whole = values(places.ravel(), size, 0, functions).reshape(*places.shape, size)
    parts = np.einsum("qi,q,psqj->psij", here, weights, whole)
    nearest = np.einsum("ps,psij->pjsi", share, series.T @ parts)
    if order:
        own = at_ends(size, order, 0.0, functions)
        scale = share[:, :, None] ** -np.arange(order)  # a part is shorter: its ξ runs faster
        wanted = np.einsum("psd,sdi,sr->psdri", scale, own, np.eye(2))
        gap = wanted - np.einsum("sdj,pjri->psdri", own, nearest)
        nearest = nearest + np.einsum("jsd,psdri->pjri", connecting(size, order, functions), gap)
    return nearest.reshape(len(shares), size, 2 * size), parts


@lru_cache(maxsize=64)
def connecting(size: int, order: int, functions: CellFunctions = POLYNOMIALS) -> np.ndarray:
    """The smallest function with given derivatives below `order` at the left and the right end: (size, 2, order)."""
    ends = np.array([-1.0, 1.0])
    own = np.stack([values(ends, size, d, functions) for d in range(order)], axis=1)
    return np.linalg.pinv(own.reshape(2 * order, size)).reshape(size, 2, order)
