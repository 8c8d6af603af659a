# SPDX-License-Identifier: MIT
"""heat2d-holes (PINNacle): a plate with 17 holes, u_t = lap u from nothing, u_n = 5 − u, 1 − u and 0.1 − u on large and small holes and outside.

    python benchmarks/holes.py --reference       # by finite elements, into results/heat2d_holes.json, with its own convergence
    python benchmarks/holes.py --tol 1e-3        # by lrfm, compared with it, into results/domains.jsonl

The best published error is 2.4e-2 (relative L², PINNacle).
"""

from __future__ import annotations

import argparse
import json
import time

import harness  # sets the number of threads, so it comes before NumPy
import numpy as np
from scipy.stats.qmc import Halton

import lrfm

REFERENCE = harness.RESULTS / "heat2d_holes.json"
RESULT = harness.RESULTS / "domains.jsonl"
SIZE, OUTER = (8.0, 12.0), 0.1
LARGE = [(0.0, 0.0), (0.0, 6.0), (4.0, 3.0), (4.0, 9.0)]  # in one quarter; the others by reflection
SMALL = [(3.2, 0.0), (3.2, 6.0)]
KINDS = [(LARGE, 1.0, 5.0), (SMALL, 0.4, 1.0)]
TIMES = (0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 3.0)
POINTS = 400


def statement() -> lrfm.Problem:
    """The whole plate; nothing says that it is symmetric."""
    plate = lrfm.Box(x=(-SIZE[0], SIZE[0]), y=(-SIZE[1], SIZE[1]), name="plate")
    conditions = {"plate": f"u_n = {OUTER} - u"}
    for centers, radius, given in KINDS:
        mirrored = {(p * x, q * y) for x, y in centers for p in (1, -1) for q in (1, -1)}
        for number, center in enumerate(sorted({(x + 0.0, y + 0.0) for x, y in mirrored})):
            name = f"{'large' if radius == 1 else 'small'}{number + 1}"
            plate = plate - lrfm.Disk(center=center, radius=radius, name=name)
            conditions[name] = f"u_n = {given} - u"
    return lrfm.Problem("u_t = lap(u)", domain=plate, time=(0, 3), initial="0", boundary=conditions)


def reference() -> None:
    """Values at corners of triangles next to points that fill the plate, from two degrees of elements."""
    from plate import Hole, solve  # scikit-fem is for tests and references only

    holes = [Hole(c, radius, given) for centers, radius, given in KINDS for c in centers]
    places, fine = solve(SIZE, holes, OUTER, TIMES, 4)
    coarse = solve(SIZE, holes, OUTER, TIMES, 3)[1]
    wanted = Halton(2, seed=0).random(2 * POINTS) * SIZE
    away = [np.linalg.norm(wanted - h.center, axis=1) > h.radius for h in holes]
    wanted = wanted[np.all(away, axis=0)][:POINTS]
    at = np.argmin(np.linalg.norm(wanted[:, None] - places[None], axis=2), axis=1)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (len(at), 2))
    gap = np.linalg.norm(fine[:, at] - coarse[:, at], axis=1) / np.linalg.norm(fine[-1, at])
    found = {
        "method": "scikit-fem, curved triangles of degree 4 on a quarter, contour integral in time",
        "convergence": "distance from degree 3 at each time, relative to the size at the end",
        "distance": [float(f"{g:.3g}") for g in gap], "times": TIMES, "commit": harness.commit(),
        "points": np.round(places[at] * signs, 10).tolist(), "values": np.round(fine[:, at], 8).tolist(),
    }  # fmt: skip
    REFERENCE.write_text(json.dumps(found) + "\n", encoding="utf-8")
    print("distance of degrees 3 and 4:", found["distance"])


def compare(solution: lrfm.Solution) -> tuple[float, list[float]]:
    """Relative L² error over space and time, as a claim means it, by lines between the times over log t; and that at each time relative to the size at the end."""
    known = json.loads(REFERENCE.read_text(encoding="utf-8"))
    x, y = np.array(known["points"]).T
    exact, times = np.array(known["values"]), np.array(known["times"])
    gaps = np.array([solution(x=x, y=y, t=t) for t in times]) - exact
    each, sizes = (np.linalg.norm(found, axis=1) / np.linalg.norm(exact[-1]) for found in (gaps, exact))
    t = np.geomspace(times[0], times[-1], 2000)
    between = [np.interp(np.log(t), np.log(times), found) for found in (each, sizes)]
    over, all_ = (np.sqrt(np.sum(np.diff(t) * 0.5 * (f[1:] ** 2 + f[:-1] ** 2))) for f in between)
    return float(over / all_), [float(f"{e:.3g}") for e in each]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", action="store_true")
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--seconds", type=float, default=600.0)
    asked = parser.parse_args()
    if asked.reference:
        reference()
        return
    problem, began = statement(), time.process_time()
    solution = lrfm.solve(problem, tol=asked.tol, strict=False, max_seconds=asked.seconds)
    spent, report = time.process_time() - began, solution.report
    error, each = compare(solution)
    estimate = report.error_estimate if np.isfinite(report.error_estimate) else None
    found = {
        "name": "heat2d-holes", "method": report.method, "tol": asked.tol, "error": error, "by_time": each, "estimate": estimate,
        "claimed": bool(report.solved), "features": report.features, "cpu_seconds": round(spent, 2), "commit": harness.commit(),
    }  # fmt: skip
    with open(RESULT, "a", encoding="utf-8") as stream:
        stream.write(json.dumps(found) + "\n")
    print(found)


if __name__ == "__main__":
    main()
