# SPDX-License-Identifier: MIT
"""One integration without a comparison: for who solves a statement many times, as fits and families do, or compares in another way."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import ROUNDING, Options
from lrfm.integrate.integrator import Stopped
from lrfm.problem import Problem
from lrfm.rows.pieces import Piece
from lrfm.solver.budget import Budget, Watch
from lrfm.solver.engine import Wanted
from lrfm.solver.formulations.cells import CellFormulation
from lrfm.solver.formulations.order import SPACES
from lrfm.solver.integration import Integration, IntegrationState

SMOOTH = ("series", "cells")  # spaces in which a solution has derivatives by its parameters


def begun(
    problem: Problem, tol: float, spaces: Sequence[str] = SMOOTH, budget: Budget | None = None
) -> tuple[Integration, IntegrationState]:
    """The integration in the first space that suits a statement, or else in the first that holds it, after its first step; Unsuited, with the reason of the last one, where none does.

    Its cells stand still: who asks for one integration goes along its steps, or takes them for other data.
    """
    budget, reason = budget or Budget(seconds=math.inf), Unsuited("There is no space for it.")
    for asked in (False, True):
        for name in spaces:
            try:
                attempts = SPACES[name](problem, Wanted(tol, budget, False, asked))
                if isinstance(form := getattr(attempts, "form", None), CellFormulation):
                    attempts.form = replace(form, moves=False)
                engine = next(iter(attempts)).engine(Watch(budget))
                assert isinstance(engine, Integration)
                return engine, engine.advance(engine.begin())
            except (Unsuited, np.linalg.LinAlgError) as error:
                reason = error if isinstance(error, Unsuited) else reason
    raise reason


def through(
    engine: Integration, state: IntegrationState, going: Callable[[], bool] = lambda: True
) -> IntegrationState:
    """All further steps of an integration; Stopped where it did not reach the end, or `going` said no."""
    while not engine.finished(state):
        state = engine.advance(state)
        if not going():
            raise Stopped("it took far longer than for other values of the unknowns")
    if state.stopped:
        raise Stopped(state.stopped.meaning)
    return state


def integrated(
    problem: Problem, tol: float, going: Callable[[], bool] = lambda: True, near: Sequence[Piece] = ()
) -> list[Piece]:
    """The solution as one piece, integrated to a tenth of a tolerance: nobody looks whether it was met. A steady state is that `near` another one, or near nothing.

    Raises Unsuited where no space holds the statement; Stopped where the integration did not reach its end, or `going` said no.
    """
    if problem.steady:
        return [_rested(problem, Options.minor * tol, near)]
    engine, state = begun(problem, max(Options.minor * tol, ROUNDING.last))
    return [engine.form.piece(through(engine, state, going).steps)]


def _rested(problem: Problem, tol: float, near: Sequence[Piece]) -> Piece:
    """A steady state."""
    from lrfm.solver.steady.solves import SteadySolves, beginning_from

    found = SteadySolves(beginning_from(problem, near[0]) if near else problem).solved(tol)
    if not found.fine:
        raise Stopped("there is no steady state near that for other values of the unknowns, or near nothing")
    return found.piece
