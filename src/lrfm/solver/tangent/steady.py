# SPDX-License-Identifier: MIT
"""Derivatives of a steady state by what its statement contains:  F(u) = 0,  F′(u) δ + ∂F/∂p = 0,  solved together.

u is known and δ linear, so that Newton's method takes a step or two; cells are split until both are resolved, and the error of δ is that of a comparison solve, as for any other unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lrfm.discretize.evolution import Unsuited
from lrfm.problem import Problem, ProblemError
from lrfm.problem.variations import Direction, with_variations
from lrfm.rows.derived import variations_of
from lrfm.rows.pieces import Piece
from lrfm.solver.steady.solves import PieceDatum, Solved, SteadySolves


@dataclass(frozen=True)
class SteadyVariations:
    """u and some δ, solved for together once, and on demand a second time on other cells."""

    problem: Problem
    directions: Sequence[Direction]
    solver: SteadySolves
    solved: Solved
    tol: float

    @staticmethod
    def of(problem: Problem, piece: Piece, directions: Sequence[Direction], tol: float) -> SteadyVariations:
        """At a steady state; ProblemError where nothing is found."""
        reason = Unsuited("")
        for reduced in (False, True):
            try:
                whole = with_variations(problem, directions, reduced)
                known = {(name, 0): PieceDatum(piece) for name in problem.unknowns}
                solver = SteadySolves(whole.with_guesses(known))
                found = SteadyVariations(problem, directions, solver, solver.solved(tol), tol)
            except Unsuited as error:
                reason = error
                continue
            return found.checked()
        raise ProblemError(f"No derivatives of the steady state could be computed: {reason}") from reason

    def checked(self) -> SteadyVariations:
        """The same; ProblemError where it was not solved."""
        if not self.solved.state.converged:
            raise ProblemError(
                "No derivatives of the steady state could be computed: Newton's method does not converge. Where F′(u) is singular, as at a fold, there are none."
            )
        return self

    def compared(self) -> SteadyVariations:
        """The comparison solve."""
        other = self.solver.solved(self.tol, self.solved)
        return SteadyVariations(self.problem, self.directions, self.solver, other, self.tol).checked()

    @property
    def pieces(self) -> list[list[Piece]]:
        """δ along each direction, under the names of the solution's fields."""
        return variations_of(self.problem, self.solved.piece, self.directions)
