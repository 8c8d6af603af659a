# SPDX-License-Identifier: MIT
"""What is small and easily lost: high harmonics, tracers, ripples, unknowns of different sizes."""

from __future__ import annotations

import numpy as np

from claims.statement import Dice, Stated, text
from lrfm.problem import Box, Problem

UNIT, SQUARE = Box(x=(0, 1)), Box(x=(0, 1), y=(0, 1))


def overtone(d: Dice) -> Stated:
    """u_tt = u_xx: a string with a little of a high harmonic."""
    k, a = d.whole(20, 80), d.spread(5e-4, 2e-2)

    def exact(x, t):
        return np.sin(np.pi * x) * np.cos(np.pi * t) + a * np.sin(np.pi * k * x) * np.cos(np.pi * k * t)

    problem = Problem(
        "u_tt = u_xx", domain=UNIT, time=(0, 1), boundary="u = 0",
        initial={"u": f"sin(pi*x) + {a}*sin({k}*pi*x)", "u_t": "0"},
    )  # fmt: skip
    return Stated(problem, {"u": exact})


def ripple(d: Dice) -> Stated:
    """u_t + cu_x = 0 on a circle: a long wave with a short one."""
    c, k, a = d.uniform(-1, 1), d.whole(40, 240), d.spread(1e-3, 2e-2)

    def exact(x, t):
        s = 2 * np.pi * (x - c * t)
        return np.cos(s) + a * np.cos(k * s)

    problem = Problem(
        f"u_t + {c}*u_x = 0", domain=UNIT, time=(0, 0.5), boundary="periodic",
        initial=f"cos(2*pi*x) + {a}*cos({2 * k}*pi*x)",
    )  # fmt: skip
    return Stated(problem, {"u": exact})


def rough_bar(d: Dice) -> Stated:
    """u_t = Du_xx: short waves that decay at once and a long one that stays."""
    D, k, a = d.spread(1e-4, 1e-3), [d.whole(30, 120) for _ in range(3)], d.several(3, 0.003, 0.03)

    def exact(x, t):
        short = sum(
            A * np.exp(-D * (np.pi * K) ** 2 * t) * np.sin(np.pi * K * x) for K, A in zip(k, a, strict=True)
        )
        return np.exp(-D * np.pi**2 * t) * np.sin(np.pi * x) + short

    initial = text("sin(pi*x)", *(f"{A}*sin({K}*pi*x)" for K, A in zip(k, a, strict=True)))
    problem = Problem(f"u_t = {D}*u_xx", domain=UNIT, time=(0, 0.5), initial=initial, boundary="u = 0")
    return Stated(problem, {"u": exact})


def tracer(d: Dice) -> Stated:
    """a_t = Da_xx − ka, b_t = Db_xx + qka: what a little of the parent becomes, from nothing."""
    D, k, q, n = d.spread(1e-3, 3e-2), d.spread(0.1, 2), d.spread(1e-6, 1e-1), d.whole(1, 3)
    r = D * (np.pi * n) ** 2

    def parent(x, t):
        return np.exp(-k * t) * (1 + 0.5 * np.exp(-r * t) * np.cos(np.pi * n * x))

    def child(x, t):
        return q * (1 - np.exp(-k * t)) * (1 + 0.5 * np.exp(-r * t) * np.cos(np.pi * n * x))

    problem = Problem(
        [f"a_t = {D}*a_xx - {k}*a", f"b_t = {D}*b_xx + {q * k}*a"], domain=UNIT, time=(0, 1),
        initial={"a": f"1 + 0.5*cos({n}*pi*x)", "b": "0"}, boundary=["a_n = 0", "b_n = 0"],
    )  # fmt: skip
    return Stated(problem, {"a": parent, "b": child})


def sharp_tracer(d: Dice) -> Stated:
    """a is smooth; b, far smaller, is fed where a thin reaction takes place."""
    D, q, w, p = d.spread(1e-5, 1e-3), d.spread(1e-4, 1e-2), d.spread(3e-3, 3e-2), d.uniform(0.3, 0.7)

    def parent(x, t):
        return 1 + 0.5 * np.exp(-D * np.pi**2 * t) * np.cos(np.pi * x)

    def child(x, t):
        return q * t * np.exp(-(((x - p) / w) ** 2))

    bump = f"exp(-((x - {p})/{w})**2)"
    feed = f"{q}*{bump} - {D * q}*t*(4*(x - {p})**2/{w**4} - {2 / w**2})*{bump}"
    problem = Problem(
        [f"a_t = {D}*a_xx", f"b_t = {D}*b_xx + {feed} + 0.1*(a - 1) - {0.05}*exp(-{D}*pi**2*t)*cos(pi*x)"],
        domain=UNIT, time=(0, 1), initial={"a": "1 + 0.5*cos(pi*x)", "b": "0"}, boundary=["a_n = 0", "b_n = 0"],
    )  # fmt: skip
    return Stated(problem, {"a": parent, "b": child}, {"x": [p]})


def wall_ripple(d: Dice) -> Stated:
    """u_t = D Δu on a square with a short wave along one wall, in the boundary data; a harmonic function besides."""
    D, k, a = d.spread(0.05, 0.5), d.whole(8, 16), d.spread(2e-3, 3e-2)

    def exact(x, y, t):
        return np.exp(-2 * D * np.pi**2 * t) * np.sin(np.pi * x) * np.sin(np.pi * y) + a * np.sin(
            k * np.pi * x
        ) * np.exp(-k * np.pi * y)

    still = f"{a}*sin({k}*pi*x)*exp(-{k}*pi*y)"
    problem = Problem(
        f"u_t = {D}*lap(u)", domain=SQUARE, time=(0, 0.5), initial=f"sin(pi*x)*sin(pi*y) + {still}",
        boundary={"x-": "u = 0", "x+": "u = 0", "y-": f"u = {a}*sin({k}*pi*x)", "y+": f"u = {still.replace('*y)', ')')}"},
    )  # fmt: skip
    return Stated(problem, {"u": exact}, {"y": [0.0]})


def hum(d: Dice) -> Stated:
    """u_t = Du_xx + a fast weak oscillation of a source: it hardly moves u, at a high frequency."""
    D, w, a = d.spread(1e-2, 1e-1), d.spread(100, 2000), d.uniform(0.5, 5)
    r = D * np.pi**2

    def exact(x, t):
        driven = a * (r * np.sin(w * t) - w * np.cos(w * t) + w * np.exp(-r * t)) / (r**2 + w**2)
        return (np.exp(-r * t) + driven) * np.sin(np.pi * x)

    problem = Problem(
        f"u_t = {D}*u_xx + {a}*sin({w}*t)*sin(pi*x)",
        domain=UNIT,
        time=(0, 1),
        initial="sin(pi*x)",
        boundary="u = 0",
    )
    return Stated(problem, {"u": exact})


def small_partner(d: Dice) -> Stated:
    """u and v of different sizes, uncoupled but for a weak term: u's errors must not hide v's."""
    D, s, k = d.spread(1e-3, 1e-2), d.spread(1e-8, 1e-2), d.whole(3, 12)
    r = D * np.pi**2

    def large(x, t):
        return np.exp(-r * t) * np.sin(np.pi * x)

    def small(x, t):
        return s * np.exp(-r * k**2 * t) * np.sin(k * np.pi * x)

    problem = Problem(
        [f"u_t = {D}*u_xx + v - {s}*exp(-{r * k**2}*t)*sin({k}*pi*x)", f"v_t = {D}*v_xx"], domain=UNIT, time=(0, 1),
        initial={"u": "sin(pi*x)", "v": f"{s}*sin({k}*pi*x)"}, boundary=["u = 0", "v = 0"],
    )  # fmt: skip
    return Stated(problem, {"u": large, "v": small})


MAKERS = (overtone, ripple, rough_bar, tracer, sharp_tracer, wall_ripple, hum, small_partner)
