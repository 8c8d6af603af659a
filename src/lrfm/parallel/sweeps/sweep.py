# SPDX-License-Identifier: MIT
"""`lrfm.sweep`: a product of values and seeds, run side by side, kept run by run."""

from __future__ import annotations

import hashlib
import json
import math
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lrfm.linalg.threads import one_thread
from lrfm.parallel.sweeps.grid import points_of
from lrfm.parallel.sweeps.subject import subject_of
from lrfm.parallel.tasks import Done, Folder, Ledger, Memory, Notify, Task, choose_place, run_tasks
from lrfm.problem import Problem
from lrfm.problem.calls import naming
from lrfm.problem.file import Statement
from lrfm.solution import io as files
from lrfm.solution.io import document as saved
from lrfm.solution.solution import Solution
from lrfm.solution.status import read_status
from lrfm.solver.api import solve as solve_problem
from lrfm.solver.methods import SpaceTime
from lrfm.solver.options import Options
from lrfm.spacetime.windows.parts import spell

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from distributed import Client

NUMBERS = ("status", "error_estimate", "residual", "features", "seconds")  # of a report, told of every run
KEPT = (
    *NUMBERS,
    "tolerance",
    "max_error_estimate",
    "rows",
    "rank",
    "condition",
    "steps",
    "blocks",
)  # and recorded


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
        return read_status(self.status).fine

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
        names = [axis.partition(".")[2] for axis in axes]
        return [*names, "seed", "status", "error estimate", "features", "seconds"], [
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
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in (header, *rows))


@dataclass(frozen=True)
class Order:
    """What a worker gets: a problem, arguments of `lrfm.solve`, and the name of the file that is to come back."""

    problem: Problem
    options: Options
    file: str


@one_thread
def work(order: Order) -> Done:
    """Solve, and send back numbers and the whole solution as a file; an answer that misses its tolerance is one, too."""
    solution = solve_problem(order.problem, **order.options, strict=False)
    with tempfile.TemporaryDirectory() as folder:
        content = solution.save(Path(folder) / "run.lrfm").read_bytes()
    values = {name: getattr(solution.report, name) for name in KEPT}
    return Done({**values, "warnings": list(solution.report.warnings)}, {order.file: content})


@naming
@one_thread
def sweep(
    what: Problem | Statement | str | os.PathLike[str],
    *,
    grid: Mapping[str, str | Sequence[float]] | None = None,
    seeds: int | Sequence[int] = 1,
    tol: float | None = None,
    solve: Mapping[str, Any] | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    client: Client | None = None,
    executor: Executor | None = None,
    out: str | os.PathLike[str] | None = None,
    notify: Notify | None = None,
) -> Sweep:
    """Solve one statement at all points of a grid and with several seeds; seeds without a grid make an ensemble.

    Parameters
    ----------
    what
        A problem, or the name of a TOML file.
    grid
        Values by place: ``{"parameters.eps": [1e-4, 1e-3]}``, or as text, ``"1e-4:1e-1:7"``. Places are parameters,
        arguments of `lrfm.solve` (``solve.tol``), of its method (``solve.method.features``) and of parts (``solve.method.space.gate``).
    seeds
        Their number, counted from the seed of a file or from 0, or the seeds themselves.
    tol, solve
        The tolerance, and further arguments of `lrfm.solve`, such as ``{"method": lrfm.SpaceTime(features=200)}``.
    jobs
        Worker processes on this machine; with 1 everything runs in this one. A script that uses more must call
        `sweep` below ``if __name__ == "__main__":``.
    scheduler, client
        Address of a Dask scheduler, such as ``tcp://host:8786``, or a `distributed.Client`: runs go to its workers.
    executor
        Any open `concurrent.futures.Executor`, of threads, processes or MPI ranks: runs go to its workers, and it stays open.
    out
        A folder for `results.jsonl` and the solutions; runs that are there already are not computed again. Without it
        solutions stay in memory.
    notify
        Called with a `Progress` (done, total, left, last) after each run.

    Returns
    -------
    Sweep
        All runs; it prints as a table. A run that fails is a run whose status says so. A run has one BLAS thread, so that
        its numbers are the same wherever it runs, unless the clock decides (`max_seconds`).

    Examples
    --------
    >>> import lrfm
    >>> heat = lrfm.Problem("u_t = D*u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)",
    ...                     boundary="u = 0", parameters={"D": 1.0})
    >>> swept = lrfm.sweep(heat, grid={"parameters.D": [0.5, 1.0]}, solve={"method": lrfm.SpaceTime(features=40)})
    >>> [round(float(run.solution()(x=0.5, t=0.1)), 2) for run in swept]
    [0.61, 0.37]
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
    ledger = Memory() if out is None else Folder(Path(out))
    records = run_tasks(work, orders, choose_place(jobs, scheduler, client, executor), ledger, notify=notify)
    problems = [problem for problem, _, _ in pairs for _ in numbers]
    runs = [_run(task, records[task.key], ledger, p) for task, p in zip(orders, problems, strict=True)]
    return Sweep(tuple(runs), None if out is None else Path(out))


def _seeds(given: int | Sequence[int], first: int) -> list[int]:
    try:
        numbers = list(range(first, first + given) if isinstance(given, int) else given)
        if numbers and all(int(seed) == seed >= 0 for seed in numbers) and not isinstance(given, bool):
            return list(dict.fromkeys(map(int, numbers)))
    except (TypeError, ValueError):
        pass
    raise ValueError(
        f"`seeds={given!r}` must be a number of seeds, 1 or more, or a list of whole numbers that are not negative."
    )


def _order(problem: Problem, options: Options, point: Mapping[str, float], seed: int) -> Task:
    """A run as a task; its key is a digest of statement, options and seed."""
    content = [files.encode(saved.statement(problem))[0], _spelled(options), seed]
    key = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:20]
    words = [*(f"{place.rpartition('.')[2]}={value:.6g}" for place, value in point.items()), f"seed={seed}"]
    name = f"runs/{'_'.join(words)}_{key[:8]}.lrfm"
    # Workers have no use for a reference, and often it cannot be sent.
    plain = problem if problem.reference is None else problem.replace(reference=None)
    order = Order(plain, {**options, "seed": seed}, name)
    about = {"point": dict(point), "seed": seed}
    return Task(key=key, label=", ".join(words), payload=order, about=about, files=(name,))


def _spelled(options: Options) -> dict[str, str]:
    """Options as texts; those of `lrfm.SpaceTime` one by one, as in folders of earlier versions."""
    method = options.get("method")
    if isinstance(method, SpaceTime):
        own = {item.name: getattr(method, item.name) for item in fields(method)}
        changed = {item.name: own[item.name] for item in fields(method) if own[item.name] is not item.default}
        options = {**{name: value for name, value in options.items() if name != "method"}, **changed}
    return {name: spell(value) for name, value in options.items()}


def _run(task: Task, record: Mapping[str, Any], ledger: Ledger, problem: Problem) -> SweepRun:
    point, seed = task.about["point"], task.about["seed"]
    if not record["ok"]:
        return SweepRun(point, seed, "failed", math.nan, math.nan, 0, record["took"], record["message"])
    (name,) = task.files
    file = ledger.path / name if isinstance(ledger, Folder) else None
    numbers = {number: record["values"][number] for number in NUMBERS}
    return SweepRun(point, seed, **numbers, file=file, _load=lambda: _solution(problem, ledger.content(name)))


def _solution(problem: Problem, content: bytes) -> Solution:
    """The expansions of a file with the problem at hand, whose functions a file would not hold."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.lrfm"
        path.write_bytes(content)
        _, pieces, report = saved.read(path, {})
    return Solution(problem, pieces, report)


def _claim(value: float) -> str:
    return "-" if math.isnan(value) else "no claim" if math.isinf(value) else f"{value:.1e}"
