# SPDX-License-Identifier: MIT
"""The same equations at the same P with this package's own trial spaces: settings by hand, from `tuned.toml`.

Not the paper's protocol: exact periodic charts, a scaled gate, features that move, distance factors, Newton,
QR without truncation; and, for a march with interfaces, chords between places where the data of a window are steep.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from lrfm import catalog
from lrfm.problem import Problem
from lrfm.solution.report import Report
from lrfm.solution.solution import Solution
from lrfm.solver.api import solve
from lrfm.solver.methods import SpaceTime
from lrfm.spacetime.features import Liquid
from lrfm.spacetime.least_squares import QR
from lrfm.spacetime.windows.collocation import Collocation
from lrfm.spacetime.windows.nonlinear import Newton

CELLS = 2000
SMOOTHING = 0.02  # standard deviation of the density's smoothing, in units of x


def solve_tuned(settings: Mapping[str, Any], seed: int) -> Solution:
    """Solve with the settings of one entry of `tuned.toml`."""
    problem = catalog.entry(settings["problem"]).builder(**settings.get("options", {}))
    given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in settings["space"].items()}
    rows = own_rows(settings["features"], settings.get("collocation", {}))
    method = SpaceTime(collocation=rows, least_squares=QR(), nonlinear=Newton(tol=1e-11))
    if "steep_share" in settings:
        return march_chords(problem, settings, given, method, seed)
    method = replace(
        method, space=Liquid(features=settings["features"], **given), blocks=settings.get("blocks", 1)
    )
    return solve(problem, method=method, seed=seed, estimate=False, strict=False)


def own_rows(features: int, changes: Mapping[str, Any]) -> Collocation:
    """Rows in proportion to the features, as this package chooses them by itself; numbers in `changes` are per feature."""
    given = {"time": "chebyshev", "initial_weight": 10.0, "boundary_weight": 10.0, **changes}
    for name, factor in {"interior": 3.2, "initial": 0.6, "boundary": 0.25}.items():
        given[name] = max(16, round(given.get(name, factor) * features))
    return Collocation(**given)


def march_chords(
    problem: Problem,
    settings: Mapping[str, Any],
    given: Mapping[str, Any],
    method: SpaceTime,
    seed: int,
) -> Solution:
    """March through windows, each a problem of its own, whose ridges and points gather where its initial data are steep."""
    solutions: list[Solution] = []
    (low, high), *_ = problem.domain.axes.values()
    x = np.linspace(low, high, CELLS + 1)
    for number, (start, end) in enumerate(pairwise(np.linspace(*problem.time, settings["blocks"] + 1))):
        before = solutions[-1] if solutions else None
        here = Problem(
            problem.equations,
            domain=problem.domain,
            time=(start, end),
            initial=(lambda x, u=before, t=start: u(x=x, t=t)) if before else problem.initial,
            boundary=problem.boundary,
            parameters=problem.parameters,
        )
        u = here.initial_data["u", 0].part(np.column_stack([x, np.full_like(x, start)]), "u")
        points = steep_points(x, u, settings["steep_share"])
        space = Liquid(features=settings["features"], chords=True, centers=points[:, None], **given)
        assert method.collocation is not None
        own = replace(method, space=space, collocation=replace(method.collocation, gather=points))
        solutions.append(solve(here, method=own, seed=1000 * seed + number, estimate=False, strict=False))
    windows = [window for solution in solutions for window in solution.report.block_reports]
    return Solution(problem, [s.pieces[0] for s in solutions], Report.of(windows, seed=seed))


def steep_points(x: np.ndarray, u: np.ndarray, share: float) -> np.ndarray:
    """Points with the density (1 − a) + a |u′|/mean|u′|, smoothed; x equidistant over one period, end included."""
    slope, k = np.abs(np.diff(u) / np.diff(x)), np.fft.rfftfreq(len(x) - 1, x[1] - x[0])
    slope = np.fft.irfft(np.fft.rfft(slope) * np.exp(-0.5 * (2 * np.pi * k * SMOOTHING) ** 2), len(slope))
    mass = np.concatenate([[0.0], np.cumsum((1 - share) + share * np.maximum(slope, 0.0) / slope.mean())])
    return np.interp((np.arange(CELLS) + 0.5) / CELLS, mass / mass[-1], x)
