# SPDX-License-Identifier: MIT
"""A solution linearized: δu = J δp for numbers and fields of its statement, and the adjoint product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real

import numpy as np

from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import Options
from lrfm.error.draws import difference
from lrfm.error.indicators import LINES
from lrfm.integrate.integrator import Stopped
from lrfm.linalg.threads import one_thread
from lrfm.problem import Problem, ProblemError
from lrfm.problem.algebra import Expr, Symbol
from lrfm.problem.errors import listing
from lrfm.problem.free import seed_of
from lrfm.problem.variations import Direction
from lrfm.rows.pieces import Piece
from lrfm.solution.error_field import ErrorField
from lrfm.solution.sensitivity import Sensitivity
from lrfm.solution.solution import Solution
from lrfm.solver.engine import COMPARE, DEFAULT_TOL, block_rng
from lrfm.solver.once import integrated
from lrfm.solver.tangent.cells import cell_tangents, on_cells
from lrfm.solver.tangent.defect import compared_field, error_field, has_comparison
from lrfm.solver.tangent.form import NOTHING, Needs
from lrfm.solver.tangent.steady import SteadyVariations
from lrfm.solver.tangent.variational import Variations, batches

COMPARED = 0.25  # part of the tolerance of a comparison where the solution has none on cells


class Linearized:
    """J: how u(x, t) moves with what its statement contains, at one solution.

    Made by `Solution.linearized`. Derivatives are integrated when they are first asked for, all names of one call together.

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
        """∂u/∂p for several parameters, integrated together."""
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
        if self.solution.problem.steady:
            return False
        return on_cells(self.solution.pieces) or has_comparison(self.solution)

    @one_thread
    def error(self) -> ErrorField:
        """The error of the solution as a field, from its defect on cells of a line, else from its comparison solve; its report is told of it once."""
        if self._error is None:
            defect = on_cells(self.solution.pieces) or not has_comparison(self.solution)
            self._error = error_field(self.solution) if defect else compared_field(self.solution)
        return self._error


def linearized(solution: Solution) -> Linearized:
    """J at a solution."""
    return Linearized(solution)


def along(solution: Solution, directions: Sequence[Direction]) -> list[Sensitivity]:
    """The derivative of a solution along each direction."""
    problem, report = solution.problem, solution.report
    if problem.steady and problem.moved is not None and report.undetermined:
        raise ProblemError(
            f"What {listing(report.undetermined)} comes to has a mean that its start determines, and no steady statement knows of it; differentiate `lrfm.solve(problem, until='steady')`."
        )
    tol = report.tolerance or DEFAULT_TOL
    made = _Along(problem, solution.pieces, solution.second, directions, tol)
    others: list[Sequence[Sequence[Piece]]] = []

    @one_thread  # it is asked for later, by whoever looks at the estimate
    def judge(found: Sensitivity, i: int) -> tuple[float, float]:
        if not solution.second:
            return np.nan, np.nan
        if not others:
            others.append(made.compared())
        l2, linf = difference(problem, found.pieces, others[0][i], block_rng(report.seed, 0, COMPARE))
        return LINES.safety * l2, LINES.safety * linf

    plain = replace(report, warnings=())
    return [
        Sensitivity(problem, pieces, plain, d.name, lambda found, i=i: judge(found, i))
        for i, (d, pieces) in enumerate(zip(directions, made.pieces(), strict=True))
    ]


@dataclass
class _Along:
    """δ along some directions, and the same by a comparison: on the cells of both solves of a line, elsewhere by two solves of the equations of first variation."""

    problem: Problem
    first: Sequence[Piece]
    second: Sequence[Piece]
    directions: Sequence[Direction]
    tol: float
    needs: Needs = NOTHING
    _made: list[Variations] | list[SteadyVariations] = field(default_factory=list)

    def pieces(self) -> list[list[Piece]]:
        found = None if self.problem.steady else self._on_cells(self.first, self.tol)
        if found is None:
            some = batches(self.directions)
            if self.problem.steady:
                (piece,), goal = self.first, Options.minor * self.tol
                self._made = [SteadyVariations.of(self.problem, piece, d, goal) for d in some]
            else:
                self._made = [Variations.of(self.problem, d, self.tol) for d in some]
            found = [pieces for made in self._made for pieces in made.pieces]
        return found

    def compared(self) -> list[list[Piece]]:
        found = None if self._made else self._on_cells(self.second, COMPARED * self.tol)
        if found is None:
            made = self._made or [Variations.of(self.problem, self.directions, COMPARED * self.tol)]
            found = [pieces for one in made for pieces in one.compared().pieces]
        return found

    def _on_cells(self, pieces: Sequence[Piece], tol: float) -> list[list[Piece]] | None:
        """δ on cells of an interval, one integration for all directions; None where these do not hold it."""
        base = self._on_a_line(pieces, tol)
        if base is None:
            return None
        try:
            return cell_tangents(self.problem, base, self.directions, self.tol, self.needs)
        except Unsuited:
            return None

    def _on_a_line(self, pieces: Sequence[Piece], tol: float) -> Piece | None:
        """The solution on cells of an interval that stays, where one integration serves all directions: as it is, or solved on them once more; None where these do not hold it."""
        domain = self.problem.domain
        if not on_cells(pieces) and domain.dimension == 1 and not domain.moving:
            try:
                pieces = integrated(self.problem, tol)
            except (Stopped, Unsuited):
                return None
        return pieces[0] if on_cells(pieces) else None


def tangent_pieces(
    problem: Problem,
    pieces: Sequence[Piece],
    directions: Sequence[Direction],
    tol: float,
    needs: Needs = NOTHING,
) -> Sequence[Sequence[Piece]]:
    """The pieces of δ along each direction at a solution."""
    return _Along(problem, pieces, (), directions, tol, needs).pieces()
