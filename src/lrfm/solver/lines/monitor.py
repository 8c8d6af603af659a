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

TRIED = 1e-9  # change of coefficients, relative, by which that of rounding is measured
ROUNDED = 5.0  # times the effect of one change that rounding may have: it is one direction of many
READABLE = 0.03  # residual, relative to its terms, from which it shows nothing of the solution
LOCAL = 0.12  # share of the places along an axis that hold a residual which is local
Profiles = tuple[np.ndarray, ...]


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
    rounding: bool = True,
) -> Residual:
    """The largest residual of a step at some of its stages; less what `rounding` makes of it where that is not to count."""
    here = list(stages)
    at = state.time + nodes[here] * state.length, tried.values[here], tried.rates[here]
    found = residuals(system, *at, sizes, least)
    if not rounding:
        found = above_rounding(system, found, *at, sizes, least)
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
    system: ProjectedRows,
    times: np.ndarray,
    y: np.ndarray,
    z: np.ndarray,
    sizes: np.ndarray,
    least: float = 0.0,
    beside: np.ndarray | None = None,
) -> list[Residual]:
    """The same at several times, from states and rates (times, components, R); of the difference F(y) − F(`beside`), relative to the terms of the latter, where that is given."""
    grid, weights = system.basis.fresh
    points = system.at_times(grid, times)
    known: dict = {}
    others: dict = {}
    relative, rate = np.zeros(len(times)), np.zeros(len(times))
    for own, row in list(zip(system.form.last, system.form.equations, strict=True))[
        : len(system.form.problem.fields)
    ]:
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # a march that runs away is not resolved, and says so
            values, parts = row.compared(points, system.jets(row.jets, grid, y, z, known))
            if beside is not None:
                there, parts = row.compared(points, system.jets(row.jets, grid, beside, z, others))
                values = values - there
            gap, terms = (np.sqrt(found.reshape(len(times), -1) ** 2 @ weights) for found in (values, parts))
        gap = np.where(np.isnan(gap), np.inf, gap)
        mass = np.array([system.mass(row, grid, *at) for at in zip(times.tolist(), y, z, strict=True)])
        terms = np.maximum(terms, least * mass * sizes[own])
        share = np.full(len(times), np.inf)  # of what has run away
        np.divide(gap, np.maximum(terms, 1e-300), out=share, where=np.isfinite(gap) & np.isfinite(terms))
        relative = np.maximum(relative, share)
        rate = np.maximum(rate, gap / np.maximum(mass, 1e-300) / max(sizes[own], 1e-300))
    return [Residual(float(a), float(b)) for a, b in zip(relative, rate, strict=True)]


def above_rounding(
    system: ProjectedRows,
    found: Sequence[Residual],
    times: np.ndarray,
    y: np.ndarray,
    z: np.ndarray,
    sizes: np.ndarray,
    least: float = 0.0,
    noise: float = 0.0,
) -> list[Residual]:
    """Residuals less what rounding of coefficients makes of them,  ‖F(y + δ) − F(y)‖ with ‖δ‖ = ε‖y‖ in any direction, or a larger `noise` that they have.

    Derivatives of the narrowest functions multiply ε by up to 1e12, and more such functions by more: a basis that is drawn anew for a residual of
    this kind has a larger one. What stays of a solution is not changed by it. A residual of which rounding is a large part says nothing, and stays as it is.
    """
    towards = np.random.default_rng(0).standard_normal(y.shape)
    towards *= (
        TRIED * np.linalg.norm(y, axis=2, keepdims=True) / np.linalg.norm(towards, axis=2, keepdims=True)
    )
    made = residuals(system, times, y + towards, z, sizes, least, beside=y)
    parts = [part / TRIED for part in (noise, ROUNDED * np.finfo(float).eps)]
    left = []
    for r, n in zip(found, made, strict=True):
        readable = [part for part in parts if part and part * n.relative < READABLE]
        part = max(readable, default=0.0)
        less = Residual(max(0.0, r.relative - part * n.relative), max(0.0, r.rate - part * n.rate))
        left.append(less if readable else r)
    return left
