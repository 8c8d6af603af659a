# SPDX-License-Identifier: MIT
"""Shocks: claims in L¹ against exact solutions of Riemann problems.

Usage: python benchmarks/shocks.py [--case NAME] [--tol 1e-2] [--seconds 120]

Each line of results/shocks.jsonl has the statement, tol, status, estimate, true error in L¹ (the worst unknown), CPU seconds of both solves, cells and steps.
`--picture FILE` draws Sod's tube, as it is in docs/howto/shocks.png.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import gas_reference  # noqa: E402

import lrfm  # noqa: E402
from tests import riemann  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "shocks.jsonl"
TIMES = 41  # at which errors are measured
LINE = lrfm.Box(x=(0, 1))
BURGERS = "u_t + u*u_x = 0"
GAS = [
    "rho_t + diff(rho*v, x) = 0",
    "diff(rho*v, t) + diff(rho*v**2 + p, x) = 0",
    "diff(p/0.4 + rho*v**2/2, t) + diff((p*1.4/0.4 + rho*v**2/2)*v, x) = 0",
]
WATER = ["h_t + diff(h*v, x) = 0", "diff(h*v, t) + diff(h*v**2 + h**2/2, x) = 0"]
OIL = "u_t + diff(u**2/(u**2 + 0.25*(1 - u)**2), x) = 0"
Case = tuple[lrfm.Problem, Callable[[np.ndarray, float], np.ndarray]]


def cases() -> dict[str, Case]:
    """Statements with their exact solutions."""
    water = riemann.shallow_water((2.0, 0.0), (1.0, 0.0))
    gas, (oil, _) = riemann.euler((1.0, 0.0, 1.0), (0.125, 0.0, 0.1)), riemann.buckley_leverett()
    tube = {"rho": "where(x < 0.5, 1, 0.125)", "v": "0", "p": "where(x < 0.5, 1, 0.1)"}
    inflow: dict[str, str | None] = {"x-": "u = 1", "x+": None}

    def made(equation, initial, boundary, end, box=LINE):
        return lrfm.Problem(equation, domain=box, time=(0, end), initial=initial, boundary=boundary)

    return {
        "shock": (
            made(BURGERS, "where(x < 0.3, 1, 0)", inflow, 0.3),
            lambda x, t: np.where(x < 0.3 + t / 2, 1.0, 0.0),
        ),
        "rarefaction": (
            made(BURGERS, "where(x < 0.3, -0.5, 1)", None, 0.3),
            lambda x, t: np.clip((x - 0.3) / t, -0.5, 1.0),
        ),
        "sine": (made(BURGERS, "sin(2*pi*x)", "periodic", 0.5), riemann.sine_with_shock),
        "n-wave": (
            made(BURGERS, "where(abs(x) < 1, x, 0)", "u = 0", 1.5, lrfm.Box(x=(-2, 2))),
            riemann.n_wave,
        ),
        "two liquids": (made(OIL, "where(x < 0.3, 1, 0)", inflow, 0.25), lambda x, t: oil((x - 0.3) / t)),
        "dam": (
            made(WATER, {"h": "where(x < 0.5, 2, 1)", "v": "0"}, "v = 0", 0.25),
            lambda x, t: water((x - 0.5) / t),
        ),
        "tube": (made(GAS, tube, "v = 0", 0.2), lambda x, t: gas((x - 0.5) / t)),
        "waves": (
            made(
                GAS,
                {
                    "rho": "where(x < -4, 27/7, 1 + 0.2*sin(5*x))",
                    "v": "where(x < -4, 4*sqrt(35)/9, 0)",
                    "p": "where(x < -4, 31/3, 1)",
                },
                {"x-": ["rho = 27/7", "v = 4*sqrt(35)/9", "p = 31/3"], "x+": "v = 0"},
                1.8,
                lrfm.Box(x=(-5, 5)),
            ),
            waves_reference,
        ),
    }


CELLS = 5000  # of the reference


@lru_cache(maxsize=1)
def _waves() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shu and Osher's shock that runs into waves, by another scheme on narrow cells: times, places, and (ρ, v, p) there."""

    def initial(x: np.ndarray) -> np.ndarray:
        behind = np.array([27 / 7, 4 * np.sqrt(35) / 9, 31 / 3])[:, None]
        return np.where(x < -4, behind, np.stack([1 + 0.2 * np.sin(5 * x), 0 * x, 1 + 0 * x]))

    times = 1.8 * (np.arange(TIMES) + 0.5) / TIMES
    return times, *gas_reference.reference(initial, (-5.0, 5.0), times, CELLS)


def waves_reference(x: np.ndarray, t: float) -> np.ndarray:
    """At one of the times at which errors are measured."""
    times, places, found = _waves()
    number = int(np.argmin(np.abs(times - t)))
    return np.stack([np.interp(x, places, u) for u in found[number]])


def true_error(solution: lrfm.Solution, exact: Callable[[np.ndarray, float], np.ndarray]) -> float:
    """Relative error in L¹ over space and time, the worst unknown; no point is where a shock stands for ever."""
    (low, high), (start, end) = solution.problem.domain.axes["x"], solution.problem.time
    x = low + (high - low) * (np.arange(8000) + 0.5) / 8000
    gaps, sizes = 0.0, 0.0
    for t in start + (end - start) * (np.arange(TIMES) + 0.5) / TIMES:
        found = np.stack([solution[f](x=x, t=np.full(len(x), t)) for f in solution.problem.fields])
        wanted = np.atleast_2d(exact(x, t))
        gaps = gaps + np.mean(np.abs(found - wanted), axis=1)
        sizes = sizes + np.mean(np.abs(wanted), axis=1)
    return float(np.max(gaps / sizes))


def measured(name: str, tol: float, seconds: float) -> dict[str, object]:
    """One line of the results."""
    problem, exact = cases()[name]
    began = time.process_time()
    solution = lrfm.solve(problem, tol=tol, strict=False, max_seconds=seconds)
    spent, report = time.process_time() - began, solution.report
    return {
        "case": name,
        "tol": tol,
        "status": str(report.status),
        "norm": f"L{report.norm}",
        "estimate": report.error_estimate,
        "error": true_error(solution, exact),
        "cpu": round(spent, 2),
        "cells": report.parts.get("cells", ""),
        "steps": report.steps,
    }


def picture(path: Path, seconds: float) -> None:
    """Sod's tube at the end from one solve of a loose pair, its cells, and the exact solution."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    problem, exact = cases()["tube"]
    solution = lrfm.solve(problem, estimate=False, strict=False, max_seconds=seconds)
    end = problem.time[1]
    x = np.linspace(0, 1, 2000)
    found = {f: solution[f](x=x, t=np.full(len(x), end)) for f in problem.fields}
    figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for f, wanted, color in zip(problem.fields, exact(x, end), ("C0", "C1", "C2"), strict=True):
        axes.plot(x, wanted, color="0.6", lw=3, label="exact" if f == "rho" else None)
        axes.plot(x, found[f], color=color, lw=1.2, label=f)
    edges = solution.cells(t=end)
    axes.plot(edges, np.full(len(edges), -0.06), "|", color="k", ms=7, label="cells")
    axes.set(xlabel="x", title=f"Sod's tube at t = {end:g}, one solve with cells for 1e-2 in L¹")
    axes.legend(ncols=5, frameon=False, loc="upper right")
    figure.savefig(path, dpi=130)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", choices=[*cases()], action="append")
    parser.add_argument("--tol", type=float, action="append")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    if given.picture:
        picture(given.picture, given.seconds)
        return
    import harness

    where = harness.as_installed()
    for tol in given.tol or [1e-2]:
        for name in given.case or cases():
            line = measured(name, tol, given.seconds) | where
            print(json.dumps(line), flush=True)
            kept = [r for r in _lines() if (r["case"], r["tol"]) != (name, tol)]
            RESULTS.write_text("".join(json.dumps(r) + "\n" for r in [*kept, line]), encoding="utf-8")


def _lines() -> list[dict]:
    if not RESULTS.exists():
        return []
    return [json.loads(row) for row in RESULTS.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main()
