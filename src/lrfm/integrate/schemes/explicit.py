# SPDX-License-Identifier: MIT
"""Explicit steps on  y′ = f(t, y):  as many of the scheme's own length as are stable, seen as one step of the integrator.

Within a step the solution is the cubic through y and y′ at both ends.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lrfm.discretize.laws.flux_cells import FluxCells, NotAdmissible
from lrfm.discretize.options import ROUNDING, SHOCKS
from lrfm.integrate.schemes import ssp
from lrfm.integrate.schemes.radau import Iteration, StepResult
from lrfm.integrate.schemes.tableaus import PlainSteps, radau
from lrfm.integrate.state import IntegratorState

STAGES = 3  # rates of a cubic


class Explicit(PlainSteps):
    """Strong-stability-preserving steps of order four."""

    def longest(self, made: Any, state: IntegratorState) -> float:
        """Until the fastest wave has left the cells beside its own: narrow cells go along with what is steep."""
        with np.errstate(all="ignore"):
            return SHOCKS.reach * made.longest(state.time, made.values(state.y))[1]

    def beside(self, made: Any, length: float, gain: float, stages: int) -> float:
        """Any: steps are as long as waves on its cells allow, and their error is that of cells."""
        return math.inf

    def step(
        self,
        made: Any,
        pencil: object,
        state: IntegratorState,
        length: float,
        iteration: Iteration,
    ) -> StepResult:
        try:
            with np.errstate(all="ignore"):
                return self._steps(made, state, length)
        except NotAdmissible:
            return StepResult.failed(0, 0.0)

    def _steps(self, made: Any, state: IntegratorState, length: float) -> StepResult:
        v, time, end = made.values(state.y), state.time, state.time + length
        start, first, total, count = v, np.empty(0), np.zeros_like(v), 0
        while time < end:
            stable = SHOCKS.courant * ssp.EULER * made.longest(time, v)[0]
            left = end - time
            h = left / max(1, math.ceil(left / stable * (1 - ROUNDING.sums)))
            v, error, rates = ssp.step(made.rates, time, v, h)
            if not np.all(np.isfinite(v)):
                raise NotAdmissible
            first = rates if count == 0 else first
            total += error
            time, count = (end if h == left else time + h), count + 1
        last = made.rates(end, v)
        rates, error = made.coefficients(_cubic(start, first, v, last, length)), made.coefficients(total)
        return StepResult(True, rates, made.coefficients(v), error, error, count, 0.0)


def _cubic(
    start: np.ndarray, first: np.ndarray, end: np.ndarray, last: np.ndarray, length: float
) -> np.ndarray:
    """Rates at the three Radau nodes of the cubic with these values and rates at both ends."""
    c = radau(STAGES).nodes
    shape = (-1, *(1,) * start.ndim)
    chord = (end - start) / length
    a = (1 - 4 * c + 3 * c**2).reshape(shape)
    b = (6 * c - 6 * c**2).reshape(shape)
    d = (3 * c**2 - 2 * c).reshape(shape)
    return a * first + b * chord + d * last


def begin(made: FluxCells, time: float, y: np.ndarray, duration: float) -> tuple[np.ndarray, np.ndarray]:
    """y and its rates at the start."""
    with np.errstate(all="ignore"):
        v = made.values(y)
        rates = made.rates(time, v)
        return made.coefficients(v), made.coefficients(rates)
