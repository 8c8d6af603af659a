# SPDX-License-Identifier: MIT
"""The paper's numerical study: settings, published numbers, runner, tables, figures, report.

>>> import paper
>>> [e.name for e in paper.experiments()][:3]
['collocation-sensitivity', 'heat-convergence', 'heat-2d']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lrfm.parallel.tasks import Notify, Progress, choose_place
from lrfm.problem.errors import suggest
from paper.experiments import EXPERIMENTS
from paper.plan import Experiment, Job, Plan, unique
from paper.work import run_jobs
from paper.writing import write_all

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Listed", "Outcome", "Progress", "experiments", "run", "total_minutes"]


@dataclass(frozen=True)
class Listed:
    """An experiment as it is listed: name, title, place in the paper, runs, a guess of the minutes."""

    name: str
    title: str
    source: str
    runs: int
    minutes: float


@dataclass(frozen=True)
class Outcome:
    """What a study left behind: its folder, the number of runs, those that failed, and the page to open."""

    folder: Path
    runs: int
    failed: tuple[str, ...]
    page: Path


def experiments(*, quick: bool = False, seeds: int = 5, jobs: int = 2) -> list[Listed]:
    """All experiments with the cost of each by itself; runs that two of them share are counted in both."""
    plan = make_plan(quick, seeds)
    listed = []
    for e in EXPERIMENTS.values():
        found = e.jobs(plan)
        listed.append(Listed(e.name, e.title, e.source, len(found), _minutes(found, jobs)))
    return listed


def total_minutes(*, quick: bool = False, seeds: int = 5, jobs: int = 2) -> float:
    """A guess of the minutes of everything; runs that experiments share are counted once."""
    plan = make_plan(quick, seeds)
    every = unique([job for e in EXPERIMENTS.values() for job in e.jobs(plan)])
    return _minutes(every, jobs)


def _minutes(found: Sequence[Job], jobs: int) -> float:
    exclusive = sum(job.cost for job in found if job.exclusive)
    return (exclusive + sum(job.cost for job in found if not job.exclusive) / jobs) / 60


def make_plan(quick: bool, seeds: int | Sequence[int]) -> Plan:
    """Seeds 0, 1, … or those given."""
    if isinstance(seeds, int):
        if seeds < 1:
            raise ValueError(f"`seeds={seeds}` must be at least 1.")
        seeds = range(seeds)
    return Plan(tuple(seeds), quick)


def run(
    names: Sequence[str] | None = None,
    *,
    quick: bool = False,
    seeds: int | Sequence[int] | None = None,
    jobs: int = 2,
    out: str | Path = "reproduction",
    scheduler: str | Client | None = None,
    notify: Notify | None = None,
) -> Outcome:
    """Run experiments (all of them by default), and write tables, figures and the report.

    Parameters
    ----------
    names
        Experiments, see `experiments`.
    quick
        One seed and smaller sizes.
    seeds
        Their number, or a list of them; five, or one when quick.
    jobs
        Worker processes, each with one BLAS thread.
    out
        Folder for everything. Results that are there already are not computed again.
    scheduler
        Address of a Dask scheduler, such as ``tcp://host:8786``, or a client: jobs run on its workers instead.
    notify
        Called with a `Progress` after each run.
    """
    chosen = _chosen(names)
    plan = make_plan(quick, seeds if seeds is not None else 1 if quick else 5)
    todo = unique([job for e in chosen for job in e.jobs(plan)])
    results = run_jobs(todo, Path(out), choose_place(jobs, scheduler), notify)
    page = write_all(chosen, plan, Path(out), results)
    failed = tuple(results[j.key]["message"] for j in todo if not results[j.key]["ok"])
    return Outcome(Path(out), len(todo), failed, page)


def _chosen(names: Sequence[str] | None) -> list[Experiment]:
    for name in names or ():
        if name not in EXPERIMENTS:
            listed = ", ".join(EXPERIMENTS)
            raise ValueError(
                f"There is no experiment {name!r}; there are {listed}.{suggest(name, EXPERIMENTS)}"
            )
    return [EXPERIMENTS[name] for name in dict.fromkeys(names or EXPERIMENTS)]
