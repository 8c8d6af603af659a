# SPDX-License-Identifier: MIT
"""Conservation laws on cells with polynomials and explicit steps, as long as the solution is smooth; where it jumps, finite volumes take it (`lrfm.solver.formulations.volumes`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.laws.law import Law
from lrfm.discretize.options import ROUNDING, Options
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.prepare_fluxes import fluxes_for
from lrfm.integrate.schemes.explicit import STAGES
from lrfm.integrate.schemes.tableaus import radau
from lrfm.integrate.state import Step
from lrfm.problem import Problem
from lrfm.problem.algebra import Expr, Symbol
from lrfm.problem.conservation import ConservationLaw, NotConserved, conservation_law
from lrfm.problem.errors import ProblemError
from lrfm.problem.expression import jumps, substituted
from lrfm.problem.jets import Jet, jet_symbol
from lrfm.rows.pieces import Piece
from lrfm.solver.budget import Watch
from lrfm.solver.formulations.cells import CellFormulation, piece_of
from lrfm.solver.integration import Integration, IntegrationState
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

    @cached_property
    def compiled(self) -> Law:
        """The law, ready to be evaluated."""
        return Law(self.form, (self.system.problem.domain.names[0], "t"))

    def integrator(self, options: Options, sizes: np.ndarray | None) -> Integrator:
        """Explicit steps on discontinuous functions."""
        return fluxes_for(self.system, self.form, options, sizes)

    def piece(self, steps: Sequence[Step]) -> Piece:
        """All steps as one piece, in the unknowns of the statement."""
        if not self.form.plain:
            with np.errstate(all="ignore"):
                steps = [_in_unknowns(self.compiled, step) for step in steps]
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


class FluxSolve(Integration):
    """An integration of a conservation law by explicit steps."""

    stages: ClassVar[int] = STAGES
    closer: ClassVar[float] = Options.closer

    @property
    def options(self) -> Options:
        made = Options(tol=max(self.tol, ROUNDING.last), stages=self.stages)
        return made.compared_by(self.closer) if self.comparison else made

    def second(self, first: IntegrationState, watch: Watch) -> FluxSolve:
        self.found = self.sizes_of(first)
        return type(self)(self.form, self.tol, watch, True, self.halved, self.found)


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
