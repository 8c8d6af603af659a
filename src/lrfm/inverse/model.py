# SPDX-License-Identifier: MIT
"""The forward problem as a function of what is unknown: p ↦ h(u(p)), with ∂h/∂p by sensitivities."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from lrfm.discretize.evolution import Unsuited
from lrfm.error.well_posed import unbounded_growth
from lrfm.integrate.integrator import Stopped
from lrfm.inverse.observe import Lens, Observed
from lrfm.inverse.vector import Vector
from lrfm.problem import Problem, ProblemError
from lrfm.rows.pieces import Piece
from lrfm.solver.once import integrated
from lrfm.solver.tangent.form import linear_directions
from lrfm.solver.tangent.front import tangent_pieces

PATIENCE = 30.0  # how much longer than the slowest good one a forward solve may take,
LEAST = 5.0  # and seconds that it may always take
FAR = 2.0  # change of h, relative to h, from which on a straight line is drawn from another point


@dataclass(frozen=True)
class Point:
    """One place p of the search: the problem there, its solution by one draw, h and, where it was asked for, ∂h/∂p."""

    values: np.ndarray
    problem: Problem
    pieces: Sequence[Piece]
    h: np.ndarray
    slopes: np.ndarray | None


class Model:
    """p ↦ h and ∂h/∂p; counts what it solves. `linear` are the unknowns along which h is a straight line.

    Where all of them are, one solve and its slopes give h everywhere: h(p) = h(p₀) + J (p − p₀).
    """

    def __init__(self, vector: Vector, observed: Sequence[Observed], seed: int = 0):
        self.vector, self.observed, self.seed = vector, list(observed), seed
        self.directions = vector.directions()
        self.solves = self.linearizations = 0
        self._slowest, self.last = 0.0, []  # the last solution: a steady state is looked for near it
        self.why = ""  # the last p could not be solved
        self._everywhere: tuple[Point, float] | None = (
            None  # where all unknowns are linear, and its tolerance
        )
        self.tangents: Sequence[Sequence[Piece]] = ()  # of that point

    @cached_property
    def linear(self) -> np.ndarray:
        """For each unknown, whether h is a straight line along it."""
        problem = self.vector.at(self.vector.start)
        seen = Lens(problem, self.observed, self.directions).linear
        try:
            return np.array(linear_directions(problem, self.directions)) & seen
        except Unsuited:  # which is said where it is solved
            return np.zeros(self.vector.size, dtype=bool)

    def at(self, values: np.ndarray, tol: float) -> Point | None:
        """h at p; None where the forward problem cannot be solved there."""
        if self._everywhere is None or self._everywhere[1] > tol:
            return self._solved(values, tol)
        base, values = self._everywhere[0], np.array(values, dtype=float)
        assert base.slopes is not None
        h = base.h + base.slopes @ (values - base.values)
        if np.linalg.norm(h - base.h) <= FAR * np.linalg.norm(h):
            return Point(values, base.problem, (), h, base.slopes)
        # What both have in common is larger than what is left, and so is its error.
        found = self._solved(values, tol)
        if found is not None:
            found = replace(found, slopes=base.slopes)
            self._everywhere = found, tol
        return found

    def _solved(self, values: np.ndarray, tol: float) -> Point | None:
        began = time.thread_time()  # of the processor: a busy machine makes no point unsolvable
        limit = max(LEAST, PATIENCE * self._slowest)
        try:
            problem = self.vector.at(values)
            axis = None if problem.steady else unbounded_growth(problem, None)
            if axis is not None:
                self.why = f"the equations amplify short waves along `{axis}` without bound"
                return None
            going = lambda: not self._slowest or time.thread_time() - began < limit  # noqa: E731
            pieces = integrated(problem, tol, going, self.last)
        except (ProblemError, np.linalg.LinAlgError, Stopped) as error:
            self.why = str(error)
            return None
        except Unsuited as error:
            raise ProblemError(
                f"No space holds this statement, so that it cannot be fitted to data: {error}"
            ) from error
        self.solves += 1
        h = Lens(problem, self.observed, ()).values(pieces)
        if not np.all(np.isfinite(h)):
            self.why = "the solution is not finite"
            return None
        self._slowest, self.last = max(self._slowest, time.thread_time() - began), pieces
        return Point(np.array(values, dtype=float), problem, pieces, h, None)

    def solved_at(self, point: Point) -> Point | None:
        """A point that has a solution: this one, or that from which straight lines are drawn."""
        if point.pieces or self._everywhere is None:
            return point if point.pieces else None
        return self._everywhere[0]

    def begin_with(self, point: Point, tangents: Sequence[Sequence[Piece]], tol: float) -> None:
        """Take over the slopes of an earlier fit, where all unknowns are linear."""
        if point.slopes is not None and np.all(self.linear):
            self._everywhere, self.tangents = (point, tol), tangents

    def with_slopes(self, point: Point, tol: float) -> Point:
        """The same point with ∂h/∂p."""
        if point.slopes is not None:
            return point
        tangents = tangent_pieces(
            point.problem, point.pieces, self.directions, tol, self.vector.required_resolution
        )
        self.linearizations += 1
        slopes = Lens(point.problem, self.observed, self.directions).slopes(point.pieces, tangents)
        found = Point(point.values, point.problem, point.pieces, point.h, slopes)
        if np.all(self.linear):
            self._everywhere, self.tangents = (found, tol), tangents
        return found
