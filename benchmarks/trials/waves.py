# SPDX-License-Identifier: MIT
"""Waves, beams of light and transport."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

import lrfm

from .case import case, distance


@case("physics", "evolution", "a packet that tunnels through a barrier")
def tunnelling():
    """1j ψ_t = −½ ψ_xx + V ψ, a packet of momentum 2 and a Gaussian barrier of height 2.5; reference: split steps on 4096 points, Strang and Richardson."""
    packet = "exp(-(x + 10)**2/4)*exp(2j*x)"

    def ask():
        problem = lrfm.Problem(
            "1j*psi_t = -0.5*psi_xx + V0*exp(-x**2)*psi",
            domain=lrfm.Box(x=(-40, 40)),
            time=(0, 8),
            initial=packet,
            boundary="psi = 0",
            unknowns={"psi": complex},
            parameters={"V0": 2.5},
        )
        return lrfm.solve(problem, tol=1e-5)

    def split(steps, every):
        n, length = 4096, 80.0
        x = -40 + length * np.arange(n) / n
        k = 2 * np.pi * np.fft.fftfreq(n, length / n)
        h = 8.0 / steps
        psi = np.exp(-((x + 10) ** 2) / 4 + 2j * x)
        half, whole = np.exp(-0.5j * h * 2.5 * np.exp(-(x**2))), np.exp(-0.5j * h * k**2)
        out = [psi]
        for step in range(steps):
            psi = half * np.fft.ifft(whole * np.fft.fft(half * psi))
            if (step + 1) % every == 0:
                out.append(psi)
        return x, np.array(out).T

    def check(solution):
        x, coarse = split(4000, 500)
        _, fine = split(8000, 1000)
        exact = fine + (fine - coarse) / 3
        found = solution(x=x[:, None], t=np.linspace(0, 8, 9))
        return distance(found, exact), solution.report.error_estimate

    return ask, check


@case("physics", "evolution", "a cloud in phase space that an oscillator turns")
def phase_space():
    """f_t + p f_x − x f_p = 0: f₀ turned by t; nothing is known at the sides."""

    def ask():
        problem = lrfm.Problem(
            "f_t + p*f_x - x*f_p = 0",
            domain=lrfm.Box(x=(-4, 4), p=(-4, 4)),
            time=(0, "pi"),
            initial="exp(-3*(x - 1.5)**2 - 6*p**2)",
            boundary="f = 0",
        )
        return lrfm.solve(problem, tol=1e-4)

    def check(solution):
        x = np.linspace(-4, 4, 101)
        X, P, T = np.meshgrid(x, x, np.linspace(0, np.pi, 9), indexing="ij")
        back_x, back_p = X * np.cos(T) - P * np.sin(T), X * np.sin(T) + P * np.cos(T)
        exact = np.exp(-3 * (back_x - 1.5) ** 2 - 6 * back_p**2)
        return distance(solution(x=X, p=P, t=T), exact), solution.report.error_estimate

    return ask, check


@case("optics", "evolution", "a Gaussian beam that spreads while it travels")
def gaussian_beam():
    """1j a_t + ½ Δa = 0 with t along the beam: a = w²/(w² + i t) exp(−r²/(2(w² + i t))), w = 1."""

    def ask():
        problem = lrfm.Problem(
            "1j*a_t + 0.5*lap(a) = 0",
            domain=lrfm.Box(x=(-12, 12), y=(-12, 12)),
            time=(0, 2),
            initial="exp(-(x**2 + y**2)/2)",
            boundary="a = 0",
            unknowns={"a": complex},
        )
        return lrfm.solve(problem, tol=1e-5)

    def check(solution):
        x = np.linspace(-12, 12, 121)
        X, Y, T = np.meshgrid(x, x, np.linspace(0, 2, 6), indexing="ij")
        exact = np.exp(-(X**2 + Y**2) / (2 * (1 + 1j * T))) / (1 + 1j * T)
        return distance(solution(x=X, y=Y, t=T), exact), solution.report.error_estimate

    return ask, check


@case("optics", "modes", "guided modes of a slab")
def slab():
    """u_xx + k² n² u = β² u, n = 1.5 for |x| < 1/2, else 1.45, k = 10: tan(κ/2) = γ/κ for even modes, −κ/γ for odd ones."""
    k, core, clad = 10.0, 1.5, 1.45

    def ask():
        problem = lrfm.Problem(
            "u_xx + k**2*where(abs(x) < 0.5, 1.5, 1.45)**2*u = lam*u",
            domain=lrfm.Box(x=(-10, 10)),
            boundary="u = 0",
            parameters={"k": k},
        )
        return lrfm.modes(problem, k=1, near=k**2 * core**2, tol=1e-8)

    def check(modes):
        numerical = k**2 * (core**2 - clad**2)
        kappa = brentq(
            lambda s: s * np.tan(s / 2) - np.sqrt(numerical - s**2),
            1e-6,
            min(np.pi, np.sqrt(numerical)) - 1e-9,
            xtol=1e-15,
        )
        exact = k**2 * core**2 - kappa**2
        return abs(modes.values[0] / exact - 1), float(modes.errors[0] / exact)

    return ask, check


@case("geophysics", "evolution", "a tsunami that runs up a shelf")
def tsunami():
    """η_tt = (g h(x) η_x)_x with depth from 4 to 0.5 km in Mm and hours; reference: fourth-order differences in momentum form, 2 grids."""
    depth = "(2.25 - 1.75*tanh((x - 1.5)/0.15))"  # km

    def ask():
        problem = lrfm.Problem(
            "eta_tt = diff(g*h*eta_x, x)",
            domain=lrfm.Box(x=(0, 2)),
            time=(0, 3),
            initial={"eta": "exp(-(x - 0.6)**2/0.005)", "eta_t": "0"},
            boundary={"x-": "eta_n = 0", "x+": "eta = 0"},
            parameters={"g": 9.81 * 3.6**2 / 1000, "h": depth},
        )
        return lrfm.solve(problem, tol=1e-5)

    def series(n, times):
        """η = Σ a_j(t) φ_j, Chebyshev collocation matrices of degree n, the matrix exponentiated by its eigenvalues."""
        j = np.arange(n + 1)
        s = -np.cos(np.pi * j / n)
        c = np.where((j == 0) | (j == n), 2.0, 1.0) * (-1.0) ** j
        gap = s[:, None] - s[None, :] + np.eye(n + 1)
        D = np.outer(c, 1 / c) / gap
        D -= np.diag(D.sum(axis=1))
        x = 1 + s
        g = 9.81 * 3.6**2 / 1000
        H = np.diag(g * (2.25 - 1.75 * np.tanh((x - 1.5) / 0.15)))
        slope = D.copy()
        slope[0] = 0.0  # η_x = 0 at the left end
        A = (D @ H @ slope)[:-1, :-1]  # η = 0 at the right end
        lam, V = np.linalg.eig(A)
        start = np.linalg.solve(V, np.exp(-((x[:-1] - 0.6) ** 2) / 0.005).astype(complex))
        omega = np.sqrt(-lam + 0j)
        found = (V @ (start[:, None] * np.cos(omega[:, None] * times))).real
        return x, np.vstack([found, np.zeros(times.size)]), c

    def check(solution):
        times = np.linspace(0, 3, 13)
        x, exact, _ = series(400, times)
        weight = np.sin(np.arange(401) * np.pi / 400)[:, None]
        return distance(
            solution(x=x[:, None], t=times), exact, weights=weight
        ), solution.report.error_estimate

    return ask, check


@case("geophysics", "evolution, layers", "a seismic pulse at the boundary of two rocks")
def seismic():
    """ρ u_tt = (μ u_x)_x: a pulse to the right, reflected by (Z₁ − Z₂)/(Z₁ + Z₂), Z = √(ρμ)."""
    mu1, mu2, rho1, rho2 = 1.0, 9.0, 1.0, 2.25  # c = 1 and 2, Z = 1 and 4.5

    def ask():
        rock = lrfm.Layers(sand=lrfm.Box(x=(-3, 0)), granite=lrfm.Box(x=(0, 6)))
        problem = lrfm.Problem(
            "rho*u_tt = mu*u_xx",
            domain=rock,
            time=(0, 3),
            initial={
                "u": {"sand": "exp(-20*(x + 1.5)**2)", "granite": "0"},
                "u_t": {"sand": "40*(x + 1.5)*exp(-20*(x + 1.5)**2)", "granite": "0"},
            },
            boundary="u = 0",
            parameters={"mu": {"sand": mu1, "granite": mu2}, "rho": {"sand": rho1, "granite": rho2}},
        )
        return lrfm.solve(problem, tol=1e-5)

    def check(solution):
        def pulse(s):
            return np.exp(-20 * (s + 1.5) ** 2)

        back, on = (1 - 4.5) / 5.5, 2 / 5.5
        X, T = np.meshgrid(np.linspace(-3, 6, 901), np.linspace(0, 3, 13), indexing="ij")
        exact = np.where(X < 0, pulse(X - T) + back * pulse(-X - T), on * pulse(X / 2 - T))
        exact -= np.where(X < 0, back * pulse(-(-6 - X) - T), 0)  # the echo at x = -3 is turned round
        return distance(solution(x=X, t=T), exact), solution.report.error_estimate

    return ask, check


@case("engineering", "shock", "cars at a light that turns green, and a jam behind")
def traffic():
    """ρ_t + (ρ(1 − ρ))_x = 0: a jam ρ = 1 on (0.3, 0.5) in ρ = 0.2; a shock at its tail, a rarefaction at its head until they meet."""

    def ask():
        problem = lrfm.Problem(
            "rho_t + diff(rho*(1 - rho), x) = 0",
            domain=lrfm.Box(x=(-0.5, 1.5)),
            time=(0, 0.5),
            initial="where(x < 0.3, 0.2, where(x < 0.5, 1, 0.1))",
            boundary={"x-": "rho = 0.2", "x+": None},
        )
        return lrfm.solve(problem, tol=1e-2)

    def check(solution):
        x, times = np.linspace(-0.5, 1.5, 4001), np.linspace(0, 0.5, 11)
        exact = np.empty((x.size, times.size))
        for j, t in enumerate(times):
            # tail: ρ = 1 for x > s, s' = 1 − (0.2 + 1) = −0.2; the fan begins at 0.5 − t; they meet at t = 0.25
            fan = np.clip(0.5 * (1 - (x - 0.5) / t), 0.1, 1) if t else np.where(x < 0.5, 1, 0.1)
            exact[:, j] = np.where(x < tail(t), 0.2, fan)
        found = solution(x=x[:, None], t=times)
        return distance(found, exact, norm=1), solution.report.error_estimate

    def tail(t):
        """The place of the shock: s = 0.3 − 0.2 t, and after it has met the fan s′ = 0.8 − ρ(s, t), s = 0.5 + 0.6 t − c √t."""
        if t <= 0.25:
            return 0.3 - 0.2 * t
        c = (0.5 + 0.6 * 0.25 - 0.25) / 0.5
        return 0.5 + 0.6 * t - c * np.sqrt(t)

    return ask, check


@case("engineering", "event", "when the outlet of a heat exchanger is warm")
def exchanger():
    """u_t + u_x = 2 (v − u), v_t − v_x = 2 (u − v) from cold: until u at the outlet is 0.6; reference: characteristics, 2 grids."""

    def ask():
        problem = lrfm.Problem(
            ["u_t + u_x = h*(v - u)", "v_t - v_x = h*(u - v)"],
            domain=lrfm.Box(x=(0, 1)),
            time=(0, 20),
            initial={"u": 0, "v": 0},
            boundary={"x-": "u = 0", "x+": "v = 1 - exp(-4*t)"},
            parameters={"h": 2},
        )
        return lrfm.solve(problem, tol=1e-5, until="u(x=1) > 0.6")

    def reached(n):
        """Along characteristics with the trapezoidal rule in the exchange; the time by linear interpolation."""
        step, u, v, t = 1 / n, np.zeros(n + 1), np.zeros(n + 1), 0.0
        a, b = 1 + step, 1 - step  # (1 ± h·Δ/2), h = 2
        while True:
            outlet = u[-1]
            right_u = b * u[:-1] + step * v[:-1]  # what arrives at 1 … n
            right_v = b * v[1:] + step * u[1:]  # what arrives at 0 … n − 1
            old_u, old_v, t = u, v, t + step
            u, v = np.empty_like(old_u), np.empty_like(old_v)
            # a u − step v = right_u, a v − step u = right_v inside
            det = a * a - step * step
            u[0], v[-1] = 0.0, 1 - np.exp(-4 * t)
            u[1:-1] = (a * right_u[:-1] + step * right_v[1:]) / det
            v[1:-1] = (a * right_v[1:] + step * right_u[:-1]) / det
            v[0] = (right_v[0] + step * u[0]) / a
            u[-1] = (right_u[-1] + step * v[-1]) / a
            if u[-1] > 0.6:
                return t - step * (u[-1] - 0.6) / (u[-1] - outlet)

    def check(solution):
        coarse, fine = reached(4000), reached(8000)
        exact = fine + (fine - coarse) / 3
        return abs(solution.event.t - exact) / exact, solution.event.error / exact

    return ask, check
