# SPDX-License-Identifier: MIT
"""Pairs of integrations, each stricter than the one before, until the estimate of one is at most the tolerance.

The inner tolerance of a pair follows from the estimate of the one before; its cost is foreseen by what a digit more has cost so far.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lrfm.discretize.options import COSTS, PAIRS, ROUNDING, SAFEGUARDS, Options
from lrfm.solution.solution import Solution
from lrfm.solution.status import Status
from lrfm.solver.budget import Watch
from lrfm.solver.engine import Attempt, Wanted
from lrfm.solver.integration import Formulation, Integration
from lrfm.solver.sizes import sizes_of


@dataclass(frozen=True)
class IntegrationAttempt:
    """An integration and its comparison at one inner tolerance."""

    form: Formulation
    tol: float
    reasons: tuple[str, ...] = ()
    sizes: np.ndarray | None = None
    halved: bool = False
    beside: Formulation | None = None
    comparison: int = 0
    first: Integration | None = field(default=None, repr=False)  # where an earlier pair has made it
    solves: type[Integration] = Integration
    found: list[Integration] = field(default_factory=list, repr=False)
    choice: None = None
    asked: Mapping[str, Any] = field(default_factory=dict)

    def engine(self, watch: Watch) -> Integration:
        own = {"halved": self.halved, "sizes": self.sizes, "beside": self.beside}
        made = self.first or self.solves(self.form, self.tol, watch, self.comparison, **own)
        self.found.append(made)
        return made

    def check_memory(self, limit: str | int | None, estimate: bool) -> None:
        return None

    def words(self, seconds: float) -> tuple[str, ...]:
        return self.reasons


class IntegrationAttempts:
    """Pairs of integrations, each stricter than the one before, until the estimate is at most the tolerance."""

    solves: type[Integration] = Integration
    pairs = SAFEGUARDS.pairs

    def __init__(
        self,
        form: Formulation,
        wanted: Wanted,
        halved: bool = False,
        from_nothing: bool = False,
        beside: Formulation | None = None,
    ):
        self.beside = beside
        self.form, self.tol, self.budget, self.estimate = form, wanted.tol, wanted.budget, wanted.estimate
        self.halved, self.guessed, self.from_nothing = halved, False, from_nothing
        self.inner, self._met, self._late, self._farthest = wanted.tol, False, False, -math.inf
        self._costs: list[tuple[float, float]] = []  # inner tolerances of pairs, and their seconds;
        self._since = 0.0
        self._ends: list[tuple[float, float]] = []  # of those whose steps vanished, and when
        self.reasons: tuple[str, ...] = ()
        self.sizes: np.ndarray | None = None
        self.tried: IntegrationAttempt | None = None  # the last one,
        self._first: Integration | None = None  # and what the next one begins with

    def begin_near(self, start: Solution) -> None:
        """Measure errors by the sizes that the unknowns of a solution nearby came to: nothing else is searched for."""
        sizes = sizes_of(self.form.system, start)
        if not np.all(sizes > 0):
            return  # an unknown that stayed zero there tells nothing of its size here
        self.sizes = sizes
        self.reasons = ("the sizes of the unknowns are those of `start`",)

    def __iter__(self) -> Iterator[Attempt]:
        for _ in range(self.pairs):
            made = IntegrationAttempt(
                self.form,
                self.inner,
                self.reasons,
                self.sizes,
                self.halved,
                self.beside,
                first=self._first,
                solves=self.solves,
            )
            self.guessed, self.tried = self.sizes is None and self.from_nothing, made
            yield made
            # A later attempt measures its errors by what the unknowns came to.
            self.sizes = made.found[-1].found if made.found else None

    def enough(self, solution: Solution) -> bool:
        report = solution.report
        self._met = report.error_estimate <= self.tol
        if math.isfinite(report.error_estimate):
            # Both solves came to their ends: this engine suits, and nothing is left to another one, which would begin anew.
            self.halved = False
        hopeless = not math.isfinite(report.error_estimate) and not self._ended_elsewhere(solution)
        self._costs.append((self.inner, self.budget.spent - self._since))
        self._since = self.budget.spent
        late = self.budget.spent + self._expected(solution) > self.budget.seconds
        cut = self.estimate and math.isnan(report.error_estimate)
        self._late = report.status is Status.OUT_OF_TIME or (late and not self._met and (cut or not hopeless))
        return not self.estimate or self._met or hopeless or late or self.inner <= ROUNDING.last

    def _stricter(self, solution: Solution) -> float:
        """The inner tolerance after a solution that does not meet the tolerance."""
        found, (start, _) = solution.report.error_estimate, self.form.system.problem.time
        if math.isfinite(found):
            found = max(found, foreseen(solution.report.early, start))
            wanted = PAIRS.aim * (self.tol / found if found > self.tol else 1.0)
        else:
            wanted = PAIRS.aim * self._reaching()
        if self.guessed:
            wanted = max(wanted, Options.minor)  # the sizes of the unknowns were guessed; now they are known
        return max(ROUNDING.last, wanted * self.inner)

    def _reaching(self) -> float:
        """(ε₁/ε₀)^((T − t₁)/(t₁ − t₀)):  where steps vanish because an error has grown, the time at which they do goes with its logarithm; tol, before there are two such times: an error as large as u."""
        if len(self._ends) < 2:
            return self.tol
        (e0, t0), (e1, t1) = self._ends[-2:]
        further = (self.form.system.problem.time[1] - t1) / (t1 - t0) if t1 > t0 else 0.0
        return math.exp(-min(math.log(e0 / e1) * further, ROUNDING.exponent))

    def _again(self, solution: Solution) -> Integration | None:
        """The comparison solve of the last pair as the first of the next, where its quarter of the tolerance is as strict as the estimate asks for: ‖u₁ − u₂‖ ≤ 4 tol."""
        found, (start, _) = solution.report.error_estimate, self.form.system.problem.time
        engine = self.tried.found[-1] if self.tried is not None and self.tried.found else None
        if engine is None or not math.isfinite(found) or self.inner / Options.closer < ROUNDING.last:
            return None
        misses = max(found, foreseen(solution.report.early, start)) > Options.closer * self.tol
        return None if misses else engine.stricter

    def _expected(self, solution: Solution) -> float:
        """c (ε/ε₁)^a seconds of the next pair, a by the last two of them: what a digit more has cost so far; so many times all before where there is one alone, half of that where one of two solves is left to be made."""
        if len(self._costs) < 2:
            return COSTS.pair * self._costs[-1][1] * (1.0 if self._again(solution) is None else 0.5)
        (before, first), (last, second) = self._costs[-2:]
        power = math.log(max(second / first if first > 0 else 1.0, 1.0)) / math.log(before / last)
        return second * (last / self._stricter(solution)) ** power

    def _ended_elsewhere(self, solution: Solution) -> bool:
        """Whether steps vanished, and at a later time than they did before: a solution that blows up ends at the same time at all tolerances, one that errors have led astray does not."""
        report, before = solution.report, self._farthest
        if report.status is not Status.STEPS_VANISHED:
            return False
        start, end = self.form.system.problem.time
        self._farthest = report.block_reports[-1].window[1]
        self._ends.append((self.inner, self._farthest))
        return self._farthest - before > self.tol * (end - start)

    def learn(self, solution: Solution) -> None:
        found = solution.report.error_estimate
        self._first = self._again(solution)
        if self._first is not None:
            said = f"two solves at {self.inner:.1e} gave an estimate of {found:.1e}: the stricter one is compared with another"
            self.reasons += (said,)
            self.inner /= Options.closer
            return
        if math.isfinite(found):
            said = f"two solves at {self.inner:.1e} gave an estimate of {found:.1e}: made anew, stricter"
        else:
            said = f"at {self.inner:.1e} steps vanished at t = {self._farthest:.6g}: made anew, stricter"
        self.reasons += (said,)
        self.inner = self._stricter(solution)

    @property
    def stopped(self) -> str:
        return self.budget.spell("max_seconds") if self._late else ""


def foreseen(early: Sequence[tuple[float, float]], start: float) -> float:
    """e(t₁) exp(λ(t − t₁)),  λ = log(e(t₁)/e(t₀))/(t₁ − t₀):  what an error comes to that is known as long as it is small; 0 where it stays so.

    Beyond t₁ two solves have nothing in common, and their distance says no more about how far an error grows. t₀ is half of the way; t is the end, or as far beyond t₁ as that is from the start.
    """
    known = [(t, e) for t, e in early if 0 < e < Options.minor]
    if len(known) < 2 or len(known) == len(early):
        return 0.0
    (t1, e1), (t0, e0) = known[-1], known[(len(known) - 1) // 2]
    rate, ahead = math.log(e1 / e0) / (t1 - t0), min(early[-1][0] - t1, t1 - start)
    return e1 * math.exp(min(rate * ahead, ROUNDING.exponent))
