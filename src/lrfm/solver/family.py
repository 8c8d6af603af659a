# SPDX-License-Identifier: MIT
"""`lrfm.family`: one parameter as a coordinate, u(x, t, p).

All values of one parameter: solutions at nodes, one more at a time until those before foretell it, intervals cut where that takes too many.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import ROUNDING, Options
from lrfm.linalg.threads import one_thread
from lrfm.problem import Problem, ProblemError
from lrfm.problem.calls import naming
from lrfm.problem.spans import Range
from lrfm.rows.placing import fill
from lrfm.solution.family import Family, Interval
from lrfm.solution.report import Report
from lrfm.solution.solution import Solution
from lrfm.solver.api import solve
from lrfm.solver.budget import Budget
from lrfm.solver.engine import DEFAULT_TOL
from lrfm.solver.formulations.order import SPACES
from lrfm.solver.linearizing import linearized
from lrfm.solver.once import begun
from lrfm.solver.steady.front import steady


@naming
@one_thread
def family(problem: Problem, *, tol: float = DEFAULT_TOL, seed: int = 0) -> Family:
    """Solve for all values of a parameter that is a `lrfm.Range`: u(x, t, p), to `tol` over the whole range.

    Solutions are computed at nodes in p, or in log p, by lines, each where the polynomial through those before is known least; there are more of
    them until two in a row were foretold, and the range is cut into pieces where one polynomial is not enough.

    Parameters
    ----------
    problem
        A statement with one `lrfm.Range` among its parameters.
    tol
        Relative L² error for every value of the parameter: three tenths for the solutions, the rest for what is between them.
    seed
        Fixes every random draw.

    Examples
    --------
    >>> import lrfm
    >>> problem = lrfm.Problem(
    ...     "u_t = D*u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0",
    ...     parameters={"D": lrfm.Range(0.5, 1)},
    ... )
    >>> u = lrfm.family(problem, tol=1e-4)
    >>> round(float(u(x=0.5, t=0.1, D=0.7)), 3), round(float(u.derivative("u_D")(x=0.5, t=0.1, D=0.7)), 2)
    (0.501, -0.49)
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"`family` was given a {type(problem).__name__}; expected a `lrfm.Problem`.")
    if not problem.ranges:
        raise ProblemError(
            "No parameter of this problem is a range; write `lrfm.Range(lower, upper)` in the place of a number."
        )
    if not 0 < tol < 1:
        raise ValueError(f"`tol={tol!r}` must lie between 0 and 1; it is a relative error.")

    def one(each: Problem, tolerance: float, estimate: bool, near: Solution | None) -> Solution:
        if problem.steady:  # near that of another value, so that all are of one branch
            return steady(each, tol=tolerance, guess=near, strict=not estimate, max_seconds=None)
        if estimate:
            return solve(each, tol=tolerance, method="lines", seed=seed, strict=False, max_seconds=None)
        return _alone(each, tolerance, seed)

    return solve_range(problem, tol, one)


def _alone(problem: Problem, tol: float, seed: int) -> Solution:
    """A solution without a comparison and an estimate, integrated to a tenth of the tolerance, since nobody looks whether it was met."""
    budget = Budget(seconds=math.inf)
    try:
        engine, state = begun(problem, max(Options.minor * tol, ROUNDING.last), tuple(SPACES), budget)
        while not engine.finished(state):
            state = engine.advance(state)
        integrated = engine.integrated(state)
    except Unsuited as error:
        raise ProblemError(
            f"No space holds this statement, so that there is no family of it: {error}"
        ) from error
    if not integrated.complete:
        raise ProblemError(
            f"The problem could not be solved for {dict(problem.parameters)}; shorten the range."
        )
    report = Report.of(
        integrated.windows,
        seed=seed,
        parts=integrated.words,
        seconds=budget.spent,
        tolerance=tol,
        method="lines",
        time=problem.time,
    )
    return Solution(problem, integrated.pieces, report, linearize=linearized)


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
