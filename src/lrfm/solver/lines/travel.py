# SPDX-License-Identifier: MIT
"""What travels on a circle is looked at from a frame that travels with it:

    c = argmin Σ ‖g_t + c·∇g‖² / ‖g − ḡ‖²,     g = u, or |ψ|² of a complex unknown, whose phase turns,

over unknowns, at the start. The frame is taken where little of the change is left in it, ‖g_t + c·∇g‖ ≤ LEFT ‖g_t‖, and |c| T is more than FAR widths ‖g − ḡ‖/‖∇g‖.
In the frame a soliton rests: one basis serves all of its way, and long steps.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lrfm.problem.frame import Frame, differentiable, uniform_axes
from lrfm.solver.lines.choosers import rules_of
from lrfm.solver.lines.form import Form, Unsuited, form_of, is_box
from lrfm.solver.lines.march import March

LEFT = 0.3
FAR = 2.0
LOOSE = 1e-4  # tolerance of the trial that shows the rates of the start
SHORT = 1e-7  # its length, in parts of the whole time
DIGITS = 6  # of a speed: a frame need not be exact, and is to be the same everywhere


def followed(form: Form) -> Form:
    """The form in a frame that moves along with what travels; itself where nothing does."""
    if "frame" not in form.found:
        form.found["frame"] = frame_for(form)
    frame: Frame | None = form.found["frame"]
    return form if frame is None else form_of(form.problem, frame)


def frame_for(form: Form) -> Frame | None:
    """The frame in which a statement changes least at its start; None where that is not much less than at rest."""
    problem = form.problem
    if not (is_box(problem) and form.motion is None and form.autonomous and problem.local):
        return None
    uniform = zip(uniform_axes(problem), form.tops, strict=True)
    axes = [k for k, (same, top) in enumerate(uniform) if same and top]
    if not axes or _mirrored(form, axes) or not differentiable(problem):
        return None
    found = _start(form)
    return None if found is None else _fitted(form, axes, *found)


def _mirrored(form: Form, axes: list[int]) -> bool:
    """Whether one real unknown with u_t moves by equations without a direction: its humps may spread, but none of them travels."""
    jets = {jet for row in form.equations for jet in row.jets}
    return len(form.components) == 1 and not any(jet.index[k] % 2 for jet in jets for k in axes)


def _start(form: Form) -> tuple[March, np.ndarray, np.ndarray] | None:
    """A march with the coefficients of the data, and their rates; None where no first step could be solved."""
    march = March(form, replace(rules_of(form, LOOSE), closely=False), np.random.default_rng(0))
    start, end = form.problem.time
    try:
        state = march.begin()
        stage = march._attempt(replace(state, length=SHORT * (end - start)), None)
    except (Unsuited, np.linalg.LinAlgError):
        return None
    return None if stage is None else (march, state.coefficients, stage.rates[0])


def _fitted(form: Form, axes: list[int], march: March, y: np.ndarray, z: np.ndarray) -> Frame | None:
    problem, dimension = form.problem, form.problem.domain.dimension
    grid, weights = march.system.basis.fresh
    none = (0,) * dimension
    along = [tuple(int(i == k) for i in range(dimension)) for k in axes]
    normal, right, change = np.zeros((len(axes), len(axes))), np.zeros(len(axes)), 0.0
    moving = [name for name in problem.unknowns if form.orders[problem.fields_of(name)[0]]]
    for name in moving:
        mine = [form.first[field] for field in problem.fields_of(name)]
        u, rate = grid.evaluate(y[mine], none), grid.evaluate(z[mine], none)
        slopes = [grid.evaluate(y[mine], index) for index in along]
        turns = u if len(mine) > 1 else np.ones_like(u)  # of |ψ|²/2
        g = 0.5 * np.sum(u**2, axis=0) if len(mine) > 1 else u[0]
        spread = float(weights @ (g - weights @ g / weights.sum()) ** 2)
        if not spread > 1e-12 * float(weights @ g**2):
            continue
        g_t, g_x = np.sum(turns * rate, axis=0), [np.sum(turns * slope, axis=0) for slope in slopes]
        normal += np.array([[weights @ (a * b) for b in g_x] for a in g_x]) / spread
        right -= np.array([weights @ (a * g_t) for a in g_x]) / spread
        change += float(weights @ g_t**2) / spread
    if not (np.all(np.isfinite(normal)) and np.all(np.isfinite(right)) and change > 0):
        return None
    speeds = np.linalg.lstsq(normal, right, rcond=1e-10)[0]
    left = change - float(right @ speeds)
    width = np.sqrt(len(moving) / max(float(np.trace(normal)), 1e-300))
    length = float(np.linalg.norm(speeds)) * (problem.time[1] - problem.time[0])
    if left > LEFT**2 * change or length < FAR * width:
        return None
    whole = np.zeros(dimension)
    whole[axes] = [float(f"{c:.{DIGITS}g}") if abs(c) > 1e-6 * np.abs(speeds).max() else 0.0 for c in speeds]
    return Frame.of(problem, whole.tolist())
