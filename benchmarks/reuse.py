# SPDX-License-Identifier: MIT
"""One factorization for several Newton steps: what a chord step costs, and whether the answers are as good.

Cost: a factorization in chord steps, (linearize + factor + solve + residual) / (solve + residual), against n/16 in the rule of
`lrfm.solver.nonlinear`. Answers: errors of plain Newton and with reuse for the same draws of several seeds. Processor time of one thread.
Results: benchmarks/results/reuse.json.

    python benchmarks/reuse.py [--quick]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import harness
import numpy as np

import lrfm
from lrfm.rows.collocation import Collocation
from lrfm.solver.nonlinear import Newton
from lrfm.solver.parts import Parts
from lrfm.solver.window import build_system, initial_values, sample_space

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


def best(function: Callable[[], object], rounds: int) -> float:
    seconds = []
    for _ in range(rounds):
        began = time.process_time()
        function()
        seconds.append(time.process_time() - began)
    return min(seconds)


def cost(size: int) -> dict[str, float]:
    """Milliseconds of the parts of a step for Allen-Cahn with so many columns."""
    problem, rng, rounds = lrfm.catalog.allen_cahn(), np.random.default_rng(0), 7 if size < 900 else 2
    parts = Parts(
        lrfm.Liquid(features=size, weights=1.0, gate=10.0),
        Collocation.for_features(size, 1),
        lrfm.QR(),
        Newton(),
    )
    space = sample_space(problem, parts.space, problem.time, rng)
    points = parts.collocation.place(problem.domain, problem.time, rng)
    system = build_system(problem, parts, {"u": space}, points, problem.time, initial_values(problem, None))
    c = np.full(size, 1e-3)
    J, r = system.linearize(c)[0], system.residual(c)
    copies = iter([J.copy(order="F") for _ in range(rounds)])
    factored = lrfm.QR().factor(J)
    row = {
        "linearize": best(lambda: system.linearize(c), rounds),
        "factor": best(lambda: lrfm.QR().factor(next(copies)), rounds),
        "solve": best(lambda: factored.solve(r), rounds),
        "residual": best(lambda: system.residual(c), rounds),
    }
    chord = row["solve"] + row["residual"]
    return {"size": size, "rows": system.shape[0], **row, "worth": sum(row.values()) / chord}


def answers(name: str) -> list[dict[str, object]]:
    """Errors and factorizations of both, for some seeds."""
    make, settings, features = SPACES[name]
    problem, rows = make(), []
    x, t = np.linspace(*problem.domain.axes["x"], 201)[:, None], np.linspace(*problem.time, 21)
    exact = problem.reference(x=x, t=t)
    for seed in range(SEEDS):
        row: dict[str, object] = {"problem": name, "seed": seed}
        for reuse, kind in ((False, "plain"), (True, "reuse")):
            began = time.process_time()
            solution = lrfm.solve(
                problem,
                space=lrfm.Liquid(features=features, **settings),
                nonlinear=Newton(reuse=reuse),
                estimate=False,
                strict=False,
                seed=seed,
            )
            report = solution.report.block_reports[0]
            row |= {
                f"{kind}_seconds": time.process_time() - began,
                f"{kind}_error": float(np.linalg.norm(solution(x=x, t=t) - exact) / np.linalg.norm(exact)),
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
    if not given.quick:
        harness.write_result("reuse.json", costs=costs, answers=found)


if __name__ == "__main__":
    main()
