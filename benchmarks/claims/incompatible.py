# SPDX-License-Identifier: MIT
"""Data that contradict each other at the start, in problems that are sound: quenches, walls set in motion."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import erf, erfc, erfcx

from claims.statement import Dice, Stated
from lrfm import Polygon
from lrfm.problem import Box, Problem

UNIT = Box(x=(0, 1))
IMAGES = range(-8, 9)


def _step(x: np.ndarray, s: np.ndarray) -> np.ndarray:
    return erf(x / np.maximum(s, 1e-150))


def _quenched(x: np.ndarray, Dt: np.ndarray) -> np.ndarray:
    """1 in (0, 1) at the start, 0 at both ends: by images."""
    s = np.sqrt(4 * Dt)
    return sum((-1.0) ** n * 0.5 * (_step(x - n, s) - _step(x - n - 1, s)) for n in IMAGES)


def quench(d: Dice) -> Stated:
    """A hot bar between cold walls."""
    D, hot, cold = d.spread(1e-2, 3e-1), d.uniform(0.5, 2), d.uniform(-0.3, 0.3)

    def exact(x, t):
        return cold + (hot - cold) * _quenched(x, D * t)

    problem = Problem(f"u_t = {D}*u_xx", domain=UNIT, time=(0, 1), initial=hot, boundary=f"u = {cold}")
    return Stated(problem, {"u": exact}, {"x": [0.0, 1.0], "t": [0.0]})


def one_hot_wall(d: Dice) -> Stated:
    """A cold bar, one wall of which is hot from the start, the other insulated."""
    D, hot = d.spread(1e-2, 3e-1), d.uniform(0.5, 2)

    def exact(x, t):
        return hot * (1 - _quenched(0.5 * x, 0.25 * D * t))

    problem = Problem(
        f"u_t = {D}*u_xx", domain=UNIT, time=(0, 1), initial=0, boundary={"x-": f"u = {hot}", "x+": "u_n = 0"}
    )
    return Stated(problem, {"u": exact}, {"x": [0.0], "t": [0.0]})


def _cooled(D: float, B: float):
    """u(x, t), 1 in (0, 1) at the start, u_x = 0 at 0 and u_x = −Bu at 1: a series, and before it converges one wall alone."""
    roots = [
        brentq(lambda z: z * np.sin(z) - B * np.cos(z), n * np.pi, (n + 0.5) * np.pi) for n in range(400)
    ]
    parts = [(z, 4 * np.sin(z) / (2 * z + np.sin(2 * z))) for z in roots]
    early = 36 / (
        D * roots[-1] ** 2
    )  # until then the terms that are left out are not small, and the other end feels nothing

    def exact(x, t):
        series = sum(c * np.exp(-D * z**2 * t) * np.cos(z * x) for z, c in parts)
        s = np.sqrt(4 * D * np.clip(t, 1e-300, early))
        y = (1 - x) / s
        near = 1 - erfc(y) + np.exp(-(np.minimum(y, 1e3) ** 2)) * erfcx(y + 0.5 * B * s)
        return np.where(t < early, near, series)

    return exact


def robin_slab(d: Dice) -> Stated:
    """A hot slab that loses heat by u_x = −Bu at one end; insulated at the other."""
    D, B = d.spread(5e-2, 3e-1), d.spread(0.3, 5)
    problem = Problem(
        f"u_t = {D}*u_xx",
        domain=UNIT,
        time=(0, 1),
        initial=1,
        boundary={"x-": "u_n = 0", "x+": f"u_n = -{B}*u"},
    )
    return Stated(problem, {"u": _cooled(D, B)}, {"x": [1.0], "t": [0.0]})


def sudden_wall(d: Dice) -> Stated:
    """A fluid at rest between a wall that moves from the start on and one that rests (Couette)."""
    nu, U = d.spread(2e-2, 3e-1), d.uniform(0.5, 3)
    k = np.arange(1, 500)

    def exact(x, t):
        s = np.sqrt(4 * nu * t)
        near = sum((1 - _step(x + 2 * n, s)) - (1 - _step(2 * n + 2 - x, s)) for n in range(12))
        return U * near

    del k
    problem = Problem(
        f"u_t = {nu}*u_xx", domain=UNIT, time=(0, 1), initial=0, boundary={"x-": f"u = {U}", "x+": "u = 0"}
    )
    return Stated(problem, {"u": exact}, {"x": [0.0], "t": [0.0]})


def _heated(D: float, q: float):
    """u(x, t), 0 in (0, 1) at the start, u_x = −q at 0 and u_x = 0 at 1: by images."""

    def exact(x, t):
        s = np.sqrt(4 * D * np.maximum(t, 1e-300))

        def one(y):
            return s / np.sqrt(np.pi) * np.exp(-((y / s) ** 2)) - y * (1 - erf(y / s))

        return q * sum(one(x + 2 * n) + one(2 * n + 2 - x) for n in range(12))

    return exact


def sudden_flux(d: Dice) -> Stated:
    """A bar heated from the start by a flux at one end: the slope jumps, the value does not."""
    D, q = d.spread(5e-2, 3e-1), d.uniform(0.5, 2)
    problem = Problem(
        f"u_t = {D}*u_xx", domain=UNIT, time=(0, 1), initial=0, boundary={"x-": f"u_n = {q}", "x+": "u_n = 0"}
    )
    return Stated(problem, {"u": _heated(D, q)}, {"x": [0.0], "t": [0.0]})


def parabola_quench(d: Dice) -> Stated:
    """Data that meet the walls, with a slope that a heat equation does not keep: u₀ = x(1 − x) + a, u = 0 at the walls."""
    D, a, k = d.spread(2e-2, 2e-1), d.spread(1e-3, 1e-1), np.arange(1, 1200, 2)

    def exact(x, t):
        total = a * _quenched(x, D * t)
        for K in k[:300]:
            total = total + 8 / (np.pi * K) ** 3 * np.exp(-D * (np.pi * K) ** 2 * t) * np.sin(np.pi * K * x)
        return total

    problem = Problem(
        f"u_t = {D}*u_xx", domain=UNIT, time=(0, 1), initial=f"x*(1 - x) + {a}", boundary="u = 0"
    )
    return Stated(problem, {"u": exact}, {"x": [0.0, 1.0], "t": [0.0]})


def quenched_plate(d: Dice) -> Stated:
    """A hot square plate with a cold rim."""
    D = d.spread(2e-2, 1e-1)

    def exact(x, y, t):
        return _quenched(x, D * t) * _quenched(y, D * t)

    problem = Problem(
        f"u_t = {D}*lap(u)", domain=Box(x=(0, 1), y=(0, 1)), time=(0, 1), initial=1, boundary="u = 0"
    )
    return Stated(problem, {"u": exact}, {"x": [0.0, 1.0], "y": [0.0, 1.0], "t": [0.0]})


def _sides() -> Polygon:
    """The unit square as a polygon: not solved as a box is."""
    return Polygon([(0, 0), (1, 0), (1, 1), (0, 1)], names=["bottom", "right", "top", "left"])


def cooled_square(d: Dice) -> Stated:
    """A hot polygon that loses heat by u_n = −Bu on two of its sides: a product of two slabs."""
    D, B, C = d.spread(5e-2, 3e-1), d.spread(0.3, 5), d.spread(0.3, 5)
    one, other = _cooled(D, B), _cooled(D, C)
    problem = Problem(
        f"u_t = {D}*lap(u)",
        domain=_sides(),
        time=(0, 1),
        initial=1,
        boundary={"right": f"u_n = -{B}*u", "top": f"u_n = -{C}*u", "*": "u_n = 0"},
    )
    exact = {"u": lambda x, y, t: one(x, t) * other(y, t)}
    return Stated(problem, exact, {"x": [1.0], "y": [1.0], "t": [0.0]})


def heated_square(d: Dice) -> Stated:
    """A polygon heated, or cooled, from the start by fluxes through two of its sides: a sum of two bars."""
    D, q, r = d.spread(5e-2, 3e-1), d.uniform(0.5, 2), d.uniform(-1, 1)
    one, other = _heated(D, q), _heated(D, r)
    problem = Problem(
        f"u_t = {D}*lap(u)",
        domain=_sides(),
        time=(0, 1),
        initial=0,
        boundary={"left": f"u_n = {q}", "bottom": f"u_n = {r}", "*": "u_n = 0"},
    )
    exact = {"u": lambda x, y, t: one(x, t) + other(y, t)}
    return Stated(problem, exact, {"x": [0.0], "y": [0.0], "t": [0.0]})


MAKERS = (
    quench,
    one_hot_wall,
    robin_slab,
    sudden_wall,
    sudden_flux,
    parabola_quench,
    quenched_plate,
    cooled_square,
    heated_square,
)
