# SPDX-License-Identifier: MIT
"""What everybody may ask of a domain Ω and of the parts of its boundary, whatever its shape.

    ∫_Ω f dx ≈ Σ w_i f(x_i),     ∫_Γ f ds ≈ Σ w_i f(x_i),     n_i the outward unit normal at x_i.

Points are arrays (m, dimension) without time; a domain that moves is asked at a time `t`. Sums are spectrally accurate in one and two
dimensions, and in three for balls, ellipsoids, cylinders, prisms and boxes; other solids have rules of low order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from lrfm.problem.algebra import Expr

Time = float | np.ndarray | None
"""When: a number, one number for each point, or None for a domain that does not move."""


class Rule(NamedTuple):
    """Σ w_i f(x_i): points (m, dimension) and weights (m,)."""

    points: np.ndarray
    weights: np.ndarray


class BoundaryRule(NamedTuple):
    """Σ w_i f(x_i) by length or area, with the outward unit normals (m, dimension)."""

    points: np.ndarray
    weights: np.ndarray
    normals: np.ndarray

    @property
    def tangents(self) -> np.ndarray:
        """In two dimensions τ = (−n_y, n_x): the domain lies on its left."""
        return np.column_stack([-self.normals[:, 1], self.normals[:, 0]])


class Corner(NamedTuple):
    """A vertex in two dimensions: its place, the angle inside in radians, and the names of the two parts that meet.

    The domain lies between the directions `start` and `start + angle`, counterclockwise; the first part is the one along `start`.
    """

    point: np.ndarray
    angle: float
    parts: tuple[str, str]
    start: float

    @property
    def reentrant(self) -> bool:
        """Whether the angle inside is more than π."""
        return self.angle > np.pi * (1 + 1e-9)


class Part(Protocol):
    """A smooth piece of the boundary with a name: a face, a side, the zero set of one inequality."""

    @property
    def name(self) -> str: ...

    @property
    def normal(self) -> tuple[Expr, ...]:
        """The outward normal as formulas of the coordinates, one per axis: what `u_n` becomes in a row."""
        ...

    def quadrature(
        self, n: int, rng: np.random.Generator | None = None, t: float | None = None
    ) -> BoundaryRule:
        """About n points by length or area; with `rng`, others in every draw. In one dimension there is one point of weight 1."""
        ...

    def measure(self, t: float | None = None) -> float:
        """Length or area."""
        ...


class Domain(Protocol):
    """Where an equation holds."""

    @property
    def axes(self) -> Mapping[str, tuple[float, float]]:
        """Ends of the bounding box by name."""
        ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def lower(self) -> np.ndarray: ...

    @property
    def upper(self) -> np.ndarray: ...

    @property
    def dimension(self) -> int: ...

    @property
    def is_box(self) -> bool:
        """Whether it fills its bounding box, and its parts are the faces."""
        ...

    @property
    def moving(self) -> bool:
        """Whether it depends on time."""
        ...

    @property
    def record(self) -> Mapping[str, Any]:
        """What was said about it, as plain data: the words of a statement file."""
        ...

    @property
    def parts(self) -> Mapping[str, Part]:
        """The smooth pieces of the boundary by name."""
        ...

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """Names that stand for several parts: a shape for its sides, an axis for its two faces."""
        ...

    @property
    def corners(self) -> tuple[Corner, ...]:
        """Vertices in two dimensions; none in others."""
        ...

    def during(self, time: tuple[float, float]) -> Domain:
        """The same for a span of time: parts and bounds of a moving domain are those it has in it."""
        ...

    def contains(self, points: ArrayLike, t: Time = None) -> np.ndarray:
        """Whether points lie inside or on the boundary."""
        ...

    def quadrature(self, n: int, rng: np.random.Generator | None = None, t: float | None = None) -> Rule:
        """About n points inside; with `rng`, others in every draw."""
        ...

    def measure(self, t: float | None = None) -> float:
        """Length, area or volume."""
        ...


class Layered(Domain, Protocol):
    """A domain of several layers that share parts of their boundaries."""

    @property
    def layers(self) -> Mapping[str, Domain]:
        """The layers by name."""
        ...

    @property
    def interfaces(self) -> Mapping[str, tuple[str, str]]:
        """Names of the parts that layers share, with the two layers; normals point from the first to the second."""
        ...

    def owner(self, points: ArrayLike) -> np.ndarray:
        """The number of the layer of each point, −1 outside."""
        ...

    def layer_of(self, part: str) -> str:
        """The layer that a part of the boundary belongs to; of an interface the first."""
        ...

    def corners_of(self, name: str) -> tuple[Corner, ...]:
        """Corners of one layer between two parts of the boundary of the whole."""
        ...


def is_layered(domain: Domain) -> TypeGuard[Layered]:
    """Whether a domain is made of several layers."""
    return hasattr(domain, "interfaces")


def layers_of(domain: Domain) -> Mapping[str, Domain]:
    """The layers of a domain by name; one without a name where there is nothing but one."""
    return domain.layers if is_layered(domain) else {"": domain}


def is_domain(given: object) -> TypeGuard[Domain]:
    """Whether something can be asked what a domain can; nothing is asked yet, as `isinstance` would."""
    return all(hasattr(type(given), name) for name in ("contains", "quadrature", "during"))
