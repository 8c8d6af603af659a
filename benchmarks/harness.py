# SPDX-License-Identifier: MIT
"""What the benchmark scripts share: jobs in processes of their own, rows that resume, true errors, machine.

Nothing is set that a user does not set: solves choose their number of BLAS threads by themselves.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import hashlib
import json
import math
import multiprocessing
import os
import platform
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Sequence
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from paper.summary import markdown_table
from paper.writing import processor

import lrfm
from lrfm.problem import Problem
from lrfm.solution.reference import random_points, relative_linf, true_error
from lrfm.solution.solution import Solution
from lrfm.spacetime.windows.parts import Parts
from lrfm.spacetime.windows.window import build_system, initial_values, sample_space

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).resolve().parent / "results"
BESIDE = ("cli", "paper", "solution/io", "solution/plot", "problem/file")  # rooms that change no number
POINTS = 6000

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

Row = dict[str, object]


# Where and with what ----------------------------------------------------------------------------


def machine() -> str:
    """CPU model, cores and versions in one line."""
    given = os.environ.get("OMP_NUM_THREADS")
    threads = "threads as installed" if given is None else f"{given} BLAS thread(s) per run"
    return (
        f"{processor()}, {os.cpu_count()} cores, {threads}; "
        f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    )


def as_installed() -> Row:
    """Machine and commit of rows that are measured as a user runs lrfm: no variable of threads is set, in this process and in those that it starts."""
    for name in THREADS:
        os.environ.pop(name, None)
    return {"commit": commit(), "machine": machine()}


def commit() -> str:
    """The commit, with a plus sign where files under src/ differ from it."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    found = git("rev-parse", "--short", "HEAD") or "unknown"
    return found + ("+" if git("status", "--porcelain", "--", "src") else "")


@functools.cache  # 5 s of parsing
def source_mark() -> str:
    """A hash of the code that decides numbers, without its docstrings and comments."""
    digest = hashlib.sha256()
    base = Path(lrfm.__file__).parent
    for path in sorted(base.rglob("*.py")):
        place = path.relative_to(base)
        if not place.as_posix().startswith(BESIDE):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                    node.value = ast.Constant(None)
            digest.update(str(place).encode() + ast.dump(tree).encode())
    return digest.hexdigest()[:12]


# Rows -------------------------------------------------------------------------------------------


def read_rows(path: Path) -> dict[str, Row]:
    """The latest row of every key; a line cut short by a crash is skipped."""
    return {str(row.get("key", number)): row for number, row in enumerate(read_result(path))}


def read_result(path: Path) -> list[Row]:
    """What a benchmark left: the lines of a .jsonl file, or one row; none where it is missing or no JSON."""
    rows = []
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for part in text.splitlines() if path.suffix == ".jsonl" else [text]:
        with contextlib.suppress(json.JSONDecodeError):
            rows.append(json.loads(part))
    return rows


def origin(path: Path, key: str = "commit") -> str:
    """The commits (or machines) a result was computed at; empty if there is none that can be read."""
    return ", ".join(sorted({str(row.get(key, "?")) for row in read_result(path)}))


def write_result(name: str, quick: bool = False, **content: object) -> None:
    """One JSON file of results, with the machine and the commit unless `machine` is given; nothing of a quick run."""
    content = {"machine": machine(), "commit": commit()} | content
    if not quick:
        text = json.dumps(content, indent=1, default=float) + "\n"
        (RESULTS / name).write_text(text, encoding="utf-8")


def number(row: Row, name: str) -> float:
    """A number of a row; NaN where it is missing, infinity where it was."""
    value = row.get(name)
    if value == "inf":
        return math.inf
    return float(value) if isinstance(value, int | float) else math.nan


def in_process(script: str, *words: object, threads: int, limit: float | None = None) -> Row | None:
    """What `script --one WORDS` prints as JSON in a process of its own; None, with what it said, where it fails."""
    environment = {**os.environ, **dict.fromkeys(THREADS, str(threads))}
    command = [sys.executable, script, "--one", *map(str, words)]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        say(f"{' '.join(command[3:])}: not done after {limit:g} s")
        return None
    if done.returncode:
        say(f"{' '.join(command[3:])}: failed\n{done.stderr[-2000:]}")
        return None
    return json.loads(done.stdout)


def answers(function: Callable[..., Row]) -> bool:
    """Whether this is the process that `in_process` started; it then answers with the row of `function(*WORDS)`."""
    if sys.argv[1:2] != ["--one"]:
        return False
    print(json.dumps(function(*sys.argv[2:]), default=float))
    return True


def choice_cost(row: Row) -> float:
    """Seconds of the choice over those of the two draws with what was chosen."""
    return number(row, "choice_seconds") / (number(row, "solve_seconds") or math.nan)


def plain(value: object) -> object:
    """JSON has no infinity and no NaN."""
    if isinstance(value, float | np.floating):
        if math.isinf(value):
            return "inf"
        return None if math.isnan(value) else float(f"{value:.4g}")
    return int(value) if isinstance(value, np.integer) else value


# True errors ------------------------------------------------------------------------------------


def true_errors(solution: Solution, points: int = POINTS) -> Row:
    """Relative L² and L∞ over space and time, L² at the end; worst over unknowns, at random points."""
    (start, end), at = (
        solution.problem.time,
        random_points(solution.problem, points, np.random.default_rng(20240607)),
    )
    # A march that was broken off ends early; what is missing is no answer at all.
    if solution.block_edges[-1] < end - 1e-9 * (end - start):
        return {"error": math.inf, "max_error": math.inf, "final_error": math.inf}
    found = {
        "error": true_error(solution, at),
        "max_error": true_error(solution, at, relative_linf),
        "final_error": true_error(solution, at | {"t": np.full(points, end)}),
    }
    return {name: value if math.isfinite(value) else math.inf for name, value in found.items()}


# One run ----------------------------------------------------------------------------------------


def run_solve(problem: Problem, **options: object) -> tuple[Solution, Row]:
    """`lrfm.solve` and what is worth keeping: status, estimate, true errors, sizes, seconds."""
    told: dict[str, float] = {}

    def progress(stage: str, done: int, total: int) -> None:
        told[stage.partition(",")[0]] = time.perf_counter()

    solve = lrfm.solve  # loads what it needs before the clock starts
    began, worked = time.perf_counter(), time.process_time()
    solution = solve(problem, strict=False, progress=progress, **options)
    seconds, cpu = time.perf_counter() - began, time.process_time() - worked
    report = solution.report
    first = sum(b.seconds for b in report.block_reports)
    second = max(0.0, told.get("estimating the error", 0.0) - told.get("solving", math.inf))
    # What comes before the last first draw; estimate and report are paid by hand, too. Attempts that were dropped count as choice.
    choice = max(0.0, told.get("solving", began) - first - began)
    row: Row = {
        "status": report.status,
        "met": report.status == "tolerance met",
        "estimate": report.error_estimate,
        "max_estimate": report.max_error_estimate,
        "residual": report.residual,
        "features": report.features,
        "rows": report.rows,
        "blocks": report.blocks,
        "seconds": seconds,
        "cpu_seconds": cpu,
        "solve_seconds": first + second,
        "choice_seconds": choice,
        "choices": list(report.choices),
        "warnings": list(report.warnings),
        "parts": report.parts,
    }
    if problem.reference is not None:
        row |= true_errors(solution)
    return solution, row


def best(
    function: Callable[[], Any], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> tuple[float, Any]:
    """Least seconds of some calls, and what the last one gave."""
    seconds, result = [], None
    for _ in range(rounds):
        began = clock()
        result = function()
        seconds.append(clock() - began)
    return min(seconds), result


def window_system(problem: Problem, parts: Parts) -> Callable[[], Any]:
    """A function that assembles the rows of the whole time span as one window, features and points drawn with seed 0."""
    rng = np.random.default_rng(0)
    spaces = dict.fromkeys(problem.fields, sample_space(problem, parts.space, problem.time, rng))
    points = parts.collocation.place(problem.domain, problem.time, rng)
    return lambda: build_system(problem, parts, spaces, points, problem.time, initial_values(problem, None))


# Jobs -------------------------------------------------------------------------------------------


def run_jobs(
    jobs: Iterable[tuple[str, Callable[[], Row]]],
    path: Path,
    *,
    workers: int = 1,
    limit: float = math.inf,
    fresh: bool = False,
    keep: bool = False,
) -> dict[str, Row]:
    """Run each (key, function) in a process of its own and append its row to a file of JSON lines.

    Rows of the same code are not run again (`fresh`: they are; `keep`: rows of other code count too). A job
    that raises or outlives `limit` seconds becomes a row that says so.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    mark = {"commit": commit(), "source": source_mark(), "machine": machine()}
    done = {
        k for k, r in read_rows(path).items() if not fresh and (keep or r.get("source") == mark["source"])
    }
    jobs = list(jobs)
    waiting = [job for job in jobs if job[0] not in done]
    say(f"{len(jobs)} jobs, {len(jobs) - len(waiting)} done before; {workers} at a time into {path.name}")
    context = multiprocessing.get_context(
        "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    )
    running: dict[object, tuple[str, object, float]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                key, function = waiting.pop(0)
                here, there = context.Pipe(duplex=False)
                process = context.Process(target=_work, args=(function, there), daemon=True)
                process.start()
                there.close()
                running[here] = (key, process, time.perf_counter())
            for pipe in wait(list(running), timeout=1.0):
                key, process, began = running.pop(pipe)
                _finish(path, key, _receive(pipe, process), began, mark, len(waiting) + len(running))
            for pipe in [p for p, (_, _, began) in running.items() if time.perf_counter() - began > limit]:
                key, process, began = running.pop(pipe)
                process.kill()
                row = {"status": f"killed after {limit:.0f} s", "met": False}
                _finish(path, key, row, began, mark, len(waiting) + len(running))
    finally:
        for _, process, _ in running.values():
            process.kill()
    return read_rows(path)


def job_options(description: str, out: Path, *, jobs: int, seconds: float) -> argparse.ArgumentParser:
    """What all scripts with jobs can be told."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=jobs, help="processes at a time")
    parser.add_argument("--max-seconds", type=float, default=seconds, help="budget of one solve")
    parser.add_argument("--out", type=Path, default=out)
    parser.add_argument("--fresh", action="store_true", help="run again what is there")
    parser.add_argument("--keep", action="store_true", help="do not run again what other code computed")
    parser.add_argument("--summary", action="store_true", help="only tables and pictures of what is there")
    return parser


def run_asked(args: argparse.Namespace, jobs: Iterable[tuple[str, Callable[[], Row]]]) -> dict[str, Row]:
    """Run the jobs as `job_options` were given; all rows there are."""
    if args.summary:
        return read_rows(args.out)
    limit = 3.0 * args.max_seconds + 120.0
    return run_jobs(jobs, args.out, workers=args.jobs, limit=limit, fresh=args.fresh, keep=args.keep)


def _work(function: Callable[[], Row], pipe: object) -> None:
    warnings.simplefilter("ignore")
    try:
        with np.errstate(all="ignore"):
            row = function()
    except BaseException as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        row = {
            "status": f"raised {type(error).__name__}: {str(error)[:300]}",
            "place": f"{Path(last.filename).name}:{last.lineno}",
            "met": False,
        }
    pipe.send(row)
    pipe.close()


def _receive(pipe: object, process: object) -> Row:
    try:
        row = pipe.recv()
    except EOFError:
        process.join()
        row = {"status": f"process ended with code {process.exitcode}", "met": False}
    process.join()
    return row


def _finish(path: Path, key: str, row: Row, began: float, mark: Row, left: int) -> None:
    row = {"key": key, **row}
    row.setdefault("seconds", time.perf_counter() - began)
    row = {name: plain(value) for name, value in (row | mark).items()}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
    say(
        f"{key}: {row['status']}, error {show(number(row, 'error'))}, "
        f"estimate {show(number(row, 'estimate'))}, {row['seconds']:.0f} s; {left} left"
    )


# Tables -----------------------------------------------------------------------------------------


def cpu(work: Callable[[], Any]) -> tuple[Any, float]:
    """What the work makes, and its CPU seconds."""
    began = time.process_time()
    made = work()
    return made, time.process_time() - began


def measure_each(what: str, names: Sequence[str], measured: Callable[[str], Row], out: Path) -> None:
    """One row per name into `out`, in the order of the names; rows of names that were not asked for stay."""
    parser = argparse.ArgumentParser(description=what.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=list(names), choices=list(names))
    parser.add_argument("--quick", action="store_true", help="keep nothing")
    options = parser.parse_args()
    for name in options.only:
        row = measured(name)
        print(json.dumps(row, default=float), flush=True)
        if not options.quick:
            kept = {**read_rows(out), name: row}
            text = "".join(json.dumps(kept[n], default=float) + "\n" for n in names if n in kept)
            out.write_text(text, encoding="utf-8")


def say(text: str = "") -> None:
    print(text, flush=True)


def show(value: float, digits: int = 1) -> str:
    """A number for a table: 1.2e-7, a dash for NaN."""
    if value is None or math.isnan(value):
        return "-"
    if math.isinf(value):
        return "no claim"
    mantissa, _, power = f"{value:.{digits}e}".partition("e")
    return f"{mantissa}e{int(power)}" if value else "0"


def show_seconds(value: float) -> str:
    """Seconds for a table: two digits, and all of them before the point."""
    return f"{value:.2g}" if value < 100 else f"{value:.0f}"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    return markdown_table(head, [list(map(str, row)) for row in rows])


def quantiles(values: Sequence[float], levels: Sequence[float] = (0.0, 0.1, 0.5, 0.9, 1.0)) -> list[float]:
    finite = [v for v in values if math.isfinite(v)]
    return [float(np.quantile(finite, q)) if finite else math.nan for q in levels]


def geometric_mean(values: Iterable[float]) -> float:
    logs = [math.log(v) for v in values if v > 0 and math.isfinite(v)]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def chosen(name: str, words: Sequence[str]) -> bool:
    """Whether a name contains one of the words (all names if there are none)."""
    return not words or any(w in name for w in words)
