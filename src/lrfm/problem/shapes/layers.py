# SPDX-License-Identifier: MIT
"""A domain of several materials: layers Ω₁, Ω₂, … that share parts of their boundaries, the interfaces.

Ω = ∪ Ωᵢ,   Γᵢⱼ = ∂Ωᵢ ∩ ∂Ωⱼ.   A part of a layer is an interface where a step beyond it leads into another layer, else it is boundary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from lrfm.problem.algebra import Expr
from lrfm.problem.calls import naming
from lrfm.problem.errors import ProblemError, listing, shown
from lrfm.problem.names import TAKEN, check_name
from lrfm.problem.shapes.gauss import shares
from lrfm.problem.shapes.pieces import BESIDE, Stretch
from lrfm.problem.shapes.protocol import BoundaryRule, Corner, Part, Rule, Time
from lrfm.problem.shapes.shape import Recorded, Shape

BEYOND = 2e-6  # length of a step across a part, relative to the size of the whole
PROBES = 200  # points of one part that are asked what is beyond it
INSIDE = 400  # points of one layer that are looked for in the others
MEASURED = 400
MOST = 12  # layers
FEWEST = 3  # points of a part in the plane beyond which something is, for it to count
INTERFACE = "interface"


@naming
class Layers(Recorded):
    """Ω = ∪ Ωᵢ, layers of different material that touch: ``Layers(core=Disk(), shell=Annulus(radii=(1, 2)))``.

    A statement on it has one field in every layer; where layers touch, u and its flux are continuous unless `boundary` says otherwise.

    Parameters
    ----------
    **layers
        Name and shape of every layer. They must not overlap, and each must touch another one.

    Attributes
    ----------
    layers
        The shapes by name.
    parts
        The boundary as ``core.x-``, with the name of the layer before that of its part (which alone stands for all parts of that name),
        and the interfaces as ``core|shell``, with normals out of the layer that is named first.

    Examples
    --------
    >>> import lrfm
    >>> wall = lrfm.Layers(brick=lrfm.Box(x=(0, 0.3)), foam=lrfm.Box(x=(0.3, 0.4)))
    >>> list(wall.parts)
    ['brick.x-', 'brick|foam', 'foam.x+']
    >>> wall.owner([[0.1], [0.35]]).tolist()
    [0, 1]
    """

    is_box = False
    moving = False

    def __init__(self, **layers: Any):
        if not 2 <= len(layers) <= MOST:
            raise ProblemError(
                f"`Layers` was given {len(layers)} layers; expected 2 to {MOST}, by name: `Layers(core=Disk(), "
                "shell=Annulus(radii=(1, 2)))`."
            )
        self.layers: dict[str, Shape] = {name: _layer(name, given) for name, given in layers.items()}
        self.names = next(iter(self.layers.values())).names
        for name, layer in self.layers.items():
            if layer.names != self.names:
                raise ProblemError(
                    f"The layers of `Layers` have the axes {listing(self.names)} and, in `{name}`, {listing(layer.names)}; give all "
                    "of them the same ones, in the same order."
                )
        self._check_apart()
        self._check_together()

    # What it is ---------------------------------------------------------------------------------------------

    @cached_property
    def lower(self) -> np.ndarray:
        return _fixed(np.min([layer.lower for layer in self.layers.values()], axis=0))

    @cached_property
    def upper(self) -> np.ndarray:
        return _fixed(np.max([layer.upper for layer in self.layers.values()], axis=0))

    @property
    def record(self) -> dict[str, Any]:
        return {"shape": "Layers", **{name: layer.record for name, layer in self.layers.items()}}

    def during(self, time: tuple[float, float]) -> Layers:
        """Itself: layers do not move."""
        return self

    @property
    def size(self) -> float:
        """The diagonal of the bounding box."""
        return float(np.linalg.norm(self.upper - self.lower))

    # Inside -------------------------------------------------------------------------------------------------

    def owner(self, points: ArrayLike) -> np.ndarray:
        """The number of the layer of each point, the first where several touch; −1 outside."""
        places = np.asarray(points, dtype=float)
        if self.dimension == 1:
            return self._on_line(places[:, 0])
        found, left = np.full(len(places), -1), np.arange(len(places))
        # What is inside of one layer by however little is not on the boundary of another.
        exact = [layer.tree.inside for layer in self.layers.values()]
        rounded = [layer.contains for layer in self.layers.values()]
        for number, inside in (*enumerate(exact), *enumerate(rounded)):
            mine = inside(places[left], None) if len(left) else np.zeros(0, dtype=bool)
            found[left[mine]] = number
            left = left[~mine]
        return found

    def _on_line(self, x: np.ndarray) -> np.ndarray:
        """The same on a line, by the ends of the layers in order."""
        edges, between = self._ends
        slack = BESIDE * self.size
        inside = np.where((x < edges[0]) & (x >= edges[0] - slack), edges[0], x)
        inside = np.where((x > edges[-1]) & (x <= edges[-1] + slack), edges[-1], inside)
        left, right = (between[np.searchsorted(edges, inside, side=side)] for side in ("left", "right"))  # type: ignore[call-overload]
        # On an edge the first of the two layers; outside is none.
        first = np.minimum(
            np.where(left < 0, len(self.layers), left), np.where(right < 0, len(self.layers), right)
        )
        return np.where(first < len(self.layers), first, -1)

    @cached_property
    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Ends of all layers on a line in order, and the layer before, between and after them."""
        rules = [part.quadrature(1) for layer in self.layers.values() for part in layer.parts.values()]
        places = np.sort(np.concatenate([rule.points[:, 0] for rule in rules]))
        edges = places[np.append(True, np.diff(places) > BESIDE * (places[-1] - places[0]))]
        between = np.full(len(edges) + 1, -1)
        for number, layer in reversed(list(enumerate(self.layers.values()))):
            mine = layer.contains((0.5 * (edges[:-1] + edges[1:]))[:, None])
            between[1:-1][mine] = number
        return edges, between

    def contains(self, points: ArrayLike, t: Time = None) -> np.ndarray:
        return self.owner(points) >= 0

    def quadrature(self, n: int, rng: np.random.Generator | None = None, t: float | None = None) -> Rule:
        counts = shares(n, np.array([layer.measure() for layer in self.layers.values()]), 3)
        rules = [layer.quadrature(k, rng) for layer, k in zip(self.layers.values(), counts, strict=True)]
        return Rule(np.concatenate([r.points for r in rules]), np.concatenate([r.weights for r in rules]))

    def measure(self, t: float | None = None) -> float:
        return sum(layer.measure() for layer in self.layers.values())

    # Boundary -----------------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> dict[str, LayerPart]:
        found: list[LayerPart] = []
        between: dict[tuple[str, str], list[LayerPart]] = {}
        for part in self._portions():
            if part.beyond is None:
                found.append(part)
            elif part.sides[::-1] not in between:  # else it is the same one, seen from the other side
                between.setdefault(part.sides, []).append(part)
        for (first, second), members in between.items():
            for member in members:
                own = f".{member.part.name}" if len(members) > 1 else ""
                found.append(replace(member, name=f"{first}|{second}{own}"))
        order = list(self.layers)
        return {part.name: part for part in sorted(found, key=lambda part: order.index(part.layer))}

    def _portions(self) -> Iterator[LayerPart]:
        """Every part of every layer, as often as there is something else beyond it."""
        fewest = FEWEST if self.dimension > 1 else 1
        for name, layer in self.layers.items():
            for own, part in layer.parts.items():
                points, _, normals = part.quadrature(PROBES)
                owner = self.beyond(points, normals)
                for number in (-1, *range(len(self.layers))):
                    count = int(np.sum(owner == number))
                    if count >= fewest:
                        other = None if number < 0 else list(self.layers)[number]
                        yield LayerPart(f"{name}.{own}", self, name, part, other, count == len(points))

    def beyond(self, points: np.ndarray, normals: np.ndarray) -> np.ndarray:
        """The number of the layer that a step along the normals leads into, −1 for none."""
        return self.owner(points + BEYOND * self.size * normals)

    def layer_of(self, part: str) -> str:
        """The layer that a part belongs to; of an interface the first."""
        return self.parts[part].layer

    @cached_property
    def interfaces(self) -> dict[str, tuple[str, str]]:
        """The names of the interfaces, with the two layers that meet there; normals point from the first to the second."""
        return {name: part.sides for name, part in self.parts.items() if part.beyond is not None}

    @cached_property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """A layer for its boundary, the name of a part for all parts of that name, an axis for its faces; all interfaces."""
        found: dict[str, list[str]] = {}
        for name, part in self.parts.items():
            if part.beyond is None:
                own = part.part.name
                words = [part.layer, own, *(w for w, members in self._groups_of(part) if own in members)]
            else:
                first, second = part.sides
                tail = name.removeprefix(f"{first}|{second}")
                words = [INTERFACE, f"{first}|{second}", f"{second}|{first}", f"{second}|{first}{tail}"]
            for word in dict.fromkeys(words):
                found.setdefault(word, []).append(name)
        return {word: tuple(members) for word, members in found.items() if word not in self.parts}

    def _groups_of(self, part: LayerPart) -> Iterator[tuple[str, tuple[str, ...]]]:
        for word, members in self.layers[part.layer].groups.items():
            yield word, members
            yield f"{part.layer}.{word}", members

    @cached_property
    def corners(self) -> tuple[Corner, ...]:
        """Corners between two parts of the boundary of one layer; those at interfaces are none of a shape."""
        return tuple(c for name in self.layers for c in self.corners_of(name))

    def corners_of(self, name: str) -> tuple[Corner, ...]:
        """Corners of one layer whose two parts are boundary of the whole."""
        whole = {p.part.name: p.name for p in self.parts.values() if p.layer == name and p.beyond is None}
        found = (c for c in self.layers[name].corners if all(part in whole for part in c.parts))
        return tuple(c._replace(parts=(whole[c.parts[0]], whole[c.parts[1]])) for c in found)

    def stretches(self, t: float | None) -> list[Stretch]:
        """In the plane: the curves that bound the layers."""
        return [stretch for layer in self.layers.values() for stretch in layer.stretches(t)]

    # Bad input ----------------------------------------------------------------------------------------------

    def _check_apart(self) -> None:
        for name, layer in self.layers.items():
            points = layer.quadrature(INSIDE).points
            for other, shape in self.layers.items():
                inside = shape.contains(points) if other != name else np.zeros(len(points), dtype=bool)
                if inside.any():
                    place = ", ".join(
                        f"{n}={v:.3g}" for n, v in zip(self.names, points[inside][0], strict=True)
                    )
                    raise ProblemError(
                        f"The layers `{name}` and `{other}` of `Layers` overlap, for example at {place}; every point belongs to one "
                        f"layer. Cut one out of the other: `{name}=... - ...`."
                    )

    def _check_together(self) -> None:
        reached, left = {next(iter(self.layers))}, set(self.interfaces.values())
        while left:
            more = {pair for pair in left if reached & set(pair)}
            if not more:
                break
            reached |= {name for pair in more for name in pair}
            left -= more
        alone = [name for name in self.layers if name not in reached]
        if alone:
            raise ProblemError(
                f"The layer `{alone[0]}` of `Layers` does not touch {listing(sorted(reached))}; layers share parts of their boundaries. "
                "Close the gap, or solve on it as a problem of its own."
            )

    @property
    def shape(self) -> NoReturn:
        """None: it is made of shapes."""
        raise ProblemError(
            "`Layers` cannot be combined with other shapes, nor be a layer of others; combine its layers instead."
        )

    def __or__(self, other: Any) -> Any:
        return self.shape

    __and__ = __sub__ = __or__

    def __reduce__(self) -> tuple:
        return _again, (self.layers,)


@dataclass(frozen=True, eq=False)
class LayerPart:
    """The points of a part of a layer beyond which there is nothing, or one other layer: see `protocol.Part`."""

    name: str
    domain: Layers
    layer: str
    part: Part
    beyond: str | None
    whole: bool  # whether it is all of the part

    @property
    def sides(self) -> tuple[str, str]:
        """The layer it is a part of, and the one beyond."""
        return self.layer, self.beyond or ""

    @property
    def normal(self) -> tuple[Expr, ...]:
        return self.part.normal

    def quadrature(
        self, n: int, rng: np.random.Generator | None = None, t: float | None = None
    ) -> BoundaryRule:
        if self.whole:
            return self.part.quadrature(n, rng)
        number, wanted = -1 if self.beyond is None else list(self.domain.layers).index(self.beyond), n
        for _ in range(3):
            points, weights, normals = self.part.quadrature(wanted, rng)
            kept = self.domain.beyond(points, normals) == number
            if kept.sum() >= 0.7 * n:
                break
            wanted = min(round(wanted * n / max(1, kept.sum())), 40 * n)
        return BoundaryRule(points[kept], weights[kept], normals[kept])

    def measure(self, t: float | None = None) -> float:
        return float(self.quadrature(MEASURED).weights.sum())

    def __repr__(self) -> str:
        return f"<part {self.name!r}>"


def _layer(name: str, given: Any) -> Shape:
    check_name(
        name,
        "A layer of `Layers`",
        "core",
        {**TAKEN, INTERFACE: "all interfaces", "shape": "the kind of a shape"},
    )
    shape = getattr(given, "shape", None)
    if not isinstance(shape, Shape):
        raise ProblemError(
            f"The layer `{name}` of `Layers` was given as {shown(given)}; expected a shape, such as `lrfm.Disk()`, or a box."
        )
    if shape.moving:
        raise ProblemError(f"The layer `{name}` of `Layers` moves with time; layers have to stay in place.")
    return shape


def _fixed(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False
    return values


def _again(layers: Mapping[str, Shape]) -> Layers:
    return Layers(**layers)
