# SPDX-License-Identifier: MIT
"""The error of a step in time: of what is damped, and of what follows its equation at once."""

import numpy as np
import pytest
from helpers import thinned

import lrfm


@pytest.mark.parametrize(
    ("rate", "tol"),
    thinned([(1e3, 1e-6), (1e3, 1e-4), (1e6, 1e-3), (1e3, 1e-3), (1e6, 1e-6), (1e6, 1e-4)], 2),
)
def test_what_follows_at_once_is_right_between_stages(rate, tol):
    """u_t = u_xx − λ (u − u⋆) + …,  u⋆ = cos t cos πx + x: exact at the stages of any step, whatever its length."""
    moves = "-sin(t)*cos(pi*x) + pi**2*cos(t)*cos(pi*x) + rate*(cos(t)*cos(pi*x) + x)"
    problem = lrfm.Problem(
        f"u_t = u_xx - rate*u + {moves}",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 10),
        initial="cos(pi*x) + x",
        boundary={"x-": "u = cos(t)", "x+": "u = 1 - cos(t)"},
        parameters={"rate": rate},
    )
    solution = lrfm.solve(problem, tol=tol)
    x, t = np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 10, 401))
    exact = np.cos(t) * np.cos(np.pi * x) + x
    error = np.linalg.norm(solution(x=x, t=t) - exact) / np.linalg.norm(exact)
    assert error <= max(solution.report.error_estimate, 1e-12)
    assert solution.report.error_estimate <= tol
