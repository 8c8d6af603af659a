# SPDX-License-Identifier: MIT
"""Leaps: linear equations that stay the same in time, by exponentials and by steps of one matrix."""

import numpy as np
from scipy.linalg import expm

import lrfm
from lrfm.problem import Box, Jet, Problem

U = Jet("u", (0, 0))


def truth(matrix, source, q, t):
    """e^{Gt} q + ∫ e^{G(t−s)} f ds, from one exponential of a larger matrix."""
    whole = np.zeros((len(q) + 1,) * 2)
    whole[:-1, :-1], whole[:-1, -1] = matrix, source
    return (expm(t * whole) @ [*q, 1.0])[:-1]


def test_what_does_not_move_stays():
    problem = Problem(
        "u_t = 0*u_xx", domain=Box(x=(0, 1)), time=(0, 1), initial="sin(2*pi*x)", boundary="periodic"
    )
    solution = lrfm.solve(problem, tol=1e-8)
    x = np.linspace(0, 1, 17)
    np.testing.assert_allclose(solution["u"](x=x, t=0.7), np.sin(2 * np.pi * x), atol=1e-8)


STATEMENTS = {
    "heat, held at one end": ("u_t = u_xx + 3", "x*(2 - x)", {"x-": "u = 0", "x+": "u_x = 0"}),
    "insulated, heated": ("u_t = u_xx + 2", "cos(pi*x)", "u_n = 0"),
    "a wave that drifts": ("u_tt = u_xx", {"u": "cos(2*pi*x)", "u_t": "1 + sin(2*pi*x)"}, "periodic"),
    "a mass that is no number": ("u_t - 0.1*u_xxt = u_xx", "sin(pi*x)", "u = 0"),
    "an unknown without a rate": (["u_t = w_x", "w = u_x - u"], {"u": "sin(2*pi*x)"}, "periodic"),
    "a condition with a rate": (
        "u_t = u_xx",
        "cos(x)",
        {"x-": "u_x = 0", "x+": "u_t + u_x = -sin(1) - cos(1)"},
    ),
    "walls that absorb": (
        "u_tt = u_xx",
        {"u": "exp(-80*(x - 0.5)**2)", "u_t": "0"},
        {"x-": "u_t - u_x = 0", "x+": "u_t + u_x = 0"},
    ),
}


def test_a_wave_is_kept_in_a_file(tmp_path):
    problem = Problem(
        "u_tt = u_xx - u",
        domain=Box(x=(0, 1)),
        time=(0, 5),
        initial={"u": "sin(pi*x)", "u_t": "0"},
        boundary="u = 0",
    )
    solution = lrfm.solve(problem, tol=1e-8)
    solution.save(tmp_path / "wave.lrfm")
    again = lrfm.load(tmp_path / "wave.lrfm")
    x, t = np.random.default_rng(1).random((2, 50)) * [[1.0], [5.0]]
    np.testing.assert_array_equal(solution["u"](x=x, t=t), again["u"](x=x, t=t))
    speed = np.sqrt(1 + np.pi**2)
    np.testing.assert_allclose(again["u"](x=x, t=t), np.sin(np.pi * x) * np.cos(speed * t), atol=1e-8)
