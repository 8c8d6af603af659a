# SPDX-License-Identifier: MIT
"""Solve the statements of the field with a tolerance alone, and keep what is claimed beside what is true.

    python benchmarks/field/run.py                                  # everything wanted, one seed
    python benchmarks/field/run.py --only burgers-shock kdv --seeds 5
    python benchmarks/field/run.py --group first boxes --tol 1e-4 --max-seconds 60
    python benchmarks/field/run.py --group unseen --unseen-seed 7   # a set that nobody has seen
    python benchmarks/field/run.py --list

Every solve is a process of its own, with threads as installed; rows of the same code are not run again (--fresh does). Seconds
are CPU seconds of `lrfm.solve`, its second draw included, the reading of the statement and the imports not.
"""

from __future__ import annotations

import argparse
import functools
import math
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness

import lrfm
from field import unseen
from field.record import Statement, errors
from field.statements import GROUPS, get, named
from lrfm.problem import ProblemError

RESULT = harness.RESULTS / "field.jsonl"
SPARE = 120.0  # wall seconds beyond the budget before a process is ended: reading, references, evaluation


def run_one(name: str, tol: float, seed: int, method: str | None, seconds: float) -> harness.Row:
    """One solve: what it says, what is true, what it cost."""
    statement = get(name)
    row: harness.Row = {
        "statement": name,
        "group": statement.group,
        "tol": tol,
        "seed": seed,
        "budget": seconds,
    }
    try:
        problem = statement.problem
    except ProblemError as error:
        return row | {"status": f"refused: {error}", "met": False}
    options = {} if method is None else {"method": method}
    solve = lrfm.solve  # loads what it needs before the clock starts
    began, worked = time.perf_counter(), time.process_time()
    try:
        solution = solve(problem, tol=tol, seed=seed, strict=False, max_seconds=seconds, **options)
    except ProblemError as error:
        return row | {
            "status": f"refused: {error}",
            "met": False,
            "cpu_seconds": time.process_time() - worked,
        }
    row |= {"cpu_seconds": time.process_time() - worked, "seconds": time.perf_counter() - began}
    return row | said(solution) | truth(statement, solution)


def said(solution: lrfm.Solution) -> harness.Row:
    """What the report says."""
    report = solution.report
    known = {
        n: getattr(report, n) for n in ("steps", "blocks", "features", "rank", "rows") if hasattr(report, n)
    }
    return known | {
        "method": getattr(report, "method", "") or dict(report.parts).get("method", "space-time"),
        "status": report.status,
        "met": report.status == "tolerance met",
        "estimate": report.error_estimate,
        "indicators": {n: harness.plain(v) for n, v in report.indicators.items()},
        "decided_by": report.decided_by,
        "invariants": {n: harness.plain(v) for n, v in report.invariants.items()},
        "warnings": [str(w) for w in report.warnings],
    }


def truth(statement: Statement, solution: lrfm.Solution) -> harness.Row:
    """True errors; infinite where the march did not reach the end."""
    t0, t1 = statement.problem.time
    if solution.block_edges[-1] < t1 - 1e-9 * (t1 - t0):
        return {"error": math.inf, "final_error": math.inf, "max_error": math.inf}

    def answer(**where: object) -> dict[str, object]:
        return {name: solution[name](**where) for name in statement.sample.values}

    return errors(statement, answer) | {"reference": harness.plain(statement.sample.agreement)}


# Jobs -------------------------------------------------------------------------------------------


def chosen(args: argparse.Namespace) -> list[Statement]:
    """Statements of the groups whose name contains one of the words."""
    found = named(args.unseen_seed if "unseen" in args.group else None).values()
    return [s for s in found if s.group in args.group and harness.chosen(s.name, args.only)]


def jobs_of(args: argparse.Namespace) -> list[tuple[str, functools.partial]]:
    jobs = []
    for statement in chosen(args):
        for tol in args.tol or [goal.tol for goal in statement.wanted]:
            for seed in range(args.seeds):
                key = f"{statement.name} tol {tol:g} seed {seed} method {args.method or 'auto'}"
                work = functools.partial(run_one, statement.name, tol, seed, args.method, args.max_seconds)
                jobs.append((key, work))
    part, _, parts = args.part.partition("/")
    return jobs[int(part) - 1 :: int(parts)]


def complete(row: harness.Row) -> harness.Row:
    """A row of a job that raised or was ended has only its key; the rest is read off it."""
    if "statement" not in row:
        name, _, tol, _, seed, *_ = str(row["key"]).split(" ")
        row = row | {"statement": name, "tol": float(tol), "seed": int(seed)}
    return row


def load(path: Path = RESULT) -> list[harness.Row]:
    """The rows of the newest code that a statement was run by at a tolerance: seeds of older code are no draws of the same."""
    every = [complete(row) for row in harness.read_result(path)]
    newest = {(row["statement"], row["tol"]): row.get("commit") for row in every}
    latest = {row["key"]: row for row in every}.values()
    return [row for row in latest if row.get("commit") == newest[row["statement"], row["tol"]]]


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    made.add_argument("--only", nargs="*", default=[], help="names, or parts of them")
    made.add_argument("--group", nargs="*", default=[g for g in GROUPS if g != "unseen"], choices=GROUPS)
    made.add_argument("--tol", type=float, nargs="*", default=[], help="instead of what is wanted")
    made.add_argument("--seeds", type=int, default=1, help="how many; five for the committed results")
    made.add_argument("--method", help='"lines" or "space-time"; chosen by lrfm if left out')
    made.add_argument("--max-seconds", type=float, default=120.0)
    made.add_argument("--unseen-seed", type=int, default=unseen.SEED)
    made.add_argument("--jobs", type=int, default=1, help="processes at a time; timings want one")
    made.add_argument("--part", default="1/1", help="every n-th job, such as 2/4")
    made.add_argument("--out", type=Path, default=RESULT)
    made.add_argument("--fresh", action="store_true", help="run again what is there")
    made.add_argument("--keep", action="store_true", help="rows of other code count as done")
    made.add_argument("--list", action="store_true")
    return made


def main(words: list[str] | None = None) -> None:
    args = parser().parse_args(words)
    if args.list:
        for s in chosen(args):
            tols = ", ".join(
                f"{g.tol:g}" + (f" in {g.seconds:g} s" if g.seconds < math.inf else "") for g in s.wanted
            )
            harness.say(f"{s.group:10} {s.name:40} {tols}")
        return
    limit = args.max_seconds + SPARE
    harness.run_jobs(
        jobs_of(args), args.out, workers=args.jobs, limit=limit, fresh=args.fresh, keep=args.keep
    )


if __name__ == "__main__":
    main()
