# SPDX-License-Identifier: MIT
"""The nearest velocity that satisfies its constraint:  u + ∇φ  with  D (u + ∇φ) = g  (Helmholtz, Leray), on the functions of a discretization.

What a velocity lacks of it would be an impulse of pressure in the next step: it is projected at the start, and where the cells change.
"""

from __future__ import annotations

import numpy as np

from lrfm.discretize.options import ROUNDING
from lrfm.discretize.plane.galerkin import PlaneGalerkin


def solenoidal(
    made: PlaneGalerkin, time: float, y: np.ndarray, z: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A state (components, cells, size) with its velocity projected, and a pressure within its own functions, with mean zero where its constant is free; and its rates likewise."""
    system = made.system
    if not system.multipliers:
        return y, z
    y, z = (_own(made, values) for values in (y, z))
    at = np.zeros(made.size + 1, dtype=bool)
    at[made.places[:, [system.last.index(c) for c in system.multipliers]]] = True
    pencil = made.linearize(time, y, z)
    # [M G; D 0]: the rates of all rows, and the pressure in those of the velocity.
    gradient = np.where(at[made.columns] & ~at[made.rows], pencil.entries(1), 0.0)
    solve = made.solver.factor(pencil.entries(0) + gradient)
    moving = [i for i, c in enumerate(system.last) if c not in system.algebraic]

    def projected(values: np.ndarray, missing: np.ndarray) -> np.ndarray:
        change = made.scatter(solve(np.where(at[:-1], -missing, 0.0)))
        values[[system.last[i] for i in moving]] += change[moving]
        return values

    y = projected(y, made.residual(np.array([time]), y[None], z[None])[0])
    # D z + ∂ₜs = 0, by a difference of the constraint in time.
    soon = ROUNDING.small * (system.problem.time[1] - system.problem.time[0])
    now, then = made.residual(np.array([time, time + soon]), np.stack([y, y + soon * z]), np.stack([z, z]))
    return y, projected(z, (then - now) / soon)


def _own(made: PlaneGalerkin, values: np.ndarray) -> np.ndarray:
    """Coefficients without those that a pressure has no functions for, and without its constant where it is free."""
    system, layout, values = made.system, made.layout, values.copy()
    for c in system.multipliers:
        values[c, :, layout.sizes[system.last.index(c)] :] = 0.0
    for c in layout.undetermined:
        values[c, :, 0] -= np.sum(values[c, :, 0] * made.shares)
    return values
