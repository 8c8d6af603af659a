# SPDX-License-Identifier: MIT
"""The frame in which a statement begins: that of what travels at its start.

Rates are what the equations make of the data, point by point,  F = A y' + F(0) = 0,  where data are formulas and nothing but y' itself is in F; else those of a
short step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lrfm.error.marks import followed
from lrfm.problem import Jet
from lrfm.problem.checks import corner
from lrfm.problem.frame import MovingFrame, differentiable
from lrfm.solver.lines.choosers import rules_of
from lrfm.solver.lines.form import Form, Unsuited, form_of
from lrfm.solver.lines.march import March
from lrfm.solver.lines.travel import FAR, Seen, along, nowhere, seen_on, speeds_of, uniform, whole

POINTS = 2000  # at which formulas are looked at, for each axis
LOOSE = (
    1e-4  # tolerance of a step that shows rates where formulas do not, and by which data may fail to close
)
SHORT = 1e-7  # its length, in parts of the whole time


def followed_form(form: Form) -> Form:
    """The form in a frame that moves along with what travels; itself where nothing does."""
    if "frame" not in form.found:
        form.found["frame"] = frame_for(form)
    frame: MovingFrame | None = form.found["frame"]
    return form if frame is None else form_of(form.problem, frame)


def frame_for(form: Form) -> MovingFrame | None:
    """The frame in which a statement changes least at its start; None where that is not much less than at rest."""
    problem, axes = form.problem, uniform(form)
    if not axes or not differentiable(problem) or corner(problem) > LOOSE:
        return None
    seen = _by_formulas(form, axes) if _explicit(form) else _by_a_step(form, axes)
    speeds, way = (None, 0.0) if seen is None else speeds_of(form, seen, problem.time[1] - problem.time[0])
    if speeds is None or way < FAR:
        return None
    return MovingFrame.of(problem, whole(form, axes, speeds))


def _explicit(form: Form) -> bool:
    """Whether all data are formulas, and every equation is about rates at its own point: no u_xxt, nothing algebraic."""
    jets = {jet for row in form.equations for jet in row.jets}
    still = all(not any(jet.index[:-1]) for jet in jets if jet.index[-1] == form.orders[jet.field])
    slope = (1, *nowhere(form))
    return (
        still
        and not form.algebraic
        and all(d.derivative(slope) is not None for d in form.problem.initial_data.values())
    )


def _by_formulas(form: Form, axes: Sequence[int]) -> Seen | None:
    """The data and what the equations make of them, point by point; None where that is not finite."""
    problem, none = form.problem, nowhere(form)
    count, rng = POINTS * len(none), np.random.default_rng(0)
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
    return seen_on(form, state.basis, state.coefficients, stage.rates[0], axes)
