# SPDX-License-Identifier: MIT
"""Manufactured statements of every kind, and the true error of an answer."""

import numpy as np

from lrfm.problem import Box, Jet, Problem
from lrfm.rows.pieces import values_at as evaluate

FIELD = "(a*sin(2*x + t) + b*cos(3*x - 2*t))"
RATE = "(a*cos(2*x + t) + 2*b*sin(3*x - 2*t))"
SECOND = "(-4*a*sin(2*x + t) - 9*b*cos(3*x - 2*t))"
SLOPE_END = "(2*a*cos(2 + t) - 3*b*sin(3 - 2*t))"
VALUE_END = "(a*sin(2 + t) + b*cos(3 - 2*t))"
VALUE_START = "(a*sin(t) + b*cos(2*t))"
SLOPE_START = "(2*a*cos(t) + 3*b*sin(2*t))"
INITIAL = "a*sin(2*x) + b*cos(3*x)"
DIRICHLET_NEUMANN = {"x-": f"u = {VALUE_START}", "x+": f"u_x = {SLOPE_END}"}

KINDS = {
    "values and slopes": (f"u_t = u_xx + {RATE} - {SECOND}", INITIAL, DIRICHLET_NEUMANN),
    "radiation": (
        f"u_t = u_xx + {RATE} - {SECOND}",
        INITIAL,
        {
            "x-": f"u_x - 2*u = {SLOPE_START} - 2*{VALUE_START}",
            "x+": f"u_x = {SLOPE_END} + {VALUE_END}**4 - u**4",
        },
    ),
    "second order in time": (
        f"u_tt = u_xx + (-a*sin(2*x + t) - 4*b*cos(3*x - 2*t)) - {SECOND}",
        {"u": INITIAL, "u_t": "a*cos(2*x) + 2*b*sin(3*x)"},
        DIRICHLET_NEUMANN,
    ),
    "a coefficient of the rate": (
        f"(1 + x**2 + u**2)*u_t = u_xx + (1 + x**2 + {FIELD}**2)*{RATE} - {SECOND}",
        INITIAL,
        DIRICHLET_NEUMANN,
    ),
    "a derivative of the rate": (
        f"u_t - 0.1*u_xxt = u_xx + {RATE} - {SECOND} - 0.1*(-4*a*cos(2*x + t) - 18*b*sin(3*x - 2*t))",
        INITIAL,
        DIRICHLET_NEUMANN,
    ),
    "an unknown without a rate": (
        [f"u_t = w + {RATE} - {SECOND}", "w = u_xx"],
        {"u": INITIAL},
        {"x-": f"u = {VALUE_START}", "x+": f"u_x = {SLOPE_END}"},
    ),
    "outflow": (
        f"u_t + (1 + x)*u_x = {RATE} + (1 + x)*(2*a*cos(2*x + t) - 3*b*sin(3*x - 2*t))",
        INITIAL,
        {"x-": f"u = {VALUE_START}", "x+": None},
    ),
}


def field(x, t, a, b):
    return a * np.sin(2 * x + t) + b * np.cos(3 * x - 2 * t)


def manufactured(kind, seed=0):
    """A statement of one kind with random coefficients, and its exact solution."""
    equation, initial, boundary = KINDS[kind]
    a, b = np.random.default_rng(seed).uniform(0.3, 1.0, 2)
    problem = Problem(
        equation,
        domain=Box(x=(0, 1)),
        time=(0, 0.7),
        initial=initial,
        boundary=boundary,
        parameters={"a": a, "b": b},
    )
    return problem, {"u": lambda x, t: field(x, t, a, b)}


def true_error(problem, pieces, exact):
    """Relative L² over space and time, the worst unknown."""
    rng = np.random.default_rng(7)
    box, (t0, t1) = problem.domain, problem.time
    points = rng.random((3000, box.dimension + 1))
    points[:, :-1] = box.lower + (box.upper - box.lower) * points[:, :-1]
    points[:, -1] = t0 + (t1 - t0) * points[:, -1]
    worst = 0.0
    for name, function in exact.items():
        jets = [Jet(f, (0,) * (box.dimension + 1)) for f in problem.fields_of(name)]
        values = evaluate(pieces, jets, points)
        u = values[jets[0]] if len(jets) == 1 else values[jets[0]] + 1j * values[jets[1]]
        wanted = function(*points.T)
        worst = max(worst, np.linalg.norm(u - wanted) / np.linalg.norm(wanted))
    return worst
