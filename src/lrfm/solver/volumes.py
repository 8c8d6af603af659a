# SPDX-License-Identifier: MIT
"""The engine for shocks: finite volumes of equal width, explicit steps, a claim in L¹.

With shocks the narrowest cell decides how many steps there are, and a step on a thousand cells costs what one on fifty does: cells that follow shocks save
nothing until there are thousands. Where data are so narrow that there would be, cells follow them (`lrfm.solver.shocks`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lrfm.adapt.volumes import FrontAdapter, cells_for, variation_of
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.options import PAIRS, SHOCKS, Options
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.prepare import volumes_for
from lrfm.integrate.state import Step
from lrfm.problem import Problem
from lrfm.problem.conservation import NotConserved, conservation_law
from lrfm.solution.solution import Solution
from lrfm.solver.attempts import Attempt
from lrfm.solver.budget import Budget
from lrfm.solver.integration import IntegrationAttempts, IntegrationState
from lrfm.solver.shocks import FluxFormulation, Shocks, ShocksAttempt, ShocksAttempts, shocks_attempts

FRONTS = "finite volumes, explicit Runge-Kutta-Legendre, order 2"
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


@dataclass(frozen=True)
class FrontFormulation(VolumeFormulation):
    """Diffusion that vanishes, on finite volumes."""

    name: str = "fronts"

    def words(self, steps: Sequence[Step]) -> Mapping[str, str]:
        """What is conserved, and what of it diffuses."""
        said = {"scheme": FRONTS, "diffused": self._told(self.form.diffused)}
        return {**super().words(steps), **said}


class VolumeSolve(Shocks):
    """An integration on finite volumes: steps are straight lines in time."""

    stages: ClassVar[int] = 1
    closer: ClassVar[float] = SHOCKS.closer_volumes


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
        # solve always has more of them.
        self.inner = min(SHOCKS.pilot * self.inner, variation / SHOCKS.least_volumes)
        self.strictest = variation * math.sqrt(len(problem.fields)) / SHOCKS.most_volumes

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
    variation = variation_of(made.data)
    if made.smooth or cells_for(variation, SHOCKS.pilot * made.inner) > SHOCKS.most_volumes:
        return made
    return VolumeAttempts(problem, tol, budget, estimate, variation)


class FrontSolve(VolumeSolve):
    """An integration with diffusion that vanishes; errors are measured in L¹, in which fronts are known best."""

    closer: ClassVar[float] = SHOCKS.closer

    def _missing(self, state: IntegrationState) -> str:
        return ""  # each end has its condition

    def _jumps(self, state: IntegrationState) -> bool:
        return True


class FrontAttempt(ShocksAttempt):
    """An integration with diffusion that vanishes, and its comparison."""

    solves: ClassVar[type[Shocks]] = FrontSolve


class FrontAttempts(IntegrationAttempts):
    """Pairs of integrations with diffusion that vanishes."""

    def __init__(self, problem: Problem, tol: float, budget: Budget, estimate: bool):
        system = EvolutionSystem(problem)
        if system.motion is not None:
            raise Unsuited("Fronts on intervals that move are not known here.")
        law = conservation_law(problem)
        if isinstance(law, NotConserved) or not law.diffused or len(law.fields) > 1:
            raise Unsuited("It is no diffusion of one unknown in conservation form.")
        options = Options(tol=tol, stages=1)
        first = volumes_for(system, law, options, None, 1.0).adapter
        assert isinstance(first, FrontAdapter)
        if not first.degenerate:
            raise Unsuited("Diffusion vanishes nowhere.")
        _ = first.limits  # refuses other conditions
        variation = variation_of(first.data)
        form = FrontFormulation(system, law=law, variation=variation)
        super().__init__(form, tol, budget, estimate, from_nothing=True)
        # An answer early, then a better one, until there are too many cells.
        self.strictest = (variation / SHOCKS.most_fronts) ** 2
        self.inner = max(tol, min(SHOCKS.loose), self.strictest)
        self.inner = min(self.inner, (variation / SHOCKS.least_volumes) ** 2)

    def __iter__(self) -> Iterator[Attempt]:
        for _ in range(PAIRS.most):
            made = FrontAttempt(self.form, self.inner, self.reasons, self.sizes, self.halved)
            yield made
            self.sizes = made.found[-1].found if made.found else None

    def enough(self, solution: Solution) -> bool:
        return super().enough(solution) or self.inner <= self.strictest

    def learn(self, solution: Solution) -> None:
        super().learn(solution)
        self.inner = max(self.inner, self.strictest)


def front_attempts(
    problem: Problem, tol: float, budget: Budget, estimate: bool, asked: bool
) -> IntegrationAttempts:
    """Attempts at a diffusion that vanishes for some values of the data; Unsuited where the statement is none."""
    plain = (
        problem.forward and not problem.ordinary and problem.domain.is_box and problem.domain.dimension == 1
    )
    if not plain or any(order != 1 for order in problem.time_orders.values()):
        raise Unsuited("It is no statement of first order in time on an interval.")
    return FrontAttempts(problem, tol, budget, estimate)
