# SPDX-License-Identifier: MIT
"""What is to be said of a fit: whether the model describes the data, whether they determine it, and what else is worth a word."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrfm.inverse import statistics
from lrfm.inverse.fit import Fit, FitStatus, Judgement
from lrfm.inverse.loss import Loss
from lrfm.inverse.noise import Groups
from lrfm.inverse.search import Found, Task
from lrfm.inverse.statistics import Unseen
from lrfm.inverse.vector import Vector
from lrfm.problem.errors import listing
from lrfm.solution.solution import Solution

AT_BOUND = 1e-2  # distance from a bound, relative to the number, that is worth a word


@dataclass(frozen=True, kw_only=True)
class Judge:
    """What a judgement needs to know of the question, and `work`, what it took."""

    vector: Vector
    groups: Groups
    loss: Loss
    work: dict[str, Any]

    def judgement(
        self,
        found: Found,
        task: Task,
        h: np.ndarray,
        solution: Solution,
        blind: Sequence[Unseen],
        freedom: int,
    ) -> Judgement:
        """Status, test and warnings."""
        r = task.residual(h)
        chi_square, known = float(r @ r), all(self.groups.known)
        p_value = statistics.upper_tail(chi_square, freedom)
        wrong = known and not self.loss.robust and p_value < statistics.UNLIKELY
        status, reason = FitStatus.FITTED, ""
        if blind:
            status = FitStatus.NOT_IDENTIFIABLE
        elif not found.converged:
            status, reason = FitStatus.NOT_CONVERGED, found.reason
        elif wrong:
            status = FitStatus.NOT_DESCRIBED
        warnings = [
            *self._misfit(chi_square, freedom, p_value, known, wrong),
            *self._others(task, h, solution),
        ]
        sigma = {
            column: float(np.mean(task.sigma[place])) for column, place in zip(self.groups.columns, self.groups.slices, strict=True)
        }  # fmt: skip
        return Judgement(
            status, chi_square, freedom, p_value, sigma, known, tuple(str(b) for b in blind), tuple(warnings), **self.work, reason=reason
        )  # fmt: skip

    def _misfit(
        self, chi_square: float, freedom: int, p_value: float, known: bool, wrong: bool
    ) -> Iterator[str]:
        if wrong:
            yield (
                f"The misfit is {math.sqrt(chi_square / max(freedom, 1)):.3g} times what sigma explains (p = {p_value:.1g}): the equation "
                "does not describe these data, or sigma is too small, or the search ended in a wrong minimum."
            )
        if known and freedom > 5 and 1 - p_value < 1e-6:
            yield f"The misfit is only {math.sqrt(chi_square / freedom):.2g} times sigma: sigma is too large, and so are the intervals."

    def _others(self, task: Task, h: np.ndarray, solution: Solution) -> Iterator[str]:
        big, small = float(np.median(np.abs(task.data))), float(np.median(np.abs(h)))
        if small > 0 and big > 0 and not 1e-2 < big / small < 1e2:
            yield f"The measured values are {big / small:.2g} times the field; check their units."
        if not solution.report.solved:
            yield f"The forward solve with what was found: {solution.report.advice}"
        lower, upper = self.vector.bounds
        parameters: Any = solution.problem.parameters
        for (name, unknown), a, b in zip(self.vector.numbers.items(), lower, upper, strict=False):
            v = float(parameters[name])
            if min(v - a, b - v) < AT_BOUND * max(abs(v), abs(unknown.start)):
                yield f"`{name}` is at its bound; the interval does not know of it."


def advice(made: Fit) -> str:
    """What went wrong, in a sentence."""
    j = made.judgement
    if made.judgement.unseen:
        return f"The data do not determine {listing(made.blind)}: {'; '.join(j.unseen)}. Fix one of them, or measure something else."
    if j.status is FitStatus.NOT_CONVERGED:
        return f"The search did not converge ({j.reason}). Start nearer, or give bounds."
    return " ".join(j.warnings) or j.status
