# SPDX-License-Identifier: MIT
"""What travels on a circle, and how fast:

    c = argmin Σ ∫|g_t + c·∇g| / ∫|g − ḡ|,     g = u, or |ψ|²/2 of a complex unknown, whose phase turns,

over unknowns. Of two solitons this is the speed of the larger one; squares would ask for one between. A frame that moves along is worth it where little of
the change is left in it, ∫|g_t + c·∇g| ≤ LEFT ∫|g_t|, and the way T ∫|c·∇g| / ∫|g − ḡ| is more than FAR widths. In the frame a soliton rests: one basis
serves all of its way, and long steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lrfm.problem.frame import MovingFrame, uniform_axes
from lrfm.solver.lines.form import Form, is_box
from lrfm.solver.lines.newton import Stage
from lrfm.solver.lines.state import State
from lrfm.spaces.bases import Basis

if TYPE_CHECKING:
    from lrfm.solver.lines.march import March

LEFT = 0.3
FAR = 2.0
TURNS = 12  # of the search for a median
SMALLEST = 1e-6  # speed along an axis, relative to the largest
DIGITS = 6  # of a speed: a frame need not be exact, and is to be the same everywhere


@dataclass(frozen=True)
class Seen:
    """Fields at points with weights: values and rates (fields, n), slopes along some axes (axes, fields, n)."""

    values: np.ndarray
    rates: np.ndarray
    slopes: np.ndarray
    weights: np.ndarray


def uniform(form: Form) -> list[int]:
    """The axes along which something may travel for ever: circles, on which the equations are the same everywhere and at all times."""
    problem = form.problem
    if not (is_box(problem) and form.motion is None and form.autonomous and problem.local):
        return []
    axes = zip(uniform_axes(problem), form.tops, strict=True)
    found = [k for k, (same, top) in enumerate(axes) if same and top]
    return [] if _mirrored(form, found) else found


def _mirrored(form: Form, axes: Sequence[int]) -> bool:
    """Whether one real unknown with u_t moves by equations without a direction: its humps may spread, but none of them travels."""
    jets = {jet for row in form.equations for jet in row.jets}
    return len(form.components) == 1 and not any(jet.index[k] % 2 for jet in jets for k in axes)


def seen_on(form: Form, basis: Basis, y: np.ndarray, z: np.ndarray, axes: Sequence[int]) -> Seen:
    """What coefficients and rates of all components look like on the fresh points of a basis."""
    (grid, weights), firsts = basis.fresh, [form.first[f] for f in form.fields]
    slopes = np.array([grid.evaluate(y[firsts], along(form, k)) for k in axes])
    none = nowhere(form)
    return Seen(grid.evaluate(y[firsts], none), grid.evaluate(z[firsts], none), slopes, weights)


def overtaken(march: March, state: State, tried: Stage) -> MovingFrame | None:
    """The frame of what a step has shown to travel from there on; None where the present one is as good, or nothing travels.

    Where rates are components of their own the same functions would have other ones: such statements stay in the frame of their start.
    """
    form = march.form
    axes = [] if form.links or form.linear or not march.changes_frames else uniform(form)
    if not axes:
        return None
    seen = seen_on(form, state.basis, tried.end, tried.rates[-1], axes)
    speeds, way = speeds_of(form, seen, form.problem.time[1] - state.time)
    if speeds is None or way < FAR:
        return None
    before = form.frame or MovingFrame.of(form.problem, (0.0,) * form.problem.domain.dimension)
    found = before.changed(state.time, whole(form, axes, speeds))
    return found if form.seen_in(found).tops == form.tops else None


def whole(form: Form, axes: Sequence[int], speeds: np.ndarray) -> list[float]:
    """Speeds along all axes, rounded, from those along some."""
    found = np.zeros(form.problem.domain.dimension)
    found[list(axes)] = [float(f"{c:.{DIGITS}g}") for c in speeds]
    return found.tolist()


def nowhere(form: Form) -> tuple[int, ...]:
    return (0,) * form.problem.domain.dimension


def along(form: Form, axis: int) -> tuple[int, ...]:
    return tuple(int(k == axis) for k in range(form.problem.domain.dimension))


def speeds_of(form: Form, seen: Seen, span: float) -> tuple[np.ndarray | None, float]:
    """c along the axes, and how many widths T ∫|c·∇g| / ∫|g − ḡ| that makes; None where what travels is not most of the change."""
    problem, rates, slopes, weights = form.problem, [], [], []
    for name in problem.unknowns:
        mine = [form.fields.index(field) for field in problem.fields_of(name)]
        u = seen.values[mine]
        turns = u if len(mine) > 1 else np.ones_like(u)
        g = 0.5 * np.sum(u**2, axis=0) if len(mine) > 1 else u[0]
        spread = float(seen.weights @ np.abs(g - seen.weights @ g / seen.weights.sum()))
        if form.orders[problem.fields_of(name)[0]] and spread > 1e-6 * float(seen.weights @ np.abs(g)):
            rates.append(np.sum(turns * seen.rates[mine], axis=0))
            slopes.append(np.sum(turns * seen.slopes[:, mine], axis=1))
            weights.append(seen.weights / spread)
    if not rates:
        return None, 0.0
    g_t, g_x, w = np.concatenate(rates), np.concatenate(slopes, axis=1), np.concatenate(weights)
    change = float(w @ np.abs(g_t))
    if not (np.all(np.isfinite(g_x)) and 0 < change < np.inf):
        return None, 0.0
    speeds = _median(g_t, g_x, w)
    left = float(w @ np.abs(g_t + speeds @ g_x))
    way = float(w @ np.abs(speeds @ g_x)) / len(rates) * span
    return (speeds, way) if left <= LEFT * change else (None, 0.0)


def _median(g_t: np.ndarray, g_x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """argmin Σ w |g_t + c·g_x| by squares with weights w / |g_t + c·g_x|, again and again."""
    least, shares = 1e-6 * float(np.max(np.abs(g_t))), w
    speeds = np.zeros(len(g_x))
    for _ in range(TURNS):
        speeds = np.linalg.lstsq((shares * g_x) @ g_x.T, -(shares * g_x) @ g_t, rcond=1e-10)[0]
        shares = w / np.maximum(np.abs(g_t + speeds @ g_x), least)
    speeds[np.abs(speeds) < SMALLEST * np.abs(speeds).max()] = 0.0
    return speeds
