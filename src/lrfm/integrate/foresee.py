# SPDX-License-Identifier: MIT
"""How large unknowns become that start from nothing, before they are integrated: implicit Euler over times that grow geometrically,

    F(t₀ + H, y₀ + H z, z) = 0,    ‖y‖² ≈ Σ_j (H_j − H_{j−1})/T ½ (‖y_j‖² + ‖y_{j−1}‖²),   y_j = y₀ + H_j z_j,    H_j = T, T/8, T/64, …

one Newton step each, from the start. Errors are relative to this; a guess that is too small makes an integration strict, one that is too large makes its pair fail.

What is there at the start and fades, where a scheme is exact in time, is foreseen by one step of it over the whole time span. Taken for as large as it is at the start, heat of a square that is cooled down was
integrated four times too loosely, and compared with a solve that was sixteen times as strict and took ten times as long.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.options import SCANS, Options
from lrfm.integrate.protocols import TimeScheme
from lrfm.integrate.schemes.radau import Iteration, complete
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
    exact: TimeScheme | None = None,
) -> np.ndarray | None:
    """The same in the first space of an adapter, by a scheme that is exact in time where there is one and all is there at the start; None where sizes are known, or nothing is foreseen.

    Algebraic unknowns have no start; those of a box that are all multipliers are solved for as the others are.
    """
    if known is not None:
        return None
    space, y = adapter.initial()
    there = all(np.any(y[c]) for c in range(len(y)) if c not in system.algebraic)
    if there and (exact is None or system.algebraic):
        return None
    made, nothing, (start, end) = adapter.discretize(space), np.zeros_like(y), system.problem.time
    if system.algebraic and not getattr(made, "plain", False):
        return None
    if not there or exact is None:
        return foreseen(made, start, y, nothing, end - start, options)
    state = IntegratorState(start, space, y, nothing, 0.0, start, nothing, nothing)
    return faded(made, exact, state, end - start)


def faded(made: Any, exact: TimeScheme, state: IntegratorState, duration: float) -> np.ndarray | None:
    """√((1/T) ∫ ‖y‖² dt) by component, to a digit; None where one step cannot be taken over all of it."""
    sizes = made.norms(state.y)

    def norm(change: np.ndarray) -> float:
        return float(np.max(made.norms(change) / sizes))

    pencil = made.linearize(state.time, state.y, state.z)
    found = exact.step(made, pencil, state, duration, Iteration(norm, Options.minor, 1))
    if not found.exact or found.squares is None or not np.all(np.isfinite(found.squares)):
        return None
    return np.sqrt(found.squares / duration)
