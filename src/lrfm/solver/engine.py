# SPDX-License-Identifier: MIT
"""Windows in time: [t₀, t₁] is split, each window is solved afresh, traces are passed on (Paper, Algorithm 1).

    u_b(x, T_b) = u_{b−1}(x, T_b)   (and ∂ₜu for second order);   one window is the plain solve.

An integration knows an engine only by what it does: from a state make the state one window later. The state is all that the next window
depends on, so an integration that was broken off continues from it, bit for bit: every window has its own random stream.

Attempts are engines that are tried, one after the other, until the tolerance is met.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np

from lrfm.error.indicators import Scale
from lrfm.problem.errors import shown
from lrfm.rows.pieces import Piece
from lrfm.solution.report import WindowReport
from lrfm.solution.solution import Solution
from lrfm.solver.budget import Budget, Watch

MOST_BLOCKS = 100_000
FIRST, SECOND, COMPARE, RETUNE, HELD = range(5)  # purposes of independent random streams

State = TypeVar("State")


@dataclass(frozen=True)
class Integrated:
    """One draw of a solution, as far as it got: its pieces in time, and what the engine knows of them.

    Parameters
    ----------
    pieces, windows
        The solution, and a report on each window.
    complete
        Whether it reached the end.
    residual, growth
        Of the equations on fresh points, and the factors by which windows multiply errors (`lrfm.error.indicators`).
    effect
        What the equations make of this residual, relative to the solution, where it was too large to be left alone; infinity elsewhere.
    larger
        Whether it was made in a larger space than the draw it is compared with, because that one did not hold the equations.
    words
        What it was solved with, in words; where parts can be given to another solve, as they are typed in.
    undetermined, warnings
        Unknowns that the statement determines up to a constant at each time; what a user should know about the solution.
    parts
        These parts of each window, as objects.
    """

    pieces: Sequence[Piece]
    windows: Sequence[WindowReport]
    complete: bool
    residual: float
    growth: Sequence[float] = ()
    effect: float = math.inf
    larger: bool = False
    words: Mapping[str, str] = field(default_factory=dict)
    undetermined: Sequence[str] = ()
    warnings: Sequence[str] = ()
    parts: Sequence[object] = ()


class Engine(Protocol[State]):
    """Turns the state of an integration into the state one window later, and a state into a solution."""

    @property
    def name(self) -> str:
        """How the method is called in a report."""
        ...

    @property
    def scale(self) -> Scale:
        """What its numbers mean for the error."""
        ...

    def begin(self) -> State:
        """The state before the first window."""
        ...

    def finished(self, state: State) -> bool:
        """Whether the end of the time span is reached, or going on makes no sense."""
        ...

    def advance(self, state: State) -> State:
        """Solve the next window."""
        ...

    def begun(self, state: State) -> bool:
        """Whether there is anything after the start yet."""
        ...

    def done(self, state: State) -> tuple[int, int]:
        """How far it is: so many of so many."""
        ...

    def integrated(self, state: State) -> Integrated:
        """The solution so far."""
        ...

    def second(self, first: State, watch: Watch) -> Engine[State]:
        """The same integration with independent draws."""
        ...

    def fingerprint(self) -> dict[str, Any]:
        """What a kept state belongs to: it is of no use to another integration."""
        ...

    def added(self, before: State, after: State) -> dict[str, Any]:
        """What a file needs to come from one state to a later one."""
        ...

    def grown(self, before: State, added: Mapping[str, Any]) -> State:
        """The later state from the earlier one and what was added; ValueError where it cannot be."""
        ...

    def check(self, state: State) -> None:
        """Refuse a state read from a file that this integration could not go on from (ValueError)."""
        ...


def block_edges(time: tuple[float, float], blocks: int | Sequence[float]) -> np.ndarray:
    """Edges of equal windows, or given inner edges.

    >>> block_edges((0.0, 1.0), 4)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    start, end = time
    if isinstance(blocks, int | np.integer) and not isinstance(blocks, bool):
        if not 1 <= blocks <= MOST_BLOCKS:
            raise ValueError(f"`blocks={shown(blocks)}` must be at least 1, and at most {MOST_BLOCKS}.")
        return np.linspace(start, end, int(blocks) + 1)
    if isinstance(blocks, Sized) and len(blocks) > MOST_BLOCKS:
        raise ValueError(f"`blocks` has {len(blocks)} times; at most {MOST_BLOCKS} are solved.")
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


DEFAULT_TOL = 1e-6


class Attempt(Protocol):
    """An engine ready to integrate, and in words how it was chosen."""

    @property
    def choice(self) -> object:
        """The settings that were searched for it; None where nothing was."""
        ...

    @property
    def asked(self) -> Mapping[str, Any]:
        """What the search was asked for."""
        ...

    def engine(self, watch: Watch) -> Engine[Any]:
        """The engine of the first draw; `watch` looks at the clock."""
        ...

    def check_memory(self, limit: str | int | None, estimate: bool) -> None:
        """Refuse what does not fit."""
        ...

    def words(self, seconds: float) -> tuple[str, ...]:
        """How it was chosen, after a solve of so many seconds."""
        ...


@dataclass(frozen=True)
class Wanted:
    """What attempts in any space are asked for: a tolerance within limits, whether two solves are compared, and whether the space was asked for by name."""

    tol: float
    budget: Budget
    estimate: bool = True
    asked: bool = False


class Attempts(Protocol):
    """A series of attempts that learns from each of them."""

    @property
    def tol(self) -> float | None:
        """The tolerance that an estimate must reach; None: whatever the size gives."""
        ...

    def __iter__(self) -> Iterator[Attempt]: ...

    def enough(self, solution: Solution) -> bool:
        """Whether nothing better is to be tried."""
        ...

    def learn(self, solution: Solution) -> None:
        """Take note of an attempt that was not enough."""
        ...

    @property
    def stopped(self) -> str:
        """The limit that ended the series before the tolerance was met; empty where none did."""
        ...


def better(new: Solution, old: Solution | None) -> bool:
    """Whether an estimate is smaller, or is one at all."""
    if old is None:
        return True
    ours, theirs = new.report.error_estimate, old.report.error_estimate
    return not math.isnan(ours) and not theirs <= ours
