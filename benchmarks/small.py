# SPDX-License-Identifier: MIT
"""How long small solves take with `tol` alone, what a plan says beforehand, and what `start=` saves.

All one-dimensional problems of the catalog at 1e-6, without their references, each stated anew for every solve. Processor time of one thread,
the best of several rounds. `near` is the problem with one parameter changed by 3 %, begun with the solution as `start`, and anew.
Results: benchmarks/results/small.json.

    python benchmarks/small.py [--quick]
"""

from __future__ import annotations

import argparse
import contextlib
import time

import harness
import numpy as np

import lrfm

TOL, MOST, ROUNDS, CHANGE = 1e-6, 60.0, 3, 1.03


def stated(name: str, factor: float = 1.0) -> lrfm.Problem:
    """A problem of the catalog, its first parameter multiplied."""
    problem = lrfm.catalog.get(name).replace(reference=None)
    numbers = {n: v for n, v in problem.parameters.items() if isinstance(v, float | int) and v}
    changed = {n: factor * v for n, v in list(numbers.items())[:1]}
    return problem.replace(parameters={**problem.parameters, **changed})


def timed(name: str, factor: float, start: lrfm.Solution | None = None) -> tuple[float, lrfm.Solution | None]:
    """Seconds of the best of several solves, and the last solution, if there is one."""
    seconds: list[float] = []
    solution: lrfm.Solution | None = None
    for _ in range(ROUNDS):
        problem = stated(name, factor)
        began = time.process_time()
        with contextlib.suppress(lrfm.ConvergenceError):  # no time was left for an answer
            solution = lrfm.solve(
                problem, tol=TOL, strict=False, max_seconds=MOST, start=start, progress=False
            )
        seconds.append(time.process_time() - began)
        if seconds[-1] > 2:
            break
    return min(seconds), solution


def measure(name: str) -> harness.Row:
    """Seconds of a solve, planned and taken; of a nearby one, anew and begun with it."""
    planned = lrfm.plan(stated(name), tol=TOL).seconds
    taken, solution = timed(name, 1.0)
    row = {
        "problem": name,
        "seconds": taken,
        "planned": planned,
        "met": solution is not None and bool(solution.report.error_estimate <= TOL),
    }
    if row["met"]:
        row |= {"near, anew": timed(name, CHANGE)[0], "near, with start": timed(name, CHANGE, solution)[0]}
    return row


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="three problems; results are not kept")
    quick = parser.parse_args().quick
    names = [n for n in lrfm.catalog.names(spin=False) if lrfm.catalog.get(n).domain.dimension == 1]
    measure("heat-1d")  # loads and compiles what is loaded and compiled once
    rows = []
    for name in names[:3] if quick else names:
        rows.append(measure(name))
        harness.say(" ".join(f"{k} {v:.3g}" if isinstance(v, float) else str(v) for k, v in rows[-1].items()))
    taken = [row["seconds"] for row in rows]
    factors = [
        max(row["planned"] / row["seconds"], row["seconds"] / row["planned"]) for row in rows if row["met"]
    ]
    summary = [
        {"what": "problems", "value": len(rows)},
        {"what": "met", "value": sum(row["met"] for row in rows)},
        {"what": "median of seconds", "value": float(np.median(taken))},
        {"what": "nine of ten within", "value": float(np.quantile(taken, 0.9))},
        {"what": "a plan is off by a factor of at most", "value": max(factors)},
    ]
    harness.write_result("small.json", quick, summary=summary, rows=rows)


if __name__ == "__main__":
    main()
