# SPDX-License-Identifier: MIT
"""`lrfm.prepare`: a problem as a function of its numbers and data, which keeps what can be kept from call to call.

Every call makes two solves and compares them, as `lrfm.solve` does. What is kept is how they are found: formulas that were read, cells and steps that served, matrices, values
of earlier calls. Where two solves with these do not agree to the tolerance, both are made anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lrfm.adapt.cells import CellAdapter
from lrfm.adapt.given import Given
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.line.collocation import CellCollocation
from lrfm.discretize.options import KEPT, SAFEGUARDS, Options
from lrfm.integrate.follow.kept import Kept
from lrfm.integrate.follow.replay import Grid, merged_edges
from lrfm.integrate.prepare import integrator_for
from lrfm.integrate.schemes.tableaus import radau
from lrfm.integrate.state import Step
from lrfm.linalg.deadline import deadline
from lrfm.linalg.threads import one_thread
from lrfm.problem import Box, Jet, Problem, ProblemError
from lrfm.problem.calls import naming
from lrfm.problem.template import Template
from lrfm.rows.pieces import OnGrids
from lrfm.solution.solution import Solution
from lrfm.solver import budget as clock
from lrfm.solver.api import solved
from lrfm.solver.arguments import check_budget, check_problem, check_progress, refuse_ill_posed
from lrfm.solver.attempts import IntegrationAttempt
from lrfm.solver.budget import Budget
from lrfm.solver.engine import DEFAULT_TOL, Attempt
from lrfm.solver.entry import entry
from lrfm.solver.formulations.cells import CellFormulation
from lrfm.solver.integration import Integration, IntegrationState
from lrfm.solver.methods import MAX_FEATURES, Method, method_of
from lrfm.solver.run import Progress, Run
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.reference import nodes, table

SERVED = ("cells and steps of an earlier call",)


@dataclass(frozen=True)
class _Once:
    """One attempt, on what is kept."""

    attempt: Attempt
    tol: float
    stopped: str = ""

    def __iter__(self) -> Iterator[Attempt]:
        yield self.attempt

    def enough(self, solution: Solution) -> bool:
        return True

    def learn(self, solution: Solution) -> None:
        return None


@naming
class Prepared:
    """u of a statement as a function of its numbers and its initial data; made by `lrfm.prepare`.

    Attributes
    ----------
    problem, tol
        The statement, and the tolerance of every call.
    names
        The numbers that it can be called with.
    calls, adaptive
        How often it was called, and how often cells and steps had to be found anew for that.
    """

    def __init__(self, problem: Problem, tol: float, method: Method, seed: int, max_seconds: float | None):
        self.problem, self.tol = problem, tol
        self._template, self._method, self._seed, self._seconds = Template(problem), method, seed, max_seconds
        self._kept: dict[Options, Kept] = {}
        self._inner = tol, 0  # tolerance and rules of the first of two solves
        self.calls = self.adaptive = 0

    @property
    def names(self) -> tuple[str, ...]:
        return self._template.names

    def explore(self, what: str | None = None, **ranges: tuple[float, float]) -> Any:
        """In a notebook: u(·, t) with sliders for the time and for each number, between the ends that are given or a quarter and four times of the statement's (needs ``lrfm[notebook]``)."""
        from lrfm.solution.plot.widgets import Explorer, span

        values = self._template.values({name: float(ends[0]) for name, ends in ranges.items()})
        at = {name: self._template.values({})[name] for name in values}
        return Explorer(self, {name: span(value, ranges.get(name)) for name, value in at.items()}, what).box

    @one_thread
    def __call__(
        self,
        *,
        initial: object = None,
        strict: bool = True,
        progress: Progress | None = None,
        **parameters: float,
    ) -> Solution:
        """The solution with other numbers, those that are not given as in the statement, and with other data where `initial` is given."""
        check_progress(progress)
        began = clock.now()
        values = self._template.values(parameters)
        problem = self._template.at(values)
        if initial is not None:
            problem = problem.replace(initial=initial, reference=None)
        elif problem is self.problem and self._template.fixed:
            problem = problem.restated(alike=problem)
        limit = Budget(MAX_FEATURES, np.inf if self._seconds is None else self._seconds, began)
        run = Run(problem, self._seed, True, None, None, progress, limit)
        self.calls += 1
        at = np.array([*values.values()])
        solution = self._on_kept(run, at, initial is None) if self._kept else None
        if run.halted and solution is not None:
            return solution
        missed = any(kept.missed for kept in self._kept.values())
        if solution is None:
            run = replace(run, first=None, drawn=None)
            solution = solved(run, self._method, self.tol, None, strict)
        if missed or not self._kept:
            self.adaptive += 1
            if not solution.report.failed:
                self._learn(run, at if initial is None else None)
        return solution

    def _on_kept(self, run: Run, at: np.ndarray, named: bool) -> Solution | None:
        """Two solves on kept cells and steps; None where they do not come to the tolerance."""
        refuse_ill_posed(run.problem)
        try:
            system = EvolutionSystem(run.problem)
            watched = run.progress is not None
            form = CellFormulation(
                system, Given(system), kept=self._kept, at=at, named=named, watched=watched
            )
            inner, rules = self._inner
            attempt = IntegrationAttempt(form, inner, SERVED, comparison=rules)
            with deadline(run.check, lambda: run.budget.left):
                solution = run.best_of(_Once(attempt, self.tol), self.tol)
        except (Unsuited, np.linalg.LinAlgError):
            return None
        if run.halted or not solution.report.failed:
            return solution
        for kept in self._kept.values():
            kept.missed = True
        return None

    def _learn(self, run: Run, at: np.ndarray | None) -> None:
        """Keep the cells and steps of both solves, so that they serve this call and earlier ones; `at` are the parameters, None with other data."""
        found = run.first
        if found is None or run.drawn is None:
            return
        attempt, engine, _ = found
        second, state = run.reached
        if not isinstance(attempt, IntegrationAttempt) or not isinstance(attempt.form, CellFormulation):
            return
        if attempt.beside is not None:  # what is kept serves both solves, with the same functions
            return
        if second is engine or state.stopped or run.drawn.stopped:
            return
        assert isinstance(engine, Integration)
        assert isinstance(second, Integration)
        before, self._kept = self._kept, {}
        for own, steps in ((engine, run.drawn), (second, state)):
            kept = _kept(
                attempt.form,
                own,
                steps,
                before.get(own.options.whatever_begun),
                Given(EvolutionSystem(self.problem)),
            )
            if kept is None:
                self._kept = {}
                return
            if at is not None and not (kept.runs and np.array_equal(kept.runs[-1][0], at)):
                kept.learn(at, kept.guess)
            self._kept[own.options.whatever_begun] = kept
        self._inner = engine.tol, engine.comparison

    def __repr__(self) -> str:
        names = ", ".join(f"{name}=" for name in self.names)
        return f"Prepared({self.problem!r}, tol={self.tol:g}; call it with {names or 'no numbers'})"


def _kept(
    form: CellFormulation, engine: Integration, state: IntegrationState, before: Kept | None, given: Given
) -> Kept | None:
    """The cells and steps of a solve, with those that have served others; None where steps cannot be made all at once.

    `given` are the data of the prepared statement, which this solve need not have had.
    """
    system, steps, options = engine.system, state.steps[: state.count], engine.options
    problem = system.original
    plain = not (system.links or system.algebraic or system.flat or system.motion or problem.ordinary)
    plain &= isinstance(problem.domain, Box) and len(steps[0].rates) == options.stages
    if not plain or getattr(system, "frame", None) is not None or state.state is None:
        return None
    made = integrator_for(system, options, None, form.given)
    adapter = made.adapter
    assert isinstance(adapter, CellAdapter)
    meshes = list({id(step.mesh): step.mesh for step in steps}.values())
    mesh, edges = Mesh.common(meshes), np.array([*(s.time for s in steps), problem.time[1]])
    if before is not None and np.array_equal(before.grid.made.mesh.roots, mesh.roots):
        both = Mesh.common([mesh, before.grid.made.mesh])
        merged = merged_edges([edges, before.grid.edges], made.given.times)
        # Cells and steps that serve several solves: at most twice as many as the last one needs.
        if both.size <= 2 * mesh.size and len(merged) <= 2 * len(edges):
            mesh, edges = both, merged
        if mesh.size == before.grid.made.mesh.size and np.array_equal(edges, before.grid.edges):
            guess = _on_grid(form, steps, before.grid, adapter.layout.size)
            return replace(before, guess=guess, missed=False)  # it has served this one, too
    layout = adapter.layout
    space = CellCollocation(layout, mesh)
    if len(space.rows) * len(edges) * options.stages > SAFEGUARDS.numbers:
        return None
    grid = Grid(space, edges, radau(options.stages))
    start = CellAdapter(layout, given, options).on_cells(mesh)
    sizes = np.sqrt(state.state.squares / (problem.time[1] - problem.time[0]))
    sizes = np.maximum(sizes, options.smallest * np.max(sizes))
    guess = _on_grid(form, steps, grid, layout.size)
    budget = max(options.space_share * options.tol, options.floor)
    own = adapter.connected(mesh, np.empty(0))
    tails = adapter.tails(space, grid.starts(own, guess)[1:], sizes)
    kept = Kept(grid, guess, start, sizes, max(float(np.max(tails)), budget))
    if before is not None and before.start is not None and start is not None:
        for parameters, rates in before.runs[-KEPT.recent :]:
            kept.runs.append((parameters, _on_grid(form, before.steps(rates), grid, layout.size)))
    return kept


def _on_grid(form: CellFormulation, steps: Sequence[Step], grid: Grid, size: int) -> np.ndarray:
    """The rates of some steps at the stages of others, on finer cells: (steps, stages, components, cells, size)."""
    points, weights = nodes(size, 0)
    mesh = grid.made.mesh
    jets = [Jet(field, (0, 1)) for field in form.system.fields]
    piece = form.piece(steps)
    assert isinstance(piece, OnGrids)
    found = piece.on_grid(jets, [mesh.places(points).ravel()], grid.times.ravel())
    values = np.stack([found[jet] for jet in jets], axis=1).reshape(
        *grid.times.shape, len(jets), mesh.size, size
    )
    return (values * weights) @ table(points, size)


@entry()
def prepare(
    problem: Problem,
    *,
    tol: float | None = None,
    method: str | Method = "auto",
    seed: int = 0,
    max_seconds: float | None = 120.0,
) -> Prepared:
    """The statement as a function of its numbers, for loops: sweeps, fits, sliders.

    What can be kept from one call to the next is kept: what was read, cells and steps, matrices, values. Each call makes two solves and compares them, and has an
    estimate of its own; where what is kept does not serve it, it takes as long as `lrfm.solve`.

    Parameters
    ----------
    problem
        The statement; numbers that will change are in its `parameters`.
    tol
        Relative L² error of each call; 1e-6 where it is not given.
    method, seed, max_seconds
        As in `lrfm.solve`; seconds are those of one call.

    Returns
    -------
    Prepared
        Call it with numbers by name, and with `initial` for other data.

    Examples
    --------
    >>> import lrfm
    >>> heat = lrfm.Problem(
    ...     "u_t = D*u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0", parameters={"D": 1.0}
    ... )
    >>> at = lrfm.prepare(heat, tol=1e-6)
    >>> [round(float(at(D=D)(x=0.5, t=0.1)), 4) for D in (0.9, 1.0, 1.1)]
    [0.4114, 0.3727, 0.3377]
    """
    check_problem(problem, tol, seed)
    check_budget(MAX_FEATURES, max_seconds, tol, True)
    if problem.steady:
        raise ProblemError("The problem is steady, and has no steps that could be kept; use `lrfm.steady`.")
    return Prepared(problem, tol or DEFAULT_TOL, method_of(method), int(seed), max_seconds)
