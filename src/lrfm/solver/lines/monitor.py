# SPDX-License-Identifier: MIT
"""The residual of the equations on fresh points: what the functions of a basis cannot do.

relative = ‖F‖ / ‖Σ|terms of F|‖,   rate = ‖F‖ / ‖∂F/∂y'‖ / ‖y‖:   a share of the equation, and a rate of change of the solution.

Of a solution that rests all terms are rounding, and so is their share. Terms are taken to be at least as large as a rate of `least`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.solver.lines.newton import Stage
from lrfm.solver.lines.projected import ProjectedRows
from lrfm.solver.lines.state import Residual, State


def residual(
    system: ProjectedRows, time: float, y: np.ndarray, z: np.ndarray, sizes: np.ndarray, least: float = 0.0
) -> Residual:
    """The residual of all equations at one time on fresh points; the worst of them."""
    return residuals(system, np.array([time]), y[None], z[None], sizes, least)[0]


def worst(
    system: ProjectedRows,
    state: State,
    tried: Stage,
    stages: Sequence[int],
    nodes: np.ndarray,
    sizes: np.ndarray,
    least: float = 0.0,
) -> Residual:
    """The largest residual of a step at some of its stages."""
    found = [
        residual(system, state.time + nodes[k] * state.length, tried.values[k], tried.rates[k], sizes, least)
        for k in stages
    ]
    return Residual(max(f.relative for f in found), max(f.rate for f in found))


def residuals(
    system: ProjectedRows,
    times: np.ndarray,
    y: np.ndarray,
    z: np.ndarray,
    sizes: np.ndarray,
    least: float = 0.0,
) -> list[Residual]:
    """The same at several times, from states and rates (times, components, R)."""
    grid, weights = system.basis.fresh
    points = system.at_times(grid, times)
    known: dict = {}
    relative, rate = np.zeros(len(times)), np.zeros(len(times))
    for own, row in list(zip(system.form.last, system.form.equations, strict=True))[
        : len(system.form.problem.fields)
    ]:
        jets = system.jets(row.jets, grid, y, z, known)
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # a march that runs away is not resolved, and says so
            gap, terms = (
                np.sqrt(values.reshape(len(times), -1) ** 2 @ weights)
                for values in row.compared(points, jets)
            )
        gap = np.where(np.isnan(gap), np.inf, gap)
        mass = np.array([system.mass(row, grid, *at) for at in zip(times.tolist(), y, z, strict=True)])
        terms = np.maximum(terms, least * mass * sizes[own])
        share = np.full(len(times), np.inf)  # of what has run away
        np.divide(gap, np.maximum(terms, 1e-300), out=share, where=np.isfinite(gap) & np.isfinite(terms))
        relative = np.maximum(relative, share)
        rate = np.maximum(rate, gap / np.maximum(mass, 1e-300) / max(sizes[own], 1e-300))
    return [Residual(float(a), float(b)) for a, b in zip(relative, rate, strict=True)]
