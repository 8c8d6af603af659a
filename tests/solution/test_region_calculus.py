# SPDX-License-Identifier: MIT
"""Integrals over domains that are no boxes, against formulas, and the balance of what flows out."""

import numpy as np
import pytest

import lrfm


@pytest.fixture(scope="module")
def solution():
    problem = lrfm.Problem(
        "u_t = lap(u) + 1",
        domain=lrfm.Ellipse(radii=(1, 0.7), name="rim"),
        time=(0, 0.2),
        initial="x**2 + y",
        boundary={"rim": {"u": lambda x, y, t: x**2 + y + 3 * t}},
    )
    return lrfm.solve(problem, tol=1e-7)  # u = x² + y + 3t


def test_integrals_of_formulas(solution):
    area = 0.7 * np.pi
    exact = area / 4 + 0.3 * area  # ∫ x² = a³bπ/4
    assert solution.integral()(t=0.1) == pytest.approx(exact, rel=1e-6)
    found = solution.integral("u_x**2", over=("x", "y"))(t=np.array([0.0, 0.2]))
    np.testing.assert_allclose(found, area, rtol=1e-6)


def test_what_flows_out_is_what_is_made_and_not_kept(solution):
    change = solution.integral("u_t")(t=0.1) - solution.integral("lap(u) + 1")(t=0.1)
    assert change == pytest.approx(0, abs=1e-5)
    # ∫ u_n = ∫ Δu = 2 · area
    assert solution.flux("rim")(t=0.1) == pytest.approx(2 * 0.7 * np.pi, rel=1e-5)


def test_what_has_no_meaning_is_said(solution):
    with pytest.raises(ValueError, match="goes over all of"):
        solution.integral(over="x")
    with pytest.raises(ValueError, match="no part of the boundary"):
        solution.flux("rum")
