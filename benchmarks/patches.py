# SPDX-License-Identifier: MIT
"""Time and memory of local spaces: against the number of patches, the features of a patch, and the rows.

    1-D: u_t = D u_xx on a ring, 64 features per patch, 16 to 1024 patches
    2-D: u_t = D Δu on a torus, 100 features per patch, 4 × 4 to 32 × 32 patches (102,400 unknowns)

The solution has the same detail per patch at every size, and is known. Every run is a process of its own, so that its memory is
its own; slopes are those of log seconds against log size. Results: benchmarks/results/patches.json.

    python benchmarks/patches.py [--quick] [--only 1d,2d,features,rows]
"""

from __future__ import annotations

import argparse
import math
import os
import resource

import harness  # sets the number of threads, so it comes before NumPy
import numpy as np

import lrfm
from lrfm.solution.reference import random_points, true_error

QUICK = {"1d": [16, 64], "2d": [4, 6], "features": [16, 32], "rows": [2.5, 5.0]}
FULL = {
    "1d": [16, 32, 64, 128, 256, 512, 1024],
    "2d": [4, 8, 16, 24, 32],
    "features": [16, 32, 64, 128, 256],
    "rows": [2.0, 4.0, 8.0, 16.0],
}
BAR_PER_PATCH, BAR_ERROR, BAR_SECONDS, BAR_BYTES = 1.3, 1e-5, 900.0, 8 * 2**30


def problem(kind: str, patches: int) -> lrfm.Problem:
    """Waves of about six patches, which decay by a factor of e over the window."""
    a, b = 2 * np.pi * max(1, patches // 6), 2 * np.pi * max(1, patches // 9)
    if kind == "2d":
        box, D = lrfm.Box(x=(0, 1), y=(0, 1)), 1 / (a**2 + b**2)
        start = "sin(a*x)*sin(b*y) + 0.5*cos(b*x)*cos(a*y)"

        def exact(x, y, t):
            return np.exp(-t) * (np.sin(a * x) * np.sin(b * y) + 0.5 * np.cos(b * x) * np.cos(a * y))

    else:
        box, D = lrfm.Box(x=(0, 1)), 1 / a**2
        start = "sin(a*x) + 0.5*cos(b*x)"

        def exact(x, t):
            return np.exp(-t) * np.sin(a * x) + 0.5 * np.exp(-((b / a) ** 2) * t) * np.cos(b * x)

    return lrfm.Problem(
        "u_t = D*lap(u)", domain=box, time=(0, 1), initial=start, boundary="periodic",
        parameters={"D": D, "a": a, "b": b}, reference=exact,
    )  # fmt: skip


def parts(kind: str, patches: int, features: int, ratio: float) -> dict[str, object]:
    """Space and points with `ratio` equation rows per unknown."""
    total = features * patches ** (2 if kind == "2d" else 1)
    points = lrfm.Collocation(
        interior=round(ratio * total), initial=round(0.6 * total), boundary=16, time="chebyshev",
        window_units=True, initial_weight=10.0,
    )  # fmt: skip
    space = lrfm.Liquid(
        per_patch=features, patches=patches, weights=0.5 if kind != "2d" else 0.3, gate=0.3, tau=(0.5, 20.0)
    )
    return {"space": space, "collocation": points}


def measured(stated: lrfm.Problem, given: dict[str, object]) -> harness.Row:
    """One solve in this process: its rows, seconds, peak memory and error."""
    seconds, solution = harness.best(
        lambda: lrfm.solve(stated, estimate=False, strict=False, method=lrfm.SpaceTime(**given)), 1
    )
    return {
        "rows": solution.report.rows,
        "seconds": seconds,
        "bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "error": true_error(solution, random_points(stated, 20_000, np.random.default_rng(1))),
    }


def run(kind: str, word: str) -> harness.Row:
    """One size."""
    size = float(word)
    patches = {"1d": int(size), "2d": int(size), "features": 32, "rows": 32}[kind]
    features = {"1d": 64, "2d": 100, "features": int(size), "rows": 64}[kind]
    stated = problem(kind, patches)
    count = patches**stated.domain.dimension
    found = measured(stated, parts(kind, patches, features, size if kind == "rows" else 3.2))
    sizes = {"kind": kind, "size": size, "patches": count, "unknowns": features * count}
    return sizes | found | {"dense_bytes": 8 * features * count * found["rows"]}


def slope(rows: list[dict[str, object]]) -> float:
    """Of log seconds against log size, over the upper half of the sizes."""
    upper = sorted(rows, key=lambda r: r["size"])[len(rows) // 2 - 1 :]
    x, y = ([math.log(float(r[key])) for r in upper] for key in ("size", "seconds"))
    return float(np.polyfit(x, y, 1)[0]) if len(upper) > 1 else math.nan


def bars(rows: list[dict[str, object]]) -> list[tuple[str, float, float, bool]]:
    """(what, value, bar, met) of what was run."""
    found = []
    line = {r["size"]: r["seconds"] / r["patches"] for r in rows if r["kind"] == "1d"}
    if {64, 1024} <= line.keys():
        value = line[1024] / line[64]
        found.append(("1-D: seconds per patch, 1024 over 64", value, BAR_PER_PATCH, value <= BAR_PER_PATCH))
    for r in rows:
        if r["kind"] == "2d" and r["size"] == 32:
            for what, key, bar in (
                ("error", "error", BAR_ERROR),
                ("seconds", "seconds", BAR_SECONDS),
                ("bytes", "bytes", BAR_BYTES),
            ):
                found.append((f"2-D, 102,400 unknowns: {what}", r[key], bar, r[key] <= bar))
    return found


def main() -> None:
    """Run all sizes, print a table, write the results."""
    if harness.answers(run):
        return
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, nothing is written")
    parser.add_argument("--only", default="1d,2d,features,rows")
    given = parser.parse_args()
    rows = []
    for kind in given.only.split(","):
        for size in (QUICK if given.quick else FULL)[kind]:
            row = harness.in_process(__file__, kind, size, threads=os.cpu_count())
            if row is not None:
                rows.append(row)
                harness.say(
                    f"{kind:9s}{size:8g}{row['unknowns']:9d}{row['rows']:9d}{row['seconds']:9.2f} s"
                    f"{row['bytes'] / 2**30:7.2f} GB{row['error']:10.1e}"
                )
    slopes = {kind: slope([r for r in rows if r["kind"] == kind]) for kind in {r["kind"] for r in rows}}
    for kind, value in slopes.items():
        harness.say(f"slope {kind}: {value:.2f}")
    for what, value, bar, met in bars(rows):
        harness.say(f"{what}: {value:.3g} (bar {bar:.3g}, {'met' if met else 'not met'})")
    harness.write_result("patches.json", given.quick, rows=rows, slopes=slopes)


if __name__ == "__main__":
    main()
