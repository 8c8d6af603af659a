# SPDX-License-Identifier: MIT
"""At which points of a cell equations hold: those with which no short wave grows that the equation does not let grow.

Gauss points are stable where the highest derivatives are of even order, Gauss-Radau points with the end that the sign asks for where they are odd. This is not assumed but
computed: the eigenvalues σ of  B₀ v + σ⁻¹ B₁ v = 0  on a few uneven cells, linearized at the start, and at other times where coefficients change: a wind that turns.
Points whose spectrum has real parts comparable with its radius are no choice.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lrfm.adapt.given import Given
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.line.collocation import CellCollocation, Layout
from lrfm.discretize.options import ROUNDING, SCAN, SCANS
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.reference import POLYNOMIALS, CellFunctions


def stable_layout(system: EvolutionSystem, count: int, functions: CellFunctions = POLYNOMIALS) -> Layout:
    """The layout with Gauss points, or with Radau points of the better side where these are not stable."""
    gauss = Layout(system, count, functions=functions)
    if not any(m % 2 for m in gauss.orders):
        return gauss
    growths = {gauss: growth(gauss)}
    if growths[gauss] > ROUNDING.solved:
        growths |= {radau: growth(radau) for radau in (replace(gauss, end=end) for end in (-1, 1))}
    best = min(growths, key=lambda layout: growths[layout])
    if growths[best] > SCAN.unstable:
        raise Unsuited("No points of a cell keep short waves from growing.")
    return best


def growth(layout: Layout) -> float:
    """The largest real part of the spectrum on uneven cells, relative to its radius, at any time."""
    system = layout.system
    given, (low, high) = Given(system), system.interval
    cuts = np.cumsum(1 + 0.5 * np.sin(SCANS.phase * np.arange(SCANS.uneven)))
    edges = np.union1d(low + (high - low) * np.append(0, cuts) / cuts[-1], layout.interfaces)
    mesh = Mesh.of(edges, bool(system.problem.periodic))
    made = CellCollocation(layout, mesh)
    # Coefficients of all the interval, waves of much narrower cells: the highest derivatives decide.
    made.stretch = made.stretch * SCANS.shorter ** np.arange(made.stretch.shape[1])
    points = made.x.ravel()
    values = given.initial(points).reshape(-1, *made.x.shape)
    state = np.zeros((len(system.components), mesh.size, layout.size))
    inverse = np.linalg.pinv(layout.reference.at_points[0][:, : layout.count])
    state[:, :, : layout.count] = values @ inverse.T
    return max(_growth_at(made, state, time) for time in _times(system, given))


def _times(system: EvolutionSystem, given: Given) -> np.ndarray:
    """The start; where an equation changes in time, others as well, and those at which something given has a top."""
    start, end = system.problem.time
    if not any(row.time_dependent for row in system.equations):
        return np.array([start])
    return np.unique([*np.linspace(start, end, SCANS.along), *given.named_times])


def _growth_at(made: CellCollocation, state: np.ndarray, time: float) -> float:
    """The same at one time."""
    pencil = made.linearize(time, state, np.zeros_like(state))
    dense = []
    for power in range(2):
        matrix = np.zeros((made.size, made.size))
        matrix[made.rows, made.columns] = pencil.entries(power)
        # Short waves have no mean: what integrals and unknowns of time alone do to the others is growth of its own, such as that of births.
        local = made.size - len(made.lumped)
        matrix[:local, local:] = 0.0
        dense.append(matrix)
    # Rows without rates hold on the rates: B₀ has them, B₁ must not.
    dense[1][made.lowest > 0] = 0.0
    if np.linalg.cond(dense[0]) > 1 / ROUNDING.sums:
        return np.inf
    found = np.linalg.eigvals(np.linalg.solve(dense[0], -dense[1]))
    radius = np.max(np.abs(found))
    return float(np.max(np.real(found)) / radius) if radius > 0 else 0.0
