# SPDX-License-Identifier: MIT
"""A consistent start: rates from  F(t₀, y₀, z) = 0,  and algebraic unknowns from their own equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from lrfm.discretize.line.collocation import CellCollocation
from lrfm.discretize.options import ROUNDING, SAFEGUARDS, STEADY
from lrfm.integrate.schemes.radau import complete
from lrfm.linalg.banded import SingularError
from lrfm.linalg.clock import look


def consistent_start(made: Any, time: float, y: np.ndarray, duration: float) -> tuple[np.ndarray, np.ndarray]:
    """The state with algebraic components settled, and the rates of all components."""
    return (
        _settled(made, time, y, ROUNDING.small * duration)
        if made.system.algebraic
        else (y, _rates(made, time, y, duration))
    )


def _rates(made: CellCollocation, time: float, y: np.ndarray, duration: float) -> np.ndarray:
    """z with F(t₀, y₀, z) = 0 in the rows that hold rates; the others keep what is missing in them at the start."""
    system = made.system
    z = np.zeros_like(y)
    for c in system.links:
        z[c] = y[c + 1]
    soon = np.array([time, time + ROUNDING.small * duration])
    with np.errstate(all="ignore"):
        now, then = made.residual(soon, *(np.repeat(v[None], 2, axis=0) for v in (y, z)))
    # A row without rates holds on z as on y, moved by what changes in it; what it lacks at the start stays.
    right = np.where(made.lowest == 0, -now, -(then - now) / (ROUNDING.small * duration))
    try:
        change = made.linearize(time, y, z).rates(right)
    except SingularError:
        return z
    if np.all(np.isfinite(change)):
        z[system.last] += made.scatter(change)
    return z


def _settled(
    made: CellCollocation, time: float, y: np.ndarray, length: float
) -> tuple[np.ndarray, np.ndarray]:
    """An implicit Euler step of next to no length: algebraic unknowns at its end, differential ones as they were."""
    system = made.system
    rates = np.zeros((1, len(system.last), *y.shape[1:]))
    one = np.ones((1, 1))
    here = np.array([time + length])
    before = np.inf
    try:
        for _ in range(SAFEGUARDS.iterations):
            look()
            u, z = complete(made, y, rates, length * one)
            r = made.residual(here, u, z)[0]
            if not np.all(np.isfinite(r)):
                break
            change = made.scatter(made.linearize(here[0], u[0], z[0]).at(length)(-r))
            rates = rates + change[None]
            size = float(np.max(np.abs(length * change))) / max(1.0, float(np.max(np.abs(u))))
            # Corrections that no longer shrink are rounding: a pressure has that of the rates, which is 1e-9 of it.
            if size <= ROUNDING.sums or (size < ROUNDING.stagnant and size > STEADY.stalled * before):
                break
            before = size
    except SingularError:
        pass
    u, z = complete(made, y, rates, length * one)
    start = y.copy()
    start[system.algebraic] = u[0][system.algebraic]
    found = z[0]
    found[system.algebraic] = 0.0
    return start, found
