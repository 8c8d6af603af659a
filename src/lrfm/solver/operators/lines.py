# SPDX-License-Identifier: MIT
"""The operator of a linear problem by lines: the spaces, steps and matrices of its own integration serve all other initial data.

Data are read at the places at which the first space reads them. Where its steps are not enough for others, the answer says so; sources and boundary data that are others are
integrated anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.integrate.follow.many import Answers, KeptSteps
from lrfm.linalg.threads import one_thread
from lrfm.problem import Jet, Problem
from lrfm.rows.pieces import Piece, values_at
from lrfm.solution.report import Report, WindowReport
from lrfm.solution.solution import Solution
from lrfm.solver.integration import Formulation
from lrfm.solver.operators.data import (
    InitialValues,
    ManySolutions,
    Values,
    are_values,
    changed,
    read_many,
    with_start,
)
from lrfm.solver.operators.doubts import doubts, unseen


class _Places:
    """The places at which a space asks for functions, in the order in which it does; and functions that are known there."""

    def __init__(self, kept: KeptSteps, components: int, axes: int):
        self._kept, self._axes = kept, axes
        asked: list[np.ndarray] = []

        def look(x: np.ndarray) -> np.ndarray:
            asked.append(np.asarray(x, dtype=float).reshape(len(x), -1))
            return np.zeros((components, len(x)))

        kept.held(look)
        self.points = np.vstack(asked)

    def state(self, values: np.ndarray) -> np.ndarray:
        """The state of functions with values (components, places)."""
        used = 0

        def known(x: np.ndarray) -> np.ndarray:
            nonlocal used
            used += len(x)
            return values[:, used - len(x) : used]

        return self._kept.held(known)


class LinesOperator:
    """The solution operator of a linear problem by lines; made by `lrfm.operator`.

    `points` are the places, by axis, at which initial data are read. `solution` is that of the problem's own data, with its estimate; `again` solves
    a problem with other sources or boundary data.
    """

    def __init__(
        self,
        problem: Problem,
        solution: Solution,
        form: Formulation,
        kept: KeptSteps,
        seed: int,
        again: Callable[[Problem, Solution], Solution],
    ):
        self.problem, self.solution, self.seed, self._again = problem, solution, int(seed), again
        self._form, self._kept = form, kept
        system = form.system
        self._places = _Places(kept, len(system.components), problem.domain.dimension)
        places = self._places.points
        self._data = InitialValues(problem, np.column_stack([places, np.full(len(places), problem.time[0])]))
        self._missed = float(self._run(self._data.read(problem)[:, None])[1][0])

    @property
    def points(self) -> dict[str, np.ndarray]:
        """Coordinates at which initial data are read, by axis."""
        return self._data.by_axis

    @one_thread
    def __call__(
        self,
        *,
        initial: object = None,
        boundary: object = None,
        parameters: Mapping[str, object] | None = None,
    ) -> Solution:
        """The solution for other data; what is left out stays as it is.

        Parameters are those of `Operator`. Other sources or boundary data ask for steps of their own: they are solved anew, with errors measured by the sizes of the
        operator's own solution.
        """
        problem = self.problem
        anew = boundary is not None or parameters is not None
        if anew:
            problem = changed(problem, initial, boundary, parameters)
        elif initial is not None and not are_values(initial):
            problem = problem.with_initial(initial)
        values = self._data.asked(problem, initial)
        if anew:
            if are_values(initial):
                found, _ = self._run(values[:, None])
                problem = with_start(problem, self._form.piece(found.one(0)))
            return self._again(problem, self.solution)
        found, missed = self._run(values[:, None])
        return self.answer(problem, self._form.piece(found.one(0)), float(missed[0]), are_values(initial))

    @one_thread
    def many(self, *, initial: Sequence[object] | Values) -> LinesSolutions:
        """Solutions for many initial data at once.

        `initial` is a list of what a single call takes, or values at `points` with one row for each: an array (k, points), or a
        dictionary of such arrays.
        """
        columns, problems = read_many(self._data, initial)
        found, missed = self._run(columns)
        return LinesSolutions(self, problems, found, missed)

    @one_thread
    def step(self, values: Values, start: float | None = None) -> Values:
        """The values of the initial conditions at `points`, a whole time span after these; as that of `Operator`."""
        shift = 0.0 if start is None else float(start) - self.problem.time[0]
        stacked = self._data.stack(values)
        found, _ = self._run(stacked.reshape(len(stacked), -1), shift)
        at = self._data.points.copy()
        at[:, -1] = self.problem.time[1]
        parts = [self._form.piece(found.one(i)).values(self._data.jets, at) for i in range(len(found.ends))]
        columns = [np.concatenate([part[jet] for jet in self._data.jets]) for part in parts]
        return self._data.unstack(np.column_stack(columns).reshape(stacked.shape), values)

    def _run(self, values: np.ndarray, shift: float = 0.0) -> tuple[Answers, np.ndarray]:
        """The steps of all data, given by values (all, data), and what was missed of each."""
        system, count = self._form.system, len(self._data.points)
        starts = []
        for column in values.T:
            own = np.zeros((len(system.components), count))
            for jet, run in zip(self._data.jets, np.split(column, len(self._data.jets)), strict=True):
                own[system.first[jet.field] + jet.index[-1]] = run
            starts.append(self._places.state(own))
        found = self._kept.run(np.stack(starts), shift)
        gaps = [self._gap(found.one(i), column) for i, column in enumerate(values.T)]
        return found, np.maximum(found.missed, gaps)

    def _gap(self, steps: Sequence, values: np.ndarray) -> float:
        """How far a state is from initial values at the points, relative to these, the worst of the conditions."""
        first, worst = self._form.piece(steps[:1]), 0.0
        found = first.values(self._data.jets, self._data.points)
        for jet, run in zip(self._data.jets, np.split(values, len(self._data.jets)), strict=True):
            size = float(np.linalg.norm(run))
            if size > 0:
                worst = max(worst, float(np.linalg.norm(found[jet] - run)) / size)
        return worst

    def answer(self, problem: Problem, piece: Piece, missed: float, as_values: bool) -> Solution:
        """A solution from its piece; `as_values`: the data were values, the problem's are not they."""
        warnings = [*problem.warnings, *doubts(missed, self._missed, self.solution.report)]
        if not as_values:
            warnings += unseen(problem, [piece], self.solution.report, self.problem)
        size = len(self._data.points)
        window = WindowReport(
            window=piece.window, rows=size, columns=size, rank=size, condition=None, reason="by the operator", fit_residual=missed, residual=math.nan,
        )  # fmt: skip
        report = Report.of(
            [window], seed=self.seed, warnings=warnings, held=missed, method="lines", time=problem.time
        )
        problem = with_start(problem, piece) if as_values else problem
        return Solution(problem, [piece], report)

    def __repr__(self) -> str:
        return f"<LinesOperator of {self.problem!r}, {len(self._kept.times)} steps>"


@dataclass(frozen=True, repr=False)
class LinesSolutions(ManySolutions):
    """Solutions by number, or all at once: a call gives values of shape (k, ...).

    `misfit` says how well data and equations are met, relative to each solution.
    """

    operator: LinesOperator
    problems: Sequence[Problem | None] | None
    answers: Answers
    misfit: np.ndarray

    def __len__(self) -> int:
        return len(self.misfit)

    def _piece(self, number: int) -> Piece:
        return self.operator._form.piece(self.answers.one(number))

    @property
    def problem(self) -> Problem:  # type: ignore[override]
        return self.operator.problem

    def solution(self, number: int) -> Solution:
        problem = self.problems[number] if self.problems else None
        return self.operator.answer(
            problem or self.problem, self._piece(number), float(self.misfit[number]), problem is None
        )

    def __call__(
        self, *, outside: bool = False, **coordinates: float | np.ndarray
    ) -> np.ndarray | dict[str, np.ndarray]:
        """Values of all solutions at the same points; for several unknowns a dictionary by name."""
        problem = self.problem
        places = self.operator.solution._places(coordinates, outside)
        jets = {f: Jet(f, (0,) * (problem.domain.dimension + 1)) for f in problem.fields}
        tables = [values_at([self._piece(i)], jets.values(), places.points) for i in range(len(self))]
        fields = {f: np.array([table[jet] for table in tables]) for f, jet in jets.items()}
        return self.unknowns(fields, places.shape)
