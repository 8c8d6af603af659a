# SPDX-License-Identifier: MIT
"""Gauss' rule, and counts of points that fit a number asked for."""

from __future__ import annotations

from functools import cache

import numpy as np

ITERATIONS = 8
MOST = 256  # nodes of one panel: finding n of them takes n² operations, and nothing that is smooth on a panel asks for more
CLOSE = 1e-11  # change of a node after which it is known to rounding: the next one would be about its square


@cache
def legendre(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of ∫₋₁¹, exact for polynomials of degree 2n − 1, found once.

    x ← x − P_n/P_n' from  x = (1 − (n − 1)/8n³) cos θ,  θ = π (4k − 1)/(4n + 2);   w = 2/((1 − x²) P_n'²).  Eigenvalues of a matrix, as NumPy
    has it, take ten times as long for 256 nodes.
    """
    k = np.arange(1, (n + 1) // 2 + 1)
    x = (1.0 - (n - 1.0) / (8.0 * n**3)) * np.cos(np.pi * (4 * k - 1) / (4 * n + 2))
    slope = np.ones_like(x)
    for _ in range(ITERATIONS):
        before, value = np.ones_like(x), x
        for j in range(1, n):
            before, value = value, ((2 * j + 1) * x * value - j * before) / (j + 1)
        slope = n * (before - x * value) / (1.0 - x * x)
        move = value / slope
        slope = slope - move * (2.0 * x * slope - n * (n + 1) * value) / (1.0 - x * x)  # there, too
        x = x - move
        if np.max(np.abs(move)) < CLOSE:
            break
    w = 2.0 / ((1.0 - x * x) * slope * slope)
    x, w = np.concatenate([-x, x[: n // 2][::-1]]), np.concatenate([w, w[: n // 2][::-1]])
    w *= 2.0 / w.sum()
    x.flags.writeable = w.flags.writeable = False
    return x, w


@cache
def gauss(n: int) -> tuple[np.ndarray, np.ndarray]:
    """n nodes and weights of ∫₀¹: Gauss' own, or those of the fewest equal panels that have at most `MOST` each."""
    count = -(-n // MOST)
    sizes = [n // count + (k < n % count) for k in range(count)]
    x = np.concatenate([(k + 0.5 * (legendre(size)[0] + 1.0)) / count for k, size in enumerate(sizes)])
    w = np.concatenate([0.5 / count * legendre(size)[1] for size in sizes])
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
