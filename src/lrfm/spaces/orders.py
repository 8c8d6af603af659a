# SPDX-License-Identifier: MIT
"""Multi-indices: which derivative.

A multi-index has one entry per axis. Where time is included it comes last: ∂ₓₓ∂ₜ on axes (x, y) is (2, 0, 1).
"""

from __future__ import annotations

MultiIndex = tuple[int, ...]


class OneSided(tuple[int, ...]):
    """A multi-index of what a function is in one layer of a domain, continued beyond its boundary; unlike any other one.

    >>> OneSided("core", (1, 0)) == (1, 0), OneSided("core", (1, 0)) == OneSided("core", (1, 0)), sum(OneSided("core", (1, 2)))
    (False, True, 3)
    """

    layer: str

    def __new__(cls, layer: str, order: MultiIndex) -> OneSided:
        index = super().__new__(cls, order)
        index.layer = layer
        return index

    @property
    def order(self) -> MultiIndex:
        """The multi-index itself."""
        return tuple(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OneSided) and (self.layer, *self) == (other.layer, *other)

    def __hash__(self) -> int:
        return hash((self.layer, *self))

    def __repr__(self) -> str:
        return f"{self.order} in {self.layer}"

    def __getnewargs__(self) -> tuple:
        return self.layer, self.order
