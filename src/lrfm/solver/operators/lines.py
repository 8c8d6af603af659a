# SPDX-License-Identifier: MIT
"""The operator of a linear problem by lines: the bases, lengths and matrices of its own march serve all other data.

Where neither equations nor data change in time a start costs two products with eigenvectors; else every step is solved for all data at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.linalg.threads import one_thread
from lrfm.problem import Jet, Problem
from lrfm.problem.frame import uniform_axes
from lrfm.rows.framed import frame_of, seen_from
from lrfm.rows.pieces import Piece, values_at
from lrfm.solution.report import Report, WindowReport
from lrfm.solution.solution import Solution
from lrfm.solver.lines.form import Form, form_of
from lrfm.solver.lines.response import ByEigenvectors, Respond, moved, names_of, windows_of
from lrfm.solver.operators.data import InitialValues, Values, are_values, changed, read_many, with_start
from lrfm.solver.operators.doubts import doubts, unseen


class LinesOperator:
    """The solution operator of a linear problem by lines; made by `lrfm.operator`.

    `points` are the places, by axis, at which initial data are read. `solution` is that of the problem's own data, with its estimate; `again` solves
    a problem whose data ask for other steps.
    """

    def __init__(
        self, problem: Problem, solution: Solution, seed: int, again: Callable[[Problem, Solution], Solution]
    ):
        self.problem, self.solution, self.seed, self._again = problem, solution, int(seed), again
        self._frame = frame_of(solution.pieces)
        self._form = form_of(problem, self._frame)
        tol = solution.report.tolerance or solution.report.error_estimate
        self._windows = windows_of(problem, solution.pieces, tol)
        basis = self._windows[0].basis
        places = basis.grid.points
        self._data = InitialValues(problem, np.column_stack([places, np.full(len(places), problem.time[0])]))
        self._missed = float(self._run(self._form, self._data.read(problem)[:, None])[1][0])

    @property
    def points(self) -> dict[str, np.ndarray]:
        """Coordinates at which initial data are read, by axis."""
        return dict(zip(self.problem.domain.names, self._data.points[:, :-1].T.copy(), strict=True))

    @one_thread
    def __call__(
        self,
        *,
        initial: object = None,
        boundary: object = None,
        parameters: Mapping[str, object] | None = None,
    ) -> Solution:
        """The solution for other data; what is left out stays as it is.

        Parameters are those of `Operator`. Sources or boundary data that change in time, where those of the operator's own problem do not, ask for
        steps that it has not taken: they are solved anew, beginning with what was chosen for it.
        """
        problem, form = self.problem, self._form
        if boundary is not None or parameters is not None:
            problem = changed(problem, initial, boundary, parameters)
            form = form_of(problem, self._frame)
        elif initial is not None and not are_values(initial):
            problem = problem.with_initial(initial)
        if are_values(initial):
            values = self._data.stack(initial)
            if values.ndim > 1:
                raise ValueError(
                    "`initial` holds values for several solutions; give them to `many(initial=...)`."
                )
        else:
            values = self._data.read(problem)
        leaps = any(isinstance(window.way, ByEigenvectors) for window in self._windows)
        if (leaps and not form.autonomous) or not self._same_everywhere(problem):
            if are_values(initial):
                y = self._states(form, values[:, None], 0.0)
                problem = with_start(problem, self._windows[0].respond(self._form, y).one(0))
            return self._again(problem, self.solution)
        pieces, missed, _ = self._run(form, values[:, None])
        return self.answer(problem, [p.one(0) for p in pieces], float(missed[0]), are_values(initial))

    @one_thread
    def many(self, *, initial: Sequence[object] | Values) -> LinesSolutions:
        """Solutions for many initial data at once.

        `initial` is a list of what a single call takes, or values at `points` with one row for each: an array (k, points), or a
        dictionary of such arrays.
        """
        columns, problems = read_many(self._data, initial)
        pieces, missed, _ = self._run(self._form, columns)
        return LinesSolutions(self, problems, pieces, missed)

    @one_thread
    def step(self, values: Values, start: float | None = None) -> Values:
        """The values of the initial conditions at `points`, a whole time span after these; as that of `Operator`."""
        shift = 0.0 if start is None else float(start) - self.problem.time[0]
        stacked = self._data.stack(values)
        _, _, end = self._run(self._form, stacked.reshape(len(stacked), -1), shift)
        end = moved(self._windows[-1], self._windows[0], end)
        parts = [self._at_the_end(end[:, self._component(jet)]) for jet in self._data.jets]
        return self._data.unstack(np.concatenate(parts, axis=1).T.reshape(stacked.shape), values)

    def _at_the_end(self, coefficients: np.ndarray) -> np.ndarray:
        """Values at `points` of functions (data, R) on the first basis, at the end of the time span."""
        basis, none = self._windows[0].basis, (0,) * self.problem.domain.dimension
        if self._frame is None:
            return basis.grid.evaluate(coefficients, none)
        places = basis.grid.points
        at = self._frame.back(np.column_stack([places, np.full(len(places), self.problem.time[1])]))
        return basis.sums(at[:, :-1], [none], coefficients)[none]

    def _same_everywhere(self, problem: Problem) -> bool:
        """Whether a statement may be looked at from the frame of the operator's own."""
        moves = (0.0,) * problem.domain.dimension if self._frame is None else self._frame.speeds
        return all(same or not c for same, c in zip(uniform_axes(problem), moves, strict=True))

    def _component(self, jet: Jet) -> int:
        return self._form.first[jet.field] + jet.index[-1]

    def _states(self, form: Form, values: np.ndarray, shift: float) -> np.ndarray:
        """Coefficients (data, components, R) of initial values, (all, data), that meet the conditions."""
        first, data = self._windows[0], values.shape[1]
        y = np.zeros((data, len(form.components), first.basis.size))
        for jet, run in zip(self._data.jets, np.split(values, len(self._data.jets)), strict=True):
            y[:, self._component(jet)] = first.basis.project(run.T)
        return first.settled(form, shift, y)

    def _run(
        self, form: Form, values: np.ndarray, shift: float = 0.0
    ) -> tuple[list[Respond], np.ndarray, np.ndarray]:
        """The pieces of all data, what was missed of each, and their states at the end."""
        y = self._states(form, values, shift)
        missed, found = self._gap(y, values), []
        for number, window in enumerate(self._windows):
            if number:
                y = window.settled(form, shift, moved(self._windows[number - 1], window, y))
            found.append(window.respond(form, y, shift))
            y, missed = found[-1].end, np.maximum(missed, found[-1].missed)
        return found, missed, y

    def _gap(self, y: np.ndarray, values: np.ndarray) -> np.ndarray:
        """How far states are from initial values at the points, relative to these, the worst of the conditions."""
        grid, none = self._windows[0].basis.grid, (0,) * self.problem.domain.dimension
        worst = np.zeros(len(y))
        for jet, run in zip(self._data.jets, np.split(values, len(self._data.jets)), strict=True):
            size = np.linalg.norm(run, axis=0)
            gap = np.linalg.norm(grid.evaluate(y[:, self._component(jet)], none).T - run, axis=0)
            worst = np.where(size > 0, np.maximum(worst, gap / np.maximum(size, 1e-300)), worst)
        return worst

    def answer(self, problem: Problem, pieces: Sequence[Piece], missed: float, as_values: bool) -> Solution:
        """A solution from its pieces; `as_values`: the data were values, the problem's are not they."""
        warnings = [*problem.warnings, *doubts(missed, self._missed, self.solution.report)]
        pieces = seen_from(self._frame, pieces)
        if not as_values:
            warnings += unseen(problem, pieces, self.solution.report, self.problem)
        reports = [
            WindowReport(
                window=piece.window,
                rows=len(window.basis.grid.points),
                columns=window.basis.features,
                rank=window.basis.size,
                condition=None,
                reason="by the operator",
                fit_residual=missed,
                residual=math.nan,
            )
            for piece, window in zip(pieces, self._windows, strict=True)
        ]
        report = Report.of(
            reports, seed=self.seed, warnings=warnings, held=missed, method="lines", time=problem.time
        )
        problem = with_start(problem, pieces[0]) if as_values else problem
        return Solution(problem, pieces, report)

    def __repr__(self) -> str:
        sizes = ", ".join(str(window.basis.size) for window in self._windows)
        return f"<LinesOperator of {self.problem!r}, functions: {sizes}>"


@dataclass(frozen=True, repr=False)
class LinesSolutions(Sequence):
    """Solutions by number, or all at once: a call gives values of shape (k, ...).

    `misfit` says how well data and equations are met, relative to each solution.
    """

    operator: LinesOperator
    problems: Sequence[Problem | None] | None
    pieces: Sequence[Respond]
    misfit: np.ndarray

    def __len__(self) -> int:
        return len(self.misfit)

    @one_thread
    def __getitem__(self, number: int) -> Solution:
        if not -len(self) <= number < len(self):
            raise IndexError(f"there are {len(self)} solutions, and number {number} is not among them.")
        number %= len(self)
        problem = self.problems[number] if self.problems else None
        own = [piece.one(number) for piece in self.pieces]
        return self.operator.answer(
            problem or self.operator.problem, own, float(self.misfit[number]), problem is None
        )

    def __call__(
        self, *, outside: bool = False, **coordinates: float | np.ndarray
    ) -> np.ndarray | dict[str, np.ndarray]:
        """Values of all solutions at the same points; for several unknowns a dictionary by name."""
        problem = self.operator.problem
        places = self.operator.solution._places(coordinates, outside)
        index = (0,) * (problem.domain.dimension + 1)
        jets = {name: Jet(name, index) for name in names_of(self.operator._form.fields, len(self))}
        pieces = seen_from(self.operator._frame, [p.piece for p in self.pieces])
        table = values_at(pieces, jets.values(), places.points)
        found = {}
        for name in problem.unknowns:
            re, *im = (
                np.array([table[jets[n]] for n in names_of([f], len(self))]).reshape(-1, *places.shape)
                for f in problem.fields_of(name)
            )
            found[name] = re + 1j * im[0] if im else re
        return found if len(found) > 1 else next(iter(found.values()))

    def __repr__(self) -> str:
        return f"<{len(self)} solutions of {self.operator.problem!r}>"
