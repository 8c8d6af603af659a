# SPDX-License-Identifier: MIT
"""The loop the paper describes as its own: features patch by patch, matrix and gelsd anew in each step.

Allen-Cahn in one dimension, u_t − ε u_xx + (u_old² − 1) u = 0, on the features and points that `lrfm.solve`
draws for the same seed. Derivatives are the paper's formulas eq:dxphi, eq:dxxphi and eq:leibniz-pou, written
out on dense arrays (points × features of a patch). Paper, Section subsec:timing.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lrfm.problem import Problem
from lrfm.solution.reference import reference_values, relative_l2
from lrfm.solution.solution import Solution
from lrfm.solver.api import solve
from lrfm.solver.engine import block_rng
from lrfm.solver.methods import SpaceTime
from lrfm.spacetime.features import Space
from lrfm.spacetime.features.bumps import Bump
from lrfm.spacetime.features.cores import LiquidCore, RidgeCore
from lrfm.spacetime.features.space import Patch
from lrfm.spacetime.least_squares import QR, TruncatedSVD
from lrfm.spacetime.windows.nonlinear import Newton
from lrfm.spacetime.windows.window import sample_space
from paper.case import Case
from paper.measure import errors, grid
from paper.tuned import own_rows

REPEATS = 3  # of our own solves, which are short


class Values(NamedTuple):
    """φ, φ_x, φ_xx, φ_t at points, (points, features)."""

    value: np.ndarray
    x: np.ndarray
    xx: np.ndarray
    t: np.ndarray


def compare(case: Case, method: str, seed: int) -> dict[str, Any]:
    """Errors and seconds of the plain loop, of `lrfm.solve` with its protocol, and with our own.

    Our own are rows in proportion to the features, Newton and QR, on the same trial functions.
    Seconds are processor time of one thread, so that other work on the machine does not count.
    """
    problem, protocol = case.statement(), case.method(method)
    own = replace(
        protocol,
        collocation=own_rows(case.features, {}),
        least_squares=QR(),
        nonlinear=Newton(tol=case.tolerance),
    )
    # Formulas are compiled at the first use.
    solve(problem, method=own, seed=seed, estimate=False, strict=False)
    began = time.process_time()
    space, c, steps = plain_loop(case, method, seed)
    plain = time.process_time() - began
    same, same_seconds = _timed(problem, protocol, seed)
    best, best_seconds = _timed(problem, own, seed)
    at = grid(problem)
    exact = reference_values(problem, at)["u"]
    points = np.column_stack([at["x"].ravel(), at["t"].ravel()])
    found = (features(space, points).value @ c).reshape(exact.shape)
    return {
        "plain_l2": relative_l2(found, exact),
        "l2": errors(same)["l2"],
        "own_l2": errors(best)["l2"],
        "plain_seconds": plain,
        "seconds": same_seconds,
        "own_seconds": best_seconds,
        "speedup": plain / same_seconds,
        "own_speedup": plain / best_seconds,
        "plain_steps": steps,
        "steps": same.report.steps,
        "own_steps": best.report.steps,
    }


def _timed(problem: Problem, method: SpaceTime, seed: int) -> tuple[Solution, float]:
    began = time.process_time()
    found = [solve(problem, method=method, seed=seed, estimate=False, strict=False) for _ in range(REPEATS)]
    return found[0], (time.process_time() - began) / REPEATS


def plain_loop(case: Case, method: str, seed: int) -> tuple[Space, np.ndarray, int]:
    """Picard with everything computed anew in each step: the space, its coefficients, the number of steps."""
    problem = case.statement()
    rng = block_rng(seed, 0)
    space: Any = sample_space(problem, case.space(method), problem.time, rng)
    points = case.collocation().place(problem.domain, problem.time, rng)
    lower, upper = points.pairs[0]
    eps = problem.parameters["eps"]
    start = problem.initial_data["u", 0].part(points.initial, "u")
    old = problem.initial_data["u", 0].part(points.interior, "u")
    initial_weight = np.sqrt(len(points.interior) / len(points.initial))
    boundary_weight = np.sqrt(len(points.interior) / len(lower))
    steps, c = 0, np.zeros(space.size)
    while steps < case.max_steps:
        steps += 1
        inside = features(space, points.interior)
        first, left, right = (features(space, p) for p in (points.initial, lower, upper))
        A = np.vstack(
            [
                inside.t - eps * inside.xx + (old**2 - 1.0)[:, None] * inside.value,
                boundary_weight * (right.value - left.value),
                boundary_weight * (right.x - left.x),
                initial_weight * first.value,
            ]
        )
        b = np.concatenate([np.zeros(len(A) - len(start)), initial_weight * start])
        c = TruncatedSVD(cutoff=case.cutoff).solve(A, b).coefficients
        new = inside.value @ c
        update = np.linalg.norm(new - old) / np.linalg.norm(new)
        old = new
        if update < case.tolerance:
            break
    return space, c, steps


def features(space: Space, points: np.ndarray) -> Values:
    """All features at points, patch by patch, dense."""
    blocks = [_times_window(patch, points, _core(patch, points)) for patch in space.patches]
    return Values(*(np.hstack(parts) for parts in zip(*blocks, strict=True)))


def _core(patch: Patch, points: np.ndarray) -> Values:
    y, t = points[:, :1] - patch.frame.center[0], points[:, 1:] - patch.frame.start
    core: Any = patch.core
    scale = core.charts[0].scale
    if isinstance(core, LiquidCore):
        return _liquid(core, y / scale, t, scale)
    time_chart: Any = core.charts[1] if isinstance(core, RidgeCore) else core.time_chart
    later = (t - time_chart.center) / time_chart.scale
    if isinstance(core, RidgeCore):
        k, w = core.ridge.weights.T
        f = np.tanh(y / scale * k + later * w + core.ridge.biases)
        slope = 1.0 - f**2
        return Values(f, slope * k / scale, -2 * f * slope * (k / scale) ** 2, slope * w / time_chart.scale)
    k, w = core.ridge.weights[:, 0], core.time_ridge.weights[:, 0]
    f, q = np.tanh(y / scale * k + core.ridge.biases), np.tanh(later * w + core.time_ridge.biases)
    slope = 1.0 - f**2
    return Values(
        f * q,
        slope * k / scale * q,
        -2 * f * slope * (k / scale) ** 2 * q,
        f * (1 - q**2) * w / time_chart.scale,
    )


def _liquid(core: Any, z: np.ndarray, t: np.ndarray, scale: float) -> Values:
    """eq:duhamel-feature, eq:dxphi and eq:dxxphi."""
    w, w0 = core.gate_ridge.weights[:, 0] / scale, core.start_ridge.weights[:, 0] / scale
    g = np.tanh(z * core.gate_ridge.weights[:, 0] + core.gate_ridge.biases)
    h = np.tanh(z * core.start_ridge.weights[:, 0] + core.start_ridge.biases)
    alpha = core.rates + g
    gx, hx = (1 - g**2) * w, (1 - h**2) * w0
    gxx, hxx = -2 * g * gx * w, -2 * h * hx * w0
    E, A = np.exp(-alpha * t), core.amplitudes
    eta0, eta1, eta2 = _eta(alpha, t, E)
    value = h * E + g * A * eta0
    x = hx * E - h * gx * t * E + A * (gx * eta0 + g * gx * eta1)
    xx = (
        hxx * E
        - 2 * hx * gx * t * E
        + h * (gx**2 * t**2 - gxx * t) * E
        + A * (gxx * eta0 + 2 * gx**2 * eta1 + g * (gxx * eta1 + gx**2 * eta2))
    )
    return Values(value, x, xx, -alpha * value + g * A)


def _eta(alpha: np.ndarray, t: np.ndarray, E: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """η₀, η₁, η₂ with Taylor's expansion where |αt| is small."""
    p = alpha * t
    small = np.abs(p) < 0.1
    a = np.where(small, 1.0, alpha)
    eta0 = (1 - E) / a
    eta1 = (t * E - eta0) / a
    eta2 = (-(t**2) * E - 2 * eta1) / a
    q = np.where(small, p, 0.0)
    s0 = t * (1 - q / 2 * (1 - q / 3 * (1 - q / 4 * (1 - q / 5 * (1 - q / 6 * (1 - q / 7 * (1 - q / 8)))))))
    series = lambda m, terms=12: _series(q, t, m, terms)  # noqa: E731
    return np.where(small, s0, eta0), np.where(small, series(1), eta1), np.where(small, series(2), eta2)


def _series(q: np.ndarray, t: np.ndarray, order: int, terms: int) -> np.ndarray:
    """η_m = Σ_{n ≥ m} (−1)ⁿ tⁿ⁺¹ αⁿ⁻ᵐ n!/((n − m)! (n + 1)!), summed in q = αt."""
    total, factor = np.zeros_like(q), (-1.0) ** order
    for n in range(order, order + terms):
        # n!/((n−m)! (n+1)!) = 1/((n−m)! (n+1))
        total += factor / (n + 1) * q ** (n - order)
        factor *= -1.0 / (n - order + 1)
    return total * t ** (order + 1)


def _times_window(patch: Patch, points: np.ndarray, f: Values) -> Values:
    """eq:leibniz-pou with the bump of eq:pou-bump."""
    windows = [factor for factor in patch.factors if isinstance(factor, Bump)]
    if not windows:
        return f
    (window,) = windows
    y = points[:, :1] - patch.frame.center[0]
    own, total = _bump(y / window.radius), np.zeros((3, len(points), 1))
    for shift in range(-window.before, window.after + 1):
        total += _bump((y - shift * window.width) / window.radius)
    b, bx, bxx = own[0], own[1] / window.radius, own[2] / window.radius**2
    s, sx, sxx = total[0], total[1] / window.radius, total[2] / window.radius**2
    s = np.where(b > 0, s, 1.0)  # outside of the patch everything is zero
    p = b / s
    px = (bx - p * sx) / s
    pxx = (bxx - 2 * px * sx - p * sxx) / s
    return Values(p * f.value, px * f.value + p * f.x, pxx * f.value + 2 * px * f.x + p * f.xx, p * f.t)


def _bump(r: np.ndarray) -> np.ndarray:
    """b = exp(−1/(1 − r²)) and two derivatives, zero outside."""
    inside = np.abs(r) < 1.0
    q = np.where(inside, 1.0 - r**2, 1.0)
    b = np.where(inside, np.exp(-1.0 / q), 0.0)
    slope = -2 * r / q**2
    return np.stack([b, b * slope, b * (slope**2 - 2 / q**2 - 8 * r**2 / q**3)])
