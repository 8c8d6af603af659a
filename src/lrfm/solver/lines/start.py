# SPDX-License-Identifier: MIT
"""A consistent start: unknowns without a time derivative follow from their equations at the first moment."""

from __future__ import annotations

import numpy as np

from lrfm.solver.lines.system import System


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
        groups = zip(system.sizes, system.owners, strict=True)
        mine = np.concatenate([np.full(size, own in form.algebraic) for size, own in groups])
        gap = system.residual(np.array([time]), y[None], z[None])[0]
        matrix = system.linearize(time, y, z)[1]
        step = np.linalg.lstsq(matrix[np.ix_(mine, columns)], -gap[mine], rcond=1e-13)[0]
        y[form.algebraic] += step.reshape(len(fields), size)
        if np.linalg.norm(step) <= 1e-14 * np.linalg.norm(y):
            break
    return y
