# SPDX-License-Identifier: MIT
# ruff: noqa: E402
"""Does `max_seconds` hold? Seconds of CPU that a solve takes, over those it was given.

    python benchmarks/budgets.py                                   # catalog and random statements, flows, regions and fits at 5, 20 and 60 s
    python benchmarks/budgets.py --group flow region fit --budget 5
    python benchmarks/budgets.py --budget 5 --only beam kdv --method space-time
    python benchmarks/budgets.py --summary

The tolerance is one that few statements meet. What ended by itself within half of a budget is not asked again with a longer one. `handed` says
whether something came back, `reached` how far in time.
"""

from __future__ import annotations

import functools
import resource
import time
from collections.abc import Iterator

time.perf_counter = time.process_time  # budgets are seconds of CPU: the machine may have other things to do

import harness  # sets the number of threads, so it comes before NumPy
import honesty
import limits

import lrfm
from lrfm.inverse.fit import FitError
from lrfm.solver.run import ConvergenceError

RESULT = harness.RESULTS / "budgets.jsonl"
BUDGETS = (5.0, 20.0, 60.0)
TOL = 1e-10
ALLOWED = 1.2
GROUPS = ("catalog", "random", "flow", "region", "fit")
BUILD = {
    "catalog": lrfm.catalog.get,
    "random": honesty.random_problems.build,
    "flow": lambda name: limits.FLOWS[name](),
    "region": lambda name: limits.REGIONS[name](),
    "fit": lambda name: limits.FITS[name](),
}


def names_of(group: str) -> tuple[str, ...]:
    """The statements of a group."""
    own = {"flow": limits.FLOWS, "region": limits.REGIONS, "fit": limits.FITS}
    return tuple(own[group]) if group in own else honesty.names_of(group)


def run_one(group: str, name: str, method: str, budget: float) -> harness.Row:
    """One solve, or one fit, with a limit, and what it took."""
    problem = BUILD[group](name)
    row: harness.Row = {"group": group, "problem": name, "method": method, "budget": budget, "tol": TOL}
    solve = lrfm.solve  # loads what it needs before the clock starts
    began = time.process_time()
    try:
        if group == "fit":
            fit = lrfm.fit(*problem, max_seconds=budget, strict=False)
            solution, status = fit.solution, fit.judgement.status
        else:
            solution = solve(problem, tol=TOL, method=method, max_seconds=budget, strict=False)
            status = solution.report.status
        report = solution.report
        found = {"status": status, "engine": report.method, "stopped": report.stopped, "handed": True}
        found |= {"estimate": report.error_estimate, "met": report.status == "tolerance met"}
        found |= {"reached": float(solution.block_edges[-1])}
    except (ConvergenceError, FitError) as error:
        found = {"status": f"refused: {error}", "met": False, "handed": False}
    took = time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return row | found | {"cpu": took, "over": took / budget, "gigabytes": memory}


def jobs(args, budget: float, done: dict[str, harness.Row]) -> Iterator[tuple[str, functools.partial]]:
    """All statements that a shorter budget has stopped."""
    for group in args.group:
        for name in names_of(group):
            before = [
                r
                for r in done.values()
                if r.get("problem") == name
                and r.get("method") == args.method
                and harness.number(r, "budget") < budget
            ]
            if harness.chosen(name, args.only) and not any(harness.number(r, "over") < 0.5 for r in before):
                key = f"{group} {name} {args.method} budget {budget:g}"
                yield key, functools.partial(run_one, group, name, args.method, budget)


def report(rows: list[harness.Row]) -> str:
    """Runs, and how far they went beyond their budget; the worst by name."""
    lines = []
    for budget in sorted({harness.number(r, "budget") for r in rows if "over" in r}):
        some = [r for r in rows if "over" in r and harness.number(r, "budget") == budget]
        over = sorted(harness.number(r, "over") for r in some)
        worst = max(some, key=lambda r: harness.number(r, "over"))
        long = [v for v in over if v > 0.9]
        lines.append(
            [
                f"{budget:g}", str(len(some)), str(len(long)), f"{max(over):.2f} ({worst['problem']}, {worst['method']})",
                str(sum(v > ALLOWED for v in over)),
            ]
        )  # fmt: skip
    head = ("max_seconds", "runs", "up to the limit", "largest CPU s / max_seconds", f"above {ALLOWED:g}")
    failed = [r for r in rows if "over" not in r]
    return harness.table(head, lines) + "".join(f"\n\n{r['key']}: {r.get('status')}" for r in failed)


def main() -> None:
    parser = harness.job_options(__doc__, RESULT, jobs=1, seconds=60.0)
    parser.add_argument("--budget", type=float, nargs="*", default=list(BUDGETS))
    parser.add_argument("--group", nargs="*", default=list(GROUPS), choices=GROUPS)
    parser.add_argument("--method", default="auto")
    parser.add_argument("--only", nargs="*", default=[])
    args = parser.parse_args()
    for budget in args.budget:
        harness.run_asked(args, jobs(args, budget, harness.read_rows(args.out)))
    print(report(list(harness.read_rows(args.out).values())))


if __name__ == "__main__":
    main()
