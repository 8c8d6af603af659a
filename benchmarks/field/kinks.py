# SPDX-License-Identifier: MIT
"""Random statements with kinks, steps and contradicting corners in their data, whose solutions are formulas."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from scipy.special import erf

from field.formulas import absolute_mean, odd_period, plucked_shape
from field.record import Goal, Statement
from lrfm.problem import Box, Problem

IMAGES = range(-6, 7)


class Dice:
    """Random numbers with three digits."""

    def __init__(self, seed: int, number: int):
        self.rng = np.random.default_rng([seed, 5000 + number])

    def uniform(self, low: float, high: float) -> float:
        return float(f"{self.rng.uniform(low, high):.3g}")

    def spread(self, low: float, high: float) -> float:
        return float(f"{np.exp(self.rng.uniform(np.log(low), np.log(high))):.3g}")


def smoothed_roof(a: np.ndarray, half: float, s: np.ndarray) -> np.ndarray:
    """E max(half − |a + sZ|, 0): the roof ½(|a − half| + |a + half|) − |a| after diffusion of variance s²."""
    mean = lambda b: absolute_mean(b, s)  # noqa: E731
    return 0.5 * (mean(a - half) + mean(a + half)) - mean(a)


def smoothed_box(a: np.ndarray, half: float, s: np.ndarray) -> np.ndarray:
    """P(|a + sZ| < half): a box after diffusion."""
    s = np.maximum(s, 1e-300) * np.sqrt(2)
    return 0.5 * (erf((a + half) / s) - erf((a - half) / s))


def diffused_roof(d: Dice) -> Problem:
    """u_t + cu_x = Du_xx on a circle from a roof."""
    c, D, half, place = d.uniform(-1, 1), d.spread(1e-3, 1e-1), d.spread(0.02, 0.3), d.uniform(0.35, 0.65)

    def exact(x, t):
        return sum(smoothed_roof(x - place - c * t - n, half, np.sqrt(2 * D * t)) for n in IMAGES) / half

    return Problem(
        "u_t + c*u_x = D*u_xx",
        domain=Box(x=(0, 1)),
        time=(0, 1),
        initial=lambda x: np.maximum(1 - np.abs(x - place) / half, 0),
        boundary="periodic",
        parameters={"c": c, "D": D},
        check_corners=False,
        reference=exact,
    )


def diffused_box(d: Dice) -> Problem:
    """u_t = Du_xx between insulated walls from a box: jumps, smooth at every later time."""
    D, half, place = d.spread(1e-3, 1e-1), d.spread(0.05, 0.2), d.uniform(0.3, 0.7)

    def exact(x, t):
        s = np.sqrt(2 * D * t)
        return sum(smoothed_box(x - q - 2 * n, half, s) for n in IMAGES for q in (place, -place))

    return Problem(
        "u_t = D*u_xx",
        domain=Box(x=(0, 1)),
        time=(0, 1),
        initial=lambda x: np.where(np.abs(x - place) < half, 1.0, 0.0),
        boundary="u_n = 0",
        parameters={"D": D},
        check_corners=False,
        reference=exact,
    )


def advected_roof(d: Dice) -> Problem:
    """u_t + cu_x + bu = 0: a roof is carried through the interval and out of it."""
    c, b, half, place = d.uniform(0.3, 1.0), d.uniform(0, 1), d.spread(0.05, 0.2), d.uniform(0.25, 0.4)
    roof = lambda x: np.maximum(1 - np.abs(x - place) / half, 0)  # noqa: E731

    def exact(x, t):
        return roof(x - c * t) * np.exp(-b * t)

    return Problem(
        "u_t + c*u_x + b*u = 0",
        domain=Box(x=(0, 1)),
        time=(0, 1),
        initial=roof,
        boundary={"x-": {"u": exact}, "x+": None},
        parameters={"c": c, "b": b},
        check_corners=False,
        reference=exact,
    )


def string(d: Dice) -> Problem:
    """u_tt = c²u_xx, pulled at one point and let go."""
    c, at = d.uniform(0.5, 1.5), d.uniform(0.15, 0.85)

    def exact(x, t):
        pairs = [odd_period(x - c * t), odd_period(x + c * t)]
        return sum(0.5 * sign * plucked_shape(place, at) for place, sign in pairs)

    return Problem(
        "u_tt = c**2*u_xx",
        domain=Box(x=(0, 1)),
        time=(0, 1),
        initial={"u": lambda x: plucked_shape(x, at), "u_t": "0"},
        boundary="u = 0",
        parameters={"c": c},
        reference=exact,
    )


def heated_wall(d: Dice) -> Problem:
    """u_t = Du_xx, cold, with one end suddenly hot: u = 0 and u = 1 meet in the corner."""
    D, other = d.spread(1e-3, 2e-2), d.uniform(-0.5, 0.5)

    def exact(x, t):
        width = 2 * np.sqrt(np.maximum(D * t, 1e-300))
        total = 0.0
        for n in range(6):
            hot, cold = (2 * n + x) / width, (2 * n + 2 - x) / width
            total = total + (1 - erf(hot)) - (1 - erf(cold))
            total = total + other * ((1 - erf((2 * n + 1 - x) / width)) - (1 - erf((2 * n + 1 + x) / width)))
        return total

    return Problem(
        "u_t = D*u_xx",
        domain=Box(x=(0, 1)),
        time=(0, 1),
        initial="0",
        boundary={"x-": "u = 1", "x+": f"u = {other}"},
        parameters={"D": D},
        check_corners=False,
        reference=exact,
    )


def logistic_roof(d: Dice) -> Problem:
    """u_t = ru(1 − u) at every point, from a roof: the kink stays where it is."""
    r, half, place = d.uniform(1, 4), d.uniform(0.1, 0.3), d.uniform(0.35, 0.65)
    roof = lambda x: 0.1 + 0.5 * np.maximum(1 - np.abs(x - place) / half, 0)  # noqa: E731

    def exact(x, t):
        grown = roof(x) * np.exp(r * t)
        return grown / (grown + 1 - roof(x))

    return Problem(
        "u_t = r*u*(1 - u)",
        domain=Box(x=(0, 1)),
        time=(0, 1),
        initial=roof,
        boundary="periodic",
        parameters={"r": r},
        check_corners=False,
        reference=exact,
    )


MAKERS: tuple[Callable[[Dice], Problem], ...] = (
    diffused_roof,
    diffused_box,
    advected_roof,
    string,
    heated_wall,
    logistic_roof,
)
AFTER = {"diffused_box": 0.01, "heated_wall": 0.01}  # jumps have no value at the start


def statements(seed: int) -> tuple[Statement, ...]:
    """One of each for a seed."""
    return tuple(
        Statement(
            name=f"unseen-{seed}-kinked-formula-{make.__name__.replace('_', '-')}",
            group="unseen",
            build=functools.partial(_made, make, seed, number),
            wanted=(Goal(1e-3), Goal(1e-6)),
            after=AFTER.get(make.__name__, -np.inf),
        )
        for number, make in enumerate(MAKERS)
    )


def _made(make: Callable[[Dice], Problem], seed: int, number: int) -> Problem:
    return make(Dice(seed, number))
