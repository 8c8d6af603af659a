# SPDX-License-Identifier: MIT
"""What a study leaves behind: results.json, a table in Markdown per experiment, figures, and report.md with all of them."""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lrfm import __version__
from paper.figures import draw
from paper.plan import Experiment, Plan, data_file, unique
from paper.summary import Results, Summary, counts, section

PACKAGES = ("numpy", "scipy", "matplotlib")


def write_all(chosen: Sequence[Experiment], plan: Plan, out: Path, results: Results) -> Path:
    """Write what can be written from the results so far; returns the report."""
    summaries = {e.name: [Summary.of(cell, results) for cell in e.cells(plan)] for e in chosen}
    about, parts = description(plan), []
    for folder in ("tables", "figures"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    for experiment in chosen:
        found = summaries[experiment.name]
        if found:
            text = section(experiment, found, plan.quick)
            (out / "tables" / f"{experiment.name}.md").write_text(text, encoding="utf-8")
        figures = draw(experiment, plan, out, results)
        shown = "".join(f"\n![{name}](figures/{name}.png)\n" for name in figures)
        parts.append(section(experiment, found, plan.quick, "##") + shown)
    (out / "results.json").write_text(_json(chosen, plan, results, summaries, about), encoding="utf-8")
    verdicts = "" if plan.quick else counts(s for found in summaries.values() for s in found)
    report = out / "report.md"
    report.write_text("\n\n".join(filter(None, [_head(about), verdicts, *parts])), encoding="utf-8")
    return report


def description(plan: Plan) -> dict[str, Any]:
    """Where and with what the study ran."""
    return {
        "lrfm": __version__,
        "commit": commit(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
        "machine": {"system": platform.system(), "processor": processor(), "cores": os.cpu_count()},
        "seeds": list(plan.seeds),
        "quick": plan.quick,
    }


def _head(about: dict[str, Any]) -> str:
    machine, packages = about["machine"], ", ".join(f"{name} {v}" for name, v in about["packages"].items())
    return (
        "# Liquid random feature methods: the paper's numbers and ours\n\n"
        f"lrfm {about['lrfm']}, commit {about['commit'] or 'unknown'}; Python {about['python']}, {packages}; "
        f"{machine['processor']}, {machine['cores']} cores, {machine['system']}; "
        f"seeds {', '.join(map(str, about['seeds']))}."
    )


def commit() -> str | None:
    """The commit of the source tree, if this is one."""
    command = ["git", "rev-parse", "HEAD"]
    try:
        found = subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() or None


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
    lists = {
        "cells": [s.record(name) for name, found in summaries.items() for s in found],
        "runs": [results[job.key] for job in jobs if job.key in results],
    }
    head = {**about, "settings": data_file("settings"), "tuned": data_file("tuned")}
    parts = [f'"about": {json.dumps(head)}']
    for name, items in lists.items():
        lines = ",\n".join(json.dumps(_rounded(item), ensure_ascii=False) for item in items)
        parts.append(f'"{name}": [\n{lines}\n]')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _rounded(value: Any) -> Any:
    """Six digits are enough to keep, and NaN is no JSON."""
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    if isinstance(value, dict):
        return {k: _rounded(v) for k, v in value.items()}
    return [_rounded(v) for v in value] if isinstance(value, list | tuple) else value
