# SPDX-License-Identifier: MIT
"""Derivatives, fits, families and sweeps of steady states and of ordinary equations: against formulas."""

import numpy as np
import pytest

import lrfm

LINE = lrfm.Box(x=(0, 1))
X = np.linspace(0, 1, 41)
HEAT = lrfm.Problem(
    "D*u_xx + q*sin(pi*x) = 0", domain=LINE, boundary="u = 0", parameters={"D": 2.0, "q": 3.0}
)
BRATU = lrfm.Problem("u_xx + lam*exp(u) = 0", domain=LINE, boundary="u = 0", parameters={"lam": 1.0})


def bratu_slope(theta):
    """du(1/2)/dλ of u(1/2) = 2 ln cosh(θ/4), λ = θ²/(2 cosh²(θ/4))."""
    z = theta / 4
    by_theta = theta / np.cosh(z) ** 2 * (1 - z * np.tanh(z))
    return np.tanh(z) / 2 / by_theta


def test_derivatives_of_a_linear_statement(tmp_path):
    solution = lrfm.steady(HEAT, tol=1e-8)
    u = np.sin(np.pi * X) / np.pi**2
    by_d, by_q = solution.linearized().sensitivities(["D", "q"])
    assert np.max(np.abs(by_d(x=X) + 3 * u / 4)) < 1e-10
    assert np.max(np.abs(by_q(x=X) - u / 2)) < 1e-10
    assert by_d.error_estimate < 1e-8
    again = lrfm.load(solution.save(tmp_path / "u.lrfm"))
    assert np.allclose(again.sensitivity("q")(x=X), u / 2, atol=1e-10)


@pytest.mark.parametrize(("theta", "guess"), [(1.0, None), (9.0, "12*x*(1 - x)")])
def test_derivatives_on_both_branches(theta, guess):
    lam = theta**2 / (2 * np.cosh(theta / 4) ** 2)
    solution = lrfm.steady(BRATU.replace(parameters={"lam": lam}), tol=1e-9, guess=guess)
    found = solution.sensitivity("lam")
    assert abs(found(x=0.5) / bratu_slope(theta) - 1) < 1e-8
    assert found.error_estimate < 1e-7


def test_a_derivative_in_the_plane():
    """u = (r² − 1)/(4D) on the disk."""
    problem = lrfm.Problem("D*lap(u) = 1", domain=lrfm.Disk(), boundary="u = 0", parameters={"D": 2.0})
    found = lrfm.steady(problem, tol=1e-4).sensitivity("D")
    assert abs(found(x=0.3, y=0.4) - 0.75 / 16) < 1e-5


def test_a_derivative_of_an_integral_equation():
    """u = c x with c = 3k/4 + c²/4, c = 1 and dc/dk = 3/2 at k = 1."""
    problem = lrfm.Problem(
        "u = 3*k*x/4 + integral(x*y*u(y)**2, y)", domain=LINE, boundary={"*": "none"}, parameters={"k": 1.0}
    )
    assert abs(lrfm.steady(problem, tol=1e-8).sensitivity("k")(x=1.0) - 1.5) < 1e-8


def test_what_the_start_determines_has_no_derivative():
    problem = lrfm.Problem(
        "u_t = u_xx",
        domain=LINE,
        time=(0, 1),
        initial="A + cos(pi*x)",
        boundary="u_n = 0",
        parameters={"A": 2.0},
    )
    with pytest.raises(lrfm.ProblemError, match="has a mean that its start determines"):
        lrfm.steady(problem, tol=1e-3).sensitivity("A")


def test_a_fit_to_a_steady_state(tmp_path):
    """λ = θ²/(2 cosh²(θ/4)) from values with noise."""
    exact = lrfm.steady(BRATU.replace(parameters={"lam": 2.0}), tol=1e-8)(x=X)
    noise = 1e-3 * np.random.default_rng(3).normal(size=len(X))
    data = lrfm.Data(x=X, u=exact + noise, sigma=1e-3)
    found = lrfm.fit(BRATU.replace(parameters={"lam": lrfm.Unknown(0.5)}), data)
    estimate = found.parameters["lam"]
    assert estimate.lower < 2.0 < estimate.upper < 2.01
    assert list(found.where_next(1).places) == ["x"]
    found.plot(tmp_path / "fit.png")
    with pytest.raises(ValueError, match="no column `x`; every measurement needs its place"):
        lrfm.fit(BRATU.replace(parameters={"lam": lrfm.Unknown(0.5)}), lrfm.Data(t=X, u=exact))


def test_a_fit_to_ordinary_equations(tmp_path):
    t = np.linspace(0, 3, 20)
    problem = lrfm.Problem("x_t = -k*x", time=(0, 3), initial=1, parameters={"k": lrfm.Unknown(1.0)})
    values = np.exp(-0.7 * t) + 1e-3 * np.random.default_rng(1).normal(size=20)
    found = lrfm.fit(problem, lrfm.Data(t=t, x=values, sigma=1e-3))
    assert abs(found.parameters["k"].value - 0.7) < 2e-3
    assert list(found.where_next(1).places) == ["t"]
    found.plot(tmp_path / "fit.png")


def test_a_family_of_steady_states(tmp_path):
    found = lrfm.family(HEAT.replace(parameters={"D": lrfm.Range(1, 2), "q": 1.0}), tol=1e-5)
    assert abs(found(x=0.5, D=1.3) - 1 / 1.3 / np.pi**2) < 1e-6
    found.plot(tmp_path / "family.png")
    assert lrfm.load(found.save(tmp_path / "family.lrfm"))(x=0.5, D=1.3) == found(x=0.5, D=1.3)


def test_a_sweep_of_steady_states():
    table = lrfm.sweep(BRATU, grid={"parameters.lam": [0.5, 2.0]}, tol=1e-6)
    assert str(table).count("tolerance met") == 2
