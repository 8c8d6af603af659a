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
import json
import time

SIZES = (240, 400, 960, 2000, 3840)
SMALL = 700  # columns below which one thread is used, whatever there is
BARS = {400: 5.0, 3840: 3.0}
WAYS = ("plain", "grid", "reuse")


def product_seconds(size: int) -> tuple[float, float]:
    """(seconds, flops) of one matrix product."""
    import numpy as np
    from scipy.linalg import blas

    a = np.asfortranarray(np.random.default_rng(0).standard_normal((size, size)))
    began = time.perf_counter()
    blas.dgemm(1.0, a, a)
    return time.perf_counter() - began, 2.0 * size**3


def solve(size: int, way: str) -> tuple[float, object]:
    """Seconds of one solve, and its solution."""
    import lrfm

    problem = lrfm.catalog.allen_cahn()
    space = lrfm.Liquid(features=size, weights=1.0, gate=10.0)
    rows = lrfm.Collocation(
        interior=max(2000, round(1.6 * size)),
        initial=max(400, size // 4),
        time="chebyshev",
        sampling="grid" if way == "grid" else "latin-hypercube",
        initial_weight=10.0,
    )
    began = time.perf_counter()
    solution = lrfm.solve(
        problem,
        space=space,
        collocation=rows,
        nonlinear=lrfm.Newton(reuse=way == "reuse"),
        estimate=False,
        strict=False,
    )
    return time.perf_counter() - began, solution


def run(size: int, rounds: int) -> dict[str, object]:
    """One size in this process."""
    import numpy as np

    from lrfm.linalg import QR
    from lrfm.linalg.threads import suited_to

    best: dict[str, float] = {}
    found = {}
    rate = 0.0
    for _ in range(rounds + 1):  # the first round compiles formulas and wakes threads
        with suited_to(size):
            rate = max(
                rate, *(flops / seconds for seconds, flops in (product_seconds(1500) for _ in range(3)))
            )
        for way in WAYS:
            seconds, found[way] = solve(size, way)
            best[way] = min(best.get(way, np.inf), seconds)
    row: dict[str, object] = {"size": size, "rate": rate}
    for name in WAYS:
        report = found[name].report.block_reports[0]
        m, n = report.rows, report.columns
        ideal = report.factorizations * QR().flops(m, n) / rate
        problem = found[name].problem
        x, t = np.linspace(*problem.domain.axes["x"], 201)[:, None], np.linspace(*problem.time, 21)
        exact = problem.reference(x=x, t=t)
        row |= {
            f"{name}_rows": m,
            f"{name}_steps": report.steps,
            f"{name}_factorizations": report.factorizations,
            f"{name}_seconds": best[name],
            f"{name}_ideal": ideal,
            f"{name}_ratio": best[name] / ideal,
            f"{name}_error": float(np.linalg.norm(found[name](x=x, t=t) - exact) / np.linalg.norm(exact)),
        }
    return row | {"reuse_over_plain_ideal": row["reuse_seconds"] / row["plain_ideal"]}


def main() -> None:
    """Run all sizes, print a table, write the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="two small sizes, nothing is written")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--one", type=int, metavar="SIZE", help="one run in this process, as JSON")
    parser.add_argument("--rounds", type=int, default=0)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(run(given.one, given.rounds)))
        return
    import harness

    sizes = (240, 400) if given.quick else tuple(int(word) for word in given.sizes.split(","))
    rows = []
    head = (
        "P",
        "rows",
        "threads",
        "GFlop/s",
        "plain s",
        "steps",
        "over ideal",
        "on a grid",
        "reuse s",
        "factorizations",
        "over plain ideal",
        "error",
    )
    harness.say(" | ".join(head))
    for threads in (int(word) for word in given.threads.split(",")):
        for size in sizes:
            if threads > 1 and size < SMALL:
                continue
            rounds = given.rounds or (5 if size < 1000 else 2 if size < 3000 else 1)
            found = harness.alone(__file__, size, "--rounds", rounds, threads=threads)
            if found is None:
                continue
            r = found | {"threads": threads}
            rows.append(r)
            harness.say(
                f"{size} | {r['plain_rows']} | {threads} | {r['rate'] / 1e9:.0f} | {r['plain_seconds']:.3f} | {r['plain_steps']} | "
                f"{r['plain_ratio']:.2f} | {r['grid_ratio']:.2f} | {r['reuse_seconds']:.3f} | {r['reuse_factorizations']} | "
                f"{r['reuse_over_plain_ideal']:.2f} | {r['reuse_error']:.1e}"
            )
    for size, bar in BARS.items():
        for r in (r for r in rows if r["size"] == size):
            for way in ("plain", "grid"):
                ratio = r[f"{way}_ratio"]
                met = "met" if ratio <= bar else "not met"
                harness.say(
                    f"P = {size}, {r['threads']} thread(s), {way}: {ratio:.2f} times the ideal (bar {bar:g}, {met})"
                )
    if not given.quick:
        harness.write_result("lapack.json", rows=rows)


if __name__ == "__main__":
    main()
