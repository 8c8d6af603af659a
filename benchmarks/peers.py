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
from pathlib import Path  # noqa: E402

import harness  # noqa: E402
import numpy as np  # noqa: E402
import peers_picture  # noqa: E402
import peers_report  # noqa: E402
from peers_plan import Run, of_lrfm, of_peers  # noqa: E402

import lrfm  # noqa: E402
from lrfm.solution.reference import reference_values, relative_l2  # noqa: E402

SCRIPTS = Path(__file__).resolve().parent / "peers"
RESULT = harness.RESULTS / "peers.jsonl"
SLOW = 25.0  # seconds after which nothing harder is tried
ENVIRONMENT = harness.ROOT / ".venv-peers"
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
    errors = np.array([relative_l2(value, exact) for value in values])
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
    peers_picture.pictures(rows, path.with_suffix(".png"))


if __name__ == "__main__":
    main()
