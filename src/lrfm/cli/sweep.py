# SPDX-License-Identifier: MIT
"""The command `sweep`: one problem file, many runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lrfm.cli import show
from lrfm.cli.arguments import (
    Blocks,
    Features,
    Json,
    MaxFeatures,
    MaxSeconds,
    Scheduler,
    StatementFile,
    Tolerance,
    merge_options,
    read_file,
)
from lrfm.cli.errors import NOT_MET, SOLVED, UsageError
from lrfm.cli.progress import resumable

if TYPE_CHECKING:
    from lrfm.parallel.sweeps import Sweep

TOLD = ("point", "seed", "status", "error_estimate", "residual", "features", "seconds", "message", "file")


def sweep(
    file: StatementFile,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUES",
            help="Values of parameters.NAME or solve.NAME: a list 1,2,5 or a range FIRST:LAST:COUNT, spaced "
            "logarithmically when both ends are positive and differ by more than 10x, else linearly; log: or lin: "
            "before it says which. May be given several times.",
            show_default=False,
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Number of seeds at every point.")] = 1,
    tol: Tolerance = None,
    features: Features = None,
    blocks: Blocks = None,
    max_features: MaxFeatures = None,
    max_seconds: MaxSeconds = None,
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes, each with one thread.")] = 2,
    scheduler: Scheduler = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results; default FILE-sweep.", show_default=False)
    ] = None,
    json: Json = False,
) -> None:
    """Solve a file at many values of its parameters and with many seeds.

    Every run is kept at once, in results.jsonl and as a solution for `lrfm eval`.
    The same command goes on where it was broken off.

    Exit code: 0 all runs met; 1 some not, the results still written; 2 wrong statement.
    """
    statement = read_file(file)
    own = {"features": features, "blocks": blocks, "max_features": max_features}
    given = {"tol": tol, "max_seconds": max_seconds}
    merged = merge_options(statement, file, {**given, **own})
    given |= {"method": merged.get("method")} if any(value is not None for value in own.values()) else {}
    axes = _axes(grid or [])
    out = out or Path(f"{file.stem}-sweep")
    from lrfm.parallel.sweeps import sweep as run

    with resumable(out, quiet=json) as notify:
        swept = run(
            statement,
            grid=axes,
            seeds=seeds,
            solve={name: merged[name] for name, value in given.items() if value is not None},
            jobs=jobs,
            scheduler=scheduler,
            out=out,
            notify=notify,
        )
    _tell(swept, json)
    raise typer.Exit(SOLVED if swept.met else NOT_MET)


def _axes(grid: list[str]) -> dict[str, str]:
    axes: dict[str, str] = {}
    for text in grid:
        name, equals, values = (part.strip() for part in text.partition("="))
        if not equals or not name or not values:
            raise UsageError(f"--grid {text}: expected NAME=VALUES, such as parameters.eps=1e-4:1e-1:7.")
        if name in axes:
            raise UsageError(f"--grid {text}: `{name}` is given twice.")
        axes[name] = values
    return axes


def _tell(swept: Sweep, json: bool) -> None:
    if json:
        show.as_json({"runs": [{name: getattr(run, name) for name in TOLD} for run in swept]})
        return
    show.columns(*swept.table())
    for text in sorted({run.message for run in swept if run.message}):
        show.error(text, heading="Failed: ")
    met = sum(run.met for run in swept)
    show.note(f"{met} of {len(swept)} runs met; results and solutions are in {swept.folder}")
