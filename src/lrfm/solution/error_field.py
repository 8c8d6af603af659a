# SPDX-License-Identifier: MIT
"""The error of a solution as a field like any other: e(x, t) ≈ u(x, t) − u_h(x, t), with its sign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lrfm.problem import Problem
from lrfm.solution.piece import Piece
from lrfm.solution.report import Report
from lrfm.solution.solution import Solution


class ErrorField(Solution):
    """e ≈ u − u_h, evaluated, differentiated, drawn and exported as a solution is: ``solution + solution.error_field`` is nearer to u.

    Made by `Solution.error_field`. Its unknowns have the names of the solution's. It is the error to first order; what it leaves out is of the size of its square.

    Attributes
    ----------
    l2 : dict of str to float
        ‖e‖/‖u_h‖ over space and time, by unknown.
    by_time : tuple of (time, error)
        ‖e(t)‖ in L² over space relative to the root mean square of u_h over space and time, the largest of all unknowns.

    Examples
    --------
    >>> import lrfm
    >>> problem = lrfm.catalog.heat_1d()
    >>> solution = lrfm.solve(problem, tol=1e-4)
    >>> e = solution.error_field
    >>> missing = problem.reference(x=0.3, t=0.1) - solution(x=0.3, t=0.1)
    >>> round(float(e(x=0.3, t=0.1) / missing), 1)
    1.0
    """

    def __init__(
        self,
        problem: Problem,
        pieces: Sequence[Piece],
        report: Report,
        l2: Mapping[str, float],
        by_time: Sequence[tuple[float, float]],
    ):
        super().__init__(problem, pieces, report)
        self.l2, self.by_time = dict(l2), tuple(by_time)

    @property
    def worst(self) -> str:
        """The unknown with the largest relative error."""
        return max(self.l2, key=lambda name: self.l2[name])

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}: {size:.1e}" for name, size in self.l2.items())
        return f"<error of {self.problem!r}, relative {sizes}>"
