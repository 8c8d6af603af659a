# SPDX-License-Identifier: MIT
"""Eigenvalues of a linearized statement on cells:  (C₀ + σ C₁ + σ² C₂ + …) v = 0.

The matrices are the rows of a discretization, sorted by the power of σ: of d/dt in an evolution, where v(x) e^{σt} solves it near a steady
state, or of a number in a steady statement. Conditions and joints are rows without σ; they make infinite eigenvalues, which are left out. A
polynomial in σ is made linear by its companion (Gohberg, Lancaster, Rodman, Matrix Polynomials, 1982).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import ROUNDING, SAFEGUARDS, STEADY
from lrfm.integrate.steady.stationary import SpaceEquations
from lrfm.linalg.polynomials import dense_pairs, pairs_near

Entries = tuple[np.ndarray, np.ndarray, list[np.ndarray]]


@dataclass(frozen=True)
class Eigenpairs:
    """Eigenvalues, and the coefficients of their functions (pairs, fields, cells, size); `reach` is how far from the place they were looked for the last of them is."""

    values: np.ndarray
    functions: np.ndarray
    reach: float


def by_time(equations: SpaceEquations, y: np.ndarray) -> Entries:
    """C_l from derivatives of order l in time, linearized at a state (components, cells, size)."""
    made = equations.made
    system = made.system
    pencil = made.linearize(system.problem.time[0], y, np.zeros_like(y))
    own = np.array([max(1, system.orders[field]) for field in system.fields])
    shape = made.scatter(np.zeros(made.size)).shape
    order = np.rint(made.gather(np.broadcast_to(own[:, None, None], shape).astype(float))).astype(int)
    powers = range(system.top_power + 1)
    levels = [order[made.columns] - (power + made.lowest[made.rows]) for power in powers]
    # Joints and conditions of a chain speak of its last component: a factor σ that all their entries have is none of theirs.
    common = np.full(made.size, len(powers))
    for power, level in zip(powers, levels, strict=True):
        there = pencil.entries(power) != 0
        np.minimum.at(common, made.rows[there], level[there])
    common[equations.inner] = 0
    found = [np.zeros(len(made.rows)) for _ in powers]
    for power, level in zip(powers, levels, strict=True):
        for number in powers:
            found[number] += np.where(level - common[made.rows] == number, pencil.entries(power), 0.0)
    return made.rows, made.columns, found


def by_number(samples: Sequence[SpaceEquations], at: Sequence[float], u: np.ndarray) -> Entries:
    """C_p of a statement that is a polynomial in a number, from its matrices at as many values of it."""
    rows, columns, _ = samples[0].matrix(u)
    values = np.stack([equations.matrix(u)[2] for equations in samples])
    powers = np.asarray(at)[:, None] ** np.arange(len(at))
    return rows, columns, list(np.linalg.solve(powers, values))


def balance(rows: np.ndarray, parts: Sequence[np.ndarray]) -> float:
    """s with which σ = sμ occurs in terms as large as those beside it in the same rows, which may have different units; one where there are none."""
    sizes = np.zeros((len(parts), 1 + int(np.max(rows))))
    for size, part in zip(sizes, parts, strict=True):
        np.maximum.at(size, rows, np.abs(part))
    first, found = sizes[0], []
    for power, size in enumerate(sizes[1:], start=1):
        there = size > ROUNDING.solved * np.max(size)
        ratio = np.max(first[there] / size[there], initial=0.0)
        found += [ratio ** (1 / power)] if ratio > 0 else []
    return min(found, default=1.0)


def eigenpairs(
    equations: SpaceEquations,
    entries: Entries,
    count: int,
    near: complex | None,
    beside: complex | None,
    reach: float = math.inf,
) -> Eigenpairs:
    """The `count` eigenvalues nearest to a number, or those with the largest real parts: all of a small matrix, those around `beside` of a large one, which may be `reach` away."""
    rows, columns, parts = entries
    made = equations.made
    while len(parts) > 2 and not np.any(parts[-1]):
        parts = parts[:-1]
    degree, n, scale = len(parts) - 1, made.size, balance(rows, parts)
    place = beside if near is None else near
    if degree * n <= (SAFEGUARDS.dense if place is None else 4 * count):
        values, vectors = dense_pairs(rows, columns, parts, n)
    elif place is None:
        raise Unsuited(
            f"{n} unknowns are too many for all of their eigenvalues, among which those with the largest real parts are; say `near=` what number."
        )
    else:
        reach = min(reach, max(abs(place), STEADY.beside * scale))
        while True:
            # One pair of complex ones more: a circle around the shift does not end between two that are as far away.
            shift = place + STEADY.beside * reach
            values, vectors = pairs_near(rows, columns, parts, made.solver, n, count + 2, shift)
            # Far away from the place, as seen from those that are found, these are others than the nearest.
            before, reach = reach, float(np.max(np.abs(values - place), initial=0.0))
            if not ROUNDING.solved * before < reach < before:
                break
    good = np.isfinite(values) & (np.abs(values) < scale / ROUNDING.solved)
    values, vectors = values[good], vectors[:, good]
    order = np.argsort(-np.real(values) if near is None else np.abs(values - near), kind="stable")
    if near is None:  # of those that grow alike, as all modes of a string in air do, the slowest first
        top = ROUNDING.stagnant * np.max(np.abs(values[order[:count]]), initial=0.0)
        alike = np.cumsum(np.append(0, -np.diff(np.real(values[order])) > top))
        order = order[np.lexsort((np.abs(np.imag(values[order])), alike))]
    values = values[order]
    place = values[0] if place is None and len(values) else place
    reach = float(np.max(np.abs(values[:count] - place), initial=0.0)) if len(values) else reach
    return Eigenpairs(values, made.scatter(vectors[:, order].T), reach or math.inf)
