# SPDX-License-Identifier: MIT
"""One self-contained HTML page: paper value, our value, ratio and verdict per cell; figures open when clicked."""

from __future__ import annotations

import base64
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from lrfm.reproduce.plan import Experiment
from lrfm.reproduce.summary import BELOW, OFF, ORDER, SPREAD, VERDICTS, Summary, our_text, paper_text
from lrfm.reproduce.tables import NOTE_TUNED, grouped

CLASSES = {BELOW: "below", SPREAD: "spread", ORDER: "order", OFF: "off", "failed": "off"}
CSS = """
:root{--ink:#1d2330;--soft:#667;--line:#dde1e8;--paper:#fff;--below:#d9f2df;--spread:#e6f4d4;--order:#fff1cc;--off:#fbd9d5;--tuned:#e3ecfb}
@media(prefers-color-scheme:dark){:root{--ink:#e6e8ee;--soft:#9aa3b2;--line:#343b48;--paper:#14181f;--below:#17412a;--spread:#2f4218;--order:#4d3f12;--off:#5b241f;--tuned:#1d2f52}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:0 auto;max-width:1180px;padding:1.5rem}
h1{font-size:1.6rem}h2{margin-top:2.5rem;border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:1.4rem 0 .4rem}
nav a{display:inline-block;margin:0 .8rem .3rem 0}a{color:inherit}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.86rem}th,td{border:1px solid var(--line);padding:.35rem .55rem;text-align:left;vertical-align:top}
th{font-weight:600}td small{display:block;color:var(--soft);white-space:nowrap}td b{font-weight:600;white-space:nowrap}
.below{background:var(--below)}.spread{background:var(--spread)}.order{background:var(--order)}.off{background:var(--off)}.tuned{background:var(--tuned)}
.key span{padding:.1rem .5rem;margin-right:.5rem;border-radius:.3rem}
img{max-width:100%;background:#fff;border:1px solid var(--line);cursor:zoom-in}
dialog{max-width:96vw;max-height:96vh;border:0;padding:0;background:#fff}dialog img{max-width:95vw;max-height:94vh;cursor:zoom-out;border:0}
dialog::backdrop{background:#000b}
"""
SCRIPT = """
const box=document.querySelector('dialog'),big=box.querySelector('img');
document.querySelectorAll('figure img').forEach(i=>i.onclick=()=>{big.src=i.src;big.alt=i.alt;box.showModal()});
box.onclick=()=>box.close();
"""


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
    html = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>Reproduction of the L-RFM paper</title><style>{CSS}</style></head><body>"
        + "\n".join(body)
        + f'<dialog aria-label="figure"><img src="data:," alt=""></dialog><script>{SCRIPT}</script></body></html>\n'
    )
    path.write_text(html, encoding="utf-8")
    return path


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
