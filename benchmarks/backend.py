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

FULL, QUICK = (400, 960, 2000), (60, 120)
ROUNDS = 5


def system(features: int, xp: object) -> tuple[object, float]:
    """The rows of one window and the seconds of their assembly, derivative matrices included."""
    import numpy as np

    import lrfm
    from lrfm.solver.parts import Parts
    from lrfm.solver.window import build_system, initial_values, sample_space

    problem, rng = lrfm.catalog.allen_cahn(), np.random.default_rng(0)
    points = lrfm.Collocation(
        interior=round(3.2 * features), initial=round(0.6 * features), boundary=round(0.25 * features),
        time="chebyshev", window_units=True, initial_weight=10.0, boundary_weight=10.0,
    )  # fmt: skip
    space = lrfm.Liquid(features=features, periodic="rows")
    parts = Parts(space, points, lrfm.QR(), lrfm.Newton(), xp)
    sampled = sample_space(problem, space, problem.time, rng)
    placed = points.place(problem.domain, problem.time, rng)
    began = time.perf_counter()
    made = build_system(problem, parts, {"u": sampled}, placed, problem.time, initial_values(problem, None))
    _wait(xp)
    return made, time.perf_counter() - began


def solve(made: object, xp: object) -> tuple[object, float]:
    """The first Newton step from zero and the seconds of its least-squares problem."""
    import numpy as np

    import lrfm

    A, b = made.linearize(np.zeros(made.shape[1]))
    _wait(xp)
    began = time.perf_counter()
    fit = lrfm.QR().solve(A, b)
    return fit, time.perf_counter() - began


def _wait(xp: object) -> None:
    """An accelerator works on its own; the clock is read when it is done."""
    if xp.name.startswith("torch:cuda"):
        xp.torch.cuda.synchronize(xp.device)


def compare(features: int, backends: tuple) -> dict[str, object]:
    """Best seconds of every backend, taken in turns, and how far their solutions lie apart."""
    import numpy as np

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
        "difference": float(np.linalg.norm(u - v) / np.linalg.norm(u)),
    }


def main() -> None:
    """Run all sizes, print a table, write the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--backend", default="torch")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--quick", action="store_true", help="small sizes, and nothing is written")
    given = parser.parse_args()
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    if any(os.environ.get(name) != str(given.threads) for name in threads):
        # Libraries read these when they are loaded.
        environment = {**os.environ, **dict.fromkeys(threads, str(given.threads))}
        os.execve(sys.executable, [sys.executable, *sys.argv], environment)
    import harness

    from lrfm.linalg.backends import NUMPY, backend

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
    if not given.quick:
        machine = f"{harness.machine()}, PyTorch {other.torch.__version__}"
        harness.write_result("backend.json", machine=machine, backend=other.name, rows=rows)


if __name__ == "__main__":
    main()
