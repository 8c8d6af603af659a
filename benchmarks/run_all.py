# SPDX-License-Identifier: MIT
"""All benchmarks of speed, one after the other, then the page that shows them.

    make bench                                   # all of them; peers alone takes 35 minutes
    python benchmarks/run_all.py --only patches  # some
    python benchmarks/run_all.py --quick         # small sizes; nothing is kept
    python benchmarks/run_all.py --list          # which results are there, from which commit

Each is a script of its own that leaves its result in benchmarks/results. A script that fails, lacks a library or has not
been written is told at the end; the others run all the same. The machine should have nothing else to do.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import harness

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """A script, its result, and what has to be installed for it."""

    name: str
    script: str
    result: str
    needs: str = ""
    hint: str = ""

    def obstacle(self) -> str:
        """Why it cannot be run; empty if it can."""
        if not (HERE / self.script).exists():
            return f"there is no {self.script}"
        if self.needs and importlib.util.find_spec(self.needs) is None:
            return f"{self.needs} is not installed: {self.hint}"
        return ""


# Scripts are not called operator.py or distributed.py, since they would hide the modules of these names.
BENCHMARKS = (
    Benchmark(name="lapack", script="lapack.py", result="lapack.json"),
    Benchmark(name="reuse", script="reuse.py", result="reuse.json"),
    Benchmark(name="plain-loop", script="plain_loop.py", result="plain_loop.json"),
    Benchmark(name="patches", script="patches.py", result="patches.json"),
    Benchmark(name="structured", script="structured.py", result="structured.json"),
    Benchmark(name="peers", script="peers.py", result="peers.jsonl"),
    Benchmark(name="small", script="small.py", result="small.json"),
    Benchmark(name="evaluate", script="evaluate.py", result="evaluate.json"),
    Benchmark(name="plans", script="plans.py", result="plans.json"),
    Benchmark(
        name="studio", script="studio.py", result="studio.json", needs="playwright", hint="make studio-test"
    ),
    Benchmark(name="inverse", script="inverse.py", result="inverse.jsonl"),
    Benchmark(name="operator", script="operators.py", result="operator.json"),
    Benchmark(
        name="distributed",
        script="many_machines.py",
        result="distributed.json",
        needs="distributed",
        hint="pip install 'lrfm[dask]'",
    ),
    Benchmark(name="backend", script="backend.py", result="backend.json", needs="torch", hint="make torch"),
)


def run(benchmark: Benchmark, quick: bool) -> str:
    """One sentence on how it went."""
    obstacle = benchmark.obstacle()
    if obstacle:
        return f"not run: {obstacle}"
    print(f"\n== {benchmark.name}", flush=True)
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, str(HERE / benchmark.script), *(["--quick"] if quick else [])], check=False
    )
    minutes = (time.perf_counter() - began) / 60
    return f"{'done' if done.returncode == 0 else f'FAILED with code {done.returncode}'}, {minutes:.1f} min"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[], choices=[b.name for b in BENCHMARKS], metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="small sizes; results are not kept")
    parser.add_argument("--list", action="store_true", help="only say what is there")
    args = parser.parse_args()
    chosen = [b for b in BENCHMARKS if not args.only or b.name in args.only]
    told = {} if args.list else {b.name: run(b, args.quick) for b in chosen}
    print()
    for b in chosen:
        print(
            f"{b.name:12s} {told.get(b.name, ''):32s} result: {harness.origin(harness.RESULTS / b.result) or 'missing'}",
            flush=True,
        )
    if told and not args.quick:
        subprocess.run([sys.executable, str(HERE / "write_speed.py")], check=True)
    sys.exit(any("FAILED" in text for text in told.values()))


if __name__ == "__main__":
    main()
