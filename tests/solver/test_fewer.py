# SPDX-License-Identifier: MIT
"""Unknowns that live on fewer axes than others, as fields of their own: against formulas."""

import numpy as np
import pytest

import lrfm

SQUARE = lrfm.Box(x=(0, 1), y=(0, 1))


@pytest.mark.parametrize("kind", ["x", "x, t"])
def test_an_unknown_of_one_axis_beside_one_of_two(kind, tmp_path):
    """w = e^{−bt} sin πx with b = π²/10 + 1, since the mean of u along y is zero; u′ = −2π² u + w in cos πy."""
    problem = lrfm.Problem(
        ["u_t = lap(u) + w*cos(pi*y)", "w_t = 0.1*w_xx + mean(u, y) - w"],
        domain=SQUARE,
        time=(0, 0.1),
        initial={"u": "sin(pi*x)*cos(pi*y)", "w": "sin(pi*x)"},
        boundary={"x": ["u = 0", "w = 0"], "y": "u_n = 0"},
        unknowns={"w": kind},
    )
    solution = lrfm.solve(problem, tol=1e-5)
    a, b, t = 2 * np.pi**2, 0.1 * np.pi**2 + 1, 0.1
    assert abs(solution["w"](x=0.5, t=t) / np.exp(-b * t) - 1) < 1e-5
    known = np.exp(-a * t) + (np.exp(-b * t) - np.exp(-a * t)) / (a - b)
    assert abs(solution["u"](x=0.5, y=0.0, t=t) / known - 1) < 1e-5
    assert solution.report.error_estimate <= 1e-5
    assert lrfm.load(solution.save(tmp_path / "u.lrfm"))["w"](x=0.3, t=t) == solution["w"](x=0.3, t=t)
    path = tmp_path / "p.toml"
    path.write_text(problem.to_toml())
    assert lrfm.read(path).unknowns == problem.unknowns


def test_at_rest():
    """w″ = −π² sin πx and lap u = −w with u_n = 0 along y: u = w/π²."""
    problem = lrfm.Problem(
        ["lap(u) + w = 0", "w_xx = -pi**2*sin(pi*x)"],
        domain=SQUARE,
        boundary={"x": ["u = 0", "w = 0"], "y": "u_n = 0"},
        unknowns={"w": "x"},
    )
    solution = lrfm.steady(problem, tol=1e-5)
    assert abs(solution["w"](x=0.3) - np.sin(0.3 * np.pi)) < 1e-5
    assert abs(solution["u"](x=0.3, y=0.6) - np.sin(0.3 * np.pi) / np.pi**2) < 1e-5
