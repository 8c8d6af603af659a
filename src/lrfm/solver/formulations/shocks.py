# SPDX-License-Identifier: MIT
"""The engine for conservation laws: discontinuous functions on cells, explicit steps, and a claim in L¹ where the solution jumps.

Without a shock it is as with other cells: a solve, a comparison solve, stricter pairs until the estimate is at most the tolerance. Where there is one, digits cost ten times
as much each: pairs at 1e-2 and 1e-3 come first, so that there is an answer early.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from lrfm.adapt.shocks import ShockAdapter
from lrfm.adapt.volumes import VolumeAdapter
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.laws.law import Law, NoStates
from lrfm.discretize.options import ROUNDING, SAFEGUARDS, SCANS, SHOCKS, Options
from lrfm.error.indicators import CELLS, JUMPS, Scale
from lrfm.error.well_posed import Missing
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.prepare_fluxes import shocks_for
from lrfm.integrate.schemes.explicit import STAGES
from lrfm.integrate.schemes.tableaus import radau
from lrfm.integrate.state import Step
from lrfm.problem import Problem
from lrfm.problem.algebra import Expr, Symbol
from lrfm.problem.antiderivatives import substituted
from lrfm.problem.conservation import ConservationLaw, NotConserved, conservation_law
from lrfm.problem.errors import ProblemError
from lrfm.problem.expression import jumps
from lrfm.problem.jets import Jet, jet_symbol
from lrfm.rows.pieces import Piece
from lrfm.solution.solution import Solution
from lrfm.solver.budget import Budget, Watch
from lrfm.solver.engine import Attempt, Integrated
from lrfm.solver.formulations.cells import CellFormulation, piece_of
from lrfm.solver.integration import Integration, IntegrationAttempt, IntegrationAttempts, IntegrationState
from lrfm.spaces.cells.lobatto import lobatto

POSITIVE = " Give data that are positive everywhere, however small."
SCHEME = "explicit Runge-Kutta, 10 stages, order 4"


@dataclass(frozen=True)
class FluxFormulation(CellFormulation):
    """A conservation law on cells."""

    law: ConservationLaw | None = None
    name: str = "fluxes"

    @property
    def form(self) -> ConservationLaw:
        """The conservation form; it is never missing once a formulation is made."""
        assert self.law is not None
        return self.law

    def integrator(self, options: Options, sizes: np.ndarray | None) -> Integrator:
        """Explicit steps on discontinuous functions."""
        return shocks_for(self.system, self.form, options, sizes)

    def piece(self, steps: Sequence[Step]) -> Piece:
        """All steps as one piece, in the unknowns of the statement."""
        law = Law(self.form, (self.system.problem.domain.names[0], "t"))
        if not law.form.plain:
            with np.errstate(all="ignore"):
                steps = [_in_unknowns(law, step) for step in steps]
        return piece_of(self.system, steps)

    def words(self, steps: Sequence[Step]) -> Mapping[str, str]:
        """The same as with other cells, and what is conserved."""
        fluxes = (
            substituted(f, dict(zip(self.form.symbols, self.form.conserved, strict=True)))
            for f in self.form.flux
        )
        said = {"conserved": self._told(self.form.conserved), "fluxes": self._told(fluxes)}
        return {**super().words(steps), "scheme": SCHEME, **said}

    def _told(self, formulas: Iterable[Expr]) -> str:
        """Formulas as they are written."""
        names = {jet_symbol(Jet(f, (0, 0))): Symbol(f) for f in self.form.fields}
        return ", ".join(str(substituted(f, names)) for f in formulas)


@dataclass
class ShockSolve(Integration):
    """An integration of a conservation law; once it has been looked at, it knows whether there were shocks."""

    _jumped: list[bool] = field(default_factory=list, init=False, repr=False)
    stages: ClassVar[int] = STAGES
    closer: ClassVar[float] = Options.closer
    jumping: ClassVar[Scale] = JUMPS

    @property
    def options(self) -> Options:
        made = Options(tol=max(self.tol, ROUNDING.last), stages=self.stages)
        return made.compared_by(self.closer) if self.comparison else made

    def second(self, first: IntegrationState, watch: Watch) -> ShockSolve:
        other = super().second(first, watch)
        return type(self)(self.form, self.tol, watch, True, self.halved, other.sizes)

    def integrated(self, state: IntegrationState) -> Integrated:
        made = super().integrated(state)
        jumped = self._jumps(state)
        self._jumped = [jumped]
        if not jumped or not math.isfinite(made.residual):
            return made
        missing = self._missing(state)
        if missing:
            windows = [replace(window, residual=math.inf) for window in made.windows]
            return replace(made, residual=math.inf, windows=windows, warnings=[*made.warnings, missing])
        # At points a residual says nothing of a solution that jumps.
        windows = [replace(window, residual=0.0) for window in made.windows]
        return replace(made, residual=0.0, windows=windows)

    @property
    def scale(self) -> Scale:
        return self.jumping if any(self._jumped) else CELLS

    @property
    def _adapter(self) -> ShockAdapter | VolumeAdapter:
        made = self.integrator()
        assert isinstance(made, Integrator)
        assert isinstance(made.adapter, ShockAdapter | VolumeAdapter)
        return made.adapter

    def _missing(self, state: IntegrationState) -> str:
        """A sentence where more waves come in through an end than it has conditions; what stands still there does not come in."""
        adapter = self._adapter
        if self.system.problem.periodic:
            return ""
        with np.errstate(all="ignore"):
            for step in state.steps[: state.count : max(1, state.count // SCANS.instants)]:
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

    def _jumps(self, state: IntegrationState) -> bool:
        """Whether there were shocks: cells in which sub-cells counted."""
        adapter = self._adapter
        with np.errstate(all="ignore"):
            for step in state.steps[: state.count]:
                made = adapter.discretize(step.mesh)
                if made.rough(made.values(step.start)).any():
                    return True
        return False


def _in_unknowns(law: Law, step: Step) -> Step:
    """A step in the unknowns: at the start and the three nodes of the step they are what belongs to the conserved quantities there."""
    points = lobatto(step.start.shape[-1])
    scheme = radau(len(step.rates))
    q = np.concatenate(
        [step.start[None], step.start + step.length * np.tensordot(scheme.matrix, step.rates, 1)]
    )
    values = q @ points.values.T
    x = step.mesh.places(points.points).ravel()
    for i, v in enumerate(values):
        values[i] = law.primitive(v.reshape(law.size, -1), x, step.time).reshape(v.shape)
    u = values @ points.coefficients.T
    rates = np.tensordot(np.linalg.inv(step.length * scheme.matrix), u[1:] - u[0], 1)
    return replace(step, start=u[0], rates=rates)


@dataclass(frozen=True)
class ShocksAttempt(IntegrationAttempt):
    """An integration of a conservation law and its comparison."""

    solves: ClassVar[type[ShockSolve]] = ShockSolve

    def engine(self, watch: Watch) -> Integration:
        self.found.append(self.solves(self.form, self.tol, watch, halved=self.halved, sizes=self.sizes))
        return self.found[-1]


class ShocksAttempts(IntegrationAttempts):
    """Pairs of integrations of a conservation law; loose ones first where there are shocks."""

    attempt: type[ShocksAttempt] = ShocksAttempt

    def __init__(self, problem: Problem, tol: float, budget: Budget, estimate: bool):
        system = EvolutionSystem(problem)
        if system.motion is not None:
            raise Unsuited("Conservation laws on intervals that move are not known here.")
        self.law = law_of(problem)
        form = FluxFormulation(system, law=self.law)
        super().__init__(form, tol, budget, estimate, from_nothing=True)
        self.inner = max(SHOCKS.rung**2, tol)
        first = form.integrator(Options(tol=self.inner, stages=STAGES), None).adapter
        assert isinstance(first, ShockAdapter)
        self.data = first
        # No jump, and no characteristics that meet before the end, as far as data at the start tell.
        self.jumps = len(first.jumps) > 0 or first.enters
        self.smooth = not self.jumps and not first.meet(problem.time)
        if self.smooth:
            self.inner = tol
        else:
            self._refuse_no_states(first)

    @staticmethod
    def _refuse_no_states(first: ShockAdapter) -> None:
        """Data that are no states of the law: whoever has no shocks may still know what to do with them."""
        try:
            first.initial()
        except Unsuited as why:
            if not len(first.jumps):
                raise
            # Other engines know nothing of shocks.
            raise ProblemError(f"{why}{POSITIVE if isinstance(why, NoStates) else ''}") from None

    def __iter__(self) -> Iterator[Attempt]:
        for _ in range(SAFEGUARDS.pairs + 2):
            made = self.attempt(self.form, self.inner, self.reasons, self.sizes, self.halved)
            self.guessed = self.sizes is None
            yield made
            self.sizes = made.found[-1].found if made.found else None

    def learn(self, solution: Solution) -> None:
        before, found = self.inner, solution.report.error_estimate
        super().learn(solution)
        if solution.report.norm == 1:
            # A rung at a time: an estimate that is far from the tolerance says little of what is left.
            self.inner = max(self.inner, SHOCKS.rung * before)
        elif found > self.tol:
            self.inner = min(self.inner, self.tol)


def smooth_flux_attempts(problem: Problem, tol: float, budget: Budget, estimate: bool) -> IntegrationAttempts:
    """Attempts at a conservation law that no other cells hold, such as waves that go both ways."""
    made = ShocksAttempts(problem, tol, budget, estimate)
    made.halved = True
    return made


def law_of(problem: Problem) -> ConservationLaw:
    """The conservation form of a statement; Unsuited where it has none, and ProblemError where nothing else could say what a jump does."""
    found = conservation_law(problem)
    if not isinstance(found, NotConserved):
        return found
    data = [part for datum in problem.initial_data.values() for part in datum.value or ()]
    if not problem.linear and any(map(jumps, data)):
        raise ProblemError(
            f"{found.why} Initial data jump, and what becomes of a jump follows from what is conserved alone. Write the equations with fluxes, such as "
            "`u_t + diff(u**2/2, x) = 0`, or smooth data."
        )
    raise Unsuited(found.why)
