# SPDX-License-Identifier: MIT
"""What travels on a circle by many of its widths: solitons, pulses and needles, each with its solution in closed form."""

from __future__ import annotations

import math

import numpy as np

from field.record import Statement, goals
from lrfm.problem import Box, Problem

GROUP = "travels"
HALF = 20 * math.pi / 3  # of the circle of the Schrödinger soliton, on which e^{3ix} closes


def _round(x: np.ndarray, low: float, high: float) -> np.ndarray:
    return low + np.mod(x - low, high - low)


def _circle(equation: str, low: float, high: float, span: float, initial: object, **more: object) -> Problem:
    """A statement on a circle whose data have tails below rounding where it closes."""
    given = {"domain": Box(x=(low, high)), "time": (0, span), "boundary": "periodic", "check_corners": False}
    return Problem(equation, initial=initial, **{**given, **more})  # type: ignore[arg-type]


def kdv_soliton() -> Problem:
    """u_t + 6 u u_x + u_xxx = 0,  u⋆ = 2 sech²(x − 20 − 4t): once around a circle of 40."""

    def exact(x: np.ndarray, t: np.ndarray) -> np.ndarray:
        return 2 / np.cosh(_round(x - 4 * t, 0, 40) - 20) ** 2

    return _circle(
        "u_t + 6*u*u_x + u_xxx = 0", 0, 40, 10, "2*sech(x - 20)**2", reference=exact, name="soliton-kdv"
    )


def nls_soliton() -> Problem:
    """i ψ_t + ½ ψ_xx + |ψ|²ψ = 0,  ψ⋆ = 2 sech(2(x − 3t)) e^{i(3x − 5t/2)}: an envelope, and a phase that turns."""

    def exact(x: np.ndarray, t: np.ndarray) -> np.ndarray:
        return 2 / np.cosh(2 * _round(x - 3 * t, -HALF, HALF)) * np.exp(1j * (3 * x - 2.5 * t))

    return _circle(
        "1j*u_t + 0.5*u_xx + abs(u)**2*u = 0",
        -HALF,
        HALF,
        5,
        "2*sech(2*x)*exp(3j*x)",
        unknowns={"u": complex},
        reference=exact,
        name="soliton-nls",
    )


def needle() -> Problem:
    """u_t + u_x = 0,  u⋆ = e^{−((x − t − ½)/0.001)²}: five times around, by five thousand of its widths."""

    def exact(x: np.ndarray, t: np.ndarray) -> np.ndarray:
        return np.exp(-(((_round(x - t, 0, 1) - 0.5) / 1e-3) ** 2))

    start = "exp(-((x - 0.5)/0.001)**2)"
    return _circle("u_t + u_x = 0", 0, 1, 5, start, reference=exact, name="needle-carried")


def pulse() -> Problem:
    """u_tt = u_xx,  u⋆ = e^{−(x − t)²/0.005}: one half of what d'Alembert has, five times around."""

    def exact(x: np.ndarray, t: np.ndarray) -> np.ndarray:
        return np.exp(-(_round(x - t, -1, 1) ** 2) / 0.005)

    start = {"u": "exp(-x**2/0.005)", "u_t": "400*x*exp(-x**2/0.005)"}
    return _circle("u_tt = u_xx", -1, 1, 10, start, reference=exact, name="pulse-wave")


def plume() -> Problem:
    """u_t + u_x + ½ u_y = 0.001 Δu on a torus: a Gaussian that is carried and spreads."""

    def along(x: np.ndarray, t: np.ndarray, speed: float) -> np.ndarray:
        wide = 0.003 + 0.004 * t
        rounds = (_round(x - speed * t, 0, 1) - 0.5 + k for k in (-2, -1, 0, 1, 2))
        return np.sqrt(0.003 / wide) * sum(np.exp(-(r**2) / wide) for r in rounds)

    def exact(x: np.ndarray, y: np.ndarray, t: np.ndarray) -> np.ndarray:
        return along(x, t, 1.0) * along(y, t, 0.5)

    return _circle(
        "u_t + u_x + 0.5*u_y = 0.001*lap(u)",
        0,
        1,
        2,
        "exp(-((x - 0.5)**2 + (y - 0.5)**2)/0.003)",
        domain=Box(x=(0, 1), y=(0, 1)),
        reference=exact,
        name="plume-carried",
    )


STATEMENTS = tuple(
    Statement(name=name, group=GROUP, build=build, wanted=goals(*wanted), mark="-")
    for name, build, wanted in (
        ("soliton-kdv", kdv_soliton, (1e-3, 1e-6, 1e-9)),
        ("soliton-nls", nls_soliton, (1e-3, 1e-6)),
        ("needle-carried", needle, (1e-3, 1e-6)),
        ("pulse-wave", pulse, (1e-6, 1e-9)),
        ("plume-carried", plume, (1e-4, 1e-6)),
    )
)
