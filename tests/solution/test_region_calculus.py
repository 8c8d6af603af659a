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


def test_the_largest_value_may_be_on_the_rim(solution):
    # x² + y on the ellipse: y = 0.49/2 is where both derivatives along the rim vanish
    y = 0.49 / 2
    largest = solution.maximum(t=0.1)
    assert largest.value == pytest.approx(1 - (y / 0.7) ** 2 + y + 0.3, abs=1e-6)
    assert largest.at["y"] == pytest.approx(y, abs=1e-2)
    smallest = solution.minimum()
    assert smallest.value == pytest.approx(-0.7, abs=1e-6)
    assert smallest.at == pytest.approx({"x": 0, "y": -0.7, "t": 0}, abs=1e-2)
    assert solution.maximum("1 - x**2 - (y - 0.1)**2").value == pytest.approx(1, abs=1e-10)
    assert solution.maximum("2*y", x=0.6, t=0).value == pytest.approx(2 * 0.7 * 0.8, abs=1e-3)
    with pytest.raises(ValueError, match=r"No place of the domain has x=0\.9, y=0\.6"):
        solution.maximum("u", x=0.9, y=0.6)


def test_curves_end_at_the_rim(solution):
    (curve,) = solution.where("u = 0.3", t=0.1)  # y = −x²
    np.testing.assert_allclose(curve["y"], -(curve["x"] ** 2), atol=1e-6)
    ends = curve["x"][[0, -1]] ** 2 + (curve["y"][[0, -1]] / 0.7) ** 2
    np.testing.assert_allclose(ends, 1, atol=0.03)
    pair = solution.where(
        "u_x = 1", y=0.6
    )  # x = 1/2 at all times is beside the ellipse where y is 0.6: |x| < 0.52
    assert len(pair) == 1
    np.testing.assert_allclose(pair[0]["x"], 0.5, atol=1e-5)
