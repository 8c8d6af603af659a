# SPDX-License-Identifier: MIT
"""Where cells of space end:  surfaces φ = 0 of the boundary and of dividing surfaces inside.  Planes normal to an axis divide boxes; all others cut them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.problem.shapes.levels import Level
from lrfm.problem.shapes.shape import Shape
from lrfm.spaces.cells.plane.numbers import PlaneNumbers
from lrfm.spaces.cells.plane.outline import Outline


class Solid(Outline):
    """Surfaces and regions of a domain in space; `planes` are (axis, place) of the levels that are normal to an axis, `curved` the numbers of all others."""

    def __init__(self, shape: Shape, numbers: PlaneNumbers, dividers: Sequence[Level] = ()):  # pyright: ignore[reportMissingSuperCall]
        self.shape, self.numbers, self.dividers, self.periodic = shape, numbers, tuple(dividers), (False,) * 3
        self.low, self.high = (np.array(end, dtype=float) for end in (shape.lower, shape.upper))
        self.size = float(np.linalg.norm(self.high - self.low))
        self.beside = numbers.beside * self.size
        sheets = list(dict.fromkeys(part.sheet for part in shape.parts.values()))
        self.bounds, self.number_of = len(sheets), {id(sheet): k for k, sheet in enumerate(sheets)}
        self.levels = [sheet.level for sheet in sheets] + list(self.dividers)
        self.arcs, self.vertices = [], np.zeros((0, 3))
        self.planes: list[tuple[int, float]] = []
        curved = []
        for number, level in enumerate(self.levels):
            slope = level.gradient(np.zeros((1, 3)))[0] if level.flat else np.ones(3)
            if np.count_nonzero(np.abs(slope) > 1e-12 * np.max(np.abs(slope))) == 1:
                axis = int(np.argmax(np.abs(slope)))
                self.planes.append((axis, -float(level.values(np.zeros((1, 3)))[0]) / float(slope[axis])))
            else:
                curved.append(number)
        self.curved = np.array(curved, dtype=int)


def bases(axis: np.ndarray) -> np.ndarray:
    """The two axes normal to each."""
    return np.stack([(axis + 1) % 3, (axis + 2) % 3], axis=-1)


def placed(axis: np.ndarray, base: np.ndarray, height: np.ndarray) -> np.ndarray:
    """Points (m, 3) with the coordinates `base` (m, 2) normal to an axis each, and `height` along it."""
    points = np.empty((len(axis), 3))
    rows = np.arange(len(axis))
    points[rows, axis] = height
    points[rows[:, None], bases(axis)] = base
    return points
