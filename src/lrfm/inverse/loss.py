# SPDX-License-Identifier: MIT
"""What a whitened residual costs: ½ r² for normal errors; losses that grow more slowly for data with outliers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lrfm.problem.errors import listing, shown

HUBER = 1.345  # 95 % efficient for normal errors


@dataclass(frozen=True)
class Loss:
    """The cost of r, and the weight w = cost'(r)/r with which it enters least squares."""

    name: str
    cost: Callable[[np.ndarray], np.ndarray]
    weight: Callable[[np.ndarray], np.ndarray]

    @property
    def robust(self) -> bool:
        return self.name != "squares"


LOSSES = {
    "squares": Loss("squares", lambda r: 0.5 * r**2, np.ones_like),
    "huber": Loss(
        "huber",
        lambda r: np.where(np.abs(r) <= HUBER, 0.5 * r**2, HUBER * (np.abs(r) - 0.5 * HUBER)),
        lambda r: np.minimum(1.0, HUBER / np.maximum(np.abs(r), 1e-300)),
    ),
    "soft_l1": Loss("soft_l1", lambda r: np.sqrt(1 + r**2) - 1, lambda r: 1 / np.sqrt(1 + r**2)),
    "cauchy": Loss("cauchy", lambda r: 0.5 * np.log1p(r**2), lambda r: 1 / (1 + r**2)),
}


def loss(name: str) -> Loss:
    """A loss by name."""
    if name not in LOSSES:
        raise ValueError(f"`loss={shown(name)}` is not known; expected one of {listing(LOSSES)}.")
    return LOSSES[name]
