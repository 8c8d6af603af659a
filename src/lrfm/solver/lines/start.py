# SPDX-License-Identifier: MIT
"""A consistent start: unknowns without a time derivative follow from their equations at the first moment.

What of the data is missing in it is measured, for it is a part of every error.
"""

from __future__ import annotations

import numpy as np

from lrfm.solver.lines.samples import Data
from lrfm.solver.lines.system import System
from lrfm.spaces.axes.product import ProductBasis


def consistent(system: System, time: float, y: np.ndarray, sweeps: int = 6) -> np.ndarray:
    """Coefficients with the algebraic components solved from their own rows by Newton; others as they are."""
    form = system.form
    if not form.algebraic:
        return y
    z = np.zeros_like(y)
    y = y.copy()
    fields = [form.last.index(c) for c in form.algebraic]
    size = system.basis.size
    columns = np.concatenate([np.arange(i * size, (i + 1) * size) for i in fields])
    for _ in range(sweeps):
        system.set_tests(time, y, z)
        owners = [*form.last, *(c.own for c in form.conditions)]
        mine = np.concatenate(
            [np.full(p.size, own in form.algebraic) for p, own in zip(system.places, owners, strict=True)]
        )
        gap = system.residual(np.array([time]), y[None], z[None])[0]
        matrix = system.linearize(time, y, z)[1]
        step = np.linalg.lstsq(matrix[np.ix_(mine, columns)], -gap[mine], rcond=1e-13)[0]
        y[form.algebraic] += step.reshape(len(fields), size)
        if np.linalg.norm(step) <= 1e-14 * np.linalg.norm(y):
            break
    return y


def misfit(data: Data, basis: ProductBasis, y: np.ndarray) -> float:
    """‖u(t₀) − u₀‖ / ‖u₀‖ on fresh points, the worst of the unknowns: what is missing after projection on the conditions."""
    form = data.form
    grid, weights = basis.fresh
    exact, found = data.on(grid.points), grid.evaluate(y, (0,) * len(basis.axes))
    given = [c for c, _, _ in data.given if form.components[c][1] == 0]
    square = np.sum(weights * exact**2, axis=1)
    gap = np.sum(weights * (found - exact) ** 2, axis=1)
    # By unknown: a part of a complex one that is rounding has no size of its own.
    owner = {c: form.components[c][0].partition(".")[0] for c in given}
    sizes, gaps = dict.fromkeys(owner.values(), 0.0), dict.fromkeys(owner.values(), 0.0)
    for c, name in owner.items():
        sizes[name] += float(square[c])
        gaps[name] += float(gap[c])
    return float(max((np.sqrt(gaps[n] / sizes[n]) for n in sizes if sizes[n] > 0), default=0.0))
