# SPDX-License-Identifier: MIT
"""A consistent start: unknowns without a time derivative follow from their equations, others satisfy their constraints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lrfm.solver.lines.gauge import fixed
from lrfm.solver.lines.newton import Stage
from lrfm.solver.lines.saddle import SaddleParts
from lrfm.solver.lines.schemes import Scheme
from lrfm.solver.lines.state import State
from lrfm.solver.lines.system import System
from lrfm.spaces.axes.product import apply


def consistent(system: System, time: float, y: np.ndarray, sweeps: int = 6) -> np.ndarray:
    """Coefficients with the algebraic components solved from their own rows by Newton; others as they are."""
    form = system.form
    if not form.determined:
        return y
    z = np.zeros_like(y)
    y = y.copy()
    fields = [form.last.index(c) for c in form.determined]
    size = system.basis.size
    columns = np.concatenate([np.arange(i * size, (i + 1) * size) for i in fields])
    for _ in range(sweeps):
        system.set_tests(time, y, z)
        owners = [*form.last, *(c.own for c in form.conditions)]
        mine = np.concatenate(
            [np.full(p.size, own in form.determined) for p, own in zip(system.places, owners, strict=True)]
        )
        gap = system.residual(np.array([time]), y[None], z[None])[0]
        matrix = fixed(system, system.linearize(time, y, z))[1]
        step = np.linalg.lstsq(matrix[np.ix_(mine, columns)], -gap[mine], rcond=1e-13)[0]
        y[form.determined] += step.reshape(len(fields), size)
        if np.linalg.norm(step) <= 1e-14 * np.linalg.norm(y):
            break
    return y


def admissible(system: System, time: float, y: np.ndarray, sweeps: int = 3) -> np.ndarray:
    """The nearest coefficients that satisfy constraints and conditions, y ← y − E⁺(E y − g); multipliers in their own functions.

    A velocity that is not free of divergence would be made so by an impulse of pressure in the first step.
    """
    form = system.form
    if not form.multipliers:
        return y
    y, z = y.copy(), np.zeros_like(y)
    for c in form.multipliers:
        held = system.held_products(c)
        y[c] = apply(held, apply([q.T for q in held], y[c]))
    for _ in range(sweeps):
        system.set_tests(time, y, z)
        parts = SaddleParts(system, time, y, z)
        gap = system.residual(np.array([time]), y[None], z[None])[0][parts.hard]
        # Rows on rates say nothing about where a start lies.
        gap[parts.power[parts.hard] != 1] = 0.0
        change = np.zeros(len(parts.free))
        change[parts.free] = parts.reduction.meet(-gap)
        y[form.last] += change.reshape(len(form.last), -1)
        if form.linear or np.linalg.norm(change) <= 1e-13 * np.linalg.norm(y):
            break
    return y


def unstarted(system: System, scheme: Scheme, state: State, stage: Stage) -> tuple[State, Stage]:
    """The first step with multipliers as polynomials through their stages alone: nothing says what they are at the start."""
    form, h = system.form, state.length
    coefficients, rates = state.coefficients.copy(), stage.rates.copy()
    slope = scheme.slopes / h
    for c in form.multipliers:
        coefficients[c] = scheme.extended(stage.values[:, c], np.zeros(1))[0]
        rates[:, c] = slope @ stage.values[:, c]
    return replace(state, coefficients=coefficients), replace(stage, rates=rates)
