# SPDX-License-Identifier: MIT
"""The same equations at the same P with this package's own trial spaces: settings by hand, from `tuned.toml`.

Not the paper's protocol: exact periodic charts, a scaled gate, features that move, distance factors, Newton, QR without
truncation. One difference from `lrfm.solve` is made here: ridges of a march may be centered where the data of the block are steep.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from lrfm import catalog
from lrfm.collocation import Collocation
from lrfm.expansion import Expansion
from lrfm.features import Liquid
from lrfm.least_squares import QR
from lrfm.marching import block_edges, block_rng
from lrfm.nonlinear import Newton
from lrfm.problem import Jet, Problem
from lrfm.report import Report
from lrfm.solution import Solution
from lrfm.solver import solve
from lrfm.window import Parts, Solved, initial_values, solve_window

CENTERS = 4000  # points that stand for the density of ridge centers


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


def march_adapted(problem: Problem, parts: Mapping[str, Any], settings: Mapping[str, Any], seed: int) -> Solution:
    """March through blocks; ridges of each pass through points drawn from m = (1 − a) + a |u₀′|/mean|u₀′| of its data."""
    edges = block_edges(problem.time, settings.get("blocks", 1))
    pieces: list[Solved] = []
    for number, window in enumerate(zip(edges[:-1], edges[1:], strict=True)):
        previous = pieces[-1].expansion if pieces else None
        rng = block_rng(seed, number)
        points = steep_points(problem, previous, float(window[0]), settings["adapt"])
        here = Parts(**{**parts, "space": replace(parts["space"], centers=points)})
        pieces.append(solve_window(problem, here, (float(window[0]), float(window[1])), previous, rng))
    reports = tuple(piece.report for piece in pieces)
    report = Report(
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
        block_reports=reports,
    )
    return Solution(problem, [piece.expansion for piece in pieces], report)


def steep_points(problem: Problem, previous: Expansion | None, start: float, share: float) -> np.ndarray:
    """Quantiles of the density (1 − a) + a |u′|/mean|u′| of a block's initial data, in one dimension."""
    (low, high), (field,) = next(iter(problem.domain.axes.values())), problem.fields
    x = np.linspace(low, high, 2001)
    jet = Jet(field, (0, 0))
    u = initial_values(problem, previous)(jet, np.column_stack([x, np.full_like(x, start)]))
    slope = np.abs(np.gradient(u, x))
    density = (1 - share) + share * slope / slope.mean()
    mass = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]))])
    return np.interp((np.arange(CENTERS) + 0.5) / CENTERS, mass / mass[-1], x)[:, None]
