# SPDX-License-Identifier: MIT
"""What conditions are going to make of a field that starts from nothing."""

import numpy as np
import pytest

import lrfm
from lrfm.solver.lines.driving import anticipated, driven_size
from lrfm.solver.lines.form import Form


def stated(equation="u_t = u_xx", initial: object = "0", **faces):
    return lrfm.Problem(
        equation,
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 2),
        initial=initial,
        boundary={"x-": faces["left"], "x+": faces["right"]},
    )


def test_a_value_asked_for_is_found_whatever_the_row_looks_like():
    rng = np.random.default_rng(4)
    a, b = rng.uniform(0.5, 3, 2)
    left, right = f"{a}*u = {b}*sin(pi*t)", f"u_n = {b}*({a} - u)"
    assert anticipated(Form(stated(left=left, right="u_n = 0")))[0] == pytest.approx(b / a, rel=1e-3)
    assert anticipated(Form(stated(left="u_n = 1", right=right)))[0] == pytest.approx(a)
    assert anticipated(Form(stated(left="u_n = 1", right="u_n = 0")))[0] == 0


def test_levels_of_a_chain_are_told_apart():
    form = Form(stated("u_tt = u_xx", {"u": "0", "u_t": "0"}, left="u = t**3", right="u = 0"))
    assert anticipated(form) == pytest.approx([8, 12])


def test_a_wall_that_warms_up_is_solved_without_chasing_its_first_moments():
    """u = erf-like layers; here manufactured, so that the truth is known: u = tanh(3 t)² e^{−x}."""
    problem = lrfm.Problem(
        "u_t = 0.05*u_xx + exp(-x)*(6*tanh(3*t)/cosh(3*t)**2 - 0.05*tanh(3*t)**2)",
        domain=lrfm.Box(x=(0, 4)), time=(0, 2), initial="0",
        boundary={"x-": "u = tanh(3*t)**2", "x+": "u = exp(-4)*tanh(3*t)**2"},
        reference=lambda x, t: np.tanh(3 * t) ** 2 * np.exp(-x),
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-6)
    x, t = np.linspace(0, 4, 60)[:, None], np.linspace(0, 2, 41)
    exact = problem.reference(x=x, t=t)
    assert np.linalg.norm(solution(x=x, t=t) - exact) <= 1e-6 * np.linalg.norm(exact)


def test_a_flux_makes_what_starts_from_nothing_as_large_as_its_length():
    g, h = np.random.default_rng(5).uniform(0.5, 3, 2)
    assert driven_size(Form(stated(left=f"u_n = {g}*cos(t)", right="u = 0")), "u") == pytest.approx(g)
    assert driven_size(Form(stated(left=f"{h}*u = {g}", right="u_n = 0")), "u") == pytest.approx(g / h)
    assert driven_size(Form(stated(left="u = 0", right="u_n = 0")), "u") == 0


def test_a_sudden_flux_starts_two_draws_apart():
    """Zero data contradict a flux; the second draw starts closer to them, and shows that diffusion removes what both miss."""
    D = np.random.default_rng(6).uniform(0.1, 0.5)
    problem = stated(equation=f"u_t = {D}*u_xx", left="u_x = -1", right="u = 0")
    report = lrfm.solve(problem, tol=1e-3).report
    # As it is at the start, and what is left of it: √(1/10) for who looks at ten times, and next to nothing later.
    assert report.indicators["misfit"] > 3 * report.error_estimate
    assert report.error_after(0.1) < 0.2 * report.error_estimate


def test_a_start_that_contradicts_a_flux_meets_six_digits():
    """u = t + x²/2 − 1/6 − 2/π² Σ (−1)ⁿ/n² exp(−n²π²t) cos(nπx): a flux that sets in suddenly contradicts a start from rest."""
    problem = lrfm.Problem(
        "u_t = u_xx",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 1),
        initial="0",
        boundary={"x-": "u_n = 0", "x+": "u_n = 1"},
    )
    solution = lrfm.solve(problem, tol=1e-6, progress=False)
    x, t = np.linspace(0, 1, 41)[:, None], np.linspace(2e-4, 1, 400)
    n = np.arange(1, 400)[:, None, None]
    series = np.sum((-1.0) ** n / n**2 * np.exp(-((n * np.pi) ** 2) * t) * np.cos(n * np.pi * x), axis=0)
    exact = t + x**2 / 2 - 1 / 6 - 2 / np.pi**2 * series
    gap = np.linalg.norm(solution(x=x, t=t) - exact) / np.linalg.norm(exact)
    assert gap <= solution.report.error_estimate <= 1e-6
