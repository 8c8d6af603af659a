# SPDX-License-Identifier: MIT
"""The short table of README.md: a few statements of the field, the best published error beside ours.

Every number comes from benchmarks/results/field.jsonl; published marks are those of `lrfm`'s own notes on papers and repositories.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence

import harness

README = harness.ROOT / "README.md"
BLOCK = re.compile(r"(<!-- field:begin -->\n).*?(<!-- field:end -->)", re.DOTALL)
HEAD = ("statement", "best published", "lrfm: error", "what it says", "CPU s")
# Name, tolerance, what a reader calls it, the best that was published.
SHOWN = (
    ("burgers-shock", 1e-6, "Burgers, ν = 0.01/π, the benchmark of neural solvers", "2.3e-7 in 5.3 s"),
    ("burgers-shock", 1e-9, "the same", ""),
    ("allen-cahn-pinn", 1e-6, "Allen-Cahn with a kink in its data", "4e-6, GPU"),
    ("kdv-pinn", 1e-6, "Korteweg-de Vries, cos πx", "4.3e-4"),
    ("ks-chaotic", 1e-3, "Kuramoto-Sivashinsky, chaotic", "4.3e-3, GPU"),
    ("convection-10000", 1e-9, "convection by 1,600 circles", "below 1e-4"),
    ("wave-two-tones-10", 1e-9, "wave with two tones", "1.8e-6 in 0.6 s"),
    ("beam-frozen", 1e-9, "beam", "9.3e-9 in 6.9 s"),
    ("heat2d-multiscale", 1e-8, "heat in the plane, two scales", "6.2e-2"),
    ("gray-scott-2d", 1e-3, "Gray-Scott in the plane", "7e-3, GPU"),
    ("ginzburg-landau-2d", 1e-3, "Ginzburg-Landau in the plane", "1.1e-2, GPU"),
    ("soliton-kdv", 1e-6, "a soliton once around its circle", ""),
    ("robin-slab", 1e-6, "a hot slab, cooled suddenly", ""),
    ("cavity-100", 1e-4, "lid-driven cavity with pressure, Re = 100", ""),
    ("fisher-kpp-3d", 1e-4, "Fisher's waves in three dimensions", ""),
    ("wave-long", 1e-9, "a string for a thousand periods", ""),
)


def cells(rows: Sequence[harness.Row], name: str, tol: float, words: str, best: str) -> list[str] | None:
    """One line: medians over seeds, and how many of them claim the tolerance where not all do; None where nothing was measured."""
    mine = [r for r in rows if r["statement"] == name and r["tol"] == tol]
    if not mine:
        return None
    middle = {
        c: statistics.median(harness.number(r, c) for r in mine) for c in ("error", "estimate", "cpu_seconds")
    }
    met = sum(bool(r["met"]) for r in mine)
    return [
        words,
        best or "-",
        harness.show(middle["error"]),
        harness.show(middle["estimate"]) + (f" (claimed by {met} of {len(mine)})" if met < len(mine) else ""),
        f"{middle['cpu_seconds']:.2g}",
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
        f"In all {len(rows)} runs of [the field](docs/field.md), which has sources, commit and machine: {len(claims)} claims, {false} of them false, "
        f"{below} with an estimate below the error."
    )


def write(rows: Sequence[harness.Row]) -> None:
    """Put the table between its two comments."""
    text, made = README.read_text(encoding="utf-8"), f"{table(rows)}\n\n{counts(rows)}\n"
    README.write_text(BLOCK.sub(lambda m: f"{m[1]}{made}{m[2]}", text), encoding="utf-8")
