# SPDX-License-Identifier: MIT
"""`lrfm.sweep`: a product of values and seeds, run side by side, kept run by run."""

from __future__ import annotations

import hashlib
import json
import math
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lrfm.parallel.sweeps.grid import points_of
from lrfm.parallel.sweeps.subject import subject_of
from lrfm.parallel.sweeps.work import Order, work
from lrfm.parallel.tasks import Folder, Memory, Notify, Task, choose_place, run_tasks
from lrfm.problem import Problem
from lrfm.solution import io as files
from lrfm.solution.io import document as saved
from lrfm.solution.solution import Solution
from lrfm.solver.file import Statement
from lrfm.solver.parts import spell

if TYPE_CHECKING:
    from distributed import Client

GOOD = ("solved", "tolerance met")


@dataclass(frozen=True)
class SweepRun:
    """One point of the grid with one seed, and what came out.

    `status` is that of the report, or ``failed`` with the reason in `message`; `met` says whether the answer can be
    trusted. `solution()` is the solution itself.
    """

    point: Mapping[str, float]
    seed: int
    status: str
    error_estimate: float
    residual: float
    features: int
    seconds: float
    message: str = ""
    file: Path | None = None
    _load: Callable[[], Solution] | None = field(default=None, repr=False, compare=False)

    @property
    def met(self) -> bool:
        return self.status in GOOD

    def solution(self) -> Solution:
        """The continuous answer of this run."""
        if self._load is None:
            raise ValueError(
                f"The run at {dict(self.point)} with seed {self.seed} has no solution: {self.message}."
            )
        return self._load()


@dataclass(frozen=True)
class Sweep:
    """All runs, point by point and seed by seed; prints as a table."""

    runs: tuple[SweepRun, ...]
    folder: Path | None = None

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[SweepRun]:
        return iter(self.runs)

    @property
    def met(self) -> bool:
        """Whether every run can be trusted."""
        return all(run.met for run in self.runs)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows, as text."""
        axes = list(self.runs[0].point)
        header = [
            *(axis.partition(".")[2] for axis in axes),
            "seed",
            "status",
            "error estimate",
            "features",
            "seconds",
        ]
        return header, [
            [
                *(f"{run.point[axis]:.6g}" for axis in axes),
                f"{run.seed}",
                run.status,
                _claim(run.error_estimate),
                f"{run.features}",
                f"{run.seconds:.2f}",
            ]
            for run in self.runs
        ]

    def __str__(self) -> str:
        header, rows = self.table()
        widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in (header, *rows)
        )


def sweep(
    what: Problem | Statement | str | os.PathLike,
    *,
    grid: Mapping[str, str | Sequence[float]] | None = None,
    seeds: int | Sequence[int] = 1,
    tol: float | None = None,
    solve: Mapping[str, object] | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    client: Client | None = None,
    out: str | os.PathLike | None = None,
    notify: Notify | None = None,
) -> Sweep:
    """Solve one statement at all points of a grid and with several seeds; seeds alone make an ensemble.

    Parameters
    ----------
    what
        A problem, or the name of a TOML file.
    grid
        Values by place: ``{"parameters.eps": [1e-4, 1e-3]}``, or as text, ``"1e-4:1e-1:7"``. Places are parameters,
        arguments of `lrfm.solve` (``solve.features``) and of its parts (``solve.space.gate``).
    seeds
        Their number, counted from the seed of a file or from 0, or the seeds themselves.
    tol, solve
        The tolerance, and further arguments of `lrfm.solve`, such as ``{"space": lrfm.Liquid(features=200)}``.
    jobs
        Worker processes on this machine; with 1 everything runs in this one. A script that uses more must call
        `sweep` below ``if __name__ == "__main__":``.
    scheduler, client
        Address of a Dask scheduler, such as ``tcp://host:8786``, or a `distributed.Client`: runs go to its workers.
    out
        A folder for `results.jsonl` and the solutions; runs that are there already are not computed again. Without it
        solutions stay in memory.
    notify
        Called with a `Progress` (done, total, left, last) after each run.

    A run that fails is a run whose status says so. A run has one BLAS thread, so that its numbers are the same wherever
    it runs, unless the clock decides (`max_seconds`).
    """
    options = {**(solve or {}), **({} if tol is None else {"tol": tol})}
    subject, points = subject_of(what, options), points_of(grid or {})
    for name in options:
        if f"solve.{name}" in (grid or {}):
            raise ValueError(f"`{name}` is given both in the grid and beside it; leave one out.")
    numbers = _seeds(seeds, subject.seed)
    pairs = [(*subject.at(point), point) for point in points]
    orders = [_order(*pair, seed) for pair in pairs for seed in numbers]
    if out is not None and Path(out).exists() and not Path(out).is_dir():
        raise ValueError(f"`out={os.fspath(out)!r}` is a file; give the name of a folder.")
    ledger = Memory() if out is None else Folder(out)
    records = run_tasks(work, orders, choose_place(jobs, scheduler, client), ledger, notify=notify)
    problems = [problem for problem, _, _ in pairs for _ in numbers]
    runs = [_run(task, records[task.key], ledger, p) for task, p in zip(orders, problems, strict=True)]
    return Sweep(tuple(runs), None if out is None else Path(out))


def _seeds(given: int | Sequence[int], first: int) -> list[int]:
    numbers = (
        list(range(first, first + given)) if isinstance(given, int) and not isinstance(given, bool) else given
    )
    try:
        numbers = [int(seed) for seed in numbers if int(seed) == seed >= 0]
    except (TypeError, ValueError):
        numbers = []
    if not numbers or (not isinstance(given, int) and len(numbers) != len(given)):
        raise ValueError(
            f"`seeds={given!r}` must be a number of seeds, 1 or more, or a list of whole numbers that are not negative."
        )
    return list(dict.fromkeys(numbers))


def _order(problem: Problem, options: dict[str, object], point: Mapping[str, float], seed: int) -> Task:
    """A run as a task; its key is a digest of statement, options and seed."""
    content = [
        files.encode(saved.statement(problem))[0],
        {name: spell(value) for name, value in options.items()},
        seed,
    ]
    key = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:20]
    words = [*(f"{place.rpartition('.')[2]}={value:.6g}" for place, value in point.items()), f"seed={seed}"]
    name = f"runs/{'_'.join(words)}_{key[:8]}.lrfm"
    # Workers have no use for a reference, and often it cannot be sent.
    order = Order(problem if problem.reference is None else problem.but(reference=None), options, seed, name)
    about = {"point": dict(point), "seed": seed}
    return Task(key=key, label=", ".join(words), payload=order, about=about, files=(name,))


def _run(task: Task, record: Mapping[str, Any], ledger: Memory | Folder, problem: Problem) -> SweepRun:
    values, order = record["values"], task.payload
    if not record["ok"]:
        return SweepRun(
            task.about["point"],
            order.seed,
            "failed",
            math.nan,
            math.nan,
            0,
            record["took"],
            record["message"],
        )
    file = ledger.path / order.file if isinstance(ledger, Folder) else None
    content = None if file else ledger.files[order.file]
    return SweepRun(
        task.about["point"],
        order.seed,
        **{name: values[name] for name in ("status", "error_estimate", "residual", "features", "seconds")},
        file=file,
        _load=lambda: _solution(problem, file, content),
    )


def _solution(problem: Problem, file: Path | None, content: bytes | None) -> Solution:
    """The expansions of a file with the problem at hand, whose functions a file would not hold."""
    if file is not None:
        _, pieces, report = saved.read(file, {})
        return Solution(problem, pieces, report)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.lrfm"
        path.write_bytes(content)
        return _solution(problem, path, None)


def _claim(value: float) -> str:
    return "-" if math.isnan(value) else "no claim" if math.isinf(value) else f"{value:.1e}"
