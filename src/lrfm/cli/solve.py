# SPDX-License-Identifier: MIT
"""The command `solve`, and what it has in common with `demo`: solve, write, tell."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lrfm.cli import show
from lrfm.cli.arguments import (
    PICTURES,
    Blocks,
    Features,
    Force,
    Json,
    MaxFeatures,
    MaxMemory,
    MaxSeconds,
    Method,
    Out,
    Plot,
    Settings,
    ShowDetails,
    StatementFile,
    Tolerance,
    check_writable,
    merge_options,
    read_file,
    title_of,
)
from lrfm.cli.errors import NOT_MET, SOLVED, Stopped
from lrfm.cli.processes import Linear, together
from lrfm.cli.progress import ProgressBar

if TYPE_CHECKING:
    from lrfm.problem import Problem
    from lrfm.solution.solution import Solution
    from lrfm.solver.options import Options

GRIDS = {1: (201, 41), 2: (41, 11), 3: (17, 7)}  # points per axis, times, by dimension, for the true error
PLANNED = ("tol", "method", "estimate", "max_seconds")
TOLD = (
    "status", "reason", "method", "stopped", "tolerance", "error_estimate", "max_error_estimate", "worst", "indicators", "decided_by",
    "invariants", "residual", "seconds", "seed", "choices", "warnings", "parts", "engine", "version",
)  # fmt: skip


@together
def solve(
    file: StatementFile,
    tol: Tolerance = None,
    method: Method = None,
    linear: Linear = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Fixes every random draw.")] = None,
    features: Features = None,
    blocks: Blocks = None,
    backend: Annotated[
        str | None,
        typer.Option(help="In space and time: where matrices are computed: numpy, torch or torch:cuda."),
    ] = None,
    max_features: MaxFeatures = None,
    max_seconds: MaxSeconds = None,
    max_memory: MaxMemory = None,
    changes: Settings = None,
    accept_ill_posed: Annotated[
        bool | None,
        typer.Option(
            "--accept-ill-posed", help="Solve equations that seem ill-posed, too.", show_default=False
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="RELATION", help="End when this happens, such as 'max(u) < 0.1' or 'u(x=1) = 0.5'."
        ),
    ] = None,
    certify: Annotated[
        bool | None,
        typer.Option("--certify", help="Bound the error, too, where that is possible.", show_default=False),
    ] = None,
    out: Out = None,
    plot: Plot = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Keep finished blocks here; the same command goes on from them.")
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Spread the rows over a Dask cluster.", show_default=False),
    ] = None,
    force: Force = False,
    details: ShowDetails = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Draw the solution in the terminal while it is computed.")
    ] = False,
    json: Json = False,
) -> None:
    """Solve the problem of a file and print how wrong the answer may be.

    Options win over the file's own `solve` section.

    Exit code: 0 an error is claimed, and the tolerance met if there is one; 1 not, the result still written; 2 wrong statement.
    """
    paths = {"--out": out, "--plot": plot, "--checkpoint": checkpoint}
    check_writable(paths, {"--plot": PICTURES}, force)
    statement = read_file(file, changes)
    given = {"tol": tol, "method": method, "seed": seed, "features": features, "blocks": blocks}
    given |= {"max_features": max_features, "max_seconds": max_seconds, "backend": backend}
    given |= {
        "accept_ill_posed": accept_ill_posed,
        "max_memory": max_memory,
        "until": until,
        "certify": certify,
    }
    options = merge_options(statement, file, given)
    if scheduler is not None:
        from lrfm.solver.methods import method_object, own_solver
        from lrfm.spacetime.least_squares import Distributed
        from lrfm.spacetime.least_squares.cluster import connect

        connect(scheduler)  # a scheduler that cannot be reached is reported before the search for settings
        options = method_object(
            {**options, "least_squares": Distributed.like(own_solver(options), scheduler)}
        )
    if linear is not None:
        from lrfm.solver.methods import with_linear

        options = {**options, "method": with_linear(options.get("method", "auto"), linear)}
    problem = statement.problem
    title = title_of(problem, file)
    run(
        problem,
        options,
        Request(
            out=out, plot=plot, checkpoint=checkpoint, json=json, details=details, title=title, watch=watch
        ),
    )


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is to be done with a solution."""

    out: Path | None = None
    plot: Path | None = None
    checkpoint: Path | None = None
    json: bool = False
    details: bool = False
    title: str = ""
    watch: bool = False


def run(problem: Problem, options: Options, request: Request) -> None:
    """Solve, write the files, print the report, leave with the exit code."""
    expected = _planned_seconds(problem, options)
    stage = "choosing settings" if expected is None else "solving"
    deliver(lambda bar: _solve(problem, options, request, bar), request, stage, expected)


def deliver(
    solving: Callable[[ProgressBar], Solution],
    request: Request,
    stage: str = "solving",
    expected: float | None = None,
) -> None:
    """Solve, write the files of the solution, print its report, leave with the exit code."""
    files: dict[str, str] = {}
    with ProgressBar(stage, expected=expected, quiet=request.json, watch=request.watch) as bar:
        solution = solving(bar)
        problem = solution.problem
        complete = math.isfinite(solution.report.residual) and solution.block_edges[-1] >= problem.time[1]
        # What fails now must not take the report with it.
        errors, failed = [], []
        for step in (_save, *((_compare, _draw) if complete else ())):
            try:
                errors.append(step(solution, request, files, bar))
            except Exception as failure:
                failed.append(failure)
    _tell(solution, next((e for e in errors if e is not None), None), files, request)
    if request.plot and not complete:
        show.note(f"No picture was drawn: the solution ends at t = {solution.block_edges[-1]:g}.")
    if failed:
        raise failed[0]
    raise typer.Exit(SOLVED if solution.report.solved else NOT_MET)


def _save(solution: Solution, request: Request, files: dict[str, str], bar: ProgressBar) -> None:
    if request.out:
        bar.say(f"writing {request.out}")
        files["solution"] = str(solution.save(request.out))


def _compare(solution: Solution, request: Request, files: dict[str, str], bar: ProgressBar) -> float | None:
    if solution.problem.reference is None:
        return None
    bar.say("comparing with the reference")
    return grid_error(solution)


def _draw(solution: Solution, request: Request, files: dict[str, str], bar: ProgressBar) -> None:
    from lrfm.solution.plot.look import ignore_settings_of_folder

    if request.plot:
        bar.say(f"drawing {request.plot}")
        ignore_settings_of_folder()
        solution.plot(request.plot, error=solution.problem.reference is not None)
        files["plot"] = str(request.plot)


def _planned_seconds(problem: Problem, options: Options) -> float | None:
    """A guess for the progress bar; None where the size is yet to be chosen."""
    from lrfm.solver.api import plan
    from lrfm.solver.methods import by_hand

    if not by_hand(options):
        return None
    return plan(problem, **{name: value for name, value in options.items() if name in PLANNED}).seconds


def _solve(problem: Problem, options: Options, request: Request, bar: ProgressBar) -> Solution:
    from lrfm.solver.api import solve

    try:
        return solve(problem, **options, strict=False, checkpoint=request.checkpoint, progress=bar)
    except KeyboardInterrupt as interrupt:
        raise Stopped(_interrupted(getattr(interrupt, "solution", None), request)) from None


def _interrupted(solution: Solution | None, request: Request) -> str:
    """Write what there is, and say so."""
    said = ["Interrupted"]
    if solution is not None and request.out:
        end = f"t = {solution.block_edges[-1]:g}"
        said.append(f"The solution so far, up to {end}, is in {solution.save(request.out)}")
    path = request.checkpoint
    if path and path.exists():
        said.append(f"What was finished is in {path}; the same command goes on from there")
    if len(said) > 1:
        return ". ".join(said) + "."
    hint = "; the first block was not finished, so there is nothing to resume." if path else "."
    return f"Interrupted, nothing was written{hint}"


def grid_error(solution: Solution) -> float:
    """‖u − reference‖ / ‖reference‖ in L² over a grid of space and time, the worst of the unknowns."""
    from lrfm.solution.reference import grid_points, true_error

    problem = solution.problem
    return true_error(solution, grid_points(problem, *GRIDS.get(problem.domain.dimension, (7, 5))))


def _tell(solution: Solution, error: float | None, files: dict[str, str], request: Request) -> None:
    report, event = solution.report, solution.event
    if request.json:
        content = {name: getattr(report, name) for name in TOLD}
        when = None if event is None else {"t": event.t, "error": event.error}
        show.as_json(
            {"problem": request.title, **content, "event": when, "true_error": error, "files": files}
        )
        return
    entries = report.lines()
    if event is not None:
        after = 1 + [name for name, _ in entries].index("time")
        entries.insert(after, ("event", f"at t = {event.t:.9g} ± {event.error:.1e}"))
    if error is not None:
        after = 1 + [name for name, _ in entries].index("error")
        entries.insert(after, ("true error", f"{error:.1e}, relative in L² against the reference"))
    more = report.details.entries if request.details else ()
    show.pairs([*entries, *more, *files.items()], request.title, "green" if report.solved else "bold red")
    if not report.solved:
        show.error(report.advice, heading="Not solved: " if report.failed else "No estimate: ")
