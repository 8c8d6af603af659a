# SPDX-License-Identifier: MIT
"""Conditions that do not hold at the start through an unknown that follows from the others:  B(u₀, φ(u₀)) ≠ 0,  φ from its own equation.

Where all that a condition holds has initial data it is checked when it is stated (`lrfm.problem.checks`). A flux c_x + c φ_x = 0 holds for a constant
c and φ = 0, and fails as soon as a voltage is applied: φ has no initial data, and follows from Poisson's equation with that voltage.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lrfm.problem.checks import REFUSED, Contradiction
from lrfm.solver.lines.form import Condition, Form
from lrfm.solver.lines.start import consistent
from lrfm.solver.lines.system import System
from lrfm.spaces.bases import Basis

ROUNDING = (
    1e-6  # part of an unknown, by the length of the domain for each derivative, below which terms are nothing
)

Data = Callable[[np.ndarray], np.ndarray]  # components at points of the start


def contradictions(system: System, data: Data) -> tuple[Contradiction, ...]:
    """A warning for each condition that algebraic unknowns, consistent with the initial data, do not meet."""
    form = system.form
    members = [c for c in form.constraints if _coupled(form, c)]
    if not members:
        return ()
    time, basis = form.problem.time[0], system.basis
    y = consistent(system, time, basis.project(data(basis.grid.points)))
    z, found = np.zeros_like(y), {}
    for condition in members:
        size, place = _gap(system, condition, time, y, z)
        if size > REFUSED:
            found.setdefault(_names(form, condition), []).append((size, place, condition))
    return tuple(_said(form, names, *max(each, key=lambda item: item[0])) for names, each in found.items())


def warned(
    form: Form, basis: Basis, system_on: Callable[[Basis], object], data: Data
) -> tuple[Contradiction, ...]:
    """The same on a basis, where functions are products; nothing elsewhere."""
    if not form.determined or not form.problem.domain.is_box:
        return ()
    system = system_on(basis)
    return contradictions(system, data) if isinstance(system, System) else ()


def _coupled(form: Form, condition: Condition) -> bool:
    """Whether a condition holds an unknown that follows from others beside the one that it determines, and no rates."""
    entries = [form.entry(jet) for jet in condition.row.jets]
    follows = any(e.component in form.determined for e in entries) and condition.own not in form.determined
    return follows and not any(e.rate for e in entries)


def _names(form: Form, condition: Condition) -> tuple[str, ...]:
    """The unknowns through which data contradict a condition."""
    entries = [form.entry(jet) for jet in condition.row.jets]
    return tuple(sorted({form.components[e.component][0] for e in entries if e.component in form.determined}))


def _gap(
    system: System, condition: Condition, time: float, y: np.ndarray, z: np.ndarray
) -> tuple[float, str]:
    """The largest residual of a condition relative to its terms, and where that is."""
    face = system.faces[condition.axis, condition.upper]
    points = system.at_times(face, np.array([time]))
    gap, terms = condition.row.compared(points, system.jets(condition.row.jets, face, y[None], z[None], {}))
    # Terms that are rounding of the unknowns contradict nothing.
    axis = system.basis.axes[condition.axis].axis
    values = np.abs(system.basis.grid.evaluate(y, (0,) * len(system.basis.axes))).max(axis=1)
    entries = [system.form.entry(jet) for jet in condition.row.jets]
    least = ROUNDING * max(values[e.component] / (axis.upper - axis.lower) ** sum(e.index) for e in entries)
    worst = int(np.argmax(np.abs(gap)))
    names = (*system.form.problem.domain.names, "t")
    place = ", ".join(f"{name}={value:.6g}" for name, value in zip(names, points[worst], strict=True))
    return float(np.abs(gap[worst]) / max(float(np.max(terms)), least, 1e-300)), place


def _said(form: Form, names: tuple[str, ...], size: float, place: str, condition: Condition) -> Contradiction:
    start, end = form.problem.time
    through = " and ".join(f"`{name}`" for name in names)
    shift = "t" if start == 0 else f"(t - {start:g})"
    text = (
        f"{condition.row.label} and `initial` contradict each other at {place}, by {size:.2g} times their size, through {through}, which follows from its own "
        "equation at the start: a layer opens there that many functions are needed for. If what drives it is switched on, switch it on smoothly: multiply it by "
        f"`1 - exp(-({shift}/{0.01 * (end - start):.1g})**2)`; or start from data that are in balance with it."
    )
    return Contradiction(text, size)
