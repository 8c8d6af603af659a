# SPDX-License-Identifier: MIT
"""The engine for shocks: finite volumes that are narrow at shocks, explicit steps, a claim in L¹.

The narrowest cell decides how many steps there are, the rest of the solution how many cells. The comparison solve has wider cells: a fifth of the cost, where narrower ones
were five times of it. As long as nothing jumps, cells with polynomials cost less (`lrfm.solver.formulations.fluxes`).

What has kinks that move, diffusion that vanishes for some values and complementarity `min(A, B) = 0`, has cells of equal width, whose number goes with the root of the tolerance, and a claim in
L¹, too: at a front, derivatives jump, and the place of the front is known best there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from lrfm.adapt.fluxes import FluxAdapter
from lrfm.adapt.volumes import FrontAdapter, ObstacleAdapter, VolumeAdapter, variation_of
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.laws.law import NoStates
from lrfm.discretize.laws.sharp import Sharp
from lrfm.discretize.options import PAIRS, SAFEGUARDS, SCANS, SHOCKS, Options
from lrfm.error.indicators import JUMPS, VOLUMES, Scale
from lrfm.error.well_posed import Missing
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.prepare_fluxes import fluxes_for, obstacles_for, volumes_for
from lrfm.integrate.schemes.explicit import STAGES
from lrfm.integrate.state import Step
from lrfm.problem import Problem
from lrfm.problem.algebra import ONE, ZERO, symbols_in
from lrfm.problem.conservation import ConservationLaw, NotConserved, conservation_law
from lrfm.problem.errors import ProblemError
from lrfm.problem.expression import derivative, expanded
from lrfm.problem.jets import Jet, jet_symbol
from lrfm.rows.pieces import Piece
from lrfm.solution.solution import Solution
from lrfm.solution.status import Status
from lrfm.solver.attempts import IntegrationAttempts
from lrfm.solver.engine import Integrated, Wanted
from lrfm.solver.formulations.cells import CellFormulation
from lrfm.solver.formulations.fluxes import POSITIVE, FluxFormulation, FluxSolve, law_of
from lrfm.solver.integration import IntegrationState
from lrfm.spaces.cells import MovingMesh

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
class ShockFormulation(VolumeFormulation):
    """The same, with shocks shown as jumps, and jumps of the data that open on narrow cells; `tol` is what is asked for."""

    tol: float = 1.0
    opens: bool = False

    def integrator(self, options: Options, sizes: np.ndarray | None) -> Integrator:
        """Explicit steps on means."""
        return volumes_for(self.system, self.form, options, sizes, self.variation, self.opens)

    def piece(self, steps: Sequence[Step]) -> Piece:
        """All steps as one piece, in the unknowns of the statement."""
        with np.errstate(all="ignore"):
            return super().piece(self._sharp(steps))

    def _sharp(self, steps: Sequence[Step]) -> Sequence[Step]:
        """Steps with an edge along each shock."""
        found: list[Step] = []
        sizes = np.max([np.abs(step.start[..., 0]) @ step.mesh.widths for step in steps], axis=0)
        sizes /= np.sum(steps[0].mesh.widths)
        least = Options.visible * self.tol * np.where(sizes > 0, sizes, np.max(sizes))
        first = steps[0]
        self.compiled.begin(
            first.start[..., 0], 0.5 * (first.mesh.edges[1:] + first.mesh.edges[:-1]), first.time
        )
        sharp: Sharp | None = None
        after: np.ndarray | None = None
        for step in steps:
            if sharp is None or sharp.mesh is not step.mesh:
                sharp, after = Sharp(self.compiled, step.mesh, least), None
            before = sharp.middles(step.start, step.time) if after is None else after
            end = step.start + step.length * step.rates[0]
            after = sharp.middles(end, step.time + step.length)
            made = sharp.shown(step.start, end, (before, after), step.time, step.length)
            if made is not None and self._states(made, step.time):
                mesh, first, last = made
                step = replace(step, mesh=mesh, start=first, rates=(last - first)[None] / step.length)
            found.append(step)
        return found

    def _states(self, made: tuple[MovingMesh, np.ndarray, np.ndarray], time: float) -> bool:
        """Whether states at both ends of all cells are states of the law."""
        if not self.form.positive:
            return True
        mesh, *states = made
        half = np.sqrt(3) * np.stack([y[..., 1] for y in states])
        means = np.stack([y[..., 0] for y in states])
        ends = np.concatenate([means - half, means + half]).transpose(1, 0, 2)
        x = np.tile(0.5 * (mesh.edges[1:] + mesh.edges[:-1]), 4)
        return bool(np.all(np.isfinite(self.compiled.speeds(ends.reshape(len(ends), -1), x, time))))


class VolumeSolve(FluxSolve):
    """An integration on finite volumes: steps are straight lines in time, and claims are in L¹ by comparison alone, since a residual at points says nothing of volumes."""

    stages: ClassVar[int] = 1
    closer: ClassVar[float] = 1 / PAIRS.apart
    scale: ClassVar[Scale] = VOLUMES

    def integrated(self, state: IntegrationState) -> Integrated:
        made = super().integrated(state)
        if not math.isfinite(made.residual):
            return made
        missing = self._missing(state)
        worst = math.inf if missing else 0.0
        windows = [replace(window, residual=worst) for window in made.windows]
        warnings = [*made.warnings, *filter(None, [missing])]
        return replace(made, residual=worst, windows=windows, warnings=warnings)

    def _missing(self, state: IntegrationState) -> str:
        """A sentence where more waves come in through a face than it has conditions; none where each has one."""
        return ""

    def _looked_at(self, state: IntegrationState) -> Sequence[Step]:
        """Some of the steps."""
        return state.steps[: state.count : max(1, state.count // SCANS.instants)]


class ShockSolve(VolumeSolve):
    """The same of a conservation law on an interval; once it has been looked at, it knows whether there were shocks."""

    jumped = True

    def integrated(self, state: IntegrationState) -> Integrated:
        self.jumped = self._jumps(state.steps[: state.count])
        return super().integrated(state)

    @property
    def adapter(self) -> VolumeAdapter:
        made = self.integrator()
        assert isinstance(made, Integrator)
        assert isinstance(made.adapter, VolumeAdapter)
        return made.adapter

    def _jumps(self, steps: Sequence[Step]) -> bool:
        adapter = self.adapter
        with np.errstate(all="ignore"):
            made = ((adapter.discretize(step.mesh), step.start) for step in steps)
            return any(on.rough(on.values(start)).any() for on, start in made)

    def _missing(self, state: IntegrationState) -> str:
        """What stands still at an end does not come in."""
        if self.system.problem.periodic:
            return ""
        adapter = self.adapter
        with np.errstate(all="ignore"):
            for step in self._looked_at(state):
                values = adapter.discretize(step.mesh).values(step.start)
                middle = 0.5 * (step.mesh.edges[1:] + step.mesh.edges[:-1])
                fastest = float(np.max(adapter.law.speeds(values[..., 0], middle, step.time)))
                for end, q in zip(adapter.ends, (values[:, 0, 0], values[:, -1, -1]), strict=True):
                    speeds = adapter.law.waves(q, end.place, step.time)[0]
                    entering = int(np.sum(end.side * speeds < -SHOCKS.still * fastest))
                    if entering > end.count:
                        face = f"{self.system.problem.domain.names[0]}{'-' if end.side < 0 else '+'}"
                        return str(Missing(face, end.count, entering))
        return ""


class VolumeAttempts(IntegrationAttempts):
    """Pairs of integrations on finite volumes, until there would be too many of them."""

    solves = VolumeSolve
    pairs = SAFEGUARDS.pairs + 2
    strictest = 0.0

    def enough(self, solution: Solution) -> bool:
        return super().enough(solution) or self.inner <= self.strictest

    def learn(self, solution: Solution) -> None:
        before, found = self.inner, solution.report.error_estimate
        super().learn(solution)
        # Errors go with the width of cells, the cost with its square; a rung at a time, since an estimate that is far from the tolerance says little of what is left.
        ahead = max(SHOCKS.rung, SHOCKS.volume_aim * min(1.0, self.tol / found))
        self.inner = max(before * ahead, self.strictest)


class FluxAttempts(VolumeAttempts):
    """Pairs of integrations of a conservation law: on finite volumes where waves meet, on polynomials where they do not; each says where the other is wanted.

    On volumes digits cost ten times as much each: a pair at 1e-2 comes first, so that there is an answer early, and where nothing jumps in it polynomials follow. Where
    these do not hold the solution to the end, it jumps.
    """

    def __init__(self, problem: Problem, wanted: Wanted):
        system = EvolutionSystem(problem)
        if system.motion is not None:
            raise Unsuited("Conservation laws on intervals that move are not known here.")
        law = law_of(problem)
        self.polynomials = FluxFormulation(system, law=law)
        super().__init__(self.polynomials, wanted, from_nothing=True)
        self.solves = FluxSolve
        loose = Options(tol=max(SHOCKS.rung**2, wanted.tol), stages=STAGES)
        first = fluxes_for(system, law, loose).adapter
        assert isinstance(first, FluxAdapter)
        self.data = first.data
        # No jump, and no characteristics that meet before the end, as far as data at the start tell.
        self.jumps = len(self.data.jumps) > 0 or self.data.enters
        self.smooth = not self.jumps and not self.data.meet(problem.time)
        if not self.smooth:
            self._take_volumes()

    def _take_volumes(self) -> None:
        """Go on with finite volumes: a pair with wide ones costs a tenth, and says how many are needed."""
        self._refuse_no_states()
        aim, law, system = SHOCKS.pilot * self.data.options.tol, self.polynomials.form, self.form.system
        variation = variation_of(self.data, aim)
        opens = len(self.data.jumps) > 0 or self.data.enters
        self.form = ShockFormulation(system, law=law, variation=variation, tol=self.tol, opens=opens)
        self.solves = ShockSolve
        self.strictest = variation * math.sqrt(len(law.fields)) / SAFEGUARDS.volumes
        # The floor is one of tolerances, not of cells: a comparison solve always has fewer of them.
        self.inner = max(min(aim, variation / SHOCKS.least_volumes), self.strictest)
        self._costs = []

    def _refuse_no_states(self) -> None:
        """Data that are no states of the law: whoever has no shocks may still know what to do with them."""
        try:
            _ = self.data.ends, self.data.resolved
        except Unsuited as why:
            if not len(self.data.jumps):
                raise
            # Other engines know nothing of shocks.
            raise ProblemError(f"{why}{POSITIVE if isinstance(why, NoStates) else ''}") from None

    def enough(self, solution: Solution) -> bool:
        return super().enough(solution) and not self._broken(solution) and not self._empty(solution)

    def _empty(self, solution: Solution) -> bool:
        """Whether a pair came to no end whose cells are narrow while jumps of the data open: what is nearly no state, as beside a bed that is nearly dry, wide ones may have filled."""
        report, form = solution.report, self.form
        ended = report.status is Status.STEPS_VANISHED or (
            self.estimate and math.isnan(report.error_estimate)
        )
        opens = isinstance(form, ShockFormulation) and form.opens
        return opens and ended and report.status is not Status.OUT_OF_TIME

    def _broken(self, solution: Solution) -> bool:
        """Whether polynomials did not hold the solution to the end."""
        report = solution.report
        ended = report.status is Status.STEPS_VANISHED or math.isinf(report.residual)
        return self.solves is FluxSolve and ended

    @property
    def _jumped(self) -> bool:
        """Whether there was a shock on volumes."""
        found = [] if self.tried is None else self.tried.found
        return any(isinstance(solve, ShockSolve) and solve.jumped for solve in found)

    def learn(self, solution: Solution) -> None:
        if self._empty(solution):
            self.form, self._costs = replace(self.form, opens=False), []
            return
        if self.solves is ShockSolve and (self.jumps or self._jumped):
            super().learn(solution)
            return
        IntegrationAttempts.learn(self, solution)
        if self._broken(solution):
            self.jumps = True
            self._take_volumes()
            return
        if self.solves is ShockSolve:
            # Nothing jumped: polynomials of higher degree take fewer cells.
            self.form, self.solves, self.strictest, self._costs = self.polynomials, FluxSolve, 0.0, []
        self.inner = min(self.inner, self.tol)


def flux_attempts(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """Attempts at a conservation law whose solution jumps, or steepens until it does; Unsuited where the statement is none."""
    made = FluxAttempts(problem, wanted)
    if made.smooth:
        raise Unsuited("What stays smooth is tried in other spaces first.")
    return made


def smooth_flux_attempts(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """Attempts at a conservation law that no other cells hold, such as waves that go both ways."""
    made = FluxAttempts(problem, wanted)
    made.halved = True
    return made


def steepened_attempts(problem: Problem, wanted: Wanted) -> FluxAttempts:
    """Attempts on volumes at a conservation law that no functions have held to the end: a source or an inflow has steepened it until it jumps."""
    made = FluxAttempts(problem, wanted)
    if made.smooth:
        made.jumps = True
        made._take_volumes()
    return made


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
    """An integration of something with kinks that move; each end has its condition."""

    closer: ClassVar[float] = Options.closer
    scale: ClassVar[Scale] = JUMPS


class FrontAttempts(IntegrationAttempts):
    """Pairs of integrations with `fewest` to `most` cells: an answer early, then a better one."""

    solves = FrontSolve

    def __init__(self, form: VolumeFormulation, wanted: Wanted, fewest: int, most: int):
        super().__init__(form, wanted)
        self.strictest = (form.variation / most) ** 2
        self.inner = max(self.tol, SHOCKS.rung**3, self.strictest)
        self.inner = min(self.inner, (form.variation / fewest) ** 2)

    def enough(self, solution: Solution) -> bool:
        return super().enough(solution) or self.inner <= self.strictest

    def learn(self, solution: Solution) -> None:
        super().learn(solution)
        self.inner = max(self.inner, self.strictest)


def front_attempts(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """Attempts at a diffusion that vanishes for some values of the data; Unsuited where the statement is none."""
    system = _system(problem)
    law = conservation_law(problem)
    if isinstance(law, NotConserved) or not law.diffused or len(law.fields) > 1:
        raise Unsuited("It is no diffusion of one unknown in conservation form.")
    if not symbols_in(expanded(derivative(law.diffused[0], {law.symbols[0]: ONE}))):
        raise Unsuited("Diffusion is the same for all values.")
    first = volumes_for(system, law, Options(tol=wanted.tol, stages=1), None, 1.0).adapter
    assert isinstance(first, FrontAdapter)
    if not first.degenerate:
        raise Unsuited("Diffusion vanishes nowhere.")
    _ = first.limits  # refuses other conditions
    form = FrontFormulation(system, law=law, variation=variation_of(first.data, np.sqrt(wanted.tol)))
    return FrontAttempts(form, wanted, SHOCKS.least_volumes, SAFEGUARDS.front_volumes)


def obstacle_attempts(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """Attempts at an equation `min(A, B) = 0` of one unknown; Unsuited where the statement is none."""
    try:
        form = _obstacle(problem, wanted)
    except Unsuited as why:
        # No other engine knows what to do where a rate comes and goes.
        raise ProblemError(
            f"An equation chooses between formulas with a rate, as `min(u_t - u_xx, u) = 0` does. {why} Such an equation is solved for one unknown "
            "on one interval, with one condition at each end."
        ) from None
    return FrontAttempts(form, wanted, SHOCKS.least_volumes, SAFEGUARDS.cells)


def _obstacle(problem: Problem, wanted: Wanted) -> ObstacleFormulation:
    """Complementarity of one unknown; Unsuited where it is not."""
    system = _system(problem)
    if len(problem.rows) != 1 or len(problem.fields) != 1 or problem.functionals:
        raise Unsuited("Here are several, or means and values in formulas.")
    (field,) = problem.fields
    u = jet_symbol(Jet(field, (0, 0)))
    data = ConservationLaw((field,), (u,), (ZERO,), (ZERO,), (u,), (u,), (), (u,))
    first = obstacles_for(system, data, Options(tol=wanted.tol, stages=1), None, 1.0).adapter
    assert isinstance(first, ObstacleAdapter)
    mesh, _ = first.data.resolved
    first.discretize(mesh)  # refuses other rows and conditions
    return ObstacleFormulation(system, law=data, variation=variation_of(first.data, np.sqrt(wanted.tol)))


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
