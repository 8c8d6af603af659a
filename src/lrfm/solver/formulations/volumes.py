# SPDX-License-Identifier: MIT
"""The engine for shocks: finite volumes that are narrow at shocks, explicit steps, a claim in L¹.

The narrowest cell decides how many steps there are, the rest of the solution how many cells. The comparison solve has wider cells: a fifth of the cost, where narrower ones
were five times of it. Where data are so narrow that there would be too many steps, cells with polynomials are taken (`lrfm.solver.formulations.shocks`).

What has kinks that move, diffusion that vanishes for some values and complementarity `min(A, B) = 0`, has cells of equal width, whose number goes with the root of the tolerance, and a claim in
L¹, too: at a front, derivatives jump, and the place of the front is known best there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lrfm.adapt.volumes import FrontAdapter, ObstacleAdapter, cells_for, variation_of
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.options import PAIRS, SAFEGUARDS, SHOCKS, Options
from lrfm.error.indicators import JUMPS, VOLUMES, Scale
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.prepare_fluxes import obstacles_for, volumes_for
from lrfm.integrate.state import Step
from lrfm.problem import Problem
from lrfm.problem.algebra import ONE, ZERO, symbols_in
from lrfm.problem.antiderivatives import expanded
from lrfm.problem.conservation import ConservationLaw, NotConserved, conservation_law
from lrfm.problem.errors import ProblemError
from lrfm.problem.expression import derivative
from lrfm.problem.jets import Jet, jet_symbol
from lrfm.solution.solution import Solution
from lrfm.solver.budget import Budget
from lrfm.solver.engine import Attempt
from lrfm.solver.formulations.cells import CellFormulation
from lrfm.solver.formulations.shocks import (
    FluxFormulation,
    ShocksAttempt,
    ShocksAttempts,
    ShockSolve,
)
from lrfm.solver.integration import IntegrationAttempts, IntegrationState

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


class VolumeSolve(ShockSolve):
    """An integration on finite volumes: steps are straight lines in time."""

    stages: ClassVar[int] = 1
    closer: ClassVar[float] = 1 / PAIRS.apart
    jumping: ClassVar[Scale] = VOLUMES


class VolumeAttempt(ShocksAttempt):
    """An integration on finite volumes and its comparison."""

    solves: ClassVar[type[ShockSolve]] = VolumeSolve


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


def flux_attempts(problem: Problem, tol: float, budget: Budget, estimate: bool) -> IntegrationAttempts:
    """Attempts at a conservation law whose solution jumps, or steepens until it does; Unsuited where the statement is none."""
    made = ShocksAttempts(problem, tol, budget, estimate)
    if made.smooth:
        raise Unsuited("What stays smooth is tried in other spaces first.")
    variation = variation_of(made.data, SHOCKS.pilot * made.inner)
    if cells_for(variation, SHOCKS.pilot * made.inner) > SAFEGUARDS.volumes:
        return made
    return VolumeAttempts(problem, tol, budget, estimate, variation)


FRONTS = "finite volumes, explicit Runge-Kutta-Legendre, order 2"
OBSTACLES = "central differences, implicit Runge-Kutta, 2 stages, order 2, active sets by Newton's method"


@dataclass(frozen=True)
class FrontFormulation(VolumeFormulation):
    """Diffusion that vanishes, on finite volumes."""

    name: str = "fronts"

    def words(self, steps: Sequence[Step]) -> Mapping[str, str]:
        """What is conserved, and what of it diffuses."""
        said = {"scheme": FRONTS, "diffused": self._told(self.form.diffused)}
        return {**super().words(steps), **said}


@dataclass(frozen=True)
class ObstacleFormulation(VolumeFormulation):
    """Complementarity, on differences; its law is that of the data alone."""

    name: str = "obstacles"

    def integrator(self, options: Options, sizes: np.ndarray | None) -> Integrator:
        """Implicit steps, with a choice at each place."""
        return obstacles_for(self.system, self.form, options, sizes, self.variation)

    def words(self, steps: Sequence[Step]) -> Mapping[str, str]:
        """Scheme and cells."""
        return {**CellFormulation.words(self, steps), "scheme": OBSTACLES}


class FrontSolve(VolumeSolve):
    """An integration of something with kinks that move."""

    closer: ClassVar[float] = Options.closer
    jumping: ClassVar[Scale] = JUMPS

    def _missing(self, state: IntegrationState) -> str:
        return ""  # each end has its condition

    def _jumps(self, state: IntegrationState) -> bool:
        return True


class FrontAttempt(ShocksAttempt):
    """An integration of something with kinks that move, and its comparison."""

    solves: ClassVar[type[ShockSolve]] = FrontSolve


class FrontAttempts(IntegrationAttempts):
    """Pairs of integrations with `fewest` to `most` cells: an answer early, then a better one."""

    def __init__(
        self,
        form: VolumeFormulation,
        tol: float,
        budget: Budget,
        estimate: bool,
        fewest: int,
        most: int,
    ):
        super().__init__(form, tol, budget, estimate, from_nothing=True)
        self.strictest = (form.variation / most) ** 2
        self.inner = max(tol, SHOCKS.rung**3, self.strictest)
        self.inner = min(self.inner, (form.variation / fewest) ** 2)

    def __iter__(self) -> Iterator[Attempt]:
        for _ in range(SAFEGUARDS.pairs):
            made = FrontAttempt(self.form, self.inner, self.reasons, self.sizes, self.halved)
            yield made
            self.sizes = made.found[-1].found if made.found else None

    def enough(self, solution: Solution) -> bool:
        return super().enough(solution) or self.inner <= self.strictest

    def learn(self, solution: Solution) -> None:
        super().learn(solution)
        self.inner = max(self.inner, self.strictest)


def front_attempts(problem: Problem, tol: float, budget: Budget, estimate: bool) -> IntegrationAttempts:
    """Attempts at a diffusion that vanishes for some values of the data; Unsuited where the statement is none."""
    system = _system(problem)
    law = conservation_law(problem)
    if isinstance(law, NotConserved) or not law.diffused or len(law.fields) > 1:
        raise Unsuited("It is no diffusion of one unknown in conservation form.")
    if not symbols_in(expanded(derivative(law.diffused[0], {law.symbols[0]: ONE}))):
        raise Unsuited("Diffusion is the same for all values.")
    first = volumes_for(system, law, Options(tol=tol, stages=1), None, 1.0).adapter
    assert isinstance(first, FrontAdapter)
    if not first.degenerate:
        raise Unsuited("Diffusion vanishes nowhere.")
    _ = first.limits  # refuses other conditions
    form = FrontFormulation(system, law=law, variation=variation_of(first.data, np.sqrt(tol)))
    return FrontAttempts(form, tol, budget, estimate, SHOCKS.least_volumes, SAFEGUARDS.front_volumes)


def obstacle_attempts(problem: Problem, tol: float, budget: Budget, estimate: bool) -> IntegrationAttempts:
    """Attempts at an equation `min(A, B) = 0` of one unknown; Unsuited where the statement is none."""
    try:
        form = _obstacle(problem, tol)
    except Unsuited as why:
        # No other engine knows what to do where a rate comes and goes.
        raise ProblemError(
            f"An equation chooses between formulas with a rate, as `min(u_t - u_xx, u) = 0` does. {why} Such an equation is solved for one unknown "
            "on one interval, with one condition at each end."
        ) from None
    return FrontAttempts(form, tol, budget, estimate, SHOCKS.least_volumes, SAFEGUARDS.cells)


def _obstacle(problem: Problem, tol: float) -> ObstacleFormulation:
    """Complementarity of one unknown; Unsuited where it is not."""
    system = _system(problem)
    if len(problem.rows) != 1 or len(problem.fields) != 1 or problem.functionals:
        raise Unsuited("Here are several, or means and values in formulas.")
    (field,) = problem.fields
    u = jet_symbol(Jet(field, (0, 0)))
    data = ConservationLaw((field,), (u,), (ZERO,), (ZERO,), (u,), (u,), (), (u,))
    first = obstacles_for(system, data, Options(tol=tol, stages=1), None, 1.0).adapter
    assert isinstance(first, ObstacleAdapter)
    mesh, _ = first.data.initial()
    first.discretize(mesh)  # refuses other rows and conditions
    return ObstacleFormulation(system, law=data, variation=variation_of(first.data, np.sqrt(tol)))


def _system(problem: Problem) -> EvolutionSystem:
    """The statement as rows, where it is of first order in time on an interval."""
    plain = (
        problem.forward and not problem.ordinary and problem.domain.is_box and problem.domain.dimension == 1
    )
    if not plain or any(order != 1 for order in problem.time_orders.values()):
        raise Unsuited("It is no statement of first order in time on an interval.")
    system = EvolutionSystem(problem)
    if system.motion is not None:
        raise Unsuited("Fronts on intervals that move are not known here.")
    if system.inner_fluxes:
        raise Unsuited("Fluxes that are continuous where a coefficient jumps are not known here.")
    return system
