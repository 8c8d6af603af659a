# SPDX-License-Identifier: MIT
"""A consistent start: data in a basis, projected on the conditions; unknowns without a time derivative from their equations."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lrfm.integrate.schemes import Scheme
from lrfm.linalg.clock import LU, PIVOTED_QR, look, look_before
from lrfm.linalg.lapack import lu_factor, lu_solve
from lrfm.linalg.room import reserve
from lrfm.solver.lines.driving import driven_size
from lrfm.solver.lines.flat import flattened
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.gauge import FEW, fixed, found_gauge, gauge_fields, pinning, settled
from lrfm.solver.lines.newton import Stage
from lrfm.solver.lines.projected import ProjectedRows
from lrfm.solver.lines.protocols import B, Chooses
from lrfm.solver.lines.saddle import SaddleParts
from lrfm.solver.lines.state import State
from lrfm.solver.lines.system import System
from lrfm.spaces.axes.product import apply

STAYS = 1e-3  # part of a gap that one step may leave of it before the constraints are linearized anew
STUCK = 0.8  # misfit relative to that of a basis a third as sharp, √⅓ at a wall, from which it is not the basis that misses the data
PASSES = 2500.0  # work of making a matrix of many unknowns, for each entry, in operations of a matrix product: it goes through memory
MET = 1e-9  # what factors may leave of a right-hand side, relative to it
SHARPER = 10  # how often a basis is made sharper where it misses the data


@dataclass(frozen=True)
class Fitted:
    """The start on a basis: coefficients, relative misfit of the worst unknown, the same without conditions, and where it is largest along each axis."""

    system: ProjectedRows
    coefficients: np.ndarray
    misfit: float
    plain: float
    profiles: tuple[np.ndarray, ...]


def fit_start(form: Form, chooser: Chooses[B], basis: B, finer: float | None) -> Fitted:
    """The start on a basis, or on a sharper one whose misfit is at most `finer`, as far as features allow."""
    fitted, stuck = _fit(form, chooser, basis), 0
    for _ in range(SHARPER if finer is not None else 0):
        if finer is None or fitted.misfit <= finer or basis.features >= chooser.rules.most:
            break
        basis = chooser.sharper(basis, fitted.profiles)
        other, before = _fit(form, chooser, basis), fitted.misfit
        fitted = other if other.misfit < fitted.misfit else fitted
        stuck = stuck + 1 if not basis.separable and other.misfit > STUCK * before else 0
        if stuck > 1:
            break  # conditions contradict the data, and no basis holds both
    return fitted


def _fit(form: Form, chooser: Chooses[B], basis: B) -> Fitted:
    look()
    time, data, system = form.problem.time[0], chooser.data, chooser.system(basis)
    y = basis.project(data.on(basis.grid.points))
    grid, weights = basis.fresh
    exact, zero = data.on(grid.points), (0,) * form.problem.domain.dimension
    free = y
    y = settled_start(system, time, free)
    gap, plain = ((grid.evaluate(c, zero) - exact) ** 2 for c in (y, free))
    given = [c for c, _, _ in data.given if form.components[c][1] == 0]
    square = np.sum(weights * exact**2, axis=1)
    # By unknown: a part of a complex one that is rounding has no size of its own.
    owner = {c: form.components[c][0].partition(".")[0] for c in given}
    sizes, gaps, before = (dict.fromkeys(owner.values(), 0.0) for _ in range(3))
    profile = np.zeros(grid.size)
    for c, name in owner.items():
        sizes[name] += float(square[c])
        gaps[name] += float(weights @ gap[c])
        before[name] += float(weights @ plain[c])
        profile = np.maximum(profile, gap[c] / max(float(np.max(exact[c] ** 2)), 1e-300))
    for name in (n for n in sizes if not sizes[n] and gaps[n]):
        # What starts from nothing misses its data by what the conditions are going to make of it.
        sizes[name] = driven_size(form, name) ** 2 * float(np.sum(weights))
    counted = [(np.sqrt(gaps[n] / sizes[n]), np.sqrt(before[n] / sizes[n])) for n in sizes if sizes[n] > 0]
    misfit, held = max(counted, default=(0.0, 0.0))
    return Fitted(system, y, float(misfit), float(held), grid.profiles(profile))


def settled_start(system: ProjectedRows, time: float, y: np.ndarray) -> np.ndarray:
    """The nearest coefficients that satisfy conditions and constraints, algebraic unknowns from their equations."""
    y = flattened(system, y)
    if system.form.flat:
        # Conditions may hold means, which follow from the data.
        y = consistent(system, time, y)
    y = admissible(system, time, flattened(system, system.constrain(time, y)))
    return settled(system, consistent(system, time, y))


def consistent(system: ProjectedRows, time: float, y: np.ndarray, sweeps: int = 6) -> np.ndarray:
    """Coefficients with the algebraic components solved from their own rows by Newton; others as they are."""
    form = system.form
    if not form.determined:
        return y
    z = np.zeros_like(y)
    y = y.copy()
    fields = [form.last.index(c) for c in form.determined]
    size = system.basis.size
    columns = np.concatenate([np.arange(i * size, (i + 1) * size) for i in fields])
    made = None if system.columns is None else system.columns[columns]
    made = None if made is None else made[:, np.any(made, axis=0)]
    for _ in range(sweeps):
        look()
        system.set_tests(time, y, z)
        groups = zip(system.sizes, system.owners, strict=True)
        mine = np.concatenate([np.full(size, own in form.determined) for size, own in groups])
        gap = system.residual(np.array([time]), y[None], z[None])[0]
        matrix = _own_matrix(system, fields, (time, y, z), mine, columns)
        matrix = matrix if made is None else matrix @ made
        step = _solved(matrix, -gap[mine])
        step = step if made is None else made @ step
        y[form.determined] += step.reshape(len(fields), size)
        if np.linalg.norm(step) <= 1e-14 * np.linalg.norm(y):
            break
    return y


def _own_matrix(
    system: ProjectedRows,
    fields: list[int],
    state: tuple[float, np.ndarray, np.ndarray],
    mine: np.ndarray,
    columns: np.ndarray,
) -> np.ndarray:
    """A₁ of algebraic unknowns in their own rows, what is undetermined in them fixed.

    Of many only these blocks are made: all rows and columns are four times as many numbers for one such unknown beside another one.
    """
    if len(columns) <= FEW or not isinstance(system, System):
        matrix = fixed(system, system.linearize(*state), state)[1]
        look()
        return matrix[np.ix_(mine, columns)]
    size = system.basis.size
    own = [k for k, owner in enumerate(system.owners) if owner in system.form.determined]
    starts = dict(zip(own, np.cumsum([0, *(system.sizes[k] for k in own)]), strict=False))
    rows = sum(system.sizes[k] for k in own)
    reserve(4.0 * rows * len(columns))  # factors, and what they are made of
    look_before(LU * float(rows) ** 3 + PASSES * rows * len(columns))
    matrix = np.zeros((rows, len(columns)))
    for term in system.terms(*state):
        if term.place in starts and term.field in fields and term.power == 1:
            look()
            first, column = starts[term.place], fields.index(term.field) * size
            block = matrix[first : first + system.sizes[term.place], column : column + size]
            block += term.matrix
    if found_gauge(system, state).shape[1]:
        gauged = gauge_fields(system)
        for i in gauged:
            own_rows = matrix[starts[i] : starts[i] + system.sizes[i]]
            tests, gauge = pinning(system, i, own_rows)
            for k, j in enumerate(gauged):
                look()
                column = fields.index(j) * size
                own_rows[:, column : column + size] += tests @ gauge[k * size : (k + 1) * size].T
    return matrix


def _solved(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """x with A x = right: the smallest one of few unknowns, whose A may be singular; of many by factors, as far as these meet all rows."""
    size = len(right)
    if size > FEW and matrix.shape == (size, size):
        look_before(LU * size**3)
        scale = 1.0 / np.maximum(np.abs(matrix).max(axis=1), 1e-300)
        found = lu_solve(lu_factor(matrix * scale[:, None]), scale * right)
        with np.errstate(all="ignore"):
            gap = np.linalg.norm(scale * (matrix @ found - right))
        if gap <= MET * max(float(np.linalg.norm(scale * right)), 1e-300):
            return found
    from scipy.linalg import lstsq  # takes 0.2 s, and few solves need it

    look_before(PIVOTED_QR * size * matrix.shape[1] ** 2)
    # With pivots and without singular values: the same smallest solution in a fifth of the time.
    found = lstsq(matrix, right, cond=1e-13, lapack_driver="gelsy")
    assert found is not None
    return found[0]


def admissible(system: ProjectedRows, time: float, y: np.ndarray, sweeps: int = 3) -> np.ndarray:
    """The nearest coefficients that satisfy constraints and conditions, y ← y − E⁺(E y − g); multipliers in their own functions.

    A velocity that is not free of divergence would be made so by an impulse of pressure in the first step.
    """
    form = system.form
    if not form.multipliers:
        return y
    y, z = y.copy(), np.zeros_like(y)
    for c in form.multipliers:
        held = system.held_products(c)
        y[c] = apply(held, apply([q.T for q in held], y[c]))
    parts, first = None, 0.0
    for _ in range(sweeps):
        gap = np.zeros(0) if parts is None else _missed(system, parts, time, y, z)
        if parts is None or np.linalg.norm(gap) > STAYS * first:
            # Constraints and conditions that are linear stay as they are, and with them what is costly.
            system.set_tests(time, y, z)
            assert isinstance(system, System)  # multipliers are for boxes
            parts = SaddleParts(system, time, y, z)
            gap = _missed(system, parts, time, y, z)
        first = first or float(np.linalg.norm(gap))
        change = np.zeros(len(parts.free))
        change[parts.free] = parts.reduction.meet(-gap)
        y[form.last] += change.reshape(len(form.last), -1)
        if form.linear or np.linalg.norm(change) <= 1e-13 * np.linalg.norm(y):
            break
    return y


def _missed(
    system: ProjectedRows, parts: SaddleParts, time: float, y: np.ndarray, z: np.ndarray
) -> np.ndarray:
    """What constraints and conditions lack at a start; rows on rates say nothing about where it lies."""
    gap = system.residual(np.array([time]), y[None], z[None])[0][parts.hard]
    gap[parts.power[parts.hard] != 1] = 0.0
    return gap


def unstarted(system: ProjectedRows, scheme: Scheme, state: State, stage: Stage) -> tuple[State, Stage]:
    """The first step with multipliers as polynomials through their stages alone: nothing says what they are at the start."""
    form, h = system.form, state.length
    coefficients, rates = state.coefficients.copy(), stage.rates.copy()
    slope = scheme.slopes / h
    for c in form.unstarted:
        coefficients[c] = scheme.extended(stage.values[:, c], np.zeros(1))[0]
        rates[:, c] = slope @ stage.values[:, c]
    return replace(state, coefficients=coefficients), replace(stage, rates=rates)
