# SPDX-License-Identifier: MIT
"""`lrfm.operator`: parts by hand or chosen, as for `lrfm.solve`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lrfm.linalg import KeepsFactorization, LeastSquares
from lrfm.linalg import backends as arrays
from lrfm.linalg.clock import looking
from lrfm.linalg.room import within
from lrfm.linalg.threads import one_thread
from lrfm.problem import Problem, ProblemError
from lrfm.problem.calls import naming
from lrfm.rows.collocation import Collocation
from lrfm.solution.solution import Solution
from lrfm.solver.api import METHODS, parts_by_hand, solve
from lrfm.solver.arguments import refuse_whole
from lrfm.solver.budget import Budget, OutOfTime
from lrfm.solver.lines.form import Unsuited
from lrfm.solver.lines.response import why_not
from lrfm.solver.march import block_edges
from lrfm.solver.operators.lines import LinesOperator
from lrfm.solver.operators.maps import Operator
from lrfm.solver.planning import Room, check_memory, make_plan
from lrfm.solver.run import ConvergenceError, Progress
from lrfm.spaces import TrialSpace

LATER = (
    0.1  # part of `max_seconds` that an operator may take after it, where the solve of its own data took all
)


@naming
@one_thread
def operator(
    problem: Problem,
    *,
    method: str = "auto",
    tol: float | None = None,
    features: int | None = None,
    blocks: int | Sequence[float] | None = None,
    space: TrialSpace | None = None,
    collocation: Collocation | None = None,
    least_squares: LeastSquares | None = None,
    backend: str = "numpy",
    seed: int = 0,
    strict: bool = True,
    max_features: int = 4000,
    max_seconds: float | None = 120.0,
    max_memory: str | int | None = None,
    progress: Progress | None = None,
) -> Operator | LinesOperator:
    """Factor a linear problem once, for other initial data, forcing and boundary data.

    With `space` parts are used as they are; without it the problem is solved as `lrfm.solve` does, to meet `tol` for its own data: by lines where
    coefficients do not change in time, else in space and time.

    Parameters
    ----------
    problem
        The statement; its equations must be linear.
    method
        `"lines"`, `"space-time"`, or `"auto"`.
    least_squares
        A solver that keeps a factorization; `QR` unless given.
    tol, features, blocks, space, collocation, backend, seed, strict, max_features, max_seconds, max_memory, progress
        As in `lrfm.solve`.

    Returns
    -------
    Operator or LinesOperator
        Called with other data it returns their `Solution`.

    Examples
    --------
    >>> import lrfm
    >>> problem = lrfm.Problem("u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0")
    >>> op = lrfm.operator(problem, space=lrfm.Liquid(features=80, gate=10.0, vanish=("x-", "x+")))
    >>> solution = op(initial="sin(2*pi*x)")
    >>> round(float(solution(x=0.25, t=0.1)), 4)
    0.0193
    >>> by_lines = lrfm.operator(problem, tol=1e-8)
    >>> round(float(by_lines(initial="sin(2*pi*x)")(x=0.25, t=0.1)), 8)
    0.0192963
    """
    _check(problem, least_squares)
    limits = {"tol": tol, "seed": seed, "strict": strict, "progress": progress}
    limits |= {"max_seconds": max_seconds, "max_memory": max_memory}
    if space is not None:
        edges = block_edges(problem.time, 1 if blocks is None else blocks)
        parts = parts_by_hand(problem, edges, space, collocation, least_squares, None)
        check_memory(make_plan(problem, parts, 1, False), max_memory)
        parts = replace(parts, backend=arrays.backend(backend))
        return Operator(problem, edges, [parts] * (len(edges) - 1), seed)
    parts = {
        "features": features,
        "blocks": blocks,
        "collocation": collocation,
        "least_squares": least_squares,
    }
    parts |= {"backend": None if backend == "numpy" else backend}
    made = _by_lines(problem, method, [n for n, v in parts.items() if v is not None], limits)
    if made is not None:
        return made
    solution = solve(
        problem,
        method="space-time",
        tol=tol,
        features=features,
        blocks=blocks,
        collocation=collocation,
        least_squares=least_squares,
        backend=backend,
        seed=seed,
        strict=strict,
        max_features=max_features,
        max_seconds=max_seconds,
        max_memory=max_memory,
        progress=progress,
    )
    return Operator(problem, _whole(solution).block_edges, solution.parts, seed, solution)


def _whole(solution: Solution) -> Solution:
    """A solution that has begun; an operator cannot be made from initial data alone."""
    if solution.block_edges[-1] <= solution.problem.time[0]:
        raise ConvergenceError(f"{solution.report.advice} What there is is in `.solution`.", solution)
    return solution


def _within(
    limits: Mapping[str, Any], solution: Solution, make: Callable[[], LinesOperator]
) -> LinesOperator:
    """What the operator keeps of the march of its own data, in what is left of its time."""
    seconds = limits["max_seconds"]
    budget = Budget(
        seconds=math.inf if seconds is None else max(LATER * seconds, seconds - solution.report.seconds)
    )
    try:
        with looking(budget.stop, lambda: budget.left), within(Room(limits["max_memory"]).ask):
            return make()
    except OutOfTime:
        raise ConvergenceError(
            f"`max_seconds={seconds:g}` passed before the operator was made; its own problem is solved, in `.solution`. Allow more.",
            solution,
        ) from None


def _check(problem: Problem, least_squares: LeastSquares | None) -> None:
    """Refuse what has no operator, with what to do instead."""
    if not isinstance(problem, Problem):
        raise TypeError(f"`operator` was given a {type(problem).__name__}; expected a `lrfm.Problem`.")
    refuse_whole(problem, "lrfm.operator")
    if not (problem.forward and problem.local):
        raise ProblemError(
            "An operator maps data at the start to a solution, by rows about one point each: there are none of data at the end, orbits, "
            "means or unknowns of time alone. Solve with `lrfm.solve`."
        )
    if not problem.linear:
        raise ProblemError(
            "The problem is not linear: its matrix depends on the solution and cannot be factored once for all data. Solve it with "
            "`lrfm.solve`, and for a series of nearby problems pass the solution of one as `start=` to the next."
        )
    if least_squares is not None and not isinstance(least_squares, KeepsFactorization):
        raise ValueError(
            f"`least_squares={least_squares!r}` keeps no factorization; leave it out or give `lrfm.QR()`."
        )


def _by_lines(
    problem: Problem, method: str, parts: Sequence[str], limits: Mapping[str, Any]
) -> LinesOperator | None:
    """The operator by lines; None where the other method is asked for, or this one does not apply."""
    if method not in METHODS:
        raise ValueError(f"`method={method!r}` is not known; expected one of {', '.join(METHODS)}.")
    if method == "space-time" or (method == "auto" and parts):
        return None
    if parts:
        raise ValueError(
            f"`method='lines'` was given with `{parts[0]}`, which is a part of the method in space and time; drop one of them."
        )
    why = why_not(problem)

    def again(other: Problem, near: Solution) -> Solution:
        return solve(other, start=near, **limits)

    if not why:
        try:
            solution = _whole(solve(problem, method=method, **limits))
            if solution.report.method == "lines":
                return _within(
                    limits, solution, lambda: LinesOperator(problem, solution, limits["seed"], again)
                )
        except Unsuited as error:
            why = str(error)
    if method == "lines":
        raise ProblemError(
            f"There is no operator by lines: {why} Use `method='space-time'`, or `lrfm.solve` with `start=`."
        )
    return None
