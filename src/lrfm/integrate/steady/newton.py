# SPDX-License-Identifier: MIT
"""Damped Newton iteration for F(u) = 0, whatever F is discretized by.

    F′(u) d = −F(u),   u ← u + λ d,   where ‖F′(u)⁻¹F(u + λd)‖ ≤ (1 − λ/4) ‖d‖.

The natural monotonicity test is invariant under what multiplies F (Deuflhard, Newton Methods for Nonlinear Problems, 2004, algorithm NLEQ-RES and ERR):
rows of different units do not matter. Where it fails, a path is followed (`lrfm.integrate.steady.path`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lrfm.discretize.options import ROUNDING, SAFEGUARDS, STEADY
from lrfm.linalg.banded import SingularError, Solve
from lrfm.linalg.deadline import check_deadline


class Equations(Protocol):
    """F(u) = 0 in coefficients."""

    @property
    def linear(self) -> bool:
        """Whether F is affine."""
        ...

    def residual(self, u: np.ndarray) -> np.ndarray:
        """F(u)."""
        ...

    def factored(self, u: np.ndarray) -> Solve:
        """F′(u)⁻¹ as a function; SingularError where there is none."""
        ...

    def relative(self, change: np.ndarray, u: np.ndarray) -> float:
        """‖change‖ over ‖u‖, the worst of the unknowns."""
        ...


@dataclass(frozen=True)
class Found:
    """Where an iteration ended: at a zero of F, or at its best iterate."""

    u: np.ndarray
    converged: bool
    iterations: int
    left: float  # the size of the last correction


def newton(equations: Equations, u: np.ndarray, goal: float) -> Found:
    """A zero of F from a guess; corrections below `goal`, or at the rounding of their equations, end it."""
    before, damping, best = np.inf, 1.0, np.inf
    solve: Solve | None = None
    with np.errstate(all="ignore"):
        for count in range(1, SAFEGUARDS.iterations + 1):
            check_deadline()
            residual = equations.residual(u)
            if not np.all(np.isfinite(residual)):
                return Found(u, False, count, np.inf)
            try:
                # F′ of an affine F is one matrix: further corrections are its iterative refinement.
                solve = equations.factored(u) if solve is None or not equations.linear else solve
            except SingularError:
                return Found(u, False, count, np.inf)
            step = solve(-residual)
            size = equations.relative(step, u + step)
            if not np.isfinite(size):
                return Found(u, False, count, np.inf)
            # Corrections that no longer shrink are rounding: nothing better can be had.
            if size <= goal or (size < ROUNDING.stagnant and size > STEADY.slowest * before):
                return Found(u + step, True, count, size)
            before = size if damping == 1 else np.inf
            if equations.linear:
                u, best = u + step, size
                continue
            found = _damped(equations, solve, u, step, damping)
            if found is None:
                return Found(u, False, count, min(size, best))
            (u, damping), best = found, size
    return Found(u, False, SAFEGUARDS.iterations, best)


def _damped(
    equations: Equations,
    solve: Solve,
    u: np.ndarray,
    step: np.ndarray,
    damping: float,
) -> tuple[np.ndarray, float] | None:
    """The next iterate and its damping factor; None where the test holds for none."""
    factor, whole = min(1.0, 2 * damping), equations.relative(step, u + step)
    while factor > STEADY.least_damping:
        trial = u + factor * step
        residual = equations.residual(trial)
        if np.all(np.isfinite(residual)):
            following = equations.relative(solve(-residual), u + step)
            if following <= (1 - factor / 4) * whole:
                return trial, factor
        factor *= 0.5
    return None
