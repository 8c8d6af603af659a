# SPDX-License-Identifier: MIT
"""Ordinary equations: x′ = f(x, t) without a domain, against exact solutions and published values."""

import numpy as np
import pytest

import lrfm


def solved(equation, tol=1e-8, **given):
    solution = lrfm.solve(lrfm.Problem(equation, **given), tol=tol)
    assert solution.report.status == "tolerance met"
    return solution


@pytest.mark.parametrize("tol", [1e-4, 1e-10])
def test_an_oscillator_of_second_order_and_its_derivative(tol):
    t = np.linspace(0, 20, 401)
    solution = solved("x_tt = -x", tol, time=(0, 20), initial={"x": 1, "x_t": 0})
    assert np.max(np.abs(solution.x(t=t) - np.cos(t))) < 2 * tol
    assert np.max(np.abs(solution["x_t"](t=t) + np.sin(t))) < 50 * tol


def test_a_complex_unknown():
    t = np.linspace(0, 3, 50)
    solution = solved("psi_t = 1j*psi*(1 + t)", time=(0, 3), initial=1, unknowns={"psi": complex})
    assert np.max(np.abs(solution(t=t) - np.exp(1j * (t + t**2 / 2)))) < 1e-8


def test_an_algebraic_unknown_begins_where_it_is_told_to():
    # x = sin, y = cos: of the two roots of y² = 1 − x² the one near the given start.
    solution = solved(["x_t = y", "x**2 + y**2 = 1"], time=(0, 1), initial={"x": 0, "y": 0.9})
    assert np.allclose(solution.y(t=1.0), np.cos(1.0), rtol=1e-7)
    other = solved(["x_t = y", "x**2 + y**2 = 1"], time=(0, 1), initial={"x": 0, "y": -0.9})
    assert np.allclose(other.y(t=1.0), -np.cos(1.0), rtol=1e-7)


def test_robertson_at_published_digits():
    # Values at t = 40 from Hairer, Wanner, Solving Ordinary Differential Equations II: 0.7158, 9.185e-6, 0.2842.
    solution = solved(
        ["a_t = -0.04*a + 1e4*b*c", "b_t = 0.04*a - 1e4*b*c - 3e7*b**2", "c_t = 3e7*b**2"],
        time=(0, 40),
        initial={"a": 1, "b": 0, "c": 0},
    )
    end = solution(t=40.0)
    assert np.isclose(end["a"], 0.7158270688, rtol=1e-8)
    assert np.isclose(end["b"], 9.185534765e-6, rtol=1e-7)
    assert np.isclose(end["a"] + end["b"] + end["c"], 1.0, rtol=1e-12)


@pytest.mark.slow
def test_a_relaxation_oscillator_crosses_layers_inside_the_time_span():
    # Steps shrink by 1e7 at t = 807; such layers are no blow-up. x(1000) from a run of scipy's Radau at rtol 1e-11.
    solution = solved(
        "x_tt = mu*(1 - x**2)*x_t - x",
        1e-4,
        time=(0, 1000),
        initial={"x": 2, "x_t": 0},
        parameters={"mu": 1000},
    )
    assert np.isclose(solution.x(t=1000.0), -1.8636462548, rtol=1e-4)


def test_a_blow_up_is_handed_back_as_far_as_it_goes():
    with pytest.raises(lrfm.ConvergenceError, match="Steps vanished") as caught:
        lrfm.solve(lrfm.Problem("x_t = x**2", time=(0, 2), initial=1), tol=1e-4)
    assert abs(caught.value.solution.block_edges[-1] - 1) < 1e-4


def test_a_function_that_jumps_at_no_round_time():
    jump = np.e + 1
    solution = solved(
        "x_t = -x + f", time=(0, 10), initial=0, parameters={"f": lambda t: np.where(t > jump, 1.0, 0.0)}
    )
    assert np.isclose(solution.x(t=10.0), 1 - np.exp(jump - 10), rtol=1e-8)


def test_files_tables_and_pictures(tmp_path):
    problem = lrfm.Problem(
        ["x_t = y", "y_t = -x"],
        time=(0, 1),
        initial={"x": 0, "y": 1},
        reference={"x": "sin(t)", "y": "cos(t)"},
    )
    (tmp_path / "p.toml").write_text(problem.to_toml())
    solution = lrfm.solve(lrfm.read(tmp_path / "p.toml"), tol=1e-6)
    assert solution.coordinates == ("t",)
    assert "over time" in str(solution.report)
    assert "cell" not in str(solution.report)
    again = lrfm.load(solution.save(tmp_path / "s.lrfm"))
    assert again.x(t=0.5) == solution.x(t=0.5)
    table = solution.to_xarray(t=5)
    assert table["x"].dims == ("t",)
    solution.export(tmp_path / "s.csv", times=3)
    assert (tmp_path / "s.csv").read_text().splitlines()[0] == "t,x,y"
    figure = solution.plot(tmp_path / "s.png", error=True)
    assert len(figure.axes) == 4
    assert np.isclose(solution.integral("x"), 1 - np.cos(1), rtol=1e-6)
    assert np.isclose(solution.maximum("x").at["t"], 1.0)
    with pytest.raises(ValueError, match="no domain"):
        solution.export(tmp_path / "s.gif")


def test_a_linear_equation_with_a_coefficient_that_changes():
    """x' = −t x: e^(−t²/2). The place that ordinary equations do not have is among the columns of points."""
    solution = lrfm.solve(lrfm.Problem("x_t = -t*x", time=(0, 2), initial=1), tol=1e-8)
    t = np.linspace(0, 2, 11)
    assert np.max(np.abs(solution.x(t=t) - np.exp(-(t**2) / 2))) < 1e-8
