# SPDX-License-Identifier: MIT
"""The paper's loop, written out: the same features and the same answers as the solver."""

import numpy as np
import pytest
from paper import plain
from paper.case import METHODS
from paper.plan import Plan

from lrfm.solver.api import solve
from lrfm.solver.engine import block_rng
from lrfm.spacetime.windows.window import sample_space


@pytest.fixture
def case():
    return Plan().case("allen-cahn", per_patch=12, rows=(240, 60, 20), max_steps=8, tolerance=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_derivatives_written_out_are_those_of_the_features_room(case, method):
    problem = case.statement()
    space = sample_space(problem, case.space(method), problem.time, block_rng(0, 0))
    points = case.collocation().place(problem.domain, problem.time, np.random.default_rng(1)).interior
    jets = space.jets(points, [(0, 0), (1, 0), (2, 0), (0, 1)])
    for found, expected in zip(plain.features(space, points), jets.values(), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("method", ["local", "global"])
def test_same_coefficients_as_the_solver(case, method):
    space, c, steps = plain.plain_loop(case, method, seed=3)
    solution = solve(case.statement(), method=case.method(method), seed=3, estimate=False, strict=False)
    x, t = np.linspace(-1, 1, 41), np.full(41, 0.07)
    ours = solution(x=x, t=t)
    theirs = plain.features(space, np.column_stack([x, t])).value @ c
    np.testing.assert_allclose(theirs, ours, atol=1e-6)
    assert steps == solution.report.steps


def test_compare_reports_both_loops(case):
    found = plain.compare(case, "local", 0)
    assert found["plain_l2"] == pytest.approx(found["l2"], rel=1e-3)
    assert found["plain_steps"] == found["steps"] > 3
    assert found["own_l2"] < 1.0
