# SPDX-License-Identifier: MIT
"""When a step is repeated on another basis, and on which: one drawn for what the step has shown.

A residual that is too large, or that has grown, asks for another basis; what rounding makes, what a layer at the start leaves, and what another
basis did not lower before, do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lrfm.solver.lines.gauge import settled
from lrfm.solver.lines.lasting import lasting
from lrfm.solver.lines.monitor import Profiles, local_profiles
from lrfm.solver.lines.newton import Stage
from lrfm.solver.lines.ringing import RINGING
from lrfm.solver.lines.state import Residual, State, Step
from lrfm.solver.lines.system import System
from lrfm.solver.lines.travel import overtaken

if TYPE_CHECKING:
    from lrfm.solver.lines.march import March

REDRAWS = 5  # at one step
GROWTH = 1.3  # of the modes where a new basis did not help
LEAVING = 4.0  # growth of the residual on one product of bases after which another is drawn
COARSE = 0.3  # what a residual makes of a step, in tolerances, where a product of bases is too coarse; of the whole time on one axis
INSISTED = 10.0  # tolerances added until the end for which more functions are tried


def _local(march: March, state: State, tried: Stage, found: Residual) -> Profiles | None:
    """Where the residual of a step is that shows nothing of the solution; None where it is everywhere, or small."""
    ringing, k = state.basis.separable and found.relative > RINGING, march.scheme.stages // 2
    time = state.time + march.scheme.nodes[k] * state.length
    return local_profiles(march.system, time, tried.values[k], tried.rates[k]) if ringing else None


def unresolved(march: March, found: Residual, state: State, tried: Stage) -> bool:
    """Whether the step is to be repeated on another basis; a floor that another basis did not lower is remembered for a while."""
    rules, h, basis = march.rules, state.length, state.basis
    march.lowest = min(march.lowest, found.relative)
    # What leaves the fine part of its axes is followed before it is lost: noise would be resolved with it.
    # With a multiplier a new basis costs as much as eight steps: not before it matters.
    noticed = 0.1 * rules.tol if not march.form.multipliers else 0.3 * rules.derivative_tol
    grown = found.relative > max(LEAVING * march.lowest, noticed)
    one = isinstance(march.system, System) and not basis.separable
    lasts = lasting(march, state, tried) if one else h
    coarse = lasts * found.rate > COARSE * rules.tol
    full = basis.full(rules.most)
    # The terms of what is drowned are those of others, which cancel: their share says nothing about it.
    followed = basis.separable or march.reach.drowned(march._scales())
    leaving = grown or (coarse and not full) if followed else coarse and (grown or one)
    if found.relative <= rules.derivative_tol and not leaving:
        march.layer.floor *= found.relative > 0.1 * rules.derivative_tol
        march.ringing.held()
        return False
    added = march.chooser.passed_on * lasts * found.rate
    allowed = max(rules.added * rules.tol, march.layer.left(march.misfit, state.time + h))
    if added <= allowed or march.layer.explains(found.relative, state.time) or march.tries >= REDRAWS:
        return False
    if isinstance(march.system, System):  # elsewhere functions are not orthonormal
        above = march._residual(state, tried, rounding=False)
        if above.relative <= rules.derivative_tol and lasts * above.rate <= COARSE * rules.tol:
            return False  # no basis would lower it
    in_vain = march.tries > 0 and found.relative > 0.6 * march.before
    left = found.rate * (march.form.problem.time[1] - state.time)
    if in_vain and march.tries == 1 and basis.separable and left > INSISTED * rules.tol and not full:
        # The first redraw of a product may be a smaller one: a floor is believed when more functions did not lower it.
        return True
    if in_vain or (march.tries > 0 and full and found.relative <= RINGING):
        march.layer.believe(min(found.relative, march.before), state.time + h)
        return False
    return True


def redraw(
    march: March, state: State, tried: Stage, last: Step | None, found: Residual, first: bool
) -> tuple[State, Step | None] | None:
    """The same step from the same state on a basis drawn for what the step showed; None where there is no other one."""
    seen = [state.coefficients, tried.values[march.scheme.stages // 2], tried.end]
    if state.basis.separable:
        # Where it is going, too: a basis is to last for more than one step.
        seen.append(2 * tried.end - state.coefficients)
    frame = None if first else overtaken(march, state, tried)
    if frame is not None:
        # There it rests: what the step has shown was on its way.
        march.chooser.frame, march.counts.frames = frame, march.counts.frames + 1
        seen, last = [state.coefficients], None
    growth, local = GROWTH if march.tries else None, _local(march, state, tried, found)
    known = None if march.tries else march.known.next(march.chooser, state, first)
    basis = known or march.chooser.again(state.basis, seen, growth, first, local)
    if basis is state.basis:
        march.layer.believe(found.relative, state.time + state.length)
        return None
    march.before = min(found.relative, march.before) if march.tries else found.relative
    march.tries += 1
    march.counts.redrawn()
    moved, last = march._moved(state, basis, first), None if first else last
    if last is not None:
        rates = settled(march.system, march.chooser.transfer(state.basis, moved.basis, tried.rates[-1]))
        rates = np.repeat(rates[None], march.scheme.stages, axis=0)
        last = Step(moved, state.length, rates, 0.0, found, 0, march.scheme)
    return moved, last
