# SPDX-License-Identifier: MIT
"""Means, integrals, values at a place and unknowns of time alone, against exact solutions."""

import numpy as np
import pytest
from helpers import random_error

import lrfm

W = 1.3  # of cos(w x) e^(−w² t), which solves the heat equation
LINE = dict(domain=lrfm.Box(x=(0, 1)), time=(0, 1))
COSINE = "exp(-w**2*t)*cos(w*x)"


def met(problem, tol=1e-8):
    """Solve, and hold the estimate against the exact solution."""
    solution = lrfm.solve(problem, tol=tol)
    assert solution.report.method == "lines"
    assert random_error(solution, 500) <= max(solution.report.error_estimate, 1e-12) <= tol  # of rounding
    return solution


def test_the_mean_of_a_linear_equation():
    """m' = −m and every cosine of its own."""
    given = dict(LINE, initial="1 + cos(pi*x)", boundary="u_n = 0")
    exact = "exp(-t) + exp(-pi**2*t)*cos(pi*x)"
    met(lrfm.Problem("u_t = u_xx - mean(u)", **given, reference=exact))


@pytest.mark.parametrize("seed", range(2))
def test_logistic_growth_of_the_mean(seed):
    """u = m(t) (1 + b e^(−Dk²t) cos kx) with m' = r m (1 − m), for random m(0), b, D, r."""
    m, b, D, r = np.random.default_rng(seed).uniform([0.1, -0.5, 0.01, 0.5], [0.6, 0.5, 0.1, 2.0])
    problem = lrfm.Problem(
        "u_t = D*u_xx + r*u*(1 - mean(u))",
        **LINE,
        initial="m*(1 + b*cos(pi*x))",
        boundary="u_n = 0",
        parameters=dict(m=m, b=b, D=D, r=r),
        reference=lambda x, t: (
            m / (m + (1 - m) * np.exp(-r * t)) * (1 + b * np.exp(-D * np.pi**2 * t) * np.cos(np.pi * x))
        ),
    )
    met(problem)


def test_decay_by_the_energy():
    """u = a(t) sin πx with a' = −ka − a³/2, Bernoulli's equation."""
    nu = 0.05
    k = nu * np.pi**2
    exact = lambda x, t: np.sin(np.pi * x) / np.sqrt((1 + 0.5 / k) * np.exp(2 * k * t) - 0.5 / k)  # noqa: E731
    given = dict(LINE, initial="sin(pi*x)", boundary="u = 0", parameters={"nu": nu}, reference=exact)
    met(lrfm.Problem("u_t = nu*u_xx - u*integral(u**2, x)", **given))


def test_a_boundary_condition_with_an_integral():
    given = dict(LINE, initial="cos(w*x)", parameters={"w": W}, reference=COSINE)
    met(lrfm.Problem("u_t = u_xx", **given, boundary={"x-": "u_n = 0", "x+": "u_n = -w**2*integral(u, x)"}))


def test_a_tank_at_the_end_of_a_rod(tmp_path):
    """u = e^(−w²t) cos wx and T = c e^(−w²t); saved, loaded, and T as a function of t."""
    c = 0.2
    a, h = -(W**2) * c / (np.cos(W) - c), -W * np.sin(W) / (c - np.cos(W))
    problem = lrfm.Problem(
        ["u_t = u_xx", "T_t = a*(at(u, x, 1) - T)"],
        **LINE,
        initial={"u": "cos(w*x)", "T": c},
        boundary={"x-": "u_n = 0", "x+": "u_n = h*(T - u)"},
        parameters={"a": a, "h": h, "w": W},
        unknowns={"T": "t"},
        reference={"u": COSINE, "T": f"{c}*exp(-w**2*t)"},
    )
    solution = met(problem)
    t = np.linspace(0, 1, 7)
    assert np.allclose(solution["T"](t=t), c * np.exp(-(W**2) * t), rtol=1e-8)
    solution.save(tmp_path / "tank.lrfm")
    again = lrfm.load(tmp_path / "tank.lrfm")
    assert again.problem.unknowns["T"] == "t"
    assert np.array_equal(again["T"](t=t), solution["T"](t=t))
    assert again["mean(T)"](t=0.5) == again["T"](t=0.5)
    with pytest.raises(lrfm.ProblemError, match="is no term of the statement"):
        again["mean(u)"]


def test_a_flux_that_keeps_the_mass_as_given():
    """The flux q(t) at one end is found from ∫ u dx = E(t): a multiplier of time alone."""
    problem = lrfm.Problem(
        ["u_t = u_xx", "integral(u, x) = sin(w)/w*exp(-w**2*t)"],
        **LINE,
        initial="cos(w*x)",
        boundary={"x-": "u_n = 0", "x+": "u_n = q"},
        parameters={"w": W},
        unknowns={"q": "t"},
        reference={"u": COSINE, "q": "-w*sin(w)*exp(-w**2*t)"},
    )
    met(problem, 1e-7)


def test_a_mean_of_a_rate():
    """The mean has m' = −m'/2 + 1, so m = 1 + 2t/3."""
    given = dict(
        LINE, initial="1 + cos(pi*x)", boundary="u_n = 0", reference="1 + 2*t/3 + exp(-pi**2*t)*cos(pi*x)"
    )
    met(lrfm.Problem("u_t = u_xx - mean(u_t)/2 + 1", **given))


def test_a_complex_unknown_in_a_mean_field():
    """Each Fourier mode turns by its own k²/2 and by the mean of |ψ|²."""
    problem = lrfm.Problem(
        "1j*psi_t = -psi_xx/2 + mean(abs(psi)**2)*psi",
        domain=lrfm.Box(x=(0, "2*pi")),
        time=(0, 1),
        initial="1 + 0.5*exp(1j*x)",
        boundary="periodic",
        unknowns={"psi": complex},
        reference="exp(-1.25j*t)*(1 + 0.5*exp(1j*x - 0.5j*t))",
    )
    met(problem)


def test_sensitivities_pass_through_the_mean():
    """∂u/∂r of logistic growth of the mean, from its closed form."""
    m, r = 0.3, 1.2
    given = dict(LINE, initial="0.3 + 0*x", boundary="u_n = 0", parameters={"r": r})
    solution = lrfm.solve(lrfm.Problem("u_t = 0.1*u_xx + r*u*(1 - mean(u))", **given), tol=1e-8)
    t = np.linspace(0, 1, 9)
    e = np.exp(-r * t)
    exact = m * (1 - m) * t * e / (m + (1 - m) * e) ** 2
    assert np.allclose(solution.sensitivity("r")(x=0.4, t=t), exact, atol=1e-6)


PLANE = dict(domain=lrfm.Box(x=(0, 1), y=(0, 1)), time=(0, 0.2))


def test_means_along_one_axis_of_a_plane():
    """What varies along y alone feels its own mean along x; what varies along x has none."""
    exact = "exp(-(pi**2 + 1)*t)*cos(pi*y) + exp(-pi**2*t)*cos(pi*x)"
    given = dict(PLANE, initial="cos(pi*y) + cos(pi*x)", boundary="u_n = 0", reference=exact)
    met(lrfm.Problem("u_t = lap(u) - mean(u, x)", **given), 1e-5)


def test_what_flows_through_a_side_is_collected():
    """T' = ∫ u_x(0, y) dy: a value at a place, integrated along the other axis."""
    problem = lrfm.Problem(
        ["u_t = lap(u)", "T_t = integral(at(u_x, x, 0), y)"],
        **PLANE,
        initial={"u": "sin(pi*x)*(1 + cos(pi*y))", "T": 0},
        boundary={"x": "u = 0", "y": "u_n = 0"},
        unknowns={"T": "t"},
        reference={
            "u": "sin(pi*x)*(exp(-pi**2*t) + exp(-2*pi**2*t)*cos(pi*y))",
            "T": "(1 - exp(-pi**2*t))/pi",
        },
    )
    met(problem, 1e-5)


def test_what_cannot_be_marched_gets_a_sentence():
    given = dict(LINE, initial="1 + cos(pi*x)", boundary="u_n = 0")
    with pytest.raises(lrfm.ProblemError, match=r"`mean\(u\)` is about all of space\. Solve by lines"):
        lrfm.solve(lrfm.Problem("u_t = u_xx - mean(u)", **given), method="space-time")
    given["boundary"] = {"x-": "u_n = 0", "x+": "integral(u, x) = 1"}
    with pytest.raises(lrfm.ProblemError, match="Give it a flux that is unknown"):
        lrfm.solve(lrfm.Problem("u_t = u_xx", **given))
