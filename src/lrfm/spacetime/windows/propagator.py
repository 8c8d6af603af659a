# SPDX-License-Identifier: MIT
"""One factorization for many windows: linear equations whose coefficients do not change in time.

The matrix of a window depends on its length only; the next window has the same A and another b, so that it costs one
product with Qᵀ and one back substitution instead of a factorization.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lrfm.linalg.threads import suited_to
from lrfm.problem import Jet, Problem
from lrfm.rows.pieces import Piece
from lrfm.solution.report import WindowReport
from lrfm.spacetime.least_squares import DataMap, KeepsFactorization
from lrfm.spacetime.least_squares.base import check_finite
from lrfm.spacetime.least_squares.column_groups import Matrix
from lrfm.spacetime.least_squares.data_map import FixedRows
from lrfm.spacetime.windows.assembly import System
from lrfm.spacetime.windows.expansion import Expansion
from lrfm.spacetime.windows.groups import Condition
from lrfm.spacetime.windows.held_out import held_out
from lrfm.spacetime.windows.window import (
    FRESH,
    Parts,
    Solved,
    build_system,
    initial_values,
    periodic_blocks,
    row_blocks,
    sample_space,
)

KRYLOV = 30  # vectors of the space in which the largest eigenvalue is looked for
SETTLED = 3e-2  # relative residual of its eigenvector; the map is far from normal, and a smaller one may never be reached


class WindowMap(NamedTuple):
    """A linear map of vectors of some length, for SciPy a linear operator."""

    matvec: Callable[[np.ndarray], np.ndarray]
    size: int
    dtype: type = float

    @property
    def shape(self) -> tuple[int, int]:
        return self.size, self.size


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
        system = build_system(problem, parts, spaces, self.points, window, _zero)
        if not isinstance(parts.least_squares, KeepsFactorization) or not isinstance(system, System):
            raise TypeError(f"{parts.least_squares!r} keeps no factorization; give `lrfm.QR()`.")
        check_finite(system.matrix, system.target, system.rows_of)
        self.system, self.shape = system, system.shape
        self.factored = parts.least_squares.factor(system.matrix)
        self.system.release()  # the matrix has been overwritten by its factorization

    @cached_property
    def growth(self) -> float:
        """Growth of an error in one window: the spectral radius of the map G from the trace at the start to that at the end.

        G g = E A⁺ W g: data g at the initial points, weighted and fitted, and the fit evaluated at the same places a window
        later, without sources and boundary data.
        """
        with suited_to(self.shape[1]):
            return spectral_radius(self.window_map(), np.random.default_rng(0))

    def window_map(self) -> WindowMap:
        """g → G g for data at the initial points, ∂ₜᵏu in units of the window, one k and field after the other."""
        jets, end = self.problem.initial_jets, self.points.initial.copy()
        end[:, -1] = self.window[1]
        held = self.system.condition_rows
        units = np.concatenate(
            [np.full(len(end), (self.window[1] - self.window[0]) ** j.index[-1]) for j in jets]
        )
        traces = self.space.jets(end, sorted({jet.index for jet in jets}))

        def apply(g: np.ndarray) -> np.ndarray:
            b = np.zeros(self.shape[0])
            b[held] = self.system.weights[held] * (g / units)
            c = self.factored.solve(b).coefficients
            return units * np.concatenate([traces[j.index] @ c[self.system.columns[j.field]] for j in jets])

        return WindowMap(apply, len(units))

    @staticmethod
    def applies(problem: Problem, parts: Parts) -> bool:
        """Whether the problem has one matrix for all windows, and the solver can keep a factorization."""
        return problem.forward and problem.stationary and isinstance(parts.least_squares, KeepsFactorization)

    # For many data on one window --------------------------------------------------------------------------

    @cached_property
    def data_map(self) -> DataMap:
        """From the weighted values of the initial conditions to the coefficients."""
        with suited_to(self.shape[1]):
            return DataMap(self.factored, self.system.condition_rows, self.shape[0])

    def sources(self, shift: float, problem: Problem) -> FixedRows:
        """What equations and boundary conditions contribute a time `shift` later, by the sources of `problem`."""
        length = self.window[1] - self.window[0]
        rows = [group.row for group in row_blocks(problem, self.parts, self.points, length)]
        b = self.system.sources(shift, rows)
        check_finite(np.zeros((len(b), 1)), b, self.system.rows_of)
        return self.data_map.fixed(b)

    def respond(self, sources: FixedRows, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and relative misfit for values of the initial conditions, one after another, (all,) or (all, k)."""
        weights = self.system.weights[self.system.condition_rows]
        with suited_to(self.shape[1]):
            return self.data_map.solve(sources, (values.T * weights).T)

    def trace(self, points: np.ndarray) -> Matrix:
        """The matrix from coefficients to the values of the initial conditions at the end of the window, at these places."""
        at = points.copy()
        at[:, -1] = self.window[1]
        spaces = dict.fromkeys(self.problem.fields, self.space)
        jets, zero = self.problem.initial_jets, np.zeros(len(at))
        return System(spaces, [], [Condition("the end", jet, at, zero) for jet in jets]).matrix

    def expansion(self, window: tuple[float, float], c: np.ndarray) -> Expansion:
        """The functions of this window, moved to another start, with these coefficients."""
        return Expansion.from_vector(
            window, dict.fromkeys(self.problem.fields, self.space.starting(window[0])), c
        )

    # Window after window ----------------------------------------------------------------------------------

    def step(
        self,
        window: tuple[float, float],
        previous: Piece | None,
        rng: np.random.Generator,
        fresh: int = FRESH,
    ) -> Solved:
        """The solution on a window of the same length that starts where `previous` ends, judged at `fresh` points."""
        with suited_to(self.shape[1]):
            return self._step(window, previous, rng, fresh)

    def _step(
        self, window: tuple[float, float], previous: Piece | None, rng: np.random.Generator, fresh: int
    ) -> Solved:
        began = time.perf_counter()
        shift = window[0] - self.window[0]
        initial = initial_values(self.problem, previous)
        start = self.points.initial.copy()
        start[:, -1] += shift
        b = self.system.target_at(shift, [initial(jet, start) for jet in self.problem.initial_jets])
        check_finite(np.zeros((len(b), 1)), b, self.system.rows_of)
        fit = self.factored.solve(b)
        expansion = self.expansion(window, fit.coefficients)
        report = WindowReport(
            window=window,
            rows=self.shape[0],
            columns=self.shape[1],
            rank=fit.rank,
            condition=fit.condition,
            fit_residual=fit.residual,
            residual=held_out(
                self.problem,
                expansion,
                initial,
                self.parts.collocation,
                rng,
                periodic_blocks(self.problem, self.parts),
                fresh,
            ),
            seconds=time.perf_counter() - began,
        )
        return Solved(expansion, report)


def _zero(jet: Jet, points: np.ndarray) -> np.ndarray:
    return np.zeros(len(points))


def spectral_radius(linear: WindowMap, rng: np.random.Generator) -> float:
    """Largest |λ| of a map, by Arnoldi's method (ARPACK) from a random start; a small map is written out instead."""
    from scipy.sparse.linalg import ArpackError, aslinearoperator, eigs  # takes 40 ms, and few solves need it

    start = linear.matvec(rng.normal(size=linear.size))  # once applied: what the map cannot represent is gone
    size = float(np.linalg.norm(start))
    if not 0.0 < size < np.inf:
        return size
    if linear.size > 2 * KRYLOV:
        with suppress(ArpackError):  # no convergence
            found = eigs(
                aslinearoperator(linear),
                k=1,
                ncv=KRYLOV,
                v0=start,
                tol=SETTLED,  # pyright: ignore[reportArgumentType]
                maxiter=KRYLOV,
                return_eigenvectors=False,
            )
            return float(np.abs(found).max())
    matrix = np.column_stack([linear.matvec(unit) for unit in np.eye(linear.size)])
    return float(np.abs(np.linalg.eigvals(matrix)).max()) if np.isfinite(matrix).all() else np.inf
