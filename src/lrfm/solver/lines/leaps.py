# SPDX-License-Identifier: MIT
"""When a march leaps, and on which basis: another one is drawn for what was seen on the way, as long as that lowers the residual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lrfm.solver.lines.even import even_leap
from lrfm.solver.lines.form import Form, is_box
from lrfm.solver.lines.leap import LARGEST, Leap, Looks, leap
from lrfm.solver.lines.projected import ProjectedRows
from lrfm.solver.lines.stages import DenseParts
from lrfm.solver.lines.state import Residual, State
from lrfm.solver.lines.system import System

if TYPE_CHECKING:
    from lrfm.solver.lines.march import March

TRIES = 5  # bases for one leap
EVENLY = 1  # redraws after which functions that are spread evenly are tried
GAIN = 0.25  # of the time that has passed, which a leap has to add: steps that grow are sooner out of a layer
HELD = 0.03  # residual, relative to its terms, from which a leap shows nothing of the solution
LOWERED = 0.6  # residual on more functions in the same chart, relative to the one before, from which they lower it no further
GREW = 1e12  # factor from which on a solution has run away


# A leap, if there is one, with the system and the misfit that belong to it.
Kept = tuple[Leap | None, tuple[ProjectedRows, float]]


@dataclass
class Leaps:
    """The leaps of one march: steps to be taken before the next is tried, and how often one failed."""

    ground: int = 0
    falls: int = 0

    def next(self, march: March, state: State, steps: int) -> Leap | None:
        """A leap from a state, to the end or at least over two steps; None where there is none, and nothing has changed."""
        if not leaps(march.form) or steps < self.ground:
            return None
        if march.layer.opens(march.misfit):
            return None
        before = march.system, march.misfit
        # What no basis held once may become smooth; it is not chased with new ones.
        # What grows without bound is refused by its residual.
        with np.errstate(over="ignore", invalid="ignore"):
            if steps == 0 and march.even:
                best, kept = _evenly(march, state)
            else:
                best, kept = self._best(march, state, steps == 0, 1 if self.falls else TRIES)
        _restore(march, *kept)
        if best is not None and not best.whole and best.worst < HELD and not self.falls:
            # Another basis does not lower the residual: it is kept on the best one that was tried.
            march.layer.believe(best.worst, best.start.time + best.length)
            best = _on(march, best.start)
        passed = state.time - march.form.problem.time[0]
        if best is None or (best.length < max(2 * state.length, GAIN * passed) and not best.whole):
            _restore(march, *before)
            self.ground, self.falls = steps + 4**self.falls, self.falls + 1  # each attempt has its price
            return None
        march.sizes = np.maximum(march.sizes, np.linalg.norm(best.end, axis=1))
        march.counts.scheme = best.scheme
        return best

    @staticmethod
    def _best(march: March, state: State, first: bool, tries: int) -> Kept:
        """The leap on the best of several bases; at the start on evenly spread functions where two of them did not hold the solution."""
        best: Leap | None = None
        kept = march.system, march.misfit
        for attempt in range(tries):
            found = _on(march, state, exact=True)
            worse = found is None or (best is not None and found.worst > LOWERED * best.worst)
            if found is not None and not worse:
                best, kept = found, (march.system, march.misfit)
                if found.whole:
                    break
            if first and (attempt == EVENLY or (worse and attempt < EVENLY)):
                here = march.system, march.misfit
                evenly, with_it = _evenly(march, state)
                if evenly is not None:
                    return evenly, with_it
                _restore(march, *here)
            if found is None or worse or attempt == tries - 1:
                break
            seen = _followed(state.coefficients, found.seen)
            # States that ring have any number of modes, and no basis for them would be worth its price.
            rings = not first and march.form.forgets and found.worst > HELD
            basis = march.chooser.again(state.basis, seen, 1.3 if attempt else None, first, ringing=rings)
            march.counts.redrawn()
            state = march._moved(state, basis, first)
        if best is not None and not march.rules.exact:
            # Exponentials have shown which basis it is to be: the steps of the witness are taken on that one alone.
            _restore(march, *kept)
            best = _on(march, best.start) or best
        return best, kept


def leaps(form: Form) -> bool:
    """Whether linear equations that stay the same may be solved at once; elsewhere functions are not orthonormal."""
    return form.stationary and form.autonomous and is_box(form.problem)


def _evenly(march: March, state: State) -> Kept:
    """On functions that are spread evenly."""
    return even_leap(march, state), (march.system, march.misfit)


def _followed(here: np.ndarray, seen: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The state and those seen on the way, without what has run away: beside it nothing else would be seen of the solution."""
    sizes = [float(np.linalg.norm(y)) for y in seen]
    usual = max(float(np.linalg.norm(here)), min((s for s in sizes if np.isfinite(s)), default=0.0))
    return [here, *(y for y, size in zip(seen, sizes, strict=True) if size <= GREW * usual)]


def _on(march: March, state: State, exact: bool = False) -> Leap | None:
    """A leap with the basis of a state; by exponentials where these are to be had and `exact`, whatever the draw."""
    march._linearize(state, None)
    if not isinstance(march._powers, DenseParts) or state.coefficients.size > LARGEST:
        return None
    march.sizes = np.maximum(march.sizes, np.linalg.norm(state.coefficients, axis=1))
    rules = replace(march.rules, exact=exact or march.rules.exact)

    def judge(found: Residual, gap: float, time: float, drowned: bool) -> bool:
        # No reason to look for another basis within so much time.
        small = max(rules.derivative_tol, 3 * march.layer.floor_at(time))
        return (found.relative <= small and not drowned) or gap * found.rate <= max(
            rules.added * rules.tol, march.layer.left(march.misfit, time)
        )

    looks = Looks(march.sizes, march.reach, judge, rules.slowest(march.form.problem.time))
    assert isinstance(march.system, System)
    return leap(march.system, march._powers, state, rules, looks)


def _restore(march: March, system: ProjectedRows, misfit: float) -> None:
    """Back to a system that was in use before."""
    if system is not march.system:
        march._use(system.basis, system)
        march.misfit = misfit
