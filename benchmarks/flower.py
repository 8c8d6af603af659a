# SPDX-License-Identifier: MIT
"""A second method for fields in the flower r < R(θ) = 1 + 0.3 cos 5θ that start from nothing: polar coordinates s = r/R(θ), θ.

u_t = k Δu + f(u, t),  u = 0 on the boundary and at the start:  polynomials in s on Radau's points times Fourier modes 0, 5, 10, … in θ,

Δ = R⁻² (∂ₛₛ + s⁻¹∂ₛ + s⁻²(∂_θ − s R′/R ∂ₛ)²);   in time the L-stable SDIRK method of order 4 (Hairer, Wanner, Solving ODEs II, table IV.6.5).

    python benchmarks/flower.py          # how far two resolutions agree
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import legendre
from scipy.linalg import lu_factor, lu_solve

PETALS, DEPTH = 5, 0.3
GAMMA = 0.25
NEAREST = 6  # steps that give a value between them
STAGES = np.array(
    [
        [1 / 4, 0, 0, 0, 0],
        [1 / 2, 1 / 4, 0, 0, 0],
        [17 / 50, -1 / 25, 1 / 4, 0, 0],
        [371 / 1360, -137 / 2720, 15 / 544, 1 / 4, 0],
        [25 / 24, -49 / 48, 125 / 16, -85 / 12, 1 / 4],
    ]
)
TEXT = "(x**2+y**2)**3 < (x**2+y**2)**2.5 + 0.3*(x**5 - 10*x**3*y**2 + 5*x*y**4)"


def _radau(n: int) -> np.ndarray:
    """Points of (0, 1] with the end 1."""
    inner = legendre.legroots(legendre.legsub(np.eye(n)[n - 1], np.eye(n + 1)[n]))
    return np.sort((1 + np.real(inner)) / 2)


def _differentiation(x: np.ndarray) -> np.ndarray:
    """Of the polynomial through values at points; weights by logarithms, since there are many points."""
    gaps = x[:, None] - x[None, :] + np.eye(len(x))
    signs, logs = np.prod(np.sign(gaps), axis=1), np.sum(np.log(np.abs(gaps)), axis=1)
    d = (signs[:, None] * signs[None, :]) * np.exp(logs[:, None] - logs[None, :]) / gaps
    np.fill_diagonal(d, 0.0)
    np.fill_diagonal(d, -d.sum(axis=1))
    return d


class Polar:
    """u on a grid of the flower after every step; between them polynomials of degree `NEAREST` − 1 in time."""

    def __init__(
        self,
        diffusion: float,
        forcing: Callable[[np.ndarray, float], np.ndarray],
        end: float,
        radial: int = 32,
        around: int = 88,
        steps: int = 180,
    ):
        self.s, self.theta = _radau(radial), 2 * np.pi / PETALS * np.arange(around) / around
        self.times = np.linspace(0, end, steps + 1)
        matrix = diffusion * self._laplacian()
        inner = np.repeat(self.s < 1 - 1e-12, around)
        matrix = matrix[np.ix_(inner, inner)]
        h = end / steps
        factors = lu_factor(np.eye(len(matrix)) - GAMMA * h * matrix)
        u, values = np.zeros(len(matrix)), np.zeros((steps + 1, radial * around))
        for step in range(steps):
            u = self._step(u, step * h, h, matrix, factors, forcing)
            values[step + 1, inner] = u
        along = np.linalg.inv(legendre.legvander(2 * self.s - 1, radial - 1))
        back = np.exp(-1j * PETALS * self.theta[:, None] * self._modes())
        self.tables = along @ values.reshape(steps + 1, radial, around) @ back

    def _modes(self) -> np.ndarray:
        count = len(self.theta)
        return np.arange(-(count // 2), count // 2)

    def _laplacian(self) -> np.ndarray:
        ds = np.kron(_differentiation(self.s), np.eye(len(self.theta)))
        count = len(self.theta)
        waves = PETALS * np.fft.fftfreq(count, 1 / count)
        waves[count // 2] = 0
        turn = np.real(np.fft.ifft(1j * waves[:, None] * np.fft.fft(np.eye(count), axis=0), axis=0))
        dt = np.kron(np.eye(len(self.s)), turn)
        s = np.repeat(self.s, count)[:, None]
        radius = np.tile(1 + DEPTH * np.cos(PETALS * self.theta), len(self.s))[:, None]
        slope = np.tile(-PETALS * DEPTH * np.sin(PETALS * self.theta), len(self.s))[:, None] / radius
        across = dt - s * slope * ds
        return (ds @ ds + ds / s + across @ across / s**2) / radius**2

    @staticmethod
    def _step(u, t, h, matrix, factors, forcing):
        """One step; the forcing is no stiff part, and is met by iteration."""
        rates: list[np.ndarray] = []
        for row in STAGES:
            at, known = (
                t + h * row.sum(),
                u + h * sum((a * k for a, k in zip(row, rates, strict=False)), 0 * u),
            )
            value = known
            for _ in range(30):
                new = lu_solve(factors, known + h * GAMMA * forcing(value, at))
                change, value = np.max(np.abs(new - value)), new
                if change <= 1e-14:
                    break
            rates.append((value - known) / (h * GAMMA))
        return value  # the last stage ends the step

    def __call__(self, x: np.ndarray, y: np.ndarray, t: np.ndarray) -> np.ndarray:
        """Values at points and times."""
        x, y, t = np.broadcast_arrays(x, y, t)
        angle, r, when = np.arctan2(y, x).ravel(), np.hypot(x, y).ravel(), np.ravel(t)
        s = r / (1 + DEPTH * np.cos(PETALS * angle))
        found = np.empty(len(s))
        for at in np.unique(when):
            mine = when == at
            circular = np.exp(1j * PETALS * angle[mine, None] * self._modes()) / len(self.theta)
            vander = legendre.legvander(2 * s[mine] - 1, len(self.s) - 1)
            found[mine] = np.real(np.sum((vander @ self._table(at)) * circular, axis=1))
        return found.reshape(x.shape)

    def _table(self, t: float) -> np.ndarray:
        """Coefficients at a time: Lagrange's polynomial through the nearest steps."""
        place = t / self.times[-1] * (len(self.times) - 1)
        first = int(np.clip(np.floor(place) - NEAREST // 2 + 1, 0, len(self.times) - NEAREST))
        nodes = np.arange(first, first + NEAREST)
        weights = [np.prod([(place - m) / (n - m) for m in nodes if m != n]) for n in nodes]
        return np.tensordot(weights, self.tables[first : first + NEAREST], axes=1)


def source(u: np.ndarray, t: float) -> np.ndarray:
    return np.full_like(u, 10 * t**2)


def reaction(u: np.ndarray, t: float) -> np.ndarray:
    return u - u**3 + 5 * t


if __name__ == "__main__":
    for diffusion, forcing, end in ((1.0, source, 0.2), (0.1, reaction, 1.0)):
        fine = Polar(diffusion, forcing, end)
        coarse = Polar(diffusion, forcing, end, radial=26, around=64, steps=120)
        angle, part = np.meshgrid(np.linspace(0, 6, 60), np.linspace(0.05, 0.98, 20))
        r = part * (1 + DEPTH * np.cos(PETALS * angle))
        x, y, t = r * np.cos(angle), r * np.sin(angle), np.full(r.shape, end)
        a, b = fine(x, y, t), coarse(x, y, t)
        print(
            forcing.__name__,
            "relative difference",
            np.linalg.norm(a - b) / np.linalg.norm(a),
            "largest",
            a.max(),
        )
