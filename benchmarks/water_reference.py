# SPDX-License-Identifier: MIT
"""A column of water that falls, by its radius alone:  (r h)_t + (r h w)_r = 0,  (r h w)_t + (r (h w² + h²/2))_r = h²/2.

Van Leer's slopes of h and w, the flux of Harten, Lax and van Leer, and Heun's method in time (LeVeque, Finite Volume Methods for Hyperbolic Problems, 2002, 18.9): it shares nothing with `lrfm` but NumPy.
With g = 1, inside of a wall that no wave reaches.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

COURANT = 0.45


def column(
    initial: Callable[[np.ndarray], np.ndarray], radius: float, times: np.ndarray, cells: int
) -> tuple[np.ndarray, np.ndarray]:
    """Middles of rings, and (h, w) there at some times that increase: (times, 2, cells)."""
    edges = np.linspace(0.0, radius, cells + 1)
    r, width = 0.5 * (edges[1:] + edges[:-1]), radius / cells
    q = np.stack([initial(r), np.zeros(cells)])
    found, time = [], 0.0
    for wanted in times:
        while time < wanted:
            step = min(COURANT * width / np.max(np.abs(q[1] / q[0]) + np.sqrt(q[0])), wanted - time)
            middle = q + step * _rates(q, r, edges)
            q = 0.5 * (q + middle + step * _rates(middle, r, edges))
            time = wanted if step == wanted - time else time + step
        found.append(np.stack([q[0], q[1] / q[0]]))
    return r, np.array(found)


def _rates(q: np.ndarray, r: np.ndarray, edges: np.ndarray) -> np.ndarray:
    u = np.stack([q[0], q[1] / q[0]])
    # Across the axis h is even and w odd; the wall is still.
    u = np.concatenate([u[:, 1::-1] * [[1], [-1]], u, np.repeat(u[:, -1:], 2, axis=1)], axis=1)
    back, ahead = np.diff(u, axis=1)[:, :-1], np.diff(u, axis=1)[:, 1:]
    product = back * ahead
    slope = np.where(product > 0, 2 * product / np.where(product > 0, back + ahead, 1.0), 0.0)
    a, b = (u[:, 1:-1] + 0.5 * slope)[:, :-1], (u[:, 1:-1] - 0.5 * slope)[:, 1:]
    slow = np.minimum(np.minimum(a[1] - np.sqrt(a[0]), b[1] - np.sqrt(b[0])), 0.0)
    fast = np.maximum(np.maximum(a[1] + np.sqrt(a[0]), b[1] + np.sqrt(b[0])), 0.0)
    apart = np.stack([b[0] - a[0], b[0] * b[1] - a[0] * a[1]])
    through = (fast * _flux(a) - slow * _flux(b) + slow * fast * apart) / (fast - slow)
    rates = -np.diff(edges * through, axis=1) / (r * np.diff(edges))
    rates[1] += q[0] ** 2 / (2 * r)
    return rates


def _flux(u: np.ndarray) -> np.ndarray:
    return np.stack([u[0] * u[1], u[0] * u[1] ** 2 + u[0] ** 2 / 2])
