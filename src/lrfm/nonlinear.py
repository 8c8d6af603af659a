# SPDX-License-Identifier: MIT
"""Newton and Picard: sequences of linear least-squares problems. This room sees a `linearize` callable only.

    Newton:  c⁺ = argmin ‖J(c) d − b(c)‖,  J Fréchet's derivative     Picard:  the same with frozen factors
    stop when ‖u⁺ − u‖ / ‖u⁺‖ < tol  (Paper, below eq:picard-residual)

A linear problem is the case in which the first step is the last.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Protocol

import numpy as np

from lrfm.least_squares import Fit

SLACK = 1.5  # growth of the residual that is let pass where it means nothing
SHORTEST = 2**-7  # of the full step

Linearize = Callable[[np.ndarray, bool], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Model:
    """What an iteration may ask of the system it solves.

    linearize(c, picard) → (J, b); residual(c) → weighted F; values(c) → u at some points; solve(J, b) → Fit.
    """

    linearize: Linearize
    residual: Callable[[np.ndarray], np.ndarray]
    values: Callable[[np.ndarray], np.ndarray]
    solve: Callable[[np.ndarray, np.ndarray], Fit]
    linear: bool


@dataclass(frozen=True)
class Step:
    """One step: relative update of u, norm of the weighted residual after it, damping factor."""

    update: float
    residual: float
    damping: float = 1.0


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


@dataclass(frozen=True, kw_only=True)
class Newton:
    """Newton's method for min ‖F(u)‖, damped when the residual grows; quadratic near a solution.

    Ends when the update is below `tol`, or when it has stopped to fall at the level of rounding (`floor`).
    """

    tol: float = 1e-10
    max_steps: int = 20
    floor: float = 1e-4

    def __post_init__(self) -> None:
        _check(self.tol, self.max_steps)

    def run(
        self, model: Model, start: np.ndarray, notify: Callable[[int, Step], None] | None = None
    ) -> Outcome:
        """Iterate from the coefficients `start`."""
        return _iterate(model, start, self.tol, self.max_steps, False, self.floor, notify)


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
        return _iterate(model, start, self.tol, self.max_steps, True, 0.0, notify)


def _check(tol: float, max_steps: int) -> None:
    if not (isinstance(tol, Real) and 0 < tol < math.inf):
        raise ValueError(f"`tol={tol!r}` must be a positive finite number.")
    if not (isinstance(max_steps, Integral) and not isinstance(max_steps, bool) and max_steps >= 1):
        raise ValueError(f"`max_steps={max_steps!r}` must be a positive whole number.")


def _iterate(
    model: Model,
    c: np.ndarray,
    tol: float,
    max_steps: int,
    picard: bool,
    floor: float,
    notify: Callable[[int, Step], None] | None,
) -> Outcome:
    if model.linear:
        fit = model.solve(*model.linearize(c, picard))
        return Outcome(fit.coefficients, fit, (Step(0.0, fit.residual),), True, "the problem is linear")
    norm = _norm(model, c)
    best = (math.inf, c)
    steps: list[Step] = []
    for number in range(1, max_steps + 1):
        fit = model.solve(*model.linearize(c, picard))
        u = model.values(fit.coefficients)
        update = relative(u - model.values(c), u)
        # A little growth is let pass where it means nothing: at the level of rounding, where the residual
        # wobbles, and at a start that solves nothing (u held constant in time).
        allowed = norm * (SLACK if number == 1 or update < floor else 1.0)
        c, norm, damping = _damped(model, c, fit.coefficients, None if picard else allowed)
        steps.append(Step(update, norm, damping))
        if notify:
            notify(number, steps[-1])
        if norm <= best[0]:
            best = (norm, c)
        converged, reason = _verdict(steps, tol, floor)
        if reason:
            break
    else:
        converged, reason = False, f"the limit of {max_steps} steps was reached"
    # Picard reports its last iterate, as in the paper; Newton the best one it has seen.
    final = c if picard and math.isfinite(norm) else best[1]
    return Outcome(final, fit, tuple(steps), converged, reason)


def _verdict(steps: Sequence[Step], tol: float, floor: float) -> tuple[bool, str]:
    """Whether it converged, and why it ends; no reason: it goes on."""
    last = steps[-1]
    if not (math.isfinite(last.update) and math.isfinite(last.residual)):
        return False, "the iterates became infinite"
    if last.update < tol:
        return True, "the update fell below the tolerance"
    if len(steps) > 1 and 0.2 * steps[-2].update < last.update < floor and last.damping == 1.0:
        # Quadratic convergence has ended: what remains is rounding in an ill-conditioned system.
        return True, "the update reached the level of rounding"
    if floor and len(steps) > 6 and last.update > 1e2:
        return False, "the iteration diverges"
    return False, ""


def _damped(
    model: Model, c: np.ndarray, target: np.ndarray, allowed: float | None
) -> tuple[np.ndarray, float, float]:
    """Go the full step, or halve it until the residual is allowed: (coefficients, norm, factor)."""
    factor, trial, value = 1.0, target, _norm(model, target)
    while allowed is not None and not value <= allowed and factor > SHORTEST:
        factor *= 0.5
        trial = c + factor * (target - c)
        value = _norm(model, trial)
    return trial, value, factor


def _norm(model: Model, c: np.ndarray) -> float:
    return _size(model.residual(c))


def _size(values: np.ndarray) -> float:
    with np.errstate(over="ignore", invalid="ignore"):  # infinity is an answer
        return float(np.linalg.norm(values))


def relative(difference: np.ndarray, value: np.ndarray) -> float:
    """‖difference‖ / ‖value‖, or the plain norm when the value is zero."""
    size, change = _size(value), _size(difference)
    return change / size if size > 0 else change
