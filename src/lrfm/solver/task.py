# SPDX-License-Identifier: MIT
"""One solve as it was asked for: a run with given parts, or runs of growing size until the estimate is at most the tolerance."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lrfm.problem import Problem
from lrfm.rows.expansion import Expansion
from lrfm.solution.report import Report
from lrfm.solution.solution import Solution
from lrfm.solver.march import block_edges
from lrfm.solver.planning import check_memory, make_plan
from lrfm.solver.run import RETUNE, SECOND, Progress, Run
from lrfm.solver.settings import Budget, Choice, Chooser, OutOfTime, Setting, choose_parts, next_block, retune
from lrfm.solver.window import Parts, Solved

DEFAULT_TOL = 1e-6
VARY = 1.2  # factor between the settings of the two draws
DECAY = 5.0  # a block whose residual exceeds the first one's by this factor is tuned anew


@dataclass
class Task:
    """What was asked for, apart from the parts."""

    problem: Problem
    tol: float | None
    seed: int
    estimate: bool
    max_memory: str | int | None
    checkpoint: str | Path | None
    progress: Progress | None
    start: Solution | None = None

    def by_hand(self, edges: np.ndarray, parts: Parts) -> Solution:
        """Solve with the given parts."""
        run = Run(self.problem, parts, edges, self.seed, self.progress, start=self.start)
        return self._solve(run, self.tol, time.perf_counter())

    def _solve(self, run: Run, tol: float | None, began: float, attempt: int = 1) -> Solution:
        check_memory(make_plan(self.problem, run.parts, len(run.edges) - 1, self.estimate), self.max_memory)
        # Each attempt of a growing series is a march of its own and keeps a file of its own.
        suffix = "" if attempt == 1 else f".{attempt}"
        first, second = run.both(
            self.estimate, None if self.checkpoint is None else f"{self.checkpoint}{suffix}"
        )
        report = run.report(first, second, tol, time.perf_counter() - began)
        # A march that was taken up again does not know the parts of the blocks before.
        used = [run.used[number] for number in range(len(first))] if len(run.used) == len(first) else []
        return Solution(self.problem, [s.expansion for s in first], report, used)

    def automatic(
        self, features: int | None, blocks: int | Sequence[float] | None, given: dict, budget: Budget
    ) -> Solution:
        """Try choices of growing size until the estimate is at most the tolerance, or the budget ends."""
        began = time.perf_counter()
        tol = DEFAULT_TOL if self.tol is None and features is None else self.tol
        edges = None if blocks is None else block_edges(self.problem.time, blocks)
        if features is not None:
            whole = block_edges(self.problem.time, 1) if edges is None else edges
            parts = choose_parts(self.problem, float(np.min(np.diff(whole))), {}, features)
            check_memory(make_plan(self.problem, parts, 1, self.estimate), self.max_memory)
        count = None if edges is None else len(edges) - 1
        tell = (lambda n: self.progress(f"choosing settings, pilot {n}", 0, 0)) if self.progress else None
        chooser = Chooser(self.problem, self.seed, budget, count, tell, backend=given["backend"])
        choices = chooser.ladder(tol) if features is None else chooser.fixed(features, tol)
        best: Solution | None = None
        ended = False
        for attempt, choice in enumerate(choices, 1):
            run = self._run(choice, edges, given, budget, spare=best is not None)
            try:
                solution = self._solve(run, tol if self.estimate else None, began, attempt)
            except OutOfTime:
                break
            solution.report = replace(solution.report, choices=_words(choice, began))
            if best is None or _better(solution.report, best.report):
                best = solution
            estimate = solution.report.error_estimate
            ended = tol is not None and (estimate <= tol or tol < self.problem.contradiction)
            if not self.estimate or ended or budget.left <= 0:
                break
            chooser.learn(solution.pieces, [r.residual for r in solution.report.block_reports], estimate)
        best.report = replace(best.report, stopped="" if ended else chooser.stopped)
        return best

    def _run(self, choice: Choice, edges: np.ndarray | None, given: dict, budget: Budget, spare: bool) -> Run:
        """The march of a choice; one that can be spared, since there is an answer, ends when time runs out."""
        edges = block_edges(self.problem.time, choice.blocks) if edges is None else edges
        settings, held = [choice.setting], []

        def parts_with(setting: Setting, window: tuple[float, float]) -> Parts:
            return replace(setting.parts(self.problem, window[1] - window[0], choice.features), **given)

        def parts_of(number: int, window: tuple[float, float], previous: Expansion | None) -> Parts:
            if number == len(settings):
                same = self.problem.stationary
                settings.append(settings[-1] if same else next_block(self.problem, settings[-1], previous))
            return parts_with(settings[number], window)

        def mend(
            number: int, window: tuple[float, float], previous: Expansion | None, solved: Solved
        ) -> Parts | None:
            held.append(solved.report.residual)
            if previous is None or not held[-1] > DECAY * held[0] or not in_time():
                return None
            seed = self.seed + 1000 * RETUNE + number
            settings[number] = retune(
                self.problem,
                window,
                choice.features,
                seed,
                settings[number],
                previous,
                given["backend"],
                in_time,
            )
            return parts_with(settings[number], window)

        def in_time() -> bool:
            return budget.left > 0

        def watch(draw: int) -> None:
            if (spare and not in_time()) or (draw == SECOND and budget.overdrawn):
                raise OutOfTime

        whole = (float(edges[0]), float(edges[1]))
        memory = {"settings": settings, "held": held}
        parts = parts_with(choice.setting, whole)
        return Run(
            self.problem,
            parts,
            edges,
            self.seed,
            self.progress,
            parts_of,
            mend,
            memory,
            _varied,
            propagate=True,
            start=self.start,
            watch=watch,
        )


def _better(new: Report, old: Report) -> bool:
    """Whether an estimate is smaller, or is one at all."""
    return not math.isnan(new.error_estimate) and not old.error_estimate <= new.error_estimate


def _varied(parts: Parts) -> Parts:
    """Other weights and gate for the second draw: two solutions with one setting can share an error."""
    space = parts.space
    weights = (
        tuple(VARY * w for w in space.weights) if isinstance(space.weights, tuple) else VARY * space.weights
    )
    return replace(parts, space=replace(space, weights=weights, gate=space.gate / VARY))


def _words(choice: Choice, began: float) -> tuple[str, ...]:
    """The choices in words."""
    spent = choice.seconds / max(time.perf_counter() - began, 1e-9)
    words = [f"{choice.pilots} pilot solves chose the settings ({100 * spent:.0f} % of the time)"]
    words += [f"kept: {name}" for name in choice.kept]
    return tuple(words)
