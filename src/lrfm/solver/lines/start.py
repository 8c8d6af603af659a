# SPDX-License-Identifier: MIT
"""A consistent start: data in a basis, projected on the conditions; unknowns without a time derivative from their equations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lrfm.solver.lines.choice import Chooser
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.system import System
from lrfm.spaces.axes.product import ProductBasis

SHARPER = 7  # how often a basis is made sharper where it misses the data


@dataclass(frozen=True)
class Fitted:
    """The start on a basis: coefficients, relative misfit of the worst unknown, and where it is largest along each axis."""

    system: System
    coefficients: np.ndarray
    misfit: float
    profiles: tuple[np.ndarray, ...]


def fit_start(form: Form, chooser: Chooser, basis: ProductBasis, finer: float | None) -> Fitted:
    """The start on a basis, or on a sharper one whose misfit is at most `finer`, as far as features allow."""
    fitted = _fit(form, chooser, basis)
    for _ in range(SHARPER if finer is not None else 0):
        if finer is None or fitted.misfit <= finer or basis.features >= chooser.rules.most:
            break
        basis = chooser.sharper(basis, fitted.profiles)
        other = _fit(form, chooser, basis)
        fitted = other if other.misfit < fitted.misfit else fitted
    return fitted


def _fit(form: Form, chooser: Chooser, basis: ProductBasis) -> Fitted:
    time, data, system = form.problem.time[0], chooser.data, System(form, basis)
    y = basis.project(data.on(basis.grid.points))
    y = consistent(system, time, system.constrain(time, y))
    grid, weights = basis.fresh
    exact, found = data.on(grid.points), grid.evaluate(y, (0,) * len(basis.axes))
    given = [c for c, _, _ in data.given if form.components[c][1] == 0]
    square, gap = np.sum(weights * exact**2, axis=1), (found - exact) ** 2
    # By unknown: a part of a complex one that is rounding has no size of its own.
    owner = {c: form.components[c][0].partition(".")[0] for c in given}
    sizes, gaps = dict.fromkeys(owner.values(), 0.0), dict.fromkeys(owner.values(), 0.0)
    profile = np.zeros(grid.size)
    for c, name in owner.items():
        sizes[name] += float(square[c])
        gaps[name] += float(weights @ gap[c])
        profile = np.maximum(profile, gap[c] / max(float(np.max(exact[c] ** 2)), 1e-300))
    misfit = max((np.sqrt(gaps[n] / sizes[n]) for n in sizes if sizes[n] > 0), default=0.0)
    table = profile.reshape([len(x) for x in grid.places])
    others = lambda k: tuple(j for j in range(table.ndim) if j != k)  # noqa: E731
    return Fitted(system, y, float(misfit), tuple(table.max(axis=others(k)) for k in range(table.ndim)))


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
