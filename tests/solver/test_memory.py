# SPDX-License-Identifier: MIT
"""Running integrals and integrals over the past: against the differential equations that they are."""

import numpy as np
import pytest
from scipy.linalg import expm

import lrfm

LINE = lrfm.Box(x=(0, 1))
X = np.linspace(0, 1, 11)


def test_memory_of_an_ordinary_equation():
    """x′ = −∫ e^{−(t − s)} x(s) ds is x″ + x′ + x = 0."""
    problem = lrfm.Problem("x_t = -integral(exp(-(t - s))*x(s), s)", time=(0, 5), initial=1)
    solution = lrfm.solve(problem, tol=1e-8)
    t, w = np.linspace(0, 5, 51), np.sqrt(3) / 2
    assert np.max(np.abs(solution(t=t) - np.exp(-t / 2) * (np.cos(w * t) + np.sin(w * t) / (2 * w)))) < 1e-8
    assert solution.unknowns == ("x",)


def test_memory_of_a_field_with_a_kernel_of_two_exponentials(tmp_path):
    """In sin πx:  a′ = −π² a − m − n,  m′ = 5 a − 2 m,  n′ = a − n."""
    problem = lrfm.Problem(
        "u_t = u_xx - integral((5*exp(-2*(t - s)) + exp(s - t))*u(s), s)",
        domain=LINE,
        time=(0, 1),
        initial="sin(pi*x)",
        boundary="u = 0",
    )
    solution = lrfm.solve(problem, tol=1e-7)
    exact = (expm(0.7 * np.array([[-(np.pi**2), -1, -1], [5, -2, 0], [1, 0, -1]])) @ [1, 0, 0])[0]
    assert abs(solution(x=0.5, t=0.7) - exact) <= 1e-8
    path = tmp_path / "p.toml"
    path.write_text(problem.to_toml())
    assert len(lrfm.read(path).functionals) == 2
    assert lrfm.load(solution.save(tmp_path / "u.lrfm"))(x=0.3, t=0.5) == solution(x=0.3, t=0.5)


@pytest.mark.parametrize(
    ("integral", "source"),
    [("integral(u, x, 0, x)", "sin(x)"), ("integral(u, x, x, 1)", "(sin(1) - sin(x))")],
)
def test_running_integrals_of_an_evolution(integral, source):
    """u = e^{−t} cos x."""
    problem = lrfm.Problem(
        f"u_t = u_xx + {integral} - exp(-t)*{source}",
        domain=LINE,
        time=(0, 1),
        initial="cos(x)",
        boundary={"x-": "u = exp(-t)", "x+": "u = exp(-t)*cos(1)"},
    )
    solution = lrfm.solve(problem, tol=1e-7)
    assert solution.report.error_estimate <= 1e-7
    assert np.max(np.abs(solution(x=X, t=1.0) - np.exp(-1) * np.cos(X))) < 1e-8


def test_a_running_integral_at_rest():
    """u′ = 1 + ∫₀ˣ u is u″ = u."""
    problem = lrfm.Problem(
        "u_x = 1 + integral(u, x, 0, x)", domain=LINE, boundary={"x-": "u = 0", "x+": None}
    )
    assert np.allclose(lrfm.steady(problem, tol=1e-9)(x=X), np.sinh(X), atol=1e-9)


def test_what_is_inside_a_radius():
    """4π ∫₀ʳ r² dr = 4/3 π r³."""
    ball = lrfm.Box(r=(0, 1), coordinates="spherical")
    problem = lrfm.Problem("u - integral(1 + 0*u, r, 0, r) = 0", domain=ball, boundary={"r+": None})
    assert np.allclose(lrfm.steady(problem, tol=1e-8)(r=X), 4 / 3 * np.pi * X**3, atol=1e-9)


REFUSED = [
    ("u_t = u_xx + integral(u(s)/(1 + t*s), s)", "is no function of t - s"),
    ("u_t = u_xx + integral(u(s)/sqrt(t - s), s)", "is singular, or varies too much"),
    ("u_t = u_xx + integral(exp(s - t)*u(s)*u, s)", "is written with it, `u\\(s\\)`"),
    ("u_t = u_xx + integral(u, x, 0.2, x)", "begins at an end of the domain, here x = 0"),
    ("u_t = u_xx + integral(u, x, 0, 0.5)", "runs along an axis up to the place itself"),
]


@pytest.mark.parametrize(("equation", "said"), REFUSED)
def test_what_is_not_held_is_refused_with_a_sentence(equation, said):
    with pytest.raises(lrfm.ProblemError, match=said):
        lrfm.Problem(equation, domain=LINE, time=(0, 1), initial="sin(pi*x)", boundary="u = 0")


@pytest.mark.parametrize(
    ("equation", "exact"),
    [
        # x‴ = −x, and x‴ + x′ + x = 0, from 1, 0, 0
        ("x_t = -integral((t - s)*x(s), s)", [-1.0, 0.0, 0.0]),
        ("x_t = -integral(sin(t - s)*x(s), s)", [-1.0, -1.0, 0.0]),
        # x = t
        pytest.param(
            "x_t = integral(exp(-(t - s)**2)*x(s), s) + 1 - t*sqrt(pi)/2*erf(t) + (1 - exp(-t**2))/2",
            lambda t: t,
            marks=pytest.mark.thorough,
        ),
        # x = e^t, with a factor of t before the integral and one of s in it
        ("x_t = x + integral(cos(t)*exp(-2*s)*x(s), s) - cos(t)*(1 - exp(-t))", np.exp),
        # x = 1 + t, the kernel of a fading memory that is no exponential
        ("x_t = 1 + integral(x(s)/(1 + t - s), s) - (2 + t)*log(1 + t) + t", lambda t: 1 + t),
    ],
)
def test_kernels_that_are_no_exponentials(equation, exact):
    t = np.linspace(0, 2, 41)
    if isinstance(exact, list):
        chain = np.array([[0, 1, 0], [0, 0, 1], exact])
        known = np.array([(expm(chain * at) @ [1, 0, 0])[0] for at in t])
    else:
        known = exact(t)
    solution = lrfm.solve(lrfm.Problem(equation, time=(0, 2), initial=float(known[0])), tol=1e-7)
    assert solution.report.error_estimate <= 1e-7
    assert np.max(np.abs(solution(t=t) - known)) <= 1e-7 * np.max(np.abs(known))


def test_a_field_with_a_fading_memory():
    """u = (1 + t) sin πx."""
    problem = lrfm.Problem(
        "u_t = u_xx - integral(u(s)/(1 + t - s), s) + sin(pi*x)*(1 + pi**2*(1 + t) + (2 + t)*log(1 + t) - t)",
        domain=LINE,
        time=(0, 0.5),
        initial="sin(pi*x)",
        boundary="u = 0",
    )
    solution = lrfm.solve(problem, tol=1e-5)
    assert np.max(np.abs(solution(x=X, t=0.5) - 1.5 * np.sin(np.pi * X))) <= 1e-5


def test_the_rate_of_a_fading_memory_is_differentiated_by():
    """x″ + k x′ + x = 0: ∂x/∂k by a complex step of the formula."""
    problem = lrfm.Problem(
        "x_t = -integral(exp(-k*(t - s))*x(s), s)", time=(0, 5), initial=1, parameters={"k": 1.0}
    )
    found = lrfm.solve(problem, tol=1e-8).sensitivity("k")
    t, k = np.linspace(0, 5, 51), 1 + 1e-20j
    w = np.sqrt(1 - k**2 / 4)
    exact = np.imag(np.exp(-k * t / 2) * (np.cos(w * t) + k * np.sin(w * t) / (2 * w))) / 1e-20
    assert np.max(np.abs(found(t=t) - exact)) < 1e-7


def test_an_equation_of_volterra_needs_no_rate():
    """u = 1 + ∫₀ᵗ (t − s) u(s) ds is u″ = u, u(0) = 1, u′(0) = 0: cosh t. Nothing is given at the start, since nothing of u is free there."""
    problem = lrfm.Problem("u = 1 + integral((t - s)*u(s), s)", time=(0, 2))
    solution = lrfm.solve(problem, tol=1e-8)
    t = np.linspace(0, 2, 41)
    assert np.max(np.abs(solution(t=t) / np.cosh(t) - 1)) < 1e-8


def test_a_state_at_rest_that_remembers():
    """−u″ = sin πx − m, m = ∫ e^{−(t − s)} u ds: of u = g(t) sin πx remains π² g = 1 − m, m′ = g − m."""
    problem = lrfm.Problem(
        "-u_xx = sin(pi*x) - integral(exp(-(t - s))*u(s), s)",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 1),
        boundary="u = 0",
    )
    solution, t = lrfm.solve(problem, tol=1e-6), np.linspace(0, 1, 11)
    rate = 1 + 1 / np.pi**2
    held = (1 - np.exp(-rate * t)) / (np.pi**2 * rate)
    assert np.max(np.abs(solution(x=0.5, t=t) * np.pi**2 - (1 - held))) < 1e-6


def test_without_a_rate_or_a_memory_there_is_no_evolution():
    with pytest.raises(lrfm.ProblemError, match="No time derivative of `u` occurs"):
        lrfm.Problem("u = 1 + t", time=(0, 1))
