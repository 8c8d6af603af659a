# SPDX-License-Identifier: MIT
"""Loops: `lrfm.prepare` called 100 times with other parameters at 1e-6, beside `lrfm.solve` of the same statements.

    python benchmarks/prepared.py            # into benchmarks/results/prepared.json
    python benchmarks/prepared.py --quick    # ten calls, nothing is written

Parameters are drawn between ends that are a factor of four apart, evenly in their logarithm. Every call makes two solves and an estimate. Times are CPU milliseconds of one process; `first` is the first call, which
finds cells and steps. `plain` is the median of `lrfm.solve` on statements that were built before, and `true` the largest error, in tolerances, of five calls against plain solves at 1e-9. `clock` is the time of a loop of 200,000
products in Python before and after: about 12 ms where nothing else runs.
"""

from __future__ import annotations

import sys
import time

import harness
import numpy as np

import lrfm

TOL, STRICT = 1e-6, 1e-9
LINE = lrfm.Box(x=(0, 1))
STATEMENTS = {
    "heat": (
        lrfm.Problem(
            "u_t = D*u_xx",
            domain=LINE,
            time=(0, 0.1),
            initial="sin(pi*x) + 0.3*sin(3*pi*x)",
            boundary="u = 0",
            parameters={"D": 1.0},
        ),
        ("D", 0.5, 2.0),
    ),
    "Allen-Cahn": (
        lrfm.Problem(
            "u_t = eps*u_xx + u - u**3",
            domain=lrfm.Box(x=(-1, 1)),
            time=(0, 1),
            initial="0.53*x + 0.47*sin(-1.5*pi*x)",
            boundary={"x-": "u = -1", "x+": "u = 1"},
            parameters={"eps": 0.01},
        ),
        ("eps", 0.005, 0.02),
    ),
    "Burgers": (
        lrfm.Problem(
            "u_t + u*u_x = nu*u_xx",
            domain=LINE,
            time=(0, 0.5),
            initial="sin(pi*x)",
            boundary="u = 0",
            parameters={"nu": 0.05},
        ),
        ("nu", 0.025, 0.1),
    ),
}


def milliseconds(function):
    """What a function returns, and its CPU time."""
    began = time.process_time()
    found = function()
    return found, 1e3 * (time.process_time() - began)


def clock() -> float:
    """Milliseconds of a fixed loop: how fast the machine is at the moment."""
    return milliseconds(lambda: sum(i * i for i in range(200_000)))[1]


def apart(one, other) -> float:
    """Relative L² difference of two solutions on a grid."""
    (low, high), (start, end) = next(iter(one.problem.domain.axes.values())), one.problem.time
    x, t = np.linspace(low, high, 201)[None, :], np.linspace(start, end, 41)[1:, None]
    u, v = one(x=x, t=t), other(x=x, t=t)
    return float(np.linalg.norm(u - v) / np.linalg.norm(v))


def measured(name: str, calls: int) -> dict[str, object]:
    """One statement."""
    problem, (parameter, low, high) = STATEMENTS[name]
    rng, before = np.random.default_rng(0), clock()
    values = [float(low * (high / low) ** z) for z in rng.random(calls)]
    prepared, times, solutions = lrfm.prepare(problem, tol=TOL), [], []
    for value in values:
        solution, spent = milliseconds(lambda value=value: prepared(**{parameter: value}))
        times.append(spent)
        solutions.append(solution)
    statements = [problem.replace(parameters={parameter: value}, reference=None) for value in values[:6]]
    plain = [milliseconds(lambda p=p: lrfm.solve(p, tol=TOL, progress=False))[1] for p in statements]
    chosen = range(0, calls, max(1, calls // 5))
    errors = [
        apart(
            solutions[i],
            lrfm.solve(problem.replace(parameters={parameter: values[i]}), tol=STRICT, progress=False),
        )
        for i in chosen
    ]
    later = times[1:]
    return {
        "statement": name,
        "calls": calls,
        "met": sum(s.report.solved for s in solutions),
        "adaptive": prepared.adaptive,
        "first": round(times[0], 1),
        "median": round(float(np.median(later)), 2),
        "mean": round(float(np.mean(later)), 2),
        "second_half": round(float(np.mean(times[calls // 2 :])), 2),
        "worst": round(max(later), 1),
        "plain": round(float(np.median(plain[1:])), 1),
        "largest_estimate": max(s.report.error_estimate for s in solutions),
        "true": max(errors) / TOL,
        "clock": [round(before, 1), round(clock(), 1)],
    }


def main() -> None:
    """All statements, one after the other."""
    where, quick = harness.as_installed(), "--quick" in sys.argv
    rows = [measured(name, 10 if quick else 100) for name in STATEMENTS]
    for row in rows:
        print(row)
    harness.write_result("prepared.json", quick, **where, tolerance=TOL, rows=rows)


if __name__ == "__main__":
    main()
