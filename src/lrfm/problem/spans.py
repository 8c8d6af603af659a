# SPDX-License-Identifier: MIT
"""A parameter as a coordinate: every value of an interval instead of one."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass

from lrfm.problem.calls import is_real, naming
from lrfm.problem.errors import ProblemError, shown

DECADE = 5.0  # ratio of the ends from which the logarithm is the coordinate


@naming
@dataclass(frozen=True)
class Range:
    """All values from `lower` to `upper` of a number in `parameters`: `lrfm.solve` then gives u(x, t, p).

    Parameters
    ----------
    lower, upper
        The ends.
    log
        Whether u is smooth in log p rather than in p; by default where both ends are positive and far apart.

    Examples
    --------
    >>> import lrfm
    >>> lrfm.Range(1e-3, 1e-1).log
    True
    """

    lower: float
    upper: float
    _: KW_ONLY
    log: bool | None = None

    def __post_init__(self) -> None:
        ends = (self.lower, self.upper)
        good = all(is_real(v) and math.isfinite(v) for v in ends)
        if not good or not self.lower < self.upper:
            raise ProblemError(
                f"A range was given from {shown(self.lower)} to {shown(self.upper)}; expected two finite numbers, the smaller first."
            )
        if self.log and self.lower <= 0:
            raise ProblemError(
                f"A range from {self.lower:g} cannot be logarithmic; its ends must be positive."
            )
        if self.log is None:
            object.__setattr__(self, "log", self.lower > 0 and self.upper > DECADE * self.lower)

    @property
    def start(self) -> float:
        """A value inside, for what needs one."""
        return math.sqrt(self.lower * self.upper) if self.log else 0.5 * (self.lower + self.upper)

    def coordinate(self, value: float) -> float:
        """p or log p."""
        return math.log(value) if self.log else value

    def value(self, coordinate: float) -> float:
        """p from its coordinate, never outside."""
        p = math.exp(coordinate) if self.log else coordinate
        return min(max(p, self.lower), self.upper)
