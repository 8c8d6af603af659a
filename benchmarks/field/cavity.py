# SPDX-License-Identifier: MIT
"""The regularized lid-driven cavity by its stream function: a Galerkin method with Legendre polynomials, ETDRK4.

u = ψ_y, v = −ψ_x,  ψ = g(t) ψ₀ + Σ a_ij φ_i(x) φ_j(y),  φ = φ' = 0 at the walls (Shen 1994),  ψ₀ = 16x²(1 − x)²(y³ − y²)

    (∇ψ_t, ∇φ) = −ν (Δψ, Δφ) − (u·∇u, curl φ),  curl φ = (φ_y, −φ_x),

diagonalized once by A c = λ B c, A = (Δφ, Δφ), B = (∇φ, ∇φ). The pressure is the polynomial whose gradient is closest
to ν Δu − u·∇u − u_t. Nothing here is shared with the package.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.polynomial import legendre as leg
from scipy.linalg import eigh

from field.fourier import coefficients
from field.record import Sample, spread

RE, T, RAMP = 100.0, 20.0, 4.0
TIMES, POINTS = 20, 400


def shen(n: int, z: np.ndarray) -> list[np.ndarray]:
    """φ_k on [−1, 1] and its derivatives up to the third in x on [0, 1]: (orders) of (points, n)."""
    rows = []
    for order in range(5):
        columns = []
        for k in range(n):
            c = np.zeros(k + 5)
            c[k], c[k + 2], c[k + 4] = 1.0, -2 * (2 * k + 5) / (2 * k + 7), (2 * k + 3) / (2 * k + 7)
            c /= math.sqrt(2 * (2 * k + 3) ** 2 * (2 * k + 5))
            columns.append(leg.legval(z, leg.legder(c, order) if order else c))
        rows.append(2.0**order * np.stack(columns, axis=1))
    return rows


class Cavity:
    """One resolution: n polynomials per axis, q Gauss points per axis."""

    def __init__(self, n: int):
        self.n, self.nu, q = n, 1 / RE, (3 * (n + 4)) // 2 + 4
        z, w = leg.leggauss(q)
        self.x, self.w = 0.5 + 0.5 * z, 0.5 * w
        self.f = shen(n, z)
        M, S, K = (self._gram(i) for i in (0, 1, 2))
        B = np.kron(S, M) + np.kron(M, S)
        A = np.kron(K, M) + 2 * np.kron(S, S) + np.kron(M, K)  # ∬ φ_xx φ_yy = ∬ φ_xy²: clamped
        self.rate, self.Q = eigh(A, B)  # QᵀBQ = 1
        self.lid = self._lid(self.x, self.x)

    def _gram(self, order: int) -> np.ndarray:
        f = self.f[order]
        return (f * self.w[:, None]).T @ f

    @staticmethod
    def _lid(x: np.ndarray, y: np.ndarray) -> dict[tuple[int, int], np.ndarray]:
        """Derivatives of ψ₀ on a product grid."""
        p, r = np.polynomial.Polynomial([0, 0, 16, -32, 16]), np.polynomial.Polynomial([0, 0, -1, 1])
        d = lambda poly, k, at: (poly.deriv(k) if k else poly)(at)  # noqa: E731
        return {(i, j): np.outer(d(p, i, x), d(r, j, y)) for i in range(5) for j in range(5)}

    def field(self, a: np.ndarray, g: float, i: int, j: int) -> np.ndarray:
        """∂ˣ^i ∂ʸ^j ψ on the Gauss grid from coefficients (n, n)."""
        return self.f[i] @ a @ self.f[j].T + g * self.lid[i, j]

    def coefficients(self, c: np.ndarray) -> np.ndarray:
        """From the diagonal basis to the polynomials."""
        return (self.Q @ c).reshape(self.n, self.n)

    def test(self, values: np.ndarray, i: int, j: int) -> np.ndarray:
        """(values, ∂ˣ^i ∂ʸ^j φ) for all φ."""
        return self.f[i].T @ (values * np.outer(self.w, self.w)) @ self.f[j]

    def nonlinear(self, c: np.ndarray, t: float) -> np.ndarray:
        """−(u·∇u, curl φ) and what the lid adds."""
        g, rise = 1 - math.exp(-RAMP * t), RAMP * math.exp(-RAMP * t)
        a, lid = self.coefficients(c), self.lid
        d = lambda i, j: self.field(a, g, i, j)  # noqa: E731
        u, v, uy, vx, ux = d(0, 1), -d(1, 0), d(0, 2), -d(2, 0), d(1, 1)
        first = -(u * ux + v * uy) - rise * lid[0, 1]
        second = -(u * vx - v * ux) + rise * lid[1, 0]
        bend = -self.nu * g * (lid[2, 0] + lid[0, 2])  # ν (Δu₀, curl φ), by parts
        total = (
            self.test(first, 0, 1) - self.test(second, 1, 0) + self.test(bend, 2, 0) + self.test(bend, 0, 2)
        )
        return self.Q.T @ total.ravel()

    def march(self, steps: int, every: int):
        """(t, c, c') after each `every` steps."""
        h = T / steps
        E, E2, Q, f1, f2, f3 = coefficients(-self.nu * self.rate * h, h)
        c = np.zeros(self.n**2)
        for step in range(1, steps + 1):
            t = (step - 1) * h
            n0 = self.nonlinear(c, t)
            a = E2 * c + Q * n0
            na = self.nonlinear(a, t + h / 2)
            b = E2 * c + Q * na
            nb = self.nonlinear(b, t + h / 2)
            d = E2 * a + Q * (2 * nb - n0)
            c = E * c + f1 * n0 + 2 * f2 * (na + nb) + f3 * self.nonlinear(d, t + h)
            if step % every == 0:
                yield step * h, c, -self.nu * self.rate * c + self.nonlinear(c, step * h)

    def force(self, c: np.ndarray, change: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """ν Δu − u·∇u − u_t on the Gauss grid; of an exact flow, the gradient of p."""
        g, rise = 1 - math.exp(-RAMP * t), RAMP * math.exp(-RAMP * t)
        a, b = self.coefficients(c), self.coefficients(change)
        d = lambda i, j: self.field(a, g, i, j)  # noqa: E731
        u, v, ux, uy, vx = d(0, 1), -d(1, 0), d(1, 1), d(0, 2), -d(2, 0)
        X = self.nu * (d(2, 1) + d(0, 3)) - (u * ux + v * uy) - self.field(b, rise, 0, 1)
        Y = -self.nu * (d(3, 0) + d(1, 2)) - (u * vx - v * ux) + self.field(b, rise, 1, 0)
        return X, Y

    def pressure(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """Legendre coefficients of p with mean 0: (∇p, ∇q) = (X, q_x) + (Y, q_y) for all polynomials q."""
        P, D = self._legendre(self.n + 4, self.x)
        w = self.w[:, None]
        lam, V = eigh((w * D).T @ D, (w * P).T @ P)
        right = (w * D).T @ X @ (w * P) + (w * P).T @ Y @ (w * D)
        total = lam[:, None] + lam[None]
        free = total > 1e-8  # all but the constant
        return V @ np.where(free, (V.T @ right @ V) / np.where(free, total, 1.0), 0.0) @ V.T

    @staticmethod
    def _legendre(m: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z, eye = 2 * x - 1, np.eye(m)
        value = np.stack([leg.legval(z, row) for row in eye], axis=1)
        slope = 2 * np.stack(
            [leg.legval(z, leg.legder(row)) if k else 0 * z for k, row in enumerate(eye)], axis=1
        )
        return value, slope

    def values(self, steps: int, points: np.ndarray) -> np.ndarray:
        """(times, (u, v, p), points) at T/TIMES, 2T/TIMES, …"""
        x, y = points.T
        tables = shen(self.n, 2 * x - 1), shen(self.n, 2 * y - 1)
        px, py = self._legendre(self.n + 4, x)[0], self._legendre(self.n + 4, y)[0]
        lid = {k: np.diagonal(v) for k, v in self._lid(x, y).items() if sum(k) == 1}
        found = []
        for t, c, change in self.march(steps, steps // TIMES):
            a, g = self.coefficients(c), 1 - math.exp(-RAMP * t)
            along = lambda left, a, right: np.einsum("pi,pi->p", left @ a, right)  # noqa: E731
            u = along(tables[0][0], a, tables[1][1]) + g * lid[0, 1]
            v = -along(tables[0][1], a, tables[1][0]) - g * lid[1, 0]
            found.append(np.stack([u, v, along(px, self.pressure(*self.force(c, change, t)), py)]))
        return np.stack(found)


def computed(
    compared: Callable[..., Sample], fine: tuple[int, int] = (60, 2000), rough: tuple[int, int] = (42, 2000)
) -> Sample:
    """The flow at scattered points from t = 1 on, and how well two resolutions agree; p up to its mean."""
    points = spread(np.zeros(2), np.ones(2), POINTS)
    both = []
    for n, steps in (fine, rough):
        values = Cavity(n).values(steps, points)
        values[:, 2] -= values[:, 2].mean(axis=1, keepdims=True)
        both.append(values)
    times = T * np.arange(1, TIMES + 1) / TIMES
    how = f"stream function, {fine[0]} polynomials per axis, ETDRK4 {fine[1]} steps; against {rough[0]} and {rough[1]}"
    return compared(("u", "v", "p"), times, points, both[0], both[1], 1e-3, how)
