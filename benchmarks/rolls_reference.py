# SPDX-License-Identifier: MIT
"""Nusselt numbers of steady rolls between plates, by Newton's method at rest: sines and cosines along the plates, Chebyshev points across, plain NumPy, nothing of lrfm.

    python benchmarks/rolls_reference.py     # Ra = 1e4, 5e4 and 1e5 with two resolutions

With T = 1 − y + θ, u = ψ_y, v = −ψ_x in units of the height and the free fall, ν = √(Pr/Ra), κ = 1/√(Pr Ra),

    ψ_y ∇²ψ_x − ψ_x ∇²ψ_y − ν∇⁴ψ + θ_x = 0,     ψ_y θ_x − ψ_x (θ_y − 1) − κ∇²θ = 0,     ψ = ψ_y = θ = 0 at both plates,

ψ = Σ ψ_n(y) sin nqx,  θ = Σ θ_n(y) cos nqx.   Nu = 1 − θ₀′(0).
"""

from __future__ import annotations

import math

import numpy as np

PRANDTL, WAVE = 0.71, 3.117


def chebyshev(n: int) -> tuple[np.ndarray, np.ndarray]:
    """n + 1 points of [0, 1] and the matrix of the derivative (Trefethen, Spectral Methods in MATLAB, 2000)."""
    x = np.cos(math.pi * np.arange(n + 1) / n)
    c = np.hstack([2.0, np.ones(n - 1), 2.0]) * (-1.0) ** np.arange(n + 1)
    gaps = x[:, None] - x[None, :] + np.eye(n + 1)
    d = np.outer(c, 1 / c) / gaps
    d -= np.diag(d.sum(axis=1))
    return (1 + x) / 2, 2 * d


class Rolls:
    """Modes up to `modes` along the plates, `degree` across."""

    def __init__(self, modes: int, degree: int):
        self.modes, self.y, self.d = modes, *chebyshev(degree)
        points = 2 * modes  # more than 3/2: products of two are free of aliasing
        x = math.pi * (np.arange(points) + 0.5) / points
        n, m = np.arange(1, modes + 1), np.arange(modes + 1)
        self.sine, self.cosine = np.sin(np.outer(x, n)), np.cos(np.outer(x, m))
        self.to_sine = 2 / points * self.sine.T
        self.to_cosine = np.where(m > 0, 2, 1)[:, None] / points * self.cosine.T
        self.k, self.k0 = WAVE * n, WAVE * m

    def _derivatives(self, psi, theta):
        """ψ_x, ψ_y, ∇²ψ_x, ∇²ψ_y, θ_x, θ_y on the grid, (x, y)."""
        d, kc, ks = self.d, self.cosine[:, 1:] * self.k, self.sine
        lap = psi @ (d @ d).T - self.k[:, None] ** 2 * psi
        return (
            kc @ psi,
            ks @ psi @ d.T,
            kc @ lap,
            ks @ lap @ d.T,
            -(ks * self.k) @ theta[1:],
            self.cosine @ theta @ d.T,
        )

    def residual(self, psi, theta, nu, kappa):
        px, py, lx, ly, tx, ty = self._derivatives(psi, theta)
        first = self.to_sine @ (py * lx - px * ly)
        second = self.to_cosine @ (py * tx - px * (ty - 1))
        d2 = self.d @ self.d
        lap = psi @ d2.T - self.k[:, None] ** 2 * psi
        first -= nu * (lap @ d2.T - self.k[:, None] ** 2 * lap) + self.k[:, None] * theta[1:]
        second -= kappa * (theta @ d2.T - self.k0[:, None] ** 2 * theta)
        first[:, [0, -1]], second[:, [0, -1]] = psi[:, [0, -1]], theta[:, [0, -1]]
        first[:, [1, -2]] = (psi @ self.d.T)[:, [0, -1]]
        return np.concatenate([first.ravel(), second.ravel()])

    def jacobian(self, psi, theta, nu, kappa):
        px, py, lx, ly, tx, ty = self._derivatives(psi, theta)
        d, one, count = self.d, np.eye(len(self.y)), len(self.y)
        d2 = d @ d
        kc, ks, kt = self.cosine[:, 1:] * self.k, self.sine, -(self.sine * self.k)

        def block(to, values, functions, across):
            """Σ of P diag(values) F ⊗ matrices across, all (rows, y, columns, y)."""
            left = np.einsum("pm,mj,mn->pjn", to, values, functions, optimize=True)
            return left[:, :, :, None] * across[None, :, None, :]

        lap = lambda k: d2[None] - (k**2)[:, None, None] * one[None]  # noqa: E731
        of_lap = np.einsum("nij->inj", lap(self.k))
        third = np.einsum("ab,nbj->anj", d, lap(self.k))

        def varying(to, values, functions, across):
            left = np.einsum("pm,mj,mn->pjn", to, values, functions, optimize=True)
            return left[:, :, :, None] * across[None]

        pp = block(self.to_sine, lx, ks, d) - block(self.to_sine, ly, kc, one)
        pp += varying(self.to_sine, py, kc, of_lap) - varying(self.to_sine, px, ks, third)
        fourth = lap(self.k) @ lap(self.k)
        for n in range(self.modes):
            pp[n, :, n] -= nu * fourth[n]
        pt = np.zeros((self.modes, count, self.modes + 1, count))
        for n in range(self.modes):
            pt[n, :, n + 1] = -self.k[n] * one
        tp = block(self.to_cosine, tx, ks, d) - block(self.to_cosine, ty - 1, kc, one)
        tt = -block(self.to_cosine, px, self.cosine, d)
        tt[:, :, 1:] += block(self.to_cosine, py, kt, one)
        for n in range(self.modes + 1):
            tt[n, :, n] -= kappa * (d2 - self.k0[n] ** 2 * one)
        for rows, others in ((pp, pt), (tt, tp)):
            for at, value in ((0, one[0]), (-1, one[-1])):
                rows[:, at], others[:, at] = 0, 0
                for n in range(len(rows)):
                    rows[n, at, n] = value
        for at, value in ((1, d[0]), (-2, d[-1])):
            pp[:, at], pt[:, at] = 0, 0
            for n in range(self.modes):
                pp[n, at, n] = value
        sizes = self.modes * count, (self.modes + 1) * count
        return np.block(
            [
                [pp.reshape(sizes[0], -1), pt.reshape(sizes[0], -1)],
                [tp.reshape(sizes[1], -1), tt.reshape(sizes[1], -1)],
            ]
        )

    def nusselt(self, theta) -> float:
        """At the lower plate."""
        return 1 - float(self.d[-1] @ theta[0])

    def solve(self, rayleigh, psi, theta, goal: float = 1e-9):
        nu, kappa = math.sqrt(PRANDTL / rayleigh), 1 / math.sqrt(PRANDTL * rayleigh)
        for _ in range(30):
            found = self.residual(psi, theta, nu, kappa)
            step = np.linalg.solve(self.jacobian(psi, theta, nu, kappa), found)
            psi = psi - step[: psi.size].reshape(psi.shape)
            theta = theta - step[psi.size :].reshape(theta.shape)
            if np.max(np.abs(step)) < goal:
                return psi, theta
        raise ArithmeticError(f"no rolls at Ra = {rayleigh:g}")


def nusselt_numbers(modes: int, degree: int, rayleighs=(1e4, 5e4, 1e5)) -> dict[float, float]:
    """By continuation from weak convection."""
    made = Rolls(modes, degree)
    psi, theta = np.zeros((modes, degree + 1)), np.zeros((modes + 1, degree + 1))
    psi[0], theta[1] = -0.2 * np.sin(math.pi * made.y) ** 2, 0.3 * np.sin(math.pi * made.y)
    found = {}
    for rayleigh in sorted({4e3, 2e4, *rayleighs}):
        psi, theta = made.solve(rayleigh, psi, theta)
        found[rayleigh] = made.nusselt(theta)
    return {r: found[r] for r in rayleighs}


if __name__ == "__main__":
    for size in ((12, 28), (18, 36)):
        print(size, {f"{r:g}": round(n, 6) for r, n in nusselt_numbers(*size).items()}, flush=True)
