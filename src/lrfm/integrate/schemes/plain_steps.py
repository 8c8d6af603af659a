# SPDX-License-Identifier: MIT
"""What time schemes have in common unless they say otherwise: steps of any size, from where they stand, kept as they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lrfm.integrate.state import IntegratorState


class PlainSteps:
    """The parts of `TimeScheme` beside the step itself."""

    def longest(self, made: Any, state: IntegratorState) -> float:
        """None: implicit and exponential steps may be of any length."""
        return math.inf

    def beside(self, made: Any, length: float, gain: float, stages: int) -> float:
        """h₁ g^(−1/(K + 1)): the error in time of a step is O(h^(K+1))."""
        return length * gain ** (-1 / (stages + 1))

    def quantized(self, length: float) -> float:
        """Any step size: no matrices are kept by it."""
        return length

    def kept(self, rates: np.ndarray) -> np.ndarray:
        """All of them, in all digits."""
        return rates

    def middle(self, state: IntegratorState, length: float) -> tuple[float, np.ndarray, np.ndarray]:
        """The state itself: nothing is linearized elsewhere."""
        return state.time, state.y, state.z

    def begun(
        self, made: Any, start: np.ndarray, rates: np.ndarray, length: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """As it is: algebraic unknowns are consistent from the start, or there are none."""
        return start, rates
