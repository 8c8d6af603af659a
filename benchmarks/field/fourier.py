# SPDX-License-Identifier: MIT
"""û_k' = λ_k û_k + N̂_k(û) on a periodic box: Fourier series in space, ETDRK4 in time.

Cox and Matthews (2002), with the contour integrals of Kassam and Trefethen (2005) for its coefficients. Products are
free of aliasing by a mask. Nothing here is shared with the package.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

CONTOUR = 64  # points of the contour integrals


@dataclass(frozen=True, kw_only=True)
class Evolution:
    """What is computed, and how finely.

    start, rates, nonlinear
        start(x, ...) and rates(k_x, ...): one array per unknown; nonlinear(values, transform, k): N̂ of each unknown from
        the values on the grid, `transform` being the masked transform.
    keep
        Share of the modes kept: 2/3 for quadratic products, 1/2 for cubic ones.
    """

    lower: tuple[float, ...]
    lengths: tuple[float, ...]
    time: tuple[float, float]
    start: Callable[..., Sequence[np.ndarray]]
    rates: Callable[..., Sequence[np.ndarray]]
    nonlinear: Callable[[np.ndarray, Callable, tuple[np.ndarray, ...]], Sequence[np.ndarray]]
    modes: int
    steps: int
    keep: float = 2 / 3
    real: bool = True

    def with_size(self, modes: int, steps: int) -> Evolution:
        return replace(self, modes=modes, steps=steps)


class Grid:
    """Wave numbers, mask and transforms of a periodic box."""

    def __init__(self, e: Evolution):
        self.dimension, self.real, n = len(e.lengths), e.real, e.modes
        self.shape, self.axes = (n,) * self.dimension, tuple(range(-self.dimension, 0))
        whole = [np.fft.fftfreq(n, 1 / n)] * self.dimension
        if e.real:
            whole[-1] = np.fft.rfftfreq(n, 1 / n)
        integers = np.meshgrid(*whole, indexing="ij", sparse=True)
        self.k = tuple(2 * np.pi / length * i for length, i in zip(e.lengths, integers, strict=True))
        self.mask = np.ones(np.broadcast_shapes(*(i.shape for i in integers)), dtype=bool)
        for i in integers:
            self.mask &= np.abs(i) < e.keep * n / 2
        lines = [low + length * np.arange(n) / n for low, length in zip(e.lower, e.lengths, strict=True)]
        self.x = np.meshgrid(*lines, indexing="ij")

    def forward(self, values: np.ndarray) -> np.ndarray:
        transform = np.fft.rfftn if self.real else np.fft.fftn
        return transform(values, axes=self.axes) * self.mask

    def back(self, hat: np.ndarray) -> np.ndarray:
        return (
            np.fft.irfftn(hat, s=self.shape, axes=self.axes)
            if self.real
            else np.fft.ifftn(hat, axes=self.axes)
        )


def coefficients(z: np.ndarray, h: float) -> tuple[np.ndarray, ...]:
    """E, E½, Q, f₁, f₂, f₃ of ETDRK4 for z = λh: means over a circle of radius one around z."""
    circle = np.exp(2j * np.pi * (np.arange(CONTOUR) + 0.5) / CONTOUR)
    parts = [np.zeros(z.shape, dtype=complex) for _ in range(4)]
    for shift in circle:
        r = z + shift
        e = np.exp(r)
        parts[0] += (np.exp(r / 2) - 1) / r
        parts[1] += (-4 - r + e * (4 - 3 * r + r**2)) / r**3
        parts[2] += (2 + r + e * (r - 2)) / r**3
        parts[3] += (-4 - 3 * r - r**2 + e * (4 - r)) / r**3
    found = [np.exp(z), np.exp(z / 2), *(h * p / CONTOUR for p in parts)]
    return tuple(np.asarray(f.real if np.isrealobj(z) else f) for f in found)


def evolve(e: Evolution, stops: Sequence[int], points: np.ndarray) -> np.ndarray:
    """Values (times, unknowns, points) after the steps in `stops`, at any points (points, axes)."""
    grid, h = Grid(e), (e.time[1] - e.time[0]) / e.steps
    rate = np.stack([np.broadcast_to(r, grid.mask.shape) for r in e.rates(*grid.k)])
    E, E2, Q, f1, f2, f3 = coefficients(rate * h, h)

    def N(hat: np.ndarray) -> np.ndarray:
        return np.stack(e.nonlinear(grid.back(hat), grid.forward, grid.k))

    now = grid.forward(np.stack([v + 0.0 * grid.x[0] for v in e.start(*grid.x)]))
    found, wanted = [], set(stops)
    for step in range(e.steps + 1):
        if step in wanted:
            found.append(series(e, grid, now, points))
        if step == e.steps:
            break
        n0 = N(now)
        a = E2 * now + Q * n0
        na = N(a)
        b = E2 * now + Q * na
        nb = N(b)
        c = E2 * a + Q * (2 * nb - n0)
        now = E * now + f1 * n0 + 2 * f2 * (na + nb) + f3 * N(c)
        if step % 100 == 0 and not np.isfinite(now).all():
            raise FloatingPointError(f"blown up at step {step} of {e.steps}")
    return np.stack(found)


def series(e: Evolution, grid: Grid, hat: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Σ û_k e^{ik(x − x₀)} at scattered points, for every unknown."""
    whole = np.fft.fftn(grid.back(hat), axes=grid.axes) / e.modes**grid.dimension
    integers = np.fft.fftfreq(e.modes, 1 / e.modes)
    kept = np.flatnonzero(np.abs(integers) < e.keep * e.modes / 2)
    for axis in grid.axes:
        whole = np.take(whole, kept, axis=axis)
    waves = [
        np.exp(2j * np.pi / length * np.outer(points[:, i] - low, integers[kept]))
        for i, (low, length) in enumerate(zip(e.lower, e.lengths, strict=True))
    ]
    total = np.tensordot(whole, waves[-1], axes=(-1, 1))  # (unknowns, k…, points)
    for wave in reversed(waves[:-1]):
        total = np.einsum("...kp,pk->...p", total, wave)
    return total.real if e.real else total
