"""Unknowns along which the solution is a straight line: found as such, eliminated, solved for once; and fits that begin from another one."""

import numpy as np
import pytest

import lrfm
from lrfm import Box, Data, Problem, Unknown, UnknownField
from lrfm.inverse.model import Model
from lrfm.inverse.observe import observations
from lrfm.inverse.vector import Vector

LINE = Box(x=(0, 1))
X, T = (a.ravel() for a in np.meshgrid(np.linspace(0.1, 0.9, 9), [0.1, 0.3, 0.5]))
NOISE = np.random.default_rng(5).normal(size=X.size)


def model(equation, initial, column="u", boundary="u = 0", **parameters):
    problem = Problem(
        equation, domain=LINE, time=(0, 0.5), initial=initial, boundary=boundary, parameters=parameters
    )
    return Model(Vector.of(problem), observations(problem, [Data({"x": X, "t": T, column: 0 * X})]))


@pytest.mark.parametrize(
    ("made", "linear"),
    [
        (lambda: model("u_t = k*u_xx + s*x", "A*sin(pi*x)", k=Unknown(1.0), s=Unknown(1.0), A=Unknown(1.0)), [0, 1, 1]),
        (lambda: model("u_t = u_xx + a*b*x", "0", a=Unknown(1.0), b=Unknown(1.0)), [1, 0]),
        (lambda: model("u_t = u_xx - u**2", "A*sin(pi*x)", A=Unknown(1.0)), [0]),
        (lambda: model("u_t = u_xx + s", "0", column="s*u", s=Unknown(1.0)), [0]),
        (lambda: model("u_t = u_xx", "0", column="u**2", boundary={"x-": "u_x = g", "x+": "u = 0"}, g=Unknown(1.0)), [0]),
        (lambda: model("u_t = u_xx", "0", boundary={"x-": "u_x = g*t", "x+": "u = 0"}, g=Unknown(1.0)), [1]),
        (lambda: model("u_t = u_xx + f", "0", f=UnknownField("x", modes=3)), [1, 1, 1]),
        (lambda: model("u_t = diff(f*u_x, x)", "sin(pi*x)", f=UnknownField("x", start=1, modes=3)), [0, 0, 0]),
    ],
)  # fmt: skip
def test_which_unknowns_are_linear(made, linear):
    assert list(made().linear) == [bool(v) for v in linear]


def test_a_straight_line_is_solved_for_once():
    """u = A s₁ + B s₂: one solve gives everything, a second one is near; it is what least squares gives."""
    problem = Problem(
        "u_t = 0.3*u_xx", domain=LINE, time=(0, 0.5), initial="A*sin(pi*x) + B*sin(2*pi*x)", boundary="u = 0",
        parameters={"A": Unknown(-50.0), "B": Unknown(1e3)},
    )  # fmt: skip
    parts = [np.exp(-0.3 * (k * np.pi) ** 2 * T) * np.sin(k * np.pi * X) for k in (1, 2)]
    values = parts[0] - 0.5 * parts[1] + 0.01 * NOISE
    fit = lrfm.fit(problem, Data(x=X, t=T, u=values, sigma=0.01))
    exact = np.linalg.lstsq(np.column_stack(parts), values, rcond=None)[0]
    assert fit.judgement.solves <= 2
    assert [fit.parameters[n].value for n in "AB"] == pytest.approx(exact, rel=1e-4)


def test_a_bad_start_of_a_linear_unknown_does_no_harm():
    """A from 1e4 while k is nonlinear: A is eliminated before k is moved."""
    problem = Problem(
        "u_t = k*u_xx", domain=LINE, time=(0, 0.5), initial="A*sin(pi*x)", boundary="u = 0",
        parameters={"k": Unknown(1.0, lower=0), "A": Unknown(1e4)},
    )  # fmt: skip
    values = np.exp(-0.3 * np.pi**2 * T) * np.sin(np.pi * X)
    fit = lrfm.fit(problem, Data(x=X, t=T, u=values + 1e-3 * NOISE, sigma=1e-3))
    assert fit.parameters["k"].value == pytest.approx(0.3, abs=3e-3)
    assert fit.parameters["A"].value == pytest.approx(1.0, abs=3e-3)


def test_a_fit_that_begins_from_another_one():
    """Other noise at the same places: the same answer as from the start, with less work; other places are allowed, another statement is not."""
    problem = Problem(
        "u_t = k*u_xx - u**3", domain=LINE, time=(0, 0.5), initial="sin(pi*x)", boundary="u = 0",
        parameters={"k": Unknown(1.0, lower=0)},
    )  # fmt: skip
    truth = lrfm.solve(problem.replace(parameters={"k": 0.3}), tol=1e-8)(x=X, t=T)
    one, two = (Data(x=X, t=T, u=truth + 0.01 * n, sigma=0.01) for n in (NOISE, NOISE[::-1]))
    first = lrfm.fit(problem, one)
    full, again = lrfm.fit(problem, two), lrfm.fit(problem, two, start=first)
    assert again.parameters["k"].value == pytest.approx(
        full.parameters["k"].value, abs=1e-3 * full.parameters["k"].half
    )
    assert again.parameters["k"].half == pytest.approx(full.parameters["k"].half, rel=1e-2)
    assert again.judgement.solves < full.judgement.solves / 2
    fewer = Data(x=X[:20], t=T[:20], u=truth[:20] + 0.01 * NOISE[:20], sigma=0.01)
    other = lrfm.fit(problem, fewer, start=first)
    assert abs(other.parameters["k"].value - 0.3) < 2 * other.parameters["k"].half
    with pytest.raises(ValueError, match="`start` must be a fit of the same problem"):
        lrfm.fit(problem.replace(initial="sin(2*pi*x)"), two, start=first)
