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
    def turn(self) -> float: ...

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
