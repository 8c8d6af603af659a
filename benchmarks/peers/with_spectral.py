# SPDX-License-Identifier: MIT
"""A spectral method of lines by hand: Fourier or Chebyshev collocation in space, SciPy's `solve_ivp` in time.

Fourier where the problem is periodic, Chebyshev points with the end values put in where it is not. What a numerical
analyst writes in an afternoon for one equation; nothing here serves another.
"""

import answer
import numpy as np
from scipy.integrate import solve_ivp

PI = np.pi


def chebyshev(n, low, high):
    """n + 1 points from `high` down to `low` and the differentiation matrix on them."""
    k = np.arange(n + 1)
    x = np.cos(PI * k / n)
    c = np.where((k == 0) | (k == n), 2.0, 1.0) * (-1.0) ** k
    gap = x[:, None] - x[None, :] + np.eye(n + 1)
    D = np.outer(c, 1 / c) / gap
    D -= np.diag(D.sum(axis=1))
    half = 0.5 * (high - low)
    return low + half * (x + 1), D / half


def march(rate, start, end, setting, **options):
    found = solve_ivp(
        rate,
        (0.0, end),
        start,
        method=setting["method"],
        t_eval=answer.times(end),
        rtol=setting["rtol"],
        atol=setting["rtol"] / 100,
        **options,
    )
    if not found.success:
        raise RuntimeError(found.message)
    return found.y.T


# Periodic: Fourier --------------------------------------------------------------------------------


def fourier(initial, rate, end, setting):
    """û' = rate(k, û, t) with the real transform; `rate` forms products at the points."""
    n = setting["points"]
    x = -1 + 2 * np.arange(n) / n
    k = PI * np.arange(n // 2 + 1)
    found = march(lambda t, u: rate(k, u, t, x), initial(x), end, setting)
    return answer.product(answer.times(end), x=x), found.ravel()


def derivative(u, factor):
    return np.fft.irfft(factor * np.fft.rfft(u), len(u))


def allen_cahn(setting, end=0.1):
    return fourier(
        lambda x: 0.55 * np.sin(PI * x) + 0.25 * np.sin(2 * PI * x),
        lambda k, u, t, x: derivative(u, -1e-4 * k**2) - u**3 + u,
        end,
        setting,
    )


def allen_cahn_long(setting):
    return allen_cahn(setting, end=2.0)


def burgers(setting):
    nu = 0.005 / PI
    return fourier(
        lambda x: -np.sin(PI * x),
        lambda k, u, t, x: derivative(u, -nu * k**2) - derivative(0.5 * u**2, 1j * k),
        0.1,
        setting,
    )


def multiscale(setting):
    rates = np.array([1.0, 100.0, 10000.0])

    def rate(k, u, t, x):
        source = ((PI**2 - rates) * np.exp(-rates * t)).sum() / 3
        return derivative(u, -(k**2)) + source * np.sin(PI * x)

    return fourier(lambda x: np.sin(PI * x), rate, 0.1, setting)


# Ends: Chebyshev ----------------------------------------------------------------------------------


def heat(setting):
    x, D = chebyshev(setting["points"], -1.0, 1.0)
    A = (D @ D)[1:-1, 1:-1]
    found = march(lambda t, u: A @ u, np.sin(PI * x[1:-1]), 0.25, setting, jac=A)
    return answer.product(answer.times(0.25), x=x[1:-1]), found.ravel()


def heat_2d(setting):
    x, D = chebyshev(setting["points"], 0.0, 1.0)
    A, inner = (D @ D)[1:-1, 1:-1], x[1:-1]
    n, I = len(inner), np.eye(len(inner))
    L = np.kron(A, I) + np.kron(I, A)

    def rate(t, u):
        U = u.reshape(n, n)
        return (A @ U + U @ A.T).ravel()

    start = np.outer(np.sin(PI * inner), np.sin(PI * inner)).ravel()
    found = march(rate, start, 0.12, setting, jac=L)
    return answer.product(answer.times(0.12), x=inner, y=inner), found.ravel()


def kdv(setting):
    """u = g + (8 - x) q with q zero at both ends and g the parabola through the three data."""

    def soliton(x, t):
        return 1 / np.cosh(np.sqrt(0.5) * (x + 3 - 2 * t)) ** 2

    def slope(x, t):
        return -np.sqrt(2.0) * soliton(x, t) * np.tanh(np.sqrt(0.5) * (x + 3 - 2 * t))

    x, D = chebyshev(setting["points"], -8.0, 8.0)
    inner = x[1:-1]
    D2 = D @ D
    D3 = (D2 @ D)[1:-1, 1:-1] * (8 - inner)[:, None] - 3 * D2[1:-1, 1:-1]
    D3 /= 8 - inner
    D1 = D[1:-1, 1:-1]

    def lift(t):
        right, tilt = soliton(8.0, t), slope(8.0, t)
        bend = (soliton(-8.0, t) - right + 16 * tilt) / 256
        return right + tilt * (inner - 8) + bend * (inner - 8) ** 2, tilt + 2 * bend * (inner - 8)

    def rate(t, u):
        g, g_x = lift(t)
        return -6 * u * (D1 @ (u - g) + g_x) - D3 @ (u - g)

    def jacobian(t, u):
        g, g_x = lift(t)
        return -6 * (np.diag(D1 @ (u - g) + g_x) + u[:, None] * D1) - D3

    found = march(rate, soliton(inner, 0.0), 0.5, setting, jac=jacobian)
    return answer.product(answer.times(0.5), x=inner), found.ravel()


def nls(setting):
    """Real and imaginary part apart, since the implicit methods of SciPy take real unknowns."""

    def soliton(x, t):
        return np.exp(1j * (0.5 * (x + 2) + 0.375 * t)) / np.cosh(x + 2 - 0.5 * t)

    x, D = chebyshev(setting["points"], -8.0, 8.0)
    inner, ends, D2 = x[1:-1], x[[0, -1]], 0.5 * D @ D
    A, B, n = D2[1:-1, 1:-1], D2[1:-1][:, [0, -1]], len(x) - 2

    def rate(t, y):
        psi = y[:n] + 1j * y[n:]
        found = 1j * (A @ psi + B @ soliton(ends, t) + np.abs(psi) ** 2 * psi)
        return np.concatenate([found.real, found.imag])

    def jacobian(t, y):
        a, b = y[:n], y[n:]
        cross = np.diag(2 * a * b)
        return np.block([[-cross, -A - np.diag(a**2 + 3 * b**2)], [A + np.diag(3 * a**2 + b**2), cross]])

    start = soliton(inner, 0.0)
    found = march(rate, np.concatenate([start.real, start.imag]), 0.4, setting, jac=jacobian)
    return answer.product(answer.times(0.4), x=inner), (found[:, :n] + 1j * found[:, n:]).ravel()


METHODS = {
    "heat-1d": heat,
    "allen-cahn": allen_cahn,
    "allen-cahn-long": allen_cahn_long,
    "burgers": burgers,
    "kdv-consistent": kdv,
    "nls": nls,
    "heat-2d": heat_2d,
    "multiscale-1d": multiscale,
}

if __name__ == "__main__":
    answer.run(lambda name, setting: lambda: METHODS[name](setting))
