# SPDX-License-Identifier: MIT
"""Why a QR over patches: the same 2-D systems by nested dissection, by local orthogonalization with LSQR, and dense.

    u_t = D Δu on a torus, 100 or 300 features per patch, n × n patches; problem, points and space are those of patches.py

    patches   the default: Householder QR over patches (chain or nested dissection)
    lsqr k    `lrfm.LSQR`: every patch made orthonormal, then at most k steps
    dense     the QR of the whole matrix, where it fits

Every run is a process of its own with all cores. Results: benchmarks/results/structured.json.

    python benchmarks/structured.py [--quick]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from dataclasses import dataclass

import patches

from lrfm import LSQR, QR

STEPS = ("lsqr 100", "lsqr 5000")
QUICK = {(4, 100): ("patches", "lsqr 100", "dense")}
FULL = {  # (patches along an axis, features of a patch)
    (4, 100): ("patches", *STEPS, "dense"),
    (4, 300): ("patches", *STEPS, "dense"),
    (8, 100): ("patches", *STEPS, "dense"),
    (16, 100): ("patches", *STEPS),
    (32, 100): ("lsqr 5000",),  # the QR of this system is the largest row of patches.json
}
LIMIT = 900.0  # seconds


@dataclass(frozen=True, kw_only=True)
class Dense(QR):
    """The default solver on the whole matrix."""

    def solve(self, A, b, blocks=None):
        return super().solve(A.toarray(), b, blocks)


def run(size: int, features: int, way: str) -> dict[str, object]:
    """One solve in this process."""
    import numpy as np

    import lrfm

    stated, exact = patches.problem("2d", size)
    parts = patches.parts("2d", size, features, 3.2)
    if way != "patches":
        parts["least_squares"] = Dense() if way == "dense" else LSQR(steps=int(way.split()[1]))
    began = time.perf_counter()
    solution = lrfm.solve(stated, estimate=False, strict=False, **parts)
    seconds = time.perf_counter() - began
    rng = np.random.default_rng(1)
    at = {name: rng.uniform(size=20_000) for name in (*stated.domain.names, "t")}
    true = exact(**at)
    return {
        "patches": f"{size} × {size}",
        "unknowns": features * size**2,
        "rows": solution.report.rows,
        "way": way,
        "seconds": seconds,
        "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "error": float(np.linalg.norm(solution(**at) - true) / np.linalg.norm(true)),
    }


def main() -> None:
    """Run all, print a table, write the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="the smallest size, nothing is written")
    parser.add_argument(
        "--one", nargs=3, metavar=("SIZE", "FEATURES", "WAY"), help="one run in this process, as JSON"
    )
    given = parser.parse_args()
    if given.one:
        print(json.dumps(run(int(given.one[0]), int(given.one[1]), given.one[2])))
        return
    import harness

    rows = []
    for (size, features), ways in (QUICK if given.quick else FULL).items():
        for way in ways:
            r = harness.alone(__file__, size, features, way, threads=os.cpu_count(), limit=LIMIT)
            if r is None:
                rows.append({"patches": f"{size} × {size}", "unknowns": features * size**2, "way": way})
                continue
            rows.append(r)
            harness.say(
                f"{size} x {size} x {features}, {way}: {r['seconds']:.2f} s, {r['gigabytes']:.2f} GB, error {harness.show(r['error'])}"
            )
    if not given.quick:
        harness.write_result("structured.json", rows=rows)


if __name__ == "__main__":
    main()
