# SPDX-License-Identifier: MIT
"""The forward problem as a function of what is unknown: p ↦ h(u(p)), with ∂h/∂p by sensitivities."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.error.well_posed import unbounded_growth
from lrfm.inverse.observe import Lens, Observed
from lrfm.inverse.vector import Vector
from lrfm.problem import Problem, ProblemError
from lrfm.rows.pieces import Piece
from lrfm.solver.lines.form import Form, Unsuited
from lrfm.solver.lines.front import begin, drawn
from lrfm.solver.tangent.front import tangent_pieces

PATIENCE = 30.0  # how much longer than the slowest good one a forward solve may take,
LEAST = 5.0  # and seconds that it may always take


@dataclass(frozen=True)
class Point:
    """One place p of the search: the problem there, its solution by one draw, h and, where it was asked for, ∂h/∂p."""

    values: np.ndarray
    problem: Problem
    pieces: Sequence[Piece]
    h: np.ndarray
    slopes: np.ndarray | None


class Model:
    """p ↦ h and ∂h/∂p; counts what it solves."""

    def __init__(self, vector: Vector, observed: Sequence[Observed], seed: int = 0):
        self.vector, self.observed, self.seed = vector, list(observed), seed
        self.directions = vector.directions()
        self.solves = self.linearizations = 0
        self._slowest = 0.0
        self.why = ""  # the last p could not be solved

    def at(self, values: np.ndarray, tol: float) -> Point | None:
        """h at p; None where the forward problem cannot be solved there."""
        began = time.monotonic()
        limit = max(LEAST, PATIENCE * self._slowest)
        try:
            problem = self.vector.at(values)
            axis = unbounded_growth(problem, None)
            if axis is not None:
                self.why = f"the equations amplify short waves along `{axis}` without bound"
                return None
            form = Form(problem)
            march = begin(form, tol, [self.seed, 0, 0])
            steps = march.run(lambda: not self._slowest or time.monotonic() - began < limit)
            found = drawn(form, steps, march.counts, march.misfit)
        except (ProblemError, np.linalg.LinAlgError) as error:
            self.why = str(error)
            return None
        except Unsuited as error:
            raise ProblemError(
                f"Lines cannot march this statement, and data are fitted by lines only: {error}"
            ) from error
        self.solves += 1
        end = problem.time[1]
        if found.counts.stopped or not abs(found.reached - end) < 1e-9 * max(1.0, abs(end)):
            self.why = found.counts.stopped or "the march did not reach the end"
            return None
        h = Lens(problem, self.observed, ()).values(found.pieces)
        if not np.all(np.isfinite(h)):
            self.why = "the solution is not finite"
            return None
        self._slowest = max(self._slowest, time.monotonic() - began)
        return Point(np.array(values, dtype=float), problem, found.pieces, h, None)

    def with_slopes(self, point: Point, tol: float) -> Point:
        """The same point with ∂h/∂p."""
        if point.slopes is not None:
            return point
        tangents = tangent_pieces(
            point.problem, point.pieces, self.directions, tol, self.vector.needs, self.seed
        )
        self.linearizations += 1
        slopes = Lens(point.problem, self.observed, self.directions).slopes(point.pieces, tangents)
        return Point(point.values, point.problem, point.pieces, point.h, slopes)
