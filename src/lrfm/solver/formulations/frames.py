# SPDX-License-Identifier: MIT
"""The frame in which a statement begins: that of what travels around a circle at its start, and how fast it does:

    c = argmin Σ ∫|g_t + c·∇g| / ∫|g − ḡ|,     g = u, or |ψ|²/2 of a complex unknown, whose phase turns,

over unknowns. Of two solitons this is the speed of the larger one; squares would ask for one between. A frame that moves along is worth it where little of
the change is left in it, ∫|g_t + c·∇g| ≤ LEFT ∫|g_t|, and the way T ∫|c·∇g| / ∫|g − ḡ| is more than FAR widths. In the frame a soliton rests: one space
serves all of its way, and long steps.

Rates are what the equations make of the data, point by point,  F = A y' + F(0) = 0,  where data are formulas and nothing but y' itself is in F; else those of a
consistent start on cells.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem, Unsuited, is_box
from lrfm.discretize.options import MOTION, ROUNDING, SAFEGUARDS, SCANS, Options
from lrfm.error.marks import followed
from lrfm.integrate.prepare import integrator_for
from lrfm.problem import Jet, Problem
from lrfm.problem.checks import corner
from lrfm.problem.frame import MovingFrame, differentiable, uniform_axes
from lrfm.spaces.cells.reference import table


class FramedSystem(EvolutionSystem):
    """An evolution system, with a `frame` in that frame; `given` is the statement at rest."""

    def __init__(self, problem: Problem, frame: MovingFrame | None = None):
        self.frame = frame
        super().__init__(problem)

    def _stated(self, problem: Problem) -> Problem:
        self.given = problem
        return problem if self.frame is None else self.frame.statement(problem)


@dataclass(frozen=True)
class Seen:
    """Fields at points with weights: values and rates (fields, n), slopes along some axes (axes, fields, n)."""

    values: np.ndarray
    rates: np.ndarray
    slopes: np.ndarray
    weights: np.ndarray


def uniform(form: EvolutionSystem) -> list[int]:
    """The axes along which something may travel for ever: circles, on which the equations are the same everywhere and at all times."""
    problem = form.problem
    if not (is_box(problem) and form.motion is None and form.autonomous and problem.local):
        return []
    axes = zip(uniform_axes(problem), form.highest_orders, strict=True)
    found = [k for k, (same, top) in enumerate(axes) if same and top]
    return [] if _mirrored(form, found) else found


def _mirrored(form: EvolutionSystem, axes: Sequence[int]) -> bool:
    """Whether one real unknown with u_t moves by equations without a direction: its humps may spread, but none of them travels."""
    jets = {jet for row in form.equations for jet in row.jets}
    return len(form.components) == 1 and not any(jet.index[k] % 2 for jet in jets for k in axes)


def frame_for(form: EvolutionSystem) -> MovingFrame | None:
    """The frame in which a statement changes least at its start; None where that is not much less than at rest."""
    problem, axes = form.problem, uniform(form)
    if not axes or not differentiable(problem) or corner(problem) > Options.rough:
        return None
    looked_at = _by_formulas if _explicit(form) else _by_a_start
    seen = looked_at(form, axes)
    speeds, way = (None, 0.0) if seen is None else speeds_of(form, seen, problem.time[1] - problem.time[0])
    if speeds is None or way < MOTION.stride:
        return None
    return MovingFrame.of(problem, whole(form, axes, speeds))


def _explicit(form: EvolutionSystem) -> bool:
    """Whether all data are formulas, and every equation is about rates at its own point: no u_xxt, nothing algebraic."""
    jets = {jet for row in form.equations for jet in row.jets}
    still = all(not any(jet.index[:-1]) for jet in jets if jet.index[-1] == form.orders[jet.field])
    slope = (1, *nowhere(form))
    return (
        still
        and not form.algebraic
        and all(d.derivative(slope) is not None for d in form.problem.initial_data.values())
    )


def _by_formulas(form: EvolutionSystem, axes: Sequence[int]) -> Seen | None:
    """The data and what the equations make of them, point by point; None where that is not finite."""
    problem, none = form.problem, nowhere(form)
    count, rng = SCANS.axis * len(none), np.random.default_rng(0)
    points, weights = followed(problem, problem.time, count, rng, fixed=problem.time[0])
    slopes = [[Jet(f, (*along(form, k), 0)) for f in form.fields] for k in axes]
    firsts = [Jet(f, (*none, 1)) for f in form.fields]
    highest = [Jet(f, (*none, form.orders[f])) for f in form.fields]
    needed = {*(jet for row in form.equations for jet in row.jets), *firsts, *problem.value_jets}
    values: dict[Jet, np.ndarray] = {}
    for jet in {*needed, *(jet for some in slopes for jet in some)} - set(highest):
        datum = problem.initial_data[jet.unknown, jet.index[-1]].derivative((*jet.index[:-1], 0))
        assert datum is not None
        values[jet] = datum.part(points, jet.field)
    solved = _solved(form, highest, points, values)
    if solved is None:
        return None
    values |= dict(zip(highest, solved, strict=True))
    u, rates = (np.array([values[jet] for jet in jets]) for jets in (problem.value_jets, firsts))
    return Seen(u, rates, np.array([[values[jet] for jet in some] for some in slopes]), weights)


def _solved(
    form: EvolutionSystem, rates: Sequence[Jet], points: np.ndarray, values: dict[Jet, np.ndarray]
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
        if not np.allclose(twice, 2 * sum(columns), rtol=ROUNDING.root, atol=0) or not np.all(
            np.isfinite(rest)
        ):
            return None
    try:
        return np.linalg.solve(matrices, -rest.T[:, :, None])[:, :, 0].T
    except np.linalg.LinAlgError:
        return None


def _by_a_start(form: EvolutionSystem, axes: Sequence[int]) -> Seen | None:
    """The same from a consistent start on cells that hold the data; None where there is none."""
    try:
        made = integrator_for(form, Options(tol=Options.minor * Options.rough))
        state = made.begin()
    except (Unsuited, np.linalg.LinAlgError):
        return None
    on, firsts = made.adapter.discretize(state.mesh), [form.first[f] for f in form.fields]
    points, size = on.layout.reference.points, state.y.shape[-1]

    def values(of: np.ndarray, order: int) -> np.ndarray:
        stretch = (2.0 / state.mesh.widths)[:, None] ** order
        return (of[firsts] @ table(points, size, order).T * stretch).reshape(len(firsts), -1)

    return Seen(values(state.y, 0), values(state.z, 0), values(state.y, 1)[None], on._weights)


def whole(form: EvolutionSystem, axes: Sequence[int], speeds: np.ndarray) -> list[float]:
    """Speeds along all axes from those along some, rounded: a frame need not be exact, and is to be the same everywhere."""
    found, digits = np.zeros(form.problem.domain.dimension), round(-math.log10(ROUNDING.small))
    found[list(axes)] = [float(f"{c:.{digits}g}") for c in speeds]
    return found.tolist()


def nowhere(form: EvolutionSystem) -> tuple[int, ...]:
    return (0,) * form.problem.domain.dimension


def along(form: EvolutionSystem, axis: int) -> tuple[int, ...]:
    return tuple(int(k == axis) for k in range(form.problem.domain.dimension))


def speeds_of(form: EvolutionSystem, seen: Seen, span: float) -> tuple[np.ndarray | None, float]:
    """c along the axes, and how many widths T ∫|c·∇g| / ∫|g − ḡ| that makes; None where what travels is not most of the change."""
    problem, rates, slopes, weights = form.problem, [], [], []
    for name in problem.unknowns:
        mine = [form.fields.index(field) for field in problem.fields_of(name)]
        u = seen.values[mine]
        turns = u if len(mine) > 1 else np.ones_like(u)
        g = 0.5 * np.sum(u**2, axis=0) if len(mine) > 1 else u[0]
        spread = float(seen.weights @ np.abs(g - seen.weights @ g / seen.weights.sum()))
        if form.orders[problem.fields_of(name)[0]] and spread > ROUNDING.small * float(
            seen.weights @ np.abs(g)
        ):
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
    return (speeds, way) if left <= change / 2 else (None, 0.0)


def _median(g_t: np.ndarray, g_x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """argmin Σ w |g_t + c·g_x| by squares with weights w / |g_t + c·g_x|, again and again."""
    least, shares = ROUNDING.small * float(np.max(np.abs(g_t))), w
    speeds = np.zeros(len(g_x))
    for _ in range(SAFEGUARDS.tries):
        speeds = np.linalg.lstsq((shares * g_x) @ g_x.T, -(shares * g_x) @ g_t, rcond=1e-10)[0]
        shares = w / np.maximum(np.abs(g_t + speeds @ g_x), least)
    speeds[np.abs(speeds) < ROUNDING.small * np.abs(speeds).max()] = 0.0
    return speeds
