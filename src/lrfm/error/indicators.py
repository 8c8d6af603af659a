# SPDX-License-Identifier: MIT
"""All that is known about the error of a march, and what follows from it.

estimate = max of the witnesses that speak:
    draws      SAFETY·‖u₁ − u₂‖/‖u₁‖, always;
    data       the gap between data that contradict each other, which both draws split alike;
    residual   SAFETY·held, when it is above DOUBTFUL: two draws may share a damped, wrong field;
    unseen     the effect of data that change faster than any point has seen;
    growth     SAFETY·‖u₁ − u₂‖ of the first block, carried through all others by the block map where that grows;
    invariants the largest drift of what the equations conserve or dissipate.

No claim is made (infinity) when the residual is not below UNRESOLVED, or when the equations, linearized at the solution,
are ill-posed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.error.held_out import (
    DOUBTFUL,
    SAFETY,
    UNRESOLVED,
    difference,
    size_of,
    sizes_over,
    unbounded_growth,
)
from lrfm.error.invariants import drifts
from lrfm.error.undersampled import Unseen, unseen
from lrfm.problem import Problem
from lrfm.rows.expansion import Expansion


@dataclass(frozen=True)
class Verdict:
    """The error statement: relative L² and largest error, every witness's number, the one that spoke, warnings."""

    l2: float
    linf: float
    witnesses: dict[str, float]
    spoke: str
    drifts: dict[str, float]
    warnings: tuple[str, ...]
    ill_posed: bool


def hear(
    problem: Problem,
    first: Sequence[Expansion],
    second: Sequence[Expansion] | None,
    held: float,
    rng: np.random.Generator,
    growth: Sequence[float] = (),
) -> Verdict:
    """The verdict on a march and its second draw; without one nothing is claimed. `growth`: that of errors, per block."""
    warnings = [str(text) for text in problem.warnings]
    heard = {"residual": (held, SAFETY * held if held > DOUBTFUL else 0.0)}
    largest = math.nan
    if second is not None:
        l2, largest = (SAFETY * d for d in difference(problem, first, second, rng))
        heard["draws"] = (l2, l2)
        if any(g > 1.0 for g in growth):
            carried = SAFETY * amplified(problem, first, second, growth, rng)
            heard["growth"] = (carried, carried)
    if problem.contradiction:
        heard["data"] = (problem.contradiction,) * 2
    claimed = second is not None and math.isfinite(held)
    if claimed:
        sizes = sizes_over(problem, first, rng)
        hidden = unseen(problem, first, lambda row: math.sqrt(size_of(row, sizes)))
        if hidden is not None:
            heard["unseen"] = (hidden.effect,) * 2
            if not hidden.effect < 0.1 * heard.get("draws", (0.0,))[0]:
                warnings.append(_hidden(hidden))
    kept = drifts(problem, first) if claimed else {}
    if kept:
        heard["invariants"] = (max(kept.values()),) * 2
    axis = unbounded_growth(problem, first[-1])
    if axis is not None:
        warnings.append(
            f"Linearized at this solution, the equations amplify short waves along `{axis}` without bound: the problem "
            "is ill-posed, and no error is claimed."
        )
    if not held < UNRESOLVED:
        warnings.append(
            f"The residual on fresh points is {held:.1e} of the solution: it is not resolved, and no error is claimed."
        )
    return _concluded(heard, largest, kept, second is not None, tuple(warnings), axis is not None)


def amplified(
    problem: Problem,
    first: Sequence[Expansion],
    second: Sequence[Expansion],
    growth: Sequence[float],
    rng: np.random.Generator,
) -> float:
    """‖u₁ − u₂‖ of the first block times the mean over blocks b of Π_{c<b} ρ_c, relative to ‖u‖ of the march.

    Two draws show what has grown by the end; this is what may have grown, had the worst direction been met at once.
    """
    gap, _ = difference(problem, first[:1], second[:1], rng)
    with np.errstate(over="ignore"):
        factors = np.cumprod([1.0, *growth[:-1]])
    early, whole = sizes_over(problem, first[:1], rng), sizes_over(problem, first, rng)
    ratio = max(math.sqrt(early[name] / whole[name]) for name in problem.unknowns)
    return float(gap * ratio * np.mean(factors))


def _concluded(
    heard: dict[str, tuple[float, float]],
    largest: float,
    kept: dict[str, float],
    compared: bool,
    warnings: tuple[str, ...],
    ill_posed: bool,
) -> Verdict:
    held = heard["residual"][0]
    numbers = {name: shown for name, (shown, _) in heard.items()}
    spoke = max(heard, key=lambda name: heard[name][1])
    l2 = heard[spoke][1]
    linf = max(largest, *(said for name, (_, said) in heard.items() if name != "draws"))
    if ill_posed or not held < UNRESOLVED:
        spoke, l2, linf = "ill-posed" if ill_posed else "residual", math.inf, math.inf
    if not compared:
        spoke, l2, linf = "", math.nan, math.nan
    return Verdict(l2, linf, numbers, spoke, kept, warnings, ill_posed)


def _hidden(found: Unseen) -> str:
    return (
        f"{found.label}: given data change within {found.scale:.1e} near t = {found.time:.3g}, and the solution does "
        f"not follow them: there the residual is {100 * found.ratio:.0f} % of its terms, which amounts to "
        f"{found.effect:.1e} of the solution. Put an edge of `blocks` close to this time, or give more features with a "
        "shorter `tau` and graded times."
    )
