# SPDX-License-Identifier: MIT
"""Runs jobs in worker processes, keeps every result at once, and goes on where it stopped.

Each worker uses one BLAS thread: two jobs on two cores are faster than one job on two threads at these sizes.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lrfm.reproduce.plan import Job

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
RESULTS = "results.jsonl"


@dataclass(frozen=True)
class Progress:
    """Jobs done of all, the seconds that the rest will take (None: unknown), and the job that ended last."""

    done: int
    total: int
    left: float | None
    last: str


Notify = Callable[[Progress], None]


def load_results(folder: Path) -> dict[str, dict[str, Any]]:
    """Results by key; a line cut short by an interruption is skipped, a failed job may be tried again."""
    path = folder / RESULTS
    found: dict[str, dict[str, Any]] = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                result = json.loads(line)
                found[result["key"]] = result
            except (json.JSONDecodeError, KeyError, TypeError):
                continue
    return found


def run_jobs(
    jobs: Sequence[Job], folder: Path, workers: int, notify: Notify | None = None
) -> dict[str, dict[str, Any]]:
    """Run what has no result yet; jobs whose seconds are a result come last, one at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    results = load_results(folder)
    todo = [job for job in jobs if job.key not in results or not results[job.key]["ok"]]
    clock = _Clock(jobs, todo, notify)
    with (folder / RESULTS).open("a", encoding="utf-8") as file:
        for group, count in ((False, workers), (True, 1)):
            # Long jobs first, so that no worker is left alone with one at the end.
            queue = sorted((job for job in todo if job.alone == group), key=lambda job: -job.cost)
            for job, result in _pool(queue, folder, count):
                results[job.key] = result
                file.write(json.dumps(result) + "\n")
                file.flush()
                clock.ended(job)
    return results


class _Clock:
    """Time left from the guessed costs, scaled by what they turned out to be."""

    def __init__(self, jobs: Sequence[Job], todo: Sequence[Job], notify: Notify | None):
        self.began, self.notify = time.monotonic(), notify
        self.total, self.done = len(jobs), len(jobs) - len(todo)
        self.cost, self.spent = sum(job.cost for job in todo), 0.0
        if notify:
            notify(Progress(self.done, self.total, None, ""))

    def ended(self, job: Job) -> None:
        self.done, self.spent = self.done + 1, self.spent + job.cost
        if self.notify:
            pace = (time.monotonic() - self.began) / self.spent
            self.notify(Progress(self.done, self.total, pace * (self.cost - self.spent), describe(job)))


def describe(job: Job) -> str:
    """A job in a few words."""
    data = job.data
    what = data.get("case", data).get("problem", job.kind)
    return f"{what} {data.get('method', job.kind)}, seed {job.seed}"


@contextmanager
def one_thread() -> Iterator[None]:
    """Worker processes read these variables when NumPy is imported."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)


def _pool(queue: list[Job], folder: Path, workers: int) -> Iterator[tuple[Job, dict[str, Any]]]:
    """Results as they come. A worker that dies (out of memory) costs the jobs under way, which say so."""
    context = multiprocessing.get_context("spawn")
    queue = list(queue)
    while queue:
        with one_thread(), ProcessPoolExecutor(min(workers, len(queue)), mp_context=context) as pool:
            under_way = {}
            try:
                while queue or under_way:
                    while queue and len(under_way) < 2 * workers:
                        job = queue.pop(0)
                        under_way[pool.submit(_execute, job.to_dict(), str(folder))] = job
                    ended, _ = wait(under_way, return_when=FIRST_COMPLETED)
                    for future in ended:
                        result = future.result()
                        yield under_way.pop(future), result
            except BrokenProcessPool:
                for job in under_way.values():
                    message = "the worker process died, most likely for lack of memory"
                    yield job, {**job.to_dict(), "ok": False, "message": message, "values": {}, "took": 0.0}


def _execute(job: dict[str, Any], folder: str) -> dict[str, Any]:
    from lrfm.reproduce.work import execute

    return execute(job, folder)
