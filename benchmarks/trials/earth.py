# SPDX-License-Identifier: MIT
"""Questions of people who look at the ground, the sea and the air, in meters and seconds."""

import numpy as np

import lrfm

from .case import case, distance, integrate


@case("geophysics", "orbit", "the frost of a year in the ground")
def frost():
    """T_t = κ T_xx to 20 m, T = 8 + 12 sin(ωt) above, no flux below, the same every year: e^{iωt} cosh(q (20 − x))/cosh(20 q), q² = iω/κ."""
    kappa, year, depth = 1e-6, 3.156e7, 20.0

    def ask():
        problem = lrfm.Problem(
            "T_t = kappa*T_xx",
            domain=lrfm.Box(x=(0, depth)),
            time=(0, year),
            initial="periodic",
            boundary={"x-": "T = 8 + 12*sin(2*pi*t/year)", "x+": "T_n = 0"},
            parameters={"kappa": kappa, "year": year},
        )
        return lrfm.solve(problem, tol=1e-4)

    def check(solution):
        omega = 2 * np.pi / year
        q = np.sqrt(1j * omega / kappa)
        x, t = np.linspace(0, depth, 81)[:, None], np.linspace(0, year, 49)
        exact = 8 + 12 * np.imag(np.exp(1j * omega * t) * np.cosh(q * (depth - x)) / np.cosh(q * depth))
        return distance(solution(x=x, t=t), exact), solution.report.error_estimate

    return ask, check


@case("civil engineering", "evolution, layers", "a clay on a silt that settles")
def settlement():
    """p_t = c_v p_xx in two layers with continuous flux k p_x, drained above, tight below, in days; reference: finite volumes, 2 grids."""
    thick, coefficient, permeability = (2.0, 3.0), (0.02, 0.2), (1e-4, 1e-3)

    def ask():
        ground = lrfm.Layers(clay=lrfm.Box(x=(0, 2)), silt=lrfm.Box(x=(2, 5)))
        problem = lrfm.Problem(
            "k/cv*p_t = k*p_xx",
            domain=ground,
            time=(0, 100),
            initial={"clay": "100", "silt": "100"},
            boundary={"x-": "p = 0", "x+": "p_n = 0"},
            parameters={
                "k": {"clay": permeability[0], "silt": permeability[1]},
                "cv": {"clay": coefficient[0], "silt": coefficient[1]},
            },
        )
        return lrfm.solve(problem, tol=1e-4)

    def volumes(n):
        h = 5.0 / n
        x = (np.arange(n) + 0.5) * h
        inside = x < thick[0]
        k = np.where(inside, *permeability)
        store = k / np.where(inside, *coefficient)
        between = 2 / (1 / k[1:] + 1 / k[:-1]) / h

        def rate(t, p):
            q = np.concatenate([[2 * k[0] * p[0] / h], between * np.diff(p), [0]])
            return np.diff(q) / h / store

        times = np.array([0.0, 1, 5, 20, 50, 100])
        return integrate(rate, np.full(n, 100.0), times, width=1, rtol=1e-10)[:, 1:]

    def check(solution):
        coarse, fine = volumes(500), volumes(1500)
        middle = fine[1::3]  # of three cells the middle one has the center of the wide one
        exact = middle + (middle - coarse) / 8
        x = (np.arange(500) + 0.5) * 0.01
        found = solution(x=x[:, None], t=np.array([1.0, 5, 20, 50, 100]))
        return distance(found, exact), solution.report.error_estimate

    return ask, check


@case("oceanography", "evolution", "a tsunami that runs up a shelf")
def tsunami():
    """η_tt = (g h η_x)_x over a shelf from 4000 m to 200 m, 600 km long, in meters and seconds; reference: differences, 2 grids."""

    def ask():
        problem = lrfm.Problem(
            "eta_tt = diff(g*h*eta_x, x)",
            domain=lrfm.Box(x=(0, 600e3)),
            time=(0, 3600),
            initial={"eta": "exp(-((x - 200e3)/30e3)**2)", "eta_t": 0},
            boundary={"x-": "eta_t = sqrt(g*h)*eta_x", "x+": "eta_n = 0"},
            parameters={"g": 9.81, "h": "2100 - 1900*tanh((x - 400e3)/40e3)"},
        )
        return lrfm.solve(problem, tol=1e-4)

    def leap(n):
        g, h = 9.81, 600e3 / n
        x = np.linspace(0, 600e3, n + 1)
        depth = lambda x: 2100 - 1900 * np.tanh((x - 400e3) / 40e3)  # noqa: E731
        c0 = np.sqrt(g * depth(0.0))
        k = 3600 / (n * 2)
        between = g * depth(x[:-1] + h / 2)
        u0 = np.exp(-(((x - 200e3) / 30e3) ** 2))

        def lap(u):
            flux = between * np.diff(u) / h
            inner = np.concatenate([[0], np.diff(flux) / h, [-2 * flux[-1] / h]])
            return inner

        u1 = u0 + 0.5 * k**2 * lap(u0)
        kept, every = [], 2 * n // 12
        for j in range(1, 2 * n + 1):
            if j % every == 0:
                kept.append(u1.copy())
            new = 2 * u1 - u0 + k**2 * lap(u1)
            r = c0 * k / h  # u_t = c u_x by the box scheme
            new[0] = ((1 - r) * (u1[0] - new[1]) + (1 + r) * u1[1]) / (1 + r)
            u0, u1 = u1, new
        return np.array(kept)

    def check(solution):
        from .case import richardson

        exact, _ = richardson(leap(3000)[:, ::3], leap(6000)[:, ::6])
        found = solution(x=np.linspace(0, 600e3, 1001), t=np.arange(1, 13)[:, None] * 300.0)
        return distance(found, exact), solution.report.error_estimate

    return ask, check


@case("meteorology", "steady, complex", "the wind that turns with height")
def ekman():
    """ν w_zz = i f (w − U), w = 0 at the ground, w = U at 3 km: w = U (1 − sinh(q (H − z))/sinh(q H)), q² = i f/ν."""
    nu, f, wind, top = 5.0, 1e-4, 10.0, 3000.0

    def ask():
        problem = lrfm.Problem(
            "nu*w_zz = 1j*f*(w - U)",
            domain=lrfm.Box(z=(0, top)),
            boundary={"z-": "w = 0", "z+": "w = U"},
            unknowns={"w": complex},
            parameters={"nu": nu, "f": f, "U": wind},
        )
        return lrfm.steady(problem, tol=1e-8)

    def check(solution):
        z, q = np.linspace(0, top, 301), np.sqrt(1j * f / nu)
        exact = wind * (1 - np.sinh(q * (top - z)) / np.sinh(q * top))
        return distance(solution(z=z), exact), solution.report.error_estimate

    return ask, check


@case("glaciology", "evolution", "a dome of ice that spreads")
def glacier():
    """h_t = (h⁵ |h_x|² h_x)_x from Halfar's dome: h = t^{−1/11} (1 − (|x| t^{−1/11})^{4/3})^{3/7} up to a factor; the margin is free."""
    gamma = (3 / 7 * 4 / 3) ** 3  # (4/7)³: h^5 |h_x|^3 of the dome, with h_x as it is
    scale = 11 * gamma  # t of the unit dome

    def exact(x, t):
        s = (1 + t * scale) ** (-1 / 11)
        return s * np.maximum(1 - (np.abs(x) * s) ** (4 / 3), 0) ** (3 / 7)

    def ask():
        problem = lrfm.Problem(
            "h_t = diff(h**5*abs(h_x)**2*h_x, x)",
            domain=lrfm.Box(x=(-2, 2)),
            time=(0, 10),
            initial="max(1 - abs(x)**(4/3), 0)**(3/7)",
            boundary="h = 0",
        )
        return lrfm.solve(problem, tol=1e-2, max_seconds=120)

    def check(solution):
        x, t = np.linspace(-2, 2, 2001)[:, None], np.linspace(0.5, 10, 20)
        return distance(solution(x=x, t=t), exact(x, t), 1), solution.report.error_estimate

    return ask, check
