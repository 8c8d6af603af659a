# SPDX-License-Identifier: MIT
"""Cells as plain data for a file. Dividing lines and layers are kept as text, which is read by the grammar of statements and never executed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lrfm.problem.errors import ProblemError
from lrfm.problem.shapes.inequalities import read_set
from lrfm.problem.shapes.layers import Layers
from lrfm.problem.shapes.levels import Level
from lrfm.problem.shapes.records import from_record
from lrfm.spaces.cells.plane.frame import PlaneFrame
from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.stored import check_array


class Sides:
    """Which region a point is in, by the signs of dividing formulas: text that a file keeps."""

    def __init__(self, names: Sequence[str], texts: Sequence[str]):
        self.names, self.texts = tuple(names), tuple(texts)
        try:
            self._sets = [read_set(f"{text} > 0", self.names, {}, "A dividing line") for text in texts]
        except ProblemError as error:
            raise ValueError("a dividing line cannot be read") from error

    @staticmethod
    def of(dividers: Sequence[Level]) -> Sides | None:
        """Of level sets; None without any."""
        return Sides(dividers[0].names, [str(d.formula) for d in dividers]) if dividers else None

    def __call__(self, points: np.ndarray) -> np.ndarray:
        found = np.zeros(len(points), dtype=int)
        for number, inside in enumerate(self._sets):
            found += np.where(inside.inside(points, None), 1 << number, 0)
        return found


class LayerSides:
    """Which region a point is in where the domain has layers: n_layers × (signs of dividing formulas) + (number of the layer)."""

    def __init__(self, domain: Layers, sides: Sides | None):
        self.domain, self.sides = domain, sides

    @staticmethod
    def of(domain: Layers, dividers: Sequence[Level]) -> LayerSides:
        """Of layers with level sets."""
        return LayerSides(domain, Sides.of(dividers))

    @staticmethod
    def read(text: str, sides: Sides | None) -> LayerSides:
        """Of layers as a file has them; ValueError where they are none."""
        try:
            domain = from_record(json.loads(text))
        except (ProblemError, json.JSONDecodeError) as error:
            raise ValueError("layers cannot be read") from error
        if not isinstance(domain, Layers) or domain.dimension != 2:
            raise ValueError("layers of the plane are missing")
        return LayerSides(domain, sides)

    @property
    def text(self) -> str:
        """The layers for a file."""
        return json.dumps(self.domain.record)

    def __call__(self, points: np.ndarray) -> np.ndarray:
        found = np.maximum(self.domain.owner(points), 0)
        return found if self.sides is None else found + len(self.domain.layers) * self.sides(points)


def frame_record(frame: PlaneFrame) -> dict[str, Any]:
    """The cells and their functions as arrays, numbers and texts."""
    regions: Callable[[np.ndarray], np.ndarray] | None = frame.regions
    layers = regions if isinstance(regions, LayerSides) else None
    sides = regions.sides if isinstance(regions, LayerSides) else regions
    sides = sides if isinstance(sides, Sides) else None
    return {
        "low": frame.mesh.low,
        "high": frame.mesh.high,
        "grid": [int(n) for n in frame.mesh.grid],
        "level": frame.mesh.level.ravel().tolist(),
        "index": frame.mesh.index.ravel().tolist(),
        "degree": int(frame.degree),
        "pieces": frame.pieces.tolist(),
        "owner": frame.owner.tolist(),
        "middle": frame.middle,
        "half": frame.half,
        "names": [] if sides is None else list(sides.names),
        "dividers": [] if sides is None else list(sides.texts),
        "layers": "" if layers is None else layers.text,
    }


def frame_from(
    low: np.ndarray,
    high: np.ndarray,
    grid: Sequence[int],
    level: Sequence[int],
    index: Sequence[int],
    degree: int,
    pieces: Sequence[int],
    owner: Sequence[int],
    middle: np.ndarray,
    half: np.ndarray,
    names: Sequence[str],
    dividers: Sequence[str],
    layers: str = "",
) -> PlaneFrame:
    """Build again what `frame_record` wrote; ValueError where its parts do not belong together."""
    dimension = len(grid)
    check_array("low", low, (dimension,))
    check_array("high", high, (dimension,))
    whole = {"level": level, "index": index, "pieces": pieces, "owner": owner, "grid": grid}
    arrays = {name: _whole(name, given) for name, given in whole.items()}
    leaves, cells = len(arrays["index"]) // max(dimension, 1), len(middle)
    if (
        not 0 <= degree <= 40
        or len(arrays["index"]) != dimension * leaves
        or len(arrays["level"]) not in (leaves, dimension * leaves)  # one depth for all axes, or one for each
        or dimension not in (2, 3)
        or not leaves
    ):
        raise ValueError("boxes are missing")
    if arrays["level"].min() < 0 or arrays["level"].max() > 24 or arrays["grid"].min() < 1:
        raise ValueError("boxes have no place")
    for name, array in (("middle", middle), ("half", half)):
        check_array(name, array, (cells, dimension))
    numbers, own = arrays["pieces"], arrays["owner"]
    good = len(numbers) == len(own) and len(numbers) > 0
    good = good and np.all(np.diff(numbers) > 0) and numbers[0] >= 0 and (numbers[-1] >> 8) < leaves
    good = good and own.min() >= 0 and own.max() < cells
    if not good or not np.all(half > 0) or not np.all(high > low):
        raise ValueError("cells do not belong to their boxes")
    index_of = arrays["index"].reshape(-1, dimension)
    depth = arrays["level"] if len(arrays["level"]) == leaves else arrays["level"].reshape(-1, dimension)
    mesh = PlaneMesh(low, high, tuple(int(n) for n in grid), depth, index_of)
    sides = Sides(names, dividers) if dividers else None
    regions = LayerSides.read(layers, sides) if layers else sides
    return PlaneFrame(mesh, int(degree), numbers, own, middle, half, regions)


def _whole(name: str, given: Sequence[int]) -> np.ndarray:
    """Whole numbers of a file; ValueError where they are not that."""
    if not all(isinstance(n, int) and not isinstance(n, bool) and abs(n) < 2**62 for n in given):
        raise ValueError(f"`{name}` are not whole numbers")
    return np.array(given, dtype=np.int64)
