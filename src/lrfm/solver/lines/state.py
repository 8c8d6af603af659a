# SPDX-License-Identifier: MIT
"""Where a march stands, what a step was, and what was done: plain records."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lrfm.integrate.schemes import Scheme
from lrfm.solution.status import Status
from lrfm.solver.lines.gauge import Undetermined
from lrfm.spaces.bases import Basis


@dataclass(frozen=True)
class Residual:
    """Relative to the terms of the equations, and as a rate of change of the solution relative to its size."""

    relative: float
    rate: float


@dataclass(frozen=True)
class State:
    """Where a march stands: enough to go on from, and small."""

    time: float
    length: float
    basis: Basis
    coefficients: np.ndarray  # (components, R)


@dataclass(frozen=True)
class Step:
    """One kept step: state before, length, rates of all components at the stages, and what was measured."""

    start: State
    length: float
    rates: np.ndarray  # (stages, components, R)
    error: float
    residual: Residual
    iterations: int
    scheme: Scheme

    @property
    def steps(self) -> int:
        return 1


@dataclass
class Counts:
    """What a march did."""

    steps: int = 0
    rejected: int = 0
    redraws: int = 0
    lasted: int = 0  # steps since the last of them
    frames: int = 0  # that were changed on the way
    factorizations: int = 0
    iterations: int = 0
    stopped: Status | None = None  # None where it reached its end, or goes on
    scheme: str = ""
    stagnation: float = 0.0
    refits: list[float] = field(default_factory=list)
    undetermined: list[str] = field(default_factory=list)  # fields known up to a constant at each time
    others: int = 0  # other parts that no row feels
    even: float = 0.0  # modes of functions that are spread evenly, of a leap on such

    def redrawn(self) -> None:
        """There is another basis."""
        self.redraws, self.lasted = self.redraws + 1, 0

    def tell(self, steps: int, left: Undetermined) -> None:
        """So many steps, and what the equations left undetermined in them."""
        self.steps, self.undetermined, self.others = steps, list(left.constants), left.others
