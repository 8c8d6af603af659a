# SPDX-License-Identifier: MIT
"""Mean and sample standard deviation over seeds, set beside what the paper prints, with a verdict."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lrfm.paper.plan import Cell

Results = Mapping[str, Mapping[str, Any]]

BELOW, SPREAD, ORDER, OFF = "at or below the paper", "within its spread", "within an order", "off"
VERDICTS = (BELOW, SPREAD, ORDER, OFF)


@dataclass(frozen=True)
class Summary:
    """One cell with its numbers.

    `values` are those of the seeds that finished, `failures` what the others said. Of a rank the paper
    prints a range, and the verdict says whether ours lies in it.
    """

    cell: Cell
    values: tuple[float, ...]
    failures: tuple[str, ...]
    missing: int

    @property
    def mean(self) -> float:
        return statistics.fmean(self.values) if self.values else math.nan

    @property
    def deviation(self) -> float:
        """Sample standard deviation; NaN for a single value."""
        return statistics.stdev(self.values) if len(self.values) > 1 else math.nan

    @property
    def ratio(self) -> float:
        """Our mean over the paper's."""
        return self.mean / self.cell.paper[0] if self.cell.paper and self.values else math.nan

    @property
    def verdict(self) -> str:
        """How our mean stands to the printed one; empty where nothing is printed or nothing was run."""
        if self.cell.paper is None or not self.values:
            return "failed" if self.failures and not self.values else ""
        mean, spread = self.cell.paper
        if self.cell.metric == "rank":  # the paper prints the lowest and the highest
            inside = mean <= self.mean <= spread
            return SPREAD if inside else ORDER if 0.5 * mean <= self.mean <= 2 * spread else OFF
        if self.mean <= mean:
            return BELOW
        if self.mean <= mean + spread:
            return SPREAD
        return ORDER if self.mean <= 10 * mean else OFF


def summarize(cells: Sequence[Cell], results: Results) -> list[Summary]:
    """The cells with what has been run."""
    return [_summary(cell, [results.get(job.key) for job in cell.jobs]) for cell in cells]


def _summary(cell: Cell, found: Sequence[Mapping[str, Any] | None]) -> Summary:
    finished = [r for r in found if r is not None]
    values = [r["values"].get(cell.metric) for r in finished if r["ok"]]
    return Summary(
        cell=cell,
        values=tuple(float(v) for v in values if v is not None and not math.isnan(v)),
        failures=tuple(r["message"] for r in finished if not r["ok"]),
        missing=len(found) - len(finished),
    )


def number(value: float) -> str:
    """Three digits; plain notation for what is near 1."""
    if math.isnan(value):
        return "–"
    if value == 0 or (0.01 <= abs(value) < 1e4 and value != int(value)):
        return f"{value:.3g}"
    if abs(value) < 1e5 and value == int(value):
        return f"{int(value)}"
    return f"{value:.2e}"


def spread(mean: float, deviation: float) -> str:
    """mean ± deviation."""
    return number(mean) if math.isnan(deviation) else f"{number(mean)} ± {number(deviation)}"


def paper_text(cell: Cell) -> str:
    """What the paper prints."""
    if cell.paper is None:
        return ""
    if cell.metric == "rank":
        return f"{cell.paper[0]:.0f}–{cell.paper[1]:.0f}"
    return spread(*cell.paper)


def our_text(summary: Summary) -> str:
    """What we measured."""
    if not summary.values:
        return f"failed: {summary.failures[0][:80]}" if summary.failures else "not run"
    if summary.cell.metric == "rank":
        low, high = min(summary.values), max(summary.values)
        return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"
    text = spread(summary.mean, summary.deviation)
    return text + (f" ({len(summary.failures)} failed)" if summary.failures else "")
