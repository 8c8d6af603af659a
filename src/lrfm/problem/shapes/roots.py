# SPDX-License-Identifier: MIT
"""Zeros of many functions of one variable at once: Ridders' method (IEEE Trans. Circuits Syst. 26, 1979)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def ridders(at: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """θ in [low, high] with f(θ) = 0, one for each function, where f changes sign in between."""
    low, high = low.copy(), high.copy()
    first, last, place = at(low), at(high), low
    for _ in range(52):  # as many as a number has digits; ten are the rule
        middle = 0.5 * (low + high)
        value = at(middle)
        root = np.sqrt(np.maximum(value**2 - first * last, 0.0))
        shift = np.where(root > 0, np.sign(first - last) * value / np.where(root > 0, root, 1.0), 0.0)
        before, place = place, np.clip(middle + (middle - low) * shift, low, high)
        if not len(place) or np.max(np.abs(place - before)) <= 2e-15:
            break
        there = at(place)
        for s, v in ((middle, value), (place, there)):
            inner, same = (s >= low) & (s <= high), (v < 0) == (first < 0)
            low, first = np.where(inner & same, s, low), np.where(inner & same, v, first)
            high, last = np.where(inner & ~same, s, high), np.where(inner & ~same, v, last)
    return place


def crossings(
    at: Callable[[np.ndarray, np.ndarray], np.ndarray], size: int, samples: int
) -> tuple[np.ndarray, np.ndarray]:
    """All zeros in [0, 1] of `size` functions f_k(θ) = at(k, θ): the number of the function, and θ; two that are close together are found by the parabola through three samples, at times twice."""
    if not size:
        return np.zeros(0, dtype=int), np.zeros(0)
    count = samples + 1
    theta = np.broadcast_to(np.linspace(0.0, 1.0, count), (size, count))
    value = at(np.repeat(np.arange(size), count), theta.ravel()).reshape(-1, count)
    a, b, c = np.abs(value[:, :-2]), np.abs(value[:, 1:-1]), np.abs(value[:, 2:])
    signs, bend = np.sign(value), a - 2 * b + c
    # Not between samples alone: a curve may leave through a side beside one of its ends, and come back at that end.
    near = (signs[:, :-2] * signs[:, 1:-1] >= 0) & (signs[:, 2:] * signs[:, 1:-1] >= 0)
    k, i = np.nonzero(near & (np.abs(a - c) < 2 * bend) & (b > 0))
    extra = theta[k, i + 1] + 0.5 * (a - c)[k, i] / bend[k, i] / (count - 1)
    there = at(k, extra)
    k0, i0 = np.nonzero(signs[:, :-1] * signs[:, 1:] < 0)
    low, high, which = theta[k0, i0], theta[k0, i0 + 1], k0
    other = np.sign(there) * signs[k, i + 1] < 0
    k, i, extra = k[other], i[other], extra[other]
    low = np.concatenate([low, theta[k, i], extra])
    high = np.concatenate([high, extra, theta[k, i + 2]])
    which = np.concatenate([which, k, k])
    k1, i1 = np.nonzero(value == 0)
    found = ridders(lambda s: at(which, s), low, high)
    return np.concatenate([which, k1]), np.concatenate([found, theta[k1, i1]])
