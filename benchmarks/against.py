# SPDX-License-Identifier: MIT
"""What the catalog costs now beside an earlier commit: a box must cost what it cost before there were other domains.

    python benchmarks/against.py 9b6a3c4              # the last commit before domains of any shape
    python benchmarks/against.py main~5 --only wave

Each problem is solved by both in turn, in processes of their own with one thread, three times; the quotient of the best processor times counts. Statements that take an
earlier commit longer than MOST seconds are left out. Results: benchmarks/results/against.json.
"""

from __future__ import annotations

import harness  # isort: skip

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import lrfm

TOL, ROUNDS, MOST = 1e-6, 3, 20.0
ROOT = Path(__file__).parent.parent
SOLVE = """
import json, sys, time
import lrfm
problem = lrfm.catalog.get(sys.argv[1]).replace(reference=None)
lrfm.solve(lrfm.catalog.get("heat-1d"), tol=1e-2, strict=False)  # what is imported once is nobody's
began = time.process_time()
report = lrfm.solve(problem, tol=float(sys.argv[2]), strict=False, max_seconds=float(sys.argv[3])).report
print(json.dumps({"seconds": time.process_time() - began, "met": bool(report.error_estimate <= float(sys.argv[2]))}))
"""


def solved(tree: Path, name: str) -> harness.Row | None:
    """Seconds of one solve with the source of a tree; None where it has no answer."""
    environment = os.environ | {
        "PYTHONPATH": str(tree / "src"),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    words = [sys.executable, "-c", SOLVE, name, str(TOL), str(MOST)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, cwd=tree, check=False)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


def compared(before: Path, name: str) -> harness.Row:
    """The best of several solves by both, and their quotient."""
    times: dict[str, list[float]] = {"before": [], "now": []}
    met = {"before": True, "now": True}
    for _ in range(ROUNDS):
        for which, tree in (("before", before), ("now", ROOT)):
            found = solved(tree, name)
            met[which] &= found is not None and bool(found["met"])
            times[which].append(np.inf if found is None else harness.number(found, "seconds"))
        if max(min(t) for t in times.values()) > MOST / 4:
            break
    best = {which: min(seconds) for which, seconds in times.items()}
    return {"problem": name, **best, "ratio": best["now"] / best["before"], "met": met}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("revision", help="an earlier commit")
    parser.add_argument(
        "--only", nargs="*", default=[], help="problems of the catalog; all of them if there is none"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder) / "before"
        subprocess.run(["git", "worktree", "add", "--detach", before, options.revision], cwd=ROOT, check=True)
        try:
            rows = []
            for name in options.only or lrfm.catalog.names(spin=False):
                rows.append(compared(before, name))
                harness.say(json.dumps(rows[-1]))
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", before], cwd=ROOT, check=True)
    both = [row for row in rows if all(row["met"].values())]  # type: ignore[attr-defined]
    ratios = [harness.number(row, "ratio") for row in both]
    summary = {"revision": options.revision, "met by both": len(both), "of": len(rows)}
    if ratios:
        summary |= {"median ratio": float(np.median(ratios)), "worst ratio": max(ratios)}
    harness.say(json.dumps(summary))
    harness.write_result("against.json", bool(options.only), summary=summary, rows=rows)


if __name__ == "__main__":
    main()
