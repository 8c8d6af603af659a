# SPDX-License-Identifier: MIT
"""Where cells end in a domain of several layers:  at its boundary, and at the interfaces between layers.

Two layers give the curve between them twice, as levels φ₁ and φ₂ of their own; they are one level here where φ₁/|∇φ₁| vanishes along the other's arcs. The
number of the layer that a point lies in is part of the number of its region.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from lrfm.problem.shapes.layers import Layers
from lrfm.problem.shapes.levels import Level
from lrfm.problem.shapes.pieces import Stretch, distance
from lrfm.problem.shapes.shape import Shape
from lrfm.spaces.cells.plane.numbers import PlaneNumbers
from lrfm.spaces.cells.plane.outline import Outline, cuts_at
from lrfm.spaces.cells.plane.stored import LayerSides


class LayeredOutline(Outline):
    """Arcs, vertices and regions of a domain of layers with dividing lines."""

    def __init__(self, domain: Layers, numbers: PlaneNumbers, dividers: Sequence[Level] = ()):
        self.domain, self.layers = domain, list(domain.layers.values())
        super().__init__(domain, numbers, dividers)  # pyright: ignore[reportArgumentType]  (it has bounds and stretches, as a shape has)

    def _levels(self, stretches: Sequence[Stretch]) -> tuple[list[Level], dict[int, int]]:
        """Different levels, each once."""
        found: list[Level] = []
        number: dict[int, int] = {}
        for sheet in dict.fromkeys(s.sheet for s in stretches):
            along = [
                s.points(np.linspace(0.0, 1.0, self.numbers.samples + 1))
                for s in stretches
                if s.sheet is sheet
            ]
            points = np.concatenate(along)
            same = (
                k
                for k, level in enumerate(found)
                if np.all(np.abs(distance(level, points, None)) < self.beside)
            )
            number[id(sheet)] = next(same, len(found))
            if number[id(sheet)] == len(found):
                found.append(sheet.level)
        return found, number

    @property
    def materials(self) -> int:
        """How many layers there are."""
        return len(self.layers)

    def _parted(self, points: np.ndarray) -> np.ndarray:
        """The number of the layer that each point lies in, −1 outside."""
        found = np.full(len(points), -1)
        for number, layer in reversed(list(enumerate(self.layers))):
            found[layer.tree.inside(points, None)] = number
        return found

    @cached_property
    def locator(self) -> Callable[[np.ndarray], np.ndarray] | None:
        """The region of each place of a solution."""
        return LayerSides.of(self.domain, self.dividers)

    @cached_property
    def between(self) -> Sequence[Level]:
        """Dividing lines, and the levels of interfaces."""
        inside = {self.number_of[id(part.part.sheet)] for part in self._parts_of(True)}  # pyright: ignore[reportAttributeAccessIssue]
        return [*self.dividers, *(self.levels[k] for k in sorted(inside))]

    # Parts --------------------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts of the boundary, and of the interfaces."""
        return tuple(self.domain.parts)

    def _parts_of(self, interface: bool):
        return [part for part in self.domain.parts.values() if (part.beyond is not None) == interface]

    def stated(self, one: np.ndarray, two: np.ndarray) -> np.ndarray:
        """Whether conditions hold between two regions: on the boundary, and between two layers."""
        return super().stated(one, two) | (one % self.materials != two % self.materials)

    @cached_property
    def _named(self) -> dict[tuple[int, int, int, str | None], int]:
        """Numbers of parts by two layers, −1 for outside, by level and by cut."""
        order, found = list(self.domain.layers), {}
        for name, part in self.domain.parts.items():
            beyond = -1 if part.beyond is None else order.index(part.beyond)
            level = self.number_of.get(id(part.part.sheet), -1)  # pyright: ignore[reportAttributeAccessIssue]
            cut = part.part.cut  # pyright: ignore[reportAttributeAccessIssue]
            found[order.index(part.layer), beyond, level, cut] = self.parts.index(name)
        return found

    def part_of(self, level: int, points: np.ndarray, one: np.ndarray, two: np.ndarray) -> np.ndarray:
        """The number of the part that points of a level between two regions belong to; −1 for none."""
        result = np.full(len(points), -1)
        sides = [np.where(side < 0, -1, side % self.materials) for side in (one, two)]
        for first, second in (sides, sides[::-1]):
            for pair in {(int(a), int(b)) for a, b in zip(first, second, strict=True) if a >= 0}:
                among = np.flatnonzero((first == pair[0]) & (second == pair[1]) & (result < 0))
                shape: Shape = self.layers[pair[0]]
                cuts = cuts_at(shape, points[among])
                result[among] = [self._named.get((*pair, level, cut), -1) for cut in cuts]
        return result
