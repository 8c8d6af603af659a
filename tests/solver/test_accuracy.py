# SPDX-License-Identifier: MIT
"""Accuracy over some seeds: the paper's protocol, and the same sizes with all that public arguments offer.

Errors are relative in L² over a space-time grid, and the bar is for their mean. The paper's protocol is its
collocation counts, truncated SVD at 1e-12, Picard, and periodicity by rows (Paper, Sections
subsec:local-global-1d, sec:solver); the ranges of weights and the overlap are open in the paper and were
calibrated on its condition numbers.
"""

import numpy as np
import pytest
from helpers import by_hand, grid_error, thinned

import lrfm

pytestmark = pytest.mark.slow
SEEDS = 3  # five, and all rows of the paper: `lrfm reproduce`
FEWER = {"NLS local, P = 960": 1}  # seeds of what takes many seconds each


def errors(problem, seeds=SEEDS, **parts):
    grid = (101, 21) if problem.domain.dimension == 1 else (21, 13)
    return [
        grid_error(lrfm.solve(problem, **by_hand(**parts, seed=seed, estimate=False)), *grid)
        for seed in range(seeds)
    ]


def rows(interior, initial, boundary):
    return lrfm.Collocation(interior=interior, initial=initial, boundary=boundary)


PAPER = {
    # name: (problem, space, points, bar)
    "Allen-Cahn local, P = 400": (
        lrfm.catalog.allen_cahn(),
        lrfm.Liquid(per_patch=100, patches=4, weights=3.0, biases=1.0, overlap=1.0, periodic="rows"),
        rows(2000, 400, 120),
        2e-7,
    ),
    "Allen-Cahn global, P = 400": (
        lrfm.catalog.allen_cahn(),
        lrfm.Liquid(features=400, weights=5.0, biases=5.0, periodic="rows"),
        rows(2000, 400, 120),
        4e-7,
    ),
    "heat 1-D local, K = 4, M = 100": (
        lrfm.catalog.heat_1d(),
        lrfm.Liquid(per_patch=100, patches=4, weights=1.0, biases=1.0),
        rows(900, 220, 120),
        3e-6,
    ),
    "Burgers global, P = 480": (
        lrfm.catalog.burgers(),
        lrfm.Liquid(features=480, weights=6.0, biases=6.0, periodic="rows"),
        rows(550, 180, 80),
        2e-5,
    ),
    "NLS local, P = 960": (
        lrfm.catalog.nls(),
        lrfm.Liquid(per_patch=80, patches=6, weights=2.0, biases=1.0, overlap=0.25),
        rows(3000, 400, 160),
        3e-4,
    ),
    "heat 2-D local, M = 60": (
        lrfm.catalog.heat_2d(),
        lrfm.Liquid(per_patch=60, patches=(2, 2), weights=1.0, biases=1.0, overlap=2.0),
        rows(800, 250, 80),
        5e-3,
    ),
}


@pytest.mark.parametrize("name", thinned(PAPER, 6))
def test_the_papers_protocol(name):
    problem, space, points, bar = PAPER[name]
    found = errors(
        problem,
        FEWER.get(name, SEEDS),
        space=space,
        collocation=points,
        least_squares=lrfm.TruncatedSVD(cutoff=1e-12),
        nonlinear=lrfm.Picard(tol=1e-8, max_steps=50),
    )
    assert np.mean(found) <= bar, found
    assert max(found) <= 5 * bar, found  # and no seed far off


def tuned_rows(features):
    return lrfm.Collocation(
        interior=int(3.2 * features),
        initial=int(0.6 * features),
        boundary=int(0.25 * features),
        time="chebyshev",
        initial_weight=10.0,
        boundary_weight=10.0,
    )


TUNED = {
    "heat 1-D, P = 400": (
        lrfm.catalog.heat_1d(),
        lrfm.Liquid(features=400, weights=2.0, centers=1.1, gate=8.0, tau=(1.0, 20.0)),
        5e-12,
    ),
    "Allen-Cahn, P = 400": (
        lrfm.catalog.allen_cahn(),
        lrfm.Liquid(features=400, weights=1.0, biases=1.0, gate=10.0, tau=(2.7, 20.0)),
        1e-11,
    ),
    "Burgers, P = 480": (
        lrfm.catalog.burgers(),
        lrfm.Liquid(features=480, weights=1.0, biases=1.0, gate=50.0, tau=(0.9, 20.0)),
        5e-9,
    ),
    "KdV consistent, P = 480": (
        lrfm.catalog.kdv_consistent(),
        lrfm.Liquid(features=480, weights=8.0, centers=1.1, gate=0.6, tau=(0.3, 20.0), drift=(1.96, 2.04)),
        1e-8,
    ),
}


@pytest.mark.parametrize("name", thinned(TUNED, 4))
def test_the_same_size_used_better(name):
    """Exact periodic chart, scaled gate, chosen scalars, Chebyshev times, drift, Newton, QR."""
    problem, space, bar = TUNED[name]
    assert space.features in (400, 480)
    found = errors(problem, space=space, collocation=tuned_rows(space.features))
    assert np.mean(found) <= bar, found
