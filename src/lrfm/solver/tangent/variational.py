# SPDX-License-Identifier: MIT
"""Derivatives of a solution by what its statement contains, in any space: the equations of first variation are integrated with those of the solution.

u and all δ share cells or modes, steps and matrices, and are resolved by one estimator and one controller. The error of δ is that of a comparison solve, as for any other unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import COSTS
from lrfm.integrate.integrator import Stopped
from lrfm.problem import Problem, ProblemError
from lrfm.problem.variations import Direction, with_variations
from lrfm.rows.derived import variations_of
from lrfm.rows.pieces import Piece
from lrfm.solver.budget import Budget, Watch
from lrfm.solver.integration import Integration, IntegrationState
from lrfm.solver.once import begun, through


@dataclass
class Variations:
    """u and some δ, integrated together once, and on demand a second time in another space of the same kind."""

    problem: Problem
    directions: Sequence[Direction]
    engine: Integration
    state: IntegrationState

    @staticmethod
    def of(problem: Problem, directions: Sequence[Direction], tol: float) -> Variations:
        """Of a statement, to a tolerance, reduced where no space holds it as it is; ProblemError where none does, or the end was not reached."""
        reason: Exception | None = None
        for reduced in (False, True):
            try:
                engine, state = begun(with_variations(problem, directions, reduced), tol)
                return Variations(problem, directions, engine, through(engine, state))
            except (Stopped, Unsuited) as error:
                reason = reason or error
        assert reason is not None
        raise _refused(reason) from reason

    def compared(self) -> Variations:
        """The comparison solve."""
        other = self.engine.second(self.state, Watch(Budget()))
        try:
            return Variations(self.problem, self.directions, other, through(other, other.begin()))
        except (Stopped, Unsuited) as error:
            raise _refused(error) from error

    @property
    def pieces(self) -> list[list[Piece]]:
        """δ along each direction, under the names of the solution's fields."""
        return variations_of(self.problem, self.engine.form.piece(self.state.steps), self.directions)


def batches(directions: Sequence[Direction]) -> list[Sequence[Direction]]:
    """Directions in groups that are integrated together: matrices grow with each."""
    return [directions[k : k + COSTS.directions] for k in range(0, len(directions), COSTS.directions)]


def _refused(error: Exception) -> ProblemError:
    return ProblemError(f"Derivatives by parameters could not be integrated: {error}")
