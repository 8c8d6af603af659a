# SPDX-License-Identifier: MIT
"""Boxes of equal size that fill a box: n₁ × … × n_d of them, the last axis running fastest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells of equal size in a box; `periodic` says by axis whether its ends are one."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    counts: tuple[int, ...]
    periodic: tuple[bool, ...]

    @property
    def dimension(self) -> int:
        return len(self.counts)

    @property
    def moves(self) -> bool:
        """They stay where they are within a step."""
        return False

    @property
    def size(self) -> int:
        """How many cells there are."""
        return math.prod(self.counts)

    @cached_property
    def widths(self) -> np.ndarray:
        """Of a cell along each axis."""
        return (np.array(self.upper) - np.array(self.lower)) / np.array(self.counts)

    @cached_property
    def centers(self) -> np.ndarray:
        """Middles of all cells, (axes, cells)."""
        return self.places([np.arange(n) + 0.5 for n in self.counts])

    def places(self, along: list[np.ndarray]) -> np.ndarray:
        """Products of places along the axes, these counted in cells: (axes, places)."""
        own = [a + w * c for a, w, c in zip(self.lower, self.widths, along, strict=True)]
        return np.stack([x.ravel() for x in np.meshgrid(*own, indexing="ij")])

    def locate(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The cell of each place (places, axes), and where in it: (places, axes), from −1 to 1."""
        inside = (places - np.array(self.lower)) / self.widths
        cell = np.clip(np.floor(inside).astype(np.int64), 0, np.array(self.counts) - 1)
        number = np.array(np.ravel_multi_index(tuple(cell.T), self.counts))
        return number, 2.0 * (inside - cell) - 1.0

    def located(self, axis: int, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same along one axis: numbers of cells along it, and where in them."""
        inside = (places - self.lower[axis]) / self.widths[axis]
        cell = np.clip(np.floor(inside).astype(np.int64), 0, self.counts[axis] - 1)
        return cell, 2.0 * (inside - cell) - 1.0
