# SPDX-License-Identifier: MIT
"""Two materials with exact solutions: modes X(x) e^(−λt) of k ∇²u on each side of an interface, λ from what is continuous there.

`slabs` on a line, `flat` with a flat interface in the plane, `coated` a disc in a ring; conductivities 100 : 1 in all of them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq
from scipy.special import jv, jvp, yv, yvp

import lrfm

HEAT = "u_t = k*lap(u)"
WIDTH = 0.4  # of the first slab; the second ends at 1


def first_zero(f: Callable[[float], float], start: float, end: float) -> float:
    """The least zero of a function that changes its sign there."""
    places = np.linspace(start, end, 4000)
    values = np.array([f(p) for p in places])
    k = int(np.flatnonzero(values[1:] * values[:-1] < 0)[0])
    return float(brentq(f, places[k], places[k + 1], xtol=1e-14, rtol=1e-15))  # type: ignore[arg-type]


def sine(c, z):
    """sin(√c z)/√c for any real c."""
    root = np.sqrt(complex(c))
    return np.real(np.sin(root * z) / root)


def slab_mode(k: tuple[float, float], across: float = 0.0) -> tuple[float, Callable]:
    """λ and X with kᵢ(X″ − m²X) = −λX, X = 0 at 0 and 1, X and k X′ continuous at WIDTH; m is the wave number along the interface."""

    def squares(rate):
        return rate / k[0] - across**2, rate / k[1] - across**2

    def gap(rate):
        a, b = squares(rate)
        cosines = [np.real(np.cos(np.sqrt(complex(c)) * w)) for c, w in ((a, WIDTH), (b, 1 - WIDTH))]
        return k[0] * cosines[0] * sine(b, 1 - WIDTH) + k[1] * cosines[1] * sine(a, WIDTH)

    low = 1e-3 + min(k) * across**2
    rate = first_zero(gap, low, low + 60 * max(k))
    a, b = squares(rate)

    def mode(x):
        return np.where(x <= WIDTH, sine(a, x) / sine(a, WIDTH), sine(b, 1 - x) / sine(b, 1 - WIDTH))

    return rate, mode


def slabs(k: tuple[float, float] = (100.0, 1.0)) -> lrfm.Problem:
    """Two slabs on a line."""
    rate, mode = slab_mode(k)
    return lrfm.Problem(
        "u_t = diff(k*u_x, x)",
        domain=lrfm.Layers(left=lrfm.Box(x=(0, WIDTH)), right=lrfm.Box(x=(WIDTH, 1))),
        time=(0, 2 / rate), initial=mode, boundary="u = 0", parameters={"k": {"left": k[0], "right": k[1]}},
        reference=lambda x, t: mode(x) * np.exp(-rate * t),
    )  # fmt: skip


def flat(k: tuple[float, float] = (100.0, 1.0)) -> lrfm.Problem:
    """Two boxes side by side: X(x) sin πy."""
    rate, mode = slab_mode(k, np.pi)
    left, right = lrfm.Box(x=(0, WIDTH), y=(0, 1)), lrfm.Box(x=(WIDTH, 1), y=(0, 1))
    return lrfm.Problem(
        HEAT, domain=lrfm.Layers(left=left, right=right), time=(0, 2 / rate),
        initial=lambda x, y: mode(x) * np.sin(np.pi * y), boundary="u = 0", parameters={"k": {"left": k[0], "right": k[1]}},
        reference=lambda x, y, t: mode(x) * np.sin(np.pi * y) * np.exp(-rate * t),
    )  # fmt: skip


def coated(k: tuple[float, float] = (100.0, 1.0), order: int = 0) -> lrfm.Problem:
    """A disc of radius ½ in a ring up to 1: J_m(pr) cos mθ inside, J_m(qr) Y_m(q) − Y_m(qr) J_m(q) outside, k₁p² = k₂q² = λ."""
    m, a = order, 0.5

    def outer(q, r, prime=0):
        return jvp(m, q * r, prime) * yv(m, q) - yvp(m, q * r, prime) * jv(m, q)

    def gap(rate):
        p, q = np.sqrt(rate / k[0]), np.sqrt(rate / k[1])
        inner = jv(m, p * a)
        return k[0] * p * jvp(m, p * a) * outer(q, a) - k[1] * q * outer(q, a, 1) * inner

    rate = first_zero(gap, 0.5, 400.0)
    p, q = np.sqrt(rate / k[0]), np.sqrt(rate / k[1])

    def mode(x, y):
        r = np.hypot(x, y)
        radial = np.where(r <= a, jv(m, p * r) / jv(m, p * a), outer(q, np.maximum(r, 0.1 * a)) / outer(q, a))
        return radial * np.cos(m * np.arctan2(y, x))

    return lrfm.Problem(
        HEAT, domain=lrfm.Layers(core=lrfm.Disk(radius=a), shell=lrfm.Annulus(radii=(a, 1))), time=(0, 2 / rate),
        initial=mode, boundary="u = 0", parameters={"k": {"core": k[0], "shell": k[1]}},
        reference=lambda x, y, t: mode(x, y) * np.exp(-rate * t),
    )  # fmt: skip
