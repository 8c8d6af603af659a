# SPDX-License-Identifier: MIT
"""Against the paper's own way of doing it: features patch by patch, matrix and truncated SVD anew in every Picard step.

The paper's `timing` row, Allen-Cahn with P = 240 (Paper, tab:timing), on the same features for the same seeds: the plain loop, `lrfm.solve` with
the same protocol, and with our own (rows in proportion to the features, Newton, QR). For L-RFM-Local also a local space of the same K and P with
settings of our own: patches that overlap little, so that the QR over patches has zeros to use, periodic features, a gate scaled with the
window. Processor time of one thread, so that other work on the machine does not count. Results: benchmarks/results/plain_loop.json.

    python benchmarks/plain_loop.py [--quick] [--seeds 5]
"""

from __future__ import annotations

import argparse
import time

import harness
import numpy as np
from paper.case import METHODS
from paper.measure import errors
from paper.plain import compare
from paper.plan import Plan

import lrfm

BAR = 30.0  # times faster, for L-RFM-Local, at equal or smaller error
SPACE = lrfm.Liquid(
    per_patch=60, patches=4, overlap=0.25, weights=1.0, biases=1.0, gate=10.0, tau=(1.0, 20.0)
)
ROWS = lrfm.Collocation(
    interior=400, initial=150, boundary=20, time="chebyshev", window_units=True, initial_weight=10.0
)
KEYS = ("plain_seconds", "seconds", "own_seconds", "plain_l2", "l2", "own_l2", "speedup", "own_speedup")


def case():
    """The case of the paper's timing table."""
    return Plan(seeds=(0,)).case("allen-cahn", per_patch=60)


def local(seed: int) -> dict[str, float]:
    """Our local space: processor seconds and error."""
    problem = case().statement()
    method = lrfm.SpaceTime(space=SPACE, collocation=ROWS, nonlinear=lrfm.Newton(tol=1e-8))
    lrfm.solve(problem, method=method, seed=seed, estimate=False)  # formulas are compiled at the first use
    seconds, solution = harness.best(
        lambda: lrfm.solve(problem, method=method, seed=seed, estimate=False), 1, time.process_time
    )
    return {"local_seconds": seconds, "local_l2": errors(solution)["l2"]}


def main() -> None:
    """Run all methods, print a table, write the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one seed of one method, nothing is written")
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    rows = []
    for method in ("local",) if given.quick else METHODS:
        seeds = range(1 if given.quick else given.seeds)
        runs = [compare(case(), method, seed) for seed in seeds]
        keys = KEYS
        if method == "local":
            runs = [r | local(seed) for r, seed in zip(runs, seeds, strict=True)]
            runs = [r | {"local_speedup": r["plain_seconds"] / r["local_seconds"]} for r in runs]
            keys += ("local_seconds", "local_l2", "local_speedup")
        rows.append(
            {"method": method, **{k: float(np.median([r[k] for r in runs])) for k in keys}, "runs": runs}
        )
    head = ("method", "plain s", "same protocol s", "our own s", "plain error", "own error", "faster")
    harness.say(
        harness.table(
            head,
            [
                (
                    METHODS[r["method"]], f"{r['plain_seconds']:.2f}", f"{r['seconds']:.3f}", f"{r['own_seconds']:.3f}",
                    harness.show(r["plain_l2"]), harness.show(r["own_l2"]), f"{r['own_speedup']:.0f}",
                )
                for r in rows
            ],
        )
    )  # fmt: skip
    row = next(r for r in rows if r["method"] == "local")
    met = row["local_speedup"] >= BAR and row["local_l2"] <= row["plain_l2"]
    harness.say(
        f"L-RFM-Local with our settings: {row['local_seconds']:.3f} s, {row['local_speedup']:.1f} times faster than the plain loop, "
        f"error {harness.show(row['local_l2'])} (bar {BAR:g}, {'met' if met else 'not met'})"
    )
    harness.write_result("plain_loop.json", given.quick, rows=rows)


if __name__ == "__main__":
    main()
