# SPDX-License-Identifier: MIT
"""How large the conditions will make what starts from nothing:  max |g(x, t)|  over faces and times for u = g, c·u + … = g.

A wall that is heated slowly holds a thin layer at first, and little of it. Measured by its own size every moment of it would have to be resolved;
measured by what the wall is going to be, only what counts in the end.
"""

from __future__ import annotations

import numpy as np

from lrfm.problem import Jet
from lrfm.solver.lines.form import Condition, Form, is_box

TIMES = 33
PLACES = 9  # on a face


def anticipated(form: Form) -> np.ndarray:
    """For every component the largest value that a condition on it asks for; 0 where none asks for a value."""
    found = np.zeros(len(form.components))
    for condition in form.constraints:
        value, level = _asked(form, condition)
        component = form.first[form.components[condition.own][0]] + level
        found[component] = max(found[component], value)
    return found


def driven_size(form: Form, unknown: str) -> float:
    """The size that linear conditions give an unknown whose data are zero: max |F(0)| / max_j |∂F/∂(D^j u)| L^−|j|, L the longest axis."""
    box, largest = form.problem.domain, 0.0
    length = float(np.max(box.upper - box.lower))
    fields = form.problem.fields_of(unknown)
    for condition in form.constraints:
        row = condition.row
        own = [j for j in row.jets if j.field in fields and not j.index[-1]]
        if not row.linear or not own:
            continue
        points = _on_face(form, condition)
        zero = {jet: np.zeros(len(points)) for jet in row.jets}
        source = row.residual(points, zero)
        slopes = [
            np.abs(row.residual(points, {**zero, j: np.ones(len(points))}) - source).max()
            / length ** sum(j.index)
            for j in own
        ]
        if max(slopes) > 0:
            largest = max(largest, float(np.max(np.abs(source), initial=0.0) / max(slopes)))
    return largest


def _asked(form: Form, condition: Condition) -> tuple[float, int]:
    """max |F(0)| / |F(u = 1) − F(0)| of a linear row, and the level of time derivative it is about."""
    row = condition.row
    field = form.components[condition.own][0]
    plain = [j for j in row.jets if j.field == field and not any(j.index[:-1])]
    if not row.linear or not plain:
        return 0.0, 0
    points = _on_face(form, condition)
    zero = {jet: np.zeros(len(points)) for jet in row.jets}
    level = max(plain, key=_level)
    source = row.residual(points, zero)
    slope = row.residual(points, {**zero, level: np.ones(len(points))}) - source
    seen = np.abs(slope) > 1e-12
    return float(np.max(np.abs(source[seen] / slope[seen]), initial=0.0)), _level(level)


def _level(jet: Jet) -> int:
    return jet.index[-1]


def _on_face(form: Form, condition: Condition) -> np.ndarray:
    """Points (n, d + 1) on a face over the whole time; the same for every draw."""
    box, (start, end) = form.problem.domain, form.problem.time
    rng = np.random.default_rng(0)
    places = 1 if box.dimension == 1 else PLACES
    if is_box(form.problem):
        points = box.lower + (box.upper - box.lower) * rng.random((places, box.dimension))
        points[:, condition.axis] = (box.upper if condition.upper else box.lower)[condition.axis]
    else:
        points = box.parts[condition.part].quadrature(PLACES)[0]
    times = np.linspace(start, end, TIMES)
    return np.column_stack([np.tile(points, (TIMES, 1)), np.repeat(times, len(points))])
