# SPDX-License-Identifier: MIT
"""Shapes made of vertices or of other shapes: polygons, prisms, cylinders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lrfm.problem.calls import naming
from lrfm.problem.domain import axis_names, interval
from lrfm.problem.errors import ProblemError, counted, shown
from lrfm.problem.shapes.kinds import Polygonal
from lrfm.problem.shapes.known import PLANE, Disk, Numbers, record_of
from lrfm.problem.shapes.polygons import check_ring, inside_of, oriented
from lrfm.problem.shapes.prism import Upright
from lrfm.problem.shapes.rules import Stacked
from lrfm.problem.shapes.shape import Shape
from lrfm.problem.shapes.tree import Simple


@naming
class Polygon(Shape):
    """The inside of a closed line through `vertices`, without the `holes` in it, which are lists of vertices, too.

    Parameters
    ----------
    vertices
        (x, y) of each corner, in either sense, the first not repeated.
    holes
        Polygons inside that are left out; their sides are called ``hole1.side1`` and so on.
    names
        One name per side, the first for the side from the first vertex to the second; without them ``side1``, ``side2``, …
    name
        Stands before the names of the sides, with a dot.
    axes
        Names of the two coordinates.

    Examples
    --------
    >>> import lrfm
    >>> house = lrfm.Polygon([(0, 0), (1, 0), (1, 2)], names=["floor", "wall", "roof"])
    >>> round(house.measure(), 12), list(house.parts)
    (1.0, ['floor', 'wall', 'roof'])
    >>> [round(float(corner.angle), 4) for corner in house.corners]
    [1.5708, 0.4636, 1.1071]
    """

    def __init__(
        self,
        vertices: Sequence[Numbers],
        *,
        holes: Sequence[Sequence[Numbers]] = (),
        names: Sequence[str] | None = None,
        name: str | None = None,
        axes: Sequence[str] = PLANE,
    ):
        axis = axis_names(axes, 2)
        outer = check_ring("The polygon", vertices)
        inner = [check_ring(f"Hole {k}", hole) for k, hole in enumerate(holes, 1)]
        for k, hole in enumerate(inner, 1):
            inside_of(outer, hole, f"Hole {k}")
        given = [f"side{k}" for k in range(1, len(outer) + 1)] if names is None else list(names)
        if len(given) != len(outer) or not all(isinstance(n, str) and n for n in given):
            raise ProblemError(
                f"`names` has {counted(len(given), 'name')} for {counted(len(outer), 'side')} of the polygon; give a text for each."
            )
        ring, given = oriented(outer, given, True)
        rings, labels = [ring], list(given)
        for k, hole in enumerate(inner, 1):
            ring, own = oriented(hole, [f"hole{k}.side{j}" for j in range(1, len(hole) + 1)], False)
            rings.append(ring)
            labels += own
        kind = Polygonal(tuple(rings), tuple(labels))
        record = record_of("Polygon", name, axis, PLANE, vertices=outer.tolist())
        record |= {"holes": [hole.tolist() for hole in inner]} if inner else {}
        record |= {} if names is None else {"names": list(names)}
        super().__init__(Simple(kind, axis, name, np.eye(2), np.zeros(2)), axis, record)


@naming
class Prism(Shape):
    """A shape of the plane, moved along a third axis: ``Prism(base, z=(0, 1))``; its parts are those of the base, ``z-`` and ``z+``.

    Examples
    --------
    >>> import lrfm
    >>> column = lrfm.Prism(lrfm.Disk(name="wall"), z=(0, 2))
    >>> list(column.parts), round(column.measure(), 8)
    (['wall', 'z-', 'z+'], 6.28318531)
    """

    def __init__(self, base: Any, *, name: str | None = None, **axis: tuple[float, float]):
        if not hasattr(base, "shape") or base.dimension != 2:
            raise ProblemError(f"`Prism` was given {shown(base)}; its base is a shape with two axes.")
        if len(axis) != 1:
            raise ProblemError("`Prism` takes one further axis, such as `Prism(base, z=(0, 1))`.")
        flat = base.shape
        ((along, ends),) = axis.items()
        low, high = interval(f"The axis `{along}`", ends)
        names = axis_names((*flat.names, along), 3)
        record = {"shape": "Prism", "base": flat.record, along: [low, high]}
        record |= {} if name is None else {"name": name}
        kind = Upright(flat, low, high, 2, along)
        rule = Stacked(
            matrix=np.eye(3),
            offset=np.zeros(3),
            base=flat,
            low=low,
            high=high,
            axis=2,
            width=np.sqrt(flat.measure()),
        )
        super().__init__(Simple(kind, names, name, np.eye(3), np.zeros(3)), names, record, rule=rule)


@naming
class Cylinder(Prism):
    """A round column: ``Cylinder(radius=1, z=(0, 2))``; its parts are ``wall``, ``z-`` and ``z+``.

    Examples
    --------
    >>> import lrfm
    >>> list(lrfm.Cylinder(radius=1, z=(0, 2)).parts)
    ['wall', 'z-', 'z+']
    """

    def __init__(
        self,
        *,
        radius: float = 1.0,
        center: Numbers = (0, 0),
        name: str | None = None,
        axes: Sequence[str] = PLANE,
        **axis: tuple[float, float],
    ):
        base = Disk(center=center, radius=radius, name="wall", axes=axes)
        super().__init__(base, name=name, **axis)
        ((along, ends),) = axis.items()
        own = {
            "center": base.record["center"],
            "radius": base.record["radius"],
            along: list(map(float, ends)),
        }
        self.record = record_of("Cylinder", name, axes, PLANE, **own)
