# SPDX-License-Identifier: MIT
"""The figure of a problem with two or more axes: pictures of u in a plane at chosen times.

With three axes or more the planes pass through the middle of the domain: all three coordinate planes when a
single real unknown of three axes is drawn, otherwise the plane of the first two axes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from lrfm.solution.plot.cells import draw_boxes
from lrfm.solution.plot.errors import error_layers
from lrfm.solution.plot.layers import Layer, dressed, value_layers
from lrfm.solution.plot.look import LABEL, Look, Scale, colorbar, image, new_figure, number, symbol, trim
from lrfm.solution.plot.outline import draw_outline
from lrfm.solution.sampling import Coordinates, SolutionLike, sample

_PANEL = 1.5  # inches, the longer side of a picture
_ALONE = 3.2  # the same of a picture that has no others beside it


@dataclass(frozen=True, kw_only=True)
class Plane:
    """Two axes that vary; every other axis stands at the middle of its interval."""

    horizontal: str
    vertical: str
    coordinates: Coordinates

    @property
    def fixed(self) -> str:
        """Where the plane lies, as the end of a label: " at z = 0.5"; empty where there are no other axes."""
        others = [name for name in self.coordinates if name not in (self.horizontal, self.vertical)]
        places = ", ".join(f"${symbol(name)} = {number(self.coordinates[name][0])}$" for name in others)
        return f" at {places}" if places else ""

    @property
    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """Horizontal and vertical nodes."""
        return self.coordinates[self.horizontal], self.coordinates[self.vertical]

    @property
    def shape(self) -> float:
        """Height over width of the picture; true to scale unless that would make a thread of it."""
        width, height = (points[-1] - points[0] for points in self.points)
        return float(height / width) if 0.2 <= height / width <= 5 else 1.0

    def size(self, side: float) -> tuple[float, float]:
        """Width and height of a picture whose longer side is given."""
        return side * min(1.0, 1 / self.shape), side * min(1.0, self.shape)

    def draw(self, axes: Any, values: np.ndarray, scale: Scale, opacity: np.ndarray | None = None) -> Any:
        """One picture with the names of its axes."""
        picture = image(axes, *self.points, values, scale, opacity)
        axes.set_box_aspect(self.shape)
        axes.set_xlabel(f"${symbol(self.horizontal)}$", fontsize=LABEL)
        axes.set_ylabel(f"${symbol(self.vertical)}$", fontsize=LABEL)
        return picture

    def flat(self, values: np.ndarray) -> np.ndarray:
        """(t, x, y, ...) -> (t, vertical, horizontal)."""
        return values.reshape(-1, *(points.size for points in self.points)).swapaxes(1, 2)

    def opacity(self, layer: Layer) -> Sequence[np.ndarray | None]:
        """How opaque a layer is, time by time."""
        return [None] * len(layer.values) if layer.opacity is None else list(self.flat(layer.opacity))


def middle_planes(problem: Any, space: Coordinates) -> list[Plane]:
    """Every coordinate plane through the middle of the domain, that of the first two axes first."""
    middle = {name: np.array([0.5 * (lower + upper)]) for name, (lower, upper) in problem.domain.axes.items()}
    return [
        Plane(horizontal=a, vertical=b, coordinates={**middle, a: space[a], b: space[b]})
        for a, b in combinations(space, 2)
    ]


def slices_figure(
    solution: SolutionLike,
    names: Sequence[str],
    space: Coordinates,
    times: np.ndarray,
    *,
    error: bool,
    look: Look,
    cells: bool = False,
) -> Any:
    """Rows are unknowns (and planes, and errors), columns are times; each row has one color bar."""
    planes = middle_planes(solution.problem, space)
    single = len(names) == 1 and solution.problem.unknowns.get(names[0]) is not complex
    planes = planes if single and len(space) == 3 else planes[:1]
    rows = _rows(solution, names, planes, times, error=error, look=look)
    side = _ALONE if times.size == 1 else _PANEL
    sizes = [plane.size(side) for plane, _, _ in rows]
    heights = [height for _, height in sizes]
    figure = new_figure(
        ((max(width for width, _ in sizes) + 0.2) * times.size + 1.1, sum(heights) + 0.5 * len(rows)),
        layout="compressed",
        shown=look.shown,
    )
    panels = figure.subplots(len(rows), times.size, squeeze=False, height_ratios=heights)
    for index, (plane, layer, scale) in enumerate(rows):
        last = index == len(rows) - 1 or rows[index + 1][0] is not plane
        _row(panels[index], plane, layer, scale, height=heights[index], last=last)
        for axes, time in zip(panels[index], times, strict=True):
            draw_outline(axes, solution.problem.domain, float(time))
            if cells:
                draw_boxes(axes, solution, float(time))
    if not solution.problem.steady:
        for axes, time in zip(panels[0], times, strict=True):
            axes.set_title(f"$t = {number(time)}$", fontsize=LABEL)
    trim(figure)
    return figure


def slice_in(
    axes: Any,
    solution: SolutionLike,
    name: str,
    space: Coordinates,
    time: float,
    look: Look,
    cells: bool = False,
) -> None:
    """u, or |ψ|, at one time in axes of somebody else."""
    plane = middle_planes(solution.problem, space)[0]
    values = sample(solution, {**plane.coordinates, "t": np.array([time])}, [name])[name]
    layer = dressed(value_layers(name, values), look)[0]
    picture = plane.draw(axes, plane.flat(layer.values)[0], layer.scale)
    draw_outline(axes, solution.problem.domain, float(time))
    if cells:
        draw_boxes(axes, solution, float(time))
    height = axes.get_window_extent().height / axes.figure.dpi
    colorbar(picture, axes, layer.scale, height=height, label=layer.label + plane.fixed)
    if not solution.problem.steady:
        axes.set_title(f"$t = {number(time)}$", fontsize=LABEL)


def _rows(
    solution: SolutionLike,
    names: Sequence[str],
    planes: list[Plane],
    times: np.ndarray,
    *,
    error: bool,
    look: Look,
) -> list[tuple[Plane, Layer, Scale]]:
    """What to draw where. A quantity has one scale in all planes, so that colors compare."""
    stacks = [_layers(solution, names, plane, times, error=error, look=look) for plane in planes]
    scales = [
        same[0].rule(np.concatenate([layer.values.ravel() for layer in same]))
        for same in zip(*stacks, strict=True)
    ]
    return [
        (plane, layer, scale)
        for plane, stack in zip(planes, stacks, strict=True)
        for layer, scale in zip(stack, scales, strict=True)
    ]


def _layers(
    solution: SolutionLike, names: Sequence[str], plane: Plane, times: np.ndarray, *, error: bool, look: Look
) -> list[Layer]:
    coordinates = {**plane.coordinates, "t": times}
    values = sample(solution, coordinates, names)
    errors = error_layers(solution, coordinates, values) if error else {}
    layers = []
    for name in names:
        layers += dressed(value_layers(name, values[name]), look)
        if name in errors:
            layers.append(errors[name])
    return layers


def _row(
    panels: Sequence[Any], plane: Plane, layer: Layer, scale: Scale, *, height: float, last: bool
) -> None:
    """One quantity at all times, with shared axes labels and one color bar that names it."""
    picture = None
    stack = zip(panels, plane.flat(layer.values), plane.opacity(layer), strict=True)
    for axes, values, opacity in stack:
        picture = plane.draw(axes, values, scale, opacity)
        axes.tick_params(labelbottom=last, labelleft=axes is panels[0])
        axes.set(**({} if last else {"xlabel": ""}), **({} if axes is panels[0] else {"ylabel": ""}))
    colorbar(
        picture,
        list(panels),
        scale,
        height=height,
        label=layer.label.replace(", ", ",\n") + plane.fixed,
        pad=0.01,
    )
