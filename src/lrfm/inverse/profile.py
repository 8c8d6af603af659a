# SPDX-License-Identifier: MIT
"""The profile of the misfit: for each value of one number all others are fitted again, and the rise of χ² is recorded.

An interval from it does not suppose that the model is linear: where the rise reaches the quantile q² that the linear interval uses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lrfm.inverse.model import Model
from lrfm.inverse.search import Task, search
from lrfm.inverse.vector import Vector

if TYPE_CHECKING:
    from lrfm.inverse.fit import Fit

REACH = 1.5  # in half widths of the linear interval
GOAL = 1e-4


@dataclass(frozen=True)
class Profile:
    """χ²(p) − χ²(p̂) at some values p of one number; `lower` and `upper` are where it crosses `level` (NaN: not within reach)."""

    name: str
    values: np.ndarray
    rise: np.ndarray
    level: float
    lower: float
    upper: float


def profile(fit: Fit, name: str, points: int) -> Profile:
    """The profile of one number around its value."""
    estimate = fit.parameters[name]
    low, high = fit.vector.bounds
    at = fit.vector.slice(name).start
    reach = REACH * max(estimate.half, 1e-12 * abs(estimate.value))
    values = np.clip(np.linspace(-1, 1, max(3, points | 1)) * reach + estimate.value, low[at], high[at])
    values = np.unique(values)
    rise = np.array([_misfit(fit, name, at, v) for v in values])
    rise = 2 * (rise - np.nanmin(rise))
    level = fit.factor**2
    middle = int(np.nanargmin(rise))
    return Profile(
        name, values, rise, level,
        _crossing(values[middle::-1], rise[middle::-1], level), _crossing(values[middle:], rise[middle:], level),
    )  # fmt: skip


def _misfit(fit: Fit, name: str, at: int, value: float) -> float:
    """The least cost with one number held fixed."""
    c = fit.full_covariance
    shifted = fit.values + c[:, at] / max(c[at, at], 1e-300) * (value - fit.values[at])
    if fit.vector.size == 1:
        point = fit.model.at(np.array([value]), fit.tol)
        return np.nan if point is None else fit.task.cost(point)
    rest = np.delete(np.arange(fit.vector.size), at)
    lower, upper = fit.vector.bounds
    problem = fit.vector.problem.replace(parameters={**fit.vector.problem.parameters, name: float(value)})
    model = Model(Vector.of(problem), fit.observed, fit.model.seed)
    task: Task = replace(fit.task, root=fit.task.root[:, rest], center=fit.task.center[rest])
    start = model.at(np.clip(shifted[rest], lower[rest], upper[rest]), fit.tol)
    return np.nan if start is None else search(model, task, start, fit.tol, GOAL).cost


def _crossing(values: np.ndarray, rise: np.ndarray, level: float) -> float:
    """Where a rise reaches a level, by its square root, which is a line for a linear model."""
    roots = np.sqrt(np.maximum(np.nan_to_num(rise, nan=np.inf), 0.0))
    above = np.flatnonzero(roots > np.sqrt(level))
    if not len(above) or above[0] == 0 or not np.isfinite(roots[above[0]]):
        return float("nan")
    i = int(above[0])
    share = (np.sqrt(level) - roots[i - 1]) / max(roots[i] - roots[i - 1], 1e-300)
    return float(values[i - 1] + share * (values[i] - values[i - 1]))
