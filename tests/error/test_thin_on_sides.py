# SPDX-License-Identifier: MIT
"""Data of a steady condition that are thinner than any point of two solves are not left out of a claim."""

import numpy as np
import pytest

import lrfm

SQUARE = lrfm.Box(x=(0, 1), y=(0, 1))


@pytest.mark.parametrize("width", [1e-4])
def test_a_spot_on_a_side_is_not_left_out(width):
    """Both solves saw u = 0 on all sides, and agreed on it."""
    spot = f"u = 1e3*exp(-((x - 0.3717)/{width})**2)"
    problem = lrfm.Problem("lap(u) = 0", domain=SQUARE, boundary={"y-": spot, "*": "u = 0"})
    solution = lrfm.steady(problem, tol=1e-2, max_seconds=2, strict=False)
    if abs(float(solution(x=0.3717, y=0.0)) - 1e3) > 100:
        assert not solution.report.error_estimate <= 1e-2
        assert any("x = 0.37" in text for text in solution.report.warnings)


def test_a_spot_that_is_followed_costs_no_claim():
    problem = lrfm.Problem(
        "lap(u) = 0", domain=SQUARE, boundary={"y-": "u = exp(-((x - 0.4)/0.03)**2)", "*": "u = 0"}
    )
    solution = lrfm.steady(problem, tol=1e-2)
    assert solution.report.error_estimate <= 1e-2
    assert np.isclose(float(solution(x=0.4, y=0.0)), 1, atol=1e-2)
