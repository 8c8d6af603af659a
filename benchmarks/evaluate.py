# SPDX-License-Identifier: MIT
"""What it costs to evaluate a solution: a million scattered points, a grid of a million, one point.

Solutions of the catalog with `tol` alone. Processor time of one thread, the best of several rounds.
Results: benchmarks/results/evaluate.json.

    python benchmarks/evaluate.py [--quick]
"""

from __future__ import annotations

import argparse
import time

import harness
import numpy as np

import lrfm

PROBLEMS = (
    "heat-1d",
    "burgers",
    "allen-cahn",
    "kdv-periodic",
    "burgers-front",
    "fisher-kpp",
    "heat-2d",
    "wave-2d",
)
POINTS, SIDE, CALLS = 1_000_000, 1000, 200


def measure(name: str, points: int, side: int) -> dict[str, object]:
    """Seconds of u and u_xx at scattered points and on a grid of x and t, milliseconds of one call."""
    problem = lrfm.catalog.get(name)
    solution = lrfm.solve(problem, tol=1e-6, strict=False)
    rng, axis = np.random.default_rng(0), problem.domain.names[0]
    spans = {**problem.domain.axes, "t": problem.time}
    scattered = {c: rng.uniform(*span, points) for c, span in spans.items()}
    middle = {c: 0.5 * sum(span) for c, span in spans.items()}
    grid = middle | {axis: np.linspace(*spans[axis], side)[:, None], "t": np.linspace(*problem.time, side)}
    u = solution[solution.unknowns[0]]
    second = solution.derivative(f"{solution.unknowns[0]}_{axis}{axis}")

    def calls() -> None:
        for _ in range(CALLS):
            u(**middle)

    clock = lambda work: harness.best(work, 3, time.process_time)[0]  # noqa: E731
    # One exponential for every point and function: the least that values at scattered points could cost.
    few = {c: values[: points // 10] for c, values in scattered.items()}
    unit = clock(lambda: np.exp(-np.outer(few["t"], np.arange(solution.report.features))))
    return {
        "u_over_exponentials": clock(lambda: u(**few)) / unit,
        "problem": name,
        "method": solution.report.method,
        "features": solution.report.features,
        "points": points,
        "u": clock(lambda: u(**scattered)),
        "u_xx": clock(lambda: second(**scattered)),
        "grid": clock(lambda: u(**grid)),
        "call_ms": 1e3 * clock(calls) / CALLS,
    }


def main() -> None:
    """Measure, print a table, write the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--quick", action="store_true", help="two problems and few points, nothing is written"
    )
    quick = parser.parse_args().quick
    rows = [
        measure(name, POINTS // 100 if quick else POINTS, SIDE // 10 if quick else SIDE)
        for name in (PROBLEMS[:2] if quick else PROBLEMS)
    ]
    harness.say(
        harness.table(
            (
                "problem",
                "features",
                "points",
                "u, s",
                "u_xx, s",
                "u over exponentials",
                "grid, s",
                "one call, ms",
            ),
            [
                (
                    r["problem"],
                    r["features"],
                    r["points"],
                    f"{r['u']:.2f}",
                    f"{r['u_xx']:.2f}",
                    f"{r['u_over_exponentials']:.1f}",
                    f"{r['grid']:.3f}",
                    f"{r['call_ms']:.2f}",
                )
                for r in rows
            ],
        )
    )
    harness.write_result("evaluate.json", quick, rows=rows)


if __name__ == "__main__":
    main()
