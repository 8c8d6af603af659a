# SPDX-License-Identifier: MIT
"""The table of README.md: a few statements, what lrfm reaches and says, a classical code beside it, the best that learned solvers publish.

Every number comes from benchmarks/results: field.jsonl; bacoli.json (BACOLI, in the run of its own lrfm rows); published marks are those of the
project's notes on papers and repositories.
"""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
from collections.abc import Sequence

import harness

README = harness.ROOT / "README.md"
BACOLI = harness.RESULTS / "bacoli.json"
BLOCK = re.compile(r"(<!-- field:begin -->\n).*?(<!-- field:end -->)", re.DOTALL)
EXAMPLE = re.compile(r"(```python\n)(.*?)(```\n\n```text\n)(.*?)(```\n)", re.DOTALL)
HEAD = (
    "problem",
    "tolerance",
    "true error",
    "estimated error",
    "CPU s",
    "BACOLI, same error",
    "best published, learned solvers",
)
# Name, tolerance, what a reader calls it, the best that was published; those of BACOLI's run have its name.
SHOWN = (
    ("burgers", 1e-6, "Burgers, ν = 0.01/π", "2.3e-7 in 5.3 s"),
    ("burgers", 1e-9, "Burgers, ν = 0.01/π", ""),
    ("two-layers 1e-3", 1e-6, "Burgers, two moving layers, ν = 1e-3", ""),
    ("two-layers 1e-4", 1e-3, "Burgers, two moving layers, ν = 1e-4", ""),
    ("fitzhugh-nagumo", 1e-6, "FitzHugh-Nagumo, a pulse", ""),
    ("allen-cahn-pinn", 1e-6, "Allen-Cahn, data with a kink", "4e-6, GPU"),
    ("kdv-pinn", 1e-6, "Korteweg-de Vries, cos πx", "4.3e-4"),
    ("ks-chaotic", 1e-3, "Kuramoto-Sivashinsky, chaotic", "4.3e-3, GPU"),
    ("wave-two-tones-10", 1e-9, "wave equation, two frequencies", "1.8e-6 in 0.6 s"),
    ("beam-frozen", 1e-9, "Euler-Bernoulli beam", "9.3e-9 in 6.9 s"),
    ("gray-scott-2d", 1e-3, "Gray-Scott, 2-D", "7e-3, GPU"),
    ("ginzburg-landau-2d", 1e-3, "Ginzburg-Landau, 2-D", "1.1e-2, GPU"),
    ("cavity-100", 1e-4, "lid-driven cavity, Re = 100", ""),
    ("fisher-kpp-3d", 1e-4, "Fisher-KPP, 3-D", ""),
)  # fmt: skip


def beside() -> dict[tuple[str, float], harness.Row]:
    """What was run beside BACOLI, with its seconds."""
    found = json.loads(BACOLI.read_text(encoding="utf-8"))
    return {(row["statement"], row["tol"]): row for row in found["rows"] if "tol" in row}


def cells(rows: Sequence[harness.Row], name: str, tol: float, words: str, best: str) -> list[str] | None:
    """One line: medians over seeds, and how many of them claim the tolerance where not all do; None where nothing was measured."""
    classical, mine = (
        beside().get((name, tol)),
        [r for r in rows if r["statement"] == name and r["tol"] == tol],
    )
    if classical is not None:
        mine = [classical | {"cpu_seconds": classical["cpu"]}]
    if not mine:
        return None
    middle = {
        c: statistics.median(harness.number(r, c) for r in mine) for c in ("error", "estimate", "cpu_seconds")
    }
    met, other = sum(bool(r["met"]) for r in mine), "-"
    if classical is not None:
        other = "not reached" if classical["bacoli_cpu"] is None else f"{classical['bacoli_cpu']:.2g} s"
    return [
        words,
        f"{tol:.0e}",
        harness.show(middle["error"]),
        harness.show(middle["estimate"]) + ("" if met == len(mine) else f" ({met} of {len(mine)} met)"),
        harness.show_seconds(middle["cpu_seconds"]),
        other,
        best or "-",
    ]


def table(rows: Sequence[harness.Row]) -> str:
    """The block."""
    lines = [made for shown in SHOWN if (made := cells(rows, *shown)) is not None]
    return harness.table(HEAD, lines)


def counts(rows: Sequence[harness.Row]) -> str:
    """How many claims there are among all runs, and how many of them are false."""
    claims = [r for r in rows if r["met"]]
    false = sum(not harness.number(r, "error") <= float(r["tol"]) for r in claims)  # type: ignore[arg-type]
    below = sum(harness.number(r, "estimate") < harness.number(r, "error") for r in claims)
    return (
        f"[All {len(rows)} runs](docs/field.md), with sources, commit and machine: in {len(claims)} of them lrfm says that the tolerance is met, {false} of these claims are false, "
        f"and {below} of the estimates are below the true error."
    )


def printed(text: str) -> str:
    """What the first example prints, in a process of its own, as a newcomer's first solve is."""
    code = EXAMPLE.search(text)
    assert code is not None
    done = subprocess.run([sys.executable, "-c", code[2]], capture_output=True, text=True, check=True)
    return EXAMPLE.sub(lambda m: f"{m[1]}{m[2]}{m[3]}{done.stdout}{m[5]}", text, count=1)


def write(rows: Sequence[harness.Row]) -> None:
    """Put the table between its two comments, and the report below the first example."""
    text, made = README.read_text(encoding="utf-8"), f"{table(rows)}\n\n{counts(rows)}\n"
    README.write_text(BLOCK.sub(lambda m: f"{m[1]}{made}{m[2]}", printed(text)), encoding="utf-8")
