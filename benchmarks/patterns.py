# SPDX-License-Identifier: MIT
"""Patterns, flows, chaos and waves with many modes and many steps: `lrfm.solve` with `tol` alone, each beside the seconds that it may take.

    python benchmarks/patterns.py              # all, each in a process of its own, into benchmarks/results/patterns.jsonl
    python benchmarks/patterns.py spin2 gs2    # those whose name contains a word
    python benchmarks/patterns.py --errors gl2 # and errors

Statements are in `pattern_statements.py`. `max_seconds` is twice what a statement may take, counted in CPU seconds as all others here: what else runs on the machine does not count. Seconds are CPU seconds of both solves and the estimate, memory is the largest of the process in MB, `clock` the CPU seconds of a fixed piece of work in the same process (transforms, products and exponentials,
the mean before and after): on a machine that others use, too, seconds over `clock` compare. With `--errors` a solve at a tenth of the tolerance follows, whose own estimate is `reference`; errors are relative L² errors over space and time against it, of the worst unknown, at random places and times.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import scipy.fft
from pattern_statements import STATEMENTS

import lrfm
from lrfm.solver import budget

RESULT = Path(__file__).resolve().parent / "results" / "patterns.jsonl"
PLACES = 2000
LONGER = 2.0  # than it may take: how far the others are off


def clock() -> float:
    """CPU seconds of a fixed piece of work of the kind that these solves consist of."""
    values = np.random.default_rng(0).random((2, 256, 256))
    began = time.process_time()
    for _ in range(20):
        found = scipy.fft.irfft2(scipy.fft.rfft2(values, workers=1), workers=1)
        values = np.exp(-(found**2)) * found + 0.1
    return time.process_time() - began


def error(problem: lrfm.Problem, solution, strict) -> float:
    """The relative L² distance over space and time, the worst unknown."""
    rng = np.random.default_rng(7)
    box = problem.domain
    end = min(s.pieces[-1].window[1] for s in (solution, strict))
    places = box.lower + (box.upper - box.lower) * rng.random((PLACES, box.dimension))
    times = np.repeat(problem.time[0] + (end - problem.time[0]) * rng.random(PLACES // 20), 20)
    points = np.column_stack([places, times])
    jets = problem.value_jets
    a, b = (s.pieces[0].values(jets, points) for s in (solution, strict))
    return max(float(np.linalg.norm(a[j] - b[j]) / max(np.linalg.norm(b[j]), 1e-300)) for j in jets)


def measured(name: str, errors: bool) -> dict:
    make, tol, limit = STATEMENTS[name]
    budget.now = time.process_time
    problem = make()
    lrfm.solve  # noqa: B018  # loads what it needs before the clock starts
    before = clock()
    began = time.process_time()
    solution = lrfm.solve(problem, tol=tol, strict=False, max_seconds=max(LONGER * limit, 10.0))
    seconds = time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    report = solution.report
    row = {
        "name": name,
        "tol": tol,
        "met": str(report.status) == "tolerance met",
        "status": str(report.status),
        "estimate": report.error_estimate,
        "seconds": round(seconds, 2),
        "limit": limit,
        "memory": round(memory),
        "size": report.engine.size,
        "steps": report.engine.steps,
        "clock": round((before + clock()) / 2, 4),
    }
    if not row["met"]:
        row["met_until"] = report.met_until
    if errors and row["met"]:
        strict = lrfm.solve(problem, tol=tol / 10, strict=False, max_seconds=10 * limit)
        row["reference"] = strict.report.error_estimate
        row["error"] = error(problem, solution, strict)
    return row


def main(words: list[str]) -> None:
    options = [w for w in words if w.startswith("--")]
    words = [w for w in words if not w.startswith("--")]
    if len(words) == 1 and words[0] in STATEMENTS:
        import harness

        where = harness.as_installed()
        row = measured(words[0], "--errors" in options) | where
        print(json.dumps({k: v for k, v in row.items() if k != "machine"}), flush=True)
        kept = {str(r["name"]): r for r in harness.read_result(RESULT)}
        kept[row["name"]] = row
        rows = [kept[name] for name in STATEMENTS if name in kept]
        RESULT.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
        return
    for name in STATEMENTS:
        if not words or any(word in name for word in words):
            subprocess.run([sys.executable, __file__, name, *options], check=False)


if __name__ == "__main__":
    main(sys.argv[1:])
