# SPDX-License-Identifier: MIT
"""Needles, plumes, combs, and pulses in time."""

from __future__ import annotations

import numpy as np
from scipy.special import erf

from claims.statement import Dice, Stated, text
from lrfm.problem import Box, Problem

UNIT, SQUARE = Box(x=(0, 1)), Box(x=(0, 1), y=(0, 1))
IMAGES = range(-3, 4)


def kernel(a: np.ndarray, width: float, D: float, t: np.ndarray) -> np.ndarray:
    """e^{−a²/w²} after diffusion."""
    s = width**2 + 4 * D * t
    return width / np.sqrt(s) * np.exp(-(a**2) / s)


def needle(d: Dice) -> Stated:
    """u_t + cu_x = Du_xx on a circle: a thin bump beside a broad one."""
    c, w = d.uniform(-1, 1), d.spread(3e-4, 1e-2)
    D, high = d.spread(0.01, 1.0) * w**2, d.uniform(0.3, 2)
    broad, thin = d.uniform(0.3, 0.4), d.uniform(0.6, 0.9)

    def exact(x, t):
        return sum(
            kernel(x - broad - c * t - n, 0.05, D, t) + high * kernel(x - thin - c * t - n, w, D, t)
            for n in IMAGES
        )

    initial = f"exp(-((x - {broad})/0.05)**2) + {high}*exp(-((x - {thin})/{w})**2)"
    problem = Problem(
        f"u_t + {c}*u_x = {D}*u_xx", domain=UNIT, time=(0, 0.05), initial=initial, boundary="periodic"
    )
    return Stated(
        problem, {"u": exact}, {"x": [thin, np.mod(thin + 0.05 * c, 1), np.mod(thin + 0.025 * c, 1)]}
    )


def hot_wire(d: Dice) -> Stated:
    """u_t = Du_xx from a needle that diffuses away, with nothing lost at the ends."""
    w, D, place = d.spread(3e-4, 5e-3), d.spread(1e-3, 1e-2), d.uniform(0.3, 0.7)

    def exact(x, t):
        return sum(kernel(x - q - 2 * n, w, D, t) for n in IMAGES for q in (place, -place))

    problem = Problem(
        f"u_t = {D}*u_xx",
        domain=UNIT,
        time=(0, 1),
        initial=f"exp(-((x - {place})/{w})**2)",
        boundary="u_n = 0",
    )
    return Stated(problem, {"u": exact}, {"x": [place], "t": [0.0]})


def comb(d: Dice) -> Stated:
    """Several needles on a circle, carried and spread."""
    w, c, places = d.spread(2e-3, 1e-2), d.uniform(-1, 1), d.several(6, 0.05, 0.95)
    D = 0.2 * w**2

    def exact(x, t):
        return sum(kernel(x - q - c * t - n, w, D, t) for n in IMAGES for q in places)

    initial = text(*(f"exp(-((x - {q})/{w})**2)" for q in places))
    problem = Problem(
        f"u_t + {c}*u_x = {D}*u_xx", domain=UNIT, time=(0, 0.2), initial=initial, boundary="periodic"
    )
    return Stated(problem, {"u": exact}, {"x": places})


def pulse_of_heat(d: Dice) -> Stated:
    """u_t = Du_xx + (a pulse in time) sin kπx."""
    D, w, when, k, a = (
        d.spread(1e-3, 3e-2),
        d.spread(1e-5, 1e-2),
        d.uniform(0.2, 0.8),
        d.whole(1, 3),
        d.uniform(0.3, 2),
    )
    r = D * (np.pi * k) ** 2

    def exact(x, t):
        # ∫ e^{−r(t − s)} e^{−(s − T)²/w²} ds a/w
        shift = when + 0.5 * r * w**2
        total = 0.5 * np.sqrt(np.pi) * (erf((t - shift) / w) + erf(shift / w))
        gained = a * np.exp(-r * (t - when) + 0.25 * (r * w) ** 2) * total
        return np.exp(-D * np.pi**2 * t) * np.sin(np.pi * x) + gained * np.sin(np.pi * k * x)

    problem = Problem(
        f"u_t = {D}*u_xx + {a / w}*exp(-((t - {when})/{w})**2)*sin({k}*pi*x)", domain=UNIT, time=(0, 1),
        initial="sin(pi*x)", boundary="u = 0",
    )  # fmt: skip
    return Stated(problem, {"u": exact}, {"t": [when]})


def pulse_at_the_inflow(d: Dice) -> Stated:
    """u_t + cu_x = 0: a short signal enters."""
    c, w, when = d.uniform(0.5, 2), d.spread(2e-3, 2e-2), d.uniform(0.2, 0.5)
    signal = lambda t: 0.3 * np.cos(3 * t) + np.exp(-(((t - when) / w) ** 2))  # noqa: E731
    problem = Problem(
        f"u_t + {c}*u_x = 0", domain=UNIT, time=(0, 1), initial=f"0.3*cos(3*x/{c})",
        boundary={"x-": f"u = 0.3*cos(3*t) + exp(-((t - {when})/{w})**2)", "x+": None},
    )  # fmt: skip
    return Stated(
        problem, {"u": lambda x, t: signal(t - x / c)}, {"x": [0.25, 0.5, 0.75], "t": [when, when + 0.5 / c]}
    )


def kicked_string(d: Dice) -> Stated:
    """u_tt = u_xx on a circle, struck by a thin hammer while it rings."""
    w, place = d.spread(2e-3, 2e-2), d.uniform(0.3, 0.7)

    def exact(x, t):
        struck = sum(erf((x - place - n + t) / w) - erf((x - place - n - t) / w) for n in IMAGES)
        return np.sin(2 * np.pi * x) * np.cos(2 * np.pi * t) + struck

    problem = Problem(
        "u_tt = u_xx", domain=UNIT, time=(0, 0.25), boundary="periodic",
        initial={"u": "sin(2*pi*x)", "u_t": f"{4 / (np.sqrt(np.pi) * w)}*exp(-((x - {place})/{w})**2)"},
    )  # fmt: skip
    return Stated(problem, {"u": exact}, {"x": [place]})


def plume(d: Dice) -> Stated:
    """Two plumes in a plane flow, a thin one beside a broad one."""
    c, e, w = d.uniform(-0.5, 0.5), d.uniform(-0.5, 0.5), d.spread(0.015, 0.04)
    D, high = d.spread(0.02, 0.2) * w**2, d.uniform(0.5, 2)
    big, small = (d.uniform(0.25, 0.4), d.uniform(0.25, 0.4)), (d.uniform(0.6, 0.8), d.uniform(0.6, 0.8))

    def spot(x, y, t, place, width):
        p, q = (
            sum(kernel(z - s - v * t - n, width, D, t) for n in range(-1, 2))
            for z, s, v in zip((x, y), place, (c, e), strict=True)
        )
        return p * q

    def exact(x, y, t):
        return spot(x, y, t, big, 0.045) + high * spot(x, y, t, small, w)

    bump = lambda place, width: f"exp(-((x - {place[0]})**2 + (y - {place[1]})**2)/{width**2})"  # noqa: E731
    problem = Problem(
        f"u_t + {c}*u_x + {e}*u_y = {D}*lap(u)", domain=SQUARE, time=(0, 0.2), boundary="periodic",
        initial=f"{bump(big, 0.045)} + {high}*{bump(small, w)}",
    )  # fmt: skip
    return Stated(problem, {"u": exact}, {"x": [small[0]], "y": [small[1]]})


def hot_spot(d: Dice) -> Stated:
    """u_t = Du_xx + s, a thin source inside; manufactured: u = (1 − e^{−3t}) e^{−(x − p)²/w²} + sin πx."""
    D, w, p = d.spread(1e-3, 1e-2), d.spread(1e-3, 1e-2), d.uniform(0.3, 0.7)

    def exact(x, t):
        return (1 - np.exp(-3 * t)) * np.exp(-(((x - p) / w) ** 2)) + np.sin(np.pi * x)

    bump, ramp = f"exp(-((x - {p})/{w})**2)", "(1 - exp(-3*t))"
    curve = f"(4*(x - {p})**2/{w**4} - {2 / w**2})*{bump}"
    problem = Problem(
        f"u_t = {D}*u_xx + 3*exp(-3*t)*{bump} - {D}*{ramp}*{curve} + {D}*pi**2*sin(pi*x)", domain=UNIT, time=(0, 1),
        initial="sin(pi*x)", boundary="u = 0",
    )  # fmt: skip
    return Stated(problem, {"u": exact}, {"x": [p]})


def spark(d: Dice) -> Stated:
    """A source that is thin in space and in time; manufactured: u = sin πx + (erf((t − s)/v) + 1) e^{−(x − p)²/w²}/2."""
    D, w, v, p, s = (
        d.spread(1e-4, 1e-3),
        d.spread(3e-3, 3e-2),
        d.spread(1e-3, 3e-2),
        d.uniform(0.3, 0.7),
        d.uniform(0.3, 0.7),
    )

    def exact(x, t):
        return np.sin(np.pi * x) + 0.5 * (1 + erf((t - s) / v)) * np.exp(-(((x - p) / w) ** 2))

    bump, ramp = f"exp(-((x - {p})/{w})**2)", f"0.5*(1 + erf((t - {s})/{v}))"
    curve = f"(4*(x - {p})**2/{w**4} - {2 / w**2})*{bump}"
    rate = f"{1 / (np.sqrt(np.pi) * v)}*exp(-((t - {s})/{v})**2)"
    problem = Problem(
        f"u_t = {D}*u_xx + {rate}*{bump} - {D}*{ramp}*{curve} + {D}*pi**2*sin(pi*x)", domain=UNIT, time=(0, 1),
        initial="sin(pi*x)", boundary="u = 0",
    )  # fmt: skip
    return Stated(problem, {"u": exact}, {"x": [p], "t": [s]})


MAKERS = (needle, hot_wire, comb, pulse_of_heat, pulse_at_the_inflow, kicked_string, plume, hot_spot, spark)
