# SPDX-License-Identifier: MIT
"""A question of the trial, its answer, and how far it is from a reference.

A case is a function that returns two others: `ask()` is what the user writes, and `check(answer)` returns the true error and the claimed one, in the
norm of the claim: relative L² over space and time for solutions, relative for numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.sparse import csr_matrix

Check = Callable[[Any], tuple[float, float]]


@dataclass(frozen=True)
class Case:
    """`state` returns (ask, check); `field` and `kind` are the columns of the table."""

    name: str
    field: str
    kind: str
    title: str
    state: Callable[[], tuple[Callable[[], Any], Check]]


CASES: dict[str, Case] = {}


def case(field: str, kind: str, title: str):
    """Register a case under the name of its function."""

    def add(state):
        name = state.__name__.replace("_", "-")
        CASES[name] = Case(name, field, kind, title, state)
        return state

    return add


def distance(found: np.ndarray, exact: np.ndarray, norm: int = 2, weights: np.ndarray | float = 1.0) -> float:
    """‖found − exact‖ / ‖exact‖ over all entries, in L² or L¹; `weights` are those of a rule."""
    gap, size = np.abs(found - exact) ** norm, np.abs(exact) ** norm
    return float((np.sum(weights * gap) / np.sum(weights * size)) ** (1 / norm))


def worst(pairs: Sequence[tuple[np.ndarray, np.ndarray]], norm: int = 2) -> float:
    """The largest distance among several unknowns, each by its own size, as a claim is."""
    return max(distance(found, exact, norm) for found, exact in pairs)


def integrate(
    rate,
    start: np.ndarray,
    times: np.ndarray,
    *,
    width: int | None = None,
    rtol: float = 1e-9,
    method: str = "BDF",
):
    """y′ = rate(t, y) at the times, by SciPy; `width`, half the band of the matrix, makes it sparse."""
    pattern = None
    if width is not None:
        n = start.size
        rows = np.repeat(np.arange(n), 2 * width + 1)
        columns = rows + np.tile(np.arange(-width, width + 1), n)
        inside = (columns >= 0) & (columns < n)
        pattern = csr_matrix((np.ones(inside.sum()), (rows[inside], columns[inside])), shape=(n, n))
    given = {} if pattern is None else {"jac_sparsity": pattern}
    done = solve_ivp(
        rate, (times[0], times[-1]), start, method=method, t_eval=times, rtol=rtol, atol=rtol * 1e-2, **given
    )
    if not done.success:
        raise RuntimeError(done.message)
    return done.y


def richardson(coarse: np.ndarray, fine: np.ndarray, order: int = 2) -> tuple[np.ndarray, float]:
    """fine + (fine − coarse)/(2^p − 1) of a reference on cells of half the width, and the relative distance of the two."""
    return fine + (fine - coarse) / (2**order - 1), distance(coarse, fine)
