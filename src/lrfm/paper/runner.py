# SPDX-License-Identifier: MIT
"""Jobs of the study as tasks: results in `results.jsonl` of its folder, fields for the figures beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lrfm.paper.plan import Job
from lrfm.paper.work import execute
from lrfm.parallel.tasks import Folder, Notify, Place, Task, run_tasks


def load_results(folder: Path) -> dict[str, dict[str, Any]]:
    """Results by key."""
    return Folder(folder).load()


def run_jobs(
    jobs: Sequence[Job], folder: Path, place: Place, notify: Notify | None = None
) -> dict[str, dict[str, Any]]:
    """Run what has no result yet; jobs whose seconds are a result come last, one at a time."""
    return run_tasks(execute, [_task(job) for job in jobs], place, Folder(folder), notify=notify)


def _task(job: Job) -> Task:
    content = job.to_dict()
    about = {name: content[name] for name in ("kind", "data", "seed")}
    return Task(
        key=job.key, label=describe(job), payload=content, about=about, cost=job.cost, exclusive=job.alone
    )


def describe(job: Job) -> str:
    """A job in a few words."""
    data = job.data
    what = data.get("case", data).get("problem", job.kind)
    return f"{what} {data.get('method', job.kind)}, seed {job.seed}"
