# SPDX-License-Identifier: MIT
"""When a march leaps, and on which basis: another one is drawn for what was seen on the way, as long as that lowers the residual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lrfm.solver.lines.choice import Chooser
from lrfm.solver.lines.even import even_leap
from lrfm.solver.lines.form import Form, is_box
from lrfm.solver.lines.leap import LARGEST, Leap, Looks, leap
from lrfm.solver.lines.projected import ProjectedRows
from lrfm.solver.lines.stages import DenseParts
from lrfm.solver.lines.state import Residual, State
from lrfm.solver.lines.system import System
from lrfm.spaces.axes.product import ProductBasis

if TYPE_CHECKING:
    from lrfm.solver.lines.march import March

TRIES = 5  # bases for one leap
OPENINGS = 8  # and for one from a start that contradicts its conditions
EVENLY = 1  # redraws after which functions that are spread evenly are tried
GAIN = 0.25  # of the time that has passed, which a leap has to add: steps that grow are sooner out of a layer
HELD = 0.03  # residual, relative to its terms, from which a leap shows nothing of the solution
SHARPER = 0.3  # misfit of a start that rings too long, relative to that of the one before
FALLS = (
    0.5  # residual where it is not small enough first, relative to the worst later on, from which it falls
)
LOWERED = 0.6  # residual on more functions in the same chart, relative to the one before, from which they lower it no further
ALIKE = 1.2  # misfit of a start on more functions in the same chart, relative to the one before, at most
GREW = 1e12  # factor from which on a solution has run away


# A leap, if there is one, with the system and the misfit that belong to it.
Kept = tuple[Leap | None, tuple[ProjectedRows, float]]


@dataclass
class Leaps:
    """The leaps of one march: steps to be taken before the next is tried, and how often one failed."""

    ground: int = 0
    falls: int = 0

    def next(self, march: March, state: State, steps: int) -> Leap | State | None:
        """A leap from a state, to the end or at least over two steps; None where there is none, and nothing has changed.

        Where there is none from a start that contradicts its conditions, that start as steps need it.
        """
        if not leaps(march.form) or steps < self.ground:
            return None
        before = march.system, march.misfit
        if march.layer.opens(march.misfit):
            if march.layer.asked == 0.0 or not opens(march.form):
                return None
            found = _opening(march, state)
            if found is not None:
                return found
            _restore(march, *before)
            march.layer.asked = 0.0  # nothing fades before a step shows it
            return march.start_on(before[0].basis)
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


def opens(form: Form) -> bool:
    """Whether that is tried from a start that contradicts its conditions: along one axis, where functions are few."""
    return leaps(form) and form.problem.domain.dimension == 1


def _opening(march: March, state: State) -> Leap | None:
    """A leap from a start that contradicts its conditions:  m √(t/T)  is less than what counts until t, whatever happens before.

    Exponentials damp what rings by then, so that another basis is drawn for what is there later and not for that. The witness leaps to t
    and goes on from there as usual. None where no basis that was tried holds the solution from t on.
    """
    layer, asked = march.layer, (march.finer, march.layer.asked)
    march.counts.sharp = march.misfit
    best: tuple[Leap, ProjectedRows, float] | None = None
    for attempt in range(OPENINGS):
        since = layer.unseen(march.misfit)
        layer.opened = since
        found = _on(march, state, exact=True, since=since) if since else None
        if found is not None and found.whole:
            return found
        if found is not None and best is not None and LOWERED * best[0].worst < found.worst < HELD:
            return _in_spite(march, min(best, (found, march.system, march.misfit), key=lambda b: b[0].worst))
        layer.opened = 0.0
        if found is None or attempt == OPENINGS - 1:
            break
        if found.first > max(HELD, FALLS * found.worst):
            # It rings, less and less: a sharper one forgets its start sooner. What too few functions leave out gets worse with time.
            march.finer = layer.asked = SHARPER * march.misfit
            state = march.start_on(state.basis)
            march.counts.sharp, best = march.misfit, None
        else:
            # The same chart holds the start as well as it did: another one would miss more of it, and have to be looked at earlier.
            assert isinstance(march.chooser, Chooser)
            assert isinstance(state.basis, ProductBasis)
            march.finer, best = ALIKE * march.misfit, (found, march.system, march.misfit)
            march.counts.redrawn()
            state = march._moved(state, march.chooser.denser(state.basis, list(found.seen)), True)
    march.counts.sharp, march.finer, layer.asked = 0.0, *asked
    return None


def _in_spite(march: March, best: tuple[Leap, ProjectedRows, float]) -> Leap | None:
    """A leap in spite of a residual that more functions in the same chart did not lower: it is rounding, and believed."""
    found, system, misfit = best
    _restore(march, system, misfit)
    march.layer.opened = 0.0
    since = march.layer.unseen(march.misfit)
    march.layer.opened = since
    march.layer.believe(found.worst, march.form.problem.time[1])
    return _on(march, found.start, exact=True, since=since)


def _evenly(march: March, state: State) -> Kept:
    """On functions that are spread evenly."""
    return even_leap(march, state), (march.system, march.misfit)


def _followed(here: np.ndarray, seen: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The state and those seen on the way, without what has run away: beside it nothing else would be seen of the solution."""
    sizes = [float(np.linalg.norm(y)) for y in seen]
    usual = max(float(np.linalg.norm(here)), min((s for s in sizes if np.isfinite(s)), default=0.0))
    return [here, *(y for y, size in zip(seen, sizes, strict=True) if size <= GREW * usual)]


def _on(march: March, state: State, exact: bool = False, since: float = 0.0) -> Leap | None:
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
    return leap(march.system, march._powers, state, rules, looks, since, since > 0 and not march.rules.exact)


def _restore(march: March, system: ProjectedRows, misfit: float) -> None:
    """Back to a system that was in use before."""
    if system is not march.system:
        march._use(system.basis, system)
        march.misfit = misfit
