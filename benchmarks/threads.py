# SPDX-License-Identifier: MIT
"""What threads of BLAS cost who sets no variables: processor seconds as installed over those with OMP_NUM_THREADS=1.

Each problem of the catalog is stated, solved with `tol` alone and evaluated on a grid, in processes without other work; user and
system time of all threads from the statement on, the best of up to four runs in each environment, in turns. Rows of the same commit are kept. A solve that its clock broke off has no ratio.
At most 1.1 is wanted. Results: benchmarks/results/threads.json.

    python benchmarks/threads.py [--quick] [--tol 1e-4] [NAME ...]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

ROUNDS, MOST, BAR = 4, 100.0, 1.1
LONG = 3.0  # processor seconds after which there is no further round
TOGETHER = 6  # problems in one process, so that libraries are loaded once for all of them
ON_GRID = 60  # points along each axis


def processor_seconds() -> float:
    """User and system time of all threads of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def warm_up() -> None:
    """Load and compile what is loaded and compiled once."""
    import lrfm

    lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-3)(x=[0.1, 0.2], t=0.1)


def one(name: str, tol: str) -> dict[str, object]:
    """Processor seconds of one problem, stated, solved and evaluated; what is loaded and compiled once is not counted."""
    import numpy as np

    import lrfm

    time.sleep(0.3)  # threads that were woken go on for a while
    began, wall = processor_seconds(), time.perf_counter()
    problem = lrfm.catalog.get(name)
    try:
        solution = lrfm.solve(problem, tol=float(tol), strict=False, max_seconds=MOST, progress=False)
    except lrfm.ConvergenceError:
        return {"cpu": processor_seconds() - began, "ended": False}
    axes = {**problem.domain.axes, "t": (problem.time[0], float(solution.block_edges[-1]))}
    shape = lambda i: (-1,) + (1,) * (len(axes) - 1 - i)  # noqa: E731
    points = ON_GRID if len(axes) < 4 else ON_GRID // 4
    grid = {n: np.linspace(*ends, points).reshape(shape(i)) for i, (n, ends) in enumerate(axes.items())}
    solution(outside=True, **grid)
    return {
        "cpu": processor_seconds() - began,
        "wall": time.perf_counter() - wall,
        "ended": not solution.report.stopped,
        "functions": solution.report.features,
        "met": bool(solution.report.error_estimate <= float(tol)),
    }


def measured(names: Sequence[str], tol: float, variables: Sequence[str]) -> list[dict[str, object]]:
    """Rows of some problems: best processor seconds in both environments, and their ratio."""
    bare = {key: value for key, value in os.environ.items() if key not in variables}
    ways = {"default": bare, "one": bare | dict.fromkeys(variables, "1")}
    found: dict[str, dict[str, list[dict]]] = {name: {way: [] for way in ways} for name in names}
    for _ in range(ROUNDS):
        short = [n for n, runs in found.items() if sum(run["cpu"] for run in runs["one"]) < LONG]
        for way, environment in ways.items() if short else ():
            command = [sys.executable, __file__, "--one", str(tol), *short]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            for name, line in zip(short, done.stdout.splitlines(), strict=True):
                found[name][way].append(json.loads(line))
    return [row_of(name, runs) for name, runs in found.items()]


def row_of(name: str, found: Mapping[str, list[dict]]) -> dict[str, object]:
    best = {way: min(run["cpu"] for run in runs) for way, runs in found.items()}
    last = found["default"][-1]
    row = {"problem": name, **{way: round(seconds, 4) for way, seconds in best.items()}}
    row |= {key: last.get(key) for key in ("functions", "met", "ended")}
    whole = all(run["ended"] for runs in found.values() for run in runs)
    return row | {"ratio": round(best["default"] / best["one"], 3) if whole else None}


def summary_of(rows: Sequence[dict]) -> dict[str, object]:
    judged = [row for row in rows if row["ratio"] is not None]
    ratios = sorted(row["ratio"] for row in judged)
    return {
        "problems": len(rows),
        "ended": len(judged),
        "all together": round(sum(row["default"] for row in judged) / sum(row["one"] for row in judged), 3),
        "median": ratios[len(ratios) // 2],
        "largest": ratios[-1],
        "above 1.1": [row["problem"] for row in judged if row["ratio"] > BAR],
        "load at the end": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    import harness

    import lrfm

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="problems of the catalog; all without Chebfun's demos")
    parser.add_argument("--tol", type=float, default=1e-4)
    parser.add_argument("--quick", action="store_true", help="three problems; results are not kept")
    given = parser.parse_args()
    path, commit = harness.RESULTS / "threads.json", harness.commit()
    kept = next(iter(harness.read_result(path)), {})
    rows = kept["rows"] if kept.get("commit") == commit and not given.quick else []
    names = given.names or [
        n for n in lrfm.catalog.names(spin=False) if n not in {r["problem"] for r in rows}
    ]
    names = names[:3] if given.quick else names
    machine = harness.machine().replace("threads as installed", "default environment and one BLAS thread")
    for first in range(0, len(names), TOGETHER):
        rows += measured(names[first : first + TOGETHER], given.tol, harness.THREADS)
        told = {"tol": given.tol, **summary_of(rows)}
        harness.say("\n".join(str(row) for row in rows[-TOGETHER:]))
        harness.write_result("threads.json", given.quick, machine=machine, summary=told, rows=rows)
    harness.say(str(told))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        warm_up()
        for each in sys.argv[3:]:
            print(json.dumps(one(each, sys.argv[2])), flush=True)
    else:
        main()
