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
import os
from dataclasses import dataclass

import harness  # sets the number of threads, so it comes before NumPy
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


def run(size: str, features: str, way: str) -> harness.Row:
    """One solve in this process."""
    n, per_patch = int(size), int(features)
    parts = patches.parts("2d", n, per_patch, 3.2)
    if way != "patches":
        parts["least_squares"] = Dense() if way == "dense" else LSQR(steps=int(way.split()[1]))
    return named(n, per_patch, way) | patches.measured(patches.problem("2d", n), parts)


def named(size: int, features: int, way: str) -> harness.Row:
    return {"patches": f"{size} × {size}", "unknowns": features * size**2, "way": way}


def main() -> None:
    """Run all, print a table, write the results."""
    if harness.answers(run):
        return
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="the smallest size, nothing is written")
    given = parser.parse_args()
    rows = []
    for (size, features), ways in (QUICK if given.quick else FULL).items():
        for way in ways:
            row = harness.in_process(__file__, size, features, way, threads=os.cpu_count(), limit=LIMIT)
            rows.append(row or named(size, features, way))
            if row:
                harness.say(
                    f"{size} x {size} x {features}, {way}: {row['seconds']:.2f} s, {row['bytes'] / 2**30:.2f} GB, "
                    f"error {harness.show(row['error'])}"
                )
    harness.write_result("structured.json", given.quick, rows=rows)


if __name__ == "__main__":
    main()
