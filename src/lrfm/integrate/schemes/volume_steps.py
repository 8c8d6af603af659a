# SPDX-License-Identifier: MIT
"""Explicit steps on finite volumes: some that are stable, seen as one step of the integrator, in which the solution is linear.

    y(t₀ + τh) = y₀ + τ (y₁ − y₀),   error  (h/8) (y₁′ − y₀′)  in the middle.

A shock that passes d cells within such a step is off by d/3 of h [q] in L¹, as much as cells themselves leave open: so waves limit a step to few stable ones,
and its error is not measured. Diffusion takes many, and there the controller chooses how many.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from lrfm.discretize.laws.flux_cells import NotAdmissible
from lrfm.discretize.laws.fronts import Fronts
from lrfm.discretize.laws.volumes import Volumes
from lrfm.discretize.options import SAFEGUARDS, SHOCKS
from lrfm.integrate.schemes import ssp, stabilized
from lrfm.integrate.schemes.explicit import Explicit
from lrfm.integrate.schemes.radau import StepResult
from lrfm.integrate.state import IntegratorState
from lrfm.problem.errors import ProblemError


class VolumeSteps(Explicit):
    """Strong-stability-preserving steps of order three on means of volumes."""

    def longest(self, made: Volumes, state: IntegratorState) -> float:
        """Until the fastest wave has crossed a cell or two."""
        stable = SHOCKS.volume_steps * SHOCKS.volume_courant
        try:
            with np.errstate(all="ignore"):
                return stable * made.bounds(state.time, state.y[..., 0]).crossing
        except NotAdmissible:
            return math.inf  # the step says so

    def _steps(self, made: Volumes, state: IntegratorState, length: float) -> StepResult:
        q, time, end, count = state.y[..., 0], state.time, state.time + length, 0
        bounds = made.bounds(time, q)
        first = rates = made.rates(time, q, bounds)
        many = 2 * SHOCKS.volume_steps
        while time < end:
            left, stable = end - time, SHOCKS.volume_courant * bounds.crossing
            h = left / max(1, math.ceil(left / stable - 1 / 4))
            q = ssp.third(partial(made.rates, bounds=bounds), time, q, h, rates)
            if not np.isfinite(q.sum()):
                raise NotAdmissible
            time, count = (end if h == left else time + h), count + 1
            bounds = made.bounds(time, q)  # refuses what is no state
            rates = made.rates(time, q, bounds) if time < end or count > many else rates
        after = made.shown(end, q)
        error = np.zeros_like(after)
        if count > many:
            error[..., 0] = length / 8 * (rates - first)
        return StepResult(True, ((after - state.y) / length)[None], after, error, error, count, 0.0)


class BoxSteps(VolumeSteps):
    """The same in boxes, where steps that are kept are what takes the memory."""

    def kept(self, rates: np.ndarray) -> np.ndarray:
        """In single precision: what volumes leave open is larger by orders of magnitude. On an interval totals stay to rounding."""
        return rates.astype(np.float32)


class FrontSteps(VolumeSteps):
    """Steps of many stages where diffusion limits them; where waves do, too, steps of order three."""

    def longest(self, made: Fronts, state: IntegratorState) -> float:
        """As long as there are waves, until the fastest has crossed a cell or two."""
        return math.inf if made.still else super().longest(made, state)

    def _steps(self, made: Fronts, state: IntegratorState, length: float) -> StepResult:
        q, time, end, count = state.y[..., 0], state.time, state.time + length, 0
        first = rates = made.rates(time, q)
        while time < end:
            left, stable = end - time, made.spreading(q)
            if made.still:
                stages = min(stabilized.stages_for(left / stable), SAFEGUARDS.stages)
                h = min(left, stable * stabilized.euler_steps(stages))
                q = stabilized.step(made.rates, time, q, h, rates, stages)
            else:
                h = min(left, 0.5 * stable, SHOCKS.volume_courant * made.bounds(time, q).crossing)
                q = ssp.third(made.rates, time, q, h, rates)
            if not np.isfinite(q.sum()):
                raise NotAdmissible
            time, count = (end if h == left else time + h), count + 1
            rates = made.rates(time, q)
        after = made.shown(end, q)
        error = np.zeros_like(after)
        error[..., 0] = length / 8 * (rates - first)
        return StepResult(True, ((after - state.y) / length)[None], after, error, error, count, 0.0)


def begin(made: Volumes, time: float, y: np.ndarray, duration: float) -> tuple[np.ndarray, np.ndarray]:
    """y and its rates at the start."""
    with np.errstate(all="ignore"):
        rates = np.zeros_like(y)
        try:
            rates[..., 0] = made.rates(time, y[..., 0])
            if isinstance(made, Volumes):
                # What becomes of a jump passes through what lies between, wherever edges are.
                made.bounds(
                    time,
                    0.5
                    * (y[..., 0] + y[:, np.minimum(np.arange(1, made.mesh.size + 1), made.mesh.size - 1), 0]),
                )
        except NotAdmissible:
            raise ProblemError(
                "Initial data jump between two states, and the mean of both is none of this conservation law: speeds of waves are not real there (the equations are not hyperbolic), or what must keep "
                "its sign does not. What such a jump becomes is not told by fluxes alone; add what decides it, such as a viscosity `1e-3*v_xx`, or give data on one side."
            ) from None
        return y, rates
