# SPDX-License-Identifier: MIT
"""Exact solutions of Riemann problems, as functions of x/t, and of Burgers' equation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import optimize


def root(function: Callable, low: float, high: float) -> float:
    """Where a function that changes its sign is zero."""
    return float(optimize.brentq(function, low, high, xtol=1e-15))  # type: ignore[arg-type]


def burgers_smooth(start: Callable, slope: Callable, x: np.ndarray, t: float) -> np.ndarray:
    """u = u₀(x − ut) before a shock, by Newton's method along characteristics."""
    u = start(x)
    for _ in range(60):
        u = u - (u - start(x - u * t)) / (1 + t * slope(x - u * t))
    return u


def sine_with_shock(x: np.ndarray, t: float) -> np.ndarray:
    """Burgers from u₀ = sin 2πx, periodic: the shock stands at x = ½, and u is odd about it."""
    y = np.mod(x, 1.0)
    left = np.minimum(y, 1 - y)
    found = np.empty_like(left)
    for i, a in enumerate(left):
        # The characteristic that reaches a from the left starts at ξ in [0, ½], before those that ran into the shock.
        def gap(xi: float, a: float = a) -> float:
            return xi + t * np.sin(2 * np.pi * xi) - a

        top = 0.5 if 2 * np.pi * t <= 1 else np.arccos(-1 / (2 * np.pi * t)) / (2 * np.pi)
        found[i] = np.sin(2 * np.pi * root(gap, 0.0, top)) if gap(top) > 0 else 0.0
    return np.where(y <= 0.5, found, -found)


def n_wave(x: np.ndarray, t: float) -> np.ndarray:
    """Burgers from u₀ = x on (−1, 1), zero elsewhere: u = x/(1 + t) up to |x| = √(1 + t)."""
    return np.where(np.abs(x) < np.sqrt(1 + t), x / (1 + t), 0.0)


def buckley_leverett(ratio: float = 0.25) -> tuple[Callable[[np.ndarray], np.ndarray], float]:
    """u(x/t) from 1 on the left and 0 on the right: a rarefaction up to the tangent point, then a shock; and the speed of the shock."""

    def f(u):
        return u**2 / (u**2 + ratio * (1 - u) ** 2)

    def slope(u):
        d = u**2 + ratio * (1 - u) ** 2
        return 2 * ratio * u * (1 - u) / d**2

    top = root(lambda u: slope(u) - f(u) / u, 0.05, 0.999)
    fan = np.linspace(top, 1.0, 20001)

    def solution(xi: np.ndarray) -> np.ndarray:
        inside = np.interp(xi, slope(fan)[::-1], fan[::-1])
        return np.where(xi <= 0, 1.0, np.where(xi > slope(top), 0.0, inside))

    return solution, float(slope(top))


def shallow_water(left: tuple, right: tuple, g: float = 1.0) -> Callable[[np.ndarray], np.ndarray]:
    """(h, v)(x/t) from states (h, v) on both sides (Toro, Shock-Capturing Methods for Free-Surface Flows, chapter 5)."""
    (hl, vl), (hr, vr) = left, right

    def curve(h: float, side: float) -> float:
        if h <= side:
            return 2 * (np.sqrt(g * h) - np.sqrt(g * side))
        return (h - side) * np.sqrt(0.5 * g * (h + side) / (h * side))

    h = root(lambda h: curve(h, hl) + curve(h, hr) + vr - vl, 1e-12, 10 * max(hl, hr))
    v = 0.5 * (vl + vr) + 0.5 * (curve(h, hr) - curve(h, hl))

    def solution(xi: np.ndarray) -> np.ndarray:
        return np.where(xi < v, _side(xi, hl, vl, 1.0), _side(xi, hr, vr, -1.0))

    def _side(xi: np.ndarray, hk: float, vk: float, sign: float) -> np.ndarray:
        """One side, seen as the left one: for the right one space and velocity are reflected."""
        z, w, ws = sign * xi, sign * vk, sign * v
        c, cs = np.sqrt(g * hk), np.sqrt(g * h)
        if h > hk:
            speed = w - c * np.sqrt(0.5 * (h + hk) * h) / hk
            depth, flow = np.where(z < speed, hk, h), np.where(z < speed, w, ws)
        else:
            inner = (w + 2 * c - z) / 3
            fan = (z >= w - c) & (z < ws - cs)
            depth = np.where(z < w - c, hk, np.where(fan, inner**2 / g, h))
            flow = np.where(z < w - c, w, np.where(fan, (w + 2 * c + 2 * z) / 3, ws))
        return np.stack([depth, sign * flow])

    return solution


def euler(left: tuple, right: tuple, gamma: float = 1.4) -> Callable[[np.ndarray], np.ndarray]:
    """(ρ, v, p)(x/t) from states (ρ, v, p) on both sides (Toro, Riemann Solvers and Numerical Methods for Fluid Dynamics, chapter 4)."""

    def curve(p: float, state: tuple) -> float:
        rho, _, q = state
        if p > q:
            return (p - q) * np.sqrt(2 / ((gamma + 1) * rho) / (p + (gamma - 1) / (gamma + 1) * q))
        c = np.sqrt(gamma * q / rho)
        return 2 * c / (gamma - 1) * ((p / q) ** ((gamma - 1) / (2 * gamma)) - 1)

    gap = right[1] - left[1]
    p = root(lambda p: curve(p, left) + curve(p, right) + gap, 1e-12, 100 * max(left[2], right[2]))
    v = 0.5 * (left[1] + right[1]) + 0.5 * (curve(p, right) - curve(p, left))

    def side(xi: np.ndarray, state: tuple, sign: float) -> np.ndarray:
        rho, w, q = state[0], sign * state[1], state[2]
        z, vs, c = sign * xi, sign * v, np.sqrt(gamma * q / rho)
        if p > q:
            ratio = (gamma - 1) / (gamma + 1)
            inner = rho * (p / q + ratio) / (ratio * p / q + 1)
            speed = w - c * np.sqrt((gamma + 1) / (2 * gamma) * p / q + (gamma - 1) / (2 * gamma))
            after = z >= speed
            return np.stack(
                [np.where(after, inner, rho), sign * np.where(after, vs, w), np.where(after, p, q)]
            )
        inner = rho * (p / q) ** (1 / gamma)
        cs = c * (p / q) ** ((gamma - 1) / (2 * gamma))
        part = 2 / (gamma + 1) + (gamma - 1) / ((gamma + 1) * c) * (w - z)
        before, fan = z < w - c, (z >= w - c) & (z < vs - cs)
        part = np.where(fan, part, 1.0)
        flow = 2 / (gamma + 1) * (c + (gamma - 1) / 2 * w + z)
        return np.stack(
            [
                np.where(before, rho, np.where(fan, rho * part ** (2 / (gamma - 1)), inner)),
                sign * np.where(before, w, np.where(fan, flow, vs)),
                np.where(before, q, np.where(fan, q * part ** (2 * gamma / (gamma - 1)), p)),
            ]
        )

    return lambda xi: np.where(xi < v, side(xi, left, 1.0), side(xi, right, -1.0))
