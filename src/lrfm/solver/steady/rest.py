# SPDX-License-Identifier: MIT
"""An integration until hardly anything moves:  T‖u′‖/max ‖u‖ small over a time span T as long as all before it, with the larger of ‖u‖ at its start and at its end."""

from __future__ import annotations

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.options import EVENTS, SAFEGUARDS, STEADY, Options, stages_for
from lrfm.discretize.plane.constraint import PlaneSystem
from lrfm.integrate.integrator import Integrator, Stopped
from lrfm.integrate.state import IntegratorState
from lrfm.problem import Problem
from lrfm.rows.pieces import Piece
from lrfm.solver.budget import OutOfTime
from lrfm.solver.formulations.cells import CellFormulation
from lrfm.solver.formulations.plane import PlaneFormulation
from lrfm.solver.integration import Formulation


class _Still:
    """The end of a piece at all times."""

    def __init__(self, piece: Piece):
        self.piece = piece

    def values(self, jets, points: np.ndarray) -> dict:
        there = points.copy()
        there[:, -1] = self.piece.window[1]
        return self.piece.values(jets, there)


def rested(problem: Problem, rest: float) -> Piece:
    """What a statement comes to, T‖u′‖ ≤ rest max ‖u‖: the guess for its rest state. Unsuited where it does not come to rest."""
    start, end = problem.time
    tol = rest / Options.closer
    for _ in range(SAFEGUARDS.tries):
        form = _formulation(problem.replace(time=(start, end)))
        moved = form.integrator(Options(tol=tol, stages=stages_for(tol)), None)
        assert isinstance(moved, Integrator)
        state, steps = moved.begin(), []
        large, begun = float(np.max(np.abs(state.y), initial=0.0)), _sizes(moved, state, state.y)
        try:
            with np.errstate(all="ignore"):  # what grows without bound is said below
                for after, step in moved.run(state):
                    state, steps = after, [step]
        except Stopped as error:
            grown = float(np.max(np.abs(state.y))) / max(large, np.finfo(float).tiny)
            raise Unsuited(
                f"The integration in time that leads to it ends at t = {state.time:.6g}, where the solution is {grown:.1e} times as large as at the "
                f"start: {error}."
            ) from error
        except OutOfTime:
            raise Unsuited(_moving(state.time, "`max_seconds` passed while")) from None
        if _rests(form.system, moved, state, end - start, rest, begun):
            return _Still(form.piece(steps))  # type: ignore[return-value]
        end = start + EVENTS.wider * (end - start)
    raise Unsuited(_moving(end, ""))


def _sizes(moved: Integrator, state: IntegratorState, y: np.ndarray) -> np.ndarray:
    """Of components."""
    return np.sqrt(np.einsum("cks,k->c", y**2, moved.adapter.discretize(state.mesh).shares))


def _rests(
    system: EvolutionSystem,
    moved: Integrator,
    state: IntegratorState,
    span: float,
    rest: float,
    begun: np.ndarray,
) -> bool:
    """T‖u′‖ ≤ rest ‖u‖, and T²‖u″‖ where u″ is in the equations: a wave stands still for a moment at its turning points. What decays to zero is small beside its start."""
    size = np.maximum(_sizes(moved, state, state.y), begun)
    rate = _sizes(moved, state, state.z)
    first = [system.first[f] for f in system.fields]
    whole = rest * np.max(size[first]) + np.finfo(float).tiny
    return all(
        span ** (k + 1) * rate[system.first[f] + k] <= whole
        for f in system.fields
        for k in range(system.orders[f] or 1)
    )


def _moving(time: float, why: str) -> str:
    """What is said of an integration that has not come to rest."""
    begun = f"{why} the" if why else "Nothing rests: the"
    return (
        f"{begun} solution still moves at t = {time:.3g}. It may oscillate, grow or travel; `lrfm.solve` shows what it does, and `guess` finds a "
        "steady state that it does not come to."
    )


def _formulation(problem: Problem) -> Formulation:
    """On the cells on which the rest state is solved for."""
    if problem.domain.dimension == 1:
        return CellFormulation(EvolutionSystem(problem))
    form = PlaneFormulation(PlaneSystem(problem))
    form.layout(Options(tol=STEADY.rest)).check()
    return form
