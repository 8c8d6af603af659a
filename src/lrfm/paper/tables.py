# SPDX-License-Identifier: MIT
"""Markdown tables: ours, the paper's in brackets, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lrfm.paper.plan import Experiment
from lrfm.paper.summary import Summary, our_text, paper_text

NOTE_TUNED = "`tuned` is not the paper's protocol: the same equation and P with this package's own space."


def grouped(
    summaries: Sequence[Summary],
) -> dict[str, tuple[list[str], list[str], dict[tuple[str, str], Summary]]]:
    """By table: rows, columns and cells, in the order of the cells."""
    tables: dict[str, tuple[list[str], list[str], dict[tuple[str, str], Summary]]] = {}
    for summary in summaries:
        cell = summary.cell
        rows, columns, cells = tables.setdefault(cell.table, ([], [], {}))
        rows += [cell.row] if cell.row not in rows else []
        columns += [cell.column] if cell.column not in columns else []
        cells[cell.row, cell.column] = summary
    return tables


def markdown(experiment: Experiment, summaries: Sequence[Summary], quick: bool, heading: str = "#") -> str:
    """One experiment: a table per group, ours first, the paper's below it in brackets."""
    lines = [f"{heading} {experiment.name}: {experiment.title}", "", f"Paper: {experiment.source}.", ""]
    if quick:
        lines += [
            "Quick study: smaller sizes and one seed. The paper's numbers are shown, but not comparable.",
            "",
        ]
    for table, (rows, columns, cells) in grouped(summaries).items():
        lines += [f"**{table}**", "", "| | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
        for row in rows:
            lines.append(
                f"| {row} | " + " | ".join(_entry(cells.get((row, c)), quick) for c in columns) + " |"
            )
        lines.append("")
    if any(s.cell.role == "tuned" for s in summaries):
        lines += [NOTE_TUNED, ""]
    return "\n".join(lines)


def _entry(summary: Summary | None, quick: bool) -> str:
    if summary is None:
        return ""
    text, paper = our_text(summary), paper_text(summary.cell)
    if not paper:
        return text
    ratio = (
        ""
        if quick or math.isnan(summary.ratio) or summary.cell.metric == "rank"
        else f", ×{summary.ratio:.2g}"
    )
    return f"{text} [{paper}{ratio}]"
