# SPDX-License-Identifier: MIT
"""Which parts each window of a march is solved with: those given by hand, those of a chosen setting, or a variation of either."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from lrfm.problem import Problem
from lrfm.rows.pieces import Piece
from lrfm.solver.budget import Budget
from lrfm.solver.engine import RETUNE
from lrfm.spacetime.search import Choice, Setting, next_window, retune
from lrfm.spacetime.windows.parts import Parts

DECAY = 5.0  # a window whose residual exceeds the first one's by this factor is tuned anew
VARY = 1.2  # factor between the settings of the two draws

Window = tuple[float, float]


class Schedule(Protocol):
    """What a march asks for before and after each window; `settings` are those of the windows before."""

    def setting(self, previous: Piece | None, settings: Sequence[Setting | None]) -> Setting | None:
        """The setting of the next window; None where parts do not come from one."""
        ...

    def parts(self, setting: Setting | None, window: Window) -> Parts:
        """The parts of a window with this setting."""
        ...

    def retuned(
        self,
        number: int,
        window: Window,
        previous: Piece | None,
        setting: Setting | None,
        residuals: Sequence[float],
    ) -> Setting | None:
        """Another setting for a window that came out worse than those before; None where it is good enough, or where there is no other."""
        return None


@dataclass(frozen=True)
class GivenParts(Schedule):
    """The same parts for every window, as they were given."""

    same: Parts

    def setting(self, previous: Piece | None, settings: Sequence[Setting | None]) -> None:
        return None

    def parts(self, setting: Setting | None, window: Window) -> Parts:
        return self.same


@dataclass(frozen=True)
class TunedParts(Schedule):
    """Parts of a chosen setting, which follows the solution from window to window; `given` replaces some of them."""

    problem: Problem
    choice: Choice
    given: Mapping[str, Any]
    seed: int
    budget: Budget

    def setting(self, previous: Piece | None, settings: Sequence[Setting | None]) -> Setting:
        before = settings[-1] if settings else None
        if before is None or previous is None:
            return self.choice.setting
        return before if self.problem.stationary else next_window(self.problem, before, previous)

    def parts(self, setting: Setting | None, window: Window) -> Parts:
        chosen = setting or self.choice.setting
        return replace(chosen.parts(self.problem, window[1] - window[0], self.choice.features), **self.given)

    def retuned(
        self,
        number: int,
        window: Window,
        previous: Piece | None,
        setting: Setting | None,
        residuals: Sequence[float],
    ) -> Setting | None:
        if previous is None or setting is None or not residuals[-1] > DECAY * residuals[0]:
            return None
        if not self.budget.in_time():
            return None
        return retune(
            self.problem,
            window,
            self.choice.features,
            self.seed + 1000 * RETUNE + number,
            setting,
            previous,
            self.given["backend"],
            self.budget.in_time,
        )


@dataclass(frozen=True)
class SecondDraw(Schedule):
    """The parts of another march, varied where they were chosen: two solutions with one setting can share an error."""

    first: Schedule
    settings: Sequence[Setting | None]

    def setting(self, previous: Piece | None, settings: Sequence[Setting | None]) -> Setting | None:
        return self.settings[len(settings)]

    def parts(self, setting: Setting | None, window: Window) -> Parts:
        if setting is not None:
            setting = replace(setting, weights=VARY * setting.weights, gate=setting.gate / VARY)
        return self.first.parts(setting, window)
