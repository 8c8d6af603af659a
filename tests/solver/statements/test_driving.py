# SPDX-License-Identifier: MIT
"""What conditions are going to make of a field that starts from nothing."""

import numpy as np

import lrfm


def stated(equation="u_t = u_xx", initial: object = "0", **faces):
    return lrfm.Problem(
        equation,
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 2),
        initial=initial,
        boundary={"x-": faces["left"], "x+": faces["right"]},
    )


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


def test_a_sudden_flux_is_met_from_nothing():
    """Zero data contradict a flux, and nothing says at the start how large u is going to be; diffusion removes what is missed there."""
    D = np.random.default_rng(6).uniform(0.1, 0.5)
    problem = stated(equation=f"u_t = {D}*u_xx", left="u_x = -1", right="u = 0")
    report = lrfm.solve(problem, tol=1e-3).report
    assert report.error_estimate <= 1e-3
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
