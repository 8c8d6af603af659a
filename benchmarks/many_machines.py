# SPDX-License-Identifier: MIT
"""One worker against two, separate processes with one thread each: a sweep, and the rows of one tall system.

    sweep: 16 runs of Allen-Cahn, P = 400            rows: Allen-Cahn, P = 400, 60,000 rows in chunks of 4000
    efficiency = seconds with 1 worker / (2 × seconds with 2 workers)

One and two workers take turns, so that they meet the same machine, and the best round of each counts. Workers are warm: imports
and a first run are not timed. Rows are also solved on two threads, assembled anew in every step (the out-of-core path), and
densely, for comparison; the functions found are compared with the dense one. Results: benchmarks/results/distributed.json.

    python benchmarks/many_machines.py [--rounds 3] [--quick]

A file called distributed.py in this folder would hide the library of that name.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import harness
import numpy as np
from distributed import Client, LocalCluster

import lrfm
from lrfm.solution.reference import relative_l2

WORKERS = (1, 2)
FULL = {"runs": 16, "features": 400, "interior": 60_000, "chunk": 4000}
QUICK = {"runs": 4, "features": 60, "interior": 3000, "chunk": 300}


def sweep(size: dict[str, int], client: Client) -> None:
    """An ensemble, kept in memory."""
    parts = _parts(size["features"], round(3.2 * size["features"]))
    lrfm.sweep(
        lrfm.catalog.allen_cahn(),
        seeds=size["runs"],
        client=client,
        solve={"method": parts, "estimate": False},
    )


def rows(size: dict[str, int], least_squares: object) -> lrfm.Solution:
    """One solve with many rows; five steps of Newton, so that every way does the same work."""
    parts = _parts(size["features"], size["interior"])
    newton = lrfm.Newton(tol=1e-300, max_steps=5, reuse=False)
    return lrfm.solve(
        lrfm.catalog.allen_cahn(),
        method=replace(parts, least_squares=least_squares, nonlinear=newton),
        strict=False,
        estimate=False,
    )


def _parts(features: int, interior: int) -> lrfm.SpaceTime:
    points = lrfm.Collocation(
        interior=interior,
        initial=round(0.6 * features),
        boundary=round(0.25 * features),
        time="chebyshev",
        initial_weight=10.0,
    )
    return lrfm.SpaceTime(space=lrfm.Liquid(features=features, gate=10.0), collocation=points)


def measure(size: dict[str, int], rounds: int) -> dict[str, object]:
    """Best seconds of every way, taken in turns, and how far the functions found lie from the dense one."""
    best: dict[str, dict[str, float]] = {"sweep": {}, "rows": {}}
    found: dict[str, lrfm.Solution] = {}

    def note(kind: str, way: str, taken: float) -> None:
        best[kind][way] = min(taken, best[kind].get(way, taken))
        harness.say(f"{kind}, {way}: {taken:.2f} s")

    for turn in range(rounds):
        for count in WORKERS if turn % 2 else WORKERS[::-1]:
            way = f"{count} worker" + ("s" if count > 1 else "")
            with (
                LocalCluster(
                    n_workers=count,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=":0",
                    silence_logs=50,
                ) as cluster,
                Client(cluster) as client,
            ):
                sweep({**QUICK, "runs": 2 * count}, client)
                note("sweep", way, harness.best(lambda client=client: sweep(size, client), 1)[0])
                spread = lrfm.Distributed(chunk_rows=size["chunk"], scheduler=client)
                rows(QUICK, lrfm.Distributed(chunk_rows=QUICK["chunk"], scheduler=client))
                taken, found[way] = harness.best(lambda spread=spread: rows(size, spread), 1)
                note("rows", way, taken)
        for way, solver in (
            ("threads", lrfm.Distributed(chunk_rows=size["chunk"], jobs=2)),
            ("dense", lrfm.QR()),
        ):
            taken, found[way] = harness.best(lambda solver=solver: rows(size, solver), 1)
            note("rows", way, taken)
    dense, report = _values(found.pop("dense")), found["threads"].report
    rows_taken = [
        {"kind": kind, **ways, "efficiency": ways["1 worker"] / (2 * ways["2 workers"])}
        for kind, ways in best.items()
    ]
    gaps = {way: relative_l2(_values(u), dense) for way, u in found.items()}
    return {"size": {**size, "rows": report.rows}, "rows": rows_taken, "difference from dense": gaps}


def _values(solution: lrfm.Solution) -> np.ndarray:
    return solution(x=np.linspace(-1, 1, 101)[:, None], t=np.linspace(*solution.problem.time, 21))


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, help="3, or 1 if quick")
    parser.add_argument("--quick", action="store_true", help="small sizes, and nothing is written")
    given = parser.parse_args()
    rounds = given.rounds or (1 if given.quick else 3)
    found = measure(QUICK if given.quick else FULL, rounds)
    for row in found["rows"]:
        harness.say(
            ", ".join(f"{name} {value if name == 'kind' else f'{value:.2f}'}" for name, value in row.items())
        )
    harness.say(f"relative difference from dense: {found['difference from dense']}")
    harness.write_result("distributed.json", given.quick, rounds=rounds, **found)


if __name__ == "__main__":
    main()
