# SPDX-License-Identifier: MIT
"""Functions of one cell:  φ_j = Σ_i C_ij √(2i + 1) P_i on [−1, 1],  CᵀC = 1,  φ_0 = 1.

Whatever they are, they are known by their Legendre coefficients C, so that values, derivatives, halves and ends of all of them are those of polynomials,
`lrfm.spaces.cells.reference`, times C; and what is solved in them is handed on as Legendre series. With C = 1 they are the polynomials themselves.

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
