# SPDX-License-Identifier: MIT
"""Random features as functions of a cell beside polynomials, and what a seed changes: error, estimate, CPU seconds.

    python benchmarks/features.py            # ten statements of the catalog at 1e-6, into benchmarks/results/features.jsonl
    python benchmarks/features.py burgers    # those whose name contains a word
    python benchmarks/features.py --summary  # errors and times of all, medians and spread over the seeds

With features the comparison solve is by polynomials: errors of both solves, their distance and so the estimate then have no functions in common. One process;
solves with polynomials and with features in turn, the least CPU time of three of each.
"""

from __future__ import annotations

import json
import sys
import time
from statistics import median

from cells import ROOT, STATEMENTS, true_error

import lrfm

RESULT = ROOT / "benchmarks" / "results" / "features.jsonl"
NAMES = (
    "heat-1d", "heat-radiation", "fokker-planck", "burgers-front", "allen-cahn", "fisher-kpp", "gray-scott", "sine-gordon", "kdv-periodic",
    "kuramoto-sivashinsky",
)  # fmt: skip
TOL = 1e-6
SEEDS = range(5)
REPEATS = 3


def measured(name: str, space: str, seed: int) -> dict[str, object]:
    """One solve."""
    problem = STATEMENTS[f"catalog {name}"][0]()
    began = time.process_time()
    solution = lrfm.solve(problem, tol=TOL, seed=seed, strict=False, method=lrfm.Lines(space=space))
    spent, report = time.process_time() - began, solution.report
    return {
        "statement": name,
        "space": space,
        "seed": seed,
        "tol": TOL,
        "met": not report.failed,
        "error": true_error(solution),
        "estimate": report.error_estimate,
        "cpu": spent,
        "cells": report.parts["cells"],
        "steps": report.steps,
        "functions": report.engine.functions,
        "attempts": 1 + len(report.choices),
    }


def summary(rows: list[dict[str, object]]) -> None:
    """Of each statement and each kind of functions: the median over the seeds, and how far estimates are apart."""
    print(
        "| statement | functions | error | estimate | over the seeds | estimate/error | CPU s | cells | steps |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name in NAMES:
        for space in ("cells", "features"):
            own = [r for r in rows if (r["statement"], r["space"]) == (name, space)]
            if not own:
                continue
            error, estimate = ([r[key] for r in own] for key in ("error", "estimate"))
            ratios, first = [e / t for e, t in zip(estimate, error, strict=True)], own[0]
            print(
                f"| {name} | {first['functions'].split(',')[0]} | {median(error):.1e} | {median(estimate):.1e} | {min(estimate):.1e} to {max(estimate):.1e}"
                f" | {min(ratios):.1f} to {max(ratios):.1f} | {first['cpu']:.2f} | {first['cells']} | {first['steps']} |"
            )


def main() -> None:
    rows = {}
    if RESULT.exists():
        rows = {
            (r["statement"], r["space"], r["seed"]): r
            for r in map(json.loads, RESULT.read_text().splitlines())
        }
    if sys.argv[1:] == ["--summary"]:
        summary(list(rows.values()))
        return
    for name in NAMES:
        if sys.argv[1:] and not any(word in name for word in sys.argv[1:]):
            continue
        for seed in SEEDS:
            for space in ("cells", "features"):
                found = [measured(name, space, seed) for _ in range(REPEATS if seed == 0 else 1)]
                row = found[0] | {"cpu": min(r["cpu"] for r in found)}
                rows[name, space, seed] = row
                print(json.dumps(row), flush=True)
    RESULT.write_text("".join(json.dumps(row) + "\n" for row in rows.values()))


if __name__ == "__main__":
    main()
