# SPDX-License-Identifier: MIT
"""All values of one parameter: solutions at nodes, one more at a time until those before foretell it, intervals cut where that takes too many."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lrfm.problem import Problem, ProblemError
from lrfm.problem.spans import Range
from lrfm.rows.placing import fill
from lrfm.solution.family import Family, Interval
from lrfm.solution.solution import Solution

MOST = 33  # nodes of an interval
AGREED = 2  # solutions in a row that were foretold
LOOKED = 4  # of the last ones, from which the rest is extrapolated
CUTS = 4  # how often an interval is halved
SHARE = 0.3  # of the tolerance for the solutions at nodes
FINE = 4001  # places among which the next node is chosen
COMPARED = 1500  # points at which two fields are compared

Solve = Callable[[Problem, float, bool, Solution | None], Solution]


def solve_range(problem: Problem, tol: float, solve: Solve) -> Family:
    """u(x, t, p) over the range of one parameter; `solve(problem, tol, estimate, near)` solves for one value."""
    found = problem.ranges
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
        domain, (start, end) = problem.domain, problem.time
        times = start + (end - start) * rng.random(COMPARED)
        inside = fill(domain, rng.random((COMPARED, domain.dimension)), times, rng)
        places = {**dict(zip(domain.names, inside.T, strict=True)), "t": times}
        self.places = {name: at for name, at in places.items() if name not in problem.absent}
        self.worst = 0.0

    def family(self) -> Family:
        ends = self.span.coordinate(self.span.lower), self.span.coordinate(self.span.upper)
        intervals = self._intervals(*ends, CUTS)
        hardest = max(self.known.values(), key=lambda s: s.report.seconds)
        judged = self.solve(hardest.problem, SHARE * self.tol, True, hardest)
        errors = {"solutions": judged.report.error_estimate, "interpolation": self.worst}
        return Family(self.problem, self.name, self.span, intervals, errors)

    def _intervals(self, low: float, high: float, cuts: int) -> list[Interval]:
        """One interval, or two halves of it where its nodes are not enough.

        The next node is where ∏|s − s_j| is largest (Leja): what is solved there has been foretold at the worst place, and joins.
        """
        places = [low, *(c for c in self.known if low < c < high), high]
        interval = self._through(low, high, places)
        gaps: list[float] = []
        while True:
            places.append(_worst_place(interval))
            gaps.append(self._gap(interval, places[-1]))
            interval = self._through(low, high, places)
            found = gaps[-AGREED:]
            if len(found) == AGREED and max(found) <= (1 - SHARE) * self.tol:
                break
            if len(interval.solutions) >= MOST and not cuts:
                break
            if cuts and self._hopeless(gaps, len(interval.solutions)):
                middle = 0.5 * (low + high)
                return [*self._intervals(low, middle, cuts - 1), *self._intervals(middle, high, cuts - 1)]
        self.worst = max(self.worst, *gaps[-AGREED:])
        return [interval]

    def _hopeless(self, gaps: list[float], count: int) -> bool:
        """Whether gaps that go on falling as they fall would not be small enough with the most nodes that an interval may have."""
        if count >= MOST:
            return True
        if len(gaps) < 2 * LOOKED:
            return False
        before, now = (float(np.max(some)) for some in (gaps[-2 * LOOKED : -LOOKED], gaps[-LOOKED:]))
        rate = np.log(max(before, 1e-300) / max(now, 1e-300)) / LOOKED
        return np.log(now / self.tol) > rate * (MOST - count)

    def _through(self, low: float, high: float, coordinates: Sequence[float]) -> Interval:
        return Interval.of(low, high, [self._at(c) for c in coordinates], self.name, self.span)

    def _at(self, coordinate: float) -> Solution:
        if coordinate not in self.known:
            problem = self.problem.replace(
                parameters={**self.problem.parameters, self.name: self.span.value(coordinate)}, reference=None
            )
            nearest = sorted(self.known, key=lambda c: abs(c - coordinate))[:1]
            near = self.known[nearest[0]] if nearest else None
            self.known[coordinate] = self.solve(problem, SHARE * self.tol, False, near)
        return self.known[coordinate]

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


def _worst_place(interval: Interval) -> float:
    """Where ∏|s − s_j| is largest."""
    places = np.linspace(interval.low, interval.high, FINE)
    own = interval.scaled(np.array(interval.coordinates))
    distances = np.abs(interval.scaled(places)[:, None] - own)
    return float(places[np.argmax(np.sum(np.log(np.maximum(distances, 1e-300)), axis=1))])
