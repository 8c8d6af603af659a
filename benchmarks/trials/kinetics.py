# SPDX-License-Identifier: MIT
"""Reactions, diffusion, nerves, populations and prices."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.stats import norm

import lrfm

from .case import case, distance, integrate, richardson, worst


def laplacian(u: np.ndarray, h: float) -> np.ndarray:
    """Second differences with no flux through the ends, on centers of cells."""
    padded = np.concatenate((u[:1], u, u[-1:]))
    return (padded[2:] - 2 * u + padded[:-2]) / h**2


@case("chemistry", "ordinary", "Robertson's reactions")
def robertson():
    """Three species with rates 0.04, 3e7 and 1e4 over 4e4 seconds; reference: SciPy's Radau at 1e-12."""

    def ask():
        problem = lrfm.Problem(
            ["a_t = -k1*a + k3*b*c", "b_t = k1*a - k3*b*c - k2*b**2", "c_t = k2*b**2"],
            time=(0, 4e4),
            initial={"a": 1, "b": 0, "c": 0},
            parameters={"k1": 0.04, "k2": 3e7, "k3": 1e4},
        )
        return lrfm.solve(problem, tol=1e-6)

    def check(solution):
        def rate(_, y):
            a, b, c = y
            first, second, third = 0.04 * a, 3e7 * b * b, 1e4 * b * c
            return np.array([third - first, first - third - second, second])

        times = np.linspace(0, 4e4, 401)
        done = solve_ivp(
            rate, (0, 4e4), [1.0, 0.0, 0.0], method="Radau", t_eval=times, rtol=1e-12, atol=1e-18
        )
        found = solution(t=times)
        return worst(
            [(found[name], done.y[k]) for k, name in enumerate("abc")]
        ), solution.report.error_estimate

    return ask, check


@case("chemistry", "evolution", "a voltammogram")
def voltammetry():
    """c_t = c_xx, at the electrode c_x = k (e^{θ/2} c − e^{−θ/2} (1 − c)) with the potential θ = 8 − 4 t swept down and up; reference: differences, 2 grids."""

    def ask():
        problem = lrfm.Problem(
            "c_t = c_xx",
            domain=lrfm.Box(x=(0, 12)),
            time=(0, 8),
            initial="1",
            boundary={"x-": "c_x = k*(exp(-theta/2)*c - exp(theta/2)*(1 - c))", "x+": "c = 1"},
            parameters={"k": 1, "theta": "8 - 4*min(t, 8 - t)"},
        )
        return lrfm.solve(problem, tol=1e-5)

    def cells(n, times):
        """Finite volumes of widths that grow from the electrode: x = 12 s², centers and faces of equal s."""
        face = 12 * np.linspace(0, 1, n + 1) ** 2
        center = 12 * ((np.arange(n) + 0.5) / n) ** 2
        width = np.diff(face)

        def rate(t, c):
            theta = 8 - 4 * min(t, 8 - t)
            a, b = np.exp(-theta / 2), np.exp(theta / 2)
            # (c₀ − c_s)/x₀ = a c_s − b (1 − c_s), the value c_s at the electrode eliminated
            surface = (c[0] / center[0] + b) / (1 / center[0] + a + b)
            flux = np.empty(n + 1)
            flux[0] = a * surface - b * (1 - surface)
            flux[1:-1] = np.diff(c) / np.diff(center)
            flux[-1] = (1 - c[-1]) / (12 - center[-1])
            return np.diff(flux) / width

        # the sweep turns at half of the time
        parts = [integrate(rate, np.ones(n), times[: times.size // 2 + 1], width=1)]
        parts.append(integrate(rate, parts[0][:, -1], times[times.size // 2 :], width=1)[:, 1:])
        return center, width, np.hstack(parts)

    def check(solution):
        times = np.linspace(0, 8, 33)
        x, width, coarse = cells(400, times)
        _, _, fine = cells(800, times)
        # values at the 400 centers between those of 800, of which the wall's cells are the smallest: linear in s
        spread = (fine[0::2] + fine[1::2]) / 2
        field, _ = richardson(coarse, spread)
        return distance(
            solution(x=x[:, None], t=times), field, weights=width[:, None]
        ), solution.report.error_estimate

    return ask, check


@case("biology", "evolution", "slime mold that gathers")
def chemotaxis():
    """Keller and Segel: n_t = 0.1 n_xx − (χ n c_x)_x, c_t = c_xx + n − c, no flux; reference: finite volumes, 2 grids."""

    def ask():
        problem = lrfm.Problem(
            ["n_t = 0.1*n_xx - diff(chi*n*c_x, x)", "c_t = c_xx + n - c"],
            domain=lrfm.Box(x=(0, 4)),
            time=(0, 10),
            initial={"n": "1 + 0.1*cos(pi*x/4)", "c": "1"},
            boundary=["n_n = 0", "c_n = 0"],
            parameters={"chi": 0.6},
        )
        return lrfm.solve(problem, tol=1e-5)

    def cells(m, times):
        h = 4 / m
        x = (np.arange(m) + 0.5) * h

        def rate(_, y):
            n, c = y[0::2], y[1::2]
            flux = np.zeros(m + 1)
            flux[1:-1] = (0.1 * np.diff(n) - 0.6 * 0.5 * (n[1:] + n[:-1]) * np.diff(c)) / h
            out = np.empty_like(y)
            out[0::2], out[1::2] = np.diff(flux) / h, laplacian(c, h) + n - c
            return out

        # means of the data over the cells, so that the reference is one of means throughout
        means = 1 + 0.1 * np.diff(np.sin(np.pi * np.linspace(0, 4, m + 1) / 4)) * 4 / np.pi / h
        return x, integrate(rate, np.stack((means, np.ones(m)), axis=1).ravel(), times, width=3)

    def check(solution):
        times = np.linspace(0, 10, 21)
        x, coarse = cells(500, times)
        _, fine = cells(1000, times)
        pairs = []
        # means over coarse cells of the solution by Gauss's rule with two points
        offset = 4 / 500 / 2 / np.sqrt(3)
        low, high = solution(x=(x - offset)[:, None], t=times), solution(x=(x + offset)[:, None], t=times)
        for k, name in enumerate("nc"):
            exact, _ = richardson(coarse[k::2], (fine[k::2][0::2] + fine[k::2][1::2]) / 2)
            pairs.append(((low[name] + high[name]) / 2, exact))
        return worst(pairs), solution.report.error_estimate

    return ask, check


@case("biology", "evolution", "a population by age, with births")
def ages():
    """n_t + n_a = −n/2, n(0, t) = ∫ b n da with b = 4 a e^{−2 a}; reference: characteristics and the trapezoidal rule, 2 grids."""

    def ask():
        problem = lrfm.Problem(
            "n_t + n_a = -0.5*n",
            domain=lrfm.Box(a=(0, 5)),
            time=(0, 2),
            initial="0.5*exp(-a)",
            boundary={"a-": "n = integral(4*a*exp(-2*a)*n)", "a+": None},
        )
        return lrfm.solve(problem, tol=1e-4)

    def march(m):
        """Ages and times in steps of 1/m; births solved for, since n(0, t) is in its own integral with weight b(0) = 0."""
        h = 1 / m
        a = np.arange(5 * m + 1) * h
        weight = 4 * a * np.exp(-2 * a) * h
        weight[-1] /= 2
        n = 0.5 * np.exp(-a)
        out = [n.copy()]
        for step in range(2 * m):
            n = np.concatenate(([0.0], n[:-1] * np.exp(-0.5 * h)))
            n[0] = weight @ n
            if (step + 1) % (m // 10) == 0:
                out.append(n.copy())
        return a, np.array(out).T

    def check(solution):
        a, coarse = march(200)
        _, fine = march(400)
        exact, _ = richardson(coarse, fine[::2])
        times = np.linspace(0, 2, 21)
        return distance(solution(a=a[:, None], t=times), exact), solution.report.error_estimate

    return ask, check


@case("finance", "evolution", "a double knock-out call")
def knock_out():
    """Black and Scholes between barriers at 0.8 and 1.3, strike 1: the payoff jumps at the upper one; reference: a sine series in log S."""
    sigma, rate, low, high = 0.25, 0.05, 0.8, 1.3

    def ask():
        problem = lrfm.Problem(
            "V_t = 0.5*sigma**2*S**2*V_SS + r*S*V_S - r*V",
            domain=lrfm.Box(S=(0.8, 1.3)),
            time=(0, 0.5),
            initial="max(S - 1, 0)",
            boundary="V = 0",
            parameters={"sigma": sigma, "r": rate},
        )
        return lrfm.solve(problem, tol=1e-4)

    def check(solution):
        length, alpha = np.log(high / low), 0.5 - rate / sigma**2
        beta = -0.5 * sigma**2 * alpha**2 - rate
        nodes, weights = np.polynomial.legendre.leggauss(2000)
        y = np.log(1 / low) + (length - np.log(1 / low)) * (nodes + 1) / 2
        weights = weights * (length - np.log(1 / low)) / 2
        k = np.arange(1, 1500)[:, None] * np.pi / length
        data = (2 / length) * np.sin(k * y) @ (weights * np.exp(-alpha * y) * (low * np.exp(y) - 1))
        S, times = np.linspace(low, high, 501), np.linspace(0, 0.5, 26)[1:]
        x = np.log(S / low)
        modes = np.sin(k.T * x[:, None])
        exact = np.stack(
            [
                np.exp(alpha * x + beta * t) * (modes @ (data * np.exp(-0.5 * sigma**2 * k[:, 0] ** 2 * t)))
                for t in times
            ],
            axis=1,
        )
        return distance(solution(S=S[:, None], t=times), exact), solution.report.error_estimate

    return ask, check


@case("finance", "evolution", "the option to exchange two assets")
def exchange():
    """Margrabe in log prices, V = e^x f: two assets with correlation 0.4 in the plane, payoff max(e^x − e^y, 0); exact values at the sides."""
    s1, s2, rho = 0.3, 0.2, 0.4
    total = np.sqrt(s1**2 + s2**2 - 2 * rho * s1 * s2)

    def price(x, y, t):
        root = total * np.sqrt(np.maximum(t, 1e-14))
        first = (x - y) / root + root / 2
        return np.exp(x) * norm.cdf(first) - np.exp(y) * norm.cdf(first - root)

    def ask():
        problem = lrfm.Problem(
            "V_t = 0.5*s1**2*(V_xx - V_x) + 0.5*s2**2*(V_yy - V_y) + rho*s1*s2*V_xy",
            domain=lrfm.Box(x=(-1, 1), y=(-1, 1)),
            time=(0, 1),
            initial="max(exp(x) - exp(y), 0)",
            boundary={"*": {"V": price}},
            parameters={"s1": s1, "s2": s2, "rho": rho},
        )
        return lrfm.solve(problem, tol=1e-3)

    def check(solution):
        x = np.linspace(-1, 1, 81)
        X, Y, T = np.meshgrid(x, x, np.linspace(0, 1, 11)[1:], indexing="ij")
        return distance(solution(x=X, y=Y, t=T), price(X, Y, T)), solution.report.error_estimate

    return ask, check


@case("neuroscience", "evolution", "a spike along the axon of Hodgkin and Huxley")
def axon():
    """C V_t = D V_xx − Σ g (V − E) + I(x, t) with m, h, n; lengths in cm, times in ms; reference: differences, 2 grids."""
    gates = {
        "m": ("0.1*(V + 40)/(1 - exp(-(V + 40)/10))", "4*exp(-(V + 65)/18)"),
        "h": ("0.07*exp(-(V + 65)/20)", "1/(1 + exp(-(V + 35)/10))"),
        "n": ("0.01*(V + 55)/(1 - exp(-(V + 55)/10))", "0.125*exp(-(V + 65)/80)"),
    }

    def rest(name, V=-65.0):
        a, b = (eval(text, {"V": V, "exp": np.exp}) for text in gates[name])
        return a / (a + b)

    def ask():
        problem = lrfm.Problem(
            [
                "V_t = D*V_xx - 120*m**3*h*(V - 50) - 36*n**4*(V + 77) - 0.3*(V + 54.4) + I",
                *(f"{g}_t = {a}*(1 - {g}) - {b}*{g}" for g, (a, b) in gates.items()),
            ],
            domain=lrfm.Box(x=(0, 6)),
            time=(0, 5),
            initial={"V": -65, **{g: rest(g) for g in gates}},
            boundary="V_n = 0",
            parameters={"D": 0.17, "I": "100*exp(-(x/0.3)**2)*exp(-((t - 1)/0.3)**2)"},
        )
        return lrfm.solve(problem, tol=1e-4)

    def cells(m, times):
        h = 6 / m
        x = (np.arange(m) + 0.5) * h

        def rate(t, y):
            V, m_, h_, n_ = y[0::4], y[1::4], y[2::4], y[3::4]
            out = np.empty_like(y)
            out[0::4] = (
                0.17 * laplacian(V, h)
                - 120 * m_**3 * h_ * (V - 50)
                - 36 * n_**4 * (V + 77)
                - 0.3 * (V + 54.4)
            )
            out[0::4] += 100 * np.exp(-((x / 0.3) ** 2)) * np.exp(-(((t - 1) / 0.3) ** 2))
            for k, g in enumerate("mhn"):
                a, b = (eval(text, {"V": V, "exp": np.exp}) for text in gates[g])
                out[k + 1 :: 4] = a * (1 - y[k + 1 :: 4]) - b * y[k + 1 :: 4]
            return out

        start = np.tile([-65.0, *(rest(g) for g in "mhn")], m)
        return x, integrate(rate, start, times, width=4, rtol=1e-8)

    def check(solution):
        times = np.linspace(0, 5, 21)
        x, coarse = cells(500, times)
        _, fine = cells(1000, times)
        found = solution(x=x[:, None], t=times)
        pairs = []
        for k, name in enumerate("Vmhn"):
            # values at the centers of coarse cells: the mean of two fine ones is higher by h²/8 u'' of the fine width
            near = fine[k::4]
            padded = np.concatenate((near[1::-1], near, near[:-3:-1]))
            middle = (9 * (padded[2:-3] + padded[3:-2]) - (padded[1:-4] + padded[4:-1])) / 16
            exact, _ = richardson(coarse[k::4], middle[0::2])
            pairs.append((found[name], exact))
        return worst(pairs), solution.report.error_estimate

    return ask, check


@case("neuroscience", "ordinary, event", "the first spike of Morris and Lecar's neuron")
def first_spike():
    """C V' = I − …: until V passes 0 mV; reference: SciPy's DOP853 with its event at 1e-12."""

    def ask():
        problem = lrfm.Problem(
            [
                "C*V_t = I - gL*(V + 60) - gCa*0.5*(1 + tanh((V + 1.2)/18))*(V - 120) - gK*w*(V + 84)",
                "w_t = 0.04*cosh((V - 2)/60)*(0.5*(1 + tanh((V - 2)/30)) - w)",
            ],
            time=(0, 200),
            initial={"V": -60, "w": 0.01},
            parameters={"C": 20, "I": 100, "gL": 2, "gCa": 4.4, "gK": 8},
        )
        return lrfm.solve(problem, tol=1e-8, until="V > 0")

    def check(solution):
        def rate(_, y):
            V, w = y
            current = 100 - 2 * (V + 60) - 2.2 * (1 + np.tanh((V + 1.2) / 18)) * (V - 120) - 8 * w * (V + 84)
            return [current / 20, 0.04 * np.cosh((V - 2) / 60) * (0.5 * (1 + np.tanh((V - 2) / 30)) - w)]

        def spike(_, y):
            return y[0]

        spike.terminal = True
        done = solve_ivp(rate, (0, 200), [-60.0, 0.01], method="DOP853", rtol=1e-13, atol=1e-13, events=spike)
        exact = done.t_events[0][0]
        return abs(solution.event.t - exact) / exact, solution.event.error / exact

    return ask, check


@case("epidemiology", "ordinary, fit", "rates of an epidemic from daily counts")
def epidemic_fit():
    """S, E, I: β = 0.5 and γ = 0.2 from 60 days of I with noise of 3e-4; the distance from the truth in 95 % intervals is what is claimed."""
    rng = np.random.default_rng(4)

    def ask():
        problem = lrfm.Problem(
            ["S_t = -beta*S*I", "E_t = beta*S*I - 0.25*E", "I_t = 0.25*E - gamma*I"],
            time=(0, 120),
            initial={"S": 0.999, "E": 0.001, "I": 0},
            parameters={"beta": lrfm.Unknown(0.3, lower=0), "gamma": lrfm.Unknown(0.1, lower=0)},
        )
        days = np.arange(1.0, 61.0) * 2
        done = solve_ivp(
            lambda _, y: [-0.5 * y[0] * y[2], 0.5 * y[0] * y[2] - 0.25 * y[1], 0.25 * y[1] - 0.2 * y[2]],
            (0, 120),
            [0.999, 0.001, 0.0],
            t_eval=days,
            rtol=1e-11,
            atol=1e-13,
        )
        counted = done.y[2] + 3e-4 * rng.normal(size=days.size)
        return lrfm.fit(problem, lrfm.Data(t=days, I=counted, sigma=3e-4))

    def check(fit):
        pairs = [(fit.parameters[name], truth) for name, truth in (("beta", 0.5), ("gamma", 0.2))]
        return max(abs(p.value / truth - 1) for p, truth in pairs), max(
            (p.upper - p.value) / truth for p, truth in pairs
        )

    return ask, check


@case("epidemiology", "evolution", "an epidemic that spreads over a country")
def spread():
    """S_t = −β S I, I_t = D ΔI + β S I − γ I on a square, from one corner town; reference: differences with exponential diffusion, Strang, 2 grids."""

    def ask():
        problem = lrfm.Problem(
            ["S_t = -2*S*I", "I_t = 0.05*lap(I) + 2*S*I - 0.5*I"],
            domain=lrfm.Box(x=(0, 4), y=(0, 4)),
            time=(0, 6),
            initial={"S": "1", "I": "0.2*exp(-4*((x - 1)**2 + (y - 1.5)**2))"},
            boundary="I_n = 0",
        )
        return lrfm.solve(problem, tol=1e-3)

    def cells(m, steps, every):
        """Cosine transform of type II for diffusion on centers, Runge and Kutta's rule for the reactions between halves of it."""
        from scipy.fft import dctn, idctn

        h = 4 / m
        x = (np.arange(m) + 0.5) * h
        symbol = -((np.pi * np.arange(m) / 4) ** 2)
        half = np.exp(0.5 * 0.05 * (6 / steps) * (symbol[:, None] + symbol))
        S, I = np.ones((m, m)), 0.2 * np.exp(-4 * ((x[:, None] - 1) ** 2 + (x - 1.5) ** 2))
        dt, out = 6 / steps, [(S, I)]

        def rate(S, I):
            return -2 * S * I, 2 * S * I - 0.5 * I

        for step in range(steps):
            I = idctn(half * dctn(I, type=2), type=2)
            a = rate(S, I)
            b = rate(S + dt / 2 * a[0], I + dt / 2 * a[1])
            c = rate(S + dt / 2 * b[0], I + dt / 2 * b[1])
            d = rate(S + dt * c[0], I + dt * c[1])
            S, I = (
                v + dt / 6 * (p + 2 * q + 2 * r + s) for v, p, q, r, s in zip((S, I), a, b, c, d, strict=True)
            )
            I = idctn(half * dctn(I, type=2), type=2)
            if (step + 1) % every == 0:
                out.append((S, I))
        return x, np.array(out)

    def check(solution):
        x, coarse = cells(128, 600, 100)
        _, fine = cells(128, 1200, 200)
        exact = fine + (fine - coarse) / 3
        found = solution(x=x[:, None, None], y=x[None, :, None], t=np.linspace(0, 6, 7))
        pairs = [(np.moveaxis(found[name], -1, 0), exact[:, k]) for k, name in enumerate("SI")]
        return worst(pairs), solution.report.error_estimate

    return ask, check


@case("materials", "evolution", "two alloys that mix, with a diffusivity that depends on them")
def interdiffusion():
    """c_t = (e^{2c} c_x)_x from a step that is 0.1 wide; reference: finite volumes, 2 grids."""

    def ask():
        problem = lrfm.Problem(
            "c_t = diff(0.1*exp(2*c)*c_x, x)",
            domain=lrfm.Box(x=(-2, 2)),
            time=(0, 1),
            initial="where(x < 0, 1, 0)",
            boundary="c_n = 0",
        )
        return lrfm.solve(problem, tol=1e-4)

    def cells(m, times):
        h = 4 / m
        x = -2 + (np.arange(m) + 0.5) * h

        def rate(_, c):
            flux = np.zeros(m + 1)
            # the primitive 0.05 e^{2c} of the diffusivity, so that a flux is a difference
            flux[1:-1] = np.diff(0.05 * np.exp(2 * c)) / h
            return np.diff(flux) / h

        return x, integrate(rate, np.where(x < 0, 1.0, 0.0), times, width=1)

    def check(solution):
        times = np.linspace(0, 1, 21)
        x, coarse = cells(1000, times)
        _, fine = cells(2000, times)
        exact, _ = richardson(coarse[:, 1:], ((fine[0::2] + fine[1::2]) / 2)[:, 1:])
        offset = 4 / 1000 / 2 / np.sqrt(3)
        found = (
            solution(x=(x - offset)[:, None], t=times[1:]) + solution(x=(x + offset)[:, None], t=times[1:])
        ) / 2
        return distance(found, exact), solution.report.error_estimate

    return ask, check
