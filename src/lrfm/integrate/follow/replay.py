# SPDX-License-Identifier: MIT
"""Radau IIA on all steps of a run at once, on cells and steps that are known:

    F(t_k + c_i h_k, Y_ki, Y′_ki) = 0,   Y_ki = y_k + h_k Σ_j a_ij Y′_kj,   y_{k+1} = y_k + h_k Σ_j b_j Y′_kj,   k = 0 … K − 1.

Newton's method with the matrices of a run with other parameters: residuals of all steps are evaluated together, and corrections go forward through the
steps, each with two matrices that were factored once (Hairer, Wanner, Solving Ordinary Differential Equations II, IV.8). The equations that are solved in the end are those of
steps taken one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.discretize.line.collocation import CellCollocation, Pencil
from lrfm.discretize.options import STEADY, Options
from lrfm.integrate.schemes.radau import one_by_one
from lrfm.integrate.schemes.tableaus import Scheme
from lrfm.integrate.state import Step
from lrfm.linalg.banded import Solve


@dataclass(frozen=True)
class Grid:
    """Cells that serve all times, and the steps.

    Parameters
    ----------
    made
        A statement on the cells: any one with the same derivatives.
    edges
        Times between the steps, both ends of the time span among them.
    scheme
        Of all steps.
    """

    made: CellCollocation
    edges: np.ndarray
    scheme: Scheme

    @cached_property
    def lengths(self) -> np.ndarray:
        """h_k."""
        return np.diff(self.edges)

    @cached_property
    def times(self) -> np.ndarray:
        """Of all stages: (steps, stages)."""
        return self.edges[:-1, None] + self.lengths[:, None] * self.scheme.nodes

    def starts(self, y: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """y_k from y_0 and rates (steps, stages, components, cells, size): (steps + 1, components, cells, size)."""
        moved = np.tensordot(rates, self.scheme.weights, axes=(1, 0))
        moved *= self.lengths.reshape(-1, *[1] * (moved.ndim - 1))
        return y + np.concatenate([np.zeros_like(moved[:1]), np.cumsum(moved, axis=0)])

    def steps(self, starts: np.ndarray, rates: np.ndarray) -> list[Step]:
        """All of a run."""
        each = zip(self.edges.tolist(), self.lengths.tolist(), starts, rates, strict=False)
        return [Step(self.made.mesh, t, h, y, z) for t, h, y, z in each]

    def stages(self, starts: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """Y_ki, of the shape of `rates`."""
        count, stages = rates.shape[:2]
        moved = (self.scheme.matrix @ rates.reshape(count, stages, -1)).reshape(rates.shape)
        return starts[:-1, None] + self.lengths.reshape(-1, *[1] * (rates.ndim - 1)) * moved


class Matrices:
    """Factors of all steps, linearized at one run."""

    def __init__(self, grid: Grid, made: CellCollocation, y: np.ndarray, rates: np.ndarray):
        middle = grid.scheme.stages // 2
        system, count = made.system, len(grid.lengths)
        if system.linear and system.stationary:
            pencils = made.linearizations(grid.times[:1, middle], y[:1, middle], rates[:1, middle]) * count
        else:
            pencils = made.linearizations(grid.times[:, middle], y[:, middle], rates[:, middle])
        self.solves: list[Solve] = [
            one_by_one(pencil, h * grid.scheme.eigenvalues)
            for h, pencil in zip(grid.lengths, pencils, strict=True)
        ]
        products = {id(pencil): _by_start(made, pencil) for pencil in pencils}
        self.by_start = [products[id(pencil)] for pencil in pencils]


def _by_start(made: CellCollocation, pencil: Pencil) -> Solve:
    """∂F/∂y, which says what a change of the start makes of the rows of all stages."""
    own = np.where(made.lowest[made.rows] == 0, pencil.entries(1), pencil.entries(0))
    return made.solver.product(own)


@dataclass(frozen=True)
class Replayed:
    """Where an iteration ended: y_k, rates, how many corrections there were and how fast they shrank; and whether that was fast enough."""

    starts: np.ndarray
    rates: np.ndarray
    iterations: int
    rate: float
    converged: bool = True


def replay(
    grid: Grid,
    made: CellCollocation,
    y: np.ndarray,
    rates: np.ndarray,
    matrices: Matrices,
    sizes: np.ndarray,
    goal: float,
    known_rate: float = 1.0,
) -> Replayed | None:
    """The run from y with rates near to some, or as far as the iteration comes with these matrices; None where it leaves the range of numbers.

    Changes of y are measured by `sizes` of the components. `known_rate` bounds the rate of convergence where that is known before a second iteration shows it.
    """
    instants, last, rate = made.at(grid.times.ravel()), 0.0, 0.0
    with np.errstate(all="ignore"):
        starts = grid.starts(y, rates)
        for count in range(1, Options.iterations + 1):
            at = grid.stages(starts, rates)
            flat = (-1, *y.shape)
            residual = instants.residual(at.reshape(flat), rates.reshape(flat))
            if not np.all(np.isfinite(residual)):
                return None
            change = _corrections(grid, matrices, residual.reshape(*grid.times.shape, -1))
            rates = rates + made.scatter(change)
            following = grid.starts(y, rates)
            size = float(np.max(made.norms(following - starts) / sizes))
            starts = following
            if not np.isfinite(size):
                return None
            if last:
                rate = size / last
                if rate > STEADY.slowest and size > goal:
                    return Replayed(starts, rates, count, rate, False)
            expected = rate if last else known_rate
            if size * (expected / (1 - expected) if expected < STEADY.slowest else 1.0) <= goal:
                return Replayed(starts, rates, count, rate if last else known_rate)
            last = size
    return Replayed(starts, rates, Options.iterations, rate, False)


def _corrections(grid: Grid, matrices: Matrices, residual: np.ndarray) -> np.ndarray:
    """Changes of the rates at all stages, (steps, stages, n): those of a step from its residuals and from what has changed at its start."""
    scheme = grid.scheme
    doubled = scheme.vectors * np.where(np.imag(scheme.eigenvalues) != 0, 2.0, 1.0)
    parts = np.matmul(scheme.inverse, -residual)
    constant, ending = scheme.inverse.sum(axis=1)[:, None], scheme.weights @ doubled
    moved = np.zeros(residual.shape[2])
    for k, h in enumerate(grid.lengths):
        parts[k] = found = matrices.solves[k](parts[k] - constant * matrices.by_start[k](moved))
        moved = moved + h * np.real(ending @ found)
    return np.real(np.matmul(doubled, parts))


def merged_edges(edges: Sequence[np.ndarray], fixed: np.ndarray) -> np.ndarray:
    """Steps that are nowhere longer than those of any of several runs over the same time span, and that end at fixed times."""
    start, end = float(edges[0][0]), float(edges[0][-1])
    stops = [float(t) for t in fixed if start < t < end] + [end]
    found = [start]
    for stop in stops:
        while found[-1] < stop:
            here = found[-1]
            at = [int(np.clip(np.searchsorted(e, here, side="right") - 1, 0, len(e) - 2)) for e in edges]
            length = min(float(e[i + 1] - e[i]) for e, i in zip(edges, at, strict=True))
            left = stop - here
            # The last two are equal where one would be very short.
            ahead = left if left <= length else min(length, 0.5 * left)
            found.append(stop if ahead == left else here + ahead)
    return np.array(found)
