# SPDX-License-Identifier: MIT
"""How well `lrfm.plan` foresees a solve: processor seconds that it says, and those that the solve then takes, on the whole catalog.

Both with the tolerance alone, in a process that has planned the problem before, so that neither pays for what is loaded once. Reference solutions of the catalog
that are computed are computed first: they are no part of a solve. A solve may end at `max_seconds`, and its plan is told so. The bar: within a factor of three.
Results: benchmarks/results/plans.json, made anew problem by problem.

    python benchmarks/plans.py [NAME...] [--quick]
"""

from __future__ import annotations

import argparse
import json
import time

import harness
import numpy as np

import lrfm
from lrfm.solution.reference import reference_values

TOL, LIMIT, BAR = 1e-6, 120.0, 3.0
FILE = harness.RESULTS / "plans.json"


def measure(name: str) -> dict[str, object]:
    """Seconds foreseen and spent, and their ratio."""
    problem = lrfm.catalog.get(name)
    ends = {**problem.domain.axes, "t": problem.time}
    reference_values(problem, {axis: np.linspace(*span, 5) for axis, span in ends.items()})
    lrfm.plan(problem, tol=TOL, max_seconds=LIMIT)
    began = time.process_time()
    plan = lrfm.plan(problem, tol=TOL, max_seconds=LIMIT)
    planned = time.process_time()
    solution = lrfm.solve(problem, tol=TOL, max_seconds=LIMIT, strict=False, progress=False)
    spent = time.process_time() - planned
    return {
        "problem": name,
        "method": plan.method,
        "planning": round(planned - began, 3),
        "planned": round(plan.seconds, 3),
        "solve": round(spent, 3),
        "ratio": round(spent / plan.seconds, 2),
        "status": solution.report.status,
    }


def main() -> None:
    """Measure some problems or all, keep what is known of the others, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="problems of the catalog; all of them by default")
    parser.add_argument("--quick", action="store_true", help="two problems, nothing is written")
    given = parser.parse_args()
    chosen = ("heat-1d", "burgers") if given.quick else given.names or lrfm.catalog.names(spin=False)
    known = {row["problem"]: row for row in json.loads(FILE.read_text())["rows"]} if FILE.exists() else {}
    for name in chosen:
        known[name] = measure(name)
        rows = [known[n] for n in lrfm.catalog.names(spin=False) if n in known]
        harness.write_result("plans.json", given.quick, rows=rows, bar=BAR)
    heads = ("problem", "planned, s", "solve, s", "ratio", "status")
    body = [(r["problem"], r["planned"], r["solve"], r["ratio"], r["status"]) for r in known.values()]
    harness.say(harness.table(heads, body))


if __name__ == "__main__":
    main()
