# SPDX-License-Identifier: MIT
"""Newton and Picard: sequences of linear least-squares problems. This room sees a `linearize` callable, nothing else.

    Newton:  c⁺ = argmin ‖J(c) d − b(c)‖,  J Fréchet's derivative     Picard:  the same with frozen factors
    stop when ‖u⁺ − u‖ / ‖u⁺‖ < tol  (Paper, below eq:picard-residual)

A linear problem is the case in which the first step is the last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lrfm.least_squares import Fit

Linearize = Callable[[np.ndarray, bool], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Model:
    """What an iteration may ask of the system it solves.

    linearize(c, picard) → (J, b);  residual(c) → weighted F;  values(c) → u at some points;  solve(J, b) → Fit.
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

    def run(self, model: Model, start: np.ndarray, notify: Callable[[int, Step], None] | None = None) -> Outcome: ...


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

    def run(self, model: Model, start: np.ndarray, notify: Callable[[int, Step], None] | None = None) -> Outcome:
        """Iterate from the coefficients `start`."""
        return _iterate(model, start, self.tol, self.max_steps, False, self.floor, notify)


@dataclass(frozen=True, kw_only=True)
class Picard:
    """Fixed-point iteration with frozen factors, the paper's: linear convergence, no damping."""

    tol: float = 1e-10
    max_steps: int = 50

    def __post_init__(self) -> None:
        _check(self.tol, self.max_steps)

    def run(self, model: Model, start: np.ndarray, notify: Callable[[int, Step], None] | None = None) -> Outcome:
        """Iterate from the coefficients `start`."""
        return _iterate(model, start, self.tol, self.max_steps, True, 0.0, notify)


def _check(tol: float, max_steps: int) -> None:
    if not tol > 0:
        raise ValueError(f"`tol={tol!r}` must be positive.")
    if not (isinstance(max_steps, int) and max_steps >= 1):
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
    u = model.values(c)
    norm = float(np.linalg.norm(model.residual(c))) if not model.linear else np.inf
    steps: list[Step] = []
    best: tuple[float, np.ndarray] | None = None
    converged, reason = False, f"the limit of {max_steps} steps was reached"
    for number in range(1, max_steps + 1):
        fit = model.solve(*model.linearize(c, picard))
        if model.linear:
            step = Step(0.0, fit.residual)
            c, converged, reason, steps = fit.coefficients, True, "the problem is linear", [step]
            best = (fit.residual, c)
            break
        c_next, u_next, norm_next, damping = _damped(model, c, fit.coefficients, norm, damp=not picard)
        update = relative(u_next - u, u_next) / damping
        c, u, norm = c_next, u_next, norm_next
        steps.append(Step(update, norm, damping))
        if notify:
            notify(number, steps[-1])
        if not np.isfinite(update):
            reason = "the iterates became infinite"
            break
        if best is None or norm <= best[0]:
            best = (norm, c)
        if update < tol:
            converged, reason = True, "the update fell below the tolerance"
            break
        if len(steps) > 1 and update < floor and update > 0.2 * steps[-2].update and damping == 1.0:
            # Quadratic convergence has ended: what remains is rounding in an ill-conditioned system.
            converged, reason = True, "the update reached the level of rounding"
            break
        if len(steps) > 6 and not picard and update > 1e2:
            reason = "the iteration diverges"
            break
    # Picard reports its last iterate, as in the paper; Newton the best one it has seen.
    final = c if picard or best is None else best[1]
    return Outcome(final, fit, tuple(steps), converged, reason)


def _damped(
    model: Model, c: np.ndarray, target: np.ndarray, norm: float, damp: bool
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Go the full step, or halve it until the residual no longer grows."""
    factor = 1.0
    while True:
        trial = target if factor == 1.0 else c + factor * (target - c)
        value = float(np.linalg.norm(model.residual(trial)))
        # Some growth is let pass: at the level of rounding the residual wobbles, and a start that is no solution of
        # anything (u held constant in time) is not yet a measure.
        if not damp or value <= 1.5 * norm or factor < 2**-6:
            return trial, model.values(trial), value, factor
        factor *= 0.5


def relative(difference: np.ndarray, value: np.ndarray) -> float:
    """‖difference‖ / ‖value‖, or the plain norm when the value is zero."""
    size = float(np.linalg.norm(value))
    change = float(np.linalg.norm(difference))
    return change / size if size > 0 else change
