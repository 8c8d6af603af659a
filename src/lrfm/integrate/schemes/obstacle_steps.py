# SPDX-License-Identifier: MIT
"""Implicit steps for complementarity: two stages of order two, L-stable and stiffly accurate (Alexander, SIAM J. Numer. Anal. 14, 1977),

    U₁ = y + γh k₁,   U₂ = y + (1 − γ)h k₁ + γh k₂,   y₁ = U₂,   γ = 1 − √½.

Each stage is min(A, B) = 0 with u_t = kᵢ, so that both sides hold at the end of each step. Within a step the solution is linear, off by (h²/8) u_tt in its middle.
"""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
from numpy.linalg import LinAlgError

from lrfm.discretize.laws.differences import Differences, NotSolved
from lrfm.discretize.options import ROUNDING
from lrfm.integrate.schemes.explicit import Explicit
from lrfm.integrate.schemes.radau import StepResult
from lrfm.integrate.state import IntegratorState

GAMMA = 1 - np.sqrt(0.5)


class ObstacleSteps(Explicit):
    """Two implicit stages."""

    def longest(self, made: Differences, state: IntegratorState) -> float:
        """Implicit steps have any length."""
        return math.inf

    def _steps(self, made: Differences, state: IntegratorState, length: float) -> StepResult:
        y, span = state.y[0, :, 0], GAMMA * length
        guess = np.concatenate([[2 * y[0] - y[1]], y, [2 * y[-1] - y[-2]]])
        try:
            first = made.stage_solution(state.time + span, y, span, guess)
            base = y + (1 - GAMMA) / GAMMA * (first[1:-1] - y)
            last = made.stage_solution(state.time + length, base, span, first)
        except (NotSolved, LinAlgError):
            return StepResult.failed(0, 0.0)
        after = made.shown(last)
        bent = (last[1:-1] - base - first[1:-1] + y) / span  # k₂ − k₁, a time (1 − γ)h apart
        error = np.zeros_like(after)
        error[0, :, 0] = length / 8 * bent / (1 - GAMMA)
        return StepResult(True, ((after - state.y) / length)[None], after, error, error, 2, 0.0)


def begin(made: Differences, time: float, y: np.ndarray, duration: float) -> tuple[np.ndarray, np.ndarray]:
    """y, and its rates in a first step that is short."""
    span = ROUNDING.small * duration
    guess = np.concatenate([y[0, :1, 0], y[0, :, 0], y[0, -1:, 0]])
    rates = np.zeros_like(y)
    with np.errstate(all="ignore"), suppress(NotSolved, LinAlgError):
        rates[0, :, 0] = (made.stage_solution(time + span, y[0, :, 0], span, guess)[1:-1] - y[0, :, 0]) / span
    return y, rates
