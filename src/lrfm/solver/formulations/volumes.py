# SPDX-License-Identifier: MIT
"""The engine for shocks: finite volumes that are narrow at shocks, explicit steps, a claim in L¹.

The narrowest cell decides how many steps there are, the rest of the solution how many cells. The comparison solve has wider cells: a fifth of the cost, where narrower ones
were five times of it. Where data are so narrow that there would be too many steps, cells with polynomials are taken (`lrfm.solver.formulations.shocks`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lrfm.adapt.volumes import cells_for, variation_of
from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import PAIRS, SAFEGUARDS, SHOCKS, Options
from lrfm.error.indicators import VOLUMES, Scale
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.prepare import volumes_for
from lrfm.integrate.state import Step
from lrfm.problem import Problem
from lrfm.solution.solution import Solution
from lrfm.solver.budget import Budget
from lrfm.solver.formulations.shocks import (
    FluxFormulation,
    Shocks,
    ShocksAttempt,
    ShocksAttempts,
    shocks_attempts,
)
from lrfm.solver.integration import IntegrationAttempts

SCHEME = "finite volumes, explicit Runge-Kutta, 3 stages, order 3"


@dataclass(frozen=True)
class VolumeFormulation(FluxFormulation):
    """A conservation law on finite volumes."""

    variation: float = 1.0
    name: str = "volumes"

    def integrator(self, options: Options, sizes: np.ndarray | None) -> Integrator:
        """Explicit steps on means."""
        return volumes_for(self.system, self.form, options, sizes, self.variation)

    def words(self, steps: Sequence[Step]) -> Mapping[str, str]:
        """What is conserved, and how many volumes there are."""
        return {**super().words(steps), "scheme": SCHEME}


class VolumeSolve(Shocks):
    """An integration on finite volumes: steps are straight lines in time."""

    stages: ClassVar[int] = 1
    closer: ClassVar[float] = 1 / PAIRS.apart
    jumping: ClassVar[Scale] = VOLUMES


class VolumeAttempt(ShocksAttempt):
    """An integration on finite volumes and its comparison."""

    solves: ClassVar[type[Shocks]] = VolumeSolve


class VolumeAttempts(ShocksAttempts):
    """Pairs of integrations on finite volumes, until there are too many of them."""

    attempt: type[ShocksAttempt] = VolumeAttempt

    def __init__(self, problem: Problem, tol: float, budget: Budget, estimate: bool, variation: float):
        super().__init__(problem, tol, budget, estimate)
        self.smooth_form = self.form
        self.form = VolumeFormulation(self.form.system, law=self.law, variation=variation)
        # A pair with wide cells costs a tenth, and says how many are needed. The floor is one of tolerances, not of cells: a comparison
        # solve always has fewer of them.
        self.inner = min(SHOCKS.pilot * self.inner, variation / SHOCKS.least_volumes)
        self.strictest = variation * math.sqrt(len(problem.fields)) / SAFEGUARDS.volumes

    def enough(self, solution: Solution) -> bool:
        return super().enough(solution) or self.inner <= self.strictest

    def learn(self, solution: Solution) -> None:
        before, found = self.inner, solution.report.error_estimate
        super().learn(solution)
        if solution.report.norm != 1:
            # Nothing jumped: polynomials of higher degree take fewer cells.
            self.form, self.attempt, self.strictest = self.smooth_form, ShocksAttempt, 0.0
        else:
            # Errors go with the width of cells, the cost with its square.
            self.inner = before * max(SHOCKS.rung, SHOCKS.volume_aim * min(1.0, self.tol / found))
        self.inner = max(self.inner, self.strictest)


def flux_attempts(
    problem: Problem, tol: float, budget: Budget, estimate: bool, asked: bool
) -> IntegrationAttempts:
    """Attempts at a conservation law whose solution jumps, or steepens until it does; Unsuited where the statement is none."""
    made = shocks_attempts(problem, tol, budget, estimate)
    if made.smooth and not asked:
        raise Unsuited("What stays smooth is tried in other spaces first.")
    variation = variation_of(made.data, SHOCKS.pilot * made.inner)
    shock = made.jumps or made.data.meet(problem.time, margin=1.0)
    if not shock or cells_for(variation, SHOCKS.pilot * made.inner) > SAFEGUARDS.volumes:
        return made
    return VolumeAttempts(problem, tol, budget, estimate, variation)
