# SPDX-License-Identifier: MIT
"""A solution linearized: δu = J δp for numbers and fields of its statement, and the adjoint product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import cast

import numpy as np

from lrfm.error.draws import difference
from lrfm.error.indicators import LINES
from lrfm.linalg.threads import one_thread
from lrfm.problem import Problem, ProblemError
from lrfm.problem.algebra import Expr, Symbol
from lrfm.problem.free import seed_of
from lrfm.rows.exponentials import Exponentials
from lrfm.rows.framed import frame_of, in_frame, seen_from
from lrfm.rows.pieces import Piece
from lrfm.rows.region_steps import RegionSteps
from lrfm.rows.steps import Steps
from lrfm.solution.error_field import ErrorField
from lrfm.solution.sensitivity import Sensitivity
from lrfm.solution.solution import Solution
from lrfm.solver.attempts import DEFAULT_TOL
from lrfm.solver.lines.form import Unsuited, form_of, is_box
from lrfm.solver.lines.front import begin, drawn
from lrfm.solver.march import COMPARE, block_rng
from lrfm.solver.tangent.bases import NOTHING, Needs, Stepped, marchable
from lrfm.solver.tangent.cells import cell_tangents, on_cells
from lrfm.solver.tangent.defect import error_field
from lrfm.solver.tangent.form import Direction, TangentForm
from lrfm.solver.tangent.march import TangentMarch

# Of steps that take the place of exponentials: factors are made once for all steps of one length, so that few long ones cost least.
STAGES = 10


class Linearized:
    """J: how u(x, t) moves with what its statement contains, at one solution.

    Made by `Solution.linearized`. Derivatives are marched when they are first asked for, all names of one call together.

    Examples
    --------
    >>> import lrfm
    >>> problem = lrfm.Problem(
    ...     "u_t = D*u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="A*sin(pi*x)", boundary="u = 0",
    ...     parameters={"D": 1, "A": 2},
    ... )
    >>> J = lrfm.solve(problem).linearized()
    >>> moved = J.product({"D": 0.1, "A": -1})  # a field: D up by 0.1, A down by 1, to first order
    >>> round(float(moved(x=0.5, t=0.1)), 6)
    -0.446277
    >>> gradient = J.adjoint([1.0], x=[0.5], t=[0.1])  # of u(0.5, 0.1)
    >>> {name: round(float(value), 6) for name, value in gradient.items()}
    {'D': -0.735696, 'A': 0.372708}
    """

    @one_thread
    def __init__(self, solution: Solution):
        self.solution = solution
        self._known: dict[str, Sensitivity] = {}
        self._error: ErrorField | None = None

    @property
    def names(self) -> list[str]:
        """The real numbers among the parameters."""
        return [name for name, value in self.solution.problem.parameters.items() if isinstance(value, Real)]

    @one_thread
    def sensitivities(self, names: Sequence[str]) -> list[Sensitivity]:
        """∂u/∂p for several parameters, marched together."""
        missing = [name for name in dict.fromkeys(names) if name not in self._known]
        if missing:
            directions = [Direction(name, (name,), seed_of(name)) for name in missing]
            self._known |= dict(zip(missing, along(self.solution, directions), strict=True))
        return [self._known[name] for name in names]

    @one_thread
    def product(self, change: Mapping[str, float]) -> Sensitivity:
        """J v = Σ_p v_p ∂u/∂p, a field: one direction, in which all these numbers move."""
        label = " + ".join(f"{v:g}*{name}" for name, v in change.items())
        seeds = {name: seed_of(name, float(v)) for name, v in change.items()}

        def seed(symbol: Symbol) -> Expr | None:
            return next((found for one in seeds.values() if (found := one(symbol)) is not None), None)

        return along(self.solution, [Direction(label, tuple(change), seed)])[0]

    @one_thread
    def adjoint(
        self,
        weights: np.ndarray | Sequence[float],
        *,
        of: str | None = None,
        **coordinates: float | np.ndarray,
    ) -> dict[str, float]:
        """Jᵀ w: the derivatives of Σ_i w_i u(x_i, t_i) by every parameter; `of` names an unknown or a derivative such as ``"u_x"``."""
        name = of or self.solution.unknowns[0]
        found = self.sensitivities(self.names)
        weights = np.asarray(weights, dtype=float)
        return {
            s.parameter: float(np.sum(weights * np.real(s.derivative(name)(outside=False, **coordinates))))
            for s in found
        }

    @property
    def has_error(self) -> bool:
        """Whether the error of the solution is known as a function."""
        return on_cells(self.solution.pieces)

    @one_thread
    def error(self) -> ErrorField:
        """The error of the solution as a field, from its defect; its report is told of it once."""
        if self._error is None:
            self._error = error_field(self.solution)
        return self._error


def linearized(solution: Solution) -> Linearized:
    """J at a solution."""
    return Linearized(solution)


def along(solution: Solution, directions: Sequence[Direction]) -> list[Sensitivity]:
    """The derivative of a solution along each direction."""
    problem, report = solution.problem, solution.report
    tol = report.tolerance or DEFAULT_TOL
    found = tangent_pieces(problem, solution.pieces, directions, tol, seed=report.seed)
    others: list[Sequence[Sequence[Piece]]] = []

    def judge(made: Sensitivity, i: int) -> tuple[float, float]:
        if not solution.second:
            return np.nan, np.nan
        if not others:
            second = solution.second
            if not on_cells(second):
                second = _steps(problem, second, tol=tol, seed=report.seed, witness=True)
            others.append(tangent_pieces(problem, second, directions, tol, seed=report.seed + 1))
        l2, linf = difference(problem, made.pieces, others[0][i], block_rng(report.seed, 0, COMPARE))
        return LINES.safety * l2, LINES.safety * linf

    plain = replace(report, warnings=())
    return [
        Sensitivity(problem, pieces, plain, d.name, lambda made, i=i: judge(made, i))
        for i, (d, pieces) in enumerate(zip(directions, found, strict=True))
    ]


def tangent_pieces(
    problem: Problem,
    pieces: Sequence[Piece],
    directions: Sequence[Direction],
    tol: float,
    needs: Needs = NOTHING,
    seed: int = 0,
) -> Sequence[Sequence[Piece]]:
    """The pieces of δ along each direction, on the steps of a solution by lines and on its cells or bases, or larger ones where these are needed."""
    if on_cells(pieces):
        return cell_tangents(problem, pieces[0], directions, tol, needs)
    pieces = _steps(problem, pieces, tol=tol, seed=seed)
    if len({getattr(p, "frame", None) for p in pieces}) > 1:
        pieces = _marched(problem, tol, seed, False)  # one form serves all of them
    frame, pieces = frame_of(pieces), [in_frame(p) for p in pieces]
    pieces = [p.stepped(0.01 * tol, STAGES) if isinstance(p, Exponentials) else p for p in pieces]
    if not all(isinstance(p, Steps | RegionSteps) for p in pieces):
        raise ProblemError("Derivatives by parameters are marched in domains that stay; this one moves.")
    form = TangentForm(problem, directions, frame)
    steps = marchable(cast(Sequence[Stepped], pieces), needs, tol, seed)
    if is_box(problem):
        return [seen_from(frame, found) for found in TangentMarch(form, tol).run(steps)]
    try:
        return TangentMarch(form, tol).run(steps)
    except Unsuited as error:
        raise ProblemError(f"Derivatives by parameters cannot be marched on this domain: {error}") from error


def _steps(
    problem: Problem, pieces: Sequence[Piece], *, tol: float, seed: int, witness: bool = False
) -> Sequence[Piece]:
    """Pieces with steps of global functions; a solution in space and time, or on cells, is marched with them once more."""
    if all(isinstance(getattr(p, "piece", p), Steps | RegionSteps | Exponentials) for p in pieces):
        return pieces
    return _marched(problem, tol, seed, witness)


def _marched(problem: Problem, tol: float, seed: int, witness: bool) -> Sequence[Piece]:
    """A march by lines that stays in one frame."""
    try:
        form = form_of(problem)
        march = begin(form, tol, [seed, 0, int(witness)], witness)
        march.changes_frames = False
        made = drawn(form, march.run(), march.counts, march.misfit)
    except Unsuited as error:
        raise ProblemError(
            f"Derivatives by parameters are marched by lines, which cannot march this statement: {error}"
        ) from error
    if made.counts.stopped:
        raise ProblemError(
            f"Derivatives by parameters are marched by lines, which did not reach the end. {made.counts.stopped.meaning}"
        )
    return made.pieces
