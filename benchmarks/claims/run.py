# SPDX-License-Identifier: MIT
# ruff: noqa: E402
"""Claims against the truth, statement by statement; rows are appended, and what is there is not run again.

python benchmarks/claims/run.py --tol 1e-3 --seconds 30            # everything at one tolerance, by the default method
python benchmarks/claims/run.py --family thin --method space-time --draws 1
python benchmarks/claims/run.py --draws 12 --quick 1                # more statements of the kinds that take at most a second
python benchmarks/claims/run.py --renew                             # again what other commits have computed
python benchmarks/claims/run.py --check                            # insert every exact solution into its statement
python benchmarks/claims/run.py --summary
"""

from __future__ import annotations

import argparse
import json
import sys
import time

time.perf_counter = time.process_time  # budgets are seconds of CPU: the machine may have other things to do

import warnings
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness
import numpy as np

import lrfm
from claims import edged, hidden, incompatible, negative, odd, smooth, thin
from claims.statement import FAMILIES, Dice, Stated, errors
from claims.verdict import RESULT, report
from lrfm.problem import ProblemError

MODULES = dict(zip(FAMILIES, (smooth, edged, thin, hidden, incompatible, negative, odd), strict=True))
DRAWS = 3
TOLERANCES = (1e-3, 1e-6, 1e-9)


def statements(families: list[str], draws: int, only: list[str]) -> Iterator[tuple[str, str, int]]:
    """Family, kind and number of every statement; the first of each kind first, so that a short run has seen all."""
    for number in range(draws):
        for family in families:
            for maker in MODULES[family].MAKERS:
                if not only or any(word in f"{maker.__name__}-{number}" for word in only):
                    yield family, maker.__name__, number


def quick(done: dict[str, harness.Row], kind: str, method: str, seconds: float) -> bool:
    """Whether the statements of a kind that were run took at most so long, in the median."""
    took = [harness.number(r, "cpu") for r in done.values() if (r["kind"], r["method"]) == (kind, method)]
    return bool(took) and float(np.median(took)) <= seconds


def build(family: str, kind: str, number: int) -> Stated:
    """The statement of this name."""
    makers = {m.__name__: i for i, m in enumerate(MODULES[family].MAKERS)}
    return MODULES[family].MAKERS[makers[kind]](Dice(family, 100 * makers[kind] + number))


def run_one(family: str, kind: str, number: int, tol: float, method: str, seconds: float) -> harness.Row:
    """One solve, what it claims, and the truth."""
    stated = build(family, kind, number)
    row: harness.Row = {
        "family": family,
        "kind": kind,
        "number": number,
        "tol": tol,
        "method": method,
        "budget": seconds,
    }
    began, worked = time.perf_counter(), time.process_time()
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            solution = lrfm.solve(stated.problem, tol=tol, method=method, strict=False, max_seconds=seconds)
    except ProblemError as error:
        return row | {"met": False, "status": f"refused: {error}"[:120], "cpu": time.process_time() - worked}
    except Exception as error:  # one failure must not end the study; it stands in the table
        return row | {"met": False, "status": f"raised {error!r}"[:120], "cpu": time.process_time() - worked}
    report = solution.report
    row |= {
        "met": report.status == "tolerance met",
        "status": report.status,
        "estimate": report.error_estimate,
    }
    row |= {
        "cpu": time.process_time() - worked,
        "seconds": time.perf_counter() - began,
        "by": report.decided_by,
    }
    row |= {
        "engine": report.method,
        "indicators": {k: harness.plain(v) for k, v in report.indicators.items()},
    }
    if stated.exact is not None:
        each = errors(stated, solution)
        row |= {"error": max(each.values()), "worst": max(each, key=lambda n: each[n])}
    return row


def check() -> None:
    """The exact solution in the equations and at the start, as lrfm understands them: relative residuals by differences."""
    rng = np.random.default_rng(0)
    for family, kind, number in statements([f for f in FAMILIES if f != "negative"], 1, []):
        stated = build(family, kind, number)
        problem, exact = stated.problem, stated.exact
        assert exact is not None
        box, t0 = problem.domain, problem.time[0]
        places = {n: a + (b - a) * rng.random(2000) for n, (a, b) in box.axes.items()}
        worst = 0.0
        for (name, level), datum in problem.initial_data.items():
            if level == 0:
                points = np.column_stack([*places.values(), np.full(2000, t0)])
                gap = np.abs(exact[name](**places, t=np.full(2000, 1e-13)) - datum(points))
                worst = max(
                    worst,
                    float(
                        np.quantile(gap, 0.98) / max(np.abs(datum(points)).max(), 1e-300)
                        if np.any(datum(points))
                        else np.quantile(gap, 0.98)
                    ),
                )
        print(f"{family:13}{kind:22} start {worst:.1e}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--family", nargs="*", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--tol", type=float, nargs="*", default=list(TOLERANCES))
    parser.add_argument("--method", default="auto")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--quick", type=float, help="only kinds that took at most so many seconds so far")
    parser.add_argument("--renew", action="store_true", help="run again what another commit has computed")
    parser.add_argument("--until", help="HH:MM at which no further statement is begun")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--summary", action="store_true")
    args = parser.parse_args()
    if args.check:
        return check()
    done = harness.read_rows(args.out)
    if args.renew:
        done = {key: row for key, row in done.items() if row["commit"] == harness.commit()}
    for tol in args.tol if not args.summary else ():
        for family, kind, number in statements(args.family, args.draws, args.only):
            key = f"{family} {kind} {number} tol {tol:g} {args.method}"
            if args.until and args.until <= time.strftime("%H:%M"):
                return None
            if key in done or (args.quick and not quick(done, kind, args.method, args.quick)):
                continue
            row = {"key": key, "commit": harness.commit(), "machine": harness.machine()} | run_one(
                family, kind, number, tol, args.method, args.seconds
            )
            done[key] = row
            with args.out.open("a", encoding="utf-8") as out:
                out.write(json.dumps({k: harness.plain(v) for k, v in row.items()}) + "\n")
            bad = row["met"] and (family == "negative" or not harness.number(row, "error") <= tol)
            mark = "FALSE" if bad else "met" if row["met"] else "-"
            print(f"{key:58}{mark:6}{harness.number(row, 'error'):9.1e}{harness.number(row, 'estimate'):9.1e} {row.get('by', '')!s:11}"
                  f"{harness.number(row, 'cpu'):6.1f} {row['status']}", flush=True)  # fmt: skip
    rows = [r for r in harness.read_rows(args.out).values() if not args.summary or r["family"] in args.family]
    print(report(rows))


if __name__ == "__main__":
    main()
