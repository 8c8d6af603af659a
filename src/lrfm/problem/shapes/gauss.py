# SPDX-License-Identifier: MIT
"""Gauss' rule, and counts of points that fit a number asked for."""

from __future__ import annotations

from functools import cache

import numpy as np


@cache
def legendre(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of ∫₋₁¹, exact for polynomials of degree 2n − 1, found once."""
    x, w = np.polynomial.legendre.leggauss(n)
    x.flags.writeable = w.flags.writeable = False
    return x, w


@cache
def gauss(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of ∫₀¹."""
    x, w = legendre(n)
    x, w = 0.5 * (x + 1.0), 0.5 * w
    x.flags.writeable = w.flags.writeable = False
    return x, w


def shares(n: int, sizes: np.ndarray, least: int) -> list[int]:
    """Whole numbers in proportion to sizes, about n together, none below `least`."""
    total = float(np.sum(sizes)) or 1.0
    return [max(least, round(n * float(size) / total)) for size in sizes]


def panels(n: int, cut: float) -> tuple[np.ndarray, np.ndarray]:
    """Gauss on [0, cut] and on [cut, 1], n nodes together."""
    first = min(max(round(n * cut), 1), n - 1)
    (x, w), (y, v) = gauss(first), gauss(n - first)
    return np.concatenate([cut * x, cut + (1 - cut) * y]), np.concatenate([cut * w, (1 - cut) * v])
