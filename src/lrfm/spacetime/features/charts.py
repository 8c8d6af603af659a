# SPDX-License-Identifier: MIT
"""Charts: one axis offset y mapped to components c₁(y), c₂(y), …, with derivatives of every order.

`tower(y, top, xp)` returns a list whose entry k holds the k-th derivatives of all components; a list that ends
before `top` means that all further derivatives vanish. Entries are floats where constant, so that an affine
axis costs nothing.
"""

from dataclasses import dataclass
from math import pi
from typing import ClassVar, Protocol

from lrfm.spacetime.least_squares.backends import NUMPY, Array, Backend

Components = tuple[Array | float, ...]


class Chart(Protocol):
    """What a ridge needs to know of an axis."""

    components: ClassVar[int]

    def tower(self, y: Array, top: int, xp: Backend = NUMPY) -> list[Components]:
        """Derivatives 0, …, top of the components at y."""
        ...


@dataclass(frozen=True, kw_only=True)
class Affine:
    """z = (y − center)/scale, the normalization of the paper's eq:gh0."""

    scale: float
    center: float = 0.0
    components: ClassVar[int] = 1

    def tower(self, y: Array, top: int, xp: Backend = NUMPY) -> list[Components]:
        z = (y - self.center) / self.scale
        return [(z,), (1.0 / self.scale,)][: top + 1]


@dataclass(frozen=True, kw_only=True)
class Periodic:
    """(cos ky, sin ky), k = 2π/length: functions of it are periodic with all derivatives."""

    length: float
    components: ClassVar[int] = 2

    def tower(self, y: Array, top: int, xp: Backend = NUMPY) -> list[Components]:
        k = 2.0 * pi / self.length
        cosines = _cosine_tower(k, k * y, top + 1, xp)
        # sin θ = −(cos θ)′, so the second component is the same tower shifted by one
        return [(cosines[n], cosines[n + 1] * (-1.0 / k)) for n in range(top + 1)]


@dataclass(frozen=True, kw_only=True)
class Cosine:
    """cos(π (y − lower)/length): even at both ends, so functions of it have zero normal derivative there."""

    lower: float
    length: float
    components: ClassVar[int] = 1

    def tower(self, y: Array, top: int, xp: Backend = NUMPY) -> list[Components]:
        k = pi / self.length
        return [(c,) for c in _cosine_tower(k, k * (y - self.lower), top, xp)]


def _cosine_tower(k: float, angle: Array, top: int, xp: Backend) -> list[Array]:
    """Derivatives in y of cos θ, θ = ky + const: kⁿ times cos, −sin, −cos, sin, …"""
    cycle = [xp.cos(angle)] + ([-xp.sin(angle)] if top else [])
    return [(k**n * (-1) ** (n // 2)) * cycle[n % 2] for n in range(top + 1)]
