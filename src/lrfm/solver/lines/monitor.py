# SPDX-License-Identifier: MIT
"""The residual of the equations on fresh points: what the functions of a basis cannot do.

relative = ‖F‖ / ‖Σ|terms of F|‖,   rate = ‖F‖ / ‖∂F/∂y'‖ / ‖y‖:   a share of the equation, and a rate of change of the solution.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.solver.lines.newton import Stage
from lrfm.solver.lines.projected import ProjectedRows
from lrfm.solver.lines.state import Residual, State

LOCAL = 0.12  # share of the places along an axis that hold a residual which is local
Profiles = tuple[np.ndarray, ...]


def residual(system: ProjectedRows, time: float, y: np.ndarray, z: np.ndarray, sizes: np.ndarray) -> Residual:
    """The residual of all equations at one time on fresh points; the worst of them."""
    return residuals(system, np.array([time]), y[None], z[None], sizes)[0]


def worst(
    system: ProjectedRows,
    state: State,
    tried: Stage,
    stages: Sequence[int],
    nodes: np.ndarray,
    sizes: np.ndarray,
) -> Residual:
    """The largest residual of a step at some of its stages."""
    found = [
        residual(system, state.time + nodes[k] * state.length, tried.values[k], tried.rates[k], sizes)
        for k in stages
    ]
    return Residual(max(f.relative for f in found), max(f.rate for f in found))


def local_profiles(system: ProjectedRows, time: float, y: np.ndarray, z: np.ndarray) -> Profiles | None:
    """Squares of the residual along each axis, the mean over the others; None where it is spread over every axis."""
    grid, weights = system.basis.fresh
    points, known, total = system.at_times(grid, np.array([time])), {}, np.zeros(grid.size)
    for row in system.form.equations[: len(system.form.problem.fields)]:
        gap, terms = row.compared(points, system.jets(row.jets, grid, y[None], z[None], known))
        total += gap.ravel() ** 2 / max(float(weights @ terms.ravel() ** 2), 1e-300)
    profiles = grid.profiles(total)
    return profiles if any(is_local(p) for p in profiles) else None


def is_local(profile: np.ndarray) -> bool:
    """Whether few places along an axis hold all that counts."""
    return bool(np.mean(profile > 0.1 * profile.max()) < LOCAL)


def residuals(
    system: ProjectedRows, times: np.ndarray, y: np.ndarray, z: np.ndarray, sizes: np.ndarray
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
        share = np.full(len(times), np.inf)  # of what has run away
        np.divide(gap, np.maximum(terms, 1e-300), out=share, where=np.isfinite(gap) & np.isfinite(terms))
        relative = np.maximum(relative, share)
        mass = np.array([system.mass(row, grid, *at) for at in zip(times.tolist(), y, z, strict=True)])
        rate = np.maximum(rate, gap / np.maximum(mass, 1e-300) / max(sizes[own], 1e-300))
    return [Residual(float(a), float(b)) for a, b in zip(relative, rate, strict=True)]
