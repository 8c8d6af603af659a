# SPDX-License-Identifier: MIT
"""A solution is sent to another process whenever its data are texts or arrays."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import lrfm


@pytest.mark.parametrize(
    "options", [{"tol": 1e-4}, {"method": lrfm.SpaceTime(features=40, blocks=1)}], ids=["lines", "space-time"]
)
def test_a_solution_is_the_same_after_a_journey(options):
    problem = lrfm.Problem(
        "u_t = D*u_xx - u**3",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 0.1),
        initial="sin(pi*x)",
        boundary={"x-": "u = 0", "x+": "none"} | {"x+": "u = 0"},
        parameters={"D": "1/2"},
        reference="0*x",
    )
    solution = lrfm.solve(problem, **options, strict=False)
    x = np.linspace(0, 1, 7)
    before = solution["u_x**2"](x=x, t=0.05)
    again = pickle.loads(pickle.dumps(solution))
    np.testing.assert_array_equal(again["u_x**2"](x=x, t=0.05), before)
    np.testing.assert_array_equal(again.residual(x=x, t=0.05), solution.residual(x=x, t=0.05))
    assert str(again.report) == str(solution.report)
    assert again.problem.to_toml() == problem.to_toml()
    difference = pickle.loads(pickle.dumps(again - solution))
    assert difference.maximum("abs(u)").value == 0.0
