# SPDX-License-Identifier: MIT
"""The derivative of a solution by something in its statement: a field like any other, with an estimate of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from lrfm.problem import Problem
from lrfm.solution.piece import Piece
from lrfm.solution.report import Report
from lrfm.solution.solution import Solution
from lrfm.solution.status import Status


class Sensitivity(Solution):
    """∂u/∂p (x, t), evaluated, differentiated, drawn and exported as a solution is.

    Made by `Solution.sensitivity`. Its unknowns have the names of the solution's: ``s["u"]`` is u_p.

    Attributes
    ----------
    parameter : str
        What was differentiated by.
    error_estimate : float
        Relative L² error: twice the difference of this field and of the one that belongs to the second draw of the solution,
        which is integrated when it is asked for; NaN where there is no second draw.

    Examples
    --------
    >>> import lrfm
    >>> problem = lrfm.Problem(
    ...     "u_t = D*u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0", parameters={"D": 1}
    ... )
    >>> u_D = lrfm.solve(problem).sensitivity("D")
    >>> round(float(u_D(x=0.5, t=0.1)), 6)
    -0.367848
    >>> u_D.error_estimate < 1e-5
    True
    """

    def __init__(
        self,
        problem: Problem,
        pieces: Sequence[Piece],
        report: Report,
        parameter: str,
        judge: Callable[[Sensitivity], tuple[float, float]] | None = None,
    ):
        super().__init__(problem, pieces, report)
        self.parameter, self._judge = parameter, judge

    @cached_property
    def _errors(self) -> tuple[float, float]:
        return (math.nan, math.nan) if self._judge is None else self._judge(self)

    @property
    def error_estimate(self) -> float:
        return self._errors[0]

    @property
    def report(self) -> Report:
        """The report of the solution, with the estimate of this field."""
        l2, linf = self._errors
        known = {} if math.isnan(l2) else {"draws": l2}
        return replace(
            self._report, error_estimate=l2, max_error_estimate=linf, indicators=known, decided_by="draws" if known else "",
            invariants={}, tolerance=None, reason="", status=Status.ESTIMATE_ONLY if known else Status.NOT_ESTIMATED,
        )  # fmt: skip

    @report.setter
    def report(self, report: Report) -> None:
        self._report = report

    def __repr__(self) -> str:
        return f"<Sensitivity of {self.problem!r} by {self.parameter}>"
