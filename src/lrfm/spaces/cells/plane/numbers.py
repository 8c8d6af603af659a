# SPDX-License-Identifier: MIT
"""Numbers that the geometry of cells in the plane is given from outside; `lrfm.discretize.options` has them, with their reasons."""

from __future__ import annotations

from typing import Protocol


class PlaneNumbers(Protocol):
    """See `lrfm.discretize.options.PlaneOptions`."""

    @property
    def beside(self) -> float: ...

    @property
    def samples(self) -> int: ...

    @property
    def steep(self) -> float: ...

    @property
    def looks(self) -> int: ...

    @property
    def between(self) -> float: ...

    @property
    def upright(self) -> float: ...

    @property
    def leaning(self) -> float: ...

    @property
    def eighths(self) -> int: ...

    @property
    def edge_eighths(self) -> int: ...

    @property
    def halvings(self) -> int: ...

    @property
    def short(self) -> float: ...

    @property
    def quarters(self) -> int: ...

    @property
    def small(self) -> float: ...

    @property
    def points_more(self) -> int: ...

    @property
    def together(self) -> float: ...
