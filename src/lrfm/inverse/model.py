# SPDX-License-Identifier: MIT
"""The forward problem as a function of what is unknown: p ↦ h(u(p)), with ∂h/∂p by sensitivities."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from lrfm.error.well_posed import unbounded_growth
from lrfm.integrate.integrator import Stopped
from lrfm.inverse.observe import Lens, Observed
from lrfm.inverse.vector import Vector
from lrfm.problem import Problem, ProblemError
from lrfm.rows.pieces import Piece
from lrfm.solver.lines.form import Form, Unsuited
from lrfm.solver.lines.front import begin, drawn
from lrfm.solver.lines.known import NOTHING, Known
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
        self._slowest = 0.0
        self.on_cells = False  # the last solve was
        self.why = ""  # the last p could not be solved
        self._known: tuple[Known, float] = (NOTHING, 0.0)  # what the last solve has chosen, and its tolerance
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
        began = time.perf_counter()
        limit = max(LEAST, PATIENCE * self._slowest)
        try:
            problem = self.vector.at(values)
            axis = unbounded_growth(problem, None)
            if axis is not None:
                self.why = f"the equations amplify short waves along `{axis}` without bound"
                return None
            pieces = self._pieces(
                problem, tol, lambda: not self._slowest or time.perf_counter() - began < limit
            )
        except (ProblemError, np.linalg.LinAlgError, Stopped) as error:
            self.why = str(error)
            return None
        except Unsuited as error:
            raise ProblemError(
                f"Lines cannot march this statement, and data are fitted by lines only: {error}"
            ) from error
        self.solves += 1
        h = Lens(problem, self.observed, ()).values(pieces)
        if not np.all(np.isfinite(h)):
            self.why = "the solution is not finite"
            return None
        self._slowest = max(self._slowest, time.perf_counter() - began)
        self._known = Known.of(pieces), tol
        return Point(np.array(values, dtype=float), problem, pieces, h, None)

    def _pieces(self, problem: Problem, tol: float, going: Callable[[], bool]) -> Sequence[Piece]:
        """One solve: on cells where these hold the statement, on a global basis elsewhere; Stopped where it did not reach the end."""
        try:
            found = integrated(problem, tol, going)
            self.on_cells = True
            return found
        except Unsuited:
            self.on_cells = False
        form = Form(problem)
        march = begin(form, tol, [self.seed, 0, 0], known=self._near(tol))
        march.changes_frames = False  # one form serves the derivatives along it
        made, end = drawn(form, march.run(going), march.counts, march.misfit), problem.time[1]
        if made.counts.stopped or not abs(made.reached - end) < 1e-9 * max(1.0, abs(end)):
            raise Stopped(made.counts.stopped or "the march did not reach the end")
        return made.pieces

    def solved_at(self, point: Point) -> Point | None:
        """A point that has a solution: this one, or that from which straight lines are drawn."""
        if point.pieces or self._everywhere is None:
            return point if point.pieces else None
        return self._everywhere[0]

    def _near(self, tol: float) -> Known:
        """Charts, modes and the first step of the last solve, where it had the same tolerance."""
        known, its = self._known
        return known if its == tol else NOTHING

    def begin_with(self, point: Point, tangents: Sequence[Sequence[Piece]], tol: float) -> None:
        """Take over what an earlier fit has chosen and, where all unknowns are linear, its slopes."""
        self._known = Known.of(point.pieces), tol
        if point.slopes is not None and np.all(self.linear):
            self._everywhere, self.tangents = (point, tol), tangents

    def with_slopes(self, point: Point, tol: float) -> Point:
        """The same point with ∂h/∂p."""
        if point.slopes is not None:
            return point
        tangents = tangent_pieces(
            point.problem, point.pieces, self.directions, tol, self.vector.needs, self.seed
        )
        self.linearizations += 1
        slopes = Lens(point.problem, self.observed, self.directions).slopes(point.pieces, tangents)
        found = Point(point.values, point.problem, point.pieces, point.h, slopes)
        if np.all(self.linear):
            self._everywhere, self.tangents = (found, tol), tangents
        return found
