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
import json
import math
import os
import resource
import time

QUICK = {"1d": [16, 64], "2d": [4, 6], "features": [16, 32], "rows": [2.5, 5.0]}
FULL = {
    "1d": [16, 32, 64, 128, 256, 512, 1024],
    "2d": [4, 8, 16, 24, 32],
    "features": [16, 32, 64, 128, 256],
    "rows": [2.0, 4.0, 8.0, 16.0],
}
BAR_PER_PATCH, BAR_ERROR, BAR_SECONDS, BAR_BYTES = 1.3, 1e-5, 900.0, 8 * 2**30


def problem(kind: str, patches: int):
    """Waves of about six patches, which decay by a factor of e over the window."""
    import numpy as np

    import lrfm

    m, n = max(1, patches // 6), max(1, patches // 9)
    a, b = 2 * np.pi * m, 2 * np.pi * n
    names = {"D": 1 / a**2, "a": a, "b": b}
    if kind == "2d":
        start, terms, box = (
            "sin(a*x)*sin(b*y) + 0.5*cos(b*x)*cos(a*y)",
            "lap(u)",
            lrfm.Box(x=(0, 1), y=(0, 1)),
        )
        names["D"] = 1 / (a**2 + b**2)

        def exact(x, y, t):
            return np.exp(-t) * (np.sin(a * x) * np.sin(b * y) + 0.5 * np.cos(b * x) * np.cos(a * y))

    else:
        start, terms, box = "sin(a*x) + 0.5*cos(b*x)", "u_xx", lrfm.Box(x=(0, 1))

        def exact(x, t):
            return np.exp(-t) * np.sin(a * x) + 0.5 * np.exp(-((b / a) ** 2) * t) * np.cos(b * x)

    made = lrfm.Problem(
        f"u_t = D*{terms}", domain=box, time=(0, 1), initial=start, boundary="periodic", parameters=names
    )
    return made, exact


def parts(kind: str, patches: int, features: int, ratio: float) -> dict[str, object]:
    """Space and points with `ratio` equation rows per unknown."""
    import lrfm

    total = features * patches ** (2 if kind == "2d" else 1)
    points = lrfm.Collocation(
        interior=round(ratio * total), initial=round(0.6 * total), boundary=16, time="chebyshev",
        window_units=True, initial_weight=10.0,
    )  # fmt: skip
    space = lrfm.Liquid(
        per_patch=features, patches=patches, weights=0.5 if kind != "2d" else 0.3, gate=0.3, tau=(0.5, 20.0)
    )
    return {"space": space, "collocation": points}


def run(kind: str, size: float) -> dict[str, object]:
    """One solve in this process."""
    import numpy as np

    import lrfm

    patches = {"1d": int(size), "2d": int(size), "features": 32, "rows": 32}[kind]
    features = {"1d": 64, "2d": 100, "features": int(size), "rows": 64}[kind]
    ratio = size if kind == "rows" else 3.2
    stated, exact = problem(kind, patches)
    total = features * patches**stated.domain.dimension
    began = time.perf_counter()
    solution = lrfm.solve(stated, estimate=False, strict=False, **parts(kind, patches, features, ratio))
    seconds = time.perf_counter() - began
    rng = np.random.default_rng(1)
    at = {name: rng.uniform(size=20_000) for name in (*stated.domain.names, "t")}
    true = exact(**at)
    return {
        "kind": kind,
        "size": size,
        "patches": patches**stated.domain.dimension,
        "unknowns": total,
        "rows": solution.report.rows,
        "seconds": seconds,
        "bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "dense_bytes": 8 * total * solution.report.rows,
        "error": float(np.linalg.norm(solution(**at) - true) / np.linalg.norm(true)),
    }


def slope(rows: list[dict[str, object]]) -> float:
    """Of log seconds against log size, over the upper half of the sizes."""
    import numpy as np

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
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="1d,2d,features,rows")
    parser.add_argument("--one", nargs=2, metavar=("KIND", "SIZE"), help="one run in this process, as JSON")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(run(given.one[0], float(given.one[1]))))
        return
    import harness

    rows = []
    for kind in given.only.split(","):
        for size in (QUICK if given.quick else FULL)[kind]:
            r = harness.alone(__file__, kind, size, threads=os.cpu_count())
            if r is None:
                continue
            rows.append(r)
            print(
                f"{kind:9s}{size:8g}{r['unknowns']:9d}{r['rows']:9d}{r['seconds']:9.2f} s"
                f"{r['bytes'] / 2**30:7.2f} GB{r['error']:10.1e}",
                flush=True,
            )
    slopes = {kind: slope([r for r in rows if r["kind"] == kind]) for kind in {r["kind"] for r in rows}}
    for kind, value in slopes.items():
        print(f"slope {kind}: {value:.2f}")
    for what, value, bar, met in bars(rows):
        print(f"{what}: {value:.3g} (bar {bar:.3g}, {'met' if met else 'not met'})")
    if not given.quick:
        harness.write_result("patches.json", rows=rows, slopes=slopes)


if __name__ == "__main__":
    main()
