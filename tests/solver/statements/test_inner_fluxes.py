# SPDX-License-Identifier: MIT
"""Conductivities and moduli that jump, as text: the same as layers, as eigenfunctions, and as what is conserved."""

import numpy as np
import pytest
from scipy.optimize import brentq

import lrfm

X = np.linspace(0, 1, 101)


def two_materials(equation, initial, rate):
    """u = e^(rate t) φ(x) with φ of k φ″ = −ω² φ, k = 1 below 1/2 and 1/4 above: sin ωx and b sin 2ω(1 − x)."""
    omega = brentq(lambda w: np.cos(w / 2) * np.sin(w) + 0.5 * np.sin(w / 2) * np.cos(w), 1.7, 2.6)
    b = float(np.sin(omega / 2) / np.sin(omega))
    shape = f"where(x < 0.5, sin({omega!r}*x), {b!r}*sin(2*{omega!r}*(1 - x)))"
    data = initial(shape)
    problem = lrfm.Problem(
        equation,
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 1),
        initial=data,
        boundary="u = 0",
        parameters={"k": "where(x < 0.5, 1, 1/4)"},
    )
    exact = np.where(X < 0.5, np.sin(omega * X), b * np.sin(2 * omega * (1 - X)))
    return problem, lambda t: rate(omega, t) * exact


@pytest.mark.parametrize(
    ("equation", "initial", "rate"),
    [
        ("u_t = diff(k*u_x, x)", lambda shape: shape, lambda w, t: np.exp(-(w**2) * t)),
        ("u_tt = diff(k*u_x, x)", lambda shape: {"u": shape, "u_t": "0"}, lambda w, t: np.cos(w * t)),
    ],
)
def test_eigenfunctions_of_two_materials(equation, initial, rate):
    problem, exact = two_materials(equation, initial, rate)
    solution = lrfm.solve(problem, tol=1e-6)
    for t in (0.1, 0.5, 1.0):
        wrong = np.max(np.abs(solution(x=X, t=t) - exact(t)))
        assert wrong <= 20 * solution.report.error_estimate <= 2e-5


def test_text_and_layers_are_one_statement():
    """Not the value alone: what is said about initial data and a source, too."""
    same = {"time": (0, 0.2), "initial": "x*(1 - x)"}
    text = lrfm.solve(
        lrfm.Problem(
            "c*u_t = diff(k*u_x, x) + sin(3*x)",
            domain=lrfm.Box(x=(0, 1)),
            boundary="u = 0",
            parameters={"k": "where(x < 0.3, 1, where(x < 0.7, 0.01, 2))", "c": "where(x < 0.3, 2, 1)"},
            **same,
        ),
        tol=1e-6,
    )
    cut = (0, 0.3, 0.7, 1)
    layers = {name: lrfm.Box(x=ends) for name, *ends in zip("abc", cut, cut[1:], strict=False)}
    by_layer = lrfm.solve(
        lrfm.Problem(
            "c*u_t = diff(k*u_x, x) + sin(3*x)",
            domain=lrfm.Layers(**layers),
            boundary={"*": "u = 0"},
            parameters={"k": {"a": 1, "b": 0.01, "c": 2}, "c": {"a": 2, "b": 1, "c": 1}},
            **same,
        ),
        tol=1e-6,
    )
    assert np.max(np.abs(text(x=X, t=0.2) - by_layer(x=X, t=0.2))) < 1e-6


def test_what_no_end_lets_out_is_kept():
    """∫ u dx of a sealed bar, around a circle and between walls, with steps of conductivity of 1:100."""
    for boundary in ("periodic", "u_n = 0"):
        problem = lrfm.Problem(
            "u_t = diff(k*u_x, x)",
            domain=lrfm.Box(x=(0, 1)),
            time=(0, 0.5),
            initial="1 + 0.5*cos(2*pi*x)",
            boundary=boundary,
            parameters={"k": "where(abs(x - 0.5) < 0.2, 0.01, 1)"},
        )
        solution = lrfm.solve(problem, tol=1e-6)
        assert solution.integral("u")(t=0.5) == pytest.approx(1.0, abs=1e-6)


def test_rest_and_derivative_by_a_conductivity():
    """(k u′)′ + 1 = 0: u by formula, and u_t = (q k u′)′ by q as a difference of two solves."""
    rest = lrfm.steady(
        lrfm.Problem(
            "diff(k*u_x, x) + 1 = 0",
            domain=lrfm.Box(x=(0, 1)),
            boundary="u = 0",
            parameters={"k": "where(x < 0.4, 1, 10)"},
        ),
        tol=1e-8,
    )
    # k u′ = c − x, and u(1) = 0 gives c.
    c = (0.08 + 0.042) / (0.4 + 0.06)
    assert rest(x=0.4) == pytest.approx(0.4 * c - 0.08, rel=1e-9)

    def bar(q, tol):
        return lrfm.solve(
            lrfm.Problem(
                "u_t = diff(q*where(x < 0.4, 1, 10)*u_x, x)",
                domain=lrfm.Box(x=(0, 1)),
                time=(0, 0.1),
                initial="sin(pi*x)",
                boundary="u = 0",
                parameters={"q": q},
            ),
            tol=tol,
        )

    slope = bar(1.0, 1e-5).sensitivity("q")(x=0.3, t=0.1)
    quotient = (bar(1.001, 1e-9)(x=0.3, t=0.1) - bar(0.999, 1e-9)(x=0.3, t=0.1)) / 0.002
    assert slope == pytest.approx(quotient, rel=1e-4)
