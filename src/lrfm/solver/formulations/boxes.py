# SPDX-License-Identifier: MIT
"""A box with walls and any terms as a formulation: products of Legendre polynomials, one dense matrix, Radau IIA in time.

For what series cannot split by modes: coefficients of several coordinates, mixed derivatives, several unknowns in the highest ones, second order in time, pressures, orders above two, and conditions that are not linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from lrfm.adapt.modes import ModeAdapter
from lrfm.discretize.box.form import BoxForm
from lrfm.discretize.box.galerkin import BoxGalerkin
from lrfm.discretize.box.iterated import IteratedPencil
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.options import RATIONAL, SERIES, Options
from lrfm.discretize.plane.dividers import dividers_of
from lrfm.integrate.controller import decide
from lrfm.integrate.estimator import Estimator
from lrfm.integrate.foresee import foreseen_by
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.schemes.oscillations import Oscillations
from lrfm.integrate.schemes.radau import Radau
from lrfm.integrate.schemes.tableaus import radau
from lrfm.integrate.start import wall_rates, wall_start
from lrfm.integrate.state import Step
from lrfm.problem import Problem
from lrfm.solver.attempts import IntegrationAttempts
from lrfm.solver.engine import Wanted
from lrfm.solver.formulations.series import SeriesFormulation, from_nothing
from lrfm.spaces.series import Modes


@dataclass(frozen=True)
class BoxFormulation(SeriesFormulation):
    """A statement on a box, every term of it in one matrix."""

    split: BoxForm
    name: str = "box"

    def additive(self, tol: float) -> bool:
        """Nothing is left to explicit stages."""
        return False

    @cached_property
    def _waves(self) -> bool:
        """Whether steps are exact: linear waves that stay the same and that nothing damps."""
        system = self.system
        if not (system.plain and self.split.iterates):
            return False
        return system.oscillates or (system.undamped and self._turns)

    @property
    def _turns(self) -> bool:
        """Whether what is of first order in time oscillates on a few modes, rather than that it decays, none of its conditions has rates, and nothing is stiff: waves of higher order in space go by K⁴, where a separable operator is near."""
        system, form = self.system, self.split
        rates = any(j.index[-1] for c in system.conditions for j in c.row.jets)
        if rates or set(system.orders.values()) != {1} or max(system.highest_orders) > 1:
            return False
        box = system.problem.domain
        counts = tuple(min(3 * Options.fewest, n) for n in form.most)
        few = Modes(tuple(box.lower), tuple(box.upper), form.periodic, counts, form.polynomial)
        y = np.zeros((len(system.components), 1, few.reals))
        pencil = BoxGalerkin(form, few).linearize(system.problem.time[0], y, y)
        if not (isinstance(pencil, IteratedPencil) and pencil.explicit(1, 1)):
            return False
        low, high, aside = pencil.oscillations
        return max(aside, -low) <= Options.minor * high

    def integrator(self, options: Options, sizes: np.ndarray | None) -> Integrator:
        """Radau IIA; Chebyshev polynomials of the operator for waves."""
        system, time = self.system, self.system.problem.time
        duration = time[1] - time[0]
        if self._waves:
            # A step that is repeated costs less than modes that are added in vain: the longest wave that is held takes as many products as K².
            options = replace(options, stages=RATIONAL.stages, ahead=1.0)
        adapter = ModeAdapter(self.split, options)
        scheme = (
            Oscillations(options.stages)
            if self._waves
            else Radau(
                options.stages,
                # Factors are kept by step size where matrices stay as they are.
                SERIES.lengths if system.linear and system.stationary else 0,
                anew=lambda made, t, y: wall_rates(made, t, y, duration)[1],
                duration=duration,
            )
        )
        estimator = Estimator(adapter, options, time, sizes, foreseen_by(adapter, system, options, sizes))
        return Integrator(system, options, self.given, scheme, adapter, estimator, decide, wall_start)

    def shape(self, mesh: Modes, options: Options) -> tuple[int, int]:
        """As many real numbers as the modes have, and the stages."""
        return mesh.reals, RATIONAL.stages if self._waves else options.stages

    def _scheme(self, stages: int) -> str:
        return RATIONAL.words if self._waves else radau(stages).words

    def undetermined(self, steps: Sequence[Step]) -> Sequence[str]:
        """Pressures whose mean nothing determines."""
        made = BoxGalerkin(
            self.split, replace(steps[0].mesh, counts=(Options.fewest,) * self.split.dimension)
        )
        return [self.system.components[c][0] for c in made.undetermined]


def box_form(system: EvolutionSystem) -> BoxForm:
    """The statement on a box; Unsuited where it is none for one matrix."""
    form, box = BoxForm(system), system.problem.domain
    low, high = (tuple(float(x) for x in end) for end in (box.lower, box.upper))
    least = (Options.fewest + max(system.highest_orders),) * form.dimension
    BoxGalerkin(form, Modes(low, high, form.periodic, least, form.polynomial)).check()
    return form


def box_attempts(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """Attempts with one matrix; Unsuited where the statement is none for it."""
    form = BoxFormulation(box_form(EvolutionSystem(problem)))
    if problem.domain.dimension == 2 and dividers_of(form.system):
        raise Unsuited("Something given jumps at a line, where cells are divided.")
    return IntegrationAttempts(form, wanted, not wanted.asked, from_nothing(problem))
