# SPDX-License-Identifier: MIT
"""One window in time: sample features and points, assemble, iterate, and look at the residual on fresh points.

This is the body of the loop of the paper's Algorithm 1.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lrfm.linalg.threads import suited_to
from lrfm.problem import Jet, Problem
from lrfm.rows.pieces import Piece
from lrfm.rows.placing import inside_points
from lrfm.solution.report import WindowReport
from lrfm.spacetime.features import SampledSpace, Space, TrialSpace
from lrfm.spacetime.windows.assembly import System
from lrfm.spacetime.windows.collocation import Points
from lrfm.spacetime.windows.expansion import Expansion
from lrfm.spacetime.windows.groups import (
    Condition,
    RowGroup,
    boundary_groups,
    end_rows,
    part_groups,
    periodic_match,
)
from lrfm.spacetime.windows.held_out import held_out
from lrfm.spacetime.windows.nonlinear import Model, Outcome, Step
from lrfm.spacetime.windows.parts import Parts
from lrfm.spacetime.windows.shares import DistributedSystem, make_system

Data = Callable[[Jet, np.ndarray], np.ndarray]
SEEN = 60  # points per patch by which it is seen whether it meets the domain
FRESH = 400  # points on which a residual is seen
PROBES = 256  # points at which an update of u is measured
GUESS, LOCAL_GUESS = 200, 40  # functions that are enough for a first guess, in all and per patch


class Guess(Protocol):
    """Anything that can be evaluated like a window's expansion."""

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]: ...


@dataclass(frozen=True)
class Solved:
    """A window's expansion and its report."""

    expansion: Expansion
    report: WindowReport


def solve_window(
    problem: Problem,
    parts: Parts,
    window: tuple[float, float],
    previous: Piece | None,
    rng: np.random.Generator,
    start: Guess | None = None,
    notify: Callable[[int, Step], None] | None = None,
    fresh: int = FRESH,
) -> Solved:
    """Solve one window; its initial data are the problem's, or the end of the previous window.

    `start` is a guess of the solution for the nonlinear iteration; without it the initial data held constant in time. `fresh` is the
    number of points on which the residual is seen.
    """
    space = sample_space(problem, parts.space, window, rng)
    with suited_to(space.size * len(problem.fields)):
        return _solve_window(problem, parts, window, previous, space, rng, start, notify, fresh)


def _solve_window(
    problem: Problem,
    parts: Parts,
    window: tuple[float, float],
    previous: Piece | None,
    space: SampledSpace,
    rng: np.random.Generator,
    start: Guess | None,
    notify: Callable[[int, Step], None] | None,
    fresh: int,
) -> Solved:
    began = time.perf_counter()
    points = parts.collocation.place(problem.domain, window, rng)
    initial = initial_values(problem, previous)
    spaces = dict.fromkeys(problem.fields, space)
    system = build_system(problem, parts, spaces, points, window, initial)
    outcome = _iterate(problem, parts, system, points, initial, start, notify)
    expansion = Expansion.from_vector(window, spaces, outcome.coefficients)
    unseen = periodic_blocks(problem, parts)
    held = held_out(problem, expansion, initial, parts.collocation, rng, unseen, fresh)
    report = WindowReport(
        window=window,
        rows=system.shape[0],
        columns=system.shape[1],
        rank=outcome.fit.rank,
        condition=outcome.fit.condition,
        updates=tuple(s.update for s in outcome.steps),
        converged=outcome.converged,
        reason=outcome.reason,
        fit_residual=outcome.steps[-1].residual,
        residual=held,
        residual_by_group=system.residual_by_group(outcome.coefficients),
        seconds=time.perf_counter() - began,
        factorizations=sum(not step.chord for step in outcome.steps),
    )
    return Solved(expansion, report)


def sample_space(
    problem: Problem, space: TrialSpace, window: tuple[float, float], rng: np.random.Generator
) -> SampledSpace:
    """Draw the trial space of one window."""
    box = problem.domain
    periodic = tuple(name in problem.periodic for name in box.names)
    drawn = space.sample(box.names, box.lower, box.upper, periodic, window, rng)
    if box.is_box or not isinstance(drawn, Space) or len(drawn.patches) == 1:
        return drawn
    # A patch outside of the domain would be columns without rows.
    return drawn.meeting(inside_points(box, window, SEEN * len(drawn.patches)))


def needs_periodic_rows(parts: Parts) -> bool:
    """Whether the trial space leaves periodicity to rows (the paper's way)."""
    return parts.space.needs_periodic_rows


def periodic_blocks(problem: Problem, parts: Parts) -> list[tuple]:
    """(row, axis) of every matching condition, where the trial space needs them."""
    if not needs_periodic_rows(parts):
        return []
    names = problem.domain.names
    axes = [i for i, name in enumerate(names) if name in problem.periodic]
    return [(row, axis) for axis in axes for row in periodic_match(problem, axis, (*names, "t"))]


def initial_values(problem: Problem, previous: Piece | None) -> Data:
    """∂ₜᵏu at the start of a window: given data, or the trace of the window before."""
    if previous is not None:
        return lambda jet, points: previous.values([jet], points)[jet]

    def given(jet: Jet, points: np.ndarray) -> np.ndarray:
        name = jet.field.partition(".")[0]
        return problem.initial_data[name, jet.index[-1]].part(points, jet.field)

    return given


def row_blocks(problem: Problem, parts: Parts, points: Points, length: float) -> list[RowGroup]:
    """Equations and boundary conditions of a window of this length, in a fixed order."""
    collocation, count, blocks = parts.collocation, len(points.interior), []
    for row in problem.rows:
        unit = length ** max(j.index[-1] for j in row.jets) if collocation.window_units else 1.0
        blocks.append(RowGroup(row.label, row, points.interior, unit * points.interior_weight))
    if not problem.domain.is_box:
        # One weight for all parts, since their points have one density; that of a box with as many points.
        each = sum(map(len, points.parts.values())) / (2 * problem.domain.dimension)
        return blocks + part_groups(
            problem, points.parts, collocation.boundary_weight * np.sqrt(count / max(each, 1.0))
        )
    weights = [collocation.boundary_weight * np.sqrt(count / len(lower)) for lower, _ in points.pairs]
    return blocks + boundary_groups(problem, points.pairs, weights, needs_periodic_rows(parts))


def build_system(
    problem: Problem,
    parts: Parts,
    spaces: dict[str, SampledSpace],
    points: Points,
    window: tuple[float, float],
    initial: Data,
) -> System | DistributedSystem:
    """All rows of one window with the paper's block weights and the scalars of `Collocation`."""
    collocation, length = parts.collocation, window[1] - window[0]
    blocks = row_blocks(problem, parts, points, length)
    count = len(points.interior)
    weight = collocation.initial_weight * np.sqrt(count / len(points.initial))
    conditions = [
        Condition(
            f"`initial` of `{jet.field}`" + (f", time derivative {jet.index[-1]}" if jet.index[-1] else ""),
            jet,
            points.initial,
            initial(jet, points.initial),
            # ∂ₜᵏu is measured in windows, so that a short window does not drown it in the rows for u.
            weight * length ** jet.index[-1],
        )
        for jet in problem.initial_jets
    ]
    if not problem.forward:
        closing, more = end_rows(problem, points.initial, window, weight)
        blocks, conditions = [*blocks, *closing], [*conditions, *more]
    return make_system(parts.least_squares, spaces, blocks, conditions, parts.backend)


def _iterate(
    problem: Problem,
    parts: Parts,
    system: System | DistributedSystem,
    points: Points,
    initial: Data,
    start: Guess | None,
    notify: Callable[[int, Step], None] | None,
) -> Outcome:
    jets = problem.value_jets
    count = len(points.interior)
    probes = points.interior[np.linspace(0, count - 1, min(count, PROBES)).round().astype(int)]
    seen = System(
        system.spaces, [], [Condition("probe", j, probes, np.zeros(len(probes))) for j in jets]
    ).matrix
    model = Model(
        linearize=system.linearize,
        residual=system.residual,
        values=lambda c: seen @ c,
        solve=lambda A, b: parts.least_squares.solve(A, b, system.rows_of),
        linear=system.linear,
    )
    c = (
        np.zeros(system.shape[1])
        if system.linear
        else _guess(problem, parts, system, points, initial, start, jets)
    )
    return parts.nonlinear.run(model, c, notify)


def _guess(
    problem: Problem,
    parts: Parts,
    system: System | DistributedSystem,
    points: Points,
    initial: Data,
    start: Guess | None,
    jets: Sequence[Jet],
) -> np.ndarray:
    """Coefficients of the first iterate, fitted to its values: u₀ held constant in t, or a given solution.

    A fraction of the functions is enough for a guess, and costs its third power.
    """
    c = np.zeros(system.shape[1])
    frozen = points.interior.copy()
    frozen[:, -1] = points.initial[0, -1]
    known = {jet.field for jet in problem.initial_jets if not jet.index[-1]}
    for field in problem.fields:
        jet = next(j for j in jets if j.field == field)
        if start is None and field not in known:
            continue
        whole = system.spaces[field]
        patches = len(whole.by_patch())
        space, columns = whole.tail(max(GUESS // patches, LOCAL_GUESS, whole.size // (4 * patches)))
        # Somewhat more rows than columns are enough, too.
        count = len(points.interior)
        enough = count >= 1.2 * space.size
        wanted = min(count, max(int(1.6 * space.size), 1)) if enough else count
        take = np.linspace(0, count - 1, wanted).round().astype(int)
        more = [] if enough else [points.initial]
        where, at = (np.vstack([p[take], *more]) for p in (points.interior, frozen))
        target = start.values([jet], where)[jet] if start is not None else initial(jet, at)
        if len(where) >= space.size:
            condition = Condition("the first guess", jet, where, target)
            fit = make_system(parts.least_squares, {field: space}, [], [condition], parts.backend)
            J, b = fit.linearize(np.zeros(space.size))
            found = parts.least_squares.solve(J, b, fit.rows_of).coefficients
            c[system.columns[field].start + columns] = found
    return c
