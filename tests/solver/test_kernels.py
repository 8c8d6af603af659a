# SPDX-License-Identifier: MIT
"""Integrals over space with kernels: against solutions by formula, and against Nyström's method."""

import pickle

import numpy as np
import pytest
from scipy.optimize import brentq

import lrfm

LINE = lrfm.Box(x=(0, 1))
X = np.linspace(0, 1, 41)
FREE = {"*": "none"}
EQUATIONS = {
    "smooth": ("u = exp(x) - (exp(x + 1) - 1)/(x + 1) + integral(exp(x*y)*u(y), y)", FREE, np.exp),
    "a product": ("u = 3*x/4 + integral(x*y*u(y)**2, y)", FREE, lambda x: x),
    "a kink": ("u = x - (x**3/3 - x/2 + 1/3) + integral(abs(x - s)*u(s), s)", FREE, lambda x: x),
    "Green's function": (
        "u = sin(pi*x)*(1 + 1/pi**2) - integral(min(x, y)*(1 - max(x, y))*u(y), y, 0, 1)",
        FREE,
        lambda x: np.sin(np.pi * x),
    ),
    "up to the place": ("u = 1 + integral((x - y)*u(y), y, 0, x)", FREE, np.cosh),
    "from the place on": ("u = 1 + integral((y - x)*u(y), y, x, 1)", FREE, lambda x: np.cosh(1 - x)),
    "a factor outside": (
        "u_xx + integral(x*cos(x - y)*u(y), y) = x*(cos(x)*sin(1) + sin(x)*(1 - cos(1)))",
        "u = 1",
        np.ones_like,
    ),
}


@pytest.mark.parametrize("name", EQUATIONS)
def test_steady_statements_with_a_kernel(name):
    equation, boundary, exact = EQUATIONS[name]
    solution = lrfm.steady(lrfm.Problem(equation, domain=LINE, boundary=boundary), tol=1e-7)
    assert solution.report.error_estimate <= 1e-7
    assert np.max(np.abs(solution(x=X) - exact(X))) < 1e-10


def test_a_kernel_that_is_nothing_by_nothing_on_the_diagonal():
    """u + ∫ sin(x − y)/(x − y) u(y) dy = 1 by Gauss' rule."""
    problem = lrfm.Problem("u = 1 - integral(sin(x - y)/(x - y)*u(y), y)", domain=LINE, boundary=FREE)
    nodes, weights = np.polynomial.legendre.leggauss(24)
    x, w = (1 + nodes) / 2, weights / 2
    known = np.linalg.solve(np.eye(24) + np.sinc((x[:, None] - x) / np.pi) * w, np.ones(24))
    assert np.max(np.abs(lrfm.steady(problem, tol=1e-8)(x=x) - known)) < 1e-12


def test_an_evolution_with_a_kernel(tmp_path):
    """∫ cos π(x − y) cos πy dy = cos(πx)/2."""
    problem = lrfm.Problem(
        "u_t = u_xx + integral(cos(pi*(x - y))*u(y), y) + exp(-t)*cos(pi*x)*(pi**2 - 1.5)",
        domain=LINE,
        time=(0, 1),
        initial="cos(pi*x)",
        boundary="u_n = 0",
    )
    solution = lrfm.solve(problem, tol=1e-6)
    assert np.max(np.abs(solution(x=X, t=1.0) - np.exp(-1) * np.cos(np.pi * X))) < 1e-7
    assert lrfm.load(solution.save(tmp_path / "u.lrfm"))(x=0.3, t=0.5) == solution(x=0.3, t=0.5)
    path = tmp_path / "p.toml"
    path.write_text(problem.to_toml())
    assert len(lrfm.read(path).functionals) == 2
    assert len(pickle.loads(pickle.dumps(problem)).functionals) == 2


def test_a_convolution_on_a_circle():
    """∫ cos(x − y) cos y dy = π cos x."""
    problem = lrfm.Problem(
        "u_t = integral(cos(x - y)*u(y), y) - u",
        domain=lrfm.Box(x=(0, "2*pi")),
        time=(0, 0.2),
        initial="cos(x)",
        boundary="periodic",
    )
    exact = np.exp(0.2 * (np.pi - 1))
    assert abs(float(lrfm.solve(problem, tol=1e-6)(x=0.0, t=0.2)) / exact - 1) < 1e-6


def test_what_is_an_integral_over_the_past():
    """A kernel of t − s is; one of a place is not; without either the name or the statement tells."""
    given = dict(domain=LINE, time=(0, 1), initial="sin(pi*x)", boundary="u = 0")
    for equation, rate in [
        ("u_t = u_xx - integral(exp(s - t)*u(s), s)", True),
        ("u_t = u_xx - integral(exp(s - t)*u(s), s, 0, t)", True),
        ("u_t = u_xx - integral(u(s), s)", True),
        ("u_t = u_xx - integral(exp(s - x)*u(s), s)", False),
        ("u_t = u_xx - integral(u(y), y)", False),
    ]:
        (functional,) = lrfm.Problem(equation, **given).functionals
        assert bool(functional.order) == rate, equation


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_a_population_by_age_with_births_at_its_end(tol):
    """McKendrick: u_t + u_x = −m u, u(0) = ∫ b u: e^{rt − (r + m)x} with Euler and Lotka's 1 = ∫ b(x) e^{−(r + m)x} dx, b = 2x e^{−x}."""
    m, end = 0.2, 10.0
    rate = brentq(
        lambda r: 2 * (1 - np.exp(-(r + m + 1) * end) * (1 + (r + m + 1) * end)) / (r + m + 1) ** 2 - 1,
        -0.1,
        2,
        xtol=1e-15,
    )
    problem = lrfm.Problem(
        f"u_t + u_x = -{m}*u",
        domain=lrfm.Box(x=(0, end)),
        time=(0, 3),
        initial=f"exp(-{rate + m}*x)",
        boundary={"x-": "u = integral(2*x*exp(-x)*u, x)", "x+": None},
    )
    found = lrfm.solve(problem, tol=tol)
    x = np.linspace(0, end, 401)
    exact = np.exp(3 * rate - (rate + m) * x)
    gap = np.linalg.norm(found(x=x, t=3.0) - exact) / np.linalg.norm(exact)
    assert gap <= found.report.error_estimate <= tol
