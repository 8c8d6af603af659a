# SPDX-License-Identifier: MIT
"""Everything that is known about the error of an integration, and the one claim that follows from it.

estimate = the largest bound among the indicators:

    draws       s·‖u₁ − u₂‖/‖u₁‖, s the safety factor of the engine, larger where space is what limits it;
    residual    s·held, where held is above a threshold: two draws may share a damped, wrong field; s·effect, what the equations make of it,
                where that is known and small, and two draws agree closely;
    misfit      s·‖u(t₀) − u₀‖/‖u‖ times the part of it that lives on in the window (`lrfm.error.start`), measured by points that follow
                the data: no error is smaller than that of its data; and √(1/10) of it, for who looks at ten times of which one is the start;
    growth      s·‖u₁ − u₂‖ of the first window, carried through all others by the window map where that grows;
    data        the gap between data that contradict each other, which both draws split alike;
    unseen      the effect of data that change faster in time than any point has seen;
    given       the effect of data that are thinner in space than any point has seen (`lrfm.error.given`);
    passed      the effect of rates that are large only while the solution passes a value (`lrfm.error.passed`);
    invariants  the largest drift of what the equations conserve or dissipate.

No claim is made (infinity) when the residual is not below the engine's limit and not known to be harmless, when the equations, linearized at the solution,
are ill-posed, or when a face lacks a condition; and none (NaN) without a second draw.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial

import numpy as np

from lrfm.error.draws import SAFETY, Differences, amplified, differences
from lrfm.error.given import NotFollowed, not_followed
from lrfm.error.invariants import drifts
from lrfm.error.jumping import l1_differences
from lrfm.error.passed import passed_over
from lrfm.error.sizes import NOTHING, size_of, sizes_over
from lrfm.error.start import lives_on, start_gaps, unseen_rates
from lrfm.error.undersampled import Undersampled, undersampled
from lrfm.error.well_posed import missing_conditions, unbounded_growth
from lrfm.linalg.deadline import check_deadline
from lrfm.problem import Problem
from lrfm.problem.checks import Contradiction, Jump
from lrfm.rows.pieces import Piece

UNRESOLVED = 0.1  # residual on fresh points above which no claim is made: two draws can agree on the same damped, wrong field
DOUBTFUL = 0.03  # and from which it counts beside the draws


@dataclass(frozen=True)
class Scale:
    """What the numbers of an engine mean.

    A safety factor on the difference of draws, the residual that counts, a further factor where space limits the answer, since draws
    share the number of their features, the residual from which nothing is claimed, unless the second draw was made in a larger space
    because of it, and that from which nothing is claimed at all; whether least squares splits data that contradict
    each other (otherwise the misfit of the data knows what they cost); the size, relative to the largest unknown, of what starts from
    nothing that rounding may make; whether all that is given was resolved before it was used, so that nothing can be unseen; the norm of the
    claim, 1 where the solution jumps.
    """

    safety: float = SAFETY
    doubtful: float = DOUBTFUL
    shared: float = 1.0
    unresolved: float = UNRESOLVED
    hopeless: float = UNRESOLVED
    splits_contradictions: bool = True
    nothing: float = NOTHING
    resolves_data: bool = False
    norm: int = 2


CLOSE = 0.01  # difference of draws, in tolerances, below which a residual has to show an effect on the solution to forbid a claim
# Who compares on a grid of times that begins with the start gives that a weight, which it has not in an integral over time. Data that contradict each
# other are another matter: their misfit is no error of the solution, and counts up to the tolerance.
START = 0.1  # of all times
NOTICED = 0.01  # contradiction of data, in tolerances, from which it is worth a word
SPACE = 3.0  # residual over the difference of draws from which space is what limits an answer, not time
SPACE_TIME = Scale()
# Its residual is relative to the terms of the equations, and exceeds the error by factors of 3 to 1e5: an alarm and no measure.
LINES = Scale(
    safety=2.0,
    doubtful=math.inf,
    shared=1.5,
    unresolved=0.1,
    hopeless=0.3,
    splits_contradictions=False,
    nothing=1e-11,
)
# Cells are split by their own coefficients; a residual that is large in thin layers says nothing against two solves that agree.
CELLS = replace(LINES, shared=1.0, unresolved=math.inf, hopeless=math.inf, resolves_data=True)
# Where a solution jumps, errors are measured in L¹; a residual at points says nothing there. Cells are halved, so that the error of a shock in the comparison
# solve may be half of that in the first: three times the difference is then 1.5 times the error.
JUMPS = replace(CELLS, norm=1, safety=3.0)
# Volumes of equal width are compared with others that are 2.2 times as wide: an error that goes with h^p is the difference over 2.2^p − 1, which is at
# most twice as much for p ≥ 0.52. Contacts have p from 2/3 on, shocks 1.
VOLUMES = replace(JUMPS, safety=2.0)


@dataclass(frozen=True)
class Evidence:
    """What indicators look at: one integration, a second draw of it if there is one, and what the integrations know of themselves.

    Parameters
    ----------
    residual
        Of the equations on fresh points, as the engine measures it.
    growth
        Factor by which each window multiplies errors, where that is known.
    contradiction
        Gap between data that contradict each other and that both draws split alike.
    scale
        What the engine's numbers mean: how far draws lie from the error, which residual is too large.
    accept_ill_posed
        Whether equations that look ill-posed are judged like all others, with a warning.
    corrected
        Whether the second draw is one in a larger space with a smaller residual: its difference then is the error of the first to
        leading order, whatever the residual of the first.
    effect
        What the equations make of the residual, relative to the solution; infinity where it is not known.
    tolerance
        What was asked for; None where nothing was.
    """

    problem: Problem
    first: Sequence[Piece]
    second: Sequence[Piece] | None
    residual: float
    rng: np.random.Generator
    growth: Sequence[float] = ()
    contradiction: float = 0.0
    scale: Scale = SPACE_TIME
    accept_ill_posed: bool = False
    corrected: bool = False
    effect: float = math.inf
    tolerance: float | None = None

    @property
    def resolved(self) -> bool:
        """Whether the residual is below the limit of the engine."""
        return self.residual < (self.scale.hopeless if self.corrected else self.scale.unresolved)

    @cached_property
    def harmless(self) -> bool:
        """Whether a residual that is not is known to make less of the solution than is asked for, and two draws agree far better than that."""
        if self.tolerance is None or self.second is None or not math.isfinite(self.residual):
            return False
        return (
            self.scale.safety * self.effect <= self.tolerance and self.difference[0] <= CLOSE * self.tolerance
        )

    @cached_property
    def differences(self) -> Differences | None:
        """u₁ − u₂ by unknown; None without a second draw."""
        if self.second is None:
            return None
        return differences(self.problem, self.first, self.second, self.rng, nothing=self.scale.nothing)

    @property
    def difference(self) -> tuple[float, float]:
        """‖u₁ − u₂‖ / ‖u₁‖ in L² and L∞, the worst over unknowns; NaN without a second draw."""
        found = self.differences
        return (math.nan, math.nan) if found is None else (max(found.l2.values()), max(found.linf.values()))

    @cached_property
    def drifts(self) -> dict[str, float]:
        """Drift of every quantity that the equations keep or let decay."""
        return drifts(self.problem, self.first)


@dataclass(frozen=True)
class Reading:
    """One indicator's number, the bound on the error that follows from it, and what a user should know about it."""

    value: float
    bound: float
    warning: str = ""
    unknown: str = ""


@dataclass(frozen=True)
class Estimate:
    """The error statement: relative L² and largest error, every indicator's number, the one that decided, warnings."""

    l2: float
    linf: float
    indicators: dict[str, float]
    decided_by: str
    invariants: dict[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    ill_posed: bool = False
    not_unique: bool = False
    worst: str = ""
    profile: tuple[tuple[float, float], ...] = ()
    early: tuple[tuple[float, float], ...] = ()
    norm: int = 2


def _residual(seen: Evidence) -> Reading:
    if not seen.resolved and seen.harmless:
        return Reading(seen.residual, seen.scale.safety * seen.effect)
    counts = seen.residual > seen.scale.doubtful
    return Reading(seen.residual, seen.scale.safety * seen.residual if counts else 0.0)


def _draws(seen: Evidence) -> Reading | None:
    if seen.second is None:
        return None
    gap = seen.difference[0]
    bound = seen.scale.safety * (seen.scale.shared if seen.residual > SPACE * gap else 1.0) * gap
    assert seen.differences is not None
    warning = _of_nothing(seen, seen.differences.unjudged)
    return Reading(bound, bound, warning, unknown=seen.differences.worst)


def _of_nothing(seen: Evidence, left: Sequence[str]) -> str:
    """What is said of unknowns that are taken for zero."""
    if not left:
        return ""
    names = ", ".join(f"`{name}`" for name in left)
    return (
        f"The estimate says nothing of the error of {names} relative to its own size: it starts from nothing and stays below "
        f"{seen.scale.nothing:.0e} of the largest unknown, and two draws do not agree on it, as they would not on the rounding of a "
        "zero. If it is not zero, write it in units in which it is not so small."
    )


def _misfit(seen: Evidence) -> Reading | None:
    apart = seen.differences
    if apart is None or not math.isfinite(seen.residual):
        return None
    worst, bound, who, warning = 0.0, 0.0, "", ""
    for name, gap in start_gaps(seen.problem, seen.first, seen.second, seen.rng).items():
        m, known, left = gap.misfit, gap.size, lives_on(gap.misfit, gap.apart, apart.squares[name])
        # What stays is measured by its start, with which it decays; what is left of it later by what is there then.
        size = apart.sizes[name] if left < 1 else max(apart.sizes[name], known)
        worst = max(worst, math.sqrt(m / max(apart.sizes[name], known)))
        missed = seen.scale.safety * left * math.sqrt(m / size)
        if seen.tolerance is not None:
            missed = max(missed, math.sqrt(START) * min(seen.tolerance, math.sqrt(m / size)))
        if gap.lost and not seen.problem.linear:
            missed, warning = math.inf, _lost(name)
        if missed > bound:
            bound, who = missed, name
    rates = unseen_rates(seen.problem, seen.first, apart.sizes, seen.rng)
    return Reading(max(worst, rates), max(bound, rates), warning, unknown=who)


def _lost(name: str) -> str:
    """What is said of a start without the variation of its data."""
    return (
        f"The solution starts without what the initial data of `{name}` vary by, as one does that rests at an equilibrium; what the equations make "
        "of that is not known, and no error is claimed. Ask for more digits (`tol`), or write the deviation from the equilibrium as the unknown."
    )


def _growth(seen: Evidence) -> Reading | None:
    if seen.second is None or not any(g > 1.0 for g in seen.growth):
        return None
    carried = seen.scale.safety * amplified(seen.problem, seen.first, seen.second, seen.growth, seen.rng)
    return Reading(carried, carried)


def _data(seen: Evidence) -> Reading | None:
    return Reading(seen.contradiction, seen.contradiction) if seen.contradiction else None


def _sizes(seen: Evidence) -> dict[str, float]:
    """Mean squares of unknowns; draws know of small ones whether they are more than rounding."""
    sizes = sizes_over(seen.problem, seen.first, seen.rng)
    if seen.differences is None:
        return sizes
    return {name: min(size, seen.differences.sizes[name]) for name, size in sizes.items()}


def _unseen(seen: Evidence) -> Reading | None:
    if seen.scale.resolves_data or seen.second is None or not math.isfinite(seen.residual):
        return None
    # Sizes are asked for only where data change fast.
    sizes = lru_cache(lambda: _sizes(seen))
    found = undersampled(seen.problem, seen.first, lambda row: math.sqrt(size_of(row, sizes())))
    if found is None:
        return None
    matters = not found.effect < 0.1 * seen.scale.safety * seen.difference[0]
    return Reading(found.effect, found.effect, _sentence(found) if matters else "")


def _of_data(
    seen: Evidence, found: NotFollowed | None, words: Callable[[NotFollowed], str]
) -> Reading | None:
    """What two solves have not seen, with a sentence where it is more than was asked for."""
    if found is None:
        return None
    return Reading(found.effect, found.effect, words(found) if found.effect > (seen.tolerance or 0.0) else "")


def _given(seen: Evidence) -> Reading | None:
    if seen.second is None or not math.isfinite(seen.residual):
        return None
    sizes = lru_cache(lambda: _sizes(seen))
    own = partial(not_followed, seen.problem, seen.first, lambda row: math.sqrt(size_of(row, sizes())))
    found = own()
    if found is not None and found.effect > (seen.tolerance or 0.0):
        found = own(others=seen.second)
    return _of_data(seen, found, missed)


def _passed(seen: Evidence) -> Reading | None:
    if seen.second is None or not math.isfinite(seen.residual):
        return None
    if seen.tolerance is not None and seen.scale.safety * seen.difference[0] > seen.tolerance:
        return None  # nothing is claimed anyway
    sizes = lru_cache(lambda: _sizes(seen))
    found = passed_over(seen.problem, seen.first, lambda row: math.sqrt(size_of(row, sizes())))
    return _of_data(seen, found, too_fast)


def _invariants(seen: Evidence) -> Reading | None:
    if seen.second is None or not math.isfinite(seen.residual) or not seen.drifts:
        return None
    largest = max(seen.drifts.values())
    return Reading(largest, largest)


# An order in which every number is drawn from the stream of random points exactly once.
INDICATORS: dict[str, Callable[[Evidence], Reading | None]] = {
    "residual": _residual,
    "draws": _draws,
    "misfit": _misfit,
    "growth": _growth,
    "data": _data,
    "unseen": _unseen,
    "given": _given,
    "passed": _passed,
    "invariants": _invariants,
}


def estimate_error(seen: Evidence) -> Estimate:
    """The estimate from all indicators."""
    if seen.scale.norm == 1:
        return _in_l1(seen)
    found: dict[str, Reading] = {}
    for name, read in INDICATORS.items():
        check_deadline()
        reading = read(seen)
        if reading is not None:
            found[name] = reading
    warnings = [str(text) for text in seen.problem.warnings if _counts(text, seen.tolerance)]
    warnings += [reading.warning for reading in found.values() if reading.warning]
    ill_posed = False
    along = unbounded_growth(seen.problem, seen.first[-1])
    if along is not None:
        ill_posed = not seen.accept_ill_posed
        warnings.append(_amplifies(seen, along))
    missing = missing_conditions(seen.problem, seen.first)
    if missing is not None:
        warnings.append(str(missing))
    resolved = seen.resolved or seen.harmless
    if not resolved:
        warnings.append(_not_resolved(seen))
    decided_by = max(found, key=lambda name: found[name].bound)
    l2 = found[decided_by].bound
    others = [reading.bound for name, reading in found.items() if name != "draws"]
    linf = max(seen.scale.safety * seen.difference[1], *others)
    refusals = {"ill-posed": ill_posed, "conditions": missing is not None, "residual": not resolved}
    if any(refusals.values()):
        decided_by = next(name for name, refused in refusals.items() if refused)
        l2 = linf = math.inf
    if seen.second is None:
        decided_by, l2, linf = "", math.nan, math.nan
    invariants = seen.drifts if "invariants" in found else {}
    values = {name: reading.value for name, reading in found.items()}
    apart = seen.differences
    worst = (found[decided_by].unknown if decided_by in found else "") or (
        "" if apart is None else apart.worst
    )
    return Estimate(
        l2,
        linf,
        values,
        decided_by,
        invariants,
        tuple(warnings),
        ill_posed,
        not_unique=missing is not None,
        worst=seen.problem.measure_of(worst) if worst else "",
        profile=() if apart is None else _raised(apart, l2, apart.profile),
        # What draws do not tell bounds the error of any part of the time.
        early=() if apart is None else _raised(apart, l2, apart.early, max(others, default=0.0)),
    )


def _in_l1(seen: Evidence) -> Estimate:
    """The error in L¹, from two solves alone: what else is known speaks of smooth solutions."""
    about = [text for text in seen.problem.warnings if not isinstance(text, Jump)]
    said = tuple(str(text) for text in about if _counts(text, seen.tolerance))
    if seen.second is None:
        return Estimate(math.nan, math.nan, {}, "", warnings=said, norm=1)
    found = l1_differences(seen.problem, seen.first, seen.second, seen.rng, seen.scale.nothing)
    whole, said = found.whole, (*said, *filter(None, [_of_nothing(seen, found.unjudged)]))
    worst = max(whole, key=lambda name: whole[name])
    bound = seen.scale.safety * whole[worst]
    return Estimate(
        bound if seen.resolved else math.inf,
        math.nan,
        {"draws": bound},
        "draws" if seen.resolved else "residual",
        warnings=said,
        worst=worst,
        profile=tuple((t, seen.scale.safety * gap) for t, gap in found.profile),
        norm=1,
    )


def _counts(warning: str, tolerance: float | None) -> bool:
    """Whether a warning is worth reading beside a tolerance: not data that contradict each other by far less."""
    least = 0.0 if tolerance is None else NOTICED * tolerance
    return not isinstance(warning, Contradiction) or warning.size >= least


def _not_resolved(seen: Evidence) -> str:
    """What is said of a residual that forbids a claim; an infinite one stands for a space that was not fine enough."""
    if not math.isfinite(seen.residual):
        return "The functions in space could not be made as fine as the solution asks for: it is not resolved, and no error is claimed."
    of = "the terms of the equations" if seen.scale is LINES else "the solution"
    effect = f", which may amount to {seen.effect:.1e} of the solution" if 0 < seen.effect < math.inf else ""
    return f"The residual on fresh points is {seen.residual:.1e} of {of}{effect}: it is not resolved, and no error is claimed."


def _amplifies(seen: Evidence, along: str) -> str:
    """What is said of equations that amplify short waves."""
    values = ", or the solution has values that it must not have, such as u < 0 in `diff(u*u_x, x)`"
    claimed = "; the estimate is made because `accept_ill_posed` was given."
    return (
        f"Linearized at this solution, the equations amplify short waves along {along} without bound: the problem is ill-posed"
        + ("" if seen.problem.linear else values)
        + (claimed if seen.accept_ill_posed else ", and no error is claimed.")
    )


def _raised(
    apart: Differences, l2: float, profile: Sequence[tuple[float, float]], least: float = 0.0
) -> tuple[tuple[float, float], ...]:
    """(t, estimate of the error from t on, or up to t): the difference of draws there, raised as the estimate is above the whole of it."""
    whole = max(apart.l2.values())
    raised = l2 / whole if whole > 0 else 1.0
    return tuple((t, max(gap * raised, least)) for t, gap in profile) if math.isfinite(raised) else ()


def _sentence(found: Undersampled) -> str:
    return (
        f"{found.label}: given data change within {found.scale:.1e} near t = {found.time:.3g}, and the solution does "
        f"not follow them: there the residual is {100 * found.ratio:.0f} % of its terms, which amounts to "
        f"{found.effect:.1e} of the solution. Put an edge of `blocks` close to this time, or give more features with a "
        "shorter `tau` and graded times."
    )


def missed(found: NotFollowed, absent: Collection[str] = ()) -> str:
    """What is said of data that a solution does not follow; `absent` are coordinates that the statement does not have."""
    place = ", ".join(f"{name} = {value:.6g}" for name, value in found.place.items() if name not in absent)
    return (
        f"{found.label}: given data change within {found.width:.1e} near {place}, and the solution does not follow them: there the "
        f"residual is {100 * found.ratio:.0f} % of its terms, which amounts to up to {found.effect:.1e} of the solution. Ask for a smaller "
        "`tol`, give it more seconds, or let two `Layers` meet at this place; a pulse may also be written as wider and lower, with the "
        "same integral."
    )


def too_fast(found: NotFollowed, absent: Collection[str] = ()) -> str:
    """What is said of formulas of unknowns that no step, or no cell, has seen; `absent` as in `missed`."""
    place = ", ".join(f"{name} = {value:.6g}" for name, value in found.place.items() if name not in absent)
    amount = (
        f"up to {found.effect:.1e} of the solution"
        if math.isfinite(found.effect)
        else "how much is not known"
    )
    return (
        f"{found.label}: near {place} the solution passes values of the unknowns at which a formula is thin, within {found.width:.1e}, and no step or cell has seen what "
        f"it does there: {amount}. Write it as wider and lower, with the same integral."
    )
