# SPDX-License-Identifier: MIT
"""A leap on functions that are spread evenly: what is carried on undamped has to be held wherever it comes by.

‖u − u_n‖ ≈ ‖u_n − u_m‖ / √((n/m)³ − 1)   for kinks, which n functions without a chart hold in L² to n^(−3/2), the larger one nearly
orthogonal to what it leaves out.

Kinks that travel have no second derivatives: no basis lowers the residual of u_tt = u_xx, and it shows nothing of the error. Charts that
follow them lose more at each redraw than evenly spread functions leave out. So two leaps on n and m functions are compared, and their
difference stands for the residual. What fades, as kinks do under diffusion, is left to charts and steps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lrfm.linalg.clock import look
from lrfm.problem.jets import Jet
from lrfm.solver.lines.choice import Chooser
from lrfm.solver.lines.leap import LATE, Leap, Looks, leap
from lrfm.solver.lines.projected import ProjectedRows
from lrfm.solver.lines.stages import DenseParts
from lrfm.solver.lines.start import fit_start
from lrfm.solver.lines.state import Residual, State
from lrfm.solver.lines.system import System
from lrfm.spaces.axes.axis import quadrature
from lrfm.spaces.axes.product import ProductBasis

if TYPE_CHECKING:
    from lrfm.solver.lines.march import March

SMALLER = 1.5  # functions of a leap, relative to those of the one that it is compared with
LARGER = 1.3  # modes of the second draw, relative to those of the first
PER_MODE = 1.15  # features: without a chart all of them are of use
LARGEST = 900  # modes of all components of a first draw together
ERROR = 0.45  # that is aimed at, in tolerances: kinks on LARGER functions leave ¾ of it and more as the difference of two draws
SHARPER = 0.03  # tolerance in time, where steps are taken: what Radau's scheme damps, it damps in both draws,
FINEST = 1e-14  # and the least one: below it is rounding
ENOUGH = 3.0  # times that error, with which the largest leap is kept: steps on charts leave more of a kink
FADES = 0.05  # difference later on, relative to that at the start, below which it is not carried on
FIRST = 1e-5  # share of the time at which the start is looked at
LOOKS = 5  # pairs of leaps, at most
HOPE = (
    2.0  # times the largest leap that a prediction may ask for: rates are of few functions, drawn at random
)
KINKS, SMOOTH = (
    1.5,
    8.0,
)  # rates of convergence: of kinks, and what is hoped for elsewhere as long as none is measured
STEP = 3.0  # growth of the number of functions from one leap to the next, at most


@dataclass(frozen=True)
class _Found:
    """A leap on evenly spread functions, with the system and the misfit that belong to it."""

    leap: Leap
    modes: float
    system: ProjectedRows
    misfit: float


def even_leap(march: March, state: State) -> Leap | None:
    """A leap to the end from the data on as many evenly spread functions as the tolerance takes; None where that is too many."""
    if march.form.problem.domain.dimension != 1:
        return None
    # A stream of its own: where nothing comes of it, all that is drawn later is as it would have been.
    rng = march.chooser.rng.spawn(1)[0]
    found = _on(march, state, march.even, rng) if march.even else _enough(march, state, rng)
    if found is None:
        return None
    march._use(found.leap.start.basis, found.system)
    march.misfit, march.counts.even = found.misfit, found.modes
    return found.leap


def _enough(march: March, state: State, rng: np.random.Generator) -> _Found | None:
    """The leap whose difference from a smaller one promises an error below the tolerance."""
    goal, most = ERROR * march.rules.tol, LARGEST / len(march.form.components)
    count = _chooser(march).counted()
    # Kinks are known to converge slowly: fewer functions tell how many it takes.
    modes, rate = (count.modes / SMALLER, KINKS) if count.rough else (count.modes, SMOOTH)
    if max(modes, SMALLER ** (KINKS / rate) * count.modes) > most:
        return None
    before, first = _on(march, state, modes / SMALLER, rng), (np.inf, 1.0)
    for _ in range(LOOKS):
        found = _on(march, state, modes, rng) if before is not None else None
        if before is None or found is None:
            return None
        gaps = _gaps(march, before.leap, found.leap)
        gap, ratio = float(np.sqrt(np.mean(gaps[1:] ** 2))), found.modes / before.modes
        if gap < FADES * gaps[0]:
            return None
        if found.leap.residual.relative <= march.rules.tol:
            return found  # what is smooth is held as soon as its residual says so
        if np.isfinite(first[0]):
            # A difference is about the error of the smaller leap.
            rate = max(KINKS, float(np.log(first[0] / gap) / np.log(before.modes / first[1])))
        sure = rate if np.isfinite(first[0]) else KINKS
        error = gap / np.sqrt(ratio ** (2 * sure) - 1)
        if error <= goal or (count.rough and modes == most and error <= ENOUGH * goal):
            measured = Residual(gap, gap / found.leap.length)
            return replace(found, leap=replace(found.leap, residual=measured))
        more = max(1.2, 1.05 * (error / goal) ** (1 / rate))
        if modes == most or (more * modes > HOPE * most and not count.rough):
            return None
        first = first if np.isfinite(first[0]) else (gap, before.modes)
        before, modes = found, min(most, modes * min(STEP, more))
    return None


def _chooser(march: March) -> Chooser:
    assert isinstance(march.chooser, Chooser)  # leaps are for boxes
    return march.chooser


def _on(march: March, state: State, modes: float, rng: np.random.Generator) -> _Found | None:
    """A leap from the data on functions without a chart; None where it does not reach the end."""
    look()
    chooser, rules = _chooser(march), march.rules
    basis = chooser.evenly(modes, PER_MODE, rng)
    if not chooser.sees(basis):
        return None  # two leaps that both step over a pulse agree
    fitted = fit_start(march.form, chooser, basis, None)
    march._use(fitted.system.basis, fitted.system)
    here = replace(state, basis=fitted.system.basis, coefficients=fitted.coefficients)
    march._linearize(here, None)
    if not isinstance(march._powers, DenseParts):
        return None
    looks = Looks(march.sizes, march.reach, lambda found, gap, time, drowned: True)
    assert isinstance(march.system, System)
    # Exponentials in both draws, or short steps: what functions of space leave out is all that is to be shown.
    rules = replace(
        rules, exact=rules.exact or march.even > 0, time_tol=max(SHARPER * rules.time_tol, FINEST)
    )
    found = leap(march.system, march._powers, here, rules, looks)
    if found is None or not found.whole:
        return None
    return _Found(found, modes, fitted.system, fitted.misfit)


def _gaps(march: March, one: Leap, two: Leap) -> np.ndarray:
    """‖u_m − u_n‖ / ‖u_n‖ close to the start and at later times, the worst over fields, sizes taken over all times."""
    basis = two.start.basis
    assert isinstance(basis, ProductBasis)
    x, _, weights = quadrature(basis.axes[0].chart, 2 * basis.size + 1)
    times = two.start.time + two.length * np.append(FIRST, LATE)
    worst = np.zeros(len(times))
    for field in march.form.fields:
        jet = Jet(field, (0, 0))
        u, v = (found.piece.on_grid([jet], [x], times)[jet] for found in (one, two))  # type: ignore[attr-defined]
        size = np.sqrt(np.mean(v[1:] ** 2 @ weights))
        worst = np.maximum(worst, np.sqrt((u - v) ** 2 @ weights) / max(float(size), 1e-300))
    return worst
