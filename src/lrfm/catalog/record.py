# SPDX-License-Identifier: MIT
"""What the catalog knows about one of its problems besides the statement itself."""

from collections.abc import Callable
from dataclasses import dataclass

from lrfm.problem import Problem


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One named problem: how to show it, where it is from, and how its reference solution is known."""

    name: str
    title: str
    equation: str  # for display, not for the parser
    source: str
    reference: str  # "exact", "Cole-Hopf quadrature", "Fourier, exponential integrator"
    builder: Callable[..., Problem]
    summary: str


EXACT = "exact"
COLE_HOPF = "Cole-Hopf quadrature"
FOURIER = "Fourier, exponential integrator"
