# SPDX-License-Identifier: MIT
"""What a solution is made of: one piece for each window, whatever engine computed it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from lrfm.problem import Jet, Row
from lrfm.rows.expansion import Expansion


class Piece(Protocol):
    """u on one window: its derivatives anywhere, the residual of a row, and itself as plain data.

    Any class with these members will do. To be read back from a file it has to be in `PIECES`, too, with a `from_record` that
    takes what `record` gives as keywords and raises ValueError where these do not belong together.
    """

    @property
    def window(self) -> tuple[float, float]:
        """Start and end in time."""
        ...

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """Dᵃ of real fields at points (N, axes + 1), time last; KeyError for a field that it does not have."""
        ...

    def residual(self, row: Row, points: np.ndarray) -> np.ndarray:
        """F(x, t, {Dᵃu}) of one row at points."""
        ...

    def record(self) -> Mapping[str, Any]:
        """What a file keeps: plain data, arrays, and the dataclasses of `lrfm.spaces`."""
        ...


PIECES: dict[str, Any] = {"Expansion": Expansion}  # classes of pieces by their name in a file
