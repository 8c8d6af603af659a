# SPDX-License-Identifier: MIT
"""From data to solutions: one factorization per window, one product per datum."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from lrfm.linalg.threads import one_thread
from lrfm.problem import Box, Problem, ProblemError
from lrfm.solution.report import Report, WindowReport
from lrfm.solution.solution import Solution
from lrfm.solver.engine import FIRST, HELD, block_rng
from lrfm.solver.operators.data import InitialValues, Values, are_values, changed, read_many, with_start
from lrfm.solver.operators.doubts import doubts, unseen
from lrfm.spacetime.engine import REDRAW
from lrfm.spacetime.least_squares.column_groups import Matrix
from lrfm.spacetime.least_squares.data_map import FixedRows
from lrfm.spacetime.operators.solutions import Solutions
from lrfm.spacetime.windows.parts import Parts, describe
from lrfm.spacetime.windows.propagator import Propagator

ROUNDING = 1e-12  # largest value of a feature that counts as zero


class Operator:
    """The solution operator of a linear problem; made by `lrfm.operator`.

    `points` are the places, by axis, at which initial data are read. `solution` is that of the problem's own data.
    """

    def __init__(
        self,
        problem: Problem,
        edges: np.ndarray,
        parts: Sequence[Parts],
        seed: int,
        solution: Solution | None = None,
    ):
        self.problem, self.parts, self.seed = problem, tuple(parts), int(seed)
        self.windows = [(float(a), float(b)) for a, b in pairwise(edges)]
        self._stages = self._factor()
        self._traces: dict[tuple[int, int], Matrix] = {}
        self._data = InitialValues(problem, self._stages[0].points.initial)
        self._own_sources = self._sources(problem, 0.0)
        self._misfit = float(self._run(self._data.read(problem), self._own_sources)[1])
        self._solution = solution

    def _factor(self) -> list[Propagator]:
        """A factorization for each window; where coefficients do not change in time, for each run of equal windows."""
        made: dict[int, Propagator] = {}
        stages = []
        for number, (begin, end) in enumerate(self.windows):
            first = number - number % REDRAW
            length = self.windows[first][1] - self.windows[first][0]
            if not self.problem.stationary or abs(end - begin - length) > 1e-9 * length:
                first = number
            if first not in made:
                rng = block_rng(self.seed, first, FIRST)
                made[first] = Propagator(self.problem, self.parts[first], self.windows[first], rng)
            stages.append(made[first])
        return stages

    # What is asked ------------------------------------------------------------------------------------------

    @property
    def points(self) -> dict[str, np.ndarray]:
        """Coordinates at which initial data are read, by axis."""
        return self._data.by_axis

    @property
    @one_thread
    def solution(self) -> Solution:
        """The solution of the problem's own data, with residuals on fresh points."""
        if self._solution is None:
            solved = []
            for number, (stage, window) in enumerate(zip(self._stages, self.windows, strict=True)):
                previous = solved[-1].expansion if solved else None
                solved.append(stage.step(window, previous, block_rng(self.seed, number, HELD)))
            report = self._report([s.report for s in solved], self.problem.warnings)
            self._solution = Solution(self.problem, [s.expansion for s in solved], report, self.parts)
        return self._solution

    @one_thread
    def __call__(
        self,
        *,
        initial: object = None,
        boundary: object = None,
        parameters: Mapping[str, object] | None = None,
    ) -> Solution:
        """The solution for other data; what is left out stays as it is.

        Parameters
        ----------
        initial
            What `Problem(initial=...)` takes, or values at `points`: an array, or a dictionary of arrays.
        boundary
            What `Problem(boundary=...)` takes, the same conditions with other data.
        parameters
            Other values of parameters that occur in sources and boundary data only, such as a forcing.
        """
        problem, sources = self.problem, self._own_sources
        if boundary is not None or parameters is not None:
            problem = changed(problem, initial, boundary, parameters)
            self._check_faces(problem)
            sources = self._sources(problem, 0.0)
        elif initial is not None and not are_values(initial):
            problem = problem.with_initial(initial)
        coefficients, misfit = self._run(self._data.asked(problem, initial), sources)
        return self.answer(problem, coefficients, float(misfit), are_values(initial))

    @one_thread
    def many(self, *, initial: Sequence[object] | Values) -> Solutions:
        """Solutions for many initial data at once.

        `initial` is a list of what a single call takes, or values at `points` with one row for each: an array (k, points), or a
        dictionary of such arrays.
        """
        columns, problems = read_many(self._data, initial)
        coefficients, misfit = self._run(columns, self._own_sources)
        return Solutions(self, problems, coefficients, misfit)

    @one_thread
    def step(self, values: Values, start: float | None = None) -> Values:
        """The values of the initial conditions at `points`, a whole time span after these.

        One array for one condition, else a dictionary; (points,) or, for many, (k, points). `start` is the time at which the step
        begins, where it is not the beginning of the problem: sources are then those of that time.
        """
        shift = 0.0 if start is None else float(start) - self.problem.time[0]
        if shift and not self.problem.stationary:
            raise ValueError(
                f"`start={start}` moves the step in time, and the coefficients of the equations change in time. Make an operator of "
                "that time span."
            )
        sources = self._sources(self.problem, shift) if shift else self._own_sources
        coefficients, _ = self._run(self._data.stack(values), sources)
        return self._data.unstack(self._trace(len(self._stages) - 1, 0) @ coefficients[-1], values)

    # How it is answered -------------------------------------------------------------------------------------

    def _sources(self, problem: Problem, shift: float) -> list[FixedRows]:
        pairs = zip(self._stages, self.windows, strict=True)
        return [stage.sources(window[0] - stage.window[0] + shift, problem) for stage, window in pairs]

    def _check_faces(self, problem: Problem) -> None:
        """A space that is zero on a face holds no other value there."""
        stage = self._stages[0]
        value = (0,) * (problem.domain.dimension + 1)
        for face, rows in problem.face_rows.items():
            if isinstance(problem.domain, Box):
                axis, upper = problem.domain.face(face)
                points = stage.points.pairs[axis][int(upper)]
            else:
                points = stage.points.parts[face]
            zero = np.abs(stage.space.jets(points, [value])[value]).max() < ROUNDING
            if zero and any(np.any(row.affine(points)[0] != 0) for row in rows):
                raise ProblemError(
                    f"The trial space of the operator is zero on the face `{face}`, and the data there are not. Make the operator of a "
                    "problem whose data there are not zero, or give it a `space` without `vanish`."
                )

    def _run(self, values: np.ndarray, sources: Sequence[FixedRows]) -> tuple[list[np.ndarray], np.ndarray]:
        """Coefficients of every window, (columns,) or (columns, k), and the worst relative misfit."""
        coefficients: list[np.ndarray] = []
        worst = np.zeros(values.shape[1:])
        for number, (stage, fixed) in enumerate(zip(self._stages, sources, strict=True)):
            if number:
                values = self._trace(number - 1, number) @ coefficients[-1]
            c, misfit = stage.respond(fixed, values)
            coefficients.append(c)
            worst = np.maximum(worst, misfit)
        return coefficients, worst

    def _trace(self, number: int, after: int) -> Matrix:
        """From the coefficients of a window to its values at the end, at the initial points of another."""
        key = (id(self._stages[number]), id(self._stages[after]))
        if key not in self._traces:
            self._traces[key] = self._stages[number].trace(self._stages[after].points.initial)
        return self._traces[key]

    def answer(
        self, problem: Problem, coefficients: Sequence[np.ndarray], misfit: float, as_values: bool
    ) -> Solution:
        """A solution from its coefficients; `as_values`: the data were values, the problem's are not they."""
        triples = list(zip(self._stages, self.windows, coefficients, strict=True))
        pieces = [stage.expansion(window, c) for stage, window, c in triples]
        reports = [_block_report(stage, window, misfit) for stage, window, _ in triples]
        warnings = list(problem.warnings)
        known = None if self._solution is None else self._solution.report
        warnings += doubts(misfit, self._misfit, known)
        if not as_values:
            warnings += unseen(problem, pieces, known, self.problem)
        problem = with_start(problem, pieces[0]) if as_values else problem
        return Solution(problem, pieces, self._report(reports, warnings), self.parts)

    def _report(self, reports: list[WindowReport], warnings: Sequence[str]) -> Report:
        held = max(r.fit_residual for r in reports)
        return Report.of(reports, seed=self.seed, parts=describe(self.parts[0]), warnings=warnings, held=held)

    def __repr__(self) -> str:
        return f"<Operator of {self.problem!r}, {len(self.windows)} block(s), {self._stages[0].shape[1]} columns>"


def _block_report(stage: Propagator, window: tuple[float, float], misfit: float) -> WindowReport:
    rows, columns = stage.shape
    return WindowReport(
        window=window,
        rows=rows,
        columns=columns,
        rank=columns,
        condition=None,
        reason="by the operator",
        fit_residual=misfit,
        residual=math.nan,
    )
