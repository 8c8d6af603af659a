# SPDX-License-Identifier: MIT
"""Newton and Picard: sequences of linear least-squares problems. This room sees a `linearize` callable only.

    Newton:  c⁺ = argmin ‖J(c) d − b(c)‖,  J Fréchet's derivative     Picard:  the same with frozen factors
    chord:   c⁺ = c + argmin ‖J(c₀) d + F(c)‖,  J(c₀) factored by an earlier step of Newton's
    stop when ‖u⁺ − u‖ / ‖u⁺‖ < tol  (Paper, below eq:picard-residual)

A linear problem is the case in which the first step is the last.

When a factorization is used again. A chord step costs two products with Q and one residual, so that a factorization of n columns costs
as much as about n/16 of them, up to some 24 (measured: docs/performance.md). A chord step contracts the update by a factor θ, which
the first one shows; before, it is guessed from the quadratic convergence of Newton's steps, θ = 2 (update/previous update)². It is
taken when the steps left to reach `tol` at this rate, log(tol/update)/log θ, are fewer than the factorization is worth and than
`max_steps` allows, and Newton's step has changed u by less than a fifth, so that J(c₀)ᵀF = 0 and J(c)ᵀF = 0 have nearly the same
solution. It is undone, and Newton takes over, when the residual grows or θ exceeds ½.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np

from lrfm.problem.calls import naming
from lrfm.spacetime.least_squares import Factorization, Fit

SLACK = 1.5  # growth of the residual that is let pass where it means nothing
SHORTEST = 2**-7  # of the full step
WORTH = 16, 24  # a factorization of n columns is worth n/16 chord steps, but no more than 24
CONTRACTION = 0.5  # of the update by a chord step, at most
NEAR = 0.2  # largest update of a step whose factorization is used again: J(c₀) must resemble J(c)

Linearize = Callable[
    [np.ndarray, bool], tuple[Any, Any]
]  # J and b: arrays, or what the solver takes in their place


@dataclass(frozen=True)
class Model:
    """What an iteration may ask of the system it solves.

    linearize(c, picard) → (J, b); residual(c) → weighted F; values(c) → u at some points; solve(J, b) → Fit.
    """

    linearize: Linearize
    residual: Callable[[np.ndarray], np.ndarray]
    values: Callable[[np.ndarray], np.ndarray]
    solve: Callable[[Any, Any], Fit]
    linear: bool


@dataclass(frozen=True)
class Step:
    """One step: relative update of u, norm of the weighted residual after it, damping factor, chord or not."""

    update: float
    residual: float
    damping: float = 1.0
    chord: bool = False


@dataclass(frozen=True)
class Outcome:
    """Coefficients with the least residual seen, the history, and why it ended."""

    coefficients: np.ndarray
    fit: Fit
    steps: tuple[Step, ...]
    converged: bool
    reason: str


class Iteration(Protocol):
    """A nonlinear solver."""

    def run(
        self, model: Model, start: np.ndarray, notify: Callable[[int, Step], None] | None = None
    ) -> Outcome: ...


@naming
@dataclass(frozen=True, kw_only=True)
class Newton:
    """Newton's method for min ‖F(u)‖, damped when the residual grows; quadratic near a solution.

    Ends when the update is below `tol`, or when it no longer falls because it is at the level of rounding (`floor`). With `reuse` a
    factorization serves later steps, too, where that is cheaper than a new one; the rule is at the top of this file.
    """

    tol: float = 1e-10
    max_steps: int = 20
    floor: float = 1e-4
    reuse: bool = True

    def __post_init__(self) -> None:
        _check(self.tol, self.max_steps)

    def run(
        self, model: Model, start: np.ndarray, notify: Callable[[int, Step], None] | None = None
    ) -> Outcome:
        """Iterate from the coefficients `start`."""
        return _Iterating(model, start, self.tol, self.max_steps, self.floor, self.reuse, False).run(notify)


@naming
@dataclass(frozen=True, kw_only=True)
class Picard:
    """Fixed-point iteration with frozen factors, the paper's: linear convergence, no damping."""

    tol: float = 1e-10
    max_steps: int = 50

    def __post_init__(self) -> None:
        _check(self.tol, self.max_steps)

    def run(
        self, model: Model, start: np.ndarray, notify: Callable[[int, Step], None] | None = None
    ) -> Outcome:
        """Iterate from the coefficients `start`."""
        return _Iterating(model, start, self.tol, self.max_steps, 0.0, False, True).run(notify)


def _check(tol: float, max_steps: int) -> None:
    if not (isinstance(tol, Real) and 0 < tol < math.inf):
        raise ValueError(f"`tol={tol!r}` must be a positive finite number.")
    if not (isinstance(max_steps, Integral) and not isinstance(max_steps, bool) and max_steps >= 1):
        raise ValueError(f"`max_steps={max_steps!r}` must be a positive whole number.")


class _Iterating:
    """One run: the current coefficients with their residual, and the factorization that may serve again."""

    def __init__(
        self,
        model: Model,
        start: np.ndarray,
        tol: float,
        max_steps: int,
        floor: float,
        reuse: bool,
        picard: bool,
    ):
        self.model, self.c = model, start
        self.tol, self.max_steps, self.floor, self.reuse, self.picard = tol, max_steps, floor, reuse, picard
        self.steps: list[Step] = []
        self.fit = Fit(start, math.inf, 0)
        self.kept: Factorization | None = None

    def run(self, notify: Callable[[int, Step], None] | None) -> Outcome:
        if self.model.linear:
            fit = self.model.solve(*self.model.linearize(self.c, self.picard)).without_factorization()
            step, reason = Step(0.0, fit.residual), fit.note or "the problem is linear"
            return Outcome(fit.coefficients, fit, (step,), not fit.note, reason)
        self.residual = self.model.residual(self.c)
        best = (math.inf, self.c)
        while len(self.steps) < self.max_steps:
            if not (self._chord_pays() and self._chord()):
                self._step()
            last = self.steps[-1]
            if notify:
                notify(len(self.steps), last)
            if last.residual <= best[0]:
                best = (last.residual, self.c)
            converged, reason = _verdict(self.steps, self.tol, self.floor)
            if reason:
                break
        else:
            converged, reason = False, f"the limit of {self.max_steps} steps was reached"
        # Picard reports its last iterate, as in the paper; Newton the best one it has seen.
        final = self.c if self.picard and math.isfinite(last.residual) else best[1]
        if self.fit.note:
            converged, reason = False, self.fit.note
        return Outcome(final, self.fit, tuple(self.steps), converged, reason)

    def _step(self) -> None:
        """Newton's or Picard's step, damped where it must be."""
        model, norm, self.kept = self.model, _size(self.residual), None
        fit = model.solve(*model.linearize(self.c, self.picard))
        u = model.values(fit.coefficients)
        update = relative(u - model.values(self.c), u)
        # A little growth is let pass where it means nothing: at the level of rounding, where the residual
        # wobbles, and at a start that solves nothing (u held constant in time).
        allowed = norm * (SLACK if not self.steps or update < self.floor else 1.0)
        self.c, self.residual, damping = _damped(
            model, self.c, fit.coefficients, None if self.picard else allowed
        )
        self.steps.append(Step(update, _size(self.residual), damping))
        self.fit = fit.without_factorization()
        self.kept = fit.factored if self.reuse and damping == 1.0 and update < NEAR else None

    def _chord_pays(self) -> bool:
        """Whether the chord steps still needed are cheaper than a factorization."""
        if self.kept is None:
            return False
        last, before = self.steps[-1], self.steps[-2].update if len(self.steps) > 1 else 1.0
        rate = last.update / before if last.chord else min(2.0 * (last.update / before) ** 2, CONTRACTION)
        needed = max(1.0, math.log(self.tol / last.update) / math.log(rate)) if 0 < rate < 1 else 1.0
        divisor, most = WORTH
        return needed <= min(len(self.c) / divisor, most, self.max_steps - len(self.steps))

    def _chord(self) -> bool:
        """A step by the factorization at hand; False if it was no good and has been undone."""
        assert self.kept is not None
        target = self.c + self.kept.solve(-self.residual).coefficients
        u = self.model.values(target)
        update, residual = relative(u - self.model.values(self.c), u), self.model.residual(target)
        norm, before = _size(residual), self.steps[-1]
        allowed = before.residual * (SLACK if update < self.floor else 1.0)
        if not (update <= max(CONTRACTION * before.update, self.tol) and norm <= allowed):
            return False
        self.c, self.residual = target, residual
        self.steps.append(Step(update, norm, chord=True))
        return True


def _verdict(steps: Sequence[Step], tol: float, floor: float) -> tuple[bool, str]:
    """Whether it converged, and why it ends; no reason: it goes on."""
    last = steps[-1]
    if not (math.isfinite(last.update) and math.isfinite(last.residual)):
        return False, "the iterates became infinite"
    if last.update < tol:
        return True, "the update fell below the tolerance"
    if last.chord:
        return False, ""
    if len(steps) > 1 and 0.2 * steps[-2].update < last.update < floor and last.damping == 1.0:
        # Quadratic convergence has ended: what remains is rounding in an ill-conditioned system.
        return True, "the update reached the level of rounding"
    if floor and len(steps) > 6 and last.update > 1e2:
        return False, "the iteration diverges"
    return False, ""


def _damped(
    model: Model, c: np.ndarray, target: np.ndarray, allowed: float | None
) -> tuple[np.ndarray, np.ndarray, float]:
    """Go the full step, or halve it until the residual is allowed: (coefficients, residual, factor)."""
    factor, trial, residual = 1.0, target, model.residual(target)
    while allowed is not None and not _size(residual) <= allowed and factor > SHORTEST:
        factor *= 0.5
        trial = c + factor * (target - c)
        residual = model.residual(trial)
    return trial, residual, factor


def _size(values: np.ndarray) -> float:
    with np.errstate(over="ignore", invalid="ignore"):  # infinity is an answer
        return float(np.linalg.norm(values))


def relative(difference: np.ndarray, value: np.ndarray) -> float:
    """‖difference‖ / ‖value‖, or the plain norm when the value is zero."""
    size, change = _size(value), _size(difference)
    return change / size if size > 0 else change
