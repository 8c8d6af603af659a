# SPDX-License-Identifier: MIT
"""Smooth statements: what a user means by an easy problem."""

from __future__ import annotations

import numpy as np

from claims.statement import Dice, Stated, text
from lrfm.problem import Box, Problem

UNIT, LINE = Box(x=(0, 1)), Box(x=(-1, 1))


def carried_waves(d: Dice) -> Stated:
    """u_t + cu_x = Du_xx + bu on a circle."""
    c, D, b = d.uniform(-2, 2), d.spread(1e-3, 1e-1), d.uniform(-1, 1)
    k, a, p = [d.whole(1, 5) for _ in range(3)], d.several(3, 0.2, 1), d.several(3, 0, 6)

    def exact(x, t):
        return sum(
            A * np.exp((b - D * (2 * np.pi * K) ** 2) * t) * np.sin(2 * np.pi * K * (x - c * t) + P)
            for K, A, P in zip(k, a, p, strict=True)
        )

    initial = text(*(f"{A}*sin(2*pi*{K}*x + {P})" for K, A, P in zip(k, a, p, strict=True)))
    problem = Problem(
        f"u_t + {c}*u_x = {D}*u_xx + {b}*u", domain=UNIT, time=(0, 1), initial=initial, boundary="periodic"
    )
    return Stated(problem, {"u": exact})


def cooled_bar(d: Dice) -> Stated:
    """u_t = Du_xx with cold ends."""
    D, k, a = d.spread(1e-2, 1), [d.whole(1, 6) for _ in range(3)], d.several(3, 0.3, 1)

    def exact(x, t):
        return sum(
            A * np.exp(-D * (np.pi * K) ** 2 * t) * np.sin(np.pi * K * x) for K, A in zip(k, a, strict=True)
        )

    initial = text(*(f"{A}*sin(pi*{K}*x)" for K, A in zip(k, a, strict=True)))
    problem = Problem(
        "u_t = D*u_xx", domain=UNIT, time=(0, 0.5), initial=initial, boundary="u = 0", parameters={"D": D}
    )
    return Stated(problem, {"u": exact})


def string(d: Dice) -> Stated:
    """u_tt = c²u_xx, several tones."""
    c, k, a, p = (
        d.uniform(0.5, 2),
        [d.whole(1, 5) for _ in range(3)],
        d.several(3, 0.3, 1),
        d.several(3, 0, 6),
    )

    def exact(x, t):
        return sum(
            A * np.cos(np.pi * K * c * t + P) * np.sin(np.pi * K * x) for K, A, P in zip(k, a, p, strict=True)
        )

    u = text(*(f"{A}*cos({P})*sin(pi*{K}*x)" for K, A, P in zip(k, a, p, strict=True)))
    v = text(*(f"(-{A})*pi*{K}*c*sin({P})*sin(pi*{K}*x)" for K, A, P in zip(k, a, p, strict=True)))
    problem = Problem(
        "u_tt = c**2*u_xx", domain=UNIT, time=(0, 2), initial={"u": u, "u_t": v}, boundary="u = 0",
        parameters={"c": c},
    )  # fmt: skip
    return Stated(problem, {"u": exact})


def packet(d: Dice) -> Stated:
    """iψ_t = −½ψ_xx on a circle."""
    k, a = [d.whole(-5, 5) for _ in range(4)], d.several(4, 0.2, 1)

    def exact(x, t):
        return sum(
            A * np.exp(1j * np.pi * K * x - 0.5j * (np.pi * K) ** 2 * t) for K, A in zip(k, a, strict=True)
        )

    initial = text(*(f"{A}*exp(1j*pi*({K})*x)" for K, A in zip(k, a, strict=True)))
    problem = Problem(
        "1j*psi_t + 0.5*psi_xx = 0", domain=LINE, time=(0, 1), initial=initial, boundary="periodic",
        unknowns={"psi": complex},
    )  # fmt: skip
    return Stated(problem, {"psi": exact})


def burgers(d: Dice) -> Stated:
    """u_t + uu_x = νu_xx by u = −2ν φ_x/φ, φ = 1 + a e^{−νk²t} cos kx + b e^{−4νk²t} cos 2kx."""
    nu, a, b = d.spread(0.01, 0.2), d.uniform(0.3, 0.6), d.uniform(-0.3, 0.3)
    k = np.pi

    def exact(x, t):
        first, second = a * np.exp(-nu * k**2 * t), b * np.exp(-4 * nu * k**2 * t)
        phi = 1 + first * np.cos(k * x) + second * np.cos(2 * k * x)
        return 2 * nu * k * (first * np.sin(k * x) + 2 * second * np.sin(2 * k * x)) / phi

    initial = f"2*nu*pi*({a}*sin(pi*x) + 2*({b})*sin(2*pi*x))/(1 + {a}*cos(pi*x) + ({b})*cos(2*pi*x))"
    problem = Problem(
        "u_t + u*u_x = nu*u_xx",
        domain=LINE,
        time=(0, 1),
        initial=initial,
        boundary="periodic",
        parameters={"nu": nu},
    )
    return Stated(problem, {"u": exact})


def fisher(d: Dice) -> Stated:
    """u_t = u_xx + u(1 − u): u = (1 + e^{(x − ct)/√6})⁻², c = 5/√6, with its values at both ends."""
    shift = d.uniform(-4, 4)
    text_u = f"(1 + exp((x - {shift} - 5*t/sqrt(6))/sqrt(6)))**(-2)"

    def exact(x, t):
        return (1 + np.exp((x - shift - 5 * t / np.sqrt(6)) / np.sqrt(6))) ** -2.0

    problem = Problem(
        "u_t = u_xx + u*(1 - u)", domain=Box(x=(-10, 10)), time=(0, 2), initial=text_u.replace("5*t", "0"),
        boundary=f"u = {text_u}",
    )  # fmt: skip
    return Stated(problem, {"u": exact})


def plate(d: Dice) -> Stated:
    """u_t = D Δu on the unit square with cold edges."""
    D, k, a = d.spread(5e-3, 1e-1), [(d.whole(1, 3), d.whole(1, 3)) for _ in range(3)], d.several(3, 0.3, 1)

    def exact(x, y, t):
        return sum(
            A * np.exp(-D * np.pi**2 * (K**2 + L**2) * t) * np.sin(np.pi * K * x) * np.sin(np.pi * L * y)
            for (K, L), A in zip(k, a, strict=True)
        )

    initial = text(*(f"{A}*sin(pi*{K}*x)*sin(pi*{L}*y)" for (K, L), A in zip(k, a, strict=True)))
    problem = Problem(
        "u_t = D*lap(u)", domain=Box(x=(0, 1), y=(0, 1)), time=(0, 1), initial=initial, boundary="u = 0",
        parameters={"D": D},
    )  # fmt: skip
    return Stated(problem, {"u": exact})


def rotation(d: Dice) -> Stated:
    """u_t = Du_xx + wv, v_t = Dv_xx − wu: one complex heat equation."""
    D, w, k, a = (
        d.spread(1e-3, 5e-2),
        d.uniform(1, 6),
        [d.whole(1, 5) for _ in range(2)],
        d.several(2, 0.3, 1),
    )

    def turned(x, t):
        modes = sum(
            A * np.exp(-D * (np.pi * K) ** 2 * t) * np.cos(np.pi * K * x) for K, A in zip(k, a, strict=True)
        )
        return (0.5 + modes) * np.exp(-1j * w * t)

    u = text("0.5", *(f"{A}*cos(pi*{K}*x)" for K, A in zip(k, a, strict=True)))
    problem = Problem(
        [f"u_t = {D}*u_xx + {w}*v", f"v_t = {D}*v_xx - {w}*u"], domain=UNIT, time=(0, 1),
        initial={"u": u, "v": "0"}, boundary=["u_n = 0", "v_n = 0"],
    )  # fmt: skip
    return Stated(problem, {"u": lambda x, t: turned(x, t).real, "v": lambda x, t: turned(x, t).imag})


MAKERS = (carried_waves, cooled_bar, string, packet, burgers, fisher, plate, rotation)
