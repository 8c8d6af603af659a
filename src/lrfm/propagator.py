# SPDX-License-Identifier: MIT
"""One factorization for many windows: linear equations whose coefficients do not change in time.

The matrix of a window depends on its length only; the next window has the same A and another b, so that a block costs one
product with Qᵀ and one back substitution instead of a factorization.
"""

from __future__ import annotations

import time
from functools import cached_property

import numpy as np

from lrfm.assembly import Condition, System
from lrfm.column_blocks import ColumnBlocks
from lrfm.estimate import held_out, initial_jets
from lrfm.expansion import Expansion
from lrfm.least_squares import QR, DataMap
from lrfm.least_squares.base import check_finite
from lrfm.least_squares.data_map import Others
from lrfm.problem import Problem
from lrfm.report import BlockReport
from lrfm.threads import suited_to
from lrfm.window import (
    Parts,
    Solved,
    build_system,
    initial_values,
    periodic_blocks,
    row_blocks,
    sample_space,
)


class Propagator:
    """The map from the trace at the start of a window to the solution on it."""

    def __init__(self, problem: Problem, parts: Parts, window: tuple[float, float], rng: np.random.Generator):
        self.problem, self.parts, self.window = problem, parts, window
        self.space = sample_space(problem, parts.space, window, rng)
        self.points = parts.collocation.place(problem.domain, window, rng)
        with suited_to(self.space.size * len(problem.fields)):
            self._factor()

    def _factor(self) -> None:
        problem, parts, window = self.problem, self.parts, self.window
        spaces = dict.fromkeys(problem.fields, self.space)
        zero = lambda jet, points: np.zeros(len(points))  # noqa: E731
        self.system = build_system(problem, parts, spaces, self.points, window, zero)
        check_finite(self.system.matrix, self.system.target, self.system.rows_of)
        self.factored = parts.least_squares.factor(self.system.matrix)
        self.shape = self.system.shape
        self.system.release()  # the matrix has been overwritten by its factorization

    @staticmethod
    def applies(problem: Problem, parts: Parts) -> bool:
        """Whether the problem has one matrix for all windows, and the solver can keep a factorization."""
        return problem.stationary and isinstance(parts.least_squares, QR)

    # For many data on one window --------------------------------------------------------------------------

    @cached_property
    def data_map(self) -> DataMap:
        """From the weighted values of the initial conditions to the coefficients."""
        with suited_to(self.shape[1]):
            return DataMap(self.factored, self.system.condition_rows, self.shape[0])

    def others(self, shift: float, problem: Problem) -> Others:
        """What equations and boundary conditions contribute a time `shift` later, by the sources of `problem`."""
        length = self.window[1] - self.window[0]
        rows = [block.row for block in row_blocks(problem, self.parts, self.points, length)]
        b = self.system.sources(shift, rows)
        check_finite(np.zeros((len(b), 1)), b, self.system.rows_of)
        return self.data_map.others(b)

    def respond(self, others: Others, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and relative misfit for values of the initial conditions, one after another, (all,) or (all, k)."""
        weights = self.system.weights[self.system.condition_rows]
        with suited_to(self.shape[1]):
            return self.data_map.solve(others, (values.T * weights).T)

    def trace(self, points: np.ndarray) -> np.ndarray | ColumnBlocks:
        """The matrix from coefficients to the values of the initial conditions at the end of the window, at these places."""
        at = points.copy()
        at[:, -1] = self.window[1]
        spaces = dict.fromkeys(self.problem.fields, self.space)
        jets, zero = initial_jets(self.problem), np.zeros(len(at))
        return System(spaces, [], [Condition("the end", jet, at, zero) for jet in jets]).matrix

    def expansion(self, window: tuple[float, float], c: np.ndarray) -> Expansion:
        """The functions of this window, moved to another start, with these coefficients."""
        return Expansion.from_vector(
            window, dict.fromkeys(self.problem.fields, self.space.starting(window[0])), c
        )

    # Window after window ----------------------------------------------------------------------------------

    def step(
        self, window: tuple[float, float], previous: Expansion | None, rng: np.random.Generator
    ) -> Solved:
        """The solution on a window of the same length that starts where `previous` ends."""
        with suited_to(self.shape[1]):
            return self._step(window, previous, rng)

    def _step(
        self, window: tuple[float, float], previous: Expansion | None, rng: np.random.Generator
    ) -> Solved:
        began = time.perf_counter()
        shift = window[0] - self.window[0]
        initial = initial_values(self.problem, previous)
        start = self.points.initial.copy()
        start[:, -1] += shift
        b = self.system.target_at(shift, [initial(jet, start) for jet in initial_jets(self.problem)])
        check_finite(np.zeros((len(b), 1)), b, self.system.rows_of)
        fit = self.factored.solve(b)
        expansion = self.expansion(window, fit.coefficients)
        report = BlockReport(
            window=window,
            rows=self.shape[0],
            columns=self.shape[1],
            rank=fit.rank,
            condition=fit.condition,
            steps=1,
            updates=(0.0,),
            converged=True,
            reason="the problem is linear",
            fit_residual=fit.residual,
            residual=held_out(
                self.problem,
                expansion,
                initial,
                self.parts.collocation,
                rng,
                periodic_blocks(self.problem, self.parts),
            ),
            seconds=time.perf_counter() - began,
        )
        return Solved(expansion, report)
