# SPDX-License-Identifier: MIT
"""Kinks, jumps and corners in data that do not contradict each other."""

from __future__ import annotations

import numpy as np
from scipy.special import erf, erfc

from claims.statement import Dice, Stated
from lrfm.problem import Box, Problem

UNIT = Box(x=(0, 1))
IMAGES = range(-5, 6)


def mean_modulus(a: np.ndarray, s: np.ndarray) -> np.ndarray:
    """E|a + sZ| for a normal Z: |x| after diffusion of variance s²."""
    s = np.maximum(s, 1e-150)
    return a * erf(a / (np.sqrt(2) * s)) + s * np.sqrt(2 / np.pi) * np.exp(
        -np.minimum(0.5 * (a / s) ** 2, 700)
    )


def roof(a: np.ndarray, half: float, s: np.ndarray) -> np.ndarray:
    """max(1 − |a|/half, 0) after diffusion."""
    return (0.5 * (mean_modulus(a - half, s) + mean_modulus(a + half, s)) - mean_modulus(a, s)) / half


def roof_text(place: float, half: float) -> str:
    return f"(abs(x - {place} - {half}) + abs(x - {place} + {half}) - 2*abs(x - {place}))/{2 * half}"


def odd(function, x: np.ndarray) -> np.ndarray:
    """The odd extension with period 2 of a function on (0, 1)."""
    y = np.mod(x + 1, 2) - 1
    return np.sign(y) * function(np.abs(y))


def roof_in_flow(d: Dice) -> Stated:
    """u_t + cu_x = Du_xx on a circle from a roof."""
    c, D, half, place = d.uniform(-1, 1), d.spread(1e-3, 5e-2), d.spread(0.03, 0.25), d.uniform(0.35, 0.65)

    def exact(x, t):
        return sum(roof(x - place - c * t - n, half, np.sqrt(2 * D * t)) for n in IMAGES)

    problem = Problem(
        f"u_t + {c}*u_x = {D}*u_xx",
        domain=UNIT,
        time=(0, 1),
        initial=roof_text(place, half),
        boundary="periodic",
    )
    return Stated(problem, {"u": exact}, {"x": [place, place - half, place + half], "t": [0.0]})


def insulated_step(d: Dice) -> Stated:
    """u_t = Du_xx between insulated walls from a box."""
    D, half, place = d.spread(1e-3, 1e-1), d.spread(0.05, 0.2), d.uniform(0.3, 0.7)

    def exact(x, t):
        s = np.sqrt(4 * D * np.maximum(t, 1e-300))
        return sum(
            0.5 * (erf((x - q - 2 * n + half) / s) - erf((x - q - 2 * n - half) / s))
            for n in IMAGES
            for q in (place, -place)
        )

    problem = Problem(
        f"u_t = {D}*u_xx", domain=UNIT, time=(0, 1), boundary="u_n = 0",
        initial=f"0.5*(sign(x - {place - half}) - sign(x - {place + half}))",
    )  # fmt: skip
    return Stated(problem, {"u": exact}, {"x": [place - half, place + half], "t": [0.0]})


def plucked(d: Dice) -> Stated:
    """u_tt = c²u_xx, pulled at one point."""
    c, p = d.uniform(0.5, 1.5), d.uniform(0.15, 0.85)
    shape = lambda x: np.minimum(x / p, (1 - x) / (1 - p))  # noqa: E731

    def exact(x, t):
        return 0.5 * (odd(shape, x - c * t) + odd(shape, x + c * t))

    left, right = 1 / p, 1 / (1 - p)
    text = f"0.5*({left}*x + {right}*(1 - x) - abs({left}*x - {right}*(1 - x)))"
    problem = Problem(
        f"u_tt = {c**2}*u_xx", domain=UNIT, time=(0, 1), initial={"u": text, "u_t": "0"}, boundary="u = 0"
    )
    return Stated(problem, {"u": exact})


def parabola_string(d: Dice) -> Stated:
    """u_tt = c²u_xx from a parabola, whose odd extension has corners in its curvature."""
    c = d.uniform(0.5, 1.5)
    shape = lambda x: 4 * x * (1 - x)  # noqa: E731

    def exact(x, t):
        return 0.5 * (odd(shape, x - c * t) + odd(shape, x + c * t))

    problem = Problem(
        f"u_tt = {c**2}*u_xx",
        domain=UNIT,
        time=(0, 1),
        initial={"u": "4*x*(1 - x)", "u_t": "0"},
        boundary="u = 0",
    )
    return Stated(problem, {"u": exact})


def parabola_well(d: Dice) -> Stated:
    """iψ_t = −aψ_xx between hard walls, from a parabola."""
    a, k = d.spread(0.02, 0.2), np.arange(1, 1600, 2)

    def exact(x, t):
        total = np.zeros(np.shape(x), dtype=complex)
        for K in k:
            total += 32 / (np.pi * K) ** 3 * np.sin(np.pi * K * x) * np.exp(-1j * a * (np.pi * K) ** 2 * t)
        return total

    problem = Problem(
        f"1j*psi_t + {a}*psi_xx = 0", domain=UNIT, time=(0, 1), initial="4*x*(1 - x)", boundary="psi = 0",
        unknowns={"psi": complex},
    )  # fmt: skip
    return Stated(problem, {"psi": exact})


def ramped_wall(d: Dice) -> Stated:
    """u_t = Du_xx with u = min(t/s, 1) at one end and 0 at the other."""
    D, s = d.spread(5e-2, 5e-1), d.uniform(0.2, 0.5)

    def ramp(x, t):
        """The answer to u(0, t) = t, by images of t((1 + 2η²) erfc η − 2η e^{−η²}/√π), η = x/√(4Dt): no series to be cut off."""
        t = np.maximum(t, 0)
        s = np.sqrt(4 * D * np.maximum(t, 1e-300))

        def one(y):
            z = np.minimum(y / s, 1e3)
            return t * ((1 + 2 * z**2) * erfc(z) - 2 * z * np.exp(-(z**2)) / np.sqrt(np.pi))

        return sum(one(x + 2 * n) - one(2 * n + 2 - x) for n in range(8))

    def exact(x, t):
        return (ramp(x, t) - ramp(x, t - s)) / s

    problem = Problem(
        f"u_t = {D}*u_xx", domain=UNIT, time=(0, 1), initial=0,
        boundary={"x-": f"u = 0.5*(t/{s} + 1 - abs(t/{s} - 1))", "x+": "u = 0"},
    )  # fmt: skip
    return Stated(problem, {"u": exact}, {"x": [0.0], "t": [0.0, s]})


def switched_source(d: Dice) -> Stated:
    """u_t = Du_xx + (source that is switched on and off) sin πx."""
    D, on, off = d.spread(1e-2, 1e-1), d.uniform(0.1, 0.4), d.uniform(0.5, 0.9)
    r = D * np.pi**2

    def exact(x, t):
        grown = lambda s: (1 - np.exp(-r * np.maximum(t - s, 0))) / r  # noqa: E731
        return (np.exp(-r * t) + grown(on) - grown(off)) * np.sin(np.pi * x)

    problem = Problem(
        f"u_t = {D}*u_xx + 0.5*(sign(t - {on}) - sign(t - {off}))*sin(pi*x)", domain=UNIT, time=(0, 1),
        initial="sin(pi*x)", boundary="u = 0",
    )  # fmt: skip
    return Stated(problem, {"u": exact}, {"t": [on, off]})


def carried_roof(d: Dice) -> Stated:
    """u_t + cu_x = 0: a roof is carried through the interval."""
    c, half, place = d.uniform(0.3, 0.6), d.spread(0.08, 0.2), d.uniform(0.25, 0.35)
    shape = lambda x: np.maximum(1 - np.abs(x - place) / half, 0)  # noqa: E731
    problem = Problem(
        f"u_t + {c}*u_x = 0", domain=UNIT, time=(0, 1), initial=roof_text(place, half),
        boundary={"x-": "u = 0", "x+": None},
    )  # fmt: skip
    return Stated(problem, {"u": lambda x, t: shape(x - c * t)})


def standing_shock(d: Dice) -> Stated:
    """u_t + uu_x = 0 on a circle from −a sin πx: characteristics from both sides end in a shock at x = 0."""
    a = d.uniform(0.8, 1.5)

    def right(x: np.ndarray, t: np.ndarray) -> np.ndarray:
        """The solution on (0, 1): x = ξ − a t sin πξ is monotone in ξ from the foot of the shock on, and is inverted by halving."""
        slope = np.pi * a * t
        low = np.where(slope > 1, np.arccos(np.minimum(1.0, 1 / np.maximum(slope, 1e-300))) / np.pi, 0.0)
        high = np.ones_like(x)
        for _ in range(60):
            middle = 0.5 * (low + high)
            left = middle - a * t * np.sin(np.pi * middle) < x
            low, high = np.where(left, middle, low), np.where(left, high, middle)
        return -a * np.sin(np.pi * low)

    problem = Problem(
        "u_t + u*u_x = 0",
        domain=Box(x=(-1, 1)),
        time=(0, 0.6),
        initial=f"-{a}*sin(pi*x)",
        boundary="periodic",
    )
    return Stated(problem, {"u": lambda x, t: odd(lambda y: right(y, t), x)}, {"x": (0.0,)})


MAKERS = (
    standing_shock, roof_in_flow, insulated_step, plucked, parabola_string, parabola_well, ramped_wall, switched_source, carried_roof,
)  # fmt: skip
