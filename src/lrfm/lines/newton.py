# SPDX-License-Identifier: MIT
"""The stages of one step by simplified Newton: X ← X − A(hλ)⁻¹ rows(X), the matrices of the step kept.

X are the rates of the last components at the stages; everything else follows from them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lrfm.lines.rules import Rules
from lrfm.lines.stages import DenseStages
from lrfm.lines.system import System

STEPS = 15


@dataclass(frozen=True)
class Stage:
    """Values and rates (stages, components, R) of a step, its end (components, R), and how they were found."""

    solved: bool
    values: np.ndarray
    rates: np.ndarray
    end: np.ndarray
    iterations: int
    stagnation: float = 0.0


def solve_stages(
    system: System,
    stages: DenseStages,
    time: float,
    start: np.ndarray,
    guess: np.ndarray,
    sizes: np.ndarray,
    rules: Rules,
) -> Stage:
    """Iterate until the change of y, relative to its size, is far below the tolerance of time."""
    form, scheme, h = system.form, stages.scheme, stages.step
    goal, rough = 0.02 * rules.time_tol, max(rules.time_tol, 1e-2 * rules.tol)
    times, rates, before = time + h * scheme.nodes, guess, np.inf
    least = np.maximum(sizes, np.linalg.norm(start, axis=1))[form.last]
    solved, stagnation, iteration = False, 0.0, 0
    for iteration in range(1, STEPS + 1):
        y, z = form.complete(start, rates, h * scheme.matrix)
        rows = system.residual(times, y, z)
        if not np.all(np.isfinite(rows)):
            break
        change = stages.solve(rows)
        rates = rates + change
        norms = h * np.linalg.norm(change, axis=(0, 2)) / np.sqrt(scheme.stages)
        ends = np.linalg.norm(start[form.last] + h * np.tensordot(scheme.weights, rates, axes=1), axis=1)
        size = float(np.max(norms / np.maximum(np.maximum(least, ends), 1e-300)))
        if not np.isfinite(size):
            break
        quotient = size / before
        if size < goal or (quotient < 1 and iteration > 1 and size * quotient / (1 - quotient) < goal):
            solved = True
        elif iteration > 2 and quotient > 0.5 and size < rough:
            # Rounding: it will not become smaller, and it is small enough.
            solved, stagnation = True, size
        if solved or (iteration > 3 and quotient > 0.95):
            break
        before = size
    y, z = form.complete(start, rates, h * scheme.matrix)
    end = start + h * np.tensordot(scheme.weights, z, axes=1)
    return Stage(solved, y, z, end, iteration, stagnation)
