# SPDX-License-Identifier: MIT
"""All values of one parameter: solutions at Chebyshev's nodes, twice as many until those held out agree, intervals cut where that takes too many."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lrfm.problem import Problem, ProblemError
from lrfm.problem.spans import Range
from lrfm.solution.family import Family, Interval, nodes
from lrfm.solution.solution import Solution

FIRST, MOST = 3, 17  # nodes of an interval
CUTS = 4  # how often an interval is halved
SHARE = 0.3  # of the tolerance for the solutions at nodes
COMPARED = 1500  # points at which two fields are compared

Solve = Callable[[Problem, float, bool], Solution]


def ranges(problem: Problem) -> dict[str, Range]:
    """The parameters that are ranges."""
    return {name: p for name, p in problem.parameters.items() if isinstance(p, Range)}


def solve_range(problem: Problem, tol: float, solve: Solve) -> Family:
    """u(x, t, p) over the range of one parameter; `solve(problem, tol, estimate)` solves for one value."""
    found = ranges(problem)
    if len(found) > 1:
        raise ProblemError(
            f"There are ranges for {', '.join(found)}; one parameter at a time can be a coordinate."
        )
    ((name, span),) = found.items()
    return _Build(problem, name, span, tol, solve).family()


class _Build:
    def __init__(self, problem: Problem, name: str, span: Range, tol: float, solve: Solve):
        self.problem, self.name, self.span, self.tol, self.solve = problem, name, span, tol, solve
        self.known: dict[float, Solution] = {}
        rng = np.random.default_rng(0)
        bounds = {**problem.domain.axes, "t": problem.time}
        self.places = {axis: a + (b - a) * rng.random(COMPARED) for axis, (a, b) in bounds.items()}
        self.worst = 0.0

    def family(self) -> Family:
        ends = self.span.coordinate(self.span.lower), self.span.coordinate(self.span.upper)
        intervals = self._intervals(*ends, CUTS)
        hardest = max(self.known.values(), key=lambda s: s.report.seconds)
        judged = self.solve(hardest.problem, SHARE * self.tol, True)
        errors = {"solutions": judged.report.error_estimate, "interpolation": self.worst}
        return Family(self.problem, self.name, self.span, intervals, errors)

    def _intervals(self, low: float, high: float, cuts: int) -> list[Interval]:
        """One interval, or two halves of it where its nodes are not enough."""
        count = FIRST
        while True:
            interval = Interval(low, high, [self._at(low + (high - low) * (1 + s) / 2) for s in nodes(count)])
            finer = 2 * count - 1
            held = [low + (high - low) * (1 + s) / 2 for s in nodes(finer)[1::2]]
            gap = max(self._gap(interval, c) for c in held)
            if gap <= (1 - SHARE) * self.tol or (finer > MOST and cuts == 0):
                # What was held out is at hand, and joins: the error that is stated is that before it did.
                self.worst = max(self.worst, gap)
                return [
                    Interval(low, high, [self._at(low + (high - low) * (1 + s) / 2) for s in nodes(finer)])
                ]
            if finer > MOST or (finer == MOST and gap > 1e3 * self.tol and cuts):
                middle = 0.5 * (low + high)
                return [*self._intervals(low, middle, cuts - 1), *self._intervals(middle, high, cuts - 1)]
            count = finer

    def _at(self, coordinate: float) -> Solution:
        key = round(coordinate, 12)
        if key not in self.known:
            problem = self.problem.replace(
                parameters={**self.problem.parameters, self.name: self.span.value(coordinate)}, reference=None
            )
            self.known[key] = self.solve(problem, SHARE * self.tol, False)
        return self.known[key]

    def _gap(self, interval: Interval, coordinate: float) -> float:
        """The relative distance of the interpolated field from one that was computed, the worst of the unknowns."""
        exact = self._at(coordinate)
        weights = interval.weights(np.array([coordinate]))[0][0]
        worst = 0.0
        for unknown in self.problem.unknowns:
            field = np.asarray(exact[unknown](outside=False, **self.places))
            mixed = sum(
                w * s[unknown](outside=False, **self.places)
                for w, s in zip(weights, interval.solutions, strict=True)
            )
            worst = max(worst, float(np.linalg.norm(mixed - field) / max(np.linalg.norm(field), 1e-300)))
        return worst
