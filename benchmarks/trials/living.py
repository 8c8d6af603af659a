# SPDX-License-Identifier: MIT
"""Questions of biologists, chemists and people who reckon with prices: patterns, patches, sensitivities, greeks."""

import numpy as np

import lrfm

from .case import case, distance


@case("biology", "modes, growth", "which stripes Schnakenberg's reaction grows")
def stripes():
    """Growth rates about u = a + b, v = b/(a + b)²: the largest eigenvalues of J − D k², k = nπ/L."""
    a, b, d, length = 0.1, 0.9, 40.0, 20.0

    def ask():
        problem = lrfm.Problem(
            ["u_t = u_xx + a - u + u**2*v", "v_t = d*v_xx + b - u**2*v"],
            domain=lrfm.Box(x=(0, length)),
            time=(0, 1),
            initial={"u": "a + b", "v": "b/(a + b)**2"},
            boundary="u_n = 0",
            parameters={"a": a, "b": b, "d": d},
        )
        problem = problem.replace(boundary=["u_n = 0", "v_n = 0"])
        rest = lrfm.steady(problem, guess={"u": "a + b", "v": "b/(a + b)**2"})
        return lrfm.modes(problem, k=4, about=rest, tol=1e-6)

    def check(found):
        u, v = a + b, b / (a + b) ** 2
        J = np.array([[-1 + 2 * u * v, u**2], [-2 * u * v, -(u**2)]])
        k = np.arange(60) * np.pi / length
        all_of_them = np.concatenate([np.linalg.eigvals(J - np.diag([1, d]) * q**2) for q in k])
        exact = all_of_them[np.argsort(-all_of_them.real)][:4]
        gaps = np.abs(np.sort(found.values.real)[::-1] - exact.real)
        worst = int(np.argmax(gaps / np.asarray(found.errors)))
        return gaps[worst], np.asarray(found.errors)[worst]

    return ask, check


@case("ecology", "branch", "how large a patch has to be")
def patch():
    """u_xx + λ u (1 − u) = 0, u = 0 around a patch of unit length: the state leaves zero at λ = π²."""

    def ask():
        problem = lrfm.Problem(
            "u_xx + lam*u*(1 - u) = 0",
            domain=lrfm.Box(x=(0, 1)),
            boundary="u = 0",
            parameters={"lam": 20.0},
        )
        return lrfm.branch(problem, "lam", (5, 20))

    def check(found):
        at = min(found.bifurcations, key=lambda point: abs(point.value - np.pi**2))
        return abs(at.value - np.pi**2), at.error

    return ask, check


@case("ecology", "evolution, plane", "foxes that follow rabbits over a field")
def foxes():
    """Rosenzweig and MacArthur with diffusion, no flux, on a square; reference: cosine differentiation on 48² and 64² points and SciPy's RK."""
    size, end = 20.0, 10.0

    def ask():
        problem = lrfm.Problem(
            [
                "r_t = lap(r) + r*(1 - r) - r*f/(r + 0.3)",
                "f_t = lap(f) + 0.8*r*f/(r + 0.3) - 0.4*f",
            ],
            domain=lrfm.Box(x=(0, size), y=(0, size)),
            time=(0, end),
            initial={"r": "0.5", "f": "0.2 + 0.3*exp(-((x - 6)**2 + (y - 8)**2)/4)"},
            boundary=["r_n = 0", "f_n = 0"],
        )
        return lrfm.solve(problem, tol=1e-3)

    def grid(n):
        from scipy.fft import dctn, idctn
        from scipy.integrate import solve_ivp

        x = (np.arange(n) + 0.5) * size / n
        k2 = (np.arange(n) * np.pi / size) ** 2
        minus = -(k2[:, None] + k2)
        start = np.array(
            [np.full((n, n), 0.5), 0.2 + 0.3 * np.exp(-((x[:, None] - 6) ** 2 + (x - 8) ** 2) / 4)]
        )

        def rate(t, y):
            r, f = y.reshape(2, n, n)
            eaten = r * f / (r + 0.3)
            spread = [idctn(minus * dctn(v, norm="ortho"), norm="ortho") for v in (r, f)]
            return np.array([spread[0] + r * (1 - r) - eaten, spread[1] + 0.8 * eaten - 0.4 * f]).ravel()

        done = solve_ivp(rate, (0, end), start.ravel(), "RK45", t_eval=[1, 4, 7, 10], rtol=1e-7, atol=1e-9)
        return x, done.y.T.reshape(4, 2, n, n)

    def check(solution):
        x, exact = grid(48)
        found = solution(x=x[:, None, None], y=x[:, None], t=np.array([1.0, 4, 7, 10]))
        gaps = [distance(np.moveaxis(found[name], -1, 0), exact[:, i]) for i, name in enumerate("rf")]
        return max(gaps), solution.report.error_estimate

    return ask, check


@case("finance", "evolution, sensitivity", "the vega of a call")
def vega():
    """Black and Scholes in log price, ∂V/∂σ at σ = 0.25, against the closed form, where the edges are far."""
    rate, sigma, end = 0.03, 0.25, 1.0

    def ask():
        problem = lrfm.Problem(
            "V_t = 0.5*sigma**2*V_xx + (r - 0.5*sigma**2)*V_x - r*V",
            domain=lrfm.Box(x=(-3, 3)),
            time=(0, end),
            initial="max(exp(x) - 1, 0)",
            boundary={"x-": "V = 0", "x+": "V = exp(x) - exp(-r*t)"},
            parameters={"sigma": sigma, "r": rate},
        )
        return lrfm.solve(problem, tol=1e-4).sensitivity("sigma")

    def check(found):
        x = np.linspace(-1, 1, 81)
        d = (x + (rate + sigma**2 / 2) * end) / (sigma * np.sqrt(end))
        exact = np.exp(x) * np.sqrt(end) * np.exp(-(d**2) / 2) / np.sqrt(2 * np.pi)
        return distance(found(x=x, t=end), exact), found.error_estimate

    return ask, check


@case("finance", "evolution", "a bond when rates wander as Cox, Ingersoll and Ross say")
def bond():
    """P_t = ½ σ² r P_rr + κ (θ − r) P_r − r P, degenerate at r = 0, where nothing is given; the closed form A e^{−B r}."""
    kappa, theta, sigma, end = 0.5, 0.04, 0.1, 5.0

    def closed(r, t):
        h = np.sqrt(kappa**2 + 2 * sigma**2)
        grow = np.exp(h * t) - 1
        below = 2 * h + (kappa + h) * grow
        power = 2 * kappa * theta / sigma**2
        return (2 * h * np.exp((kappa + h) * t / 2) / below) ** power * np.exp(-2 * grow / below * r)

    def ask():
        problem = lrfm.Problem(
            "P_t = 0.5*sigma**2*r*P_rr + kappa*(theta - r)*P_r - r*P",
            domain=lrfm.Box(r=(0, 1)),
            time=(0, end),
            initial="1",
            boundary={"r-": None, "r+": "P_rr = 0"},
            parameters={"kappa": kappa, "theta": theta, "sigma": sigma},
        )
        return lrfm.solve(problem, tol=1e-3)

    def check(solution):
        r, t = np.linspace(0, 0.3, 61)[:, None], np.linspace(0, end, 21)
        return distance(solution(r=r, t=t), closed(r, t)), solution.report.error_estimate

    return ask, check


@case("epidemiology", "ordinary, sensitivity", "what one contact more does to an epidemic")
def contacts():
    """SIR: ∂I/∂β at five times; reference: the equations of first variation, SciPy at 1e-12."""
    from scipy.integrate import solve_ivp

    def ask():
        problem = lrfm.Problem(
            ["S_t = -beta*S*I", "I_t = beta*S*I - gamma*I"],
            time=(0, 60),
            initial={"S": 0.999, "I": 0.001},
            parameters={"beta": 0.4, "gamma": 0.15},
        )
        return lrfm.solve(problem, tol=1e-7).sensitivity("beta")

    def rate(t, y, beta=0.4, gamma=0.15):
        S, I, s, i = y
        d = beta * (s * I + S * i) + S * I
        return [-beta * S * I, beta * S * I - gamma * I, -d, d - gamma * i]

    def check(found):
        times = np.array([10.0, 20, 30, 45, 60])
        done = solve_ivp(rate, (0, 60), [0.999, 0.001, 0, 0], "DOP853", t_eval=times, rtol=1e-12, atol=1e-14)
        return distance(np.asarray(found["I"](t=times)), done.y[3]), found.error_estimate

    return ask, check


@case("neuroscience", "evolution, event", "when a dendrite has come to half of its rest")
def charging():
    """V_t = V_xx − V + 1 on (0, 2), sealed, a soma V = 0 held at the left: until V(2) is a half; reference: a sine series."""

    def ask():
        problem = lrfm.Problem(
            "V_t = V_xx - V + 1",
            domain=lrfm.Box(x=(0, 2)),
            time=(0, 10),
            initial="0",
            boundary={"x-": "V = 0", "x+": "V_n = 0"},
        )
        return lrfm.solve(problem, tol=1e-6, until="V(x=2) > 0.5")

    def check(solution):
        from scipy.optimize import brentq

        k = (np.arange(4000) + 0.5) * np.pi / 2
        weight = np.sin(k * 2) / k  # 2/L ∫ sin(kx) dx = 1/k

        def value(t):
            return np.sum(weight * -np.expm1(-(1 + k**2) * t) / (1 + k**2))

        exact = brentq(lambda t: value(t) - 0.5, 0.1, 9.9, xtol=1e-12)
        return abs(solution.event.t - exact), solution.event.error

    return ask, check


@case("chemistry", "evolution", "waves of the Brusselator")
def brusselator():
    """u_t = D u_xx + 1 + u² v − 4u, v_t = D v_xx + 3u − u² v (Hairer and Wanner), to t = 10; reference: Chebyshev points and SciPy's Radau."""

    def ask():
        problem = lrfm.Problem(
            ["u_t = D*u_xx + 1 + u**2*v - 4*u", "v_t = D*v_xx + 3*u - u**2*v"],
            domain=lrfm.Box(x=(0, 1)),
            time=(0, 10),
            initial={"u": "1 + sin(2*pi*x)", "v": "3"},
            boundary={"*": ["u = 1", "v = 3"]},
            parameters={"D": 0.02},
        )
        return lrfm.solve(problem, tol=1e-6)

    def check(solution):
        from scipy.integrate import solve_ivp

        from .shapes import chebyshev

        x, D = chebyshev(48)
        L = 0.02 * (D @ D)

        def rate(t, y):
            u, v = np.ones(49), np.full(49, 3.0)
            u[1:-1], v[1:-1] = y.reshape(2, -1)
            made = u**2 * v
            return np.concatenate([(L @ u + 1 + made - 4 * u)[1:-1], (L @ v + 3 * u - made)[1:-1]])

        times = np.linspace(0.5, 10, 20)
        inner = x[1:-1]
        start = np.concatenate([1 + np.sin(2 * np.pi * inner), np.full(47, 3.0)])
        done = solve_ivp(rate, (0, 10), start, "Radau", t_eval=times, rtol=1e-10, atol=1e-12)
        exact = done.y.reshape(2, 47, -1)
        found = solution(x=inner[:, None], t=times)
        return max(distance(found[n], exact[i]) for i, n in enumerate("uv")), solution.report.error_estimate

    return ask, check


@case("statistics", "evolution", "how a swarm settles in a trap")
def swarm():
    """Fokker and Planck of an Ornstein-Uhlenbeck process, p_t = (x p)_x + ½ p_xx, no flux: a Gaussian in closed form."""

    def ask():
        problem = lrfm.Problem(
            "p_t = diff(x*p, x) + 0.5*p_xx",
            domain=lrfm.Box(x=(-8, 8)),
            time=(0, 3),
            initial="exp(-(x - 2)**2/(2*0.01))/sqrt(2*pi*0.01)",
            boundary="x*p + 0.5*p_x = 0",
        )
        return lrfm.solve(problem, tol=1e-6)

    def check(solution):
        x, t = np.linspace(-8, 8, 3201)[:, None], np.linspace(0, 3, 31)
        mean, spread = 2 * np.exp(-t), 0.01 * np.exp(-2 * t) + 0.5 * (1 - np.exp(-2 * t))
        exact = np.exp(-((x - mean) ** 2) / (2 * spread)) / np.sqrt(2 * np.pi * spread)
        return distance(solution(x=x, t=t), exact), solution.report.error_estimate

    return ask, check


@case("physics", "evolution, plane", "an electron that spreads in a corner")
def corner_packet():
    """1j ψ_t = −½ Δψ in a square box with walls: a state of two modes, to t = 2, in closed form."""

    def ask():
        problem = lrfm.Problem(
            "1j*psi_t = -0.5*lap(psi)",
            domain=lrfm.Box(x=(0, 1), y=(0, 1)),
            time=(0, 2),
            initial="sin(pi*x)*sin(2*pi*y) + 1j*sin(3*pi*x)*sin(pi*y)",
            boundary="psi = 0",
            unknowns={"psi": complex},
        )
        return lrfm.solve(problem, tol=1e-5)

    def check(solution):
        x = np.linspace(0, 1, 31)
        X, Y, t = x[:, None, None], x[:, None], np.linspace(0, 2, 21)
        one = np.sin(np.pi * X) * np.sin(2 * np.pi * Y) * np.exp(-2.5j * np.pi**2 * t)
        two = 1j * np.sin(3 * np.pi * X) * np.sin(np.pi * Y) * np.exp(-5j * np.pi**2 * t)
        return distance(solution(x=X, y=Y, t=t), one + two), solution.report.error_estimate

    return ask, check
