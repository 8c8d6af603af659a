# SPDX-License-Identifier: MIT
"""From a statement and a tolerance to an answer: two draws, their difference, and a stricter pair where it is too large."""

from __future__ import annotations

import math
import time as clock
from dataclasses import dataclass, field

import numpy as np

from lrfm.lines.evidence import SAFETY, difference
from lrfm.lines.form import Form, Unsuited
from lrfm.lines.march import March
from lrfm.lines.piece import Piece, pieces_of
from lrfm.lines.rules import rules_for
from lrfm.lines.state import Counts
from lrfm.problem import Problem

PAIRS = 3  # how often a pair of draws is made before the best is returned as it is
UNRESOLVED = 0.3  # accumulated residual, relative to the solution, from which no claim is made


@dataclass(frozen=True)
class Draw:
    """One march: its pieces and what was measured on the way."""

    pieces: list[Piece]
    counts: Counts
    misfit: float
    residual: float  # accumulated over time, relative to the solution
    scheme: str
    reached: float
    features: int
    rank: int
    lengths: np.ndarray = field(repr=False)


@dataclass(frozen=True)
class Outcome:
    """The answer and the evidence for it; `estimate` is infinite where nothing can be claimed."""

    pieces: list[Piece]
    estimate: float
    tol: float
    indicators: dict[str, float]
    draws: tuple[Draw, ...]
    reasons: tuple[str, ...]
    seed: int
    seconds: float

    @property
    def met(self) -> bool:
        return self.estimate <= self.tol

    @property
    def stopped(self) -> str:
        return self.draws[0].counts.stopped


def applies(problem: Problem) -> tuple[bool, str]:
    """Whether lines can march a statement, and why not."""
    try:
        form = Form(problem)
        march = March(form, rules_for(1e-2, problem.domain.dimension), np.random.default_rng(0))
        regular = march.regular()
    except (Unsuited, np.linalg.LinAlgError) as error:
        return False, str(error)
    return regular, "" if regular else "The equations of the first step are singular."


def solve_lines(problem: Problem, tol: float, seed: int = 0, seconds: float = 600.0) -> Outcome:
    """Solve to a relative L² tolerance over space and time; what was reached is stated, whether or not it is enough."""
    began, form = clock.process_time(), Form(problem)
    inner, best, reasons = tol, None, []
    for pair in range(PAIRS):
        left = seconds - (clock.process_time() - began)
        draws = tuple(draw(form, inner, [seed, pair, k], bool(k), left / 2) for k in (0, 1))
        outcome = _judged(problem, tol, draws, seed, clock.process_time() - began, tuple(reasons))
        if best is None or outcome.estimate < best.estimate:
            best = outcome
        spent = clock.process_time() - began
        if outcome.met or outcome.stopped or not _worthwhile(outcome, spent, seconds, pair):
            break
        reasons.append(
            f"two draws at {inner:.1e} differ by {outcome.indicators['draws']:.1e}: made anew, stricter"
        )
        inner = max(1e-14, inner * max(0.01, 0.4 * tol / outcome.estimate))
    assert best is not None
    return best


def draw(form: Form, tol: float, seed: list[int], witness: bool, seconds: float) -> Draw:
    """One march to the end, or as far as the seconds last."""
    rules = rules_for(tol, form.problem.domain.dimension, witness, seconds)
    march = March(form, rules, np.random.default_rng(seed))
    steps = march.run()
    bases = [s.start.basis for s in steps]
    return Draw(
        pieces=pieces_of(form, steps),
        counts=march.counts,
        misfit=march.misfit,
        residual=float(sum(s.length * s.residual.rate for s in steps)),
        scheme=f"{march.counts.scheme}, {march.scheme.stages} stages",
        reached=steps[-1].start.time + steps[-1].length if steps else form.problem.time[0],
        features=max((b.features for b in bases), default=0),
        rank=max((b.size for b in bases), default=0),
        lengths=np.array([s.length for s in steps]),
    )


def _judged(
    problem: Problem, tol: float, draws: tuple[Draw, ...], seed: int, seconds: float, reasons: tuple[str, ...]
) -> Outcome:
    """The estimate that follows from two draws."""
    first, second = draws
    gap = math.inf
    if first.pieces and second.pieces and not (first.counts.stopped or second.counts.stopped):
        gap = max(
            difference(problem, first.pieces, second.pieces, np.random.default_rng([seed, 99])).values()
        )
    misfit = max(first.misfit, second.misfit)
    residual = max(first.residual, second.residual)
    estimate = SAFETY * max(gap, misfit) if residual < UNRESOLVED and math.isfinite(gap) else math.inf
    indicators = {"draws": gap, "misfit": misfit, "residual": residual}
    return Outcome(first.pieces, estimate, tol, indicators, draws, reasons, seed, seconds)


def _worthwhile(outcome: Outcome, spent: float, seconds: float, pair: int) -> bool:
    """Whether a stricter pair is likely to help: the draws, not the data, are the limit, and there is time."""
    gap, misfit = outcome.indicators["draws"], outcome.indicators["misfit"]
    return math.isfinite(outcome.estimate) and gap > misfit and spent * 4 < seconds and pair + 1 < PAIRS
