# SPDX-License-Identifier: MIT
"""The tables on which README and docs rest, all on one commit: run what is asked for, two beside each other, and say how old each result is.

    python benchmarks/proof.py                          # all of them, some three hours of two cores
    python benchmarks/proof.py field narrow --until 21:50
    python benchmarks/proof.py --ages                   # only how old results are

Each is a script of its own in the environment of a user; it is begun if there is time for it before `--until` (minutes are of two cores with nothing else to do), and one that is still under way then goes on.
Run it from a clean checkout: rows carry its commit. What a script said is in .cache/proof.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import datetime
import subprocess
import sys
import time
from dataclasses import dataclass

import harness

LOGS = harness.ROOT / ".cache" / "proof"


@dataclass(frozen=True)
class Table:
    """A result, the words of the command that makes it, and how many minutes that takes."""

    result: str
    words: str
    minutes: float


# What takes long comes first, so that both cores end at about the same time.
TABLES = {
    "narrow": Table("narrow.jsonl", "narrow.py --count 400 --fresh", 30),
    "field": Table("field.jsonl", "field/run.py --fresh", 15),
    "claims": Table("claims.jsonl", "claims/run.py --renew", 20),
    "elliptic": Table("elliptic.jsonl", "elliptic.py", 20),
    "patterns": Table("patterns.jsonl", "patterns.py", 10),
    "bacoli": Table("bacoli.json", "bacoli.py", 5),
    "cells": Table("cells.jsonl", "cells.py", 5),
    "flows": Table(
        "flows.jsonl",
        "flows.py --write --tol 1e-2 --case channel --case step --case stokes-disc --case vortices",
        5,
    ),
    "shocks": Table("shocks.jsonl", "shocks.py", 4),
    "trial": Table("trial.jsonl", "trial.py", 4),
    "plane": Table("plane.jsonl", "plane.py", 3),
    "answers": Table("answers.json", "answers.py", 5),
    "transforms": Table("transforms.jsonl", "transforms.py", 5),
    "prepared": Table("prepared.json", "prepared.py", 1),
    "error-field": Table("error_field.jsonl", "error_field.py", 2),
    "bounds": Table("bounds.jsonl", "bounds.py", 1),
    "threads": Table("threads.json", "threads.py", 10),
    "budgets": Table("budgets.jsonl", "budgets.py --group flow region fit --budget 5 20", 10),
    "shapes": Table("random_shapes.jsonl", "random_shapes.py", 20),
    "kills": Table("kills.jsonl", "kills.py", 5),
}


def run(name: str, until: float) -> str:
    """One sentence on how it went."""
    table = TABLES[name]
    if time.time() + 60 * table.minutes > until:
        return "not begun: too little time"
    began = time.time()
    with open(LOGS / f"{name}.txt", "w", encoding="utf-8") as log:
        words = [sys.executable, *(f"benchmarks/{table.words}").split()]
        code = subprocess.run(words, cwd=harness.ROOT, stdout=log, stderr=log, check=False).returncode
    return f"{'done' if code == 0 else f'FAILED with code {code}'}, {(time.time() - began) / 60:.1f} min"


def age(name: str) -> str:
    """The commits of the rows of a result, the most frequent first, and how many changes of the package came after the oldest."""
    rows = harness.read_result(harness.RESULTS / TABLES[name].result)
    counted = collections.Counter(str(row.get("commit", "unknown")).rstrip("+")[:8] for row in rows)
    return ", ".join(f"{n} of {commit} ({behind(commit)})" for commit, n in counted.most_common())


def behind(commit: str) -> str:
    """How many commits have changed the package since another one."""
    words = ["git", "rev-list", "--count", f"{commit}..HEAD", "--", "src"]
    done = subprocess.run(words, cwd=harness.ROOT, capture_output=True, text=True, check=False)
    return f"{done.stdout.strip()} changes since" if done.returncode == 0 else "not in this history"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(TABLES)}")
    parser.add_argument("--until", default="", help="HH:MM at which nothing more is under way")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--ages", action="store_true", help="only say how old results are")
    args = parser.parse_args()
    if unknown := set(args.names) - set(TABLES):
        parser.error(f"no table is called {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
    names = [name for name in TABLES if name in (args.names or TABLES)]
    until = float("inf")
    if args.until:
        clock = datetime.time.fromisoformat(args.until)
        until = datetime.datetime.combine(datetime.date.today(), clock).timestamp()
    if not args.ages:
        LOGS.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(args.workers) as pool:
            for name, told in zip(names, pool.map(lambda name: run(name, until), names), strict=True):
                print(f"{name:12s} {told}", flush=True)
    for name in names:
        print(f"{name:12s} {age(name)}")


if __name__ == "__main__":
    main()
