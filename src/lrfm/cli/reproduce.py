# SPDX-License-Identifier: MIT
"""The command `reproduce`: the paper's numerical study, which a clone of the repository has in `benchmarks/paper`."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from lrfm.cli import show
from lrfm.cli.arguments import Scheduler, check_names
from lrfm.cli.errors import NOT_MET, SOLVED, UsageError
from lrfm.cli.progress import resumable

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"  # of the clone that this package runs from


def _study() -> Any:
    """The study; workers find it by the same path."""
    if not (BENCHMARKS / "paper" / "__init__.py").is_file():
        raise UsageError(
            "lrfm reproduce: the paper's study is in the repository, not in the installed package. Clone the repository, run "
            "`pip install -e .` in it, and then `lrfm reproduce` again."
        )
    if str(BENCHMARKS) not in sys.path:
        sys.path.append(str(BENCHMARKS))
    return import_module("paper")


def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(help="Experiments; without any, they are listed.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Run all experiments.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="One seed and small sizes: under two minutes in all.")
    ] = False,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Number of seeds; default 5, or 1 if quick.", show_default=False)
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes, each with one thread.")] = 2,
    out: Annotated[Path, typer.Option(help="Folder for results, tables, figures and the report.")] = Path(
        "reproduction"
    ),
    scheduler: Scheduler = None,
) -> None:
    """Run the paper's experiments, our numbers beside its own; a broken-off run goes on where it stopped."""
    study = _study()
    listed = study.experiments(quick=quick, seeds=seeds or (1 if quick else 5), jobs=jobs)
    if not names and not everything and not quick:
        _list(listed, study.total_minutes(seeds=seeds or 5, jobs=jobs), jobs)
        return
    if names and everything:
        raise UsageError("lrfm reproduce: both names and --all were given; expected one of them.")
    names = [name.strip().lower().replace("_", "-") for name in names or ()]
    check_names(names, [e.name for e in listed], "lrfm reproduce", "experiment")
    with resumable(out) as notify:
        outcome = study.run(
            names or None,
            quick=quick,
            seeds=seeds,
            jobs=jobs,
            out=out,
            scheduler=scheduler,
            notify=notify,
        )
    for text in sorted(set(outcome.failed)):
        show.note(f"failed: {text}")
    failed = len(outcome.failed)
    show.pairs([("runs", f"{outcome.runs}"), ("failed", f"{failed}"), ("report", str(outcome.page))])
    raise typer.Exit(NOT_MET if failed else SOLVED)


def _list(listed: list, total: float, jobs: int) -> None:
    rows = [(e.name, e.title, f"{e.runs} runs", _minutes(e.minutes)) for e in listed]
    show.columns(("experiment", "what", "runs", "about"), rows)
    workers = "one worker" if jobs == 1 else f"{jobs} workers"
    show.note(
        f"All of them: about {total:.0f} minutes with {workers}; experiments share runs. "
        "Begin with: lrfm reproduce --quick, or lrfm reproduce main"
    )


def _minutes(value: float) -> str:
    return "< 1 min" if value < 1 else f"{value:.0f} min"
