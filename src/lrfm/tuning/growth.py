# SPDX-License-Identifier: MIT
"""Sizes and blocks chosen to meet a tolerance.

1. Search the scalars and the structure with small pilots on the first window.
2. If even these do not resolve it, shorten the window.
3. Double the trial space, polish, and try for the tolerance when the held-out residual says it is near;
   when doubling stops to pay, shorten the window instead.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from lrfm.expansion import Expansion
from lrfm.problem import Problem
from lrfm.tuning.search import Tuner
from lrfm.tuning.setting import Setting
from lrfm.tuning.structure import improve, steep_points

START = {1: 100, 2: 160, 3: 300}  # features of the first pilots per field, by dimension
RESOLVED = -0.7  # log10 of the held-out residual below which growing the space makes sense
PESSIMISM = 1.5  # decades by which the held-out residual exceeds the error in most cases
STALL = 0.5  # decades a doubling must gain,
STALL_LARGE = 2.0  # and one of a large space, unless the goal is near
MARGIN = 0.3  # decades below the goal at which a search stops
MAX_BLOCKS = 512


@dataclass(frozen=True)
class Budget:
    """Limits of a solve: features over all fields, seconds."""

    features: int = 4000
    seconds: float = math.inf
    began: float = field(default_factory=time.perf_counter)

    @property
    def left(self) -> float:
        return self.seconds - (time.perf_counter() - self.began)


@dataclass(frozen=True)
class Choice:
    """What to solve with: setting, features per field, number of blocks; and what led there."""

    setting: Setting
    features: int
    blocks: int
    score: float
    kept: tuple[str, ...] = ()
    pilots: int = 0
    seconds: float = 0.0
    march_seconds: float = 0.0


class Chooser:
    """Makes choices for one problem: at a given size, or of growing size."""

    def __init__(
        self,
        problem: Problem,
        seed: int,
        budget: Budget,
        blocks: int | None = None,
        on_pilot: Callable[[int], None] | None = None,
        without: tuple[str, ...] = (),
    ):
        self.problem, self.seed, self.budget, self.without = problem, seed, budget, without
        self.goal, self.vain = -math.inf, 0
        self.fallback: Choice | None = None
        self.fallback_worth = math.inf
        self.free_blocks = blocks is None
        self.blocks = blocks or 1
        self.on_pilot = on_pilot
        self.kept: dict[str, None] = {}
        self.pilots, self.began = 0, time.perf_counter()

    @property
    def window(self) -> tuple[float, float]:
        t0, t1 = self.problem.time
        return t0, t0 + (t1 - t0) / self.blocks

    def fixed(self, features: int, tol: float | None = None) -> Choice:
        """The choice at a given size: search with half of it, polish with all of it."""
        goal = -6.0 if tol is None else math.log10(tol) + PESSIMISM
        half = max(20, features // 2)
        tuner = self._search(half)
        while tuner.best.score > goal and self._may_split():
            before, blocks = tuner, self.blocks
            self.blocks *= 2
            tuner = self._search(half, _shorter(before.best.setting))
            # Halving must pay for the doubled number of blocks, else the window stays.
            if tuner.best.score > before.best.score - 0.6 and before.best.score < RESOLVED:
                self.blocks, tuner = blocks, before
                break
        full = self._tuner(features, tuner.best.setting)
        full.polish()
        return self._choice(full)

    def ladder(self, tol: float) -> Iterator[Choice]:
        """Choices of growing size; each is worth a try for the tolerance, the last is the best that can be afforded."""
        first = START.get(self.problem.domain.dimension, 400)
        limit = max(first, self.budget.features // len(self.problem.fields))
        self.goal = math.log10(tol) + PESSIMISM
        tuner = self._resolve(first)
        tried: Choice | None = None
        while True:
            choice = self._choice(tuner)
            if choice.score < self.goal and self._affordable(choice):
                yield choice
                # The estimate did not agree: ask for more than the goal from here on.
                tried, self.goal = choice, min(self.goal, choice.score) - 0.5
            self._remember(choice)
            following = self._follow(tuner, first, limit)
            if following is None:
                break
            tuner = following
        if self.fallback is not None and self.fallback is not tried:
            yield self.fallback

    def _follow(self, tuner: Tuner, first: int, limit: int) -> Tuner | None:
        """The next tuner: a larger space, or shorter windows; None when neither pays or can be afforded."""
        size = tuner.features
        if size < limit and self._duration(tuner, limit) < self.budget.left:
            grown = self._grow(tuner, limit)
            if self._pays(tuner, grown) or not self._may_split():
                return grown
            self._remember(self._choice(grown))
        if not self._may_split() or self.vain >= 2:
            return None
        self.blocks *= 2
        shorter = self._tuner(max(first, size // 2) if size > 3 * first else size, _shorter(tuner.best.setting))
        shorter.line("weights", 1.5, 2)
        shorter.line("gate", 2.0, 2)
        # Data that contradict each other, or noise, do not get better in shorter windows: stop after two vain tries.
        self.vain = self.vain + 1 if shorter.best.score > tuner.best.score - 0.3 else 0
        return shorter

    def _remember(self, choice: Choice) -> None:
        worth = choice.score + math.log10(choice.blocks)
        if self._affordable(choice) and worth < self.fallback_worth:
            self.fallback, self.fallback_worth = choice, worth

    def _affordable(self, choice: Choice) -> bool:
        return choice.march_seconds < max(self.budget.left, 0.25 * self.budget.seconds)

    def _duration(self, tuner: Tuner, limit: int) -> float:
        """Seconds the next size will take at the least: a few pilots, each as costly as the cube of the size."""
        return 4.0 * tuner.pace * (min(2 * tuner.features, limit) / tuner.features) ** 3

    def _pays(self, tuner: Tuner, grown: Tuner) -> bool:
        """Whether a doubling gained enough. A large space costs eight times as much per doubling, two blocks twice."""
        gain = tuner.best.score - grown.best.score
        large = grown.features > 3 * START.get(self.problem.domain.dimension, 400)
        if grown.best.score < self.goal:
            return True
        if large and self._may_split():
            return gain > STALL_LARGE or grown.best.score - self.goal < 0.7 * gain
        return gain > STALL

    def _grow(self, tuner: Tuner, limit: int) -> Tuner:
        grown = self._tuner(min(2 * tuner.features, limit), tuner.best.setting)
        grown.polish()
        if tuner.best.score > -3.0:
            # The smaller pilot saw too little of the solution to judge what the larger one may gain from.
            self.kept |= dict.fromkeys(improve(grown, self.without))
        return grown

    def _resolve(self, features: int) -> Tuner:
        """Search; shorten the window while the solution is not resolved."""
        tuner = self._search(features)
        while tuner.best.score > RESOLVED and self._may_split():
            self.blocks *= 2 if tuner.best.score < 0.5 else 4
            tuner = self._search(features, _shorter(tuner.best.setting))
        return tuner

    def _search(self, features: int, start: Setting | None = None) -> Tuner:
        tuner = self._tuner(features, start or Setting())
        tuner.scalars()
        self.kept |= dict.fromkeys(improve(tuner, self.without))
        return tuner

    def _tuner(self, features: int, start: Setting) -> Tuner:
        window, seed = self.window, self.seed
        return Tuner(self.problem, window, features, seed, start=start, goal=self.goal - MARGIN, on_pilot=self._count)

    def _count(self) -> bool:
        self.pilots += 1
        if self.on_pilot:
            self.on_pilot(self.pilots)
        return self.budget.left > 0

    def _may_split(self) -> bool:
        return self.free_blocks and self.blocks < MAX_BLOCKS and self.budget.left > 0

    def _choice(self, tuner: Tuner) -> Choice:
        return Choice(
            setting=tuner.best.setting,
            features=tuner.features,
            blocks=self.blocks,
            score=tuner.best.score,
            kept=tuple(self.kept),
            pilots=self.pilots,
            seconds=time.perf_counter() - self.began,
            # Two draws of every block, each with about twice the steps of a pilot if the problem is nonlinear.
            march_seconds=tuner.pace * self.blocks * (2.0 if self.problem.linear else 3.5),
        )


def _shorter(setting: Setting) -> Setting:
    """A start for a shorter window: what is measured in windows and belongs to the solution shrinks with it."""
    slower = None if setting.oscillation is None else max(1.0, 0.5 * setting.oscillation)
    return replace(setting, oscillation=slower, tau_min=min(3.0, 2.0 * setting.tau_min))


def next_block(problem: Problem, setting: Setting, previous: Expansion) -> Setting:
    """The setting of the next block: ridges move along with what is steep at its start."""
    if not isinstance(setting.centers, float | None):
        return replace(setting, centers=steep_points(problem, previous, (previous.window[1],)))
    return setting


def retune(
    problem: Problem, window: tuple[float, float], features: int, seed: int, setting: Setting, previous: Expansion
) -> Setting:
    """A short search on a block for which the setting of the blocks before no longer serves."""
    tuner = Tuner(problem, window, max(20, features // 2), seed, previous=previous, start=setting)
    tuner.line("weights", 1.6, 2)
    tuner.line("gate", 2.5, 2)
    improve(tuner)
    return tuner.best.setting
