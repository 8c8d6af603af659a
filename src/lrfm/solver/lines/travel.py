# SPDX-License-Identifier: MIT
"""What travels on a circle is looked at from a frame that travels with it:

    c = argmin Σ ∫|g_t + c·∇g| / ∫|g − ḡ|,     g = u, or |ψ|²/2 of a complex unknown, whose phase turns,

over unknowns, at the start. Of two solitons this is the speed of the larger one; squares would ask for one between. The frame is taken where little of
the change is left in it, ∫|g_t + c·∇g| ≤ LEFT ∫|g_t|, and the way T ∫|c·∇g| / ∫|g − ḡ| is more than FAR widths. In the frame a soliton rests: one basis serves
all of its way, and long steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lrfm.error.marks import followed
from lrfm.problem import Jet
from lrfm.problem.checks import corner
from lrfm.problem.frame import Frame, differentiable, uniform_axes
from lrfm.solver.lines.choosers import rules_of
from lrfm.solver.lines.form import Form, Unsuited, form_of, is_box
from lrfm.solver.lines.march import March

LEFT = 0.3
FAR = 2.0
POINTS = 2000  # at which formulas are looked at, for each axis
TURNS = 12  # of the search for a median
LOOSE = (
    1e-4  # tolerance of a step that shows rates where formulas do not, and by which data may fail to close
)
SHORT = 1e-7  # its length, in parts of the whole time
SMALLEST = 1e-6  # speed along an axis, relative to the largest
ROUNDING = 0.01  # part of a tolerance that it may be
DIGITS = 6  # of a speed: a frame need not be exact, and is to be the same everywhere


@dataclass(frozen=True)
class Seen:
    """Fields at points with weights: values and rates (fields, n), slopes along some axes (axes, fields, n)."""

    values: np.ndarray
    rates: np.ndarray
    slopes: np.ndarray
    weights: np.ndarray


def followed_form(form: Form, tol: float) -> Form:
    """The form in a frame that moves along with what travels; itself where nothing does, or rounding of c (t − t₀) would count."""
    if "frame" not in form.found:
        form.found["frame"] = frame_for(form)
    frame, way = form.found["frame"]
    counts = np.finfo(float).eps * way > ROUNDING * tol
    return form if frame is None or counts else form_of(form.problem, frame)


def frame_for(form: Form) -> tuple[Frame | None, float]:
    """The frame in which a statement changes least at its start, and how many widths it goes; None where that is not much less than at rest."""
    problem = form.problem
    if not (is_box(problem) and form.motion is None and form.autonomous and problem.local):
        return None, 0.0
    uniform = zip(uniform_axes(problem), form.tops, strict=True)
    axes = [k for k, (same, top) in enumerate(uniform) if same and top]
    if not axes or _mirrored(form, axes) or not differentiable(problem) or corner(problem) > LOOSE:
        return None, 0.0
    seen = _by_formulas(form, axes) if _explicit(form) else _by_a_step(form, axes)
    speeds, way = (None, 0.0) if seen is None else _speeds(form, seen)
    if speeds is None or way < FAR:
        return None, 0.0
    whole = np.zeros(problem.domain.dimension)
    whole[axes] = [float(f"{c:.{DIGITS}g}") for c in speeds]
    return Frame.of(problem, whole.tolist()), way


def _mirrored(form: Form, axes: Sequence[int]) -> bool:
    """Whether one real unknown with u_t moves by equations without a direction: its humps may spread, but none of them travels."""
    jets = {jet for row in form.equations for jet in row.jets}
    return len(form.components) == 1 and not any(jet.index[k] % 2 for jet in jets for k in axes)


def _explicit(form: Form) -> bool:
    """Whether all data are formulas, and every equation is about rates at its own point: no u_xxt, nothing algebraic."""
    jets = {jet for row in form.equations for jet in row.jets}
    still = all(not any(jet.index[:-1]) for jet in jets if jet.index[-1] == form.orders[jet.field])
    slope = (1, *_none(form))
    return (
        still
        and not form.algebraic
        and all(d.derivative(slope) is not None for d in form.problem.initial_data.values())
    )


def _by_formulas(form: Form, axes: Sequence[int]) -> Seen | None:
    """The data and what the equations make of them, point by point; None where that is not finite."""
    problem, none = form.problem, _none(form)
    count, rng = POINTS * len(none), np.random.default_rng(0)
    points, weights = followed(problem, problem.time, count, rng, fixed=problem.time[0])
    slopes = [[Jet(f, (*_along(form, k), 0)) for f in form.fields] for k in axes]
    firsts = [Jet(f, (*none, 1)) for f in form.fields]
    highest = [Jet(f, (*none, form.orders[f])) for f in form.fields]
    needed = {*(jet for row in form.equations for jet in row.jets), *firsts, *problem.value_jets}
    values: dict[Jet, np.ndarray] = {}
    for jet in {*needed, *(jet for along in slopes for jet in along)} - set(highest):
        datum = problem.initial_data[jet.unknown, jet.index[-1]].derivative((*jet.index[:-1], 0))
        assert datum is not None
        values[jet] = datum.part(points, jet.field)
    solved = _solved(form, highest, points, values)
    if solved is None:
        return None
    values |= dict(zip(highest, solved, strict=True))
    u, rates = (np.array([values[jet] for jet in jets]) for jets in (problem.value_jets, firsts))
    return Seen(u, rates, np.array([[values[jet] for jet in along] for along in slopes]), weights)


def _solved(
    form: Form, rates: Sequence[Jet], points: np.ndarray, values: dict[Jet, np.ndarray]
) -> np.ndarray | None:
    """Rates of the highest order at points, (fields, n), from F = A y' + F(0); None where F is not affine in them or finite, or A is singular."""
    zero, one = np.zeros(len(points)), np.ones(len(points))
    still = dict.fromkeys(rates, zero)

    def rows(given: dict[Jet, np.ndarray]) -> np.ndarray:
        return np.array([row.residual(points, values | still | given) for row in form.equations])

    with np.errstate(all="ignore"):
        rest = rows({})
        columns = [rows({jet: one}) - rest for jet in rates]
        twice = rows({jet: 2 * one for jet in rates}) - rest
        matrices = np.moveaxis(np.array(columns), 2, 0).swapaxes(1, 2)  # (n, equations, fields)
        if not np.allclose(twice, 2 * sum(columns), rtol=1e-8, atol=0) or not np.all(np.isfinite(rest)):
            return None
    try:
        return np.linalg.solve(matrices, -rest.T[:, :, None])[:, :, 0].T
    except np.linalg.LinAlgError:
        return None


def _by_a_step(form: Form, axes: Sequence[int]) -> Seen | None:
    """The same by a short step on a basis that holds the data; None where none could be taken."""
    march = March(form, replace(rules_of(form, LOOSE), closely=False), np.random.default_rng(0))
    start, end = form.problem.time
    try:
        state = march.begin()
        stage = march._attempt(replace(state, length=SHORT * (end - start)), None)
    except (Unsuited, np.linalg.LinAlgError):
        return None
    if stage is None:
        return None
    (grid, weights), firsts = march.system.basis.fresh, [form.first[f] for f in form.fields]
    y, none = state.coefficients[firsts], _none(form)
    slopes = np.array([grid.evaluate(y, _along(form, k)) for k in axes])
    return Seen(grid.evaluate(y, none), grid.evaluate(stage.rates[0][firsts], none), slopes, weights)


def _none(form: Form) -> tuple[int, ...]:
    return (0,) * form.problem.domain.dimension


def _along(form: Form, axis: int) -> tuple[int, ...]:
    return tuple(int(k == axis) for k in range(form.problem.domain.dimension))


def _speeds(form: Form, seen: Seen) -> tuple[np.ndarray | None, float]:
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
    way = float(w @ np.abs(speeds @ g_x)) / len(rates) * (problem.time[1] - problem.time[0])
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
