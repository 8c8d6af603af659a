# SPDX-License-Identifier: MIT
"""Blocks in time: [t₀, t₁] is split, each block is solved afresh, traces are passed on (Paper, Algorithm 1).

    u_b(x, T_b) = u_{b−1}(x, T_b)   (and ∂ₜu for second order);   B = 1 is the plain solve.

This room sees a `solve_block` callable. Every block has its own random stream derived from (seed, block), so
a march that was broken off continues bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

Piece = TypeVar("Piece")


def block_edges(time: tuple[float, float], blocks: int | Sequence[float]) -> np.ndarray:
    """Edges of equal blocks, or given inner edges."""
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


def block_rng(seed: int, block: int, purpose: int = 0) -> np.random.Generator:
    """The random stream of one block; it does not depend on what other blocks drew."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(purpose, block)))


def march(
    solve_block: Callable[[int, tuple[float, float], Piece | None], Piece],
    edges: np.ndarray,
    done: Sequence[Piece] = (),
    after: Callable[[list[Piece]], None] | None = None,
    stop: Callable[[Piece], bool] | None = None,
) -> list[Piece]:
    """Solve block after block; `done`: blocks of an earlier march, `after`: called with all blocks so far."""
    pieces = list(done)
    for number in range(len(pieces), len(edges) - 1):
        previous = pieces[-1] if pieces else None
        piece = solve_block(number, (float(edges[number]), float(edges[number + 1])), previous)
        pieces.append(piece)
        if after:
            after(pieces)
        if stop and stop(piece):
            break
    return pieces
