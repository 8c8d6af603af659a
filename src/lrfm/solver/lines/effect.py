# SPDX-License-Identifier: MIT
"""What a residual makes of the solution:  δu = ‖ r(x) / (|m| (T⁻ⁿ + ρ(x))) ‖ / ‖u‖,  n the order in time, T the whole time.

ρ(x) = min over the waves κ that a basis does not hold of the rate at which the equations, frozen at x, damp or turn them: |λ₋(κ)| for n = 1,
λ = −c/m, λ₋ = min(Re λ, 0) + i Im λ;  Re(c/m)₊ for n = 2;  without a rate δu = r/c.  c(κ) = Σ_a c_a(x) (iκ)^a is the symbol of the terms without rates.

A residual on check points is the part of the equations outside of the functions. Its share of the terms says nothing where these have come to rest: a
droplet that has settled has a residual as large as all of its terms, both of them next to nothing, and fourth derivatives remove what it makes at once.
Coupling of several unknowns is left out; what no term of its own equation removes lasts for the whole time.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

from lrfm.solver.lines.lasting import SHORTER
from lrfm.solver.lines.leap import Leap
from lrfm.solver.lines.projected import ProjectedRows
from lrfm.solver.lines.state import Step
from lrfm.spaces.axes.axis import AxisBasis
from lrfm.spaces.axes.product import ProductBasis
from lrfm.spaces.bases import Basis


@np.errstate(over="ignore", invalid="ignore")  # what no term removes is infinite
def effect(steps: Sequence[Step | Leap], system_on: Callable[[Basis], ProjectedRows], whole: float) -> float:
    """The root mean square over time of what the residuals of some steps make of the solution, relative to it; the worst unknown."""
    total = size = np.zeros(1)
    system: ProjectedRows | None = None
    for step in steps:
        if isinstance(step, Leap) or not isinstance(step.start.basis, ProductBasis):
            return whole * max(s.residual.rate for s in steps)
        if system is None or system.basis is not step.start.basis:
            system = system_on(step.start.basis)
        made, there = _of_step(system, step, whole)
        total, size = total + step.length * made**2, size + step.length * there**2
    return math.sqrt(float(np.max(total / np.maximum(size, 1e-300)))) if steps else math.inf


def _of_step(system: ProjectedRows, step: Step, whole: float) -> tuple[np.ndarray, np.ndarray]:
    """‖δu‖ and ‖u‖ of every field at the end of a step."""
    form, basis = system.form, system.basis
    grid, weights = basis.fresh
    y = step.start.coefficients + step.length * np.tensordot(step.scheme.matrix[-1], step.rates, axes=1)
    z, time = step.rates[-1], step.start.time + step.length
    points, known = system.at_times(grid, np.array([time])), {}
    made = []
    for field, row in zip(form.problem.fields, form.equations, strict=False):
        gap = row.compared(points, system.jets(row.jets, grid, y[None], z[None], known))[0]
        symbols = _symbols(system, field, time, y, z)
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = np.abs(gap) * _response(symbols, whole).max(axis=0)
        made.append(math.sqrt(float(weights @ np.where(gap == 0, 0.0, moved) ** 2)))
    firsts = [form.first[f] for f in form.problem.fields]
    return np.nan_to_num(np.array(made), nan=np.inf), np.linalg.norm(y[firsts], axis=1)


def _symbols(system: ProjectedRows, field: str, time: float, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Σ_a c_a(x) (iκ)^a of the equation of a field in its own derivatives, by order in time: (n + 1, waves, places)."""
    form, basis = system.form, system.basis
    assert isinstance(basis, ProductBasis)
    (grid, _), order, first = basis.fresh, form.orders[field], form.first[field]
    kappa = _waves(basis, grid.points)
    symbols = np.zeros((order + 1, *kappa.shape[1:]), complex)
    row = form.equations[form.problem.fields.index(field)]
    for entry, values in system.slopes(row, grid, time, y, z).items():
        level = entry.component - first + entry.rate
        if 0 <= entry.component - first < max(1, order):
            symbols[level] += values * np.prod(
                [(1j * k) ** n for k, n in zip(kappa, entry.index, strict=True)], axis=0
            )
    return symbols


def _waves(basis: ProductBasis, points: np.ndarray) -> np.ndarray:
    """Waves that a basis does not hold, at points: (axes, waves, points); along one axis, and along all of them in every direction."""
    longest = np.array([_longest(axis, x) for axis, x in zip(basis.axes, points.T, strict=True)])
    one = [np.eye(len(longest))[k] for k in range(len(longest))]
    all_of_them = [np.array(signs) for signs in itertools.product((1.0, -1.0), repeat=len(longest) - 1)]
    directions = one + [np.append(1.0, signs) for signs in all_of_them if len(signs)]
    waves = [times * d[:, None] * longest for d in directions for times in SHORTER]
    return np.stack(waves, axis=1)


def _longest(axis: AxisBasis, x: np.ndarray) -> np.ndarray:
    """The longest wave that functions of one axis do not hold, at places."""
    waves = 0.5 * np.pi * axis.modes if axis.axis.periodic else axis.modes
    return waves * axis.chart.slopes(x, 1)[0]


def _response(symbols: np.ndarray, whole: float) -> np.ndarray:
    """|u| for a residual of one, by wave and place; see above."""
    order, c, m = len(symbols) - 1, symbols[0], symbols[-1]
    if order == 0:
        return 1 / np.abs(c)
    if order == 1:
        growth = -c / m
        rate = np.abs(np.minimum(growth.real, 0.0) + 1j * growth.imag)
    else:
        rate = np.maximum((c / m).real, 0.0) if order == 2 else 0.0
    return 1 / (np.abs(m) * (whole**-order + rate))
