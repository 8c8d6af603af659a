# SPDX-License-Identifier: MIT
"""Statements in the plane by which cells are measured: error, estimate, CPU seconds of both solves.

    python benchmarks/plane.py                    # all, into benchmarks/results/plane.jsonl
    python benchmarks/plane.py stadium --seconds 60

Every row is a process of its own in the environment of a user: no variable of threads is set, `tol` alone is given.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import domains
import harness
import holes
import numpy as np

import lrfm
from lrfm.rows.placing import fill
from lrfm.solution.reference import true_error

RESULT = harness.RESULTS / "plane.jsonl"
POINTS = 20_000  # random places and times of an error: a grid with its ends gave the tip of a corner 1/900 of the area
L_SHAPE = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
SQUARE = lrfm.Box(x=(0, 1), y=(0, 1))
PULSE = "exp(-((x - 0.3)**2 + y**2)/0.02)"


def heat(domain: object, right: str = "lap(u)", initial: str = "0", boundary: object = "u = 0", end: float = 0.5, **more: object) -> lrfm.Problem:  # fmt: skip
    return lrfm.Problem(
        f"u_t = {right}", domain=domain, time=(0, end), initial=initial, boundary=boundary, **more
    )


def wave(domain: object, right: str, initial: str, end: float) -> lrfm.Problem:
    return lrfm.Problem(
        f"u_tt = {right}", domain=domain, time=(0, end), initial={"u": initial, "u_t": "0"}, boundary="u = 0"
    )


def stadium() -> lrfm.Problem:
    """A pulse of width 0.14 between two half discs."""
    domain = lrfm.Box(x=(-1, 1), y=(-1, 1)) | lrfm.Disk(center=(-1, 0)) | lrfm.Disk(center=(1, 0))
    return wave(domain, "lap(u)", "exp(-((x + 0.5)**2 + (y - 0.2)**2)/0.14**2)", 2)


def plate() -> lrfm.Problem:
    """One hole, heated from nothing."""
    domain = lrfm.Box(x=(-2, 2), y=(-1, 1), name="plate") - lrfm.Disk(
        center=(0.3, 0), radius=0.4, name="hole"
    )
    return heat(domain, boundary={"plate": "u_n = 0.1 - u", "hole": "u_n = 5 - u"}, end=1)


K = "where((x - 0.4)**2 + (y - 0.5)**2 < 0.06, 100, 1)"
RANDOM = "(1 + 0.3*sin(3*x + 1)*cos(4*y) + 0.2*sin(5*x - 2*y))"

STATEMENTS: dict[str, tuple[Callable[[], lrfm.Problem], tuple[float, ...]]] = {
    "heat2d-holes": (holes.statement, (1e-3, 1e-4)),
    "disk-heat": (domains.disk_heat, (1e-3, 1e-6, 1e-8)),
    "annulus": (domains.annulus, (1e-6, 1e-8)),
    "ellipse": (domains.ellipse, (1e-6, 1e-8)),
    "triangle": (domains.triangle, (1e-6, 1e-8)),
    "corner": (domains.corner, (1e-3, 1e-6)),
    "disk-wave": (domains.disk_wave, (1e-3, 1e-6)),
    "disk-robin": (domains.disk_robin, (1e-3,)),
    "flower-heat": (domains.flower_heat, (1e-3, 1e-6)),
    "flower-reaction": (domains.flower_reaction, (1e-3,)),
    "stadium": (stadium, (1e-3, 1e-5)),
    "pulse on a disc": (lambda: wave(lrfm.Disk(), "lap(u)", PULSE, 1), (1e-3,)),
    "plate with a hole": (plate, (1e-3,)),
    "L-shape from one": (lambda: heat(lrfm.Polygon(L_SHAPE), initial="1", end=0.3), (1e-3,)),
    "step source, square": (lambda: heat(SQUARE, "lap(u) + where(x > 0.37, 10, 0)"), (1e-3,)),
    "step source, disc": (
        lambda: heat(lrfm.Disk(), "lap(u) + where(x**2 + y**2 < 0.25, 10, 0)"),
        (1e-3,),
    ),
    "conductivity 1:100": (
        lambda: heat(SQUARE, "diff(k*u_x, x) + diff(k*u_y, y) + 1", parameters={"k": K}),
        (1e-3,),
    ),
    "wave, speed jumps": (lambda: wave(lrfm.Disk(), "where(x > 0.1, 4, 1)*lap(u)", PULSE, 1), (1e-3,)),
    "reaction in a part": (
        lambda: heat(SQUARE, f"0.1*lap(u) + where({K} > 50, 20, 0)*u*(1 - u)", initial="0.1*sin(pi*x)*sin(pi*y)", end=1),
        (1e-3,),
    ),
    "wave, random speed": (lambda: wave(lrfm.Disk(), f"{RANDOM}*lap(u)", PULSE, 1), (1e-3,)),
    "heat, random coefficient": (
        lambda: heat(
            lrfm.Disk(), f"diff({RANDOM}*u_x, x) + diff({RANDOM}*u_y, y) + 1", initial="1 - x**2 - y**2"
        ),
        (1e-3,),
    ),
}  # fmt: skip


def anywhere(problem: lrfm.Problem) -> dict[str, np.ndarray]:
    """Random places and times, equally distributed: sums over them are integrals over space and time, as a claim means them."""
    rng, domain = np.random.default_rng(0), problem.domain
    times = problem.time[0] + (problem.time[1] - problem.time[0]) * rng.random(POINTS)
    points = fill(domain, rng.random((POINTS, 2)), times, rng)
    return {**dict(zip(domain.names, points.T, strict=True)), "t": times}


def one(name: str, tol: float, seconds: float) -> harness.Row:
    """The row of one statement and tolerance."""
    problem, began = STATEMENTS[name][0](), time.process_time()
    solution = lrfm.solve(problem, tol=tol, strict=False, max_seconds=seconds)
    spent, report = time.process_time() - began, solution.report
    error = None
    if problem.reference is not None:
        error = true_error(solution, anywhere(problem))
    elif name == "heat2d-holes":
        error = holes.compare(solution)[0]
    chosen = {k: v for k, v in report.parts.items() if k in ("cells", "degree", "scheme")}
    return {
        "statement": name,
        "tol": tol,
        "met": not report.failed,
        "estimate": report.error_estimate,
        "error": error,
        "cpu": round(spent, 2),
        "steps": report.steps,
        "chosen": chosen or {"features": report.features},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--tol", type=float)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--one", action="store_true")
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(one(asked.words[0], asked.tol, asked.seconds)))
        return
    where = harness.as_installed()
    for name, (_, tols) in STATEMENTS.items():
        for tol in tols if asked.tol is None else (asked.tol,):
            if asked.words and not any(word in name for word in asked.words):
                continue
            words = [
                sys.executable,
                __file__,
                name,
                "--one",
                "--tol",
                repr(tol),
                "--seconds",
                repr(asked.seconds),
            ]
            run = subprocess.run(words, capture_output=True, text=True, check=False)
            if run.returncode:
                print(name, tol, run.stderr.strip().splitlines()[-1][:200])
                continue
            row = json.loads(run.stdout.splitlines()[-1]) | where
            print({k: v for k, v in row.items() if k != "machine"}, flush=True)
            with RESULT.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    main()
