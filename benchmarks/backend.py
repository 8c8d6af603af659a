# SPDX-License-Identifier: MIT
"""NumPy against another backend in one run: rows of Allen-Cahn assembled, and the system of a Newton step solved.

    P = 400, 960, 2000 features, 4.3 P rows (3.2 inside, 0.6 initially, 0.5 on faces)

Both backends take turns, so that they meet the same machine, and the best round of each counts. A ratio below one means that
NumPy is the slower one. The functions u fitted by both are compared. Results: benchmarks/results/backend.json.

    python benchmarks/backend.py [--backend torch:cuda] [--threads 2] [--quick]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import replace
from typing import Any

import harness
import numpy as np
from paper.tuned import own_rows

import lrfm
from lrfm.solution.reference import relative_l2
from lrfm.spacetime.least_squares.backends import NUMPY, backend
from lrfm.spacetime.windows.parts import Parts

FULL, QUICK = (400, 960, 2000), (60, 120)
ROUNDS = 5


def solve(made: Any, xp: Any) -> tuple[Any, float]:
    """The first Newton step from zero and the seconds of its least-squares problem."""
    A, b = made.linearize(np.zeros(made.shape[1]))
    _wait(xp)
    began = time.perf_counter()
    fit = lrfm.QR().solve(A, b)
    return fit, time.perf_counter() - began


def system(features: int, xp: Any) -> tuple[Any, float]:
    """The rows of one window and the seconds of their assembly, derivative matrices included."""
    rows = replace(own_rows(features, {}), window_units=True)
    parts = Parts(lrfm.Liquid(features=features, periodic="rows"), rows, lrfm.QR(), lrfm.Newton(), xp)
    assemble = harness.window_system(lrfm.catalog.allen_cahn(), parts)
    began = time.perf_counter()
    made = assemble()
    _wait(xp)
    return made, time.perf_counter() - began


def _wait(xp: Any) -> None:
    """An accelerator works on its own; the clock is read when it is done."""
    if xp.name.startswith("torch:cuda"):
        xp.torch.cuda.synchronize(xp.device)


def compare(features: int, backends: tuple) -> dict[str, object]:
    """Best seconds of every backend, taken in turns, and how far their solutions lie apart."""
    best: dict[str, dict[str, float]] = {xp.name: {} for xp in backends}
    fits = {}
    for turn in range(ROUNDS):
        for xp in backends if turn % 2 else backends[::-1]:
            made, assembly = system(features, xp)
            fits[xp.name], least_squares = solve(made, xp)
            for name, seconds in (("assembly", assembly), ("least_squares", least_squares)):
                best[xp.name][name] = min(seconds, best[xp.name].get(name, seconds))
    numpy, other = (xp.name for xp in backends)
    points = made.blocks[0].points
    u, v = (made.spaces["u"].values(points, (0, 0), fits[name].coefficients) for name in (numpy, other))
    return {
        "features": features,
        "rows": made.shape[0],
        "seconds": best,
        "ratio": {name: best[other][name] / best[numpy][name] for name in best[numpy]},
        "difference": relative_l2(v, u),
    }


def main() -> None:
    """Run all sizes, print a table, write the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--backend", default="torch")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--quick", action="store_true", help="small sizes, and nothing is written")
    given = parser.parse_args()
    if any(os.environ.get(name) != str(given.threads) for name in harness.THREADS):
        # Libraries read these when they are loaded.
        environment = {**os.environ, **dict.fromkeys(harness.THREADS, str(given.threads))}
        os.execve(sys.executable, [sys.executable, *sys.argv], environment)
    other = backend(given.backend)
    rows = [compare(features, (NUMPY, other)) for features in (QUICK if given.quick else FULL)]
    head = (
        "P",
        "rows",
        *(f"{n} {w}" for w in ("assembly", "least squares") for n in ("numpy", other.name, "ratio")),
    )
    lines = []
    for row in rows:
        line = [str(row["features"]), str(row["rows"])]
        for name in ("assembly", "least_squares"):
            line += [f"{row['seconds'][xp][name]:.3f} s" for xp in ("numpy", other.name)]
            line.append(f"{row['ratio'][name]:.2f}")
        lines.append(line)
    harness.say(harness.table(head, lines))
    machine = f"{harness.machine()}, PyTorch {other.torch.__version__}"
    harness.write_result("backend.json", given.quick, machine=machine, backend=other.name, rows=rows)


if __name__ == "__main__":
    main()
