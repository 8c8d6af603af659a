# SPDX-License-Identifier: MIT
"""Questions of engineers and physicists: a shaft, a cable, a column, a sphere that releases, a floor plan, a star."""

import numpy as np

import lrfm

from .case import case, distance


@case("mechanics", "steady, plane", "torsion of a square shaft")
def shaft():
    """Δφ = −2, φ = 0 on a square of side 1: J = 2 ∫φ = 1/3 − 64/π⁵ Σ tanh(nπ/2)/n⁵ over odd n."""

    def ask():
        square = lrfm.Box(x=(0, 1), y=(0, 1))
        return lrfm.steady(lrfm.Problem("lap(phi) = -2", domain=square, boundary="phi = 0"), tol=1e-4)

    def check(solution):
        n = np.arange(1, 60, 2)
        exact = 1 / 3 - 64 / np.pi**5 * np.sum(np.tanh(n * np.pi / 2) / n**5)
        found = 2 * solution.integral("phi")
        return abs(float(found) - exact) / exact, solution.report.error_estimate

    return ask, check


@case("electricity", "steady, region", "capacitance of a cable whose core is off its middle")
def cable():
    """Δφ = 0 between φ = 1 on a circle of radius 0.3, shifted by 0.4, and φ = 0 on one of radius 1: C = 2π/arcosh((1 + a² − d²)/(2a))."""
    a, d = 0.3, 0.4

    def ask():
        core = lrfm.Disk(center=(d, 0), radius=a, name="core")
        problem = lrfm.Problem(
            "lap(phi) = 0",
            domain=lrfm.Disk(radius=1, name="shield") - core,
            boundary={"core": "phi = 1", "shield": "phi = 0"},
        )
        return lrfm.steady(problem, tol=1e-4)

    def check(solution):
        exact = 2 * np.pi / np.arccosh((1 + a**2 - d**2) / (2 * a))
        found = solution.flux(
            "core"
        )  # u_n of a solution that is claimed in L²: its own error says how far it is
        return abs(found + found.error - exact) / exact, abs(found.error) / exact

    return ask, check


@case("chemical engineering", "evolution", "a tracer that is washed out of a packed bed")
def bed():
    """c_t + c_x = c_xx/Pe with Danckwerts' inlet c − c_x/Pe = 0 and c_x = 0 behind, from c = 1; reference: Chebyshev points and the exponential of their matrix."""
    peclet = 20.0

    def ask():
        problem = lrfm.Problem(
            "c_t + c_x = c_xx/Pe",
            domain=lrfm.Box(x=(0, 1)),
            time=(0, 2),
            initial="1",
            boundary={"x-": "c - c_x/Pe = 0", "x+": "c_x = 0"},
            parameters={"Pe": peclet},
        )
        return lrfm.solve(problem, tol=1e-4)

    def check(solution):
        from scipy.linalg import expm

        from .shapes import chebyshev

        x, D = chebyshev(64)  # from x = 1 down to x = 0
        L, edge = D @ D / peclet - D, [0, 64]
        rows = np.array([D[0], np.eye(65)[64] - D[64] / peclet])
        inner = np.arange(1, 64)
        back = -np.linalg.solve(rows[:, edge], rows[:, inner])  # values at the ends by those inside
        A = L[np.ix_(inner, inner)] + L[np.ix_(inner, edge)] @ back
        times = np.linspace(0.1, 2, 20)
        step, u, exact = expm(A * 0.1), np.ones(63), []
        for _ in times:
            u = step @ u
            exact.append(u)
        found = solution(x=x[inner][:, None], t=times)
        return distance(found, np.array(exact).T), solution.report.error_estimate

    return ask, check


@case("pharmacy", "evolution, radial", "what a bead has released")
def bead():
    """c_t = D (c_rr + 2 c_r/r) in a ball, c = 0 at its surface from 1: M(t) = 1 − 6/π² Σ e^{−D n²π² t}/n²."""

    def ask():
        problem = lrfm.Problem(
            "c_t = D*lap(c)",
            domain=lrfm.Box(r=(0, 1), coordinates="spherical"),
            time=(0, 0.2),
            initial="1",
            boundary={"r+": "c = 0"},
            parameters={"D": 1.0},
        )
        return lrfm.solve(problem, tol=1e-5)

    def check(solution):
        times = np.array([0.02, 0.05, 0.1, 0.2])
        n = np.arange(1, 400)[:, None]
        exact = 6 / np.pi**2 * np.sum(np.exp(-((n * np.pi) ** 2) * times) / n**2, axis=0)
        found = solution.integral("c", over="r")(t=times)
        # of the volume of the ball, or of its radius: what `integral` means in these coordinates is part of the question
        return distance(np.asarray(found) / (4 * np.pi / 3), exact), solution.report.error_estimate

    return ask, check


@case("acoustics", "modes, region", "tones of a room with a corner")
def floor_plan():
    """−Δp = λ p, p_n = 0, on an L of three unit squares: Dauge's benchmark (1.47562182408, 3.53403136678, π², π², 11.3894793979)."""

    def ask():
        room = lrfm.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])
        return lrfm.modes(lrfm.Problem("lap(p) = -lam*p", domain=room, boundary="p_n = 0"), k=4, tol=1e-4)

    def check(found):
        exact = np.array([0, 1.47562182408, 3.53403136678, np.pi**2])
        values, errors = np.sort(found.values.real), np.asarray(found.errors)[np.argsort(found.values.real)]
        gap = np.abs(values - exact)
        worst = int(np.argmax(gap / np.maximum(errors, 1e-300)))
        return gap[worst] / max(exact[worst], 1), errors[worst] / max(exact[worst], 1)

    return ask, check


@case("astronomy", "ordinary, event", "the radius of a polytropic star")
def star():
    """θ'' + 2θ'/ξ = −θ^{3/2}, θ(0) = 1: the first zero is at ξ = 3.6537537362191 (Chandrasekhar's table; Horedt 2004)."""

    def ask():
        problem = lrfm.Problem("t*u_tt + 2*u_t = -t*abs(u)**1.5", time=(0, 10), initial={"u": 1, "u_t": 0})
        return lrfm.solve(problem, tol=1e-6, until="u = 0")

    def check(solution):
        return abs(solution.event.t - 3.6537537362191), solution.event.error

    return ask, check


@case("electrical engineering", "evolution", "a pulse along a telegraph line")
def telegraph():
    """u_tt + (a + b) u_t + a b u = c² u_xx, fed at one end with a smooth pulse, matched at the other; reference: differences, 2 grids."""
    a, b, c = 1.0, 0.2, 1.0

    def ask():
        problem = lrfm.Problem(
            "u_tt + (a + b)*u_t + a*b*u = c**2*u_xx",
            domain=lrfm.Box(x=(0, 2)),
            time=(0, 3),
            initial={"u": 0, "u_t": 0},
            boundary={"x-": "u = exp(-50*(t - 0.6)**2)", "x+": "u_t + c*u_x = 0"},
            parameters={"a": a, "b": b, "c": c},
        )
        return lrfm.solve(problem, tol=1e-4)

    def check(solution):
        from scipy.integrate import solve_ivp

        from .shapes import chebyshev

        z, D = chebyshev(160)
        x, D = 2 * z, D / 2
        L, n = c**2 * (D @ D), len(x)

        def rate(t, y):
            u, v = y[:n].copy(), y[n:].copy()
            fed = np.exp(-50 * (t - 0.6) ** 2)
            u[-1], v[-1] = fed, -100 * (t - 0.6) * fed
            v[0] = -c * (D[0] @ u)  # what leaves: u_t = -c u_x
            return np.concatenate([v, L @ u - (a + b) * v - a * b * u])

        times = np.arange(1, 13) * 0.25
        done = solve_ivp(rate, (0, 3), np.zeros(2 * n), "DOP853", t_eval=times, rtol=1e-9, atol=1e-11)
        inner = slice(1, n - 1)
        found = solution(x=x[inner][:, None], t=times)
        return distance(found, done.y[:n][inner]), solution.report.error_estimate

    return ask, check
