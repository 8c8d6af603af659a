# SPDX-License-Identifier: MIT
"""Statements on which no success may be claimed: ill-posed, with a shock, contradictory, overdetermined."""

from __future__ import annotations

import harness  # noqa: F401  (sets the number of threads)
import numpy as np

from lrfm import catalog
from lrfm.problem import Box, Problem

LINE, UNIT = Box(x=(-1, 1)), Box(x=(0, 1))
SIGN, ILL, SHOCK, NONE = (
    "wrong sign of diffusion",
    "ill-posed",
    "shock in the window",
    "no solution up to the end",
)
DATA, MANY = "contradictory data", "overdetermined"

# name: (kind, equation, domain, end in time, initial data, boundary, further arguments)
STATEMENTS = {
    # From a Gaussian of width 0.2, whose backward solution ends at t = 0.01, within the window.
    "backward-heat-bump": (SIGN, "u_t = -u_xx", LINE, 0.05, "exp(-25*x**2)", "periodic", {"check_corners": False}),
    # e^{Dπ²t} sin πx exists, but every rounding error grows without bound.
    "backward-heat-sine": (
        SIGN, "u_t = -D*u_xx", LINE, 0.5, "sin(pi*x)", "u = 0",
        {"parameters": {"D": 0.5}, "reference": lambda x, t: np.exp(0.5 * np.pi**2 * t) * np.sin(np.pi * x)},
    ),
    # Allen-Cahn with the sign of its diffusion changed.
    "backward-reaction": (
        SIGN, "u_t = -eps*u_xx - u**3 + u", LINE, 1, "0.55*sin(pi*x) + 0.25*exp(cos(pi*x))/2.7", "periodic",
        {"parameters": {"eps": 0.1}},
    ),
    "backward-plane": (
        SIGN, "u_t = -D*lap(u)", Box(x=(0, 1), y=(0, 1)), 0.5, "x*(1 - x)*y*(1 - y)*exp(2*x)", "u = 0",
        {"parameters": {"D": 0.2}},
    ),
    # Elliptic in time (Hadamard); from 1/(1.2 + cos) it ends at t = 0.1.
    "elliptic-in-time": (ILL, "u_tt = -u_xx", UNIT, 0.5, {"u": "1/(1.2 + cos(2*pi*x))", "u_t": 0}, "periodic", {}),
    # The wave breaks at t = 1/π; in the second statement that is the last tenth of the window only.
    "shock": (SHOCK, "u_t + u*u_x = 0", LINE, 0.6, "-sin(pi*x)", "periodic", {}),
    "shock-late": (SHOCK, "u_t + u*u_x = 0", LINE, 0.35, "-sin(pi*x)", "periodic", {}),
    # A fast inflow overtakes what is ahead of it.
    "shock-inflow": (
        SHOCK, "u_t + u*u_x = 0", Box(x=(0, 2)), 2, "1", {"x-": "u = 1.5 - 0.5*cos(6*t)", "x+": None}, {},
    ),
    # Infinite well before the end.
    "blow-up": (NONE, "u_t = 0.1*u_xx + u**2", UNIT, 0.5, "20*sin(pi*x)", "u = 0", {}),
    # u = 0 at the ends and u = 1 inside at the start.
    "jump-at-corner": (DATA, "u_t = u_xx", UNIT, 0.1, "1 + 0.5*sin(pi*x)", "u = 0", {"check_corners": False}),
    # An inflow of 1 into a field that starts at 0: the jump travels through the box.
    "jump-at-inflow": (
        DATA, "u_t + u_x = 0", UNIT, 0.5, "0", {"x-": "u = 1", "x+": None},
        {"check_corners": False, "reference": lambda x, t: np.where(x < t, 1.0, 0.0)},
    ),
    # Transport around a circle of initial data that do not close.
    "periodic-with-jump": (
        DATA, "u_t + u_x = 0", UNIT, 0.5, "x", "periodic",
        {"check_corners": False, "reference": lambda x, t: np.mod(x - t, 1.0)},
    ),
    # Two conditions too many.
    "value-and-flux": (MANY, "u_t = u_xx", UNIT, 0.1, "sin(pi*x)**2", ["u = 0", "u_n = 0"], {}),
    # A value at the outflow, which the flow contradicts.
    "fixed-outflow": (MANY, "u_t + u_x = 0", UNIT, 0.8, "sin(pi*x)", "u = 0", {}),
    # A string held at both ends whose slope at one end is given as well.
    "fixed-wave": (
        MANY, "u_tt = u_xx", UNIT, 1, {"u": "sin(pi*x)", "u_t": 0}, {"x-": "u = 0", "x+": ["u = 0", "u_x = -pi"]}, {},
    ),
}  # fmt: skip
# The catalog's `kdv` is periodic, with a soliton that is not.
CASES = {**{name: kind for name, (kind, *_) in STATEMENTS.items()}, "kdv-as-printed": DATA}


def build(name: str) -> Problem:
    """The statement called `name`."""
    if name == "kdv-as-printed":
        return catalog.kdv()
    _, equation, domain, end, initial, boundary, more = STATEMENTS[name]
    return Problem(equation, domain=domain, time=(0, end), initial=initial, boundary=boundary, **more)
