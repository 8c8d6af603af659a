# SPDX-License-Identifier: MIT
"""A consistent start: rates from  F(t₀, y₀, z) = 0,  and algebraic unknowns from their own equations.

Between walls:  E z + A_q q = −(A y + n),  C z = 0,  B z = −g′,  from the state y nearest to the data that meets C y = 0 and B y = −g.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lrfm.discretize.line.collocation import CellCollocation
from lrfm.discretize.options import ROUNDING, SAFEGUARDS, STEADY, Options
from lrfm.integrate.schemes.radau import complete
from lrfm.linalg.banded import SingularError
from lrfm.linalg.deadline import check_deadline

if TYPE_CHECKING:
    from lrfm.discretize.box.galerkin import BoxGalerkin
    from lrfm.discretize.box.walls import WalledDiscretization


def consistent_start(made: Any, time: float, y: np.ndarray, duration: float) -> tuple[np.ndarray, np.ndarray]:
    """The state with algebraic components settled, and the rates of all components: F(t₀, y₀, z) = 0 in the rows that hold rates."""
    algebraic, last = made.system.algebraic, made.system.last
    start, settled = _settled(made, time, y, ROUNDING.small * duration) if algebraic else (y, None)
    z, right = _missing(made, time, start, duration)
    try:
        change = made.linearize(time, start, z).rates(right)
        determined = bool(np.all(np.isfinite(change)))
        z[last] += made.scatter(change)
    except SingularError:
        determined = False
    if settled is None:
        return y, z if determined else np.zeros_like(y)
    # Of a condition, as u(0) = ∫u, the short step divides what rounding and cells leave in it by its length; a multiplier, as of ∫u = E(t), makes the matrix
    # of rates singular, to rounding at least. Either mistake is large.
    z[algebraic] = settled[algebraic] = 0.0
    better = determined and np.max(np.abs(z)) <= np.max(np.abs(settled))
    return start, z if better else settled


def _missing(
    made: CellCollocation, time: float, y: np.ndarray, duration: float
) -> tuple[np.ndarray, np.ndarray]:
    """Rates of chains, and what all other rates have to make: in rows that hold none the others keep what is missing in them at the start."""
    z = np.zeros_like(y)
    for c in made.system.links:
        z[c] = y[c + 1]
    soon = np.array([time, time + ROUNDING.small * duration])
    with np.errstate(all="ignore"):
        now, then = made.residual(soon, *(np.repeat(v[None], 2, axis=0) for v in (y, z)))
    # A row without rates holds on z as on y, moved by what changes in it; what it lacks at the start stays.
    return z, np.where(made.lowest == 0, -now, -(then - now) / (ROUNDING.small * duration))


def _settled(
    made: CellCollocation, time: float, y: np.ndarray, length: float
) -> tuple[np.ndarray, np.ndarray]:
    """An implicit Euler step of next to no length: algebraic unknowns at its end, differential ones as they were.

    Newton's method is damped by its natural test: a step of λ of a correction is taken that leaves a correction, by the same matrix, of at most 1 − λ/2 of it (Deuflhard, Newton Methods for Nonlinear Problems, 2004, 3.3).
    """
    system = made.system
    rates = np.zeros((1, len(system.last), *y.shape[1:]))
    one = np.ones((1, 1))
    here = np.array([time + length])
    before = np.inf

    def missing(rates: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        u, z = complete(made, y, rates, length * one)
        return u, z, made.residual(here, u, z)[0]

    try:
        u, z, r = missing(rates)
        for _ in range(SAFEGUARDS.iterations):
            check_deadline()
            if not np.all(np.isfinite(r)):
                break
            solve = made.linearize(here[0], u[0], z[0]).at(length)
            change, part = made.scatter(solve(-r)), 1.0
            most = float(np.max(np.abs(change)))
            while True:
                u, z, r = missing(rates + part * change[None])
                left = np.max(np.abs(made.scatter(solve(-r)))) if np.all(np.isfinite(r)) else np.inf
                if left <= (1 - 0.5 * part) * most or part < Options.minor**2:
                    break
                part *= 0.5
            rates = rates + part * change[None]
            size = float(np.max(np.abs(length * change))) / max(1.0, float(np.max(np.abs(u))))
            # Corrections that no longer shrink are rounding: a pressure has that of the rates, which is 1e-9 of it.
            if size <= ROUNDING.sums or (size < ROUNDING.stagnant and size > STEADY.slowest * before):
                break
            before = size
    except SingularError:
        pass
    u, z = complete(made, y, rates, length * one)
    start = y.copy()
    start[system.algebraic] = u[0][system.algebraic]
    return start, z[0]


def wall_start(
    made: WalledDiscretization | BoxGalerkin, time: float, y: np.ndarray, duration: float
) -> tuple[np.ndarray, np.ndarray]:
    """The state with multipliers by their equations, and the rates of all components; data are moved where there are constraints, as to velocities without divergence."""
    if not made.plain:
        return consistent_start(made, time, y, duration)
    if made.system.multipliers:
        y = made.scatter(made.admissible(made.gather(y), time))
    return wall_rates(made, time, y, duration)


def wall_rates(
    made: WalledDiscretization | BoxGalerkin, time: float, y: np.ndarray, duration: float
) -> tuple[np.ndarray, np.ndarray]:
    """The same of a state that meets its constraints already."""
    if not made.plain:
        return consistent_start(made, time, y, duration)
    vector = made.moving(made.gather(y))
    rates, multipliers = made.projected(-made.terms_of(vector, time), time)
    return made.scatter(vector + multipliers), made.scatter(rates)
