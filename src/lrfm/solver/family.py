# SPDX-License-Identifier: MIT
"""`lrfm.family`: one parameter as a coordinate, u(x, t, p)."""

from __future__ import annotations

import math

from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import ROUNDING, Options
from lrfm.linalg.threads import one_thread
from lrfm.problem import Problem, ProblemError
from lrfm.problem.calls import naming
from lrfm.solution.family import Family
from lrfm.solution.report import Report
from lrfm.solution.solution import Solution
from lrfm.solver.api import solve
from lrfm.solver.budget import Budget
from lrfm.solver.engine import DEFAULT_TOL
from lrfm.solver.formulations.order import SPACES
from lrfm.solver.linearizing import linearized
from lrfm.solver.once import begun
from lrfm.solver.ranges import solve_range
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
