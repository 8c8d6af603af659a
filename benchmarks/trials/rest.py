# SPDX-License-Identifier: MIT
"""Steady states, modes and regions."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_bvp
from scipy.optimize import brentq
from scipy.special import ive, kve

import lrfm

from .case import case, distance, worst


@case("physics", "modes, radial", "levels of hydrogen")
def hydrogen():
    """−½ u'' − u/r = E u for u = r R, u(0) = 0: E = −1/(2 n²). Without `near`, as it was asked first, what came was nearest to zero; docs/answers.md has said so since then."""

    def ask():
        problem = lrfm.Problem("-0.5*u_rr - u/r = lam*u", domain=lrfm.Box(r=(0, 100)), boundary="u = 0")
        return lrfm.modes(problem, k=3, near=-1, tol=1e-8)

    def check(modes):
        exact = -0.5 / np.arange(1, 4) ** 2
        return float(np.max(np.abs(modes.values / exact - 1))), float(np.max(np.abs(modes.errors / exact)))

    return ask, check


@case("chemistry", "steady, radial", "a catalyst pellet with Langmuir's kinetics")
def pellet():
    """Δc = φ² c/(1 + K c) in a ball, c = 1 at its surface, φ = 8, K = 2; reference: SciPy's solve_bvp for w = r c."""

    def ask():
        problem = lrfm.Problem(
            "lap(c) = phi**2*c/(1 + K*c)",
            domain=lrfm.Box(r=(0, 1), coordinates="spherical"),
            boundary="c = 1",
            parameters={"phi": 8, "K": 2},
        )
        return lrfm.steady(problem, tol=1e-6)

    def check(solution):
        def rate(r, y):
            return np.array([y[1], 64 * y[0] / (1 + 2 * y[0] / np.maximum(r, 1e-12))])

        r = np.linspace(0, 1, 2001)
        done = solve_bvp(
            rate,
            lambda a, b: np.array([a[0], b[0] - 1]),
            r,
            np.array([r**8, 8 * r**7]),
            tol=1e-11,
            max_nodes=200_000,
        )
        inner = r[20:]
        return distance(solution(r=inner), done.sol(inner)[0] / inner), solution.report.error_estimate

    return ask, check


@case("biology", "steady, region", "a morphogen between a source and a leaking rim")
def morphogen():
    """D Δc = k c in an annulus, flux 1 from the inner circle, D c_n = −0.5 c at the outer: I₀ and K₀."""
    inner, outer, D, k = 0.3, 1.0, 0.1, 2.0

    def ask():
        problem = lrfm.Problem(
            "D*lap(c) = k*c",
            domain=lrfm.Annulus(radii=(0.3, 1)),
            boundary={"inner": "D*c_n = 1", "outer": "D*c_n = -0.5*c"},
            parameters={"D": 0.1, "k": 2},
        )
        return lrfm.steady(problem, tol=1e-5)

    def check(solution):
        m = np.sqrt(k / D)
        i0, i1 = lambda r: ive(0, m * r) * np.exp(m * r), lambda r: ive(1, m * r) * np.exp(m * r)
        k0, k1 = lambda r: kve(0, m * r) * np.exp(-m * r), lambda r: kve(1, m * r) * np.exp(-m * r)
        # the outward normal of the inner circle is -r
        A = np.array(
            [
                [-D * m * i1(inner), D * m * k1(inner)],
                [D * m * i1(outer) + 0.5 * i0(outer), -D * m * k1(outer) + 0.5 * k0(outer)],
            ]
        )
        a, b = np.linalg.solve(A, [1.0, 0.0])
        r, angle = np.meshgrid(np.linspace(0.3001, 0.9999, 60), np.linspace(0, 2 * np.pi, 25), indexing="ij")
        exact = a * i0(r) + b * k0(r)
        return distance(
            solution(x=r * np.cos(angle), y=r * np.sin(angle)), exact, weights=r
        ), solution.report.error_estimate

    return ask, check


@case("engineering", "modes", "a beam with a mass at its tip")
def tip_mass():
    """u_xxxx = λ u, clamped, at the free end u_xx = 0 and u_xxx = −m λ u, m = 1: 1 + cos β cosh β = m β (sin β cosh β − cos β sinh β)."""

    def ask():
        problem = lrfm.Problem(
            "u_xxxx = lam*u",
            domain=lrfm.Box(x=(0, 1)),
            boundary={"x-": ["u = 0", "u_x = 0"], "x+": ["u_xx = 0", "u_xxx = -m*lam*u"]},
            parameters={"m": 1},
        )
        return lrfm.modes(problem, k=3, tol=1e-6)

    def check(modes):
        def condition(b):
            return (
                1 + np.cos(b) * np.cosh(b) - b * (np.sin(b) * np.cosh(b) - np.cos(b) * np.sinh(b))
            ) / np.cosh(b)

        exact = np.array([brentq(condition, *ends, xtol=1e-14) for ends in ((0.5, 2), (3, 5), (6.3, 8))]) ** 4
        return float(np.max(np.abs(modes.values / exact - 1))), float(np.max(np.abs(modes.errors / exact)))

    return ask, check


@case("materials", "steady, region", "a thick pipe under pressure")
def pipe():
    """Lamé: u_r = A r + B/r with pressure 1 at r = 1, none at r = 2; λ = 1.2, μ = 0.8. Rigid motion is excluded by symmetry: a quarter of the ring."""
    lam, mu = 1.2, 0.8
    sxx, syy, sxy = "((lam + 2*mu)*u_x + lam*v_y)", "((lam + 2*mu)*v_y + lam*u_x)", "mu*(u_y + v_x)"

    def ask():
        ring = lrfm.Sector(angles=(0, np.pi / 2), radius=2) - lrfm.Disk(radius=1, name="bore")
        free = [f"n_x*{sxx} + n_y*{sxy} = 0", f"n_x*{sxy} + n_y*{syy} = 0"]
        pressed = [f"n_x*{sxx} + n_y*{sxy} = -n_x", f"n_x*{sxy} + n_y*{syy} = -n_y"]
        problem = lrfm.Problem(
            ["(lam + mu)*(u_xx + v_xy) + mu*lap(u) = 0", "(lam + mu)*(u_xy + v_yy) + mu*lap(v) = 0"],
            domain=ring,
            boundary={
                "bore": pressed,
                "arc": free,
                "start": ["v = 0", f"{sxy} = 0"],
                "end": ["u = 0", f"{sxy} = 0"],
            },
            parameters={"lam": lam, "mu": mu},
        )
        return lrfm.steady(problem, tol=1e-4)

    def check(solution):
        # σ_r = 2 (λ + μ) A − 2 μ B/r²
        A, B = np.linalg.solve([[2 * (lam + mu), -2 * mu], [2 * (lam + mu), -2 * mu / 4]], [-1.0, 0.0])
        r, angle = np.meshgrid(
            np.linspace(1.0005, 1.9995, 40), np.linspace(0.001, np.pi / 2 - 0.001, 40), indexing="ij"
        )
        size = A * r + B / r
        found = solution(x=r * np.cos(angle), y=r * np.sin(angle))
        return worst(
            [(found["u"], size * np.cos(angle)), (found["v"], size * np.sin(angle))]
        ), solution.report.error_estimate

    return ask, check


@case("neuroscience", "steady, fit", "the length constant of a dendrite")
def dendrite():
    """ℓ² V'' = V, V'(0) = −a, sealed at 1: ℓ = 0.4 and a = 5 from 15 voltages with noise 0.01; claimed are intervals of 95 %."""

    def ask():
        problem = lrfm.Problem(
            "ell**2*V_xx = V",
            domain=lrfm.Box(x=(0, 1)),
            boundary={"x-": "V_x = -a", "x+": "V_x = 0"},
            parameters={"ell": lrfm.Unknown(1.0, lower=0), "a": lrfm.Unknown(1.0)},
        )
        x = np.linspace(0, 1, 15)
        measured = 5 * 0.4 * np.cosh((1 - x) / 0.4) / np.sinh(1 / 0.4) + 0.01 * np.random.default_rng(
            7
        ).normal(size=15)
        return lrfm.fit(problem, lrfm.Data(x=x, V=measured, sigma=0.01))

    def check(fit):
        pairs = [(fit.parameters[name], truth) for name, truth in (("ell", 0.4), ("a", 5.0))]
        return max(abs(p.value / truth - 1) for p, truth in pairs), max(
            (p.upper - p.value) / truth for p, truth in pairs
        )

    return ask, check
