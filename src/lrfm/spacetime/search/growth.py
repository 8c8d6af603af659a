# SPDX-License-Identifier: MIT
"""Sizes and blocks chosen to meet a tolerance.

1. Search the scalars and the structure with small pilots on the first window.
2. If even these do not resolve it, shorten the window.
3. Double the trial space, polish, and try for the tolerance when the held-out residual says it is near;
   when doubling no longer pays, shorten the window instead.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lrfm.problem import Problem
from lrfm.rows.pieces import Piece
from lrfm.solver.budget import Budget
from lrfm.spacetime.least_squares.backends import NUMPY, Backend
from lrfm.spacetime.search.search import Tuner
from lrfm.spacetime.search.setting import Setting
from lrfm.spacetime.search.structure import improve, steep_points

START = {1: 100, 2: 160, 3: 300}  # features of the first pilots per field, by dimension
RESOLVED = -0.7  # log10 of the held-out residual below which growing the space makes sense
PESSIMISM = 1.5  # decades by which the held-out residual exceeds the error in most cases
AMPLIFIED = 30.0  # error estimate over the sum of the blocks' residuals from which a march counts as unstable
MARGIN = 0.3  # decades below the goal at which a search stops
MAX_BLOCKS = 512
SHARE = 0.6  # part of the time that is left for a march at most,
SPARE = 0.12  # and for the estimate of its error
# Further starts of the search, which has local minima: slow relaxation and little gating for what oscillates, a narrow
# band of rates for what only decays.
STARTS = (
    Setting(gate=0.2, tau_min=3.0, oscillation=6.0, row_weight=1.0),
    Setting(weights=1.0, gate=0.2, tau_min=0.1, tau_max=3.0),
)


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
        backend: Backend = NUMPY,
    ):
        self.problem, self.seed, self.budget, self.without = problem, seed, budget, without
        self.backend = backend
        self.goal, self.fruitless, self.gain = -math.inf, 0, 2.0
        self.fallback: Choice | None = None
        self.fallback_worth = math.inf
        self.free_blocks = blocks is None
        self.blocks = blocks or 1
        self.on_pilot = on_pilot
        self.kept: dict[str, None] = {}
        self.pilots, self.began = 0, time.perf_counter()
        self.start, self.previous, self.unstable = problem.time[0], None, False
        self.limit = ""  # what kept the search from going on
        self.reserve = 0.0  # seconds for the march with the best choice so far
        self._pilots: Tuner | None = None  # the last ones

    @property
    def window(self) -> tuple[float, float]:
        """The window on which pilots are solved: the first, or the hardest one seen."""
        return self.start, self.start + (self.problem.time[1] - self.problem.time[0]) / self.blocks

    def learn(self, pieces: Sequence[Piece], held: Sequence[float], estimate: float) -> None:
        """Move the pilots to the block of an attempt that came out worst: what is hard need not come first.

        An error far above what the residuals of all blocks can add up to means that the block map amplifies it.
        """
        self.unstable = len(held) > 1 and not estimate < AMPLIFIED * sum(held)
        if self.unstable:
            return
        worst = max(range(len(held)), key=held.__getitem__)
        if worst > 0 and held[worst] > 3.0 * held[0]:
            self.start, self.previous = pieces[worst].window[0], pieces[worst - 1]
            # Scores of an easier window do not compare with those to come.
            self.fallback, self.fallback_worth = None, math.inf

    def fixed(self, features: int, tol: float | None = None) -> Iterator[Choice]:
        """The choice at a given size: search with half of it, polish with all of it.

        A second one follows when the first march shows that a later window is much harder (`learn`).
        """
        goal = -8.0 if tol is None else math.log10(tol) + PESSIMISM
        tuner = self._resolve(max(20, features // 2))
        blocks = self.blocks
        while tuner.best.score > goal and self._may_split():
            shorter = self._split(tuner)
            # Halving must pay for the doubled number of blocks, unless nothing is resolved yet; and short blocks are
            # where the block map becomes unstable, so that the last decades must be cheap.
            wanted = 0.5 if tuner.best.score > -4.0 else 1.0
            if shorter.best.score > tuner.best.score - wanted and tuner.best.score < -2.0:
                self.blocks //= 2
                break
            tuner = shorter
        if self.blocks != blocks:
            tuner = self._search(tuner.features, tuner.best.setting)
        yield self._polished(tuner, features)
        while self.unstable and self.free_blocks and self.blocks >= 4:
            self.blocks //= 4
            yield self._polished(self._search(max(20, features // 2), tuner.best.setting), features)
        if self.previous is not None:
            yield self._polished(self._search(max(20, features // 2)), features)

    def _polished(self, tuner: Tuner, features: int) -> Choice:
        if not self._in_time():
            slower = (features / tuner.features) ** 3
            found = self._choice(tuner)
            return replace(found, features=features, march_seconds=slower * found.march_seconds)
        full = self._tuner(features, tuner.best.setting)
        full.polish()
        return self._choice(full)

    def ladder(self, tol: float) -> Iterator[Choice]:
        """Choices of growing size; each is worth a try for the tolerance, the last is the best that can be afforded."""
        first = START.get(self.problem.domain.dimension, 400)
        limit = max(4, self.budget.features // len(self.problem.fields))
        first = min(first, limit)
        self.goal = math.log10(tol) + PESSIMISM
        tuner = self._resolve(first)
        tried: Choice | None = None
        while True:
            choice = self._choice(tuner)
            if choice.score < self.goal and self._affordable(choice):
                yield choice
                # The estimate did not agree. Pilots may have moved to a harder window since (`learn`): look at it there.
                tried = choice
                if self.previous is not None:
                    tuner = self._tuner(choice.features, choice.setting)
                if tuner.best.score < self.goal:
                    self.goal = tuner.best.score - 0.5
            self._remember(choice)
            following = self._follow(tuner, first, limit)
            if following is None:
                break
            tuner = following
        if self.fallback is not None and self.fallback is not tried:
            yield self.fallback
        elif tried is None:
            # Nothing is affordable, and still an answer is owed.
            yield self._choice(tuner)

    def _follow(self, tuner: Tuner, first: int, limit: int) -> Tuner | None:
        """The next tuner: a larger space or shorter windows, whichever gains more per cost; None when nothing pays.

        Doubling the space costs eight times as much, doubling the number of blocks twice.
        """
        size, need = tuner.features, tuner.best.score - self.goal
        may_grow = size < limit and self._duration(tuner, limit) < self.budget.left - self.reserve
        self.limit = "" if may_grow else "max_features" if size >= limit else "max_seconds"
        if self._may_split() and self.fruitless < 2 and size >= 2 * first and need > max(self.gain, 1.0):
            shorter = self._split(tuner)
            gained = tuner.best.score - shorter.best.score
            # Data that contradict each other, or noise, do not get better in shorter windows.
            self.fruitless = 0 if gained > 0.3 else self.fruitless + 1
            if gained > max(0.5, self.gain / 3.0) or not may_grow:
                return shorter
            self.blocks //= 2
        if not may_grow:
            return None
        grown = self._grow(tuner, limit)
        self.gain = tuner.best.score - grown.best.score
        return grown if self.gain > -0.5 or grown.features < limit else None

    def _split(self, tuner: Tuner) -> Tuner:
        self.blocks *= 2
        shorter = self._tuner(tuner.features, _shorter(tuner.best.setting))
        shorter.line("weights", 1.5, 2)
        shorter.line("gate", 2.0, 2)
        if shorter.best.setting.oscillation:
            shorter.line("oscillation", 1.5, 2)
        return shorter

    def _remember(self, choice: Choice) -> None:
        worth = choice.score + math.log10(choice.blocks)
        if self._affordable(choice) and worth < self.fallback_worth:
            self.fallback, self.fallback_worth = choice, worth
            self.reserve = choice.march_seconds

    def _affordable(self, choice: Choice) -> bool:
        return choice.march_seconds < self.budget.left

    def _duration(self, tuner: Tuner, limit: int) -> float:
        """Seconds the next size will take at the least: two pilots. Between rows (linear) and QR (cubic), 2.5 is the power seen."""
        return 2.0 * tuner.pace * (min(2 * tuner.features, limit) / tuner.features) ** 2.5

    def _grow(self, tuner: Tuner, limit: int) -> Tuner:
        grown = self._tuner(min(2 * tuner.features, limit), tuner.best.setting)
        grown.polish()
        if tuner.best.score > -3.0:
            # The smaller pilot saw too little of the solution to judge what the larger one may gain from.
            self.kept |= dict.fromkeys(improve(grown, self.without))
        return grown

    def _resolve(self, features: int) -> Tuner:
        """Search; where nothing resolves the solution, shorten the window until a plain scan does, and search there.

        What a search picks on a window it cannot resolve means nothing, so the shorter ones start afresh.
        """
        whole = tuner = self._search(features)
        if tuner.best.score <= RESOLVED or not self._may_split():
            return tuner
        blocks, fruitless = self.blocks, 0
        while tuner.best.score > RESOLVED and self._may_split() and fruitless < 4:
            self.blocks *= 2
            shorter = self._scan(features)
            fruitless = 0 if shorter.best.score < tuner.best.score - 0.2 else fruitless + 1
            tuner = shorter
        if tuner.best.score > RESOLVED:
            # Too few features for the space, not too long a window: grow instead.
            self.blocks = blocks
            return whole
        self.kept.clear()
        return self._search(features, tuner.best.setting)

    def _scan(self, features: int) -> Tuner:
        """A short search over R and γT alone."""
        tuner = self._tuner(features, Setting())
        for other in STARTS:
            tuner.consider(other)
        tuner.line("weights", 2.0, 2)
        tuner.line("gate", 3.0, 2)
        return tuner

    def _search(self, features: int, start: Setting | None = None) -> Tuner:
        tuner = self._tuner(features, start or Setting())
        for other in STARTS if start is None else ():
            tuner.consider(other)
        tuner.scalars()
        self.kept |= dict.fromkeys(improve(tuner, self.without))
        return tuner

    def _tuner(self, features: int, start: Setting) -> Tuner:
        self._pilots = made = Tuner(
            self.problem,
            self.window,
            features,
            self.seed,
            previous=self.previous,
            start=start,
            goal=self.goal - MARGIN,
            on_pilot=self._count,
            backend=self.backend,
            in_time=self._in_time,
        )
        return made

    def _in_time(self) -> bool:
        """Whether a pilot more leaves time for the march that is to follow, as far as its cost is known."""
        pilots = self._pilots if self.fallback is None else None
        reserve = self.reserve if pilots is None else self._march_seconds(pilots)
        wanted = min(SHARE * self.budget.seconds, reserve)
        return self.budget.left > (wanted + SPARE * self.budget.seconds if wanted else 0.0)

    def _count(self) -> None:
        self.pilots += 1
        if self.on_pilot:
            self.on_pilot(self.pilots)

    @property
    def stopped(self) -> str:
        """The limit that ended the search, as the user gave it; empty where it ended by itself."""
        limit = self.limit if self._in_time() else "max_seconds"
        return self.budget.spell(limit) if limit else ""

    def _may_split(self) -> bool:
        return self.free_blocks and self.blocks < MAX_BLOCKS and self._in_time()

    def _march_seconds(self, tuner: Tuner) -> float:
        """Two draws of every block; one of a nonlinear problem takes somewhat more steps than a pilot."""
        return tuner.pace * self.blocks * (2.0 if self.problem.linear else 2.5)

    def _choice(self, tuner: Tuner) -> Choice:
        return Choice(
            setting=tuner.best.setting,
            features=tuner.features,
            blocks=self.blocks,
            score=tuner.best.score,
            kept=tuple(self.kept),
            pilots=self.pilots,
            seconds=time.perf_counter() - self.began,
            march_seconds=self._march_seconds(tuner),
        )


def _shorter(setting: Setting) -> Setting:
    """A start for a shorter window: what is measured in windows and belongs to the solution shrinks with it."""
    slower = None if setting.oscillation is None else max(1.0, 0.5 * setting.oscillation)
    return replace(setting, oscillation=slower, tau_min=min(3.0, 2.0 * setting.tau_min))


def next_window(problem: Problem, setting: Setting, previous: Piece) -> Setting:
    """The setting of the next window: ridges move along with what is steep at its start."""
    if not isinstance(setting.centers, float | None):
        return replace(setting, centers=steep_points(problem, previous, np.array([previous.window[1]])))
    return setting


def retune(
    problem: Problem,
    window: tuple[float, float],
    features: int,
    seed: int,
    setting: Setting,
    previous: Piece,
    backend: Backend = NUMPY,
    in_time: Callable[[], bool] | None = None,
) -> Setting:
    """A short search on a block for which the setting of the blocks before no longer serves."""
    size = max(20, features // 2)
    tuner = Tuner(
        problem, window, size, seed, previous=previous, start=setting, backend=backend, in_time=in_time
    )
    tuner.line("weights", 1.6, 2)
    tuner.line("gate", 2.5, 2)
    improve(tuner)
    return tuner.best.setting
