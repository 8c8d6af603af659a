# SPDX-License-Identifier: MIT
"""A search without a reference: J = log₁₀ of the residual on held-out points, minimized one coordinate at a time.

Pilots share their random numbers, so that J changes with the scalars and not with the draw. In trials over ten problems
J ranked settings as the true error did (correlation of logarithms 0.90 to 0.99).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lrfm.problem import Problem
from lrfm.rows.pieces import Piece
from lrfm.solver.budget import OutOfTime
from lrfm.spacetime.least_squares.backends import NUMPY, Backend
from lrfm.spacetime.search.setting import Setting
from lrfm.spacetime.windows.nonlinear import Step
from lrfm.spacetime.windows.window import FRESH, Solved, solve_window

FEWEST = 128  # points on which a pilot is judged
KEEP = 0.15  # decades by which a structural candidate must win


@dataclass
class Pilot:
    """A pilot solve: its setting, J, and the solution as a start for the next."""

    setting: Setting
    score: float
    solved: Solved | None


class Tuner:
    """Pilots of one size on one window, and the best of them so far.

    `on_pilot` is called before each pilot. Once `in_time` returns False no further one is solved, and one under way is
    broken off after its Newton step, as long as there is a best one to fall back on.
    """

    def __init__(
        self,
        problem: Problem,
        window: tuple[float, float],
        features: int,
        seed: int,
        previous: Piece | None = None,
        start: Setting | None = None,
        goal: float = -math.inf,
        on_pilot: Callable[[], None] | None = None,
        backend: Backend = NUMPY,
        in_time: Callable[[], bool] | None = None,
    ):
        self.problem, self.window, self.features, self.seed, self.previous = (
            problem,
            window,
            features,
            seed,
            previous,
        )
        self.goal, self.on_pilot, self.backend = goal, on_pilot, backend
        self.in_time = in_time or (lambda: True)
        self.count, self.seconds = 0, 0.0
        self.best = Pilot(start or Setting(), math.inf, None)
        if start is not None:
            self.consider(start)

    @property
    def satisfied(self) -> bool:
        """Whether J is below the goal already, so that further search is waste."""
        return self.best.score < self.goal

    @property
    def pace(self) -> float:
        """Seconds per pilot."""
        return self.seconds / max(1, self.count)

    @property
    def length(self) -> float:
        return self.window[1] - self.window[0]

    def pilot(self, setting: Setting) -> Pilot:
        """One solve: a least-squares fit, or two Newton steps from the best pilot so far."""
        if self.count and not self.in_time():
            return Pilot(setting, math.inf, None)
        self.count += 1
        if self.on_pilot:
            self.on_pilot()
        guess = self.best.solved
        steps = 2 if guess is not None else 6
        try:
            parts = setting.parts(self.problem, self.length, self.features, max_steps=steps)
            solved = solve_window(
                self.problem,
                replace(parts, backend=self.backend),
                self.window,
                self.previous,
                np.random.default_rng(self.seed),
                start=guess.expansion if guess else None,
                notify=self._watch,
                # More points than the fit has rows would cost more than the fit, and say no more about it.
                fresh=min(FRESH, max(FEWEST, parts.collocation.interior // 2)),
            )
        except OutOfTime:
            return Pilot(setting, math.inf, None)
        except ValueError:
            # Overflow in a corner of the search is an answer too: not there.
            return Pilot(setting, math.inf, None)
        self.seconds += solved.report.seconds
        # A residual of exactly zero (the zero solution) is the best there is, and has no logarithm.
        held = max(solved.report.residual, 1e-300)
        return Pilot(setting, math.log10(held) if 0 < held < math.inf else math.inf, solved)

    def _watch(self, number: int, step: Step) -> None:
        if self.best.solved is not None and not self.in_time():
            raise OutOfTime

    def consider(self, setting: Setting) -> bool:
        """Try a setting; keep it when it wins. Nothing is tried once the goal is reached."""
        if self.satisfied:
            return False
        pilot = self.pilot(setting)
        if pilot.score < self.best.score:
            self.best = pilot
            return True
        return False

    def line(self, name: str, factor: float, steps: int, low: float = 0.0, high: float = math.inf) -> None:
        """Multiply or divide one scalar by a factor, and walk on in the better direction while J falls."""
        if self.satisfied:
            return
        origin = getattr(self.best.setting, name)
        for direction in (factor, 1.0 / factor):
            moved = False
            for _ in range(steps):
                value = getattr(self.best.setting, name) * direction
                if not low <= value <= high or not self.consider(replace(self.best.setting, **{name: value})):
                    break
                moved = True
            if moved or getattr(self.best.setting, name) != origin:
                return

    def scalars(self) -> None:
        """The coordinate search over R, γT, τ range and row weight."""
        self.line("weights", 2.0, 4, 0.03, 64.0)
        self.line("gate", 3.0, 4, 1e-3, 200.0)
        self.line("tau_min", 3.0, 2, 1e-5, 10.0)
        self.line("tau_max", 4.0, 2, 0.1, 100.0)
        self.line("weights", 1.5, 2, 0.03, 64.0)
        self.line("gate", 1.7, 2, 1e-3, 200.0)
        self.line("row_weight", 10.0, 1, 0.1, 1e4)
        self.line("weights", 1.25, 1, 0.03, 64.0)

    def polish(self) -> None:
        """At a larger size the best R and γT are somewhat larger; look there first."""
        for name, factor in (("gate", 2.5), ("weights", 1.5)):
            self.line(name, factor, 1)
