# SPDX-License-Identifier: MIT
"""`lrfm.operator`: parts by hand or chosen, as for `lrfm.solve`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.line.layout import Layout, points_of
from lrfm.discretize.options import ROUNDING, Options, stages_for
from lrfm.integrate.follow.many import KeptSteps
from lrfm.integrate.integrator import Integrator, Stopped
from lrfm.linalg.deadline import deadline
from lrfm.linalg.room import within
from lrfm.problem import Problem, ProblemError
from lrfm.solution.solution import Solution
from lrfm.solver.api import solve
from lrfm.solver.arguments import refuse_whole, suits_space_time
from lrfm.solver.budget import Budget, OutOfTime, Room
from lrfm.solver.engine import DEFAULT_TOL
from lrfm.solver.entry import entry
from lrfm.solver.formulations.cells import CellFormulation
from lrfm.solver.integration import Formulation
from lrfm.solver.methods import Auto, Lines, Method, SpaceTime, method_of
from lrfm.solver.once import begun
from lrfm.solver.operators.lines import LinesOperator
from lrfm.solver.run import ConvergenceError, Progress

if TYPE_CHECKING:
    from lrfm.spacetime.operators import Operator

LATER = (
    0.1  # part of `max_seconds` that an operator may take after it, where the solve of its own data took all
)


@entry(reads=False, folds=True)
def operator(
    problem: Problem,
    *,
    method: str | Method = "auto",
    tol: float | None = None,
    seed: int = 0,
    strict: bool = True,
    max_seconds: float | None = 120.0,
    max_memory: str | int | None = None,
    progress: Progress | None = None,
) -> Operator | LinesOperator:
    """Factor a linear problem once, for other initial data, forcing and boundary data.

    The problem is solved as `lrfm.solve` does, to meet `tol` for its own data: by lines wherever these hold it, else in
    space and time. With the `space` of `lrfm.SpaceTime` its parts are used as they are, and nothing is solved before data are given.

    Parameters
    ----------
    problem
        The statement; its equations must be linear.
    method, tol, seed, strict, max_seconds, max_memory, progress
        As in `lrfm.solve`; the `least_squares` of `lrfm.SpaceTime` has to keep a factorization, as `lrfm.QR()` does.

    Returns
    -------
    Operator or LinesOperator
        Called with other data it returns their `Solution`.

    Examples
    --------
    >>> import lrfm
    >>> problem = lrfm.Problem("u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0")
    >>> op = lrfm.operator(problem, method=lrfm.SpaceTime(space=lrfm.Liquid(features=80, gate=10.0, vanish=("x-", "x+"))))
    >>> solution = op(initial="sin(2*pi*x)")
    >>> round(float(solution(x=0.25, t=0.1)), 4)
    0.0193
    >>> by_lines = lrfm.operator(problem, tol=1e-8)
    >>> round(float(by_lines(initial="sin(2*pi*x)")(x=0.25, t=0.1)), 8)
    0.0192963
    """
    way = method_of(method)
    given = way if isinstance(way, SpaceTime) else SpaceTime()
    _check(problem, given.least_squares)
    limits = {"tol": tol, "seed": seed, "strict": strict, "progress": progress}
    limits |= {"max_seconds": max_seconds, "max_memory": max_memory}
    if given.space is not None:
        return given.operator(problem, seed, max_memory)
    made = None if isinstance(way, SpaceTime) else _by_lines(problem, way, limits)
    if made is not None:
        return made
    most = given.max_features if isinstance(way, Lines) else way.max_features
    solution = solve(problem, method=replace(given, max_features=most), **limits)
    return SpaceTime.operator_of(problem, solution, _whole(solution).block_edges, seed)


def _whole(solution: Solution) -> Solution:
    """A solution that has begun; an operator cannot be made from initial data alone."""
    if solution.block_edges[-1] <= solution.problem.time[0]:
        raise ConvergenceError(f"{solution.report.advice} What there is is in `.solution`.", solution)
    return solution


def _within(
    limits: Mapping[str, Any], solution: Solution, make: Callable[[], LinesOperator]
) -> LinesOperator:
    """What the operator keeps of the integration of its own data, in what is left of its time."""
    seconds = limits["max_seconds"]
    budget = Budget(
        seconds=math.inf if seconds is None else max(LATER * seconds, seconds - solution.report.seconds)
    )
    try:
        with deadline(budget.stop, lambda: budget.left), within(Room(limits["max_memory"]).ask):
            return make()
    except OutOfTime:
        raise ConvergenceError(
            f"`max_seconds={seconds:g}` passed before the operator was made; its own problem is solved, in `.solution`. Allow more.",
            solution,
        ) from None


def _check(problem: Problem, least_squares: object) -> None:
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
    if least_squares is not None and not callable(getattr(least_squares, "factor", None)):
        raise ValueError(
            f"`least_squares={least_squares!r}` keeps no factorization; leave it out or give `lrfm.QR()`."
        )


def _by_lines(problem: Problem, way: Auto | Lines, limits: Mapping[str, Any]) -> LinesOperator | None:
    """The operator by lines; None where it does not apply, and the other method may be taken."""
    try:
        tol = max(Options.minor * (limits["tol"] or DEFAULT_TOL), ROUNDING.last)
        form = _formulation(problem, tol)
        solution = _whole(solve(problem, method=way, **limits))

        def again(other: Problem, near: Solution) -> Solution:
            return solve(other, start=near, method=way, **limits)

        def made() -> LinesOperator:
            integrator = form.integrator(Options(tol=tol, stages=stages_for(tol)), None)
            assert isinstance(integrator, Integrator)
            return LinesOperator(problem, solution, form, KeptSteps(integrator), limits["seed"], again)

        return _within(limits, solution, made)
    except (Unsuited, Stopped, np.linalg.LinAlgError) as error:
        if isinstance(way, Lines) or not suits_space_time(problem):
            raise ProblemError(
                f"There is no operator by lines: {error} Use `method='space-time'`, or `lrfm.solve` with `start=`."
            ) from error
        return None


def _formulation(problem: Problem, tol: float) -> Formulation:
    """The statement in a space that stays where it is: other data travel at other speeds."""
    if problem.domain.dimension > 1:
        return begun(problem, tol)[0].form
    system = EvolutionSystem(problem)
    Layout(system, points_of(system, Options(tol=tol))).check()
    return CellFormulation(system)
