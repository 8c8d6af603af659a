# SPDX-License-Identifier: MIT
"""The evolution system as the global basis uses it: in a moving frame, with its constant terms apart and the pace of its data."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

from lrfm.discretize.evolution import (
    ANY,
    PLACES,
    Condition,
    Entry,
    EvolutionSystem,
    Unsuited,
    is_box,
)
from lrfm.problem import Problem, Row
from lrfm.problem.frame import MovingFrame
from lrfm.solver.lines.constant import Split, split
from lrfm.solver.lines.pace import Pace

__all__ = ["ANY", "PLACES", "Condition", "Entry", "Form", "Unsuited", "form_of", "is_box"]


class Form(EvolutionSystem):
    """An evolution system, with a `frame` in that frame."""

    def __init__(self, problem: Problem, frame: MovingFrame | None = None):
        self.frame = frame
        if not all(f.whole for f in problem.functionals):
            raise Unsuited("Functions over the whole domain do not hold running integrals and memory.")
        super().__init__(problem)
        one = self.problem.domain.dimension == 1
        self._splits = {id(row): Split({}, row) if one else split(row) for row in self.equations}
        # What one draw found in the data, so that the next need not look for it again.
        self.found: dict[Any, Any] = {}

    def _stated(self, problem: Problem) -> Problem:
        self.given = problem
        return problem if self.frame is None else self.frame.statement(problem)

    def seen_in(self, frame: MovingFrame | None) -> Form:
        """The form of the same statement in another frame."""
        return self if frame == self.frame else form_of(self.given, frame)

    @cached_property
    def pace(self) -> Pace:
        """How far steps may reach, from what is given in time; looked for once, for all draws."""
        return Pace(self.problem, still=self.autonomous)

    def split(self, row: Row) -> Split:
        """An equation as its constant terms and its rest; in one dimension the grid costs nothing, and all is rest."""
        return self._splits[id(row)]


@lru_cache(maxsize=8)
def form_of(problem: Problem, frame: MovingFrame | None = None) -> Form:
    """The form of a statement, made once: what was found out about its data stays with it."""
    return Form(problem, frame)
