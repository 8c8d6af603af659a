# SPDX-License-Identifier: MIT
"""Least squares by Levenberg and Marquardt: min_p ½ Σ_i w_i r_i(p)² + ½ |R (p − p₀)|², r = (d − h(p))/σ, inside of bounds.

A trial step solves (Jᵀ W J + RᵀR + μ D²) s = Jᵀ W r − RᵀR (p − p₀), D the size of each unknown in the data, and stops before a bound. μ is
the trust region: it grows where the misfit did not fall as the linear model said, and where the forward problem has no solution. Unknowns along
which u is a straight line are eliminated first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lrfm.inverse.loss import LOSSES, Loss
from lrfm.inverse.model import Model, Point
from lrfm.inverse.statistics import typical
from lrfm.solver.budget import OutOfTime

LATE = "`max_seconds` has passed"
ITERATIONS = 40
REJECTED = 12  # trial steps in a row
NEAR = 0.9  # part of the way to a bound that one step may go
HIDDEN = 0.3  # part of the error of the forward solve below which a change of the misfit means nothing
NOISE = 1e-3  # change in units of the standard error that is none


@dataclass(frozen=True)
class Task:
    """Data d with σ, a loss, and a prior |R (p − p₀)|²."""

    data: np.ndarray
    sigma: np.ndarray
    loss: Loss
    root: np.ndarray  # R, (rows, unknowns)
    center: np.ndarray

    def residual(self, h: np.ndarray) -> np.ndarray:
        return (self.data - h) / self.sigma

    def cost(self, point: Point) -> float:
        prior = self.root @ (point.values - self.center)
        return float(np.sum(self.loss.cost(self.residual(point.h))) + 0.5 * prior @ prior)

    def normal(self, point: Point) -> tuple[np.ndarray, np.ndarray]:
        """The matrix and right-hand side of one Gauss-Newton step, as rows: (J, r) stacked with the prior."""
        assert point.slopes is not None
        r = self.residual(point.h)
        w = np.sqrt(self.loss.weight(r))
        rows = np.concatenate([(w / self.sigma)[:, None] * point.slopes, self.root])
        return rows, np.concatenate([w * r, -self.root @ (point.values - self.center)])


@dataclass(frozen=True)
class Found:
    """Where a search ended; `values` may be one last step beyond `point`, the last that was solved."""

    point: Point
    values: np.ndarray
    cost: float
    iterations: int
    converged: bool
    reason: str


class Late(Exception):
    """The clock has ended a search; `found` is where it was."""

    def __init__(self, found: Found):
        super().__init__(found.reason)
        self.found = found


def search(
    model: Model,
    task: Task,
    point: Point,
    tol: float,
    goal: float,
    tell: Callable[[int, float], None] | None = None,
) -> Found:
    """From a point to a minimum: until steps are below `goal` times the unknowns, or far below their standard errors.

    Where the clock ends it (`OutOfTime`), the best point so far is `Late.found`.
    """
    reached = [point]
    try:
        return _searched(model, task, point, tol, goal, tell, reached)
    except OutOfTime:
        best = reached[-1]
        raise Late(Found(best, best.values, task.cost(best), len(reached) - 1, False, LATE)) from None


def _searched(
    model: Model,
    task: Task,
    point: Point,
    tol: float,
    goal: float,
    tell: Callable[[int, float], None] | None,
    reached: list[Point],
) -> Found:
    """The iteration; every point that lowers the misfit is put into `reached`."""
    lower, upper = model.vector.bounds
    point = eliminated(model, task, point, tol)
    reached.append(point)
    damping, scale, cost = 1e-3, np.zeros(len(point.values)), task.cost(point)
    rejected, hidden, reason, ahead = 0, 0, "", np.zeros(len(point.values))
    iteration = 0
    for iteration in range(1, ITERATIONS + 1):
        point = model.with_slopes(point, tol)
        reached.append(point)
        rows, right = task.normal(point)
        rows[:, _blind(rows, point.values, model, tol)] = 0.0
        scale = np.maximum(scale, np.linalg.norm(rows, axis=0))
        while True:
            step, predicted = _step(rows, right, np.maximum(scale, 1e-300), damping)
            step = _inside(point.values, step, lower, upper)
            small = _small(step, point.values, rows, cost, goal, len(task.data))
            if small:
                reason = "the last step was too small to matter"
                break
            if damping < 1e-2 and np.all(np.abs(step) <= 0.1 * np.sqrt(goal) * np.abs(point.values)):
                ahead, reason = step, "the last step was too small to be repeated"
                break
            trial = model.at(point.values + step, tol)
            if trial is not None and predicted < HIDDEN * _noise(task, point, cost, tol):
                # The misfit cannot judge such a step; the second of them is the last.
                point, cost, hidden = trial, task.cost(trial), hidden + 1
                reason = "the last step was below the error of the forward solve" if hidden > 1 else ""
                break
            gain = -1.0 if trial is None else (cost - task.cost(trial)) / max(predicted, 1e-300)
            if gain > 1e-3 and trial is not None:
                damping = damping * (0.1 if gain > 0.5 else 1.0 if gain > 0.2 else 3.0)
                point, cost, rejected = trial, task.cost(trial), 0
                break
            rejected += 1
            damping = max(damping, 1e-6) * 10
            if rejected > REJECTED:
                reason = f"no step lowered the misfit{f' ({model.why})' if trial is None else ''}"
                break
        if tell:
            tell(iteration, cost)
        if reason:
            break
    converged = reason.startswith("the last") or (bool(reason) and _flat(rows, right, cost))
    return Found(point, point.values + ahead, cost, iteration, converged, reason or "too many iterations")


def eliminated(model: Model, task: Task, point: Point, tol: float) -> Point:
    """The point with the best values of all linear unknowns by least squares, the others held: variable projection."""
    if not np.any(model.linear):
        return point
    point = model.with_slopes(point, tol)
    rows, right = replace(task, loss=LOSSES["squares"]).normal(point)
    rows[:, _blind(rows, point.values, model, tol)] = 0.0
    step = np.zeros(len(point.values))
    step[model.linear] = np.linalg.lstsq(rows[:, model.linear], right, rcond=1e-12)[0]
    trial = model.at(point.values + _inside(point.values, step, *model.vector.bounds), tol)
    return trial if trial is not None and task.cost(trial) < task.cost(point) else point


def _blind(rows: np.ndarray, values: np.ndarray, model: Model, tol: float) -> np.ndarray:
    """Numbers whose effect on the data is not above the error of the slopes: a step along them would be noise."""
    count = len(model.vector.numbers)
    effect = np.linalg.norm(rows, axis=0) * typical(values, model.vector.start)
    return np.flatnonzero(effect[:count] <= tol * effect.max(initial=0.0))


def _step(rows: np.ndarray, right: np.ndarray, scale: np.ndarray, damping: float) -> tuple[np.ndarray, float]:
    """The damped step, and by how much the linear model falls."""
    u, s, vt = np.linalg.svd(rows / scale, full_matrices=False)
    keep = s > 1e-13 * s[0]
    b = u.T @ right
    z = vt.T @ np.where(keep, s * b / (s**2 + damping), 0.0)
    gap = right - (rows / scale) @ z
    return z / scale, float(0.5 * (right @ right - gap @ gap))


def _inside(values: np.ndarray, step: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """The step, shortened for each unknown that would come too near to its bound."""
    return np.clip(step, -NEAR * (values - lower), NEAR * (upper - values))


def _small(
    step: np.ndarray, values: np.ndarray, rows: np.ndarray, cost: float, goal: float, count: int
) -> bool:
    """Whether a step changes nothing: relative to the unknowns, or to what the data can tell of them."""
    change = rows @ step
    size = max(2 * cost / max(count, 1), 1e-300)  # misfit per value: 1 where σ is right
    means = float(change @ change) < NOISE**2 * min(size, 1.0)
    return means or bool(np.all(np.abs(step) <= goal * np.maximum(np.abs(values), 1e-300)))


def _flat(rows: np.ndarray, right: np.ndarray, cost: float) -> bool:
    """Whether the linear model could lower the misfit by less than a thousandth."""
    step = np.linalg.lstsq(rows, right, rcond=1e-12)[0]
    gap = right - rows @ step
    return 0.5 * float(right @ right - gap @ gap) <= 1e-3 * max(cost, 1e-300)


def _noise(task: Task, point: Point, cost: float, tol: float) -> float:
    """By how much the misfit may change because h is only known to a relative tolerance."""
    size = tol * float(np.linalg.norm(point.h / task.sigma))
    return size * np.sqrt(2 * cost) + 0.5 * size**2
