# SPDX-License-Identifier: MIT
"""Mean and sample standard deviation over seeds, set beside what the paper prints: cells, verdicts, Markdown tables."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from paper.plan import Cell, Experiment

Results = Mapping[str, Mapping[str, Any]]
Grouped = dict[str, tuple[list[str], list[str], dict[tuple[str, str], "Summary"]]]

BELOW, SPREAD, ORDER, OFF = "at or below the paper", "within its spread", "within an order", "off"
VERDICTS = (BELOW, SPREAD, ORDER, OFF)
NOTE_TUNED = "`tuned` is not the paper's protocol: the same equation and P with this package's own space."


@dataclass(frozen=True)
class Summary:
    """One cell with its numbers: mean and sample standard deviation, which is NaN for a single value.

    `values` are those of the seeds that finished, `failures` what the others said. Of a rank the paper
    prints a range, and the verdict says whether ours lies in it.
    """

    cell: Cell
    values: tuple[float, ...]
    failures: tuple[str, ...]
    missing: int
    mean: float
    deviation: float

    @classmethod
    def of(cls, cell: Cell, results: Results) -> Summary:
        """A cell with what has been run."""
        found = [results[job.key] for job in cell.jobs if job.key in results]
        every = [r["values"].get(cell.metric) for r in found if r["ok"]]
        values = tuple(float(v) for v in every if v is not None and not math.isnan(v))
        return cls(
            cell=cell,
            values=values,
            failures=tuple(r["message"] for r in found if not r["ok"]),
            missing=len(cell.jobs) - len(found),
            mean=statistics.fmean(values) if values else math.nan,
            deviation=statistics.stdev(values) if len(values) > 1 else math.nan,
        )

    @property
    def ratio(self) -> float:
        """Our mean over the paper's."""
        return self.mean / self.cell.paper[0] if self.cell.paper and self.values else math.nan

    @property
    def near(self) -> bool:
        """A mean at most twice the paper's; a rank inside the printed range, up to five percent."""
        if self.cell.paper and self.cell.metric == "rank":
            return 0.95 * self.cell.paper[0] <= self.mean <= 1.05 * self.cell.paper[1]
        return self.ratio <= 2

    @property
    def verdict(self) -> str:
        """How our mean stands to the printed one; empty where nothing is printed or nothing was run."""
        if self.cell.paper is None or not self.values:
            return "failed" if self.failures and not self.values else ""
        mean, spread = self.cell.paper
        if self.cell.metric == "rank":  # the paper prints the lowest and the highest
            inside = mean <= self.mean <= spread
            return SPREAD if inside else ORDER if 0.5 * mean <= self.mean <= 2 * spread else OFF
        bounds = {BELOW: mean, SPREAD: mean + spread, ORDER: 10 * mean}
        return next((verdict for verdict, bound in bounds.items() if self.mean <= bound), OFF)

    @property
    def printed(self) -> str:
        """What the paper prints."""
        if self.cell.paper is None:
            return ""
        low, high = self.cell.paper
        return f"{low:.0f}–{high:.0f}" if self.cell.metric == "rank" else spread(low, high)

    @property
    def ours(self) -> str:
        """What we measured."""
        if not self.values:
            return f"failed: {self.failures[0][:80]}" if self.failures else "not run"
        if self.cell.metric == "rank":
            low, high = min(self.values), max(self.values)
            return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"
        failed = f" ({len(self.failures)} failed)" if self.failures else ""
        return spread(self.mean, self.deviation) + failed

    def entry(self, quick: bool) -> str:
        """Ours, and the paper's in brackets with the ratio of the two."""
        plain = quick or math.isnan(self.ratio) or self.cell.metric == "rank"
        ratio = "" if plain else f", ×{self.ratio:.2g}"
        return f"{self.ours} [{self.printed}{ratio}]" if self.printed else self.ours

    def record(self, experiment: str) -> dict[str, Any]:
        """Plain data for results.json."""
        cell = {name: value for name, value in asdict(self.cell).items() if name != "jobs"}
        numbers = {name: getattr(self, name) for name in ("mean", "deviation", "ratio", "verdict")}
        told = {"values": self.values, "failures": self.failures, "missing": self.missing}
        return {
            "experiment": experiment,
            **cell,
            **told,
            **numbers,
            "runs": [job.key for job in self.cell.jobs],
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Summary:
        """What `record` wrote, without its jobs."""
        names = ("table", "row", "column", "metric", "role")
        paper = tuple(record["paper"]) if record["paper"] else None
        cell = Cell(**{name: record[name] for name in names}, jobs=(), paper=paper)
        # Means are kept, since those of the rounded values have fewer digits.
        mean, deviation = (math.nan if record[n] is None else record[n] for n in ("mean", "deviation"))
        values, failures = tuple(record["values"]), tuple(record["failures"])
        return cls(cell, values, failures, record["missing"], mean, deviation)


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


def grouped(summaries: Iterable[Summary]) -> Grouped:
    """By table: rows, columns and cells, in the order of the cells."""
    tables: Grouped = {}
    for summary in summaries:
        cell = summary.cell
        rows, columns, cells = tables.setdefault(cell.table, ([], [], {}))
        rows += [cell.row] if cell.row not in rows else []
        columns += [cell.column] if cell.column not in columns else []
        cells[cell.row, cell.column] = summary
    return tables


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [f"| {' | '.join(head)} |".replace("|  |", "| |"), "|" + "---|" * len(head)]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def tables(summaries: Iterable[Summary], quick: bool = False) -> str:
    """All tables of some cells, each under its name."""
    parts = []
    for title, (rows, columns, cells) in grouped(summaries).items():
        entry = lambda row, column, cells=cells: (  # noqa: E731
            cells[row, column].entry(quick) if (row, column) in cells else ""
        )
        body = [[row, *(entry(row, column) for column in columns)] for row in rows]
        parts.append(f"**{title}**\n\n{markdown_table(['', *columns], body)}")
    return "\n\n".join(parts)


def counts(summaries: Iterable[Summary]) -> str:
    """Cells by verdict, and how many means are at most twice the paper's."""
    rows, summaries = [], list(summaries)
    for role in ("liquid", "static"):
        found = [s for s in summaries if s.cell.role == role and s.cell.paper and s.values]
        if found:
            verdicts = [str(sum(s.verdict == verdict for s in found)) for verdict in VERDICTS]
            near = sum(s.near for s in found)
            share = f"{near} of {len(found)} ({100 * near / len(found):.0f} %)"
            rows.append([f"{role} cells", *verdicts, share])
    return markdown_table(["", *VERDICTS, "mean at most twice the paper's"], rows) if rows else ""


def section(experiment: Experiment, summaries: Sequence[Summary], quick: bool, heading: str = "#") -> str:
    """One experiment in Markdown."""
    parts = [f"{heading} {experiment.name}: {experiment.title}", f"Paper: {experiment.source}."]
    if quick:
        parts.append(
            "Quick study: smaller sizes and one seed. The paper's numbers are shown, but not comparable."
        )
    parts.append(tables(summaries, quick))
    if any(s.cell.role == "tuned" for s in summaries):
        parts.append(NOTE_TUNED)
    return "\n\n".join(part for part in parts if part) + "\n"
