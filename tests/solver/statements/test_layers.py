# SPDX-License-Identifier: MIT
"""Several materials in the plane, against exact solutions: claims are made, and true."""

import sys
from pathlib import Path

import pytest

import lrfm
from lrfm.solution.reference import grid_points, true_error

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
from layered import coated, flat


def solved(problem, tol, grid):
    solution = lrfm.solve(problem, tol=tol, max_seconds=None)
    assert solution.report.method == "lines"
    assert solution.report.error_estimate <= tol
    assert true_error(solution, grid_points(problem, *grid)) <= tol
    return solution


@pytest.mark.thorough
@pytest.mark.slow
def test_a_flat_interface():
    """Two boxes in the plane, 100 : 1."""
    solved(flat(), 1e-5, (41, 7))


@pytest.mark.thorough
@pytest.mark.slow
def test_a_round_interface():
    """A disc in a ring: cos θ times functions of Bessel, 100 : 1."""
    solved(coated(order=1), 1e-4, (31, 5))
