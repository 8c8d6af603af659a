# SPDX-License-Identifier: MIT
"""What every basis of functions ψ of space offers, whatever these are made of: products of axes, or functions of all coordinates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np

from lrfm.spaces.orders import MultiIndex


class BasisGrid(Protocol):
    """Points with the functions of a basis on them."""

    points: np.ndarray
    """The points, (n, d)."""

    @property
    def size(self) -> int:
        """How many there are."""
        ...

    def profiles(self, values: np.ndarray) -> tuple[np.ndarray, ...]:
        """The largest of some values along each axis; nothing where there are no axes."""
        ...

    def evaluate(self, coefficients: np.ndarray, index: MultiIndex) -> np.ndarray:
        """D^a of Σ c ψ for each row of coefficients (…, R): values (…, points)."""
        ...


class Basis(Protocol):
    """Functions ψ₁, …, ψ_R of space with their quadrature."""

    @property
    def size(self) -> int:
        """R."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """How many functions there are along each axis, or in all: R is their product."""
        ...

    @property
    def features(self) -> int:
        """The number of features drawn, along the axis that has most."""
        ...

    def full(self, most: int) -> bool:
        """Whether no axis, or no set of functions, can take more features than so many."""
        ...

    @property
    def separable(self) -> bool:
        """Whether sums over functions can be done axis by axis."""
        ...

    @property
    def grid(self) -> BasisGrid:
        """The points of the quadrature."""
        ...

    @property
    def fresh(self) -> tuple[BasisGrid, np.ndarray]:
        """Points other than those of the quadrature, and their weights."""
        ...

    def sums(
        self, points: np.ndarray, indices: Iterable[MultiIndex], rows: np.ndarray
    ) -> dict[MultiIndex, np.ndarray]:
        """D^a of Σ c ψ at points (n, d), by multi-index, for rows of coefficients (rows, R): each (rows, n)."""
        ...

    def project(self, values: np.ndarray) -> np.ndarray:
        """Coefficients of functions known on the grid, one function per row."""
        ...
