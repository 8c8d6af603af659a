# SPDX-License-Identifier: MIT
"""Error against wall time, from statement to answer in a fresh process: lrfm and others on eight problems.

    make bench-peers                                    # the environment of the others, then all of it: 35 minutes
    python benchmarks/peers.py --quick                  # a smoke run, into peers-trial.jsonl
    python benchmarks/peers.py --only burgers spectral  # rows whose key contains one of the words
    python benchmarks/peers.py --summary                # tables, bars and pictures from the rows that are there

Every run is a process of its own (`peers/with_*.py`) with the machine to itself. It states the problem in the terms
of its library, solves, and hands over values at four times; errors are computed here against the references of the
catalog. Rows of lrfm are run again when its code has changed, those of the others only with `--fresh`.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, str(os.cpu_count()))  # one run at a time: all cores for each

import argparse  # noqa: E402
import functools  # noqa: E402
import json  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from collections.abc import Iterator  # noqa: E402
from dataclasses import dataclass, field  # noqa: E402
from pathlib import Path  # noqa: E402

import harness  # noqa: E402
import numpy as np  # noqa: E402
import peers_report  # noqa: E402

import lrfm  # noqa: E402
from lrfm.solution import reference_values  # noqa: E402

SCRIPTS = Path(__file__).resolve().parent / "peers"
RESULT = harness.RESULTS / "peers.jsonl"
ENVIRONMENT = harness.ROOT / ".venv-peers"
PATIENCE = 75.0  # seconds for one run of a peer
SLOW = 25.0  # seconds after which nothing harder is tried
TOLERANCES = (1e-2, 1e-4, 1e-6, 1e-8, 1e-10)
BUDGET = 40.0  # max_seconds of a search
SCALES = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0)

# Cells and tolerance of time stepping, each grid about as exact in time as in space.
CELLS = {
    "heat-1d": ("LSODA", ((64, 1e-5), (256, 1e-6), (1024, 1e-7), (2048, 1e-8), (8192, 1e-9))),
    "allen-cahn": ("RK45", ((32, 1e-4), (64, 1e-6), (128, 1e-7), (512, 1e-8))),
    "allen-cahn-long": ("RK45", ((256, 1e-4), (1024, 1e-6), (2048, 1e-7), (4096, 1e-8))),
    "burgers": ("RK45", ((128, 1e-5), (512, 1e-6), (1024, 1e-7), (4096, 1e-8))),
    "kdv-consistent": ("Radau", ((256, 1e-4), (1024, 1e-6), (4096, 1e-7), (8192, 1e-7))),
    "nls": ("BDF", ((256, 1e-5), (1024, 1e-7), (4096, 1e-8), (8192, 1e-9))),
    "heat-2d": ("BDF", ((16, 1e-4), (32, 1e-5), (64, 1e-6), (128, 1e-6), (256, 1e-6))),
    "multiscale-1d": ("BDF", ((64, 1e-5), (256, 1e-6), (1024, 1e-7), (2048, 1e-8), (4096, 1e-8))),
}
SPECTRAL = {
    "heat-1d": ("Radau", ((8, 1e-4), (12, 1e-6), (16, 1e-8), (20, 1e-10))),
    "allen-cahn": ("DOP853", ((16, 1e-4), (32, 1e-6), (48, 1e-9), (64, 1e-12))),
    "allen-cahn-long": ("DOP853", ((64, 1e-4), (128, 1e-6), (256, 1e-9), (384, 1e-12))),
    "burgers": ("DOP853", ((16, 1e-4), (32, 1e-6), (64, 1e-9), (128, 1e-12))),
    "kdv-consistent": ("Radau", ((32, 1e-4), (48, 1e-6), (64, 1e-8), (96, 1e-10))),
    "nls": ("Radau", ((32, 1e-4), (64, 1e-6), (80, 1e-8), (112, 1e-10))),
    "heat-2d": ("Radau", ((6, 1e-4), (8, 1e-6), (12, 1e-8), (16, 1e-10))),
    "multiscale-1d": ("DOP853", ((4, 1e-4), (4, 1e-6), (4, 1e-9), (4, 1e-12))),
}


@dataclass(frozen=True, kw_only=True)
class Run:
    """One point of the comparison; `easier` is the run without which this one is not tried."""

    problem: str
    contender: str
    script: str
    setting: dict[str, object] = field(default_factory=dict)
    easier: str = ""
    patience: float = PATIENCE

    @property
    def key(self) -> str:
        words = " ".join(
            f"{k}={v:g}" if isinstance(v, float) else f"{k}={v}" for k, v in self.setting.items()
        )
        return f"{self.problem} | {self.contender} | {words}"


# What is run ------------------------------------------------------------------------------------


def chain(runs: Iterator[Run]) -> Iterator[Run]:
    """Each run waits for the one before it: what was too hard or too slow is not tried harder."""
    last = ""
    for run in runs:
        linked = Run(**{**run.__dict__, "easier": last})
        last = linked.key
        yield linked


def of_lrfm(problem: str, quick: bool) -> Iterator[Run]:
    base = {"problem": problem, "script": "with_lrfm.py", "patience": 3 * BUDGET}
    tolerances, scales = (TOLERANCES[1:2], SCALES[2:3]) if quick else (TOLERANCES, SCALES)
    yield from chain(
        Run(contender="lrfm, tolerance", setting={"tol": tol, "max_seconds": BUDGET}, **base)
        for tol in tolerances
    )
    yield from chain(
        Run(contender="lrfm, parts", setting={"parts": scale, "estimate": False}, **base) for scale in scales
    )


def of_peers(problem: str, quick: bool, seconds: float) -> Iterator[Run]:
    method, grids = CELLS[problem]
    for style in ("class", "expression"):
        # Compilation takes most of the time of an expression, so fewer grids tell the same.
        kept = grids[:1] if quick else grids if style == "class" else grids[1:-1]
        if quick and style == "expression":
            continue
        yield from chain(
            Run(
                problem=problem,
                contender=f"py-pde, {style}",
                script="with_pypde.py",
                setting={"style": style, "cells": cells, "method": method, "rtol": rtol},
            )
            for cells, rtol in kept
        )
    method, sizes = SPECTRAL[problem]
    yield from chain(
        Run(
            problem=problem,
            contender="spectral",
            script="with_spectral.py",
            setting={"points": points, "method": method, "rtol": rtol},
        )
        for points, rtol in sizes[: 1 if quick else None]
    )
    yield Run(
        problem=problem,
        contender="DeepXDE",
        script="with_deepxde.py",
        setting={"points": 2540, "adam": 15000, "seconds": 6.0 if quick else seconds, "seed": 0},
        patience=seconds + 90.0,
    )


# One run ----------------------------------------------------------------------------------------


def execute(run: Run, python: str, path: Path) -> harness.Row:
    """Start the process, wait for its answer, compare."""
    row = {"problem": run.problem, "contender": run.contender, "setting": run.setting, "met": False}
    before = harness.read_rows(path).get(run.easier, {"met": True})
    if not before["met"] or harness.number(before, "fresh") > SLOW:
        return row | {"status": f"not run: the easier one: {before['status']}, {before['seconds']:.0f} s"}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "answer.npz"
        command = [python, str(SCRIPTS / run.script), run.problem, json.dumps(run.setting), str(out)]
        try:
            done = subprocess.run(
                [*command, repr(time.time())],
                capture_output=True,
                text=True,
                timeout=run.patience,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return row | {"status": f"no answer in {run.patience:.0f} s"}
        if not out.exists():
            last = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
            return row | {"status": f"failed: {last[:200]}"}
        with np.load(out) as content:
            return row | judge(run, dict(content))


def judge(run: Run, content: dict[str, np.ndarray]) -> harness.Row:
    """Errors and clocks of an answer; along the way where there are several."""
    if "cannot" in content:
        return {"status": f"cannot be stated: {content['cannot']}"}
    where = {name.removeprefix("at_"): x for name, x in content.items() if name.startswith("at_")}
    (exact,) = reference_values(lrfm.catalog.get(run.problem), where).values()
    values = np.atleast_2d(content["values"])
    errors = np.linalg.norm(values - exact, axis=1) / np.linalg.norm(exact)
    fresh, solve = np.atleast_1d(content["fresh"]), np.atleast_1d(content["solve"])
    best = int(np.nanargmin(errors)) if np.isfinite(errors).any() else -1
    row = {"error": errors[best], "fresh": fresh[best], "solve": solve[best], "status": "solved"}
    if len(errors) > 1:
        row["curve"] = [
            [float(f"{v:.4g}") for v in point] for point in zip(fresh, solve, errors, strict=True)
        ]
    missed = run.setting.get("tol", np.inf) < errors[best]
    return row | {"met": bool(np.isfinite(errors[best]) and not missed)}


def import_time() -> harness.Row:
    """Seconds of `import lrfm` alone, the best of five fresh processes."""
    code = "import time; t = time.perf_counter(); import lrfm; print(time.perf_counter() - t)"
    took = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(5)
    ]
    return {"status": "solved", "met": min(took) < peers_report.IMPORT, "import_seconds": min(took)}


# The environment of the others -------------------------------------------------------------------


def environment(folder: Path) -> str:
    """The interpreter of the peers; made and filled if it is not there."""
    python = folder / "bin" / "python"
    if not python.exists():
        wanted = SCRIPTS / "requirements.txt"
        lines = wanted.read_text(encoding="utf-8").splitlines()
        torch = next(line for line in lines if line.startswith("torch=="))
        harness.say(f"installing the peers into {folder}; this takes minutes")
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        # torch first: others would draw in another version of it.
        subprocess.run([*install, torch], check=True)
        subprocess.run([*install, "-r", str(wanted)], check=True)
    return str(python)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[], help="parts of keys, such as burgers or DeepXDE")
    parser.add_argument("--quick", action="store_true", help="one small run of each, into peers-trial.jsonl")
    parser.add_argument("--seconds", type=float, default=120.0, help="training time of DeepXDE per problem")
    parser.add_argument(
        "--environment", type=Path, default=ENVIRONMENT, help="virtual environment of the peers"
    )
    parser.add_argument("--fresh", action="store_true", help="run again what is there")
    parser.add_argument("--keep", action="store_true", help="do not run again what other code computed")
    parser.add_argument("--summary", action="store_true", help="only tables, bars and pictures")
    args = parser.parse_args()
    path = RESULT.with_name("peers-trial.jsonl") if args.quick else RESULT
    if not args.summary:
        python = environment(args.environment)
        own = [r for p in peers_report.PROBLEMS for r in of_lrfm(p, args.quick)]
        others = [r for p in peers_report.PROBLEMS for r in of_peers(p, args.quick, args.seconds)]
        jobs = lambda runs, exe: [  # noqa: E731
            (r.key, functools.partial(execute, r, exe, path))
            for r in runs
            if harness.chosen(r.key, args.only)
        ]
        mine = [("import", import_time), *jobs(own, sys.executable)]
        harness.run_jobs(mine, path, fresh=args.fresh, keep=args.keep)
        harness.run_jobs(jobs(others, python), path, fresh=args.fresh, keep=True)
    rows = harness.read_rows(path)
    harness.say(peers_report.report(rows))
    if args.quick:
        harness.say("A smoke run: sizes are the smallest, so the bars above mean nothing.")
    peers_report.pictures(rows, path.with_suffix(".png"))


if __name__ == "__main__":
    main()
