# SPDX-License-Identifier: MIT
"""How large unknowns become that start from nothing, before they are integrated: implicit Euler over times that grow geometrically,

    F(t₀ + H, y₀ + H z, z) = 0,    ‖y‖² ≈ Σ_j (H_j − H_{j−1})/T ½ (‖y_j‖² + ‖y_{j−1}‖²),   y_j = y₀ + H_j z_j,    H_j = T, T/8, T/64, …

one Newton step each, from the start. Errors are relative to this; a guess that is too small makes an integration strict, one that is too large makes its pair fail.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.options import SCANS, Options
from lrfm.integrate.radau import complete
from lrfm.linalg.banded import SingularError


def foreseen(
    made: Any, time: float, y: np.ndarray, z: np.ndarray, duration: float, options: Options
) -> np.ndarray | None:
    """Root mean squares of the components over the time span; None where a step cannot be solved."""
    pencil, total, before = made.linearize(time, y, z), np.zeros(len(y)), 0.0
    one, last = np.ones((1, 1)), made.norms(y) ** 2
    for rung in reversed(range(SCANS.rungs)):
        here = duration * options.ladder**-rung
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
    adapter: Any, system: EvolutionSystem, options: Options, known: np.ndarray | None
) -> np.ndarray | None:
    """The same in the first space of an adapter; None where nothing starts from nothing, or sizes are known.

    Algebraic unknowns have no start; those of a box that are all multipliers are solved for as the others are.
    """
    space, y = adapter.initial()
    if known is not None or all(np.any(y[c]) for c in range(len(y)) if c not in system.algebraic):
        return None
    if system.algebraic and not getattr(adapter.discretize(space), "plain", False):
        return None
    start, end = system.problem.time
    return foreseen(adapter.discretize(space), start, y, np.zeros_like(y), end - start, options)
