# SPDX-License-Identifier: MIT
"""Total solve time over the ideal: the flops of the factorizations done, at the rate of a matrix product.

    ideal = (factorizations) · 2mn² / rate,   rate = 2k³ / seconds of a k × k dgemm with the same number of threads

2mn² are the flops of the QR of [ρI; A]; 2mn² − ⅔n³ would be those without the ridge. Allen-Cahn with global features, fixed parts,
Newton, from parts to report (no second draw); rows as in the paper (2000 + 400) up to P = 960, then 1.6 P + 0.25 P. Three ways:

    plain  points scattered, a factorization in every step
    grid   points a product of places and times, where what depends on x alone is computed once per place
    reuse  points scattered, one factorization for several steps: the time falls, and since fewer are done this ideal even more;
           its time over the ideal of plain Newton is shown, too

Products and solves take turns, the best of each counts. Every run is a process of its own.
Results: benchmarks/results/lapack.json.

    python benchmarks/lapack.py [--quick] [--sizes 240,400] [--threads 1,2]
"""

from __future__ import annotations

import argparse

import harness  # sets the number of threads, so it comes before NumPy
import numpy as np
from scipy.linalg import blas

import lrfm
from lrfm.linalg.threads import suited_to
from lrfm.solution.reference import grid_points, true_error

SIZES = (240, 400, 960, 2000, 3840)
SMALL = 700  # columns below which one thread is used, whatever there is
BARS = {400: 5.0, 3840: 3.0}
WAYS = ("plain", "grid", "reuse")
SHOWN = {  # columns of the table that is printed
    "size": "d", "plain_rows": "d", "threads": "d", "rate": ".2g", "plain_seconds": ".3f", "plain_steps": "d", "plain_ratio": ".2f",
    "grid_ratio": ".2f", "reuse_seconds": ".3f", "reuse_factorizations": "d", "reuse_over_plain_ideal": ".2f", "reuse_error": ".1e",
}  # fmt: skip


def solve(size: int, way: str) -> lrfm.Solution:
    """One solve in one of the ways."""
    rows = lrfm.Collocation(
        interior=max(2000, round(1.6 * size)),
        initial=max(400, size // 4),
        time="chebyshev",
        sampling="grid" if way == "grid" else "latin-hypercube",
        initial_weight=10.0,
    )
    return lrfm.solve(
        lrfm.catalog.allen_cahn(),
        method=lrfm.SpaceTime(
            space=lrfm.Liquid(features=size, weights=1.0, gate=10.0),
            collocation=rows,
            nonlinear=lrfm.Newton(reuse=way == "reuse"),
        ),
        estimate=False,
        strict=False,
    )


def run(size: str, rounds: str) -> harness.Row:
    """One size in this process."""
    n, k = int(size), 1500
    matrix = np.asfortranarray(np.random.default_rng(0).standard_normal((k, k)))
    least, found, rate = dict.fromkeys(WAYS, np.inf), {}, 0.0
    for _ in range(int(rounds) + 1):  # the first round compiles formulas and wakes threads
        with suited_to(n):
            rate = max(rate, 2.0 * k**3 / harness.best(lambda: blas.dgemm(1.0, matrix, matrix), 3)[0])
        for way in WAYS:
            seconds, found[way] = harness.best(lambda way=way: solve(n, way), 1)
            least[way] = min(least[way], seconds)
    row: harness.Row = {"size": n, "rate": rate}
    for way, solution in found.items():
        report = solution.report.block_reports[0]
        ideal = report.factorizations * lrfm.QR().flops(report.rows, report.columns) / rate
        row |= {
            f"{way}_rows": report.rows,
            f"{way}_steps": report.steps,
            f"{way}_factorizations": report.factorizations,
            f"{way}_seconds": least[way],
            f"{way}_ideal": ideal,
            f"{way}_ratio": least[way] / ideal,
            f"{way}_error": true_error(solution, grid_points(solution.problem, 201, 21)),
        }
    return row | {"reuse_over_plain_ideal": least["reuse"] / row["plain_ideal"]}


def main() -> None:
    """Run all sizes, print a table, write the results."""
    if harness.answers(run):
        return
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="two small sizes, nothing is written")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=0)
    given = parser.parse_args()
    sizes = (240, 400) if given.quick else tuple(int(word) for word in given.sizes.split(","))
    rows = []
    harness.say(" | ".join(SHOWN))
    for threads in (int(word) for word in given.threads.split(",")):
        for size in sizes if threads == 1 else [size for size in sizes if size >= SMALL]:
            rounds = given.rounds or (5 if size < 1000 else 2 if size < 3000 else 1)
            row = harness.in_process(__file__, size, rounds, threads=threads)
            if row is not None:
                rows.append(row | {"threads": threads})
                harness.say(" | ".join(f"{rows[-1][name]:{form}}" for name, form in SHOWN.items()))
    for row in rows:
        bar = BARS.get(row["size"])
        for way in ("plain", "grid") if bar else ():
            ratio, met = row[f"{way}_ratio"], "met" if row[f"{way}_ratio"] <= bar else "not met"
            where = f"P = {row['size']}, {row['threads']} thread(s), {way}"
            harness.say(f"{where}: {ratio:.2f} times the ideal (bar {bar:g}, {met})")
    harness.write_result("lapack.json", given.quick, rows=rows)


if __name__ == "__main__":
    main()
