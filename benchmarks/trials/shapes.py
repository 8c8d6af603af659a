# SPDX-License-Identifier: MIT
"""Twelve more, asked later: of fields that were not among the first, more than half of them in the plane, in space or on shapes."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import quad
from scipy.linalg import expm
from scipy.optimize import brentq
from scipy.special import iv, jv

import lrfm

from .case import case, distance, integrate, worst


def _elements(mesh, stiffness, load, start):
    """Newton's method on quadratic elements of scikit-fem: K(u) u = f(u), both with derivatives; the function."""
    import skfem as fem
    from scipy.sparse.linalg import spsolve

    basis = fem.Basis(mesh, fem.ElementTriP2() if isinstance(mesh, fem.MeshTri) else fem.ElementQuad2())
    u = start(basis)
    for _ in range(20):
        matrix, rest, fixed = stiffness(basis, u), load(basis, u), basis.get_dofs("fixed")
        free = basis.complement_dofs(fixed)
        step = np.zeros_like(u)
        step[free] = spsolve(matrix[free][:, free].tocsc(), -rest[free])
        u += step
        if np.max(np.abs(step)) < 1e-12 * np.max(np.abs(u)):
            break
    return basis.interpolator(u)


def chebyshev(n):
    """Points (1 + cos(πj/n))/2 of the unit interval, from 1 down to 0, and the matrix that differentiates there (Trefethen 2000, program `cheb`)."""
    z = np.cos(np.pi * np.arange(n + 1) / n)
    c = np.r_[2, np.ones(n - 1), 2] * (-1) ** np.arange(n + 1)
    d = np.outer(c, 1 / c) / (z[:, None] - z + np.eye(n + 1))
    return (1 + z) / 2, 2 * (d - np.diag(d.sum(axis=1)))


@case("electrochemistry", "steady, region", "potential in a Hull cell with Butler and Volmer's kinetics")
def hull():
    """Δφ = 0, φ = 1 at the anode, φ_n = −½ sinh φ at a slanted cathode; reference: quadratic elements."""

    def ask():
        cell = lrfm.Polygon([(0, 0), (4, 0), (6, 2), (0, 2)], names=["floor", "cathode", "top", "anode"])
        problem = lrfm.Problem(
            "lap(phi) = 0",
            domain=cell,
            boundary={"anode": "phi = 1", "cathode": "phi_n = -0.5*sinh(phi)", "*": "phi_n = 0"},
        )
        return lrfm.steady(problem, tol=1e-4)

    def check(solution):
        import skfem as fem
        from skfem.helpers import dot, grad

        whole = fem.MeshTri(
            np.array([[0, 4, 6, 0], [0, 0, 2, 2.0]]), np.array([[0, 0], [1, 2], [2, 3]])
        ).refined(6)
        whole = whole.with_boundaries(
            {"fixed": lambda x: x[0] < 1e-9, "cathode": lambda x: abs(x[0] - x[1] - 4) < 1e-9}
        )

        def kinetics(basis):
            return fem.FacetBasis(whole, fem.ElementTriP2(), facets="cathode")

        def matrix(basis, u):
            rim = kinetics(basis)
            inner = fem.BilinearForm(lambda a, b, w: dot(grad(a), grad(b))).assemble(basis)
            outer = fem.BilinearForm(lambda a, b, w: 0.5 * np.cosh(w["u"]) * a * b)
            return inner + outer.assemble(rim, u=rim.interpolate(u))

        def rest(basis, u):
            rim = kinetics(basis)
            inner = fem.LinearForm(lambda b, w: dot(grad(w["u"]), grad(b))).assemble(
                basis, u=basis.interpolate(u)
            )
            return inner + fem.LinearForm(lambda b, w: 0.5 * np.sinh(w["u"]) * b).assemble(
                rim, u=rim.interpolate(u)
            )

        exact = _elements(whole, matrix, rest, lambda basis: np.ones(basis.N))
        x, y = np.random.default_rng(0).random((2, 4000)) * np.array([[6], [2]])
        x, y = x[x < 4 + y], y[x < 4 + y]
        return distance(solution(x=x, y=y), exact(np.array([x, y]))), solution.report.error_estimate

    return ask, check


@case("epidemiology", "ordinary, events", "when measles peak in years with seasons")
def measles():
    """SEIR with a contact rate of the year; reference: SciPy's LSODA, and its own events."""
    numbers = {"mu": 0.02, "b": 1800, "a": 0.08, "s": 35.84, "g": 100}

    def ask():
        problem = lrfm.Problem(
            [
                "S_t = mu - b*(1 + a*cos(2*pi*t))*S*I - mu*S",
                "E_t = b*(1 + a*cos(2*pi*t))*S*I - (s + mu)*E",
                "I_t = s*E - (g + mu)*I",
            ],
            time=(0, 3),
            initial={"S": 0.06, "E": 1e-3, "I": 1e-3},
            parameters=numbers,
        )
        solution = lrfm.solve(problem, tol=1e-6)
        solution.peaks = lrfm.find(solution, "I_t = 0")
        return solution

    def check(solution):
        from scipy.integrate import solve_ivp

        mu, b, a, s, g = numbers.values()

        def rate(t, y):
            contacts = b * (1 + a * np.cos(2 * np.pi * t)) * y[0] * y[2]
            return np.array(
                [mu - contacts - mu * y[0], contacts - (s + mu) * y[1], s * y[1] - (g + mu) * y[2]]
            )

        def turn(t, y):
            return rate(t, y)[2]

        done = solve_ivp(
            rate,
            (0, 3),
            [0.06, 1e-3, 1e-3],
            method="DOP853",
            events=turn,
            rtol=1e-12,
            atol=1e-16,
            dense_output=True,
        )
        gaps = [abs(p.t - t) / p.error for p, t in zip(solution.peaks, done.t_events[0], strict=True)]
        t = np.linspace(0, 3, 3001)
        error = worst([(solution[n](t=t), v) for n, v in zip("SEI", done.sol(t), strict=True)])
        claimed = solution.report.error_estimate
        return max(error, claimed * max(gaps)), claimed  # a time outside of its interval is wrong, too

    return ask, check


@case("finance", "evolution, plane", "a call in Heston's market")
def heston():
    """Price over spot and variance, with a mixed derivative and a kinked start; reference: the characteristic function, away from the ends."""
    r, kappa, theta, sigma, rho = 0.03, 2.0, 0.04, 0.3, -0.5

    def ask():
        problem = lrfm.Problem(
            "u_t = 0.5*v*S**2*u_SS + rho*sigma*v*S*u_Sv + 0.5*sigma**2*v*u_vv + r*S*u_S + kappa*(theta - v)*u_v - r*u",
            domain=lrfm.Box(S=(0, 4), v=(0, 1)),
            time=(0, 0.5),
            initial="max(S - 1, 0)",
            boundary={"S-": "u = 0", "S+": "u_S = 1", "v-": None, "v+": "u_v = 0"},
            parameters={"rho": rho, "sigma": sigma, "r": r, "kappa": kappa, "theta": theta},
        )
        return lrfm.solve(problem, tol=1e-3)

    def check(solution):
        def price(S, v, t):
            def phi(w):
                d = np.sqrt((rho * sigma * 1j * w - kappa) ** 2 + sigma**2 * (1j * w + w * w))
                g = (kappa - rho * sigma * 1j * w - d) / (kappa - rho * sigma * 1j * w + d)
                e = np.exp(-d * t)
                c = (
                    kappa
                    * theta
                    / sigma**2
                    * ((kappa - rho * sigma * 1j * w - d) * t - 2 * np.log((1 - g * e) / (1 - g)))
                )
                return np.exp(
                    c
                    + v * (kappa - rho * sigma * 1j * w - d) / sigma**2 * (1 - e) / (1 - g * e)
                    + 1j * w * (np.log(S) + r * t)
                )

            forward = S * np.exp(r * t)
            one = quad(lambda w: (phi(w - 1j) / (1j * w * forward)).real, 1e-9, 300, limit=400)[0]
            two = quad(lambda w: (phi(w) / (1j * w)).real, 1e-9, 300, limit=400)[0]
            return S * (0.5 + one / np.pi) - np.exp(-r * t) * (0.5 + two / np.pi)

        rng = np.random.default_rng(0)
        S, v, t = (rng.uniform(*ends, 60) for ends in ((0.3, 1.8), (0.02, 0.32), (0.1, 0.5)))
        exact = np.array([price(*at) for at in zip(S, v, t, strict=True)])
        gap = math.sqrt(np.mean((solution(S=S, v=v, t=t) - exact) ** 2))
        # The claim is relative to the price over the whole box, which is largest where the formula is not looked at.
        S, v, t = (rng.uniform(*ends, 4000) for ends in ((0, 4), (0, 1), (0, 0.5)))
        return gap / math.sqrt(np.mean(solution(S=S, v=v, t=t) ** 2)), solution.report.error_estimate

    return ask, check


@case("engineering", "steady, plane", "a duct that cools, with conduction along the flow")
def graetz():
    """1.5 (1 − y²) T_x = ΔT/Pe, T = 1 at the inlet, T_n = −2T at the wall; reference: exponentials along it times Chebyshev polynomials across."""

    def ask():
        problem = lrfm.Problem(
            "1.5*(1 - y**2)*T_x = lap(T)/Pe",
            domain=lrfm.Box(x=(0, 5), y=(0, 1)),
            boundary={"x-": "T = 1", "x+": "T_n = 0", "y-": "T_n = 0", "y+": "T_n = -2*T"},
            parameters={"Pe": 20},
        )
        return lrfm.steady(problem, tol=1e-4)

    def check(solution):
        n = 48
        points, slope = chebyshev(n)
        rims = slope[[0, n]] + 0.0
        rims[0, 0] += 2  # T_y + 2T at y = 1, T_y at 0
        ends = -np.linalg.solve(rims[:, [0, n]], rims[:, 1:n])  # of what stands inside
        inner = (slope @ slope)[1:n]
        second = inner[:, 1:n] + inner[:, [0, n]] @ ends
        speed = np.diag(30 * (1 - points[1:n] ** 2))
        powers, modes = np.linalg.eig(np.block([[np.zeros((n - 1, n - 1)), np.eye(n - 1)], [-second, speed]]))
        modes = modes[: n - 1]
        grow = powers.real > 0
        x = lambda at: np.exp(powers * (np.asarray(at)[..., None] - np.where(grow, 5, 0)))  # noqa: E731
        both = np.vstack([modes * x(0.0), modes * powers * x(5.0)])
        parts = np.linalg.solve(both, np.r_[np.ones(n - 1), np.zeros(n - 1)])
        at = np.linspace(0, 5, 401)[1:]
        inside = np.real(modes @ (parts * x(at)).T)
        y = points[1:n]
        weights = np.sqrt(y * (1 - y))[:, None]
        return distance(solution(x=at, y=y[:, None]), inside, weights=weights), solution.report.error_estimate

    return ask, check


@case("acoustics", "evolution, space", "a clap in a room, in meters and seconds")
def room():
    """p_tt = c² Δp between rigid walls in a room of 5 m × 4 m × 3 m; reference: cosine series."""
    sides, middle = (5.0, 4.0, 3.0), (2.0, 1.5, 1.2)

    def ask():
        problem = lrfm.Problem(
            "p_tt = c**2*lap(p)",
            domain=lrfm.Box(x=(0, 5), y=(0, 4), z=(0, 3)),
            time=(0, 0.02),
            initial={"p": "exp(-((x - 2)**2 + (y - 1.5)**2 + (z - 1.2)**2)/0.5**2)", "p_t": 0},
            boundary="p_n = 0",
            parameters={"c": 343},
        )
        return lrfm.solve(problem, tol=1e-3)

    def check(solution):
        numbers, places, parts = [], [], []
        for side, m in zip(sides, middle, strict=True):
            x, k = (np.arange(4000) + 0.5) * side / 4000, np.arange(70) * np.pi / side
            bump, size = np.exp(-(((x - m) / 0.5) ** 2)), np.where(k == 0, 1, 2)
            at = np.linspace(0, side, 11)
            numbers.append(k)
            parts.append(size * np.mean(np.cos(k[:, None] * x) * bump, axis=1))
            places.append((at, np.cos(k[:, None] * at)))
        (a, b, c), (p, q, s) = numbers, parts
        frequency = 343 * np.sqrt(a[:, None, None] ** 2 + b[:, None] ** 2 + c**2)
        found, exact = [], []
        for t in np.linspace(0, 0.02, 7):
            modes = p[:, None, None] * q[:, None] * s * np.cos(frequency * t)
            exact.append(np.einsum("abc,ax,by,cz->xyz", modes, *(cos for _, cos in places), optimize=True))
            x, y, z = (at for at, _ in places)
            found.append(solution(x=x[:, None, None], y=y[:, None], z=z, t=t))
        return distance(np.array(found), np.array(exact)), solution.report.error_estimate

    return ask, check


@case("groundwater", "steady, region", "a well beside the middle of an island")
def well():
    """∇·(K h ∇h) = 0 between a lake at 100 m and a well of half a meter: h² is harmonic, and a logarithm of two distances."""

    def ask():
        problem = lrfm.Problem(
            "div(K*h*grad(h)) = 0",
            domain=lrfm.Disk(radius=100, name="lake") - lrfm.Disk(center=(30, 0), radius=0.5, name="well"),
            boundary={"lake": "h = 20", "well": "h = 12"},
            parameters={"K": 10},
        )
        return lrfm.steady(problem, tol=1e-4)

    def check(solution):
        # Both circles are those of Apollonius about two points f and R²/f on the axis.
        near = brentq(lambda f: (30 - f) * (30 - 1e4 / f) - 0.25, 30, 30.4, xtol=1e-14)
        ratio = lambda x, y: np.log(np.hypot(x - near, y) / np.hypot(x - 1e4 / near, y))  # noqa: E731
        rim, hole = ratio(100.0, 0.0), ratio(30.5, 0.0)
        s, turn = np.random.default_rng(0).random((2, 4000))
        x, y = 100 * np.sqrt(s) * np.cos(2 * np.pi * turn), 100 * np.sqrt(s) * np.sin(2 * np.pi * turn)
        x, y = x[np.hypot(x - 30, y) > 0.5], y[np.hypot(x - 30, y) > 0.5]
        exact = np.sqrt(400 + (144 - 400) * (ratio(x, y) - rim) / (hole - rim))
        return distance(solution(x=x, y=y), exact), solution.report.error_estimate

    return ask, check


@case("neuroscience", "evolution, kernel", "a bump of activity in a neural field")
def field():
    """u_t = −u + ∫ w(x − y) f(u(y)) dy with a Mexican hat for w; reference: the rule of trapezoids and Runge-Kutta."""

    def ask():
        problem = lrfm.Problem(
            "u_t = -u + integral((1.2*exp(-(x - y)**2/2) - 0.5*exp(-(x - y)**2/8))/(1 + exp(-10*(u(y) - 0.3))), y)",
            domain=lrfm.Box(x=(-10, 10)),
            time=(0, 5),
            initial="exp(-x**2)",
            boundary=None,
        )
        return lrfm.solve(problem, tol=1e-5)

    def check(solution):
        nodes, weights = np.polynomial.legendre.leggauss(400)
        x, weights = 10 * nodes, 10 * weights
        gap = x[:, None] - x
        kernel = (1.2 * np.exp(-(gap**2) / 2) - 0.5 * np.exp(-(gap**2) / 8)) * weights
        t = np.linspace(0, 5, 21)
        exact = integrate(
            lambda _, u: -u + kernel @ (1 / (1 + np.exp(-10 * (u - 0.3)))),
            np.exp(-(x**2)),
            t,
            method="DOP853",
        )
        return distance(solution(x=x[:, None], t=t), exact), solution.report.error_estimate

    return ask, check


@case("optics", "evolution, plane", "a beam beside the axis of a fiber")
def fiber():
    """i ψ_z = −½ Δψ + ½ r² ψ, t for z: a coherent state that swings about the axis, in closed form."""

    def ask():
        problem = lrfm.Problem(
            "1j*psi_t = -0.5*lap(psi) + 0.5*(x**2 + y**2)*psi",
            domain=lrfm.Box(x=(-6, 6), y=(-6, 6)),
            time=(0, 3),
            initial="exp(-((x - 1)**2 + y**2)/2)",
            boundary="psi = 0",
            unknowns={"psi": complex},
        )
        return lrfm.solve(problem, tol=1e-4)

    def check(solution):
        s = np.linspace(-5, 5, 61)
        x, y, t = s[:, None, None], s[:, None], np.linspace(0, 3, 13)
        turn = x * np.sin(t) - np.sin(2 * t) / 4 + t
        exact = np.exp(-((x - np.cos(t)) ** 2 + y**2) / 2 - 1j * turn)
        return distance(solution(x=x, y=y, t=t), exact), solution.report.error_estimate

    return ask, check


@case("population genetics", "evolution", "how likely a gene that helps is fixed by then")
def genes():
    """Kolmogorov's backward equation, degenerate at both ends; reference: Chebyshev points and the exponential of their matrix."""

    def ask():
        problem = lrfm.Problem(
            "u_t = 0.5*x*(1 - x)*u_xx + s*x*(1 - x)*u_x",
            domain=lrfm.Box(x=(0, 1)),
            time=(0, 2),
            initial="x",
            boundary={"x-": "u = 0", "x+": "u = 1"},
            parameters={"s": 5},
        )
        return lrfm.solve(problem, tol=1e-6)

    def check(solution):
        x, d = chebyshev(60)
        generator = (x * (1 - x))[:, None] * (0.5 * d @ d + 5 * d)
        t = np.linspace(0, 2, 21)
        exact = np.stack([expm(generator * s) @ x for s in t], axis=1)
        weights = np.sqrt(x * (1 - x))[:, None]  # Chebyshev points are dense at the ends
        return distance(solution(x=x[:, None], t=t), exact, weights=weights), solution.report.error_estimate

    return ask, check


@case("mechanics", "modes, region", "tones of a clamped round plate")
def plate():
    """Δ²u = λu, λ = k⁴ with J_n(k) I_{n+1}(k) + I_n(k) J_{n+1}(k) = 0."""

    def ask():
        problem = lrfm.Problem("lap(lap(u)) = lam*u", domain=lrfm.Disk(), boundary=["u = 0", "u_n = 0"])
        return lrfm.modes(problem, k=3, tol=1e-4)

    def check(modes):
        def root(n, a, b):
            return brentq(lambda k: jv(n, k) * iv(n + 1, k) + iv(n, k) * jv(n + 1, k), a, b, xtol=1e-14) ** 4

        exact = np.array([root(0, 3, 3.4), root(1, 4.4, 4.8), root(1, 4.4, 4.8)])
        gaps = np.abs(modes.values - exact)
        return float(np.max(gaps / modes.errors)), 1.0

    return ask, check


@case("chemistry", "evolution", "a pulse through a column that adsorbs")
def column():
    """c_t + 1.5 q_t + c_x = D c_xx with Langmuir's q = 2c/(1 + 3c) and a feed that is switched off; reference: differences on two grids."""

    def ask():
        problem = lrfm.Problem(
            ["c_t + 1.5*q_t + v*c_x = D*c_xx", "q = 2*c/(1 + 3*c)"],
            domain=lrfm.Box(x=(0, 1)),
            time=(0, 1.5),
            initial={"c": 0, "q": 0},
            boundary={"x-": "v*c - D*c_x = v*where(t < 0.5, 1, 0)", "x+": "c_x = 0"},
            parameters={"v": 1, "D": 2e-3},
        )
        return lrfm.solve(problem, tol=1e-3, max_seconds=20)

    def check(solution):
        def on(n, times):
            h, D = 1 / n, 2e-3

            def rate(feed):
                def of(_, c):
                    flux = np.empty(n + 1)
                    flux[1:-1] = (c[1:] + c[:-1]) / 2 - D * (c[1:] - c[:-1]) / h
                    flux[0], flux[-1] = feed, c[-1]
                    return -np.diff(flux) / h / (1 + 3 / (1 + 3 * c) ** 2)

                return of

            on = integrate(rate(1.0), np.zeros(n), times[times <= 0.5], width=1)
            return np.hstack([on, integrate(rate(0.0), on[:, -1], times[times >= 0.5], width=1)[:, 1:]])

        times = np.linspace(0, 1.5, 31)
        coarse, fine = on(1000, times), on(2000, times)
        exact = (4 * (fine[::2] + fine[1::2]) / 2 - coarse) / 3  # means of pairs: the coarse volumes
        x = (np.arange(1000) + 0.5) / 1000
        return distance(solution["c"](x=x[:, None], t=times), exact), solution.report.error_estimate

    return ask, check


@case("traffic", "evolution", "drivers who relax to a speed, on a ring")
def ring():
    """Aw, Rascle and Zhang: ρ_t + (ρv)_x = 0, v_t + (v − ρ) v_x = 1 − ρ − v; reference: Fourier series and Runge-Kutta."""

    def ask():
        problem = lrfm.Problem(
            ["rho_t + diff(rho*v, x) = 0", "v_t + (v - rho)*v_x = (1 - rho - v)/tau"],
            domain=lrfm.Box(x=(0, 10)),
            time=(0, 5),
            initial={"rho": "0.4 + 0.05*sin(2*pi*x/10)", "v": "0.6"},
            boundary="periodic",
            parameters={"tau": 1},
        )
        return lrfm.solve(problem, tol=1e-6)

    def check(solution):
        n = 128
        x, k = 10 * np.arange(n) / n, 2j * math.pi / 10 * np.fft.rfftfreq(n, 1 / n)
        slope = lambda u: np.fft.irfft(k * np.fft.rfft(u), n)  # noqa: E731

        def rate(_, y):
            rho, v = y[:n], y[n:]
            return np.r_[-slope(rho * v), -(v - rho) * slope(v) + 1 - rho - v]

        t = np.linspace(0, 5, 21)
        exact = integrate(
            rate,
            np.r_[0.4 + 0.05 * np.sin(2 * np.pi * x / 10), np.full(n, 0.6)],
            t,
            method="DOP853",
            rtol=1e-11,
        )
        pairs = [
            (solution[name](x=x[:, None], t=t), part) for name, part in (("rho", exact[:n]), ("v", exact[n:]))
        ]
        return worst(pairs), solution.report.error_estimate

    return ask, check
