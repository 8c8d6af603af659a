# SPDX-License-Identifier: MIT
"""What happens in `branch`: a steady state at one end of a range, steps along the branch, folds found between them, the same on other cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import ROUNDING, SCAN, Options
from lrfm.error.indicators import CELLS
from lrfm.integrate.steady.arclength import Continuation, Point
from lrfm.integrate.steady.stationary import stationary
from lrfm.linalg.deadline import deadline
from lrfm.problem import Problem, ProblemError
from lrfm.problem.calls import naming
from lrfm.problem.errors import shown
from lrfm.rows.pieces import Piece
from lrfm.solution.solution import Solution
from lrfm.solver.budget import Budget, OutOfTime
from lrfm.solver.engine import DEFAULT_TOL
from lrfm.solver.entry import entry
from lrfm.solver.methods import MAX_FEATURES
from lrfm.solver.run import ConvergenceError
from lrfm.solver.steady.front import _data, steady
from lrfm.solver.steady.solves import Nearby, space_of

MOST = 400  # points of a branch


class Turn(NamedTuple):
    """A fold or a bifurcation: the value of the parameter, its estimated error (infinite where no comparison has it), and the number of the point before it."""

    value: float
    error: float
    after: int


@naming
@dataclass(frozen=True)
class Branch:
    """Steady states over a parameter, in the order of the branch.

    Attributes
    ----------
    values
        Of the parameter at each point.
    sizes
        By unknown: the value of largest modulus of it at each point.
    folds, bifurcations
        Where the parameter turns around, and where branches cross.
    """

    problem: Problem = field(repr=False)
    parameter: str
    values: np.ndarray = field(repr=False)
    sizes: dict[str, np.ndarray] = field(repr=False)
    folds: tuple[Turn, ...]
    bifurcations: tuple[Turn, ...]
    tolerance: float
    pieces: tuple[Piece, ...] = field(default=(), repr=False)

    def solutions(self, value: float, tol: float | None = None) -> list[Solution]:
        """All steady states of the branch at a value of the parameter, each solved to a tolerance of its own."""
        place = self.problem.replace(parameters={**self.problem.parameters, self.parameter: value})
        gaps = self.values - value
        at = [k for k in range(len(gaps) - 1) if gaps[k] == 0 or gaps[k] * gaps[k + 1] < 0]
        nearest = [k if abs(gaps[k]) <= abs(gaps[k + 1]) else k + 1 for k in at]
        found = []
        for k in nearest:
            near = Nearby.to(place, self.pieces[k])
            found.append(steady(place, tol=tol or self.tolerance, guess=near))
        return found

    def plot(self, path: str | Path | None = None) -> Any:
        """The branch, folds as dots and bifurcations as crosses; write it to `path` (png, pdf or svg)."""
        from lrfm.solution.plot.branch import branch_figure

        return branch_figure(self, path)

    def __str__(self) -> str:
        lines = [
            f"{len(self.values)} steady states, {self.parameter} from {self.values.min():g} to {self.values.max():g}"
        ]
        lines += [f"fold at {self.parameter} = {turn.value:.12g} ± {turn.error:.1e}" for turn in self.folds]
        lines += [
            f"bifurcation at {self.parameter} = {turn.value:.12g} ± {turn.error:.1e}"
            for turn in self.bifurcations
        ]
        return "\n".join(lines)


@entry()
def branch(
    problem: Problem,
    parameter: str,
    over: tuple[float, float],
    *,
    tol: float | None = None,
    guess: Any = None,
    max_points: int = MOST,
    max_seconds: float | None = 120.0,
) -> Branch:
    """Follow steady states as a parameter moves, around folds, with a picture.

    Parameters
    ----------
    problem
        A steady statement, or an evolution whose steady states are wanted; `parameter` is a number in it.
    over
        The range; the branch begins at its first end and goes on until it leaves the range.
    tol
        To which states are resolved; 1e-6 without it.
    guess
        Of the first state, as in `lrfm.steady`.
    max_points, max_seconds
        Limits; what there is by then is returned.

    Examples
    --------
    >>> import lrfm
    >>> bratu = lrfm.Problem("u_xx + lam*exp(u) = 0", domain=lrfm.Box(x=(0, 1)), boundary="u = 0", parameters={"lam": 1})
    >>> found = lrfm.branch(bratu, "lam", (0, 4))
    >>> round(found.folds[0].value, 8)
    3.51383072
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"`branch` was given a {type(problem).__name__}; expected a `lrfm.Problem`.")
    wanted = tol or DEFAULT_TOL
    still = problem.at_rest()
    low, high = _range(still, parameter, over)
    budget = Budget(MAX_FEATURES, math.inf if max_seconds is None else max_seconds)
    guesses = {} if guess is None else _data(still, guess)
    options = Options(tol=wanted)
    points: list[Point] = []
    others: tuple[list[Turn], list[Turn]] = ([], [])
    try:
        with deadline(budget.stop, lambda: budget.left):
            walker = _Walker(still, parameter, low, high, guesses)
            points, turns, crossed = walker.followed(options, max_points)
            others = walker.followed(options.compared(), 2 * max_points)[1:]
    except Unsuited as error:
        raise ProblemError(f"No branch can be followed: {error}") from error
    except OutOfTime:
        if not points:
            raise ConvergenceError(
                f"`{budget.spell('max_seconds')}` passed before there was a branch. Allow more."
            ) from None
    named = {name: still.fields_of(name) for name in still.unknowns}
    sizes = {name: np.array([_peak(p, fields) for p in points]) for name, fields in named.items()}
    return Branch(
        still,
        parameter,
        np.array([p.number for p in points]),
        sizes,
        _compared(turns, others[0], high - low),
        _compared(crossed, others[1], high - low),
        wanted,
        tuple(p.equations.piece(p.u) for p in points),
    )


def _range(problem: Problem, parameter: str, over: object) -> tuple[float, float]:
    if not isinstance(problem.parameters.get(parameter), int | float):
        raise ProblemError(
            f"`{parameter}` is no number among the parameters of the problem, along which a branch could be followed."
        )
    ends = list(over) if isinstance(over, Sequence) else []
    if (
        len(ends) != 2
        or not all(isinstance(e, int | float) and math.isfinite(e) for e in ends)
        or ends[0] == ends[1]
    ):
        raise ProblemError(
            f"The range was given as {shown(over)}; expected two different numbers, such as (0, 4)."
        )
    return float(ends[0]), float(ends[1])


def _peak(point: Point, fields: Sequence[str]) -> float:
    """The value of largest modulus at the points of the cells."""
    found = point.equations.values(point.equations.scattered(point.u))
    parts = [found[point.equations.made.system.fields.index(f)] for f in fields]
    values = parts[0] if len(parts) == 1 else np.hypot(*parts)
    return float(values.ravel()[int(np.argmax(np.abs(values)))])


def _compared(turns: list[Turn], others: list[Turn], span: float) -> tuple[Turn, ...]:
    """Each with twice its distance to the same one of the comparison."""
    found = []
    for turn in turns:
        gap = turn.error + min(
            (abs(turn.value - other.value) + other.error for other in others), default=math.inf
        )
        error = CELLS.safety * max(gap, ROUNDING.solved * abs(span))
        found.append(turn._replace(error=error if gap <= SCAN.same * abs(span) else math.inf))
    return tuple(found)


def _turn(found: Point | None, following: Point, number: int) -> Turn:
    """Where it was located; beside the point after it, with an infinite error, where it was not."""
    return Turn(float((found or following).number), 0.0 if found else math.inf, number)


class _Walker:
    """Follows a branch on cells; the number is a function of the statement, so that its rows are read once."""

    def __init__(self, problem: Problem, parameter: str, low: float, high: float, guesses: dict):
        self.low, self.high, self.value = low, high, low
        moving = problem.replace(parameters={**problem.parameters, parameter: self._function(problem)})
        self.space = space_of(problem)
        self.system = self.space.system_of(moving.with_guesses(guesses))

    def _function(self, problem: Problem) -> Callable[..., np.ndarray]:
        """λ at every place."""

        def number(*places: np.ndarray) -> np.ndarray:
            return np.full(np.shape(places[0]), self.value)

        # Arguments without names are the coordinates in their order; that of a point has no name.
        asked = [Parameter(f"at_{k}", Parameter.POSITIONAL_ONLY) for k in range(problem.domain.dimension)]
        number.__signature__ = Signature(asked)  # type: ignore[attr-defined]
        return number

    def put(self, number: float) -> None:
        self.value = number

    def followed(self, options: Options, most: int) -> tuple[list[Point], list[Turn], list[Turn]]:
        """Points, folds and bifurcations."""
        self.put(self.low)
        equations, u = self.space.begun(self.system, options)
        state = stationary(equations, u, options)
        if not state.converged:
            raise Unsuited(f"There is no steady state near the guess at its beginning, {self.low:g}.")
        walk = Continuation(self.put, abs(self.high - self.low), options)
        start = walk.pointed(state.equations, state.u, self.low, None, 0.0)
        if (self.high - self.low) * start.turn < 0:
            start = Point(start.equations, start.u, start.number, -start.slope, -start.turn, -start.sign, 0.0)
        points, folds, crossed = [start], [], []
        start = walk.pointed(start.equations, start.u, start.number, start, 0.0)
        points = [start]
        ends = min(self.low, self.high), max(self.low, self.high)
        base = start
        for following in walk.walk(start, ends, most):
            number = len(points) - 1
            if base.turn * following.turn < 0:
                # The parameter changes by the square of the distance to a fold.
                fold = walk.located(base, following, lambda p: p.turn, ROUNDING.stagnant)
                folds.append(_turn(fold, following, number))
            elif base.sign * following.sign < 0 and base.equations.mesh is following.equations.mesh:
                place = walk.located(base, following, lambda p: p.sign, ROUNDING.solved)
                crossed.append(_turn(place, following, number))
            points.append(following)
            base = walk.refined(following)
        return points, folds, crossed
