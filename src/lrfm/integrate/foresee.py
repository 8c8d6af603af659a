# SPDX-License-Identifier: MIT
"""How large unknowns become that start from nothing, before they are integrated: implicit Euler over times that grow geometrically,

    F(t₀ + H, y₀ + H z, z) = 0,    ‖y‖² ≈ Σ_j (H_j − H_{j−1})/T ½ (‖y_j‖² + ‖y_{j−1}‖²),   y_j = y₀ + H_j z_j,    H_j = T, T/8, T/64, …

one Newton step each, from the start. Errors are relative to this; a guess that is too small makes an integration strict, one that is too large makes its pair fail.

One step of implicit Euler is right for what is driven evenly. Heat of a flower by 10 t² came to 0.41 of it, a reaction there to 0.22, and both first solves were integrated as much too loosely. So this is only what a second look measures its
errors by: steps of the scheme itself, to a digit, T/36 at first where matrices have to be made anew, one step over all of it where steps are exact.

A flow from rest is driven by forces that grow from nothing themselves. By T‖u′‖, the least so far, air between cylinders was a hundredth of what it becomes, and had 456 cells in the place of 77; a wake, which sways for ever, was 2.4 times as large as it is. On the first cells it is
crossed in 6 and 33 steps, 1.5 and 8 CPU s, to 0.12 and 1.06 in the place of 0.13 and 1.05.

What is there at the start and fades, where a scheme is exact in time, is foreseen by one step of it over the whole time span. Taken for as large as it is at the start, heat of a square that is cooled down was
integrated four times too loosely, and compared with a solve that was sixteen times as strict and took ten times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.options import SCANS, Options
from lrfm.integrate.controller import Errors, step_factor
from lrfm.integrate.protocols import ConsistentStart, TimeScheme
from lrfm.integrate.schemes.radau import Iteration, StepResult, complete
from lrfm.integrate.schemes.tableaus import radau
from lrfm.integrate.state import IntegratorState
from lrfm.linalg.banded import SingularError


def foreseen(
    made: Any, time: float, y: np.ndarray, z: np.ndarray, duration: float, options: Options
) -> np.ndarray | None:
    """Root mean squares of the components over the time span; None where a step cannot be solved."""
    pencil, total, before = made.linearize(time, y, z), np.zeros(len(y)), 0.0
    one, last = np.ones((1, 1)), made.norms(y) ** 2
    for rung in reversed(range(SCANS.rungs)):
        here = duration * options.grow**-rung
        rates = np.zeros((1, len(made.system.last), *y.shape[1:]))
        try:
            with np.errstate(all="ignore"):
                r = made.residual(np.array([time + here]), *complete(made, y, rates, here * one))[0]
                rates = rates + made.scatter(pencil.roughly(here)(-r))[None]
        except SingularError:
            return None
        there = made.norms(complete(made, y, rates, here * one)[0][0]) ** 2
        total += (here - before) / duration * 0.5 * (last + there)
        before, last = here, there
    return np.sqrt(total) if np.all(np.isfinite(total)) else None


def foreseen_by(
    adapter: Any,
    system: EvolutionSystem,
    options: Options,
    known: np.ndarray | None,
    scheme: TimeScheme | None = None,
    exact: bool = False,
    consistent: ConsistentStart | None = None,
) -> np.ndarray | None:
    """The same in the first space of an adapter, and by a scheme where there is one; None where sizes are known, or nothing is foreseen.

    What is all there at the start is foreseen where the scheme is `exact` and nothing drives it. Algebraic unknowns have no start unless one that is `consistent` is made for them; those of a box that are all multipliers are solved for as the others are.
    """
    if known is not None:
        return None
    space, y = adapter.initial()
    there = all(np.any(y[c]) for c in range(len(y)) if c not in system.algebraic)
    if there and (not exact or system.algebraic or not system.autonomous):
        return None
    made, nothing, (start, end) = adapter.discretize(space), np.zeros_like(y), system.problem.time
    if system.algebraic and consistent is None and not getattr(made, "plain", False):
        return None
    guess = made.norms(y) if there else foreseen(made, start, y, nothing, end - start, options)
    if scheme is None or guess is None or not np.any(guess):
        return guess
    sizes = np.where(guess > 0, guess, np.max(guess))
    y, z = (y, nothing) if consistent is None else consistent(made, start, y, end - start)
    state = IntegratorState(start, space, y, z, 0.0, start, np.zeros_like(guess), nothing)
    found = crossed(made, scheme, state, end, sizes, exact)
    return found if found is not None or there else guess


def crossed(
    made: Any, scheme: TimeScheme, state: IntegratorState, end: float, sizes: np.ndarray, exact: bool
) -> np.ndarray | None:
    """√((1/T) ∫ ‖y‖² dt) by component, to a digit; None where a few steps do not come to the end."""
    duration, system = end - state.time, made.system
    length = duration if exact else duration * Options.grow ** (1 - SCANS.rungs)
    for _ in range(SCANS.coarse):
        rest = end - state.time
        length = min(length, rest)
        norm = _relative(made, state, sizes, linear=exact)
        iteration = Iteration(norm, Options.minor, Options.iterations)
        with np.errstate(all="ignore"):
            try:
                pencil = made.linearize(*scheme.middle(state, length))
                step = scheme.step(made, pencil, state, length, iteration)
            except SingularError:
                return None
        error = np.inf
        if step.converged:
            # The pressure of a short step is no better than that of a long one.
            moving = np.array([c not in system.multipliers for c in system.last])
            error = norm(np.where(moving[:, None, None], step.error[system.last], 0.0))
        if not error <= Options.minor:
            if exact:
                return None
            length *= Options.minor**0.5
            continue
        if exact and not step.exact:
            return None
        squares = state.squares + (
            _squared(made, state, step, length) if step.squares is None else step.squares
        )
        if not np.all(np.isfinite(squares)):
            return None
        if length == rest:
            return np.sqrt(squares / duration)
        state = state.with_(
            time=state.time + length,
            y=step.end,
            z=step.rates[-1],
            squares=squares,
            before=(length, step.rates),
            steps=state.steps + 1,
        )
        options = Options(tol=Options.minor, stages=len(step.rates))
        length *= step_factor(Errors(error, Options.minor, 0.0, 1.0), options)
    return None


def _relative(
    made: Any, state: IntegratorState, sizes: np.ndarray, linear: bool
) -> Callable[[np.ndarray], float]:
    """Changes of the rates' own components relative to what was guessed; where rows are not linear, to u or to the first of them, if that is less: linearized at nothing a step may come to anything."""
    last = made.system.last
    own = [sizes[last]] if linear else []

    def norm(change: np.ndarray) -> float:
        found = made.norms(change)
        if not own:
            first = np.max(found.reshape(-1, len(last)), axis=0)
            here = np.maximum(first, made.norms(state.y)[last])
            own.append(np.where(here > 0, np.minimum(here, sizes[last]), sizes[last]))
        return float(np.max(found / own[0]))

    return norm


def _squared(made: Any, state: IntegratorState, step: StepResult, length: float) -> np.ndarray:
    """∫ ‖y‖² dt of a step by its stages."""
    radau_of = radau(len(step.rates))
    values = state.y + length * np.tensordot(radau_of.matrix, step.rates, axes=1)
    return length * radau_of.weights @ made.norms(values) ** 2
