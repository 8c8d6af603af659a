# SPDX-License-Identifier: MIT
"""What `lrfm.SpaceTime` asks of its engine: checks, attempts, a plan, an operator with parts by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lrfm.problem import Jet, Problem
from lrfm.problem.errors import shown
from lrfm.solution.solution import Solution
from lrfm.solver.budget import Plan, check_memory
from lrfm.solver.engine import DEFAULT_TOL, block_edges
from lrfm.solver.methods import SpaceTime
from lrfm.solver.run import Run
from lrfm.spacetime.attempts import ChosenAttempts, GivenAttempt
from lrfm.spacetime.least_squares import backends
from lrfm.spacetime.operators import Operator
from lrfm.spacetime.planning import make_plan
from lrfm.spacetime.search import Choice, choose_parts
from lrfm.spacetime.windows.parts import Parts

MOST_FEATURES = 10_000_000_000


def check(given: SpaceTime) -> None:
    """Refuse a size that is none, and parts that are not what their name says, before anything is drawn."""
    features, parts = given.features, given.parts
    backends.backend(given.backend)
    if given.space is not None and features is not None:
        raise ValueError(
            "Both `space` and `features` were given; `features` is for the automatic choice. Drop one."
        )
    if features is not None and not (
        isinstance(features, int | np.integer) and 4 <= features <= MOST_FEATURES
    ):
        raise ValueError(
            f"`features={shown(features)}` must be a whole number of at least 4, and at most {MOST_FEATURES}."
        )
    kinds = {
        "space": ("sample", "a trial space such as `lrfm.Liquid(features=400)`"),
        "collocation": ("place", "`lrfm.Collocation(...)`"),
        "least_squares": (
            "solve",
            "`lrfm.QR()`, `lrfm.LSQR()`, `lrfm.TruncatedSVD()` or `lrfm.Distributed()`",
        ),
        "nonlinear": ("run", "`lrfm.Newton()` or `lrfm.Picard()`"),
    }
    for name, (method, expected) in kinds.items():
        part = parts[name]
        if part is not None and (isinstance(part, type) or not callable(getattr(part, method, None))):
            raise TypeError(f"`{name}={part!r}` is not usable as such; expected {expected}.")


def attempts(
    given: SpaceTime, run: Run, tol: float | None, start: Solution | None
) -> GivenAttempt | ChosenAttempts:
    """The attempts in space and time: one with the parts given by hand, or a search for the settings."""
    where, features = backends.backend(given.backend), given.features
    blocks = one_window(run.problem, given.blocks)
    guess = None if start is None else _Guess(start)
    if given.space is not None:
        edges = block_edges(run.problem.time, 1 if blocks is None else blocks)
        chosen = replace(parts_by_hand(run.problem, edges, given), backend=where)
        return GivenAttempt(run.problem, edges, chosen, run.seed, guess, tol)
    tol = DEFAULT_TOL if tol is None and features is None else tol
    parts = {k: v for k, v in given.parts.items() if v is not None} | {"backend": where}
    _check_size(run, features, blocks)
    made = ChosenAttempts(
        run.problem, tol, features, blocks, parts, run.seed, run.budget, run.estimate, guess, run.tell_pilot
    )
    kept = [] if run.file is None else run.file.choices(made.asked)
    made.kept = [choice for choice in kept if isinstance(choice, Choice)]
    return made


def _check_size(run: Run, features: int | None, blocks: int | Sequence[float] | None) -> None:
    """Refuse a fixed size that does not fit into memory before pilots are solved for it."""
    if features is not None:
        edges = block_edges(run.problem.time, 1 if blocks is None else blocks)
        parts = choose_parts(run.problem, float(np.min(np.diff(edges))), {}, features)
        check_memory(make_plan(run.problem, parts, 1, run.estimate), run.max_memory)


def one_window(problem: Problem, blocks: Any) -> Any:
    """How many windows: one where something is given at the end, since its rows have to see all of time."""
    if problem.forward:
        return blocks
    if blocks not in (None, 1):
        raise ValueError(
            f"`blocks={blocks!r}` was given, but data at the end, or a period, tie all times together; leave `blocks` out."
        )
    return 1


def parts_by_hand(problem: Problem, edges: np.ndarray, given: SpaceTime) -> Parts:
    """Parts by hand, with defaults for what was left out."""
    features = None if given.space is not None else given.features
    return choose_parts(problem, float(np.min(np.diff(edges))), given.parts, features)


def plan(given: SpaceTime, problem: Problem, estimate: bool) -> Plan:
    """Rows, columns, bytes and seconds of a solve."""
    edges = block_edges(problem.time, 1 if given.blocks is None else given.blocks)
    return make_plan(problem, parts_by_hand(problem, edges, given), len(edges) - 1, estimate)


def operator(given: SpaceTime, problem: Problem, seed: int, max_memory: str | int | None) -> Operator:
    """The operator of a linear problem with the parts given by hand; nothing is solved before data are given."""
    edges = block_edges(problem.time, 1 if given.blocks is None else given.blocks)
    parts = parts_by_hand(problem, edges, given)
    check_memory(make_plan(problem, parts, 1, False), max_memory)
    parts = replace(parts, backend=backends.backend(given.backend))
    return Operator(problem, edges, [parts] * (len(edges) - 1), seed)


@dataclass(frozen=True)
class _Guess:
    """A whole solution in the place of a window's expansion."""

    solution: Solution

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        return self.solution.jets(jets, points)
