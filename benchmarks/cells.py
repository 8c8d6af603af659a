# SPDX-License-Identifier: MIT
"""Statements in one dimension that the engine on cells is measured by: error, estimate, CPU seconds of both solves.

    python benchmarks/cells.py            # all, into benchmarks/results/cells.jsonl
    python benchmarks/cells.py burgers    # those whose name contains a word

Every solve is a process of its own in the environment of a user: no variable of threads is set, all arguments but `tol` are left out. Each is made three times
in its process, and the least CPU time is kept: the first one loads modules.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import lrfm

ROOT = Path(__file__).resolve().parents[1]
RESULT = ROOT / "benchmarks" / "results" / "cells.jsonl"
LIMIT = 300.0  # wall seconds of one process
REPEATS = 3


# Statements -------------------------------------------------------------------------------------


def interval(equation, ends, end, initial, boundary, reference=None, **parameters):
    return lrfm.Problem(
        equation,
        domain=lrfm.Box(x=ends),
        time=(0, end),
        initial=initial,
        boundary=boundary,
        parameters=parameters,
        reference=reference,
    )


def cole_hopf(x, t, nu=0.01 / math.pi):
    """Burgers' front from −sin(πx): quotient of two Gauss-Hermite sums (Cole, 1951; Hopf, 1950)."""
    nodes, weights = np.polynomial.hermite.hermgauss(220)
    x, t = np.broadcast_arrays(np.asarray(x, float), np.asarray(t, float))
    y = x[..., None] - np.sqrt(4 * nu * np.maximum(t, 1e-300))[..., None] * nodes
    exponent = -np.cos(np.pi * y) / (2 * np.pi * nu)
    f = np.exp(exponent - exponent.max(-1, keepdims=True)) * weights
    found = -(np.sin(np.pi * y) * f).sum(-1) / f.sum(-1)
    return np.where(t > 0, found, -np.sin(np.pi * x))


def burgers():
    return interval(
        "u_t + u*u_x = nu*u_xx",
        (-1, 1),
        1,
        "-sin(pi*x)",
        "u = 0",
        lambda x, t: cole_hopf(x, t),
        nu=0.01 / math.pi,
    )


def two_layers(eps):
    """Two layers that move and merge (the test problem of BACOLI's authors; exact by Cole and Hopf)."""

    def exact(x, t):
        x, t = np.broadcast_arrays(np.asarray(x, float), np.asarray(t, float))
        q = np.array([(-x + 0.5 - 4.95 * t) * 0.05, (-x + 0.5 - 0.75 * t) * 0.25, (-x + 0.375) * 0.5]) / eps
        w = np.exp(q - q.max(0))
        return (0.1 * w[0] + 0.5 * w[1] + w[2]) / w.sum(0)

    ends = {"x-": {"u": exact}, "x+": {"u": exact}}
    return interval("u_t + u*u_x = eps*u_xx", (0, 1), 1, lambda x: exact(x, 0 * x), ends, exact, eps=eps)


def heat_series(coefficients):
    def exact(x, t):
        x, t = np.broadcast_arrays(np.asarray(x, float), np.asarray(t, float))
        total = np.zeros(x.shape)
        for k, b in coefficients:
            total += b * np.exp(-((k * np.pi) ** 2) * t) * np.sin(k * np.pi * x)
        return total

    return exact


ODD = range(1, 800, 2)
TENT = heat_series([(k, 4 / (k * np.pi) ** 2 * np.sin(k * np.pi / 2)) for k in ODD])
QUENCH = heat_series([(k, 4 / (k * np.pi)) for k in ODD])

STATEMENTS = {
    "burgers": (burgers, (1e-3, 1e-6, 1e-9)),
    "two-layers 1e-2": (lambda: two_layers(1e-2), (1e-3, 1e-6)),
    "two-layers 1e-3": (lambda: two_layers(1e-3), (1e-3, 1e-6)),
    "two-layers 1e-4": (lambda: two_layers(1e-4), (1e-3,)),
    "tent": (lambda: interval("u_t = u_xx", (0, 1), 0.1, "0.5 - abs(x - 0.5)", "u = 0", TENT), (1e-3, 1e-6)),
    "quench": (lambda: interval("u_t = u_xx", (0, 1), 0.1, "1", "u = 0", QUENCH), (1e-3, 1e-6)),
    "step source": (
        lambda: interval("u_t = u_xx + where(x > 0.37, 10, 0)", (0, 1), 0.5, "0", "u = 0"),
        (1e-3, 1e-6),
    ),
    "jump of conductivity": (
        lambda: interval("u_t = where(x > 0.5, 1, 0.1)*u_xx", (0, 1), 0.2, "sin(pi*x)", "u = 0"),
        (1e-3, 1e-6),
    ),
    "narrow source": (
        lambda: interval("u_t = u_xx + 1000*exp(-((x - 0.5091)/1e-3)**2)", (0, 1), 0.5, "sin(pi*x)", "u = 0"),
        (1e-3, 1e-6),
    ),
    "needle": (
        lambda: interval("u_t = u_xx + 1e6*exp(-((x - 0.5091)/1e-6)**2)", (0, 1), 0.5, "sin(pi*x)", "u = 0"),
        (1e-3, 1e-6),
    ),
    "switch in time": (
        lambda: interval("u_t = u_xx", (0, 1), 1, "0", {"x-": "u = where(t > 0.3, 1, 0)", "x+": "u = 0"}),
        (1e-3, 1e-6),
    ),
    "thin film": (
        lambda: interval(
            "h_t = -diff(h**3*diff(h_xx - A*(h**-3 - 0.3*h**-4), x), x)",
            (0, 10),
            20,
            "1 + 0.05*cos(pi*x/5)",
            "periodic",
            A=1,
        ),
        (1e-4,),
    ),
} | {
    f"catalog {name}": (lambda name=name: getattr(lrfm.catalog, name.replace("-", "_"))(), (1e-6, 1e-9))
    for name in lrfm.catalog.names(spin=False)
    if getattr(lrfm.catalog, name.replace("-", "_"))().domain.dimension == 1
}


# Runs -------------------------------------------------------------------------------------------


def true_error(solution) -> float | None:
    """Relative L² over random places and times, the worst unknown; None without a reference."""
    problem = solution.problem
    if problem.reference is None:
        return None
    from lrfm.solution.solution import reference_values

    rng = np.random.default_rng(1)
    ((low, high),) = problem.domain.axes.values()
    x, t = np.meshgrid(rng.uniform(low, high, 600), rng.uniform(*problem.time, 100))
    at = {problem.domain.names[0]: x.ravel(), "t": t.ravel()}
    worst = 0.0
    for name, exact in reference_values(problem, at, solution.report.undetermined).items():
        worst = max(worst, float(np.linalg.norm(solution[name](**at) - exact) / np.linalg.norm(exact)))
    return worst


def one(name: str, tol: float) -> dict[str, object]:
    """The row of one statement and tolerance."""
    problem, times, solution = STATEMENTS[name][0](), [], None
    for _ in range(REPEATS):
        began = time.process_time()
        solution = lrfm.solve(problem, tol=tol, strict=False)
        times.append(time.process_time() - began)
        if times[-1] > 10:
            break
    report, error = solution.report, true_error(solution)
    return {
        "statement": name,
        "tol": tol,
        "met": not report.failed,
        "estimate": report.error_estimate,
        "error": error,
        "cpu": min(times),
        "first_cpu": times[0],
        "steps": report.steps,
        "chosen": report.engine.chosen,
        "attempts": 1 + len(report.choices),
    }


def main() -> None:
    if len(sys.argv) == 4 and sys.argv[1] == "--one":
        print(json.dumps(one(sys.argv[2], float(sys.argv[3]))))
        return
    import harness

    words, where = sys.argv[1:], harness.as_installed()
    rows = {}
    if RESULT.exists():
        rows = {(r["statement"], r["tol"]): r for r in map(json.loads, RESULT.read_text().splitlines())}
    for name, (_, tols) in STATEMENTS.items():
        for tol in tols:
            if words and not any(word in name for word in words):
                continue
            run = subprocess.run(
                [sys.executable, __file__, "--one", name, repr(tol)],
                capture_output=True,
                text=True,
                timeout=LIMIT,
            )
            row = (
                json.loads(run.stdout.splitlines()[-1])
                if run.returncode == 0
                else {
                    "statement": name,
                    "tol": tol,
                    "met": False,
                    "error_text": (run.stderr.strip().splitlines() or ["it was ended"])[-1][:200],
                }
            )
            rows[name, tol] = row | where
            print({k: v for k, v in row.items() if k not in ("chosen",)}, flush=True)
            RESULT.write_text("".join(json.dumps(r) + "\n" for r in rows.values()))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    main()
