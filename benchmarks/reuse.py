# SPDX-License-Identifier: MIT
"""One factorization for several Newton steps: what a chord step costs, and whether the answers are as good.

Cost: a factorization in chord steps, (linearize + factor + solve + residual) / (solve + residual), against n/16 in the rule of
`lrfm.spacetime.windows.nonlinear`. Answers: errors of plain Newton and with reuse for the same draws of several seeds. Processor time of one thread.
Results: benchmarks/results/reuse.json.

    python benchmarks/reuse.py [--quick]
"""

from __future__ import annotations

import argparse
import time

import harness
import numpy as np

import lrfm
from lrfm.solution.reference import grid_points, true_error
from lrfm.spacetime.windows.collocation import Collocation
from lrfm.spacetime.windows.nonlinear import Newton
from lrfm.spacetime.windows.parts import Parts

SIZES = (60, 120, 240, 400, 960, 2000)
SEEDS = 3
SPACES = {
    "allen-cahn": (lrfm.catalog.allen_cahn, {"weights": 1.0, "gate": 10.0}, 300),
    "burgers": (lambda: lrfm.catalog.burgers(nu=0.02), {"weights": 2.0, "tau": (0.3, 20.0)}, 300),
    "kdv": (
        lrfm.catalog.kdv_consistent,
        {"weights": 6.0, "centers": 1.1, "gate": 0.6, "drift": (1.9, 2.1)},
        400,
    ),
    "nls": (lrfm.catalog.nls, {"weights": 5.0, "centers": 1.1, "drift": (0.4, 0.6)}, 200),
}


def cost(size: int) -> dict[str, float]:
    """Seconds of the parts of a step for Allen-Cahn with so many columns."""
    rounds = 7 if size < 900 else 2
    space = lrfm.Liquid(features=size, weights=1.0, gate=10.0)
    parts = Parts(space, Collocation.for_features(size, 1), lrfm.QR(), Newton())
    system = harness.window_system(lrfm.catalog.allen_cahn(), parts)()
    c = np.full(size, 1e-3)
    J, r = system.linearize(c)[0], system.residual(c)
    copies = iter([J.copy(order="F") for _ in range(rounds)])
    factored = lrfm.QR().factor(J)
    steps = {
        "linearize": lambda: system.linearize(c),
        "factor": lambda: lrfm.QR().factor(next(copies)),
        "solve": lambda: factored.solve(r),
        "residual": lambda: system.residual(c),
    }
    row = {name: harness.best(step, rounds, time.process_time)[0] for name, step in steps.items()}
    chord = row["solve"] + row["residual"]
    return {"size": size, "rows": system.shape[0], **row, "worth": sum(row.values()) / chord}


def answers(name: str) -> list[dict[str, object]]:
    """Errors and factorizations of both, for some seeds."""
    make, settings, features = SPACES[name]
    problem, rows, space = make(), [], lrfm.Liquid(features=features, **settings)
    at = grid_points(problem, 201, 21)
    for seed in range(SEEDS):
        row: dict[str, object] = {"problem": name, "seed": seed}
        for reuse, kind in ((False, "plain"), (True, "reuse")):
            method = lrfm.SpaceTime(space=space, nonlinear=Newton(reuse=reuse))
            seconds, solution = harness.best(
                lambda method=method, seed=seed: lrfm.solve(
                    problem, method=method, seed=seed, estimate=False, strict=False
                ),
                1,
                time.process_time,
            )
            report = solution.report.block_reports[0]
            row |= {
                f"{kind}_seconds": seconds,
                f"{kind}_error": true_error(solution, at),
                f"{kind}_steps": report.steps,
                f"{kind}_factorizations": report.factorizations,
            }
        rows.append(row)
    return rows


def main() -> None:
    """Run both, print tables, write the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--quick", action="store_true", help="small sizes and two problems, nothing is written"
    )
    given = parser.parse_args()
    costs = [cost(size) for size in (SIZES[:3] if given.quick else SIZES)]
    found = [r for name in (list(SPACES)[:2] if given.quick else SPACES) for r in answers(name)]
    milli = lambda seconds: f"{1e3 * seconds:.2f}"  # noqa: E731
    parts = ("linearize", "factor", "solve", "residual")
    harness.say(
        harness.table(
            ("n", "m", *(f"{p} ms" for p in parts), "worth", "n/16, at most 24"),
            [
                (
                    r["size"],
                    r["rows"],
                    *(milli(r[p]) for p in parts),
                    f"{r['worth']:.1f}",
                    f"{min(r['size'] / 16, 24):.1f}",
                )
                for r in costs
            ],
        )
    )
    harness.say(
        harness.table(
            ("problem", "seed", "error, plain", "reuse", "factorizations, plain", "reuse", "steps, reuse"),
            [
                (
                    r["problem"],
                    r["seed"],
                    harness.show(r["plain_error"], 2),
                    harness.show(r["reuse_error"], 2),
                    r["plain_factorizations"],
                    r["reuse_factorizations"],
                    r["reuse_steps"],
                )
                for r in found
            ],
        )
    )
    worst = max(r["reuse_error"] / r["plain_error"] for r in found)
    harness.say(f"largest error with reuse over that of plain Newton: {worst:.2f}")
    harness.write_result("reuse.json", given.quick, costs=costs, answers=found)


if __name__ == "__main__":
    main()
