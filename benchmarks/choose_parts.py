# SPDX-License-Identifier: MIT
"""Choose fixed parts for every catalog entry and write them to src/lrfm/catalog/parts.toml.

The automatic choice is asked for 1e-5 (scalars and structure that can be written as plain numbers only); the file keeps
what it found, so that `lrfm demo` and the tests solve each entry in one run without a search.

    python benchmarks/choose_parts.py [NAME ...]
"""

from __future__ import annotations

import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import numpy as np

from lrfm import catalog
from lrfm.solution.reference import random_points, true_error
from lrfm.solver.api import solve
from lrfm.solver.budget import Budget
from lrfm.solver.engine import block_edges
from lrfm.solver.methods import SpaceTime
from lrfm.spacetime.search import Chooser, Setting
from lrfm.spacetime.search.structure import STEEP

TARGET = Path(__file__).parents[1] / "src" / "lrfm" / "catalog" / "parts.toml"
HEAD = """\
# Fixed parts of each catalog entry, written by benchmarks/choose_parts.py: features per field, blocks, and the scalars of
# lrfm.spacetime.search.Setting that differ from their defaults. allen-cahn-long and cahn-hilliard were set by hand to smaller sizes.
"""


def choose(name: str, tol: float = 1e-5) -> dict[str, object]:
    """Features, blocks and scalars for one entry, and what they give."""
    problem = catalog.get(name)
    best: tuple[float, dict] | None = None
    for choice in Chooser(problem, 7, Budget(3000, 240.0), without=(STEEP,)).ladder(tol):
        edges = block_edges(problem.time, choice.blocks)
        parts = choice.setting.parts(problem, float(edges[1] - edges[0]), choice.features)
        given = {f.name: getattr(parts, f.name) for f in fields(parts)}
        solution = solve(problem, method=SpaceTime(blocks=choice.blocks, **given), strict=False)
        error = true_error(solution, random_points(problem, 3000, np.random.default_rng(99)))
        report = solution.report
        row = {"features": choice.features, "blocks": choice.blocks, **scalars(choice.setting)}
        print(f"{name}: error {error:.1e}, estimate {report.error_estimate:.1e}, {row}", flush=True)
        if best is None or error < best[0]:
            best = (error, row)
        if error <= 2.0 * tol:
            break
    return best[1]


def scalars(setting: Setting) -> dict[str, object]:
    """What differs from the defaults, rounded to three digits."""
    changed = {}
    for item in fields(setting):
        value = getattr(setting, item.name)
        if value is not None and value != item.default:
            changed[item.name] = float(f"{value:.3g}") if isinstance(value, float) else value
    return changed


def write(rows: dict[str, dict[str, object]]) -> None:
    lines = [HEAD]
    for name in catalog.names(spin=False):
        if name in rows:
            lines.append(f"[{name}]")
            lines += [f"{key} = {spell(value)}" for key, value in rows[name].items()]
            lines.append("")
    TARGET.write_text("\n".join(lines), encoding="utf-8")


def spell(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(spell, value))}]"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    table = tomllib.loads(TARGET.read_text(encoding="utf-8")) if TARGET.exists() else {}
    for name in sys.argv[1:] or [n for n in catalog.names(spin=False) if n not in table]:
        table[name] = choose(name)
        write(table)
