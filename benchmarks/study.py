# SPDX-License-Identifier: MIT
"""All claims on one commit, what is quick and broad first: the families of benchmarks/claims, catalog, random and negative statements.

python benchmarks/study.py --until 23:30        # goes on where it was broken off; no statement is begun after that time

One process at a time, threads as installed, budgets in seconds of CPU. Rows of this commit replace those of others.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOUND = ("smooth", "edged", "thin", "hidden", "incompatible")


def claims(tol: float, draws: int, seconds: float, *more: str, family: tuple[str, ...] = SOUND) -> list[str]:
    words = [
        "claims/run.py",
        "--renew",
        "--tol",
        f"{tol:g}",
        "--draws",
        str(draws),
        "--seconds",
        f"{seconds:g}",
    ]
    return [*words, "--family", *family, *more]


def others(tol: float, seconds: float, *groups: str) -> list[str]:
    words = ["honesty.py", "--tol", f"{tol:g}", "--max-seconds", f"{seconds:g}", "--jobs", "1"]
    return [*words, "--group", *groups]


STAGES = (
    claims(1e-3, 1, 60),
    claims(1e-3, 3, 10, family=("negative",)),
    claims(1e-6, 1, 60, "--quick", "2"),
    claims(1e-9, 1, 60, "--quick", "1"),
    claims(1e-3, 8, 60, "--quick", "1"),
    others(1e-3, 30, "catalog", "random"),
    claims(1e-6, 6, 60, "--quick", "1.5"),
    claims(1e-9, 5, 60, "--quick", "1.5"),
    claims(1e-3, 3, 60),
    others(1e-6, 30, "random", "catalog"),
    claims(1e-3, 20, 60, "--quick", "0.7"),
    claims(1e-3, 1, 15, "--method", "space-time", family=("smooth", "hidden")),
    claims(1e-6, 10, 60, "--quick", "1"),
    others(1e-9, 30, "random", "catalog"),
    claims(1e-3, 1, 20, "--method", "space-time"),
    claims(1e-6, 1, 60),
    claims(1e-6, 1, 10, family=("negative",)),
    others(1e-3, 20, "negative"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--until", default="99:99", help="HH:MM")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    args = parser.parse_args()
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    for script, *words in STAGES:
        if args.until <= time.strftime("%H:%M"):
            break
        mine = script.startswith("claims")
        words += ["--out", str(args.results / ("claims.jsonl" if mine else "honesty.jsonl"))]
        words += ["--until", args.until] if mine else []
        print(time.strftime("%H:%M"), script, *words, flush=True)
        subprocess.run([sys.executable, str(HERE / script), *words], env=environment, check=False)


if __name__ == "__main__":
    main()
