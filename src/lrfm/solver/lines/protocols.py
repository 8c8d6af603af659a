# SPDX-License-Identifier: MIT
"""What a march asks of a chooser, whatever kind of bases it draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import numpy as np

from lrfm.problem.frame import MovingFrame
from lrfm.solver.lines.known import Charts
from lrfm.solver.lines.projected import ProjectedRows
from lrfm.solver.lines.rules import Rules
from lrfm.solver.lines.samples import Data
from lrfm.spaces.bases import Basis

B = TypeVar("B", bound=Basis)


class Chooses(Protocol[B]):
    """Draws bases of one kind for a form; it is given back only bases that it drew."""

    rules: Rules
    frame: MovingFrame | None  # of the bases that are drawn
    rng: np.random.Generator
    data: Data
    ranges: np.ndarray  # of all components, as they were seen so far
    misfit: float  # of the data, as they were last fitted
    least: np.ndarray  # range of each component that counts, relative to the largest one
    sizes: np.ndarray  # that components will have, as far as pilots have shown
    passed_on: float  # how much of what residuals add is left of it a step later, as pilots have shown; 1 where there were none

    def plain(self) -> B:
        """A small basis on which it can be asked whether equations determine their unknowns."""
        ...

    def like(self, charts: Charts, held: tuple[B, list[np.ndarray]] | None = None) -> B | None:
        """A basis in known charts, drawn anew; None where it does not hold the data (or states on a basis), or knows no charts."""
        ...

    def start(self) -> B:
        """A basis that holds the initial data."""
        ...

    def again(
        self,
        basis: B,
        states: list[np.ndarray],
        growth: float | None,
        first: bool,
        residual: tuple[np.ndarray, ...] | None = None,
        ringing: bool = False,
    ) -> B:
        """A new basis for states seen during a step, the first of them the one to be held; `residual`: its squares along each axis, where it is local.

        States that are `ringing` have any number of modes, and get few more functions.
        """
        ...

    def sharper(self, basis: B, profiles: tuple[np.ndarray, ...]) -> B:
        """A basis for data that another one misses, most where squares of the misfit along each axis are largest."""
        ...

    def system(self, basis: B) -> ProjectedRows:
        """The projected rows on a basis."""
        ...

    def transfer(self, old: B, new: B, coefficients: np.ndarray) -> np.ndarray:
        """Coefficients (…, R) of the same functions in another basis, by projection."""
        ...

    def place(self) -> dict[str, Any] | None:
        """Where it stands beside its random numbers, as plain data; None where that is nothing."""
        ...

    def put_back(self, place: Mapping[str, Any]) -> None:
        """Bring it to where another one stood."""
        ...

    def redrawn(self, recipe: Mapping[str, Any]) -> B:
        """A basis by what it was drawn from."""
        ...
