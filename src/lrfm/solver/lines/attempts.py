# SPDX-License-Identifier: MIT
"""The second engine: features in space, implicit collocation in time (`lrfm.solver.lines`).

u(x, t) = Σ_m a_m(t) ψ_m(x);   an attempt is a pair of draws, the next one is stricter where the two differ too much.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from lrfm.error.indicators import LINES, Scale
from lrfm.problem import Problem
from lrfm.solution.report import WindowReport
from lrfm.solution.solution import Solution
from lrfm.solver.attempts import Attempt
from lrfm.solver.budget import Budget, Watch
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.front import Draw, draw
from lrfm.solver.march import Marched

PAIRS = 3  # how often a pair of draws is made before the best is returned as it is
STRICTEST = 1e-14
PARTS = 100  # in which a march tells how far it is


@dataclass(frozen=True)
class LinesState:
    """What a march has come to."""

    draw: Draw | None = None


@dataclass(frozen=True)
class Lines:
    """A march with one draw; `seed` is one list of numbers for each pair and draw."""

    form: Form
    tol: float
    seed: tuple[int, ...]
    watch: Watch
    witness: bool = False

    @property
    def name(self) -> str:
        return "lines"

    @property
    def scale(self) -> Scale:
        return LINES

    def begin(self) -> LinesState:
        return LinesState()

    def finished(self, state: LinesState) -> bool:
        return state.draw is not None

    def advance(self, state: LinesState) -> LinesState:
        seed = [*self.seed, int(self.witness)]
        return LinesState(draw(self.form, self.tol, seed, self.witness, self.watch.in_time, self._tell))

    def _tell(self, part: float) -> None:
        if self.watch.tell:
            self.watch.tell(int(PARTS * part), PARTS)

    def done(self, state: LinesState) -> tuple[int, int]:
        return PARTS * (state.draw is not None), PARTS

    def second(self, first: LinesState, watch: Watch) -> Lines:
        return replace(self, watch=watch, witness=True)

    def fingerprint(self) -> dict[str, Any]:
        return {"tol": self.tol, "seed": list(self.seed)}

    def marched(self, state: LinesState) -> Marched:
        found = state.draw
        assert found is not None
        end = self.form.problem.time[1]
        complete = not found.counts.stopped and math.isclose(found.reached, end, rel_tol=1e-9, abs_tol=1e-12)
        return Marched(
            pieces=found.pieces,
            windows=[self._window(found, piece, complete) for piece in found.pieces],
            complete=complete,
            residual=found.residual,
            misfit=found.misfit,
            words={
                "scheme": found.scheme,
                "functions": f"{found.rank}, made from {found.features} features per axis",
            },
        )

    def _window(self, found: Draw, piece: Any, complete: bool) -> WindowReport:
        return WindowReport(
            window=piece.window,
            rows=found.rows * len(self.form.equations),
            columns=found.features,
            rank=found.rank,
            condition=None,
            updates=(0.0,) * piece.steps,
            converged=complete,
            reason=found.counts.stopped,
            fit_residual=0.0,
            residual=found.residual,
        )


@dataclass(frozen=True)
class LinesAttempt:
    """A pair of draws at one inner tolerance."""

    form: Form
    tol: float
    seed: tuple[int, ...]
    reasons: tuple[str, ...]

    def engine(self, watch: Watch) -> Lines:
        return Lines(self.form, self.tol, self.seed, watch)

    def check_memory(self, limit: str | int | None, estimate: bool) -> None:
        return None

    def words(self, seconds: float) -> tuple[str, ...]:
        return self.reasons


class LinesAttempts:
    """Pairs of draws, each stricter than the one before, until the estimate is at most the tolerance."""

    def __init__(
        self, problem: Problem, tol: float, seed: int, budget: Budget, estimate: bool, why: str = ""
    ):
        self.form, self.tol, self.seed = Form(problem), tol, seed
        self.budget, self.estimate = budget, estimate
        self.inner, self.pair, self._met = tol, 0, False
        self.reasons = (why,) if why else ()

    def __iter__(self) -> Iterator[Attempt]:
        while self.pair < PAIRS:
            yield LinesAttempt(self.form, self.inner, (self.seed, self.pair), self.reasons)
            self.pair += 1

    def enough(self, solution: Solution) -> bool:
        report = solution.report
        self._met = report.error_estimate <= self.tol
        hopeless = not math.isfinite(report.error_estimate) or report.decided_by != "draws"
        return not self.estimate or self._met or hopeless or 4 * self.budget.spent > self.budget.seconds

    def learn(self, solution: Solution) -> None:
        found = solution.report.error_estimate
        self.reasons += (
            f"two draws at {self.inner:.1e} gave an estimate of {found:.1e}: made anew, stricter",
        )
        self.inner = max(STRICTEST, self.inner * max(0.01, 0.4 * self.tol / found))

    @property
    def stopped(self) -> str:
        return "" if self._met or self.budget.in_time() else self.budget.spell("max_seconds")
