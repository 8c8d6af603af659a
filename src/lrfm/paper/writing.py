# SPDX-License-Identifier: MIT
"""What a study leaves behind: results.json, a Markdown table per experiment, figures, one page in HTML."""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from lrfm import __version__
from lrfm.paper.figures import draw
from lrfm.paper.page import write_page
from lrfm.paper.plan import Experiment, Plan, settings, tuned_settings, unique
from lrfm.paper.summary import Results, Summary, summarize
from lrfm.paper.tables import markdown

PACKAGES = ("numpy", "scipy", "matplotlib")
DPI = 140


def write_all(chosen: Sequence[Experiment], plan: Plan, out: Path, results: Results) -> Path:
    """Write what can be written from the results so far; returns the page."""
    out.mkdir(parents=True, exist_ok=True)
    summaries = {e.name: summarize(e.cells(plan), results) for e in chosen}
    (out / "tables").mkdir(exist_ok=True)
    for experiment in chosen:
        if summaries[experiment.name]:
            text = markdown(experiment, summaries[experiment.name], plan.quick)
            (out / "tables" / f"{experiment.name}.md").write_text(text, encoding="utf-8")
    figures = {e.name: write_figures(e, plan, out, results) for e in chosen}
    about = description(plan)
    (out / "results.json").write_text(_json(chosen, plan, results, summaries, about), encoding="utf-8")
    return write_page(out / "report.html", chosen, summaries, figures, about)


def write_figures(experiment: Experiment, plan: Plan, out: Path, results: Results) -> list[Path]:
    """PNG and PDF of each figure that has data; the paths of the PNGs."""
    written = []
    for name, function in experiment.figures.items():
        if not any(job.key in results for job in experiment.jobs(plan)):
            continue
        figure = draw(function, results, plan, out)
        if figure is None:
            continue
        path = out / "figures" / f"{name}.png"
        path.parent.mkdir(exist_ok=True)
        figure.savefig(path, dpi=DPI)
        figure.savefig(path.with_suffix(".pdf"), dpi=DPI)
        written.append(path)
    return written


def description(plan: Plan) -> dict[str, Any]:
    """Where and with what the study ran."""
    return {
        "lrfm": __version__,
        "commit": commit(),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "machine": {"system": platform.system(), "processor": processor(), "cores": os.cpu_count()},
        "seeds": list(plan.seeds),
        "quick": plan.quick,
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def commit() -> str | None:
    """The commit of the source tree, if this is one."""
    here = Path(__file__).resolve().parent
    try:
        found = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=here, capture_output=True, text=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() or None if found.returncode == 0 else None


def processor() -> str:
    """The name of the processor, where the system tells it."""
    if sys.platform.startswith("linux"):
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _json(
    chosen: Sequence[Experiment],
    plan: Plan,
    results: Results,
    summaries: dict[str, list[Summary]],
    about: dict[str, Any],
) -> str:
    """One line per run and per cell, so that the file stays readable in a diff."""
    jobs = unique([job for e in chosen for job in e.jobs(plan)])
    runs = [_round(results[job.key]) for job in jobs if job.key in results]
    cells = [_cell(name, s) for name, found in summaries.items() for s in found]
    head = {**about, "settings": settings(), "tuned": tuned_settings()}
    lines = ["{", f'"about": {json.dumps(head)},', '"cells": [']
    lines += [",\n".join(json.dumps(cell, ensure_ascii=False) for cell in cells), "],", '"runs": [']
    lines += [",\n".join(json.dumps(run, ensure_ascii=False) for run in runs), "]", "}", ""]
    return "\n".join(lines)


def _cell(name: str, summary: Summary) -> dict[str, Any]:
    cell = summary.cell
    return {
        "experiment": name,
        "table": cell.table,
        "row": cell.row,
        "column": cell.column,
        "metric": cell.metric,
        "role": cell.role,
        "paper": cell.paper,
        "mean": _round(summary.mean),
        "deviation": _round(summary.deviation),
        "values": [_round(v) for v in summary.values],
        "failures": list(summary.failures),
        "missing": summary.missing,
        "ratio": _round(summary.ratio),
        "verdict": summary.verdict,
        "runs": [job.key for job in cell.jobs],
    }


def _round(value: Any) -> Any:
    """Six digits are enough to keep, and NaN is no JSON."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    if isinstance(value, dict):
        return {k: _round(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_round(v) for v in value]
    return value
