# SPDX-License-Identifier: MIT
"""The one-dimensional problems of the catalog to nine digits, `tol` alone: what was claimed, what is true, how long it took.

Processor time of one thread, second draw and estimate included. The error is relative, in L² over space and time, against the reference of the
catalog, the worst of all unknowns. Results: benchmarks/results/digits.json.

    python benchmarks/digits.py [--tol 1e-9] [--only cantilever beam] [--seed 0] [--quick]
"""

from __future__ import annotations

import argparse
import time

import harness
import numpy as np

import lrfm
from lrfm.solution.reference import random_points, reference_values, relative_l2

MOST = 40.0  # seconds of one solve
POINTS = 6000


def measure(name: str, tol: float, seed: int) -> harness.Row:
    """One solve with its claim and its error."""
    known = lrfm.catalog.get(name)
    problem = known.replace(reference=None)
    began = time.process_time()
    try:
        solution = lrfm.solve(problem, tol=tol, strict=False, max_seconds=MOST, seed=seed, progress=False)
    except lrfm.ConvergenceError as error:
        return {"problem": name, "status": str(error), "met": False, "seconds": time.process_time() - began}
    seconds, report = time.process_time() - began, solution.report
    met = bool(report.error_estimate <= tol)
    row: harness.Row = {
        "problem": name,
        "status": report.status,
        "met": met,
        "estimate": report.error_estimate,
    }
    row |= {"decided by": report.decided_by, "seconds": seconds}
    if known.reference is not None and solution.pieces[-1].window[1] == problem.time[1]:
        points = random_points(known, POINTS, np.random.default_rng(1))
        exact = reference_values(known, points, report.undetermined)
        row["error"] = max(relative_l2(solution[name](**points), value) for name, value in exact.items())
    return row


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tol", type=float, default=1e-9)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[], help="names; results are not kept")
    parser.add_argument("--quick", action="store_true", help="three problems; results are not kept")
    given = parser.parse_args()
    names = [n for n in lrfm.catalog.names(spin=False) if lrfm.catalog.get(n).domain.dimension == 1]
    names = given.only or (names[:3] if given.quick else names)
    measure("heat-1d", 1e-3, 0)  # loads and compiles what is loaded and compiled once
    rows = []
    for name in names:
        rows.append(measure(name, given.tol, given.seed))
        harness.say(" ".join(f"{k} {v:.3g}" if isinstance(v, float) else str(v) for k, v in rows[-1].items()))
    taken = [row["seconds"] for row in rows]
    false = [row for row in rows if row["met"] and row.get("error", 0.0) > given.tol]
    summary = [
        {"what": "problems", "value": len(rows)},
        {"what": "met", "value": sum(row["met"] for row in rows)},
        {"what": "claimed falsely", "value": len(false)},
        {"what": "median of seconds", "value": float(np.median(taken))},
        {"what": "nine of ten within", "value": float(np.quantile(taken, 0.9))},
    ]
    for line in summary:
        harness.say(f"{line['what']}: {line['value']:.3g}")
    if not given.only and given.tol == 1e-9:
        harness.write_result("digits.json", given.quick, summary=summary, rows=rows)


if __name__ == "__main__":
    main()
