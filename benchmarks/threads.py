# SPDX-License-Identifier: MIT
"""What threads of BLAS cost who sets no variables: processor seconds as installed over those with OMP_NUM_THREADS=1.

Each problem of the catalog is stated, solved with `tol` alone and evaluated on a grid, in a process of its own; user and system time
of all its threads from the statement on, the best of up to five runs in each environment, in turns. A solve that its clock broke off has no ratio.
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

ROUNDS, MOST, BAR = 5, 100.0, 1.1
LONG = 10.0  # processor seconds after which there is no further round
ON_GRID = 60  # points along each axis


def processor_seconds() -> float:
    """User and system time of all threads of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def one(name: str, tol: str) -> dict[str, object]:
    """Processor seconds of one problem, stated, solved and evaluated; what is loaded and compiled once is not counted."""
    import numpy as np

    import lrfm

    lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-3)(x=np.linspace(0, 1, 50), t=0.1)
    time.sleep(0.5)  # threads that were woken while libraries were loaded go on for a while
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


def measured(name: str, tol: float, variables: tuple[str, ...]) -> dict[str, object]:
    """The row of one problem: best processor seconds in both environments, and their ratio."""
    bare = {key: value for key, value in os.environ.items() if key not in variables}
    found: dict[str, list[dict]] = {"default": [], "one": []}
    for _ in range(ROUNDS):
        for way, more in (("default", {}), ("one", dict.fromkeys(variables, "1"))):
            command = [sys.executable, __file__, "--one", name, str(tol)]
            done = subprocess.run(command, env={**bare, **more}, capture_output=True, text=True, check=True)
            found[way].append(json.loads(done.stdout))
        if sum(run["cpu"] for run in found["one"]) > LONG:
            break
    best = {way: min(run["cpu"] for run in runs) for way, runs in found.items()}
    last = found["default"][-1]
    row = {"problem": name, **{way: round(seconds, 4) for way, seconds in best.items()}}
    row |= {key: last.get(key) for key in ("functions", "met", "ended")}
    whole = all(run["ended"] for runs in found.values() for run in runs)
    return row | {"ratio": round(best["default"] / best["one"], 3) if whole else None}


def main() -> None:
    import harness
    import numpy as np

    import lrfm

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="problems of the catalog; all without Chebfun's demos")
    parser.add_argument("--tol", type=float, default=1e-4)
    parser.add_argument("--quick", action="store_true", help="three problems; results are not kept")
    given = parser.parse_args()
    names = given.names or lrfm.catalog.names(spin=False)
    rows = []
    for name in names[:3] if given.quick else names:
        rows.append(measured(name, given.tol, harness.THREADS))
        harness.say(" ".join(f"{key} {value}" for key, value in rows[-1].items()))
    judged = [row for row in rows if row["ratio"] is not None]
    ratios = [row["ratio"] for row in judged]
    summary = {
        "tol": given.tol,
        "problems": len(rows),
        "ended": len(judged),
        "all together": round(sum(row["default"] for row in judged) / sum(row["one"] for row in judged), 3),
        "median": float(np.median(ratios)),
        "largest": max(ratios),
        "above 1.1": [row["problem"] for row in judged if row["ratio"] > BAR],
        "load at the end": round(os.getloadavg()[0], 1),
    }
    harness.say(str(summary))
    machine = harness.machine().replace("1 BLAS thread(s) per run", "default environment and one BLAS thread")
    harness.write_result(
        "threads.json", given.quick or bool(given.names), machine=machine, summary=summary, rows=rows
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(one(*sys.argv[2:])))
    else:
        main()
