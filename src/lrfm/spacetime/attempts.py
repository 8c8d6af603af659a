# SPDX-License-Identifier: MIT
"""What is tried in space and time: given parts once, or choices of growing size until the tolerance is met."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lrfm.problem import Problem
from lrfm.rows.pieces import Piece
from lrfm.solution.solution import Solution
from lrfm.solver.budget import Budget, Watch, check_memory
from lrfm.solver.engine import DEFAULT_TOL, Attempt, block_edges
from lrfm.spacetime.engine import SpaceTime
from lrfm.spacetime.planning import make_plan
from lrfm.spacetime.search import Choice, Chooser
from lrfm.spacetime.search.schedule import GivenParts, Schedule, TunedParts
from lrfm.spacetime.windows.parts import Parts
from lrfm.spacetime.windows.window import Guess

WHOLE = "in space and time, since data at the end or a period tie all times together: one window"


@dataclass(frozen=True)
class SpaceTimeAttempt:
    """Windows with the parts that each of them gets.

    `guess` is where the nonlinear iteration begins; `shares` says whether windows of a linear problem may share one factorization.
    """

    problem: Problem
    edges: np.ndarray
    schedule: Schedule
    seed: int
    guess: Guess | None = None
    shares: bool = False
    choice: Choice | None = None
    asked: Mapping[str, Any] = field(default_factory=dict)

    def engine(self, watch: Watch) -> SpaceTime:
        return SpaceTime(
            self.problem,
            self.edges,
            self.schedule,
            self.seed,
            guess=lambda number: self.guess,
            propagate=self.shares,
            watch=watch,
        )

    def check_memory(self, limit: str | int | None, estimate: bool) -> None:
        parts = self.schedule.parts(None, (float(self.edges[0]), float(self.edges[1])))
        check_memory(make_plan(self.problem, parts, len(self.edges) - 1, estimate), limit)

    def words(self, seconds: float) -> tuple[str, ...]:
        whole = () if self.problem.forward else (WHOLE,)
        if self.choice is None:
            return whole
        share = self.choice.seconds / max(seconds, 1e-9)
        words = [
            *whole,
            f"{self.choice.pilots} pilot solves chose the settings ({100 * share:.0f} % of the time)",
        ]
        return (*words, *(f"kept: {name}" for name in self.choice.kept))


@dataclass(frozen=True)
class GivenAttempt:
    """Parts by hand: one attempt."""

    problem: Problem
    edges: np.ndarray
    parts: Parts
    seed: int
    guess: Guess | None
    tol: float | None = None

    def __iter__(self) -> Iterator[Attempt]:
        yield SpaceTimeAttempt(self.problem, self.edges, GivenParts(self.parts), self.seed, self.guess)

    def enough(self, solution: Solution) -> bool:
        return True

    def learn(self, solution: Solution) -> None:
        return None

    @property
    def stopped(self) -> str:
        return ""


class ChosenAttempts:
    """Settings found by pilots, of growing size, or at a given one (`features`).

    Parameters
    ----------
    tol
        The tolerance that an estimate must reach; None: whatever the size gives.
    blocks
        Number of windows or their inner edges; None: chosen.
    given
        Parts that are not chosen, by name; the backend is always among them.
    progress
        Called with the number of each pilot.
    """

    def __init__(
        self,
        problem: Problem,
        tol: float | None,
        features: int | None,
        blocks: int | Sequence[float] | None,
        given: Mapping[str, Any],
        seed: int,
        budget: Budget,
        estimate: bool,
        guess: Guess | None = None,
        progress: Callable[[int], None] | None = None,
    ):
        self.problem, self.tol, self.features, self.given = problem, tol, features, given
        self.seed, self.budget, self.estimate, self.guess = seed, budget, estimate, guess
        self.edges = None if blocks is None else block_edges(problem.time, blocks)
        count = None if self.edges is None else len(self.edges) - 1
        self.chooser = Chooser(problem, seed, budget, count, progress, backend=given["backend"])
        self._met = False
        self.kept: Sequence[Choice] = ()  # made by an earlier solve that was broken off
        self._learned: list[tuple[Sequence[Piece], list[float], float]] = []

    @property
    def asked(self) -> dict[str, Any]:
        """What the search is asked for: another one would have come to other choices."""
        blocks = None if self.edges is None else [float(e) for e in self.edges]
        given = {name: repr(part) for name, part in self.given.items() if name != "backend"}
        wanted = {"tol": self.tol, "features": self.features, "most": self.budget.features}
        return {
            **wanted,
            "blocks": blocks,
            "seed": self.seed,
            "given": given,
            "guess": self.guess is not None,
        }

    def __iter__(self) -> Iterator[Attempt]:
        for choice in self._choices():
            edges = block_edges(self.problem.time, choice.blocks) if self.edges is None else self.edges
            schedule = TunedParts(self.problem, choice, self.given, self.seed, self.budget)
            yield SpaceTimeAttempt(
                self.problem, edges, schedule, self.seed, self.guess, True, choice, self.asked
            )

    def _choices(self) -> Iterator[Choice]:
        """Kept choices first, without a search; where they were not enough, those that the search makes after them."""
        yield from self.kept
        chooser, features = self.chooser, self.features
        if features is None:
            choices = chooser.ladder(DEFAULT_TOL if self.tol is None else self.tol)
        else:
            choices = chooser.fixed(features, self.tol)
        for number, choice in enumerate(choices):
            if number >= len(self.kept):
                yield choice
            if number < len(self._learned):
                chooser.learn(*self._learned[number])

    def enough(self, solution: Solution) -> bool:
        estimate, tol = solution.report.error_estimate, self.tol
        # No attempt gets below data that contradict each other by more than the tolerance.
        self._met = tol is not None and (estimate <= tol or tol < self.problem.contradiction)
        return not self.estimate or self._met or not self.budget.in_time()

    def learn(self, solution: Solution) -> None:
        report = solution.report
        held = [r.residual for r in report.block_reports]
        self._learned.append((solution.pieces, held, report.error_estimate))

    @property
    def stopped(self) -> str:
        return "" if self._met else self.chooser.stopped
