# SPDX-License-Identifier: MIT
"""The paper's engine: one fit of space-time features per window (Paper, Algorithm 1).

(problem, parts, window, trace of the window before) → (expansion, trace at its end)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lrfm.error.indicators import SPACE_TIME, Scale
from lrfm.problem import Problem
from lrfm.rows.pieces import Piece
from lrfm.solution.io.document import check_pieces
from lrfm.solution.io.fields import fits
from lrfm.solver.budget import Watch
from lrfm.solver.engine import FIRST, HELD, SECOND, Integrated, block_rng
from lrfm.spacetime.search import Setting
from lrfm.spacetime.search.schedule import Schedule, SecondDraw
from lrfm.spacetime.windows.parts import Parts, describe
from lrfm.spacetime.windows.propagator import Propagator
from lrfm.spacetime.windows.window import FRESH, Guess, Solved, sample_space, solve_window

TRIED = 16  # functions with which a kept setting is tried
MANY = 64  # windows from which on a march is long
REDRAW = (
    16  # windows that share one factorization: the same draw for ever lets the window map's own modes grow
)


@dataclass(frozen=True)
class MarchState:
    """All that the next window depends on; a checkpoint holds this and nothing else.

    `settings` are those the windows were solved with, `residuals` the held-out residuals before a window was tuned anew.
    """

    solved: tuple[Solved, ...] = ()
    settings: tuple[Setting | None, ...] = ()
    residuals: tuple[float, ...] = ()


@dataclass
class SpaceTime:
    """A march of space-time fits with one draw of features and points.

    Parameters
    ----------
    edges
        Times at which windows begin, and the end.
    schedule
        Which parts each window gets.
    seed, stream
        What the random numbers of every window are made from.
    guess
        From where the nonlinear iteration of a window begins, by its number.
    propagate
        Whether windows of a linear problem may share one factorization where its coefficients do not change in time.
    watch
        Looks at the clock before each window and after each Newton step.
    """

    problem: Problem
    edges: np.ndarray
    schedule: Schedule
    seed: int
    stream: int = FIRST
    guess: Callable[[int], Guess | None] = lambda number: None
    propagate: bool = False
    watch: Watch | None = None
    _shared: tuple[int, Propagator] | None = field(default=None, init=False, repr=False)

    @property
    def name(self) -> str:
        return "space-time"

    @property
    def scale(self) -> Scale:
        return SPACE_TIME

    def begin(self) -> MarchState:
        return MarchState()

    def begun(self, state: MarchState) -> bool:
        return bool(state.solved)

    def done(self, state: MarchState) -> tuple[int, int]:
        return len(state.solved), len(self.edges) - 1

    def finished(self, state: MarchState) -> bool:
        broken = bool(state.solved) and not np.isfinite(state.solved[-1].report.residual)
        return broken or len(state.solved) == len(self.edges) - 1

    def integrated(self, state: MarchState) -> Integrated:
        reports = [solved.report for solved in state.solved]
        return Integrated(
            pieces=[solved.expansion for solved in state.solved],
            windows=reports,
            complete=len(reports) == len(self.edges) - 1,
            residual=max(r.residual for r in reports),
            growth=[1.0 if r.growth is None else r.growth for r in reports],
            words=self._words(),
            parts=[self.schedule.parts(s, self._window(i)) for i, s in enumerate(state.settings)],
        )

    def _words(self) -> dict[str, str]:
        return describe(self.schedule.parts(None, self._window(0)))

    def fingerprint(self) -> dict[str, Any]:
        edges = [float(e) for e in self.edges]
        return {"parts": self._words(), "edges": edges, "seed": self.seed, "draw": self.stream}

    def added(self, before: MarchState, after: MarchState) -> dict[str, Any]:
        return {
            "solved": after.solved[len(before.solved) :],
            "settings": after.settings[len(before.settings) :],
            "residuals": after.residuals[len(before.residuals) :],
        }

    def grown(self, before: MarchState, added: Mapping[str, Any]) -> MarchState:
        found: Any = added.get
        solved, settings, residuals = (found(name) for name in ("solved", "settings", "residuals"))
        if not (
            fits(solved, tuple[Solved, ...])
            and fits(settings, tuple[Setting | None, ...])
            and fits(residuals, tuple[float, ...])
            and len(solved) == len(settings)
        ):
            raise ValueError("it holds something else than windows of a march")
        return MarchState(
            (*before.solved, *solved), (*before.settings, *settings), (*before.residuals, *residuals)
        )

    def check(self, state: MarchState) -> None:
        windows = [solved.expansion.window for solved in state.solved]
        if windows != [self._window(i) for i in range(min(len(windows), len(self.edges) - 1))]:
            raise ValueError("its windows are others")
        check_pieces(self.problem, [solved.expansion for solved in state.solved])
        for setting, window in zip(state.settings, windows, strict=True):
            if setting is not None:
                parts = setting.parts(self.problem, window[1] - window[0], TRIED)
                sample_space(self.problem, parts.space, window, np.random.default_rng(0))

    def second(self, first: MarchState, watch: Watch | None) -> SpaceTime:
        """Every window begins from the first march's solution."""
        return SpaceTime(
            self.problem,
            self.edges,
            SecondDraw(self.schedule, first.settings),
            self.seed,
            SECOND,
            lambda number: first.solved[number].expansion,
            self.propagate,
            watch,
        )

    def advance(self, state: MarchState) -> MarchState:
        self._look()
        number = len(state.solved)
        window = self._window(number)
        previous = state.solved[-1].expansion if number else None
        setting = self.schedule.setting(previous, state.settings)
        parts = self.schedule.parts(setting, window)
        solved = self._propagated(number, previous, setting, parts)
        residuals = state.residuals
        if solved is None:
            solved = self._solved(number, window, previous, parts)
            residuals = (*residuals, solved.report.residual)
            other = self.schedule.retuned(number, window, previous, setting, residuals)
            if other is not None:
                again = self._solved(number, window, previous, self.schedule.parts(other, window))
                if again.report.residual < solved.report.residual:
                    setting, solved = other, again
        return MarchState((*state.solved, solved), (*state.settings, setting), residuals)

    def _window(self, number: int) -> tuple[float, float]:
        return float(self.edges[number]), float(self.edges[number + 1])

    def _look(self) -> None:
        if self.watch:
            self.watch.check()

    def _solved(
        self, number: int, window: tuple[float, float], previous: Piece | None, parts: Parts
    ) -> Solved:
        rng = block_rng(self.seed, number, self.stream)
        look = lambda step_number, step: self._look()  # noqa: E731
        return solve_window(self.problem, parts, window, previous, rng, self.guess(number), look)

    def _propagated(
        self, number: int, previous: Piece | None, setting: Setting | None, parts: Parts
    ) -> Solved | None:
        """A window by the factorization of its group's first; None where windows do not share one."""
        first = number - number % REDRAW
        opening, window = self._window(first), self._window(number)
        length = window[1] - window[0]
        same = abs(opening[1] - opening[0] - length) <= 1e-9 * length
        if not (self.propagate and same and Propagator.applies(self.problem, parts)):
            return None
        if self._shared is None or self._shared[0] != first:
            # Made from the group's first window even when a march resumes in its middle, so that it is the same map.
            made = self.schedule.parts(setting, opening)
            rng = block_rng(self.seed, first, self.stream)
            self._shared = first, Propagator(self.problem, made, opening, rng)
        propagator = self._shared[1]
        # A window costs less than its check at many points; of a long march each one gets fewer.
        fresh = FRESH if self.stream == FIRST and len(self.edges) <= MANY else 100
        solved = propagator.step(window, previous, block_rng(self.seed, number, HELD), fresh)
        if self.stream == FIRST and len(self.edges) > 2:
            return replace(solved, report=replace(solved.report, growth=propagator.growth))
        return solved
