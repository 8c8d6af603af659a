# SPDX-License-Identifier: MIT
"""Windows in time: [t₀, t₁] is split, each window is solved afresh, traces are passed on (Paper, Algorithm 1).

    u_b(x, T_b) = u_{b−1}(x, T_b)   (and ∂ₜu for second order);   one window is the plain solve.

A march knows an engine only by what it does: from a state make the state one window later. The state is all that the next window
depends on, so a march that was broken off continues from it, bit for bit: every window has its own random stream.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import numpy as np

FIRST, SECOND, COMPARE, RETUNE, HELD = range(5)  # purposes of independent random streams

State = TypeVar("State")


class Engine(Protocol[State]):
    """Turns the state of a march into the state one window later."""

    def finished(self, state: State) -> bool:
        """Whether the end of the time span is reached, or going on makes no sense."""
        ...

    def advance(self, state: State) -> State:
        """Solve the next window."""
        ...


def march(engine: Engine[State], state: State, after: Callable[[State], None] | None = None) -> State:
    """Window after window until the engine has finished; `after` is called with every new state.

    Parameters
    ----------
    engine
        What solves a window.
    state
        Where to begin: a fresh one, or one that was kept by an earlier march.
    after
        Called with the state after each window.

    Returns
    -------
    The last state.
    """
    while not engine.finished(state):
        state = engine.advance(state)
        if after:
            after(state)
    return state


def block_edges(time: tuple[float, float], blocks: int | Sequence[float]) -> np.ndarray:
    """Edges of equal windows, or given inner edges.

    >>> block_edges((0.0, 1.0), 4)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    start, end = time
    if isinstance(blocks, int | np.integer) and not isinstance(blocks, bool):
        if blocks < 1:
            raise ValueError(f"`blocks={blocks}` must be at least 1.")
        return np.linspace(start, end, int(blocks) + 1)
    try:
        edges = np.concatenate([[start], np.asarray(blocks, dtype=float), [end]])
    except (TypeError, ValueError):  # no numbers, or not one after another
        edges = np.array([np.nan])
    if len(edges) < 2 or not np.all(np.diff(edges) > 0):
        raise ValueError(
            f"`blocks={blocks!r}` must be a number of blocks or increasing times strictly between "
            f"{start:g} and {end:g}."
        )
    return edges


def block_rng(seed: int, number: int, purpose: int = FIRST) -> np.random.Generator:
    """The random stream of one window and purpose; it does not depend on what other windows drew."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(purpose, number)))
