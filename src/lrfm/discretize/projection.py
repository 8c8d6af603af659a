# SPDX-License-Identifier: MIT
"""The nearest velocity that satisfies its constraint:  u + ∇φ  with  D (u + ∇φ) = g  (Helmholtz, Leray), on the functions of a discretization.

What a velocity lacks of it would be an impulse of pressure in the next step: it is projected at the start, and where the cells change.
"""

from __future__ import annotations

import numpy as np

from lrfm.discretize.galerkin import PlaneGalerkin


def solenoidal(made: PlaneGalerkin, time: float, y: np.ndarray) -> np.ndarray:
    """A state (components, cells, size) with its velocity projected, and a pressure within its own functions, with mean zero where its constant is free."""
    system, layout = made.system, made.layout
    if not system.multipliers:
        return y
    y = y.copy()
    for c in system.multipliers:
        y[c, :, layout.sizes[system.last.index(c)] :] = 0.0
    for c in layout.undetermined:
        y[c, :, 0] -= np.sum(y[c, :, 0] * made.shares)
    at = np.zeros(made.size + 1, dtype=bool)
    at[made.places[:, [system.last.index(c) for c in system.multipliers]]] = True
    still = np.zeros_like(y)
    pencil = made.linearize(time, y, still)
    # [M G; D 0]: the rates of all rows, and the pressure in those of the velocity.
    gradient = np.where(at[made.columns] & ~at[made.rows], pencil.entries(1), 0.0)
    missing = np.where(at[:-1], made.residual(np.array([time]), y[None], still[None])[0], 0.0)
    change = made.scatter(made.solver.factor(pencil.entries(0) + gradient)(-missing))
    moving = [i for i, c in enumerate(system.last) if c not in system.algebraic]
    y[[system.last[i] for i in moving]] += change[moving]
    return y
