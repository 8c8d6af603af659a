# SPDX-License-Identifier: MIT
"""Shocks: claims in L¹ against exact solutions of Riemann problems; in boxes of the plane also against a solve by the radius alone.

Usage: python benchmarks/shocks.py [--case NAME] [--tol 1e-2] [--seconds 120] [--boxes]

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
import water_reference  # noqa: E402

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
FLAT_WATER = [
    "h_t + diff(h*u, x) + diff(h*v, y) = 0",
    "diff(h*u, t) + diff(h*u**2 + h**2/2, x) + diff(h*u*v, y) = 0",
    "diff(h*v, t) + diff(h*u*v, x) + diff(h*v**2 + h**2/2, y) = 0",
]
WALLS = {"x": "u = 0", "y": "v = 0"}
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


def in_boxes() -> dict[str, Case]:
    """The same in the plane, functions of (x, y) and t."""
    water = riemann.shallow_water((2.0, 0.0), (1.0, 0.0))

    def dam(at: np.ndarray, t: float) -> np.ndarray:
        h, u = water((at[0] - 0.5) / t)
        return np.stack([h, u, np.zeros_like(h)])

    def oblique(at: np.ndarray, t: float) -> np.ndarray:
        """u_t + (u²)_s = 0 along s = x + y, from 1 on (0, 1/2) and 0.2 elsewhere: a fan and a shock."""
        s = np.where(at.sum(axis=0) % 1 < 0.2 * t, at.sum(axis=0) % 1 + 1, at.sum(axis=0) % 1)
        return np.where(s < 0.5 + 1.2 * t, np.clip(s / (2 * t), 0.2, 1.0), 0.2)

    def made(equation, initial, boundary, end, box):
        return lrfm.Problem(equation, domain=box, time=(0, end), initial=initial, boundary=boundary)

    unit, wide = lrfm.Box(x=(0, 1), y=(0, 1)), lrfm.Box(x=(-1, 1), y=(-1, 1))
    return {
        "oblique": (
            made(
                "u_t + diff(u**2/2, x) + diff(u**2/2, y) = 0",
                "where(sin(2*pi*(x + y)) > 0, 1, 0.2)",
                "periodic",
                0.2,
                unit,
            ),
            oblique,
        ),
        "dam across a box": (
            made(FLAT_WATER, {"h": "where(x < 0.5, 2, 1)", "u": "0", "v": "0"}, WALLS, 0.25, unit),
            dam,
        ),
        "radial dam": (
            made(
                FLAT_WATER,
                {"h": "where(x**2 + y**2 < 0.25, 2, 1)", "u": "0", "v": "0"},
                WALLS,
                COLUMN_ENDS,
                wide,
            ),
            column_reference,
        ),
    }


COLUMN_ENDS = 0.3  # before a wave comes to the walls


@lru_cache(maxsize=1)
def _column() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A column of water by its radius alone: times, radii, and (h, w) there."""
    times = COLUMN_ENDS * (np.arange(TIMES) + 0.5) / TIMES
    return times, *water_reference.column(lambda r: np.where(r < 0.5, 2.0, 1.0), 1.5, times, CELLS)


def column_reference(at: np.ndarray, t: float) -> np.ndarray:
    """h, u, v at one of the times at which errors are measured."""
    times, radii, found = _column()
    r, (h, w) = np.hypot(at[0], at[1]), found[int(np.argmin(np.abs(times - t)))]
    along = np.interp(r, radii, w) / r
    return np.stack([np.interp(r, radii, h), along * at[0], along * at[1]])


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
    axes, (start, end) = solution.problem.domain.axes, solution.problem.time
    count = 8000 if len(axes) == 1 else 700
    along = [low + (high - low) * (np.arange(count) + 0.5) / count for low, high in axes.values()]
    at = np.stack([x.ravel() for x in np.meshgrid(*along, indexing="ij")])
    gaps, sizes = 0.0, 0.0
    for t in start + (end - start) * (np.arange(TIMES) + 0.5) / TIMES:
        where = dict(zip(axes, at, strict=True)) | {"t": np.full(at.shape[1], t)}
        found = np.stack([solution[f](**where) for f in solution.problem.fields])
        wanted = np.atleast_2d(exact(at[0] if len(axes) == 1 else at, t))
        gaps = gaps + np.mean(np.abs(found - wanted), axis=1)
        sizes = sizes + np.mean(np.abs(wanted), axis=1)
    # What is zero is measured by the largest of all.
    return float(np.max(gaps / np.where(sizes > 0, sizes, np.max(sizes))))


def measured(name: str, tol: float, seconds: float) -> dict[str, object]:
    """One line of the results."""
    problem, exact = (cases() | in_boxes())[name]
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
        "cells": report.parts.get("grid") or report.parts.get("cells", ""),
        "steps": report.steps,
    }


def picture(path: Path, seconds: float) -> None:
    """Sod's tube at the end, claimed at 4e-2, and the exact solution."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    problem, exact = cases()["tube"]
    solution = lrfm.solve(problem, tol=4e-2, max_seconds=seconds)
    end = problem.time[1]
    x = np.linspace(0, 1, 2000)
    found = {f: solution[f](x=x, t=np.full(len(x), end)) for f in problem.fields}
    figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for f, wanted, color in zip(problem.fields, exact(x, end), ("C0", "C1", "C2"), strict=True):
        axes.plot(x, wanted, color="0.6", lw=3, label="exact" if f == "rho" else None)
        axes.plot(x, found[f], color=color, lw=1.2, label=f)
    cells = len(solution.cells(t=end)) - 1
    axes.set(xlabel="x", title=f"Sod's tube at t = {end:g}: {cells} volumes, claimed to 4e-2 in L¹")
    axes.legend(ncols=4, frameon=False, loc="upper right")
    figure.savefig(path, dpi=130)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", choices=[*cases(), *in_boxes()], action="append")
    parser.add_argument("--boxes", action="store_true", help="those of the plane")
    parser.add_argument("--tol", type=float, action="append")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    if given.picture:
        picture(given.picture, given.seconds)
        return
    import harness

    where = harness.as_installed()
    for tol in given.tol or [1e-1 if given.boxes else 1e-2]:
        for name in given.case or (in_boxes() if given.boxes else cases()):
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
