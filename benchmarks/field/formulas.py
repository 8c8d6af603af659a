# SPDX-License-Identifier: MIT
"""Exact solutions that are more than one line: series, reflections, error functions."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import erf

SHORT = 1e-3  # t below which the other representation of a heat solution on [0, 1] is used


def absolute_mean(a: NDArray, s: NDArray) -> NDArray:
    """E|a + sZ| = s√(2/π) e^{−a²/2s²} + a erf(a/(s√2)), Z a normal variable: how the heat equation rounds |a|."""
    s = np.maximum(s, 1e-100)
    return s * np.sqrt(2 / np.pi) * np.exp(-0.5 * (a / s) ** 2) + a * erf(a / (np.sqrt(2) * s))


def tent(x: NDArray, t: NDArray) -> NDArray:
    """u_t = u_xx, u₀ = 1 − |2x − 1| on [0, 1], u = 0 at the ends: Σ 8/(π²n²) sin(nπ/2) sin(nπx) e^{−n²π²t}, n odd.

    For short times the ends are not felt: 1 − 2 E|x − ½ + √(2t) Z|.
    """
    x, t = np.broadcast_arrays(x, t)
    early = 1 - 2 * absolute_mean(x - 0.5, np.sqrt(2 * np.maximum(t, 0)))
    late, held = np.zeros(x.shape), np.maximum(t, SHORT)
    for n in range(1, 101, 2):
        sign = 1 if n % 4 == 1 else -1
        late += 8 * sign / (np.pi * n) ** 2 * np.sin(n * np.pi * x) * np.exp(-((n * np.pi) ** 2) * held)
    return np.where(t < SHORT, early, late)


@functools.cache
def slab_roots(h: float, count: int = 400) -> NDArray:
    """λ tan λ = h, one root in every (nπ, nπ + π/2)."""
    f = lambda z: z * np.sin(z) - h * np.cos(z)  # noqa: E731
    return np.array([brentq(f, n * np.pi, (n + 0.5) * np.pi, xtol=1e-15, rtol=1e-15) for n in range(count)])


def robin_slab(x: NDArray, t: NDArray, h: float = 1.0) -> NDArray:
    """u_t = u_xx on [−1, 1], u_n + hu = 0, u₀ = 1: Σ 4 sin λ/(2λ + sin 2λ) cos(λx) e^{−λ²t}; exact for t ≥ 1e-4."""
    x, t = np.broadcast_arrays(x, t)
    total = np.zeros(x.shape)
    for root in slab_roots(h):
        factor = 4 * np.sin(root) / (2 * root + np.sin(2 * root))
        total += factor * np.cos(root * x) * np.exp(-(root**2) * t)
    return total


def quench(x: NDArray, t: NDArray) -> NDArray:
    """u_t = u_xx on [0, 1], u = 0 at the ends, u₀ = 1: Σ 4/(nπ) sin(nπx) e^{−n²π²t}, n odd; for short times
    erf(x/√4t) + erf((1 − x)/√4t) − 1."""
    x, t = np.broadcast_arrays(x, t)
    width = 2 * np.sqrt(np.maximum(t, 1e-300))
    early = erf(x / width) + erf((1 - x) / width) - 1
    late, held = np.zeros(x.shape), np.maximum(t, SHORT)
    for n in range(1, 101, 2):
        late += 4 / (np.pi * n) * np.sin(n * np.pi * x) * np.exp(-((n * np.pi) ** 2) * held)
    return np.where(t < SHORT, early, late)


def odd_period(y: NDArray) -> tuple[NDArray, NDArray]:
    """y mod 2 reflected into [0, 1], and the sign that an odd function takes there."""
    y = np.mod(y, 2.0)
    return np.where(y > 1, 2 - y, y), np.where(y > 1, -1.0, 1.0)


def plucked_shape(x: NDArray, at: float = 0.3) -> NDArray:
    """A string pulled up to 1 at one point of [0, 1]."""
    return np.minimum(x / at, (1 - x) / (1 - at))


def plucked_string(x: NDArray, t: NDArray, at: float = 0.3) -> NDArray:
    """u_tt = u_xx on [0, 1], held at the ends, u₀ a corner at `at`, at rest: (f(x − t) + f(x + t))/2, f odd."""
    total = 0.0
    for y in (x - t, x + t):
        place, sign = odd_period(y)
        total = total + 0.5 * sign * plucked_shape(place, at)
    return total
