# SPDX-License-Identifier: MIT
"""One self-contained HTML page: paper value, our value, ratio, verdict per cell; a click opens a figure."""

from __future__ import annotations

import base64
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from lrfm.paper.plan import Experiment
from lrfm.paper.summary import BELOW, OFF, ORDER, SPREAD, VERDICTS, Summary, our_text, paper_text
from lrfm.paper.tables import NOTE_TUNED, grouped

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Reproduction of the L-RFM paper</title><style>{style}</style></head>
<body>{body}
<dialog aria-label="figure"><img src="data:," alt=""></dialog><script>{script}</script></body></html>
"""
CLASSES = {BELOW: "below", SPREAD: "spread", ORDER: "order", OFF: "off", "failed": "off"}


def write_page(
    path: Path,
    chosen: Sequence[Experiment],
    summaries: Mapping[str, Sequence[Summary]],
    figures: Mapping[str, Sequence[Path]],
    about: Mapping[str, Any],
) -> Path:
    """Write the page; figures are embedded, so that the one file can be sent."""
    body = [_head(about), _counts([s for found in summaries.values() for s in found], about["quick"])]
    body.append("<nav>" + "".join(f'<a href="#{e.name}">{escape(e.name)}</a>' for e in chosen) + "</nav>")
    body += [_section(e, summaries[e.name], figures.get(e.name, ()), about["quick"]) for e in chosen]
    html = PAGE.format(style=_part("page.css"), script=_part("page.js"), body="\n".join(body))
    path.write_text(html, encoding="utf-8")
    return path


def _part(name: str) -> str:
    return files("lrfm.paper").joinpath(name).read_text(encoding="utf-8")


def _head(about: Mapping[str, Any]) -> str:
    packages = ", ".join(f"{name} {found}" for name, found in about["packages"].items())
    machine = about["machine"]
    lines = [
        f"lrfm {about['lrfm']}" + (f", commit {about['commit'][:12]}" if about["commit"] else ""),
        f"Python {about['python']}, {packages}",
        f"{machine['processor']}, {machine['cores']} cores, {machine['system']}",
        f"seeds {', '.join(map(str, about['seeds']))}",
    ]
    if about["quick"]:
        lines.append(
            "<b>quick study: smaller sizes; the paper's numbers are shown but no verdict is given</b>"
        )
    return (
        "<h1>Liquid random feature methods: the paper's numbers and ours</h1><p>"
        + "<br>".join(lines)
        + "</p>"
    )


def _counts(summaries: Sequence[Summary], quick: bool) -> str:
    key = (
        "".join(f'<span class="{CLASSES[v]}">{v}</span>' for v in VERDICTS)
        + '<span class="tuned">tuned</span>'
    )
    text = f'<p class="key">{key}</p><p>{escape(NOTE_TUNED).replace("`tuned`", "<b>tuned</b>")}</p>'
    if quick:
        return text
    rows = [
        "<tr><th></th>"
        + "".join(f"<th>{v}</th>" for v in VERDICTS)
        + "<th>mean at most twice the paper's</th></tr>"
    ]
    for role, title in (("liquid", "liquid cells"), ("static", "static cells"), ("time", "seconds")):
        found = [s for s in summaries if s.cell.role == role and s.cell.paper and s.values]
        count = Counter(s.verdict for s in found)
        twice = sum(s.ratio <= 2 for s in found)
        cells = "".join(f'<td class="{CLASSES[v]}">{count[v]}</td>' for v in VERDICTS)
        rows.append(f"<tr><th>{title}</th>{cells}<td>{twice} of {len(found)}</td></tr>" if found else "")
    return text + f"<table>{''.join(rows)}</table>"


def _section(
    experiment: Experiment, summaries: Sequence[Summary], figures: Sequence[Path], quick: bool
) -> str:
    parts = [
        f'<section id="{experiment.name}"><h2>{escape(experiment.name)}: {escape(experiment.title)}</h2>'
    ]
    parts.append(f"<p>Paper: {escape(experiment.source)}</p>")
    for table, (rows, columns, cells) in grouped(summaries).items():
        head = "<tr><th></th>" + "".join(f"<th>{escape(c)}</th>" for c in columns) + "</tr>"
        lines = [
            f"<tr><th>{escape(row)}</th>"
            + "".join(_cell(cells.get((row, c)), quick) for c in columns)
            + "</tr>"
            for row in rows
        ]
        parts.append(f'<h3>{escape(table)}</h3><div class="wide"><table>{head}{"".join(lines)}</table></div>')
    for path in figures:
        data = base64.b64encode(path.read_bytes()).decode()
        parts.append(f'<figure><img src="data:image/png;base64,{data}" alt="{escape(path.stem)}"></figure>')
    return "".join(parts) + "</section>"


def _cell(summary: Summary | None, quick: bool) -> str:
    if summary is None:
        return "<td></td>"
    verdict = "" if quick else summary.verdict
    kind = CLASSES.get(verdict, "tuned" if summary.cell.role == "tuned" else "")
    text = f"<b>{escape(our_text(summary))}</b>"
    paper = paper_text(summary.cell)
    if paper:
        text += f"<small>paper {escape(paper)}</small>"
    if verdict:
        ratio = (
            ""
            if summary.cell.metric == "rank" or math.isnan(summary.ratio)
            else f"ratio {summary.ratio:.2g}, "
        )
        text += f"<small>{ratio}{verdict}</small>"
    title = escape(", ".join(f"{v:.3g}" for v in summary.values), quote=True)
    return f'<td class="{kind}" title="{title}">{text}</td>'
