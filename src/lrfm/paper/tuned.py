# SPDX-License-Identifier: MIT
"""The same equations at the same P with this package's own trial spaces: settings by hand, from `tuned.toml`.

Not the paper's protocol: exact periodic charts, a scaled gate, features that move, distance factors, Newton,
QR without truncation; and, for a march with interfaces, ridges placed where the data of a block are steep.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np

from lrfm import catalog
from lrfm.linalg import QR
from lrfm.paper.chords import CELLS, Chords, Gathered, Monitor
from lrfm.problem import Jet, Problem
from lrfm.rows.collocation import Collocation
from lrfm.rows.expansion import Expansion
from lrfm.solution.report import BlockReport, Report
from lrfm.solution.solution import Solution
from lrfm.solver.api import solve
from lrfm.solver.march import block_edges, block_rng
from lrfm.solver.nonlinear import Newton
from lrfm.solver.parts import Parts
from lrfm.solver.window import Solved, initial_values, solve_window
from lrfm.spaces import Liquid


def solve_tuned(settings: Mapping[str, Any], seed: int) -> Solution:
    """Solve with the settings of one entry of `tuned.toml`."""
    problem = catalog.entry(settings["problem"]).builder(**settings.get("options", {}))
    parts = {
        "space": _space(settings),
        "collocation": collocation(settings),
        "least_squares": QR(),
        "nonlinear": Newton(tol=1e-11),
    }
    if settings.get("adapt"):
        return march_adapted(problem, parts, settings, seed)
    return solve(problem, **parts, blocks=settings.get("blocks", 1), seed=seed, estimate=False, strict=False)


def _space(settings: Mapping[str, Any]) -> Liquid:
    given = {k: tuple(v) if isinstance(v, list) else v for k, v in settings["space"].items()}
    return Liquid(features=settings["features"], **given)


def collocation(settings: Mapping[str, Any]) -> Collocation:
    """Rows in proportion to the features, the rest as given."""
    given = dict(settings.get("collocation", {}))
    counts = {"interior": 3.2, "initial": 0.6, "boundary": 0.25}
    for name, factor in counts.items():
        given[name] = max(16, round(given.get(name, factor) * settings["features"]))
    return Collocation(**({"time": "chebyshev", "initial_weight": 10.0, "boundary_weight": 10.0} | given))


def march_adapted(
    problem: Problem, parts: Mapping[str, Any], settings: Mapping[str, Any], seed: int
) -> Solution:
    """March through blocks with `Chords` fitted to the data of each."""
    edges = block_edges(problem.time, settings.get("blocks", 1))
    pieces: list[Solved] = []
    for number, (start, end) in enumerate(pairwise(edges)):
        previous = pieces[-1].expansion if pieces else None
        monitor = monitor_of(problem, previous, float(start), settings["adapt"]["share"])
        space = Chords(
            features=settings["features"],
            gate=settings["space"]["gate"],
            tau=tuple(settings["space"]["tau"]),
            slope=tuple(settings["adapt"]["slope"]),
            monitor=monitor,
        )
        points = Gathered(**asdict(parts["collocation"]), monitor=monitor)
        here = Parts(**{**parts, "space": space, "collocation": points})
        pieces.append(
            solve_window(problem, here, (float(start), float(end)), previous, block_rng(seed, number))
        )
    return Solution(problem, [piece.expansion for piece in pieces], _report([p.report for p in pieces], seed))


def _report(reports: Sequence[BlockReport], seed: int) -> Report:
    return Report(
        error_estimate=math.nan,
        residual=max(r.residual for r in reports),
        features=reports[0].columns,
        rows=reports[0].rows,
        rank=min(r.rank for r in reports),
        condition=math.nan,
        steps=max(r.steps for r in reports),
        blocks=len(reports),
        seconds=sum(r.seconds for r in reports),
        seed=seed,
        status="solved" if all(r.converged for r in reports) else "not converged",
        block_reports=tuple(reports),
    )


def monitor_of(problem: Problem, previous: Expansion | None, start: float, share: float) -> Monitor:
    """Where the initial data of a block are steep, in one dimension."""
    (low, high), (field,) = next(iter(problem.domain.axes.values())), problem.fields
    x = np.linspace(low, high, CELLS + 1)
    u = initial_values(problem, previous)(Jet(field, (0, 0)), np.column_stack([x, np.full_like(x, start)]))
    return Monitor.of(x, u, share)
