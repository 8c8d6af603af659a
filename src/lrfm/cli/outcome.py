# SPDX-License-Identifier: MIT
"""Solve, write, tell: what `demo` and `solve` have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lrfm.cli import show
from lrfm.cli.errors import GOOD, NOT_MET, SOLVED, Stopped
from lrfm.cli.watch import Watch

if TYPE_CHECKING:
    from lrfm.problem import Problem
    from lrfm.solution.report import Report
    from lrfm.solution.solution import Solution

GRIDS = {1: (201, 41), 2: (41, 11), 3: (17, 7)}  # points per axis, times, by dimension, for the true error
PLANNED = ("space", "collocation", "least_squares", "nonlinear", "blocks", "features", "estimate")
NUMBERS = (
    "status", "stopped", "tolerance", "error_estimate", "max_error_estimate", "indicators", "decided_by", "invariants", "growth", "residual", "features", "rows", "rank",
    "condition", "steps", "blocks", "seconds", "seed", "choices", "warnings", "parts", "version",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What is to be done with the solution."""

    out: Path | None = None
    plot: Path | None = None
    checkpoint: Path | None = None
    json: bool = False
    title: str = ""


def run(problem: Problem, options: Mapping[str, object], wishes: Wishes) -> None:
    """Solve, write the files, print the report, leave with the exit code."""
    expected = planned_seconds(problem, options)
    stage = "choosing settings" if expected is None else "solving"
    with Watch(stage, expected=expected, quiet=wishes.json) as watch:
        solution = _solve(problem, options, wishes, watch)
        files = {}
        if wishes.out:
            watch.say(f"writing {wishes.out}")
            files["solution"] = str(solution.save(wishes.out))
        complete = math.isfinite(solution.report.residual) and solution.block_edges[-1] >= problem.time[1]
        error = None
        if problem.reference is not None and complete:
            watch.say("comparing with the reference")
            error = true_error(solution)
        if wishes.plot and complete:
            watch.say(f"drawing {wishes.plot}")
            solution.plot(wishes.plot, error=problem.reference is not None)
            files["plot"] = str(wishes.plot)
    _tell(solution.report, error, files, wishes)
    if wishes.plot and not complete:
        show.note(f"No picture was drawn: the solution ends at t = {solution.block_edges[-1]:g}.")
    raise typer.Exit(SOLVED if solution.report.status in GOOD else NOT_MET)


def planned_seconds(problem: Problem, options: Mapping[str, object]) -> float | None:
    """A guess for the progress bar; None where the size is yet to be chosen."""
    from lrfm.solver.api import plan

    if "space" not in options:
        return None
    return plan(problem, **{name: value for name, value in options.items() if name in PLANNED}).seconds


def _solve(problem: Problem, options: Mapping[str, object], wishes: Wishes, watch: Watch) -> Solution:
    from lrfm.solver.api import solve

    try:
        return solve(problem, **options, strict=False, checkpoint=wishes.checkpoint, progress=watch)
    except KeyboardInterrupt:
        path = wishes.checkpoint
        if path and path.exists():
            raise Stopped(
                f"Interrupted. Finished blocks are in {path}; the same command goes on from there."
            ) from None
        hint = "; the first block was not finished, so there is nothing to resume." if path else "."
        raise Stopped(f"Interrupted, nothing was written{hint}") from None


def true_error(solution: Solution) -> float:
    """‖u − reference‖ / ‖reference‖ in L² over space and time, the worst of the unknowns, on a grid."""
    import numpy as np

    from lrfm.solution.plot.sampling import chosen_times, sample, sample_reference, space_points

    problem = solution.problem
    axis, times = GRIDS.get(problem.domain.dimension, (7, 5))
    grid = {**space_points(problem, axis, count=axis), "t": chosen_times(problem, times, count=times)}
    names = tuple(problem.reference) if isinstance(problem.reference, Mapping) else solution.unknowns[:1]
    found, exact = sample(solution, grid, names), sample_reference(solution, grid, names)
    norms = [(np.linalg.norm(found[name] - exact[name]), np.linalg.norm(exact[name])) for name in names]
    return max(float(gap / size) if size > 0 else float(gap) for gap, size in norms)


def _tell(report: Report, error: float | None, files: dict[str, str], wishes: Wishes) -> None:
    if wishes.json:
        content = {name: getattr(report, name) for name in NUMBERS}
        show.as_json({"problem": wishes.title, **content, "true_error": error, "files": files})
        return
    entries = report.lines()
    if error is not None:
        after = 1 + max(
            i for i, (name, _) in enumerate(entries) if name in ("status", "tolerance", "error estimate")
        )
        entries.insert(after, ("true error", f"{error:.1e} (relative L2, against the reference)"))
    entries += [(name, path) for name, path in files.items()]
    show.pairs(entries, wishes.title)
    if report.status not in GOOD:
        show.error(report.advice, heading="Not solved: ")
