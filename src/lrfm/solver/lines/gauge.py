# SPDX-License-Identifier: MIT
"""What a statement leaves undetermined: parts of algebraic unknowns that no row feels, such as a constant in a potential.

They are the null space Γ of the columns of these unknowns, and are fixed by Γᵀx = 0, the smallest norm. For a multiplier `saddle` does
that. For unknowns with equations of their own, T the tests of Γ in these, A₁ + σ T Γᵀ is regular where A₁ is not; its solution is one of A₁
with Γᵀx = 0 as long as the rows do not contradict each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from lrfm.linalg.pivoted import Pivoted
from lrfm.problem.errors import counted
from lrfm.solver.lines.projected import ProjectedRows
from lrfm.spaces.axes.product import ProductBasis, apply

FELT = 1e-12  # rows, in units of the largest of their group, by which a part of an unknown is felt
SAME = 1e-4  # distance from a null space at which a function belongs to it
FEW = 700  # coefficients of algebraic unknowns up to which their null space is computed,
UNFELT = 1e-10  # and what rows feel of a constant, relative to another function of its size, that is rounding


class Undetermined(NamedTuple):
    """Fields that are known up to a constant at each time, and how many other parts are not known."""

    constants: tuple[str, ...] = ()
    others: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        """What a user should know."""
        found = [
            f"The statement determines `{name}` up to a constant at each time. The one with mean zero is given, and the constant "
            "is no part of the error."
            for name in self.constants
        ]
        if self.others:
            found.append(
                f"The statement leaves {counted(self.others, 'part')} of its unknowns undetermined at each time; the smallest "
                f"{'is' if self.others == 1 else 'are'} given."
            )
        return tuple(found)


def named(
    system: ProjectedRows, fields: Sequence[int], held: Sequence[Sequence[np.ndarray]], null: np.ndarray
) -> Undetermined:
    """Which fields have their constant in a null space (columns), the functions of each field given by its axes."""
    if not null.shape[1]:
        return Undetermined()
    start, found = 0, []
    for i, products in zip(fields, held, strict=True):
        one = system.basis.project(np.ones((1, system.basis.grid.size)))
        constant = apply([q.T for q in products], one)[0]
        part = null[start : start + len(constant)]
        start += len(constant)
        constant = constant / np.linalg.norm(constant)
        if np.linalg.norm(constant - part @ (part.T @ constant)) < SAME:
            found.append(system.form.fields[i])
    return Undetermined(tuple(found), null.shape[1] - len(found))


def joined(parts: Sequence[Undetermined]) -> Undetermined:
    """All of them together, each once: constraints that change in time are looked at again and again."""
    names = dict.fromkeys(n for p in parts for n in p.constants)
    return Undetermined(tuple(names), max((p.others for p in parts), default=0))


def gauge_fields(system: ProjectedRows) -> list[int]:
    """Algebraic unknowns that have equations of their own, as places among the fields."""
    form = system.form
    return [form.last.index(c) for c in form.determined if c not in form.flat]


def found_gauge(
    system: ProjectedRows,
    state: tuple[float, np.ndarray, np.ndarray],
    powers: Sequence[np.ndarray] | None = None,
) -> np.ndarray:
    """Γ (columns of these unknowns, parts), found once for a basis, at a state (t, y, y').

    With `powers` and few unknowns it is the null space of their columns in A₁. Of many it is what is known of Laplacians and gradients, the
    constant of each unknown, where no row feels it: a factorization with pivots would take longer than all steps.
    """
    fields, size = gauge_fields(system), system.basis.size
    if system.gauge is None and fields:
        if powers is not None and len(fields) * size <= FEW:
            columns = np.concatenate([np.arange(i * size, (i + 1) * size) for i in fields])
            system.gauge = _unfelt(system, powers[1][:, columns])
        else:
            system.gauge = _constants(system, *state)
        every = [[np.eye(n) for n in system.basis.shape] for _ in fields]
        system.undetermined.append(named(system, fields, every, system.gauge))
    return np.zeros((0, 0)) if system.gauge is None else system.gauge


def _constants(system: ProjectedRows, time: float, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Orthonormal constants of algebraic unknowns that change no row: F(y + c) = F(y), compared with what another function changes."""
    form, size, at = system.form, system.basis.size, np.array([time])
    one = system.basis.project(np.ones((1, system.basis.grid.size)))[0]
    other = np.random.default_rng(0).standard_normal(size)
    before, found = system.residual(at, y[None], z[None])[0], []
    for k, i in enumerate(gauge_fields(system)):
        c = form.last[i]
        length = max(float(np.linalg.norm(y[c])), 1.0)
        felt = []
        for function in (one, other):
            moved = y.copy()
            moved[c] += length * function / np.linalg.norm(function)
            felt.append(float(np.linalg.norm(system.residual(at, moved[None], z[None])[0] - before)))
        if felt[0] <= UNFELT * felt[1]:
            found.append(np.zeros((len(gauge_fields(system)), size)))
            found[-1][k] = one / np.linalg.norm(one)
    return np.array(found).reshape(len(found), len(gauge_fields(system)) * size).T


def fixed(
    system: ProjectedRows, powers: list[np.ndarray], state: tuple[float, np.ndarray, np.ndarray]
) -> list[np.ndarray]:
    """The matrices with σ T Γᵀ added to A₁ for algebraic unknowns that have equations of their own."""
    fields, size = gauge_fields(system), system.basis.size
    if not fields or not found_gauge(system, state, powers).shape[1]:
        return powers
    columns = np.concatenate([np.arange(i * size, (i + 1) * size) for i in fields])
    starts = np.cumsum([0, *(place.size for place in system.places)])
    first = powers[1].copy()
    for i in fields:
        rows = slice(starts[i], starts[i + 1])
        block = first[rows]
        tests, gauge = pinning(system, i, powers[1][rows])
        block[:, columns] += tests @ gauge.T
    return [powers[0], first, *powers[2:]]


def _unfelt(system: ProjectedRows, matrix: np.ndarray) -> np.ndarray:
    """The null space of some columns; of products only what rows do not feel but by rounding: these hold constants exactly.

    Second derivatives of the narrowest functions are 1e9 times those of a parabola, which pivots then take for nothing beside them.
    """
    balanced = _balanced(system, matrix)
    null = Pivoted.null_of(balanced)
    if not null.shape[1] or not isinstance(system.basis, ProductBasis):
        return null
    _, felt, turned = np.linalg.svd(balanced @ null, full_matrices=False)
    return null @ turned[felt < FELT].T


def _balanced(system: ProjectedRows, matrix: np.ndarray) -> np.ndarray:
    """Rows in units of the largest of their group: beside fourth derivatives a value on a wall would be rounding, and what it fixes undetermined."""
    groups = np.split(matrix, np.cumsum(system.sizes)[:-1])
    largest = [float(np.linalg.norm(group, axis=1).max(initial=0.0)) for group in groups]
    return np.concatenate([group / (size or 1.0) for group, size in zip(groups, largest, strict=True)])


def pinning(system: ProjectedRows, field: int, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """σ T and Γ for the equation of one algebraic unknown, σ as large as its own entries."""
    fields, size, gauge = gauge_fields(system), system.basis.size, system.gauge
    assert gauge is not None
    k, place = fields.index(field), system.places[field]
    kept = [
        np.eye(n) if c is None else c.T for c, n in zip(place.complements, system.basis.shape, strict=True)
    ]
    tests = apply(kept, gauge.T[:, k * size : (k + 1) * size]).T
    scale = max(float(own.max(initial=0.0)), -float(own.min(initial=0.0))) or 1.0
    return scale * tests, gauge


def settled(system: ProjectedRows, values: np.ndarray, places: Sequence[int] | None = None) -> np.ndarray:
    """Coefficients or rates (…, components, R) without what is undetermined; `places` are those of components along that axis.

    What comes from another basis has some of it, and extrapolation makes more of its rounding with every step: no row feels it.
    """
    form, y = system.form, values.copy()
    at = {c: c if places is None else places.index(c) for c in form.algebraic}
    lead = values.shape[:-2]
    if system.gauge is not None and system.gauge.shape[1]:
        mine = [at[c] for c in form.determined if c not in form.flat]
        found = y[..., mine, :].reshape(*lead, -1)
        y[..., mine, :] -= (found @ system.gauge @ system.gauge.T).reshape(*lead, len(mine), -1)
    if system.reduction is not None:
        start = 0
        for c in form.multipliers:
            held = system.held_products(c)
            part = system.reduction.undetermined[start : start + prod(q.shape[1] for q in held)]
            start += len(part)
            inner = apply([q.T for q in held], y[..., at[c], :])
            y[..., at[c], :] = apply(held, inner - inner @ part @ part.T)
    return y
